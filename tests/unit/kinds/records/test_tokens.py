"""Trials as records and back: tried on trials whose tokens can be seen, and on any."""

from __future__ import annotations

import deniable_study
import numpy as np
import pytest
from deniable_study import SCREEN, STIMULI, gaze
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from synthrelease.data.gaze import STEPS_PER_UNIT, GazeData
from synthrelease.kinds.records.tokens import DRAWS, Tokens
from synthrelease.kinds.records.tokens import END as END_LABEL
from synthrelease.kinds.scanpath_form import STEPS
from synthrelease.numerics.stored import stored_multiples

TOKENS = Tokens(2, 2, (100.0, 200.0, 400.0), 3)  # cells of 40 × 30 px; end is 4 of cells, 2 of durations
END, NONE = 4, 2


def coded(data: GazeData, tokens: Tokens = TOKENS) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    assert data.duration is not None
    return tokens.coded(data, data.duration / STEPS_PER_UNIT)


def test_a_trial_is_its_cells_and_its_durations_with_ends_after_the_last_fixation() -> None:
    trials: deniable_study.Trials = {
        (1, 2): [(10, 10, 150), (60, 40, 300)],
        (0, 0): [(70, 5, 250), (5, 50, 120), (5, 5, 120), (60, 50, 120)],  # the fourth does not count
    }
    codes, people = coded(gaze(trials, people=2))
    assert people.tolist() == [0, 1]
    assert codes.tolist() == [[0, 1, 2, 0, 1, 0, 0], [2, 0, 3, END, 0, 1, NONE]]


def test_durations_beyond_the_classes_are_of_the_first_and_the_last_one_and_edges_of_the_screen_of_the_last_cell() -> (
    None
):
    codes, _ = coded(gaze({(0, 0): [(0, 0, 1), (80, 60, 5000), (40, 30, 200)]}, people=1))
    assert codes.tolist() == [[0, 0, 3, 3, 0, 1, 1]]


def test_fixations_that_take_no_time_are_none() -> None:
    codes, people = coded(gaze({(0, 1): [(70, 5, 0), (5, 50, 120)], (1, 1): [(5, 5, 0)]}, people=2))
    assert codes.tolist() == [[1, 2, END, END, 0, NONE, NONE]]
    assert people.tolist() == [0]


def test_no_fixation_is_no_record() -> None:
    codes, people = coded(gaze({}, people=2))
    assert codes.shape == (0, 7)
    assert not people.size


def test_rows_of_a_trial_need_not_stand_together() -> None:
    data = gaze({(0, 0): [(10, 10, 150), (60, 40, 300)], (0, 1): [(60, 40, 300), (10, 10, 150)]}, people=1)
    mixed = [0, 2, 1, 3]
    shuffled = GazeData(
        **{
            **vars(data),
            **{
                name: getattr(data, name)[mixed]
                for name in ("person", "stimulus", "x_px", "y_px", "duration")
            },
        }
    )
    np.testing.assert_array_equal(coded(shuffled)[0], coded(data)[0])


def test_attributes_are_the_stimulus_cells_and_durations_of_which_the_first_have_no_end() -> None:
    attributes = TOKENS.attributes(STIMULI)
    names = ["stimulus", "cell_1", "cell_2", "cell_3", "duration_1", "duration_2", "duration_3"]
    assert [attribute.name for attribute in attributes] == names
    assert [attribute.categories for attribute in attributes] == [3, 4, 5, 5, 2, 3, 3]
    last = [attribute.labels[-1] for attribute in attributes if attribute.labels is not None]
    assert [label == END_LABEL for label in last] == [False, False, True, True, False, True, True]


@pytest.mark.parametrize(
    ("record", "is_one"),
    [
        ([0, 0, 1, 2, 0, 0, 0], True),
        ([0, 0, END, END, 0, NONE, NONE], True),
        ([0, 0, END, 1, 0, NONE, 1], False),
        ([0, 0, 1, END, 0, NONE, NONE], False),
        ([0, 0, END, END, 0, 1, NONE], False),
    ],
)
def test_what_is_a_sequence(record: list[int], *, is_one: bool) -> None:
    assert TOKENS.are_sequences(np.array([record])) == is_one
    assert TOKENS.are_sequences(np.array([[0, 0, 1, 2, 0, 0, 0], record])) == is_one


@given(
    seed=st.integers(0, 2**32), columns=st.integers(1, 6), rows=st.integers(1, 6), fixations=st.integers(1, 6)
)
def test_scanpaths_of_records_are_coded_as_these_records(
    seed: int, columns: int, rows: int, fixations: int
) -> None:
    tokens = Tokens(columns, rows, (10.0, 100.0, 250.0, 1000.0), fixations)
    random = np.random.default_rng(seed)
    data = gaze(deniable_study.random_trials(random, people=4, most=8), people=4)
    codes, people = coded(data, tokens)
    assert tokens.are_sequences(codes)
    values = tokens.scanpaths(codes, random.uniform(size=(len(codes), fixations, DRAWS)), SCREEN)
    np.testing.assert_array_equal(values[..., 3] > 0, codes[:, 1 : fixations + 1] < tokens.cells)
    trials = {
        (int(person), int(record[0])): [(x, y, ms) for x, y, _, ms in path if ms > 0]
        for person, record, path in zip(people, codes, values, strict=True)
    }
    again, people_again = coded(gaze(trials, people=4), tokens)
    np.testing.assert_array_equal(people_again, people)
    np.testing.assert_array_equal(again, codes)


def test_scanpaths_lie_in_their_cells_with_time_between_fixations() -> None:
    codes = np.array([[0, 1, 2, END, 1, 0, NONE]])
    for number in (0.0, 0.5, 1 - 1e-12):
        values = stored_multiples(TOKENS.scanpaths(codes, np.full((1, 3, DRAWS), number), SCREEN), STEPS)[0]
        (x, other_x), (y, other_y) = values[:2, 0], values[:2, 1]
        assert 40 <= x < 80
        assert 0 <= y <= 30
        assert 0 <= other_x <= 40
        assert 30 <= other_y < 60
        assert 200 <= values[0, 3] <= 400
        assert 100 <= values[1, 3] <= 200
        assert values[1, 2] > values[0, 3] + 21  # a saccade takes time
        assert not values[2].any()


def test_a_fixation_takes_a_millisecond_at_least() -> None:
    """A duration of 0 stands for no fixation."""
    tokens = Tokens(1, 1, (0.0, 1.0), 2)
    values = tokens.scanpaths(np.array([[0, 0, 0, 0, 0]]), np.zeros((1, 2, DRAWS)), SCREEN)
    assert values[0, :, 3].tolist() == [1.0, 1.0]
