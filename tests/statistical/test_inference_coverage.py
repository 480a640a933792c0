"""Intervals of `synthrelease.inference` hold the exact value as often as they say, at significance 10⁻⁹; intervals that leave something out do not.

The populations and draws are those of `scripts/studies/inference.py`. Each test counts how many of N intervals of 95 % hold the exact value: as a binomial
number with p between 0.93 and 0.97 it would be outside the accepted range with a probability of less than 10⁻⁹. Seeds are fixed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats
from studies import _inference_populations as populations
from studies import inference as study

from synthrelease import arrays, inference
from synthrelease.inference import Spread
from synthrelease.inference.quotient import Quotient
from synthrelease.inference.released import NoisyIntegers
from synthrelease.inference.spread import PersonVariance

SIGNIFICANCE = 1e-9
DRAWS = 1000


def is_covered(held: int, draws: int) -> bool:
    """Whether so many of N intervals may hold the exact value, if each does with a probability of 0.93 to 0.97."""
    return bool(
        stats.binom.cdf(held, draws, 0.93) > SIGNIFICANCE / 2
        and stats.binom.sf(held - 1, draws, 0.97) > SIGNIFICANCE / 2
    )


def held(population: Any, ask: Callable[..., Any], exact: float | None, people: int, epsilon: float) -> int:
    """Return how many of `study.DRAWS` intervals hold the exact value."""
    row = study.Row("", population, ask, exact)
    share, _ = study.coverage(row, people, epsilon, 12345)
    return round(share * study.DRAWS)


@pytest.fixture(autouse=True)
def _draws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(study, "DRAWS", DRAWS)


@pytest.fixture(scope="module")
def few() -> study.Means:
    return study.Means(statistics=("mean",))


def test_the_helper_accepts_and_rejects() -> None:
    assert is_covered(950, 1000)
    assert is_covered(935, 1000)
    assert not is_covered(840, 1000)
    assert not is_covered(1000, 1000)


CASES = [(20, 0.5), (100, 1.0), (1000, 3.0)]


@pytest.mark.thorough
@pytest.mark.parametrize(("people", "epsilon"), CASES)
def test_means_are_covered(few: study.Means, people: int, epsilon: float) -> None:
    spread = Spread(few.deviation[0], "the study")
    assert is_covered(
        held(few, lambda r: inference.mean(r, spread=spread), few.exact[0], people, epsilon), DRAWS
    )
    own = held(few, lambda r: inference.mean(r, target="participants"), None, people, epsilon)
    assert is_covered(own, DRAWS)


@pytest.mark.thorough
@pytest.mark.parametrize(("people", "epsilon"), CASES)
def test_means_of_a_released_variance_are_covered(people: int, epsilon: float) -> None:
    both = study.Means()
    assert is_covered(held(both, inference.mean, both.exact[0], people, epsilon), DRAWS)


@pytest.mark.thorough
def test_differences_of_groups_are_covered() -> None:
    groups = study.Means(groups=2)
    effect = groups.exact[1] - groups.exact[0]
    assert is_covered(held(groups, lambda r: study._groups(r, None), effect, 1000, 1.0), DRAWS)


@pytest.mark.thorough
@pytest.mark.parametrize("viewers_public", [True, False])
def test_dwell_shares_are_covered(viewers_public: bool) -> None:  # noqa: FBT001  a parameter of a test
    shares = study.Shares(viewers_public=viewers_public)
    own = held(shares, lambda r: study._share(r, "a", target="participants"), None, 100, 1.0)
    assert is_covered(own, DRAWS)


@pytest.mark.thorough
def test_map_cells_are_covered() -> None:
    maps = study.Maps()
    exact = maps.value(maps.integers.sum(axis=0))
    spread = Spread(maps.deviation, "the study")
    assert is_covered(held(maps, lambda r: study._cell(r, maps.cell, spread=spread), exact, 1000, 1.0), DRAWS)


@pytest.mark.thorough
def test_intervals_that_leave_noise_out_are_rejected(few: study.Means) -> None:
    deviation = few.deviation[0]
    spread = Spread(deviation, "the study")
    naive = held(
        few, lambda r: study._naive(inference.mean(r, spread=spread), deviation), few.exact[0], 100, 1.0
    )
    assert not is_covered(naive, DRAWS)


@pytest.mark.thorough
@pytest.mark.parametrize("factor", [0.5, 2.0])
def test_intervals_of_half_or_twice_the_variance_are_rejected(
    few: study.Means, factor: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Twice the variance of Laplace noise holds 98.6 %: so many draws distinguish that from 97 %.
    monkeypatch.setattr(study, "DRAWS", 8000)

    def wrong(release: Any) -> study.Ends:
        estimate = inference.mean(release, target="participants")
        far = float(estimate.high - estimate.low) / 2 * np.sqrt(factor)
        return study.Ends(float(estimate.estimate) - far, float(estimate.estimate) + far)

    assert not is_covered(held(few, wrong, None, 100, 1.0), 8000)


@pytest.mark.thorough
def test_a_normal_quantile_is_not_that_of_laplace_noise_far_out(few: study.Means) -> None:
    # At 99.9 % a normal interval of the same variance holds 99.05 %: too few.
    def of(quantile: float) -> Callable[[Any], study.Ends]:
        def ask(release: Any) -> study.Ends:
            estimate = inference.mean(release, target="participants", level=0.999)
            far = quantile * float(estimate.standard_error)
            return study.Ends(float(estimate.estimate) - far, float(estimate.estimate) + far)

        return ask

    monkey = replace(study.Row("", few, of(stats.norm.ppf(0.9995)), None))
    missed = 1 - np.mean([study.coverage(monkey, 100, 1.0, seed)[0] for seed in range(5)])
    own = replace(monkey, ask=lambda r: inference.mean(r, target="participants", level=0.999))
    right = 1 - np.mean([study.coverage(own, 100, 1.0, seed)[0] for seed in range(5)])
    draws = 5 * DRAWS
    assert stats.binom.sf(round(missed * draws) - 1, draws, 0.001) < SIGNIFICANCE
    assert stats.binom.sf(round(right * draws) - 1, draws, 0.001) > SIGNIFICANCE


@pytest.mark.thorough
def test_a_shrunk_map_taken_for_exact_is_rejected() -> None:
    maps = study.Maps()
    exact = maps.value(maps.integers.sum(axis=0))
    assert not is_covered(held(maps, lambda r: study._shrunk_cell(r, maps), exact, 1000, 1.0), DRAWS)


@pytest.mark.thorough
@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove-one"])
def test_calls_of_arrays_are_covered_as_simulated_integers_are(neighbours: str) -> None:
    people, exact = 100, 0.0
    values = np.clip(3.4 + 0.6 * np.sin(np.arange(people)), *populations.PUPIL)
    exact = float(values.mean())
    count = 0
    for seed in range(200):
        release = arrays.statistics(
            person=np.arange(people),
            values={"pupil": values},
            bounds={"pupil": populations.PUPIL},
            statistics=["mean"],
            epsilon=1.0,
            neighbours=neighbours,
            test_seed=seed,
        )
        estimate = inference.mean(release, target="participants", allow_test_seed=True)
        count += bool(estimate.low <= exact <= estimate.high)
    assert is_covered(count, 200)


@pytest.mark.quick("0.3-4.0", "2.0--0.5")
@pytest.mark.parametrize(
    ("size", "value"), [(0.3, 4.0), (0.3, 0.5), (1.0, 2.0), (2.0, 3.0), (2.0, -0.5), (4.0, 1.5)]
)
def test_quotients_of_a_noisy_number_of_people_keep_the_side_that_they_are_on(
    size: float, value: float
) -> None:
    """D of `size` standard deviations: often the noise makes it negative, and what is accepted lies outside two roots."""
    random = np.random.default_rng(36)
    held = sided = 0
    for _ in range(4000):
        quotient = Quotient(
            integers=NoisyIntegers("key", np.array([value * size, size]) + random.normal(size=2), 1.0, False),
            above=np.array([[1.0, 0.0]]),
            offset=np.zeros(1),
            people=None,
            below=np.array([0.0, 1.0]),
            limits=(np.array([-50.0]), np.array([50.0])),
            variance=PersonVariance.none(1),
        )
        low, high = (float(end[0]) for end in quotient.ends(0.95))
        held += low <= value <= high
        sided += low > 0 or high < 0
    assert stats.binom.cdf(held, 4000, 0.947) > SIGNIFICANCE
    assert (sided > 1000) == (abs(value) * size >= 4), (
        "zero is left out where the sum of what is divided shows it"
    )
    if size >= 4:
        assert stats.binom.sf(held - 1, 4000, 0.96) > SIGNIFICANCE, "and it is no wider than that"
