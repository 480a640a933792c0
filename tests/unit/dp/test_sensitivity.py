"""Sensitivities against brute force: every pair of contributions of small cases, and random ones of larger.

Each must never be smaller than the truth. All are attained, with two exceptions that the tests pin down: gaze
maps changed in place with r = 2q + 1 cells and a rest s > 0, where one cell is shared (science.md 2.3); and the L1
sensitivity of clipped coefficients, which a point of integers attains only where √K divides the radius.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from synthrelease.dp.guarantee import Neighbours
from synthrelease.dp.rounding import root_up
from synthrelease.dp.sensitivity import (
    Sensitivity,
    boxed_series,
    clipped_coefficients,
    gaze_maps,
    joint_counts,
    quantile_utility,
    shares,
)
from synthrelease.kinds.records.fit import weighted_counts
from synthrelease.kinds.statistics.sensitivity import sensitivity
from synthrelease.numerics.statistics import (
    COUNT,
    HISTOGRAM,
    MEAN,
    PERSON_STEPS,
    SUM,
    VARIANCE,
    StatisticUnit,
    sum_step,
    to_sum_steps,
)
from synthrelease.numerics.steps import HALF_RANGE

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    Points = NDArray[np.int64]

REPLACE, ADD_REMOVE = Neighbours.REPLACE_ONE, Neighbours.ADD_REMOVE_ONE
relations = pytest.mark.parametrize("neighbours", list(Neighbours))


def farthest(points: Points, neighbours: Neighbours) -> Sensitivity:
    """The truth: the largest L1 and squared L2 distance between two contributions, or of one from none.

    Distances are convex, so that extreme points are enough where all points are too many.
    """
    others = np.zeros_like(points[:1]) if neighbours is ADD_REMOVE else points
    l1 = l2_squared = 0
    for other in others:
        moved = np.abs(points - other)
        l1 = max(l1, int(moved.sum(axis=1).max()))
        l2_squared = max(l2_squared, int((moved * moved).sum(axis=1).max()))
    return Sensitivity(l1, l2_squared)


def side_by_side(*parts: Sequence[Sequence[int]]) -> Points:
    """Every combination of a point of each part, one after the other in one vector."""
    return np.array([list(itertools.chain(*choice)) for choice in itertools.product(*parts)], dtype=np.int64)


# --- gaze maps


@cache
def maps(cells: int, cap: int, max_samples: int | None) -> list[tuple[int, ...]]:
    """Every map of counts 0…m with a total of at most T."""
    every = itertools.product(range(cap + 1), repeat=cells)
    return [counts for counts in every if max_samples is None or sum(counts) <= max_samples]


def stacked(one: list[tuple[int, ...]], stimuli: int, seen: tuple[int, ...]) -> Points:
    """Every contribution of a person who was shown the stimuli `seen`."""
    nothing = [(0,) * len(one[0])]
    return side_by_side(*[one if stimulus in seen else nothing for stimulus in range(stimuli)])


def all_pairs(
    one: list[tuple[int, ...]], *, stimuli: int, max_stimuli: int, public: bool, neighbours: Neighbours
) -> Sensitivity:
    """The truth by comparing all stacked maps: those of one assignment, or of any two."""
    public = public and max_stimuli >= stimuli  # otherwise a person's label decides on which they count
    assignments = list(itertools.combinations(range(stimuli), min(max_stimuli, stimuli)))
    groups = [stacked(one, stimuli, seen) for seen in assignments]
    if not public:
        groups = [np.unique(np.concatenate(groups), axis=0)]
    found = [farthest(group, neighbours) for group in groups]
    return Sensitivity(max(f.l1 for f in found), max(f.l2_squared for f in found))


def by_stimulus(
    one: list[tuple[int, ...]], *, stimuli: int, max_stimuli: int, public: bool, neighbours: Neighbours
) -> Sensitivity:
    """The same truth with less work: distances of stacked maps are sums over the stimuli."""
    in_place = farthest(np.array(one), REPLACE)
    alone = farthest(np.array(one), ADD_REMOVE)
    public = public and max_stimuli >= stimuli  # otherwise a person's label decides on which they count
    assignments = list(itertools.combinations(range(stimuli), min(max_stimuli, stimuli)))
    l1 = l2_squared = 0
    for before in assignments:
        after: Iterable[tuple[int, ...]] = [before] if public else assignments
        if neighbours is ADD_REMOVE:
            after = [()]
        for now in after:
            both, either = len(set(before) & set(now)), len(set(before) ^ set(now))
            l1 = max(l1, both * in_place.l1 + either * alone.l1)
            l2_squared = max(l2_squared, both * in_place.l2_squared + either * alone.l2_squared)
    return Sensitivity(l1, l2_squared)


def one_cell_is_shared(cells: int, cap: int, max_samples: int | None) -> bool:
    """The case of science.md 2.3 that is not tight: r = 2q + 1, s > 0."""
    if max_samples is None:
        return False
    q, s = divmod(max_samples, cap)
    return cells == 2 * q + 1 and s > 0


def check_gaze_maps(truth: Sensitivity, *, shared: bool, **parameters: Any) -> None:
    stated = gaze_maps(**parameters)
    assert stated.l1 >= truth.l1, parameters
    assert stated.l2_squared >= truth.l2_squared, parameters
    if not shared:
        assert stated == truth, parameters


@relations
@pytest.mark.parametrize("public", [True, False])
@pytest.mark.parametrize(("stimuli", "most_cells"), [(1, 4), (2, 2), (3, 1)])
def test_gaze_maps_against_every_pair_of_stacked_maps(
    stimuli: int, most_cells: int, *, public: bool, neighbours: Neighbours
) -> None:
    for cells, cap, max_samples, max_stimuli in itertools.product(
        range(1, most_cells + 1), (1, 2), (1, 2, 3, None), range(1, stimuli + 1)
    ):
        one = maps(cells, cap, max_samples)
        split = {
            "stimuli": stimuli,
            "max_stimuli": max_stimuli,
            "neighbours": neighbours,
        }
        truth = all_pairs(one, public=public, **split)
        assert truth == by_stimulus(one, public=public, **split)
        in_place = neighbours is REPLACE and (2 * max_stimuli > stimuli)
        check_gaze_maps(
            truth,
            shared=in_place and one_cell_is_shared(cells, cap, max_samples),
            cells=cells,
            cap=cap,
            max_samples=max_samples,
            assignment_public=public,
            **split,
        )


@relations
@pytest.mark.parametrize("public", [True, False])
@pytest.mark.parametrize("stimuli", [1, 2, 3, 4])
def test_gaze_maps_against_every_pair_of_maps_of_up_to_four_cells(
    stimuli: int, *, public: bool, neighbours: Neighbours
) -> None:
    for cells, cap, max_samples, max_stimuli in itertools.product(
        range(1, 5), (1, 2), (0, 1, 2, 3, None), range(1, stimuli + 2)
    ):
        split = {"stimuli": stimuli, "max_stimuli": max_stimuli, "neighbours": neighbours}
        in_place = neighbours is REPLACE and (2 * max_stimuli > stimuli)
        check_gaze_maps(
            by_stimulus(maps(cells, cap, max_samples), public=public, **split),
            shared=in_place and one_cell_is_shared(cells, cap, max_samples),
            cells=cells,
            cap=cap,
            max_samples=max_samples,
            assignment_public=public,
            **split,
        )


@relations
def test_gaze_maps_with_larger_counts_and_totals(neighbours: Neighbours) -> None:
    """One stimulus, m up to 5, T up to beyond mr: every case with r = 2, and of r = 3 up to m = 4."""
    for cells, largest in ((1, 6), (2, 5), (3, 4)):
        for cap in range(1, largest + 1):
            for max_samples in range(cap * cells + 2):
                check_gaze_maps(
                    farthest(np.array(maps(cells, cap, max_samples)), neighbours),
                    shared=neighbours is REPLACE and one_cell_is_shared(cells, cap, max_samples),
                    cells=cells,
                    cap=cap,
                    max_samples=max_samples,
                    stimuli=1,
                    max_stimuli=1,
                    assignment_public=True,
                    neighbours=neighbours,
                )


def test_gaze_maps_where_one_cell_is_shared_the_bound_is_above_the_truth() -> None:
    """r = 3, m = 2, T = 3: (2, 1, 0) and (0, 0, 2) move 5 in L1 and 9 in squared L2; the bound says 6 and 10."""
    assert one_cell_is_shared(3, 2, 3)
    assert farthest(np.array(maps(3, 2, 3)), REPLACE) == Sensitivity(5, 9)
    stated = gaze_maps(
        cells=3, cap=2, max_samples=3, stimuli=1, max_stimuli=1, assignment_public=True, neighbours=REPLACE
    )
    assert stated == Sensitivity(6, 10)


@pytest.mark.parametrize(
    ("max_stimuli", "public", "neighbours", "l1", "l2_squared"),
    [
        (1, True, REPLACE, 24, 48),
        (1, False, REPLACE, 24, 48),
        (4, False, REPLACE, 96, 192),
        (5, False, REPLACE, 120, 240),
        (5, True, REPLACE, 120, 240),
        (9, True, REPLACE, 120, 240),
        (1, True, ADD_REMOVE, 12, 24),
        (5, True, ADD_REMOVE, 60, 120),
    ],
)
def test_gaze_maps_on_five_stimuli(
    max_stimuli: int, neighbours: Neighbours, l1: int, l2_squared: int, *, public: bool
) -> None:
    """m = 2, T = 12 on a large map: 12 and 6·2² = 24 per map, doubled in place or apart."""
    assert gaze_maps(
        cells=192,
        cap=2,
        max_samples=12,
        stimuli=5,
        max_stimuli=max_stimuli,
        assignment_public=public,
        neighbours=neighbours,
    ) == Sensitivity(l1, l2_squared)


@pytest.mark.parametrize(("max_stimuli", "l1", "l2_squared"), [(1, 20, 40), (2, 40, 80), (3, 40, 80)])
def test_an_assignment_that_is_not_public_lets_whole_maps_come_and_go(
    max_stimuli: int, l1: int, l2_squared: int
) -> None:
    """T = ∞, m = 2, r = 5, S = 4: a map moves 10 and 20, whether in place or away; of 3 maps 2 must stay."""
    fixed = {"cells": 5, "cap": 2, "max_samples": None, "stimuli": 4, "neighbours": REPLACE}
    moving = gaze_maps(max_stimuli=max_stimuli, assignment_public=False, **fixed)
    assert moving == Sensitivity(l1, l2_squared)
    # A public assignment fixes the maps only of who counts on all of them.
    assert gaze_maps(max_stimuli=max_stimuli, assignment_public=True, **fixed) == moving
    assert gaze_maps(max_stimuli=4, assignment_public=True, **fixed) == Sensitivity(40, 80)


# --- series and coefficients


@relations
def test_boxed_series_against_every_pair(neighbours: Neighbours) -> None:
    for steps, bound in itertools.product((1, 2, 3), (1, 2)):
        points = side_by_side(*[[(x,) for x in range(-bound, bound + 1)]] * steps)
        assert boxed_series(steps=steps, bound=bound, neighbours=neighbours) == farthest(points, neighbours)


def test_boxed_series_of_a_real_size() -> None:
    series = boxed_series(steps=130, bound=2**15, neighbours=REPLACE)
    assert series == Sensitivity(130 * 2**16, 130 * 2**32)
    assert boxed_series(steps=130, bound=2**15, neighbours=ADD_REMOVE) == Sensitivity(
        130 * 2**15, 130 * 2**30
    )


@relations
@pytest.mark.parametrize("count", [1, 2, 3])
def test_clipped_coefficients_against_every_pair_of_points_of_the_ball(
    count: int, neighbours: Neighbours
) -> None:
    for radius in range(1, 6 if count < 3 else 5):
        ball = side_by_side(*[[(x,) for x in range(-radius, radius + 1)]] * count)
        truth = farthest(ball[(ball * ball).sum(axis=1) <= radius * radius], neighbours)
        stated = clipped_coefficients(count=count, radius=radius, neighbours=neighbours)
        assert stated.l2_squared == truth.l2_squared  # ±C on one axis
        assert stated.l1 >= truth.l1
        if count == 1:
            assert stated.l1 == truth.l1


@relations
@pytest.mark.parametrize("root", [1, 2, 3, 7, 12])
def test_clipped_coefficients_are_attained_where_the_root_of_k_divides_the_radius(
    root: int, neighbours: Neighbours
) -> None:
    count, radius = root * root, 5 * root
    corner = np.full(count, 5)
    assert (corner * corner).sum() == radius * radius
    moved = corner - (-corner if neighbours is REPLACE else 0 * corner)
    stated = clipped_coefficients(count=count, radius=radius, neighbours=neighbours)
    assert stated == Sensitivity(int(np.abs(moved).sum()), int((moved * moved).sum()))


@relations
@pytest.mark.parametrize("count", [2, 5, 17, 64])
def test_clipped_coefficients_against_random_points_and_their_opposites(
    count: int, neighbours: Neighbours
) -> None:
    rng = np.random.default_rng(count)
    radius = 1000
    directions = rng.normal(size=(400, count)) * rng.choice([0, 1], (400, count), p=[0.2, 0.8])
    directions[:100] = np.sign(directions[:100] + 1e-9)  # towards the corners, where L1 is largest
    norms = np.linalg.norm(directions, axis=1, keepdims=True)
    points = np.trunc(radius * directions / np.maximum(norms, 1e-9)).astype(np.int64)
    assert ((points * points).sum(axis=1) <= radius * radius).all()
    stated = clipped_coefficients(count=count, radius=radius, neighbours=neighbours)
    moved = points if neighbours is ADD_REMOVE else 2 * points
    assert np.abs(moved).sum(axis=1).max() <= stated.l1
    assert np.abs(moved).sum(axis=1).max() > stated.l1 * (1 - 2 * math.sqrt(count) / radius)
    assert (moved * moved).sum(axis=1).max() <= stated.l2_squared


@given(st.integers(1, 10**4), st.integers(1, 2**40), st.sampled_from(Neighbours))
def test_the_l1_sensitivity_of_coefficients_is_the_floor_of_root_k_times_l2(
    count: int, radius: int, neighbours: Neighbours
) -> None:
    stated = clipped_coefficients(count=count, radius=radius, neighbours=neighbours)
    assert stated.l2_squared == (radius if neighbours is ADD_REMOVE else 2 * radius) ** 2
    assert stated.l1**2 <= count * stated.l2_squared < (stated.l1 + 1) ** 2


# --- shares, marginals, statistics


@relations
@pytest.mark.parametrize("bins", [2, 3, 4])
@pytest.mark.parametrize("total", [1, 2, 3, 4])
def test_shares_against_every_pair_of_histograms(bins: int, total: int, neighbours: Neighbours) -> None:
    every = np.array(list(itertools.product(range(total + 1), repeat=bins)))
    histograms = every[every.sum(axis=1) <= total]
    assert shares(total=total, neighbours=neighbours) == farthest(histograms, neighbours)


H = HALF_RANGE


ONE_SIDED, TWO_SIDED, BELOW = (10.0, 40.0), (-1.0, 3.0), (-8.0, -2.0)


def statistics(
    names: Sequence[str],
    *,
    bounds: Sequence[tuple[float, float]],
    neighbours: Neighbours,
    groups: int | None = None,
    max_groups: int = 1,
    everyone: bool = False,
) -> Sensitivity:
    """The stated sensitivity of statistics of nine people, whose number is public under replace-one."""
    people = 9 if neighbours is REPLACE else None
    units = [StatisticUnit(interval, people, groups is not None, everyone) for interval in bounds]
    return sensitivity(names, units=units, neighbours=neighbours, groups=groups, max_groups=max_groups)


Corners = dict[str, list[tuple[int, ...]]]


def corners(bounds: tuple[float, float], *, quotient: bool, bins: int = 2) -> Corners:
    """The extreme contributions of a person to a statistic of one feature; the first is of no values."""
    low, high = (math.trunc(Fraction(b) / Fraction(sum_step(bounds))) for b in bounds)
    return {
        COUNT: [(0,), (2 * H,)],
        SUM: [(0,), (low,), (high,)],
        MEAN: [(0, 0), (-H, H), (H, H)] if quotient else [(0,), (-H,), (H,)],
        HISTOGRAM: [(0,) * bins, *(tuple(H * (b == own) for b in range(bins)) for own in range(bins))],
    }


def cell_of(names: Sequence[str], bounds: tuple[float, float], *, quotient: bool) -> tuple[Points, Points]:
    """Contributions without and with a value: who has one has it in every statistic."""
    corner = corners(bounds, quotient=quotient)
    absent = side_by_side(*[corner[name][:1] for name in names])
    return absent, side_by_side(*[corner[name][1:] for name in names])


@relations
@pytest.mark.parametrize("features", [[TWO_SIDED], [ONE_SIDED, BELOW]], ids=str)
@pytest.mark.parametrize(
    "names", [n for size in (1, 2, 3) for n in itertools.combinations((COUNT, SUM, MEAN, HISTOGRAM), size)]
)
def test_statistics_against_every_pair_of_extreme_people(
    names: tuple[str, ...], features: list[tuple[float, float]], neighbours: Neighbours
) -> None:
    cells = [cell_of(names, bounds, quotient=neighbours is ADD_REMOVE) for bounds in features]
    people = side_by_side(*[[*absent, *present] for absent, present in cells])
    assert statistics(names, bounds=features, neighbours=neighbours) == farthest(people, neighbours)


@relations
@pytest.mark.parametrize("bounds", [ONE_SIDED, TWO_SIDED, BELOW], ids=str)
@pytest.mark.parametrize(("most", "groups"), [(1, 1), (1, 2), (1, 3), (2, 2), (2, 3), (3, 3), (7, 2)])
@pytest.mark.parametrize(
    "names", [(COUNT,), (SUM,), (MEAN,), (HISTOGRAM,), (COUNT, MEAN), (COUNT, SUM)], ids=str
)
def test_statistics_in_groups_against_every_pair_of_extreme_people(
    names: tuple[str, ...], most: int, groups: int, bounds: tuple[float, float], neighbours: Neighbours
) -> None:
    """A person has values in at most M of G groups: whoever changes groups moves two cells."""
    absent, present = cell_of(names, bounds, quotient=True)
    people = [
        side_by_side(*[present if here else absent for here in there])
        for there in itertools.product([False, True], repeat=groups)
        if sum(there) <= most
    ]
    truth = farthest(np.concatenate(people), neighbours)
    found = statistics(names, bounds=[bounds], neighbours=neighbours, groups=groups, max_groups=most)
    assert found == truth


@pytest.mark.parametrize("bounds", [ONE_SIDED, TWO_SIDED, BELOW], ids=str)
@pytest.mark.parametrize("groups", [1, 2, 3])
@pytest.mark.parametrize("names", [(MEAN,), (HISTOGRAM,), (COUNT, MEAN), (SUM, MEAN)], ids=str)
def test_where_everyone_is_declared_to_be_in_every_group_anyone_may_lack_some(
    names: tuple[str, ...], groups: int, bounds: tuple[float, float]
) -> None:
    """The declaration takes the weight from means, and is trusted in nothing else."""
    absent, present = cell_of(names, bounds, quotient=False)
    people = side_by_side(*[[*absent, *present] for _ in range(groups)])
    declared = {"groups": groups, "max_groups": groups, "everyone": True}
    assert statistics(names, bounds=[bounds], neighbours=REPLACE, **declared) == farthest(people, REPLACE)


def moments() -> Points:
    """Of every mean between the bounds, what a variance adds up; rounded as it is there."""
    mean = np.arange(-H, H + 1)
    squared = np.array([math.floor(Fraction(2 * m * m, H) + Fraction(1, 2)) - H for m in mean.tolist()])
    return np.stack([mean, np.full_like(mean, H), squared], axis=1)


@pytest.mark.thorough
def test_the_moments_of_a_variance_against_all_people() -> None:
    """Against the ends of the bounds and random others: distances grow with |m − m′| and |m + m′|."""
    every = moments()
    assert np.abs(every).max() == H
    chosen = np.random.default_rng(0).integers(0, len(every), 300)
    ends = farthest_from(np.concatenate([every[:20], every[-20:], every[chosen]]), every)
    stated = statistics([VARIANCE], bounds=[TWO_SIDED], neighbours=REPLACE)
    assert stated.l1 == ends.l1 == 25 * H // 8
    assert ends.l2_squared <= stated.l2_squared <= ends.l2_squared * (1 + 2e-5)
    alone = statistics([VARIANCE], bounds=[TWO_SIDED], neighbours=ADD_REMOVE)
    assert alone == farthest(every, ADD_REMOVE) == Sensitivity(3 * H, 3 * H * H)


def test_the_moments_of_a_variance_of_everyone_against_all_people_and_no_one() -> None:
    """Mean and square from 0 at the centre: where those without a value are, too."""
    counted = moments()
    every = np.concatenate([[[0, 0]], np.stack([counted[:, 0], counted[:, 2] + H], axis=1)])
    assert (every[:, 1] >= 0).all()
    assert every[1 + H].tolist() == [0, 0]
    chosen = np.random.default_rng(0).integers(0, len(every), 300)
    ends = farthest_from(np.concatenate([every[:20], every[-20:], every[chosen]]), every)
    declared = {"neighbours": REPLACE, "groups": 2, "max_groups": 2, "everyone": True}
    stated = statistics([VARIANCE], bounds=[TWO_SIDED], **declared)
    assert stated.l1 == 2 * ends.l1 == 2 * 25 * H // 8
    assert 2 * ends.l2_squared <= stated.l2_squared <= 2 * ends.l2_squared * (1 + 2e-5)


def farthest_from(some: Points, every: Points) -> Sensitivity:
    """The largest distances of any of some points from any of all."""
    l1 = l2_squared = 0
    for one in some:
        moved = np.abs(every - one)
        l1 = max(l1, int(moved.sum(axis=1).max()))
        l2_squared = max(l2_squared, int((moved * moved).sum(axis=1).max()))
    return Sensitivity(l1, l2_squared)


@pytest.mark.parametrize(("most", "groups"), [(1, 2), (2, 3), (3, 3)])
def test_a_variance_in_groups(most: int, groups: int) -> None:
    found = statistics([VARIANCE], bounds=[TWO_SIDED], neighbours=REPLACE, groups=groups, max_groups=most)
    stay = 2 * most - groups if most < groups else most
    assert found.l1 == max(most * 25 * H // 8, stay * 25 * H // 8 + 2 * (most - stay) * 3 * H)
    in_place = statistics([VARIANCE], bounds=[TWO_SIDED], neighbours=REPLACE).l2_squared
    assert found.l2_squared == max(most * in_place, stay * in_place + 2 * (most - stay) * 3 * H * H)


@given(
    low=st.floats(-1e6, 1e6),
    width=st.floats(1e-3, 1e6),
    values=st.lists(st.floats(-0.5, 1.5), min_size=2, max_size=9),
)
def test_no_two_values_are_further_apart_in_a_sum_than_stated(
    low: float, width: float, values: list[float]
) -> None:
    bounds = (low, low + width)
    steps = to_sum_steps(np.array([low + u * width for u in values]), bounds)
    apart = statistics([SUM], bounds=[bounds], neighbours=REPLACE)
    alone = statistics([SUM], bounds=[bounds], neighbours=ADD_REMOVE)
    assert max(int(np.ptp(steps)), int(np.abs(steps).max())) <= apart.l1 <= PERSON_STEPS
    assert int(np.abs(steps).max()) <= alone.l1 <= PERSON_STEPS


@relations
def test_one_statistic_alone_weighs_much_the_same_in_l1(neighbours: Neighbours) -> None:
    """So that one scale spends the budget in much the same parts."""
    assert PERSON_STEPS == 2 * H == 65536
    weighs = {COUNT: 2.0, SUM: 2.0, MEAN: 2.0, HISTOGRAM: 2.0, VARIANCE: 25 / 8}
    if neighbours is ADD_REMOVE:
        weighs |= {HISTOGRAM: 1.0, VARIANCE: 3.0}
    for name, times in weighs.items():
        found = statistics([name], bounds=[ONE_SIDED] * 3, neighbours=neighbours)
        assert found.l1 == 3 * times * H


@pytest.mark.parametrize("name", ["median", "", "Mean", "minimum", "quantile:0.5"])
@relations
def test_another_statistic_is_refused(name: str, neighbours: Neighbours) -> None:
    with pytest.raises(KeyError, match=repr(name)):
        statistics([COUNT, name], bounds=[ONE_SIDED], neighbours=neighbours)


# --- quantiles: the utility −max(0, b·below − a·n, b·above − (b − a)·n) of an interval, from the numbers of people


@pytest.mark.parametrize("p", ["0.5", "0.05", "0.25", "0.9", "0.333"])
def test_the_utility_of_a_quantile_against_all_small_datasets(p: str) -> None:
    a, b = Fraction(p).as_integer_ratio()

    def utility(below: int, inside: int, above: int) -> int:
        n = below + inside + above
        return -max(0, b * below - a * n, b * above - (b - a) * n)

    come, go = 0, 0
    unit = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
    for before in itertools.product(range(7), repeat=3):
        after = [utility(*(x + y for x, y in zip(before, one, strict=True))) for one in unit]
        come = max(come, *(abs(u - utility(*before)) for u in after))
        go = max(go, max(after) - min(after))
    assert quantile_utility(Fraction(p), moving=False, neighbours=ADD_REMOVE) == come == max(a, b - a)
    assert quantile_utility(Fraction(p), moving=True, neighbours=ADD_REMOVE) == come
    assert quantile_utility(Fraction(p), moving=False, neighbours=REPLACE) == max(come, go) == b
    assert quantile_utility(Fraction(p), moving=True, neighbours=REPLACE) == max(b, 2 * come)


@relations
@pytest.mark.parametrize("sets", [1, 2, 3])
def test_joint_counts_against_every_pair_of_extreme_people(sets: int, neighbours: Neighbours) -> None:
    """A person divides H shares among the cells of each set; whoever has no complete row weighs nothing."""
    people = side_by_side(*[corners(TWO_SIDED, quotient=False, bins=3)[HISTOGRAM]] * sets)
    assert joint_counts(sets=sets, neighbours=neighbours) == farthest(people, neighbours)


@relations
def test_joint_counts_against_people_with_real_rows_in_real_sets(neighbours: Neighbours) -> None:
    """No two people with up to three rows of three attributes are further apart, and some are as far."""
    sizes, subsets = (2, 2, 1), [(0, 1), (0, 2), (1, 2)]
    people = []
    for number in range(4):
        for rows in itertools.combinations_with_replacement(itertools.product(*map(range, sizes)), number):
            records = np.array(rows, dtype=np.int64).reshape(-1, 3)
            counts = weighted_counts(records, np.zeros(number, dtype=np.int64), sizes, subsets)
            people.append(np.concatenate([counts[subset].ravel() for subset in subsets]))
    assert joint_counts(sets=3, neighbours=neighbours) == farthest(np.array(people), neighbours)


# --- composition of vectors, and the root


sensitivities = st.builds(Sensitivity, st.integers(0, 2**50), st.integers(0, 2**70))


@given(sensitivities, sensitivities, st.integers(0, 50))
def test_side_by_side_both_norms_add_up(one: Sensitivity, other: Sensitivity, count: int) -> None:
    assert one.plus(other) == Sensitivity(one.l1 + other.l1, one.l2_squared + other.l2_squared)
    total = Sensitivity(0, 0)
    for _ in range(count):
        total = total.plus(one)
    assert one.times(count) == total
    assert one.l2 == root_up(one.l2_squared)


def test_every_sensitivity_needs_its_relation() -> None:
    for function in (boxed_series, clipped_coefficients, shares, joint_counts, statistics, gaze_maps):
        assert function.__kwdefaults__ is None or "neighbours" not in function.__kwdefaults__
