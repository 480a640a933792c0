"""Shares of areas, against a person-by-person count in fractions that knows no array."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Hashable, Mapping
from fractions import Fraction
from typing import Any

import made
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from synthrelease.data.area_shapes import POLYGON, RECTANGLE
from synthrelease.data.areas import Area, PlacedAreas
from synthrelease.data.gaze import GazeData
from synthrelease.data.screen import Screen
from synthrelease.dp.guarantee import Neighbours
from synthrelease.dp.sensitivity import Sensitivity, area_shares

W = 32768
SCREEN = Screen(40, 30)
AREAS = PlacedAreas(
    (
        Area("left", RECTANGLE, ((0.0, 0.0), (10.0, 30.0))),
        Area("middle", POLYGON, ((10.0, 0.0), (20.0, 0.0), (20.0, 30.0), (10.0, 30.0)), stimuli=("a", "c")),
    )
)
NAMES = ("a", "b", "c")
Row = tuple[int, int, float, int]  # person, stimulus, x, duration
rows_ = st.lists(
    st.tuples(
        st.integers(0, 3),
        st.integers(0, 2),
        st.sampled_from([1.0, 12.0, 35.0]),
        st.one_of(st.integers(0, 5), st.integers(0, 10**12 - 1)),
    ),
    max_size=60,
)


def gaze(rows: list[Row], people: int = 4) -> GazeData:
    table = np.array(rows, dtype=np.float64).reshape(-1, 4)
    person, stimulus = table[:, 0].astype(np.int64), table[:, 1].astype(np.int64)
    assigned = np.zeros((people, 3), dtype=np.bool_)
    assigned[person, stimulus] = True
    duration = np.array([row[3] for row in rows], dtype=np.int64)
    y_px = np.full(len(rows), 5.0)
    return GazeData(SCREEN, NAMES, people, assigned, person, stimulus, table[:, 2], y_px, duration=duration)


def contributions(data: GazeData, **changes: Any) -> np.ndarray:
    """Sums of dwell, then of transitions row by row, shape (3, 3 + 9); or (3, 3) without transitions."""
    usual = {"areas": AREAS, "stimuli": 3, "transitions": True, "max_stimuli": 3, "people": 4}
    collected = made.areas(**{**usual, **changes}).collect(data)
    return np.concatenate([one.reshape(3, -1) for one in collected.arrays.values()], axis=1)


def area_of(stimulus: int, x: float) -> int:
    if x < 10:
        return 0
    return 1 if x < 20 and NAMES[stimulus] in "ac" else 2


def largest_remainder(weights: Mapping[Hashable, int]) -> dict[Hashable, int]:
    """W seats by Hamilton's method, ties to the earlier key."""
    total = sum(weights.values())
    quotas = {key: Fraction(W * weight, total) for key, weight in sorted(weights.items())}
    seats = {key: int(quota) for key, quota in quotas.items()}
    waiting = sorted(quotas, key=lambda key: quotas[key] - int(quotas[key]), reverse=True)
    for key in waiting[: W - sum(seats.values())]:
        seats[key] += 1
    return seats


def by_hand(rows: list[Row], weight: str) -> np.ndarray:
    """Everyone on all stimuli: dwell, then transitions, shape (3, 3 + 9)."""
    out = np.zeros((3, 12), dtype=np.int64)
    for person in range(4):
        for stimulus in range(3):
            own = [row for row in rows if row[:2] == (person, stimulus) and (weight == "samples" or row[3])]
            dwell, moves = Counter[int](), Counter[tuple[int, int]]()
            visited = [area_of(stimulus, row[2]) for row in own]
            for row, area in zip(own, visited, strict=True):
                dwell[area] += 1 if weight == "samples" else row[3]
            for one, other in itertools.pairwise(visited):
                if one != other:
                    moves[one, other] += 1
            for area, share in largest_remainder(dwell).items() if dwell else ():
                out[stimulus, area] += share
            for (one, other), share in largest_remainder(moves).items() if moves else ():
                out[stimulus, 3 + 3 * one + other] += share
    return out


@given(rows_, st.sampled_from(["samples", "duration"]))
def test_shares_are_those_counted_by_hand(rows: list[Row], weight: str) -> None:
    np.testing.assert_array_equal(contributions(gaze(rows), weight=weight), by_hand(rows, weight))
    alone = contributions(gaze(rows), weight=weight, transitions=False)
    np.testing.assert_array_equal(alone, by_hand(rows, weight)[:, :3])


