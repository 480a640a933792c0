"""What refutes a claim does so whatever arrays and blocks the integers come in."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest
from scipy import stats

from synthrelease.bundle import plausibility
from synthrelease.bundle.plausibility import IntegerTally, too_large, too_many, too_quiet
from synthrelease.dp.event import DiscreteLaplace, Noise, RoundedGaussian
from synthrelease.kinds.records.plausibility import foreign_to_network
from synthrelease.numerics.network import Network

NOISES: list[Noise] = [RoundedGaussian(1, 50.0, 1), DiscreteLaplace(1, 50.0, 1)]


@pytest.fixture(autouse=True, params=[7, 1 << 18], ids=["small blocks", "blocks"])
def _blocks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plausibility, "_BLOCK", request.param)


def tally(arrays: Iterable[np.ndarray]) -> IntegerTally:
    found = IntegerTally()
    for array in arrays:
        found.add(array)
    return found


def noise_of(noise: Noise, number: int, *, times: float = 1.0) -> np.ndarray:
    rng = np.random.default_rng(5)
    drawn = rng.normal(0, 50, number) if isinstance(noise, RoundedGaussian) else rng.laplace(0, 50, number)
    return np.rint(times * drawn).astype(np.int32)


@pytest.mark.parametrize("noise", NOISES, ids=["gaussian", "laplace"])
def test_noise_of_the_stated_scale_is_loud_enough_and_of_half_is_not(noise: Noise) -> None:
    for times, quiet in ((1.0, False), (0.5, True)):
        whole = noise_of(noise, 3000, times=times).reshape(10, 300)
        assert too_quiet(tally([whole]), noise) is quiet
        assert too_quiet(tally(list(whole)), noise) is quiet
        assert too_quiet(tally([whole.T[:100], whole.T[100:]]), noise) is quiet
    # All arrays count together: what is loud in one does not hide in it, nor what is quiet.
    loud, silent = noise_of(noise, 3000), np.zeros(9000, dtype=np.int32)
    assert not too_quiet(tally([loud]), noise)
    assert too_quiet(tally([loud, silent]), noise)
    assert too_quiet(tally([silent, loud]), noise)


@pytest.mark.parametrize("number", [1, 2, 3000])
def test_the_limits_are_the_quantiles_that_are_stated(number: int) -> None:
    gaussian, laplace = NOISES
    quiet_squares = 50.0**2 * stats.chi2.ppf(1e-12, number)
    quiet_magnitudes = 50.0 * stats.gamma.ppf(1e-12, number)
    for factor, refuted in ((0.999, True), (1.001, False)):
        assert too_quiet(IntegerTally(number, squares=factor * quiet_squares), gaussian) is refuted
        assert too_quiet(IntegerTally(number, magnitudes=factor * quiet_magnitudes), laplace) is refuted
    reach = {
        gaussian: 8 * gaussian.standard_deviation * number**0.5,
        laplace: 50.0 * (8 * (2 * number) ** 0.5 + 30),
    }
    for noise, most in reach.items():
        for factor, refuted in ((0.999, False), (1.001, True)):
            assert too_many(IntegerTally(number, total=70 + factor * most), noise, most=70) is refuted


def test_nothing_is_not_too_quiet() -> None:
    for noise in NOISES:
        assert not too_quiet(tally([]), noise)
        assert not too_quiet(tally([np.zeros((0, 3), dtype=np.int64)]), noise)
        assert not too_large(tally([]), noise, most_each=0)
        assert not too_many(tally([]), noise, most=0)


@pytest.mark.parametrize("noise", NOISES, ids=["gaussian", "laplace"])
@pytest.mark.parametrize("place", [0, 8, 29])
def test_one_integer_beyond_all_people_is_found_wherever_it_is(noise: Noise, place: int) -> None:
    values = np.zeros(30, dtype=np.int64)
    reach = 1000 + int(
        9 * noise.standard_deviation if isinstance(noise, RoundedGaussian) else 50 * noise.scale
    )
    for sign in (1, -1):
        values[place] = sign * (reach + 1)
        assert not too_large(tally([values[:11], values[11:]]), noise, most_each=1000)
        values[place] = sign * (reach + 3)
        assert too_large(tally([values[:11], values[11:]]), noise, most_each=1000)


@pytest.mark.parametrize("noise", NOISES, ids=["gaussian", "laplace"])
def test_more_counts_than_all_people_have_are_found(noise: Noise) -> None:
    values = noise_of(noise, 900).reshape(9, 100).astype(np.int64)
    values -= int(values.mean())
    assert not too_many(tally(list(values)), noise, most=0)
    reach = int(8 * noise.standard_deviation * 30 + 30 * noise.scale)
    values[4, 7] += 3 * reach
    assert too_many(tally(list(values)), noise, most=reach)
    assert not too_many(tally(list(values)), noise, most=3 * reach)


@pytest.mark.parametrize("categories", [127, 128, 129])
def test_categories_that_fill_their_type_are_those_of_the_network(categories: int) -> None:
    """Most records have the last one, beside which there is no room for another in eight bits."""
    table = np.full(categories, 0.1 / (categories - 1))
    table[-1] = 0.9
    network = Network((0,), ((),), (table,))
    drawn = np.random.default_rng(7).choice(categories, 4000, p=table)
    kind = np.min_scalar_type(-categories)
    assert not foreign_to_network([drawn.astype(kind)], network)
    assert foreign_to_network([drawn[::-1].astype(kind) // 2], network)
