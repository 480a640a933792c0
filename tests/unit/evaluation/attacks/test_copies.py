"""Copies and near copies, planted and by accident."""

from __future__ import annotations

import numpy as np
import pytest
from goldens import check_text, figures
from planted import by_lot, planted
from refusals import bad_argument

from synthrelease.evaluation.attacks import AttackVerdict, Windows, copies, copies_of, distance_to_others


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
        assert (told.verdict, told.main.value) == (AttackVerdict.SIGNIFICANT, 1.0)
    (remark,) = copies(found.exact, members, seed=0, name="n", rows=found.rows).remarks
    assert figures(remark) == [240]
    check_text("attacks/verbatim-rows", remark)


def test_fresh_people_are_no_copies():
    windows, members = planted(24, apart=0.0), by_lot(24, 12)
    found = copies_of(planted(24, apart=0.0, seed=5).values, windows)
    assert (found.exact == 0).all()
    assert (found.rows == 0).all()
    assert copies(found.near, members, seed=0, name="near").verdict is AttackVerdict.NOT_SIGNIFICANT
    assert (
        copies(found.exact, members, seed=0, name="exact", rows=found.rows).verdict
        is AttackVerdict.NOT_SIGNIFICANT
    )


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


def test_what_other_people_have_too_is_no_one_s_own():
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


def one_copied(rounds, copied):
    """Shares, copied rows and members of rounds in which ten rows of one person stand in the release."""
    members = np.array([by_lot(24, 12, seed=r) for r in range(rounds)])
    who = np.array([copied(own, r) for r, own in enumerate(members)])
    rows = np.zeros(members.shape, dtype=np.int64)
    rows[np.arange(rounds), who] = 10
    return rows / 40, rows, members


def test_rows_of_one_member_are_found_where_there_are_rounds():
    """In one division they may be an accident, of probability one half; in forty they are not."""
    for rounds, verdict in ((1, AttackVerdict.NOT_SIGNIFICANT), (40, AttackVerdict.SIGNIFICANT)):
        shares, rows, members = one_copied(rounds, lambda own, _: np.flatnonzero(own)[0])
        told = copies(shares, members, seed=0, name="n", rows=rows)
        assert told.verdict is verdict, rounds
        assert [figures(remark) for remark in told.remarks] == [[10 * rounds]]


def test_rows_of_someone_whoever_is_a_member_are_not_found():
    shares, rows, members = one_copied(40, lambda _, r: r % 24)
    assert copies(shares, members, seed=0, name="n", rows=rows).verdict is AttackVerdict.NOT_SIGNIFICANT


@pytest.mark.thorough
def test_accidents_are_as_rare_as_declared():
    """Rows of some people are copied, of one or of several, whoever is a member: p ≤ 0.05 in at most 5 % of 400 trials, and 6.1 standard deviations."""
    rng = np.random.default_rng(0)
    alarms = 0
    for number in range(400):
        rows = rng.multinomial(rng.integers(1, 12), np.full(24, 1 / 24)) * rng.integers(1, 15, 24)
        members = rng.permutation(24) < 12
        alarms += copies(rows / 400, members, seed=number, name="n", rows=rows, draws=99).p_value <= 0.05
    assert alarms / 400 <= 0.05 + 6.1 * np.sqrt(0.05 * 0.95 / 400)


def test_what_was_computed_before_is_the_same():
    windows = planted(apart=1.0)
    released = planted(apart=1.0, seed=4).values
    for edges in (None, [np.array([-5.0, 0, 5])] * 3):
        before = distance_to_others(windows, edges=edges)
        one, two = (copies_of(released, windows, edges=edges, distances=o) for o in (None, before))
        assert all((getattr(one, f) == getattr(two, f)).all() for f in ("exact", "near", "rows"))


def test_what_cannot_be_compared_is_refused():
    windows = planted()
    with bad_argument(ValueError, 3, (480, 2), by="copies"):
        copies_of(windows.values[:, :2], windows)
    with bad_argument(ValueError, "edges", 3, 1, by="copies"):
        copies_of(windows.values, windows, edges=[np.arange(3.0)])
    with bad_argument(ValueError, "people", by="copies"):
        distance_to_others(windows.of_people([0]))
