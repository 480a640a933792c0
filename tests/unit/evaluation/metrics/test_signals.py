"""Measures of signals against values worked out by hand, and against slow loops over every series."""

from __future__ import annotations

import itertools
import math
import statistics
from typing import TYPE_CHECKING

import numpy as np
import pytest
from refusals import bad_argument

from synthrelease.evaluation.metrics import lag_correlation, nmse, relative_mse, series_correlation, utility

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

COMPARING = [nmse, utility, relative_mse, series_correlation]


def slow_nmse(released: Sequence[float], truth: Sequence[float]) -> float:
    """Equation 4, term by term."""
    means = statistics.fmean(truth) * statistics.fmean(released)
    return math.fsum((x - y) ** 2 / means for x, y in zip(truth, released, strict=True)) / len(truth)


def slow_relative_mse(released: Sequence[float], truth: Sequence[float]) -> float:
    error = math.fsum((x - y) ** 2 for x, y in zip(truth, released, strict=True))
    return error / len(truth) / statistics.pvariance(truth)


SLOW = {
    nmse: slow_nmse,
    utility: lambda p, q: 1 / abs(slow_nmse(p, q)),
    relative_mse: slow_relative_mse,
    series_correlation: statistics.correlation,
}


def signals(seed: int, *shape: int) -> Numbers:
    """Series far from 0, each at another level and scale, most of the levels negative."""
    rng = np.random.default_rng(seed)
    level, scale = rng.normal(-3, 4, (*shape[:-1], 1)), rng.lognormal(0, 2, (*shape[:-1], 1))
    return np.asarray(level + scale * rng.normal(size=shape))


# --- a release and its truth


@pytest.mark.parametrize("measure", COMPARING)
@pytest.mark.parametrize("shape", [(1, 2), (7, 3), (3, 4, 5, 33)])
def test_all_series_at_once_equal_a_loop_over_each(
    measure: Callable[..., Numbers], shape: tuple[int, ...]
) -> None:
    released, truth = signals(1, *shape), signals(2, *shape)
    found = measure(released, truth)
    assert found.shape == shape[:-1]
    for index in itertools.product(*map(range, shape[:-1])):
        slow = SLOW[measure](released[index].tolist(), truth[index].tolist())
        assert found[index] == pytest.approx(slow, rel=1e-9)


@pytest.mark.parametrize("measure", COMPARING)
def test_many_draws_are_held_against_one_truth(measure: Callable[..., Numbers]) -> None:
    released, truth = signals(1, 10, 3, 20), signals(2, 3, 20)
    found = measure(released, truth)
    assert found.shape == (10, 3)
    np.testing.assert_array_equal(found, measure(released, np.tile(truth, (10, 1, 1))))
    np.testing.assert_array_equal(found[4], measure(released[4], truth))


@pytest.mark.parametrize("measure", COMPARING)
def test_a_single_series_gives_a_single_number(measure: Callable[..., Numbers]) -> None:
    found = measure([1, 2, 4], [1, 2, 3])
    assert found.shape == ()
    assert math.isfinite(float(found))


def test_nmse_by_hand() -> None:
    """Errors 0, 0, 1: MSE 1/3; means 2 and 7/3."""
    assert nmse([1, 2, 4], [1, 2, 3]) == pytest.approx(1 / 3 / (2 * 7 / 3), rel=1e-15)
    assert utility([1, 2, 4], [1, 2, 3]) == pytest.approx(14.0, rel=1e-15)


def test_nmse_is_negative_where_the_means_have_two_signs_and_utility_is_not() -> None:
    assert nmse([-1, -1], [1, 1]) == -4.0
    assert utility([-1, -1], [1, 1]) == 0.25


def test_nmse_rewards_an_offset_and_relative_mse_does_not() -> None:
    q = np.sin(np.arange(50.0)) + 1
    p = q + np.cos(7 * np.arange(50.0))
    assert nmse(p + 1000, q + 1000) < 1e-5 * nmse(p, q)
    assert relative_mse(p + 1000, q + 1000) == pytest.approx(float(relative_mse(p, q)), rel=1e-9)
    assert relative_mse(9 * p, 9 * q) == pytest.approx(float(relative_mse(p, q)), rel=1e-14)


def test_a_mean_of_0_is_worth_nothing_and_equality_everything() -> None:
    np.testing.assert_array_equal(
        nmse([[-1, 1], [0, 0], [0, 0], [2, 3]], [[2, 3], [2, 3], [0, 0], [2, 3]]), [math.inf, math.inf, 0, 0]
    )
    np.testing.assert_array_equal(
        utility([[-1, 1], [0, 0], [0, 0], [2, 3]], [[2, 3], [2, 3], [0, 0], [2, 3]]),
        [0, 0, math.inf, math.inf],
    )


def test_relative_mse_of_the_truths_own_mean_is_1() -> None:
    truth = signals(5, 6, 40)
    own = np.broadcast_to(truth.mean(axis=-1, keepdims=True), truth.shape)
    np.testing.assert_allclose(relative_mse(own, truth), 1.0, rtol=1e-12)


@pytest.mark.parametrize("value", [0.0, 0.1, -7.3, 1e12])
def test_a_constant_truth_is_met_or_missed(value: float) -> None:
    """The mean of 0.1 repeated is not quite 0.1: its variance must not count."""
    constant = np.full(1517, value)
    assert relative_mse(constant, constant) == 0.0
    assert relative_mse(constant + 1e-3, constant) == math.inf


