"""The second round's sums: what people's means are, and how sure that is."""

from __future__ import annotations

import numpy as np
import pytest

from synthrelease.kinds.scanpaths.blocks import SIZE, weights
from synthrelease.kinds.scanpaths.dynamics import DynamicsRound, norm_for, radius_for
from synthrelease.kinds.scanpaths.kind import SCANPATHS
from synthrelease.numerics.spectral import RADIUS

PEOPLE = 50
EXPECTED = np.linspace(-0.3, 0.3, SIZE)


def second(deviation: float, people: int | None = PEOPLE) -> DynamicsRound:
    return DynamicsRound(radius_for(0.4), norm_for(20, 3.0), deviation, people)


def deviations(size: float) -> np.ndarray:
    """Of people who differ from what is expected by nearly the same."""
    random = np.random.default_rng(1)
    return size * (1 + 0.1 * random.standard_normal((PEOPLE, SIZE)))


@pytest.mark.parametrize("people", [PEOPLE, None])
def test_without_noise_the_means_are_those_of_people(people: int | None) -> None:
    """Of small differences, which are not clipped; where n is private by the constant."""
    exact = deviations(0.004)
    sums = second(1.0, people).contributions(exact).sum(axis=0)
    means, _ = second(1.0, people).means(sums, EXPECTED)
    np.testing.assert_allclose(means, EXPECTED + exact.mean(axis=0), atol=2e-4)


def test_what_clipping_takes_is_given_back() -> None:
    exact = deviations(0.3)
    made = second(1.0).contributions(exact)
    assert (np.linalg.norm(made.astype(float), axis=1) > 0.99 * radius_for(0.4)).all()
    sums = made.sum(axis=0)
    assert second(1.0).left(sums) < 0.5 * PEOPLE
    means, _ = second(1.0).means(sums, EXPECTED)
    np.testing.assert_allclose((means - EXPECTED) / exact.mean(axis=0), 1, atol=0.05)


def test_the_variance_is_that_of_the_noise() -> None:
    noise, random = 2000.0, np.random.default_rng(2)
    exact = second(noise).contributions(deviations(0.004)).sum(axis=0)
    drawn = []
    for _ in range(400):
        sums = exact + np.rint(noise * random.standard_normal(exact.size)).astype(np.int64)
        sums[0] = exact[0]  # what is divided by is then the same
        means, variance = second(noise).means(sums, EXPECTED)
        drawn.append(means)
    np.testing.assert_allclose(np.var(drawn, axis=0) / variance, 1, atol=0.35)
    assert variance.argmin() == weights().argmax()


def test_both_rounds_have_their_shares() -> None:
    for share in (0.1, 0.4, 0.7):
        assert radius_for(share) ** 2 / (RADIUS**2 + radius_for(share) ** 2) == pytest.approx(share, rel=1e-4)


@pytest.mark.parametrize("share", [0.01, 0.99])
def test_shares_at_their_limits_are_clipped_without_leaving_64_bits(share: float) -> None:
    """A person who differs as far as can be in every number, under the smallest norm there is: an overflow would be an error that one person's data make."""
    assert share in limits()
    radius = radius_for(share)
    made = DynamicsRound(radius, norm_for(10_000, 20.0), 1.0, 2).contributions(
        np.full((2, SIZE), [[9.0], [-9.0]])
    )
    squared = (made.astype(object) ** 2).sum(axis=1)
    assert (squared <= radius**2).all()
    assert (squared > (0.99 * radius) ** 2).all()


def limits() -> tuple[float, float]:
    """Return the smallest and the largest share that a plan may name."""
    share = SCANPATHS.options["properties"]["dynamics_share"]
    return share["minimum"], share["maximum"]
