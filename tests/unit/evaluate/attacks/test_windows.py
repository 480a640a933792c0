"""Rows, whose they are, and what becomes of them."""

from __future__ import annotations

import numpy as np
import pytest
from planted import planted

from synthrelease.evaluate.attacks import Windows
from synthrelease.evaluate.attacks.windows import share_by_person


def rows(people, recordings):
    return Windows(np.arange(len(people), dtype=float)[:, None], np.array(people), np.array(recordings))


def test_thinned_by_hand():
    """Places are counted within each person's each recording, wherever the rows stand."""
    windows = rows([1, 2, 1, 1, 2, 1, 1], [0, 0, 0, 0, 0, 5, 0])
    assert windows.thinned(2).values.ravel().tolist() == [0, 1, 3, 5]
    assert windows.thinned(1).values.ravel().tolist() == list(range(7))
    assert windows.thinned(9).values.ravel().tolist() == [0, 1, 5]


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
    with pytest.raises(ValueError, match="rows of features"):
        Windows(np.ones(3), whole, whole)
    with pytest.raises(ValueError, match="rows of features"):
        Windows(np.ones((0, 3)), whole[:0], whole[:0])
    with pytest.raises(ValueError, match="a person and a recording for each of 2 rows"):
        Windows(ones, whole, np.arange(3))
    with pytest.raises(ValueError, match="whole numbers"):
        Windows(ones, whole / 2, whole)
    with pytest.raises(ValueError, match="finite numbers"):
        Windows(ones * np.nan, whole, whole)
    with pytest.raises(ValueError, match="every >= 1"):
        Windows(ones, whole, whole).thinned(0)