def test_every_person_weighs_the_same_on_a_stimulus() -> None:
    short, long = [(0, 0, 1.0, 3)], [(1, 0, x, 9) for x in (1.0, 12.0, 35.0) * 500]
    totals = contributions(gaze(short + long))
    assert totals[0, :3].sum() == 2 * W
    assert totals[0, 3:].sum() == W  # the first never moves
    assert totals[1:].sum() == 0


def test_the_order_of_visits_counts_and_the_diagonal_is_empty() -> None:
    rows = [(0, 0, x, 1) for x in (1.0, 1.0, 12.0, 12.0, 12.0, 35.0, 35.0)]
    matrix = contributions(gaze(rows))[0, 3:].reshape(3, 3)
    assert matrix.tolist() == [[0, W // 2, 0], [0, 0, W // 2], [0, 0, 0]]
    back = contributions(gaze(rows[::-1]))[0, 3:].reshape(3, 3)
    assert back.tolist() == matrix.T.tolist()


def test_the_last_row_of_one_is_not_followed_by_the_first_of_another() -> None:
    rows = [(0, 0, 1.0, 1), (1, 0, 35.0, 1), (1, 2, 1.0, 1)]
    assert contributions(gaze(rows))[:, 3:].sum() == 0


def test_rows_of_others_may_stand_between() -> None:
    rows = [(0, 0, 1.0, 1), (1, 0, 12.0, 1), (0, 1, 35.0, 1), (0, 0, 35.0, 1)]
    matrix = contributions(gaze(rows))[0, 3:].reshape(3, 3)
    assert matrix.tolist() == [[0, 0, W], [0, 0, 0], [0, 0, 0]]


def test_rows_without_a_duration_are_no_visits_where_durations_count() -> None:
    rows = [(0, 0, 1.0, 5), (0, 0, 12.0, 0), (0, 0, 35.0, 15)]
    totals = contributions(gaze(rows), weight="duration")[0]
    assert totals[:3].tolist() == [W // 4, 0, 3 * W // 4]
    assert totals[3:].reshape(3, 3)[0, 2] == W
    assert contributions(gaze([(0, 0, 1.0, 0)]), weight="duration").sum() == 0


def test_of_many_stimuli_evenly_chosen_ones_count() -> None:
    rows = [(0, s, 1.0, 1) for s in range(3)]
    counted = [contributions(gaze(rows), max_stimuli=most)[:, 0].tolist() for most in (1, 2, 3)]
    assert [sum(c) for c in counted] == [W, 2 * W, 3 * W]


@pytest.mark.parametrize("copies", [1, 150, 3000])
def test_durations_as_long_as_can_be_do_not_overflow(copies: int) -> None:
    longest = 10**12 - 1
    rows = [(0, 0, 1.0, longest), (0, 0, 35.0, longest)] * copies + [(1, 0, 12.0, 1)]
    totals = contributions(gaze(rows), weight="duration")[0]
    assert totals[:3].tolist() == [W // 2, W, W // 2]


def test_long_and_short_durations_keep_their_ratio_however_many_there_are() -> None:
    rows = [(0, 0, 1.0, 3 * 10**11)] * 4000 + [(0, 0, 35.0, 10**11)] * 4000
    totals = contributions(gaze(rows), weight="duration")[0]
    assert totals[:3].tolist() == [3 * W // 4, 0, W // 4]


@pytest.mark.parametrize(
    ("neighbours", "transitions", "most", "l1", "l2_squared"),
    [
        (Neighbours.REPLACE_ONE, False, 1, 2 * W, 2 * W**2),
        (Neighbours.REPLACE_ONE, True, 1, 4 * W, 4 * W**2),
        (Neighbours.REPLACE_ONE, True, 5, 20 * W, 20 * W**2),
        (Neighbours.REPLACE_ONE, False, 9, 10 * W, 10 * W**2),
        (Neighbours.ADD_REMOVE_ONE, False, 1, W, W**2),
        (Neighbours.ADD_REMOVE_ONE, True, 3, 6 * W, 6 * W**2),
    ],
)
def test_the_sensitivity_is_that_of_shares_times_stimuli(
    neighbours: Neighbours,
    transitions: bool,  # noqa: FBT001
    most: int,
    l1: int,
    l2_squared: int,
) -> None:
    found = area_shares(stimuli=5, max_stimuli=most, transitions=transitions, neighbours=neighbours)
    assert found == Sensitivity(l1, l2_squared)
