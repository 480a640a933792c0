"""Groups of k, averaged."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from planted import planted
from refusals import bad_argument

from synthrelease.dp.noise import SecureRandom
from synthrelease.evaluation.attacks import Windows, k_same_select


def made(windows, k, seed=0):
    return k_same_select(windows, k, random=SecureRandom.for_tests(seed))


@pytest.mark.parametrize(("people", "k"), [(12, 4), (13, 4), (15, 4), (5, 5), (9, 2)])
def test_every_average_is_released_k_times_at_least(people, k):
    windows = planted(people, 3, 5)
    released = made(windows, k)
    assert (released.names == windows.names).all()
    for recording in range(3):
        own = released.of_recordings([recording])
        _, copies = np.unique(own.values, axis=0, return_counts=True)
        assert ((copies >= k) & (copies < 2 * k)).all()
        real = windows.of_recordings([recording]).values
        assert own.values.mean(axis=0) == pytest.approx(
            real.mean(axis=0)
        )  # no one is left out or counted twice


def test_neighbours_are_together_by_hand():
    values = np.array([[-100.0], [-98.0], [0.0], [0.5], [99.0], [101.0]])
    windows = Windows(values, np.arange(6), np.zeros(6, dtype=int))
    for seed in range(9):
        released = made(windows, 2, seed)
        by_person = released.values[np.argsort(released.people)].ravel()
        assert by_person.tolist() == [-99, -99, 0.25, 0.25, 100, 100]


def test_windows_are_averaged_one_by_one_as_many_as_the_shortest_has():
    windows = Windows(
        np.array([[0.0], [10.0], [20.0], [4.0], [6.0]]), np.array([0, 0, 0, 1, 1]), np.zeros(5, dtype=int)
    )
    released = made(windows, 2)
    assert released.values.ravel().tolist() == [2, 8, 2, 8]
    assert released.people.tolist() == [0, 0, 1, 1]


def test_recordings_are_kept_apart():
    windows = planted(4, 2, 3)
    changed = replace(windows, values=np.where((windows.recordings == 1)[:, None], 1e6, windows.values))
    one, two = (made(w, 2).of_recordings([0]) for w in (windows, changed))
    assert (one.values == two.values).all()


def test_groups_too_small_are_refused():
    with bad_argument(ValueError, "k", 1, by="k_same"):
        made(planted(4), 1)
    with bad_argument(ValueError, 5, 4, by="k_same"):
        made(planted(4), 5)
