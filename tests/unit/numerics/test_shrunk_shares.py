"""Proportions that are shrunk towards equal ones: never worse, in expectation, than the noisy ones or than equal ones."""

from __future__ import annotations

import numpy as np
import pytest

from synthrelease.numerics.derived import ShareShrinkage
from synthrelease.numerics.simplex import onto_simplex

DRAWS = 4000


def squared(one: np.ndarray, other: np.ndarray) -> float:
    return float(((one - other) ** 2).sum(axis=1).mean())


@pytest.mark.quick
@pytest.mark.parametrize("areas", [2, 3, 6, 20])
@pytest.mark.parametrize("deviation", [0.01, 0.1, 0.5, 5.0])
def test_the_error_is_less_than_that_of_noisy_and_of_equal_proportions(areas: int, deviation: float) -> None:
    random = np.random.default_rng(areas)
    exact = random.dirichlet(np.ones(areas), size=DRAWS)
    noisy = exact + random.normal(scale=deviation, size=exact.shape)
    shrinkage = ShareShrinkage(np.ones(areas, dtype=np.bool_), deviation)
    shrunk = np.array([shrinkage.shares(one) for one in noisy])
    nearest = np.array([onto_simplex(one, 1.0) for one in noisy])
    equal = np.full(exact.shape, 1 / areas)
    assert squared(shrunk, exact) < 1.001 * squared(equal, exact)
    assert squared(shrunk, exact) < 1.01 * squared(nearest, exact)
    if deviation == 5.0:  # the control: what was released before is far worse than what anyone could guess
        assert squared(nearest, exact) > 1.5 * squared(equal, exact)


def test_the_linear_estimate_errs_as_it_is_said_to() -> None:
    random = np.random.default_rng(3)
    exact = random.dirichlet(np.ones(5), size=DRAWS)
    shrinkage = ShareShrinkage(np.ones(5, dtype=np.bool_), 0.2)
    noisy = exact + random.normal(scale=0.2, size=exact.shape)
    linear = 0.2 + shrinkage.weight * (noisy - noisy.mean(axis=1, keepdims=True))
    assert np.sqrt(((linear - exact) ** 2).mean()) == pytest.approx(shrinkage.error, rel=0.05)
    assert exact.var() * 5 / 4 == pytest.approx(shrinkage.prior_variance, rel=0.1)


def test_what_a_stimulus_does_not_have_has_no_share() -> None:
    present = np.array([True, False, True])
    shares = ShareShrinkage(present, 0.1).shares(np.array([0.5, 9.0, 0.5]))
    assert shares[1] == 0
    assert shares.sum() == pytest.approx(1)
    np.testing.assert_array_equal(
        ShareShrinkage(np.zeros(3, dtype=np.bool_), 0.1).shares(np.ones(3)), np.zeros(3)
    )
    np.testing.assert_array_equal(ShareShrinkage(np.array([True]), 0.1).shares(np.array([0.3])), [1.0])


def test_without_noise_nothing_is_shrunk() -> None:
    shares = np.array([0.7, 0.2, 0.1])
    np.testing.assert_allclose(ShareShrinkage(np.ones(3, dtype=np.bool_), 0.0).shares(shares), shares)
