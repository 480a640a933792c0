"""What trials are measured to, against the definition, person by person and stimulus by stimulus."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import made
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiers import few

from synthrelease.data.area_shapes import RECTANGLE
from synthrelease.data.areas import Area, PlacedAreas
from synthrelease.data.gaze import GazeData
from synthrelease.data.screen import Screen
from synthrelease.dp.budget import Budget
from synthrelease.dp.guarantee import Neighbours
from synthrelease.kinds.counted_rows import counting_pairs
from synthrelease.kinds.parameters import Feature
from synthrelease.kinds.public_area import PublicArea
from synthrelease.kinds.statistics.fixations import Trials
from synthrelease.kinds.statistics.public_fixations import FIXATION_COUNT, FIXATION_DURATION, TOTAL_DURATION

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from synthrelease.kinds.statistics.fixations import FixationStatistics

SCREEN = Screen(100, 100)
STIMULI = ("sea", "wood", "town")
MEASURES = {FIXATION_COUNT: (0.0, 20.0), FIXATION_DURATION: (0.0, 500.0), TOTAL_DURATION: (0.0, 3000.0)}
SIDES = PlacedAreas(
    (
        Area("left", RECTANGLE, ((0.0, 0.0), (40.0, 100.0))),
        Area("middle", RECTANGLE, ((30.0, 0.0), (70.0, 100.0))),
    )
)
MS = 1_000_000  # steps of a duration in its unit

Row = tuple[int, int, float, float]  # person, stimulus, x, duration in ms


def gaze_of(rows: Sequence[Row], people: int, *, seen: Sequence[tuple[int, int]] = ()) -> GazeData:
    """Rows as they stand, and pairs of people and stimuli that have rows without a position."""
    person, stimulus, x, duration = np.array(rows, dtype=np.float64).reshape(-1, 4).T
    assigned = np.zeros((people, len(STIMULI)), dtype=np.bool_)
    pairs = [*zip(person.astype(int), stimulus.astype(int), strict=True), *seen]
    for who, what in pairs:
        assigned[who, what] = True
    return GazeData(
        SCREEN,
        STIMULI,
        people,
        assigned,
        person.astype(np.int64),
        stimulus.astype(np.int64),
        x,
        np.full(x.size, 50.0),
        duration=np.rint(duration * MS).astype(np.int64),
        identities=tuple(f"p{i}" for i in range(people)),
    )


def some_gaze(people: int = 30, seed: int = 0) -> GazeData:
    """People who saw some of the stimuli; some rows have no duration, some trials no fixation."""
    rng = np.random.default_rng(seed)
    rows, seen = [], []
    for person, stimulus in itertools.product(range(people), range(3)):
        if rng.random() < 0.7:
            seen.append((person, stimulus))
            for _ in range(int(rng.integers(0, 12))):
                duration = 0.0 if rng.random() < 0.2 else round(float(rng.gamma(4, 60)), 3)
                rows.append((person, stimulus, float(rng.uniform(0, 100)), duration))
    rng.shuffle(rows)
    return gaze_of(rows, people, seen=seen)


def statistics(
    *names: str, areas: PlacedAreas | None = None, most: int = 3, **changes: Any
) -> FixationStatistics:
    wanted = {"stimuli": STIMULI, "max_stimuli": most, "people": 30, "screen": SCREEN, "areas": areas}
    return made.fixations(names, MEASURES, **{**wanted, **changes})


def durations(gaze: GazeData, person: int, stimulus: int, area: str | None) -> list[int]:
    """Those of the fixations of a trial, in steps."""
    assert gaze.duration is not None
    rows = (gaze.person == person) & (gaze.stimulus == stimulus) & (gaze.duration > 0)
    if area is not None:
        rows &= (gaze.x_px < 40) if area == "left" else (gaze.x_px >= 40) & (gaze.x_px < 70)
    return [int(d) for d in gaze.duration[rows]]


def measured(fixations: list[int], measure: str) -> float:
    """A measure of a trial by its definition, NaN for the mean of nothing."""
    if measure == FIXATION_COUNT:
        return float(len(fixations))
    total = Fraction(sum(fixations), MS)
    if measure == TOTAL_DURATION:
        return float(total)
    return float(total / len(fixations)) if fixations else math.nan


def pairs_of(counting: NDArray[np.bool_]) -> Iterator[tuple[int, int]]:
    return ((int(p), int(s)) for p, s in zip(*np.nonzero(counting), strict=True))


@pytest.mark.parametrize("areas", [None, SIDES], ids=["screen", "areas"])
@pytest.mark.parametrize("most", [1, 2, 3])
def test_a_trial_is_measured_by_its_definition(areas: PlacedAreas | None, most: int) -> None:
    gaze = some_gaze()
    table = statistics("mean", areas=areas, most=most).table(gaze)
    counting = list(pairs_of(counting_pairs(gaze, most)))
    assert list(zip(table.person.tolist(), table.labels[:, 0].tolist(), strict=True)) == counting
    places = [None] if areas is None else ["left", "middle"]
    expected = {
        (measure if area is None else f"{measure} in {area}"): [
            measured(durations(gaze, person, stimulus, area), measure) for person, stimulus in counting
        ]
        for measure in MEASURES
        for area in places
    }
    assert table.features == tuple(expected)
    for f, (name, values) in enumerate(expected.items()):
        low, high = MEASURES[name.split(" in ")[0]]
        np.testing.assert_allclose(table.values[:, f], np.clip(values, low, high), rtol=1e-15)
    assert 0 in table.values[:, 0]
    assert np.isnan(table.values).any()


def test_who_saw_a_stimulus_and_fixated_nothing_has_the_count_0_and_who_did_not_see_it_has_none() -> None:
    gaze = gaze_of([(0, 0, 10.0, 200.0), (1, 1, 10.0, 0.0)], 3, seen=[(2, 2)])
    table = statistics("mean", people=3).table(gaze)
    assert table.person.tolist() == [0, 1, 2]
    assert table.labels[:, 0].tolist() == [0, 1, 2]
    assert table.values.tolist()[0] == [1.0, 200.0, 200.0]
    assert np.isnan(table.values[1:, 1]).all()
    assert table.values[1:, [0, 2]].tolist() == [[0.0, 0.0], [0.0, 0.0]]
    assert table.people == 3


def test_without_groups_a_person_is_the_mean_of_their_trials() -> None:
    rows = [(0, 0, 10.0, 100.0), (0, 1, 10.0, 300.0), (0, 1, 10.0, 500.0), (1, 2, 10.0, 50.0)]
    mechanism = made.fixations(
        ["mean"], {FIXATION_COUNT: (0, 4), FIXATION_DURATION: (0, 400)}, stimuli=STIMULI, by=False, people=2
    )
    noisy = mechanism.collect(gaze_of(rows, 2))["mean/noisy"]
    # of 4: (1 + 2)/2 and 1, the centre is 2; of 400 ms: (100 + 400)/2 and 50, the centre is 200
    assert noisy[:, 0].tolist() == [-(2**15) // 4 - 2**15 // 2, 2**15 // 4 - 3 * 2**15 // 4]


def test_what_counts_of_too_many_stimuli_does_not_depend_on_where_people_looked() -> None:
    gaze = some_gaze()
    before = statistics("mean", most=1).table(gaze)
    for changed in (
        replace(gaze, duration=np.zeros_like(gaze.duration)),
        replace(gaze, x_px=100 - gaze.x_px, duration=gaze.duration[::-1]),
    ):
        after = statistics("mean", most=1).table(changed)
        assert after.person.tolist() == before.person.tolist()
        assert after.labels.tolist() == before.labels.tolist()


def test_rows_in_another_order_are_the_same_trials() -> None:
    gaze = some_gaze()
    assert gaze.duration is not None
    order = np.random.default_rng(1).permutation(gaze.person.size)
    turned = replace(
        gaze,
        person=gaze.person[order],
        stimulus=gaze.stimulus[order],
        x_px=gaze.x_px[order],
        y_px=gaze.y_px[order],
        duration=gaze.duration[order],
    )
    for areas in (None, SIDES):
        mechanism = statistics("mean", "histogram", areas=areas)
        one, other = mechanism.collect(gaze), mechanism.collect(turned)
        for name in ("mean/noisy", "histogram/noisy"):
            np.testing.assert_array_equal(one[name], other[name])


def test_no_fixation_is_of_no_use() -> None:
    gaze = gaze_of([(0, 0, 10.0, 0.0)], 1)
    assert sum(statistics("mean", people=1).measured(gaze).values()) == 0
    assert sum(statistics("mean").measured(some_gaze()).values()) == (some_gaze().duration > 0).sum()


def test_trials_of_no_one_have_the_shape_of_those_of_anyone() -> None:
    empty = gaze_of([], 0)
    assert Trials.of(empty, empty.assigned, SIDES).count.shape == (0, 2)
    for areas in (None, SIDES):
        mechanism = statistics("mean", "quantile:0.5", areas=areas)
        none, some = mechanism.collect(empty), mechanism.collect(some_gaze())
        assert {k: v.shape for k, v in none.arrays.items()} == {k: v.shape for k, v in some.arrays.items()}


# --- what a forged manifest may say


@pytest.mark.parametrize(
    "change",
    [
        {"groups": ("sea", "wood")},
        {"by": "mood"},
        {"name": "discrete_laplace"},
        {"name": "fixations_rounded_gaussian"},
        {"areas": None},
        {"areas": tuple(map(PublicArea.of, SIDES.areas[:1]))},
        {"areas": tuple(map(PublicArea.of, SIDES.areas[:1] * 2))},
        {"areas": (PublicArea("left", "rectangle", None, None, None),)},
        {"features": (Feature("left", 0.0, 1.0),)},
        {"features": (Feature("fixation_count in left", 0.0, 1.0),)},
    ],
    ids=str,
)
def test_parameters_that_contradict_each_other_are_faults(change: dict[str, Any]) -> None:
    mechanism = statistics("mean", areas=SIDES)
    event = mechanism.calibrate(Budget(1.0, 0.0))
    assert list(mechanism.parameters.faults(event)) == []
    forged = replace(mechanism.parameters, **change)
    assert {code for code, _ in forged.faults(event)} & {"manifest", "noise"}


@pytest.mark.parametrize(
    "change", [{"people": None}, {"max_groups_per_person": 2}, {"by": None, "groups": None}]
)
def test_a_declaration_that_cannot_be_is_a_fault(change: dict[str, Any]) -> None:
    mechanism = statistics("mean", everyone=True)
    event = mechanism.calibrate(Budget(1.0, 0.0))
    assert list(mechanism.parameters.faults(event)) == []
    forged = replace(mechanism.parameters, **change)
    assert "manifest" in {code for code, _ in forged.faults(event)}


# --- neighbours


def person_rows() -> st.SearchStrategy[list[tuple[int, float, float]]]:
    """A person's rows on any stimuli, or none; now and then far too many, all at once, or without a duration."""
    duration = st.one_of(st.sampled_from([0.0, 1e-6, 500.0, 999_999.0]), st.floats(0, 1000))
    row = st.tuples(st.integers(0, 2), st.floats(0, 100), duration)
    times = st.sampled_from([1, 1, 2, 500])
    return st.lists(st.tuples(row, times), max_size=8).map(
        lambda drawn: [row for row, many in drawn for _ in range(many)]
    )


