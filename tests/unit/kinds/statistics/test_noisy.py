"""Values and intervals of statistics, against their formulas, number by number in exact fractions."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import TYPE_CHECKING

import made
import numpy as np
import pytest

from synthrelease.kinds.statistics import noisy as statistics
from synthrelease.numerics import statistics as maths
from synthrelease.numerics.statistics import COUNT, HISTOGRAM, MEAN, SUM, VARIANCE, StatisticUnit

if TYPE_CHECKING:
    from numpy.typing import NDArray

BOUNDS = [(0.0, 1.0), (2.0, 8.0), (-5.0, 3.0), (-0.7, -0.1)]
H = 32768

kinds = pytest.mark.parametrize("kind", [np.int32, np.int64])
bounds_ = pytest.mark.parametrize("bounds", BOUNDS)
quotients = pytest.mark.parametrize(("people", "grouped"), [(None, False), (None, True), (30, True)])
EVERYONE = StatisticUnit((2.0, 8.0), 12, grouped=True, everyone=True)


def in_unit(steps: Fraction, bounds: tuple[float, float]) -> float:
    """(low + high)/2 + (high − low)/2H · steps."""
    low, high = (Fraction(b) for b in bounds)
    return float((low + high) / 2 + (high - low) / (2 * H) * steps)


def sum_unit(bounds: tuple[float, float]) -> float:
    return (max(bounds[1], 0) - min(bounds[0], 0)) / (2 * H)


def test_a_person_weighs_the_whole_range_in_a_count() -> None:
    assert maths.PERSON_STEPS == 2 * H == 65536


@pytest.mark.parametrize(
    ("name", "public", "quotient"),
    [(COUNT, 1, 1), (SUM, 1, 1), (MEAN, 1, 2), (VARIANCE, 3, 3), (HISTOGRAM, 9, 9)],
)
def test_how_many_integers_a_statistic_takes(name: str, public: int, quotient: int) -> None:
    assert made.statistics([name], [(0, 1)], 9, people=7).parameters.size(name) == public
    assert made.statistics([name], [(0, 1)], 9, people=None).parameters.size(name) == quotient
    assert statistics.together(name, StatisticUnit((0, 1), 7)) == (1 if name == HISTOGRAM else public)
    assert statistics.together(name, StatisticUnit((0, 1), None)) == (1 if name == HISTOGRAM else quotient)


@pytest.mark.parametrize(("name", "size"), [(COUNT, 1), (SUM, 1), (MEAN, 1), (VARIANCE, 2), (HISTOGRAM, 9)])
def test_where_everyone_is_in_every_group_no_statistic_holds_a_count_to_divide_by(
    name: str, size: int
) -> None:
    groups = {"by": "mood", "groups": ("calm", "tense"), "max_groups": 2}
    declared = made.statistics([name], [(0, 1)], 9, people=7, everyone=True, **groups).parameters
    assert declared.size(name) == size
    assert not declared.has_quotients
    assert made.statistics([name], [(0, 1)], 9, people=7, **groups).parameters.has_quotients


def test_the_p_of_a_quantile_is_the_fraction_that_is_written() -> None:
    assert maths.quantile("quantile:0.1") == Fraction(1, 10)
    assert maths.quantile(maths.MEDIAN) == Fraction(1, 2)
    assert maths.quantile("mean") is None


# --- values


@bounds_
@kinds
@pytest.mark.parametrize("people", [None, 12])
@pytest.mark.parametrize("grouped", [False, True])
def test_a_count_is_in_people(
    bounds: tuple[float, float], kind: type[np.integer], people: int | None, *, grouped: bool
) -> None:
    unit = StatisticUnit(bounds, people, grouped)
    for z in (0, 1, -5, 12 * 2 * H, 2 * H):
        assert statistics.value(COUNT, np.array([z], dtype=kind), unit).tolist() == [z / (2 * H)]


@bounds_
@pytest.mark.parametrize("people", [None, 12])
def test_a_sum_is_in_the_feature_s_unit(bounds: tuple[float, float], people: int | None) -> None:
    for z in (0, 7, -65536, 10**7):
        shown = statistics.value(SUM, np.array([z]), StatisticUnit(bounds, people))
        assert shown.tolist() == pytest.approx([z * sum_unit(bounds)], rel=1e-14)


@bounds_
def test_the_steps_of_a_sum_go_back_to_its_values(bounds: tuple[float, float]) -> None:
    values = np.linspace(*bounds, 97)
    steps = maths.to_sum_steps(values, bounds)
    missed = values - steps * sum_unit(bounds)
    assert (np.abs(missed) < sum_unit(bounds) * (1 + 1e-9)).all()
    assert (np.sign(missed) * np.sign(values) >= -1e-9).all(), "toward zero"
    beyond = maths.to_sum_steps(np.array([bounds[0] - 9, bounds[1] + 9]), bounds)
    assert tuple(beyond) == (steps[0], steps[-1]) == maths.sum_range(bounds)


def test_squares_are_rounded_to_the_nearest_step() -> None:
    means = np.array([0, 1, -1, 127, 128, 129, 181, -181, H // 2, H, -H])
    expected = [round(Fraction(2 * m * m, H) + Fraction(1, 10**9)) - H for m in means.tolist()]
    assert maths.squares(means).tolist() == expected
    assert maths.squares(np.array([0, H, -H])).tolist() == [-H, H, H]


@kinds
def test_a_histogram_shows_shares_of_all_people(kind: type[np.integer]) -> None:
    noisy = np.array([0, H, 5 * H, -3, 2 * H], dtype=kind)
    shown = statistics.value(HISTOGRAM, noisy, StatisticUnit((0, 1), 8))
    assert shown.tolist() == [float(Fraction(int(z), 8 * H)) for z in noisy]
    # the exact shares of eight people sum to one
    exact = np.array([H, 3 * H, 4 * H], dtype=kind)
    assert statistics.value(HISTOGRAM, exact, StatisticUnit((0, 1), 8)).sum() == 1.0


@quotients
@kinds
def test_a_histogram_of_a_private_number_of_people_shows_people(
    kind: type[np.integer], people: int | None, *, grouped: bool
) -> None:
    noisy = np.array([0, H, 5 * H, -3], dtype=kind)
    shown = statistics.value(HISTOGRAM, noisy, StatisticUnit((0, 1), people, grouped))
    assert shown.tolist() == [0.0, 1.0, 5.0, -3 / H]


@bounds_
@kinds
def test_a_mean_is_centre_and_steps_per_person(bounds: tuple[float, float], kind: type[np.integer]) -> None:
    unit = StatisticUnit(bounds, 10)
    for z in (0, 1, -7, 10 * H, -10 * H):
        shown = statistics.value(MEAN, np.array([z], dtype=kind), unit)
        assert shown.shape == (1,)
        assert shown[0] == pytest.approx(in_unit(Fraction(z, 10), bounds), rel=1e-14, abs=1e-14)
    highest = statistics.value(MEAN, np.array([10 * H], dtype=kind), unit)
    assert highest[0] == pytest.approx(bounds[1], rel=1e-14)


@bounds_
@kinds
@quotients
def test_a_mean_of_a_private_number_of_people_is_a_quotient(
    bounds: tuple[float, float], kind: type[np.integer], people: int | None, *, grouped: bool
) -> None:
    for total, weight in [(5 * H, 10 * H), (-10 * H, 10 * H), (7, 3 * H + 1), (1234, H)]:
        noisy = np.array([total, weight], dtype=kind)
        shown = statistics.value(MEAN, noisy, StatisticUnit(bounds, people, grouped))
        assert shown.shape == (1,)
        expected = in_unit(Fraction(total * H, weight), bounds)
        assert shown[0] == pytest.approx(expected, rel=1e-13, abs=1e-13)


@pytest.mark.parametrize("weight", [0, 1, H - 1, H, -4 * H])
def test_a_quotient_never_divides_by_less_than_one_person_and_stays_within_the_bounds(weight: int) -> None:
    unit = StatisticUnit((0.0, 1.0), None)
    assert statistics.value(MEAN, np.array([H // 2, weight]), unit).tolist() == [0.75]
    assert statistics.value(MEAN, np.array([3 * H, weight]), unit).tolist() == [1.0]
    assert statistics.value(MEAN, np.array([-3 * H, weight]), unit).tolist() == [0.0]


@bounds_
@pytest.mark.parametrize("people", [None, 5])
def test_a_variance_is_that_of_people_s_means(bounds: tuple[float, float], people: int | None) -> None:
    """With n and not n − 1; without noise it errs by the rounding of squares alone."""
    means = np.array([-H, -3 * H // 4, 17, H // 3, H])
    noisy = np.array([means.sum(), H * len(means), maths.squares(means).sum()])
    shown = statistics.value(VARIANCE, noisy, StatisticUnit(bounds, people))
    step = (bounds[1] - bounds[0]) / (2 * H)
    assert shown.tolist() == pytest.approx([np.var(means * step)], rel=1e-4)
    # what noise makes impossible is cut
    half = (bounds[1] - bounds[0]) / 2
    assert statistics.value(
        VARIANCE, np.array([0, 5 * H, -9 * H]), StatisticUnit(bounds, people)
    ).tolist() == [0.0]
    assert (
        statistics.value(VARIANCE, np.array([0, 5 * H, 9 * H]), StatisticUnit(bounds, people)) == half * half
    )


@bounds_
@kinds
def test_a_mean_of_everyone_in_a_group_is_that_of_all_people(
    bounds: tuple[float, float], kind: type[np.integer]
) -> None:
    noisy = np.array([-7 * H], dtype=kind)
    shown = statistics.value(MEAN, noisy, StatisticUnit(bounds, 10, grouped=True, everyone=True))
    assert shown == statistics.value(MEAN, noisy, StatisticUnit(bounds, 10))


@bounds_
def test_a_variance_of_everyone_divides_by_people(bounds: tuple[float, float]) -> None:
    """Those without a value, 0 in both moments, are at the centre; without noise it errs by the rounding of squares alone."""
    unit = StatisticUnit(bounds, 7, grouped=True, everyone=True)
    means = np.array([-H, -3 * H // 4, 17, H // 3, H])
    noisy = np.array([means.sum(), (maths.squares(means) + H).sum()])
    shown = statistics.value(VARIANCE, noisy, unit)
    step = (bounds[1] - bounds[0]) / (2 * H)
    assert shown.tolist() == pytest.approx([np.var([*(means * step), 0.0, 0.0])], rel=1e-4)
    # what noise makes impossible is cut
    half = (bounds[1] - bounds[0]) / 2
    assert statistics.value(VARIANCE, np.array([0, -H]), unit).tolist() == [0.0]
    assert statistics.value(VARIANCE, np.array([0, 99 * H]), unit).tolist() == [half * half]


def test_of_a_quantile_the_middle_of_its_interval_is_shown() -> None:
    assert maths.quantile_value(np.array([0]), (30.0, 150.0), 4).tolist() == [45.0]
    assert maths.quantile_value(np.array([3]), (30.0, 150.0), 4).tolist() == [135.0]


# --- intervals


def many(name: str, unit: StatisticUnit) -> NDArray[np.int64]:
    bins = 4 if name == HISTOGRAM else 1
    generator = np.random.default_rng(5)
    size = bins * statistics.together(name, unit)
    noisy = generator.integers(-20 * H, 20 * H, (200, size))
    if size > 1 and name != HISTOGRAM:
        noisy[:100, 1] = generator.integers(1, 40 * H, 100)  # weights are seldom negative
    return noisy


@bounds_
@pytest.mark.parametrize("name", [COUNT, SUM, MEAN, HISTOGRAM])
def test_intervals_of_sums_are_the_reach_on_both_sides(name: str, bounds: tuple[float, float]) -> None:
    unit = StatisticUnit(bounds, 10)
    steps = {
        COUNT: 1 / (2 * H),
        SUM: sum_unit(bounds),
        MEAN: (bounds[1] - bounds[0]) / (20 * H),
        HISTOGRAM: 1 / (10 * H),
    }
    for noisy in many(name, unit)[:20]:
        middle = statistics.value(name, noisy, unit)
        ends = statistics.interval(name, noisy, unit, reach=1234)
        np.testing.assert_allclose(ends[:, 0], middle - 1234 * steps[name], rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(ends[:, 1], middle + 1234 * steps[name], rtol=1e-12, atol=1e-12)


@pytest.mark.quick
@bounds_
@quotients
@pytest.mark.parametrize("name", [MEAN, VARIANCE])
@pytest.mark.parametrize("reach", [0, 500, 3 * H])
def test_intervals_of_quotients_hold_whatever_is_within_reach(
    name: str, bounds: tuple[float, float], people: int | None, reach: int, *, grouped: bool
) -> None:
    """All true integers within reach, of a person at least, have their value in the interval, and corners of a mean are its ends."""
    unit = StatisticUnit(bounds, people, grouped)
    generator = np.random.default_rng(reach)
    for noisy in many(name, unit)[:60]:
        ((least, most),) = statistics.interval(name, noisy, unit, reach=reach)
        assert least <= most
        assert name == VARIANCE or bounds[0] - 1e-12 <= least <= most <= bounds[1] + 1e-12
        inner = generator.integers(-reach, reach + 1, (60, len(noisy)))
        corners = np.array(list(itertools.product((-reach, reach), repeat=len(noisy))))
        of = [
            float(statistics.value(name, noisy + moved, unit)[0])
            for moved in np.concatenate([inner, corners])
        ]
        assert least - 1e-9 <= min(of)
        assert max(of) <= most + 1e-9
        if name == MEAN:
            assert (min(of), max(of)) == pytest.approx((least, most), abs=1e-9)


@pytest.mark.parametrize("reach", [0, 500, 3 * H])
def test_the_interval_of_a_variance_of_everyone_holds_whatever_is_within_reach(reach: int) -> None:
    generator = np.random.default_rng(reach)
    for noisy in many(VARIANCE, EVERYONE)[:60]:
        ((least, most),) = statistics.interval(VARIANCE, noisy, EVERYONE, reach=reach)
        corners = np.array(list(itertools.product((-reach, reach), repeat=2)))
        moved = np.concatenate([generator.integers(-reach, reach + 1, (60, 2)), corners])
        of = [float(statistics.value(VARIANCE, noisy + move, EVERYONE)[0]) for move in moved]
        assert least - 1e-9 <= min(of)
        assert max(of) <= most + 1e-9


def test_an_interval_of_no_reach_is_the_value() -> None:
    units = [StatisticUnit((2.0, 8.0), None), StatisticUnit((2.0, 8.0), 12), EVERYONE]
    for name, unit in itertools.product((COUNT, SUM, MEAN, VARIANCE, HISTOGRAM), units):
        for noisy in many(name, unit)[:20]:
            shown = statistics.value(name, noisy, unit)
            np.testing.assert_array_equal(
                statistics.interval(name, noisy, unit, reach=0), np.stack([shown, shown], -1)
            )
