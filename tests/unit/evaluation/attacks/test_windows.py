"""Rows, whose they are, and what becomes of them."""

from __future__ import annotations

import numpy as np
import pytest
from planted import planted
from refusals import bad_argument

from synthrelease.evaluation.attacks import Windows
from synthrelease.evaluation.attacks.windows import share_by_person


def rows(people, recordings):
    return Windows(np.arange(len(people), dtype=float)[:, None], np.array(people), np.array(recordings))


def test_thinned_by_hand():
    """Places are counted within each person's each recording, wherever the rows stand."""
    windows = rows([1, 2, 1, 1, 2, 1, 1], [0, 0, 0, 0, 0, 5, 0])
    assert windows.thinned(2).values.ravel().tolist() == [0, 1, 3, 5]
    assert windows.thinned(1).values.ravel().tolist() == list(range(7))
    assert windows.thinned(9).values.ravel().tolist() == [0, 1, 5]


def test_halves_by_hand():
    """Of five rows three are the first half; places are counted within each person's each recording."""
    windows = rows([1, 1, 2, 1, 1, 2, 1, 1], [0, 0, 0, 0, 0, 0, 0, 5])
    assert [half.values.ravel().tolist() for half in windows.halves()] == [[0, 1, 2, 3, 7], [4, 5, 6]]
    first, second = windows.halves(1)
    assert (first.values.ravel().tolist(), second.values.ravel().tolist()) == ([0, 1, 2, 3, 7], [6])
    with bad_argument(ValueError, (0, 1), by="windows"):
        windows.halves(2)
    with bad_argument(ValueError, "gap", -1, by="windows"):
        windows.halves(-1)


@pytest.mark.parametrize("every", range(1, 9))
@pytest.mark.parametrize("count", range(2, 40))
def test_thinned_halves_are_halves_thinned(count, every):
    """A row is in the same half whether its recording was thinned before or not."""
    whole = rows([0] * count, [0] * count)
    in_first = set(whole.halves()[0].values.ravel())
    thinned = whole.thinned(every)
    if len(thinned.values) > 1:
        first, second = thinned.halves()
        assert set(first.values.ravel()) <= in_first
        assert not in_first & set(second.values.ravel())


def test_units_by_hand():
    units = rows([4, 2, 4, 2, 4], [1, 1, 0, 1, 1]).units()
    assert units.people.tolist() == [2, 4, 4]
    assert units.unit.tolist() == [2, 0, 1, 0, 2]
    assert [own.tolist() for own in units.rows] == [[1, 3], [2], [0, 4]]


def test_a_person_counts_once_however_many_rows():
    assert share_by_person(np.array([1.0, 0, 0, 0, 1]), np.array([7, 3, 3, 3, 7])).tolist() == [0.0, 1.0]


def test_some_rows():
    windows = planted(3, 2, 2)
    assert windows.names.tolist() == [0, 1, 2]
    assert windows.of_people([2]).recordings.tolist() == [0, 0, 1, 1]
    assert set(windows.of_recordings([1]).recordings.tolist()) == {1}


def test_what_are_no_windows_is_refused():
    ones, whole = np.ones((2, 3)), np.arange(2)
    with bad_argument(ValueError, (3,), by="windows"):
        Windows(np.ones(3), whole, whole)
    with bad_argument(ValueError, (0, 3), by="windows"):
        Windows(np.ones((0, 3)), whole[:0], whole[:0])
    with bad_argument(ValueError, 2, (2,), (3,), by="windows"):
        Windows(ones, whole, np.arange(3))
    with bad_argument(ValueError, "people", "recordings", by="windows"):
        Windows(ones, whole / 2, whole)
    with bad_argument(ValueError, by="windows"):
        Windows(ones * np.nan, whole, whole)
    with bad_argument(ValueError, "every", 0, by="windows"):
        Windows(ones, whole, whole).thinned(0)