@few
@given(
    one=person_rows(),
    other=person_rows(),
    seen=st.tuples(st.sets(st.integers(0, 2)), st.sets(st.integers(0, 2))),
    most=st.integers(1, 3),
    everyone=st.booleans(),
    in_areas=st.booleans(),
    neighbours=st.sampled_from(list(Neighbours)),
)
def test_neighbours_are_no_further_apart_than_stated(
    one: list[tuple[int, float, float]],
    other: list[tuple[int, float, float]],
    seen: tuple[set[int], set[int]],
    most: int,
    neighbours: Neighbours,
    *,
    everyone: bool,
    in_areas: bool,
) -> None:
    """Participants who lack a stimulus, have rows without any fixation, or thousands; declared to be everywhere or not."""
    replaced = neighbours is Neighbours.REPLACE_ONE
    declared = everyone and replaced
    mechanism = made.fixations(
        ("count", "sum", "mean", "variance", "histogram"),
        MEASURES,
        stimuli=STIMULI,
        max_stimuli=3 if declared else most,
        everyone=declared,
        areas=SIDES if in_areas else None,
        neighbours=neighbours,
        people=2 if replaced else None,
        screen=SCREEN,
    )
    beside = [(0, s, 20.0, 100.0 * (s + 1)) for s in range(3)]

    def exact(rows: list[tuple[int, float, float]], assigned: set[int]) -> NDArray[np.int64]:
        gaze = gaze_of([*beside, *((1, *row) for row in rows)], 2, seen=[(1, s) for s in assigned])
        return np.concatenate([a.ravel() for a in mechanism.collect(gaze).arrays.values()])

    without = np.concatenate([a.ravel() for a in mechanism.collect(gaze_of(beside, 1)).arrays.values()])
    moved = np.abs(exact(one, seen[0]) - (exact(other, seen[1]) if replaced else without))
    sensitivity = mechanism.parameters.sensitivity(neighbours)
    assert int(moved.sum()) <= sensitivity.l1
    assert int((moved * moved).sum()) <= sensitivity.l2_squared
