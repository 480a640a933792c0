"""Copies and near copies, planted and by accident."""

from __future__ import annotations

import numpy as np
import pytest
from planted import by_lot, planted

from synthrelease.evaluate.attacks import Verdict, Windows, copies, copies_of, distance_to_others


def of(values, people):
    return Windows(np.array(values, dtype=float), np.array(people), np.zeros(len(people), dtype=int))


def test_released_rows_are_copies_and_others_are_not():
    windows, members = planted(), by_lot(12, 6)
    found = copies_of(windows.of_people(np.flatnonzero(members)).values, windows)
    assert (found.exact == members).all()
    assert (found.near[members] == 1).all()
    assert (found.rows == 40 * members).all()
    for shares, rows in ((found.exact, found.rows), (found.exact, None), (found.near, None)):
        told = copies(shares, members, seed=0, name="n", rows=rows)
        assert (told.verdict, told.main.value) == (Verdict.FOUND, 1.0)
    assert copies(found.exact, members, seed=0, name="n", rows=found.rows).remarks == (
        "240 rows of members stand in a release as they are",
    )


def test_fresh_people_are_no_copies():
    windows, members = planted(24, apart=0.0), by_lot(24, 12)
    found = copies_of(planted(24, apart=0.0, seed=5).values, windows)
    assert (found.exact == 0).all()
    assert (found.rows == 0).all()
    assert copies(found.near, members, seed=0, name="near").verdict is Verdict.NOTHING
    assert copies(found.exact, members, seed=0, name="exact", rows=found.rows).verdict is Verdict.NOTHING


def test_near_by_hand():
    """Rows at 0 and 10 of two people, 10 apart: 9 away is near, 10 and 11 are not."""
    people = of([[0], [10]], [0, 1])
    assert copies_of(np.array([[-9.0]]), people).near.tolist() == [1, 0]
    assert copies_of(np.array([[-10.0]]), people).near.tolist() == [0, 0]
    assert copies_of(np.array([[-11.0]]), people).near.tolist() == [0, 0]
    assert copies_of(np.array([[5.0]]), people).near.tolist() == [1, 1]


def test_a_person_s_own_rows_are_no_other_people():
    """Rows at 0 and 1 of one person, at 100 of another: 50 away is nearer than the other person, not than the own row."""
    people = of([[0], [1], [100]], [0, 0, 1])
    scale = np.std([0, 1, 100])
    assert distance_to_others(people) == pytest.approx(np.array([100, 99, 99]) / scale)
    assert copies_of(np.array([[-50.0]]), people).near.tolist() == [1.0, 0.0]


def test_what_other_people_have_too_is_nobody_s_own():
    people = of([[0, 0], [0, 0], [5, 5], [7, 7]], [0, 1, 1, 2])
    found = copies_of(np.array([[0.0, -0.0], [7, 7]]), people)
    assert found.exact.tolist() == [1, 0.5, 1]
    assert found.near.tolist() == [0, 0, 1]
    assert found.rows.tolist() == [0, 0, 0]  # where two people share a row, copies happen
    apart = of([[0, 0], [0, 1], [5, 5], [7, 7]], [0, 1, 1, 2])
    assert copies_of(np.array([[0.0, -0.0], [7, 7]]), apart).rows.tolist() == [1, 0, 1]


def test_one_feature_off_is_no_exact_copy():
    windows = planted()
    moved = windows.values.copy()
    moved[:, 1] = np.nextafter(moved[:, 1], np.inf)
    found = copies_of(moved, windows)
    assert (found.exact == 0).all()
    assert (found.near == 1).all()


def test_bins_by_hand():
    """Bins [0, 1), [1, 2), [2, 3]: 0.2 and 0.9 are equal, 1.1 is the next."""
    people = of([[0.2], [1.1], [2.5]], [0, 1, 2])
    edges = (np.array([0.0, 1, 2, 3]),)
    found = copies_of(np.array([[0.9]]), people, edges=edges)
    assert found.exact.tolist() == [1, 0, 0]
    assert copies_of(np.array([[0.9]]), people).exact.tolist() == [0, 0, 0]
    assert found.near.tolist() == [
        1,
        0,
        0,
    ]  # 1.1 is as far from the record as from another person: not nearer


def test_different_rows_are_counted_once():
    people = of([[1], [1], [2], [9]], [0, 0, 0, 1])
    assert copies_of(np.array([[1.0], [2.0], [1.0]]), people).rows.tolist() == [2, 0]


def test_a_few_rows_of_one_person_are_found_by_rows():
    """People alone would not tell: one of twelve members. Ten rows, all of members, are no accident: 2·2⁻¹⁰."""
    members = by_lot(24, 12)
    one = np.zeros(24)
    one[np.flatnonzero(members)[0]] = 1.0
    alone = copies(one * 0.25, members, seed=0, name="n")
    assert alone.verdict is Verdict.NOTHING
    told = copies(one * 0.25, members, seed=0, name="n", rows=(one * 10).astype(int))
    assert told.p_value == pytest.approx(2 * 0.5**10)
    assert told.verdict is Verdict.FOUND
    few = copies(one * 0.1, members, seed=0, name="n", rows=(one * 3).astype(int))
    assert few.p_value == pytest.approx(0.25)
    assert few.verdict is Verdict.NOTHING
    assert few.remarks == ("3 rows of members stand in a release as they are",)


def test_one_copy_of_a_control_person_is_an_accident_that_happens():
    members = by_lot(24, 12)
    rows = np.where(members, 5, 0)
    rows[np.flatnonzero(~members)[0]] = 1
    shares = members * 0.0
    assert copies(shares, members, seed=0, name="n", rows=rows).p_value == 1.0


def test_accidents_of_rows_are_as_rare_as_declared():
    """c copies that fall on members by lot: p ≤ 0.05 in at most 5 % of 400 trials, and 6.1 standard deviations."""
    rng = np.random.default_rng(0)
    alarms = 0
    for number in range(400):
        rows = rng.multinomial(rng.integers(1, 12), np.full(24, 1 / 24))
        members = rng.permutation(24) < 12
        alarms += copies(rows / 40, members, seed=number, name="n", rows=rows, draws=99).p_value <= 0.05
    assert alarms / 400 <= 0.05 + 6.1 * np.sqrt(0.05 * 0.95 / 400)


def test_what_was_computed_before_is_the_same():
    windows = planted(apart=1.0)
    released = planted(apart=1.0, seed=4).values
    for edges in (None, [np.array([-5.0, 0, 5])] * 3):
        before = distance_to_others(windows, edges=edges)
        one, two = (copies_of(released, windows, edges=edges, others=o) for o in (None, before))
        assert all((getattr(one, f) == getattr(two, f)).all() for f in ("exact", "near", "rows"))


def test_what_cannot_be_compared_is_refused():
    windows = planted()
    with pytest.raises(ValueError, match="records of 3 features"):
        copies_of(windows.values[:, :2], windows)
    with pytest.raises(ValueError, match="edges for 3 features"):
        copies_of(windows.values, windows, edges=[np.arange(3.0)])
    with pytest.raises(ValueError, match="two people"):
        distance_to_others(windows.of_people([0]))