@pytest.mark.parametrize("value", [0.0, 0.1, -7.3, 1e12])
def test_a_constant_series_correlates_with_nothing(value: float) -> None:
    constant, other = np.full(1517, value), np.arange(1517.0) ** 2
    assert series_correlation(constant, other) == series_correlation(other, constant) == 0.0
    two = series_correlation(np.array([constant, other]), other)
    np.testing.assert_allclose(two, [0.0, 1.0], rtol=1e-14)


def test_correlation_by_hand() -> None:
    """Deviations (−1, 0, 1) and (−1, 1, 0): covariance 1/3, variances 2/3."""
    assert series_correlation([1, 2, 3], [0, 2, 1]) == pytest.approx(0.5, rel=1e-15)


def test_correlation_never_leaves_its_range() -> None:
    p = signals(6, 500, 7)
    assert np.abs(series_correlation(3 * p, p)).max() <= 1.0
    np.testing.assert_allclose(series_correlation(-p, p), -1.0, rtol=1e-12)


@pytest.mark.parametrize("measure", COMPARING)
@pytest.mark.parametrize(
    ("p", "q"),
    [
        ([1, 2], [1, 2, 3]),
        ([1], [1, 2]),
        ([], []),
        (1.0, 1.0),
        (np.ones((2, 4)), np.ones((3, 4))),
        ([1, math.nan], [1, 2]),
        ([1, 2], [math.inf, 2]),
    ],
)
def test_series_that_cannot_be_compared_are_refused(
    measure: Callable[..., Numbers], p: object, q: object
) -> None:
    with bad_argument(ValueError, by="signals"):
        measure(p, q)


# --- one sample and those that follow


def slow_lag_correlation(series: Numbers, at: int, lag: int) -> float:
    pairs = [(float(row[at]), float(row[at + lag])) for row in series]
    both = [(x, y) for x, y in pairs if not (math.isnan(x) or math.isnan(y))]
    if len(both) < 3:
        return math.nan
    first, second = zip(*both, strict=True)
    if len(set(first)) == 1 or len(set(second)) == 1:
        return 0.0
    return statistics.correlation(first, second)


@pytest.mark.parametrize("missing", [0.0, 0.2, 0.8])
@pytest.mark.parametrize("at", [0, 4, 24])
def test_all_lags_at_once_equal_a_loop_over_each(at: int, missing: float) -> None:
    series = signals(7, 25, 30).T.cumsum(axis=1)
    assert series.shape == (30, 25)
    series[np.random.default_rng(8).random(series.shape) < missing] = math.nan
    lags = list(range(-at, 25 - at))
    found = lag_correlation(series, at=at, lags=lags)
    slow = [slow_lag_correlation(series, at, lag) for lag in lags]
    np.testing.assert_allclose(found, slow, rtol=1e-9, atol=1e-12)
    assert bool(np.isnan(found).any()) == (missing == 0.8)


def test_lags_come_in_the_order_asked_for() -> None:
    series = signals(9, 12, 8)
    forward = lag_correlation(series, at=2, lags=[0, 1, 5])
    np.testing.assert_array_equal(lag_correlation(series, at=2, lags=[5, 0, 1, 1]), forward[[2, 0, 1, 1]])
    assert forward[0] == pytest.approx(1.0, rel=1e-14)
    assert lag_correlation(series, at=2, lags=[]).shape == (0,)


def test_correlation_is_across_people_and_not_over_time() -> None:
    """Every person's series is a ramp, at another level: over time all agree, across people levels do."""
    levels = np.array([0.0, 10.0, 20.0, 50.0])[:, None]
    series = levels + np.arange(6) + np.array([0.0, 1.0, -1.0, 0.0])[:, None] * (np.arange(6) % 2)
    assert lag_correlation(series, at=0, lags=[2, 4]) == pytest.approx([1.0, 1.0], rel=1e-14)
    assert 0.99 < lag_correlation(series, at=0, lags=[1])[0] < 1 - 1e-4


def test_fewer_than_three_people_say_nothing() -> None:
    series = [[1.0, 2.0, 1.0], [2.0, 4.0, math.nan], [3.0, 7.0, 5.0]]
    three, two = lag_correlation(series, at=0, lags=[1, 2])
    assert 0.9 < three < 1
    assert math.isnan(two)
    assert np.isnan(lag_correlation(np.full((4, 2), math.nan), at=0, lags=[0, 1])).all()
    assert np.isnan(lag_correlation(np.empty((0, 2)), at=0, lags=[0, 1])).all()


def test_samples_that_are_the_same_for_all_correlate_with_nothing() -> None:
    series = np.column_stack([np.arange(5.0), np.full(5, 0.1), np.arange(5.0)])
    np.testing.assert_allclose(lag_correlation(series, at=0, lags=[0, 1, 2]), [1, 0, 1], rtol=1e-14)


@pytest.mark.parametrize(
    ("at", "lags", "named"),
    [
        (-1, [0], ("at", 0, 6, -1)),
        (6, [0], ("at", 0, 6)),
        (4, [0, 2], ("lags", -4, 2)),
        (4, [-5], ("lags", -4, 2, -5)),
        (4, [0.5], ("lags", "float64")),
        (4, 1, ("lags", "int64", ())),
    ],
)
def test_a_sample_outside_is_named(at: int, lags: object, named: tuple[object, ...]) -> None:
    with bad_argument(ValueError, *named, by="signals"):
        lag_correlation(np.ones((3, 6)), at=at, lags=lags)  # type: ignore[arg-type]


@pytest.mark.parametrize("series", [[1.0, 2.0], np.ones((2, 3, 4)), [[1.0, math.inf]]])
def test_series_of_people_that_are_none_are_refused(series: object) -> None:
    with bad_argument(ValueError, "series", by="signals"):
        lag_correlation(series, at=0, lags=[0])  # type: ignore[arg-type]
