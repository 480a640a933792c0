"""Secrets of planted people, guessed from what was released of them and of others."""

from __future__ import annotations

import numpy as np
import pytest
from goldens import check_text
from planted import by_lot, planted
from refusals import bad_argument

from synthrelease.evaluation.attacks import AttackVerdict, Windows, attribute_inference, guessed, inferred
from synthrelease.evaluation.attacks.intervals import residual_risk


def of(values, people):
    return Windows(np.array(values, dtype=float), np.array(people), np.zeros(len(people), dtype=int))


def attacked(released, windows, members, *, tolerance=0.05, **ways):
    shares = inferred(released, windows, secret=2, tolerance=tolerance)
    best = guessed(windows.values[:, 2], windows, secret=2, tolerance=tolerance)
    return attribute_inference(shares, members, best, seed=0, **ways)


def test_secrets_of_released_people_are_told():
    windows, members = planted(), by_lot(12, 6)
    found = attacked(windows.of_people(np.flatnonzero(members)).values, windows, members)
    assert found.main.value == 1.0
    assert found.control.value < 0.2
    assert found.chance < 0.1
    assert found.risk == residual_risk(found.main, found.control)
    assert found.verdict is AttackVerdict.SIGNIFICANT
    assert found.remarks == ()


def test_what_is_true_of_everyone_is_no_one_s_secret():
    """The secret follows from another feature: told of control people as well, risk 0."""
    windows, members = planted(24, apart=1.0), by_lot(24, 12)
    values = windows.values.copy()
    values[:, 2] = np.round(values[:, 0])
    windows = Windows(values, windows.people, windows.recordings)
    strangers = planted(24, apart=1.0, seed=9).values.copy()
    strangers[:, 2] = np.round(strangers[:, 0])
    shares = inferred(strangers, windows, secret=2, tolerance=None)
    found = attribute_inference(shares, members, np.zeros(24), seed=0)
    assert found.main.value > 0.5
    assert found.risk.low <= 0 <= found.risk.high
    assert found.verdict is AttackVerdict.NOT_SIGNIFICANT


def test_noise_tells_less_than_no_release_and_says_so():
    windows, members = planted(24, apart=0.0), by_lot(24, 12)
    noise = np.random.default_rng(1).uniform(-50, 50, size=(200, 3))
    found = attacked(noise, windows, members, tolerance=1.0)
    assert found.verdict is AttackVerdict.NOT_SIGNIFICANT
    assert found.main.value < found.chance
    assert len(found.remarks) == 1
    check_text("attacks/guessed-as-well", "\n".join(found.remarks))


def test_inferred_by_hand():
    """Known 0 and 10, secrets 1 and 5; records (1, 1), (9, 4), (30, 0)."""
    people = of([[0, 1], [10, 5], [10, 4]], [3, 7, 7])
    records = np.array([[1.0, 1], [9, 4], [30, 0]])
    assert inferred(records, people, secret=1, tolerance=0.0).tolist() == [1.0, 0.5]
    assert inferred(records, people, secret=1, tolerance=1.0).tolist() == [1.0, 1.0]
    assert inferred(records, people, secret=1, tolerance=None).tolist() == [1.0, 0.5]


def test_several_neighbours_by_hand():
    """Of (0): 1, 1, 9: the median and the most frequent are 1; of even votes the least."""
    people = of([[0, 1], [50, 9]], [0, 1])
    records = np.array([[0.0, 9], [0.1, 1], [0.2, 1], [50, 9], [51, 9], [52, 1]])
    for tolerance in (0.0, None):
        assert inferred(records, people, secret=1, tolerance=tolerance, neighbours=3).tolist() == [1, 1]
    assert inferred(records, people, secret=1, tolerance=None, neighbours=2).tolist() == [1, 1]
    assert inferred(records, people, secret=1, tolerance=0.0, neighbours=2).tolist() == [0, 1]


def test_the_secret_itself_is_not_looked_at():
    """Nearest in all but the secret, whose own distance would have led elsewhere."""
    people = of([[0, 100], [1, 0]], [0, 1])
    records = np.array([[0.1, 5.0], [9.0, 100.0]])
    assert inferred(records, people, secret=1, tolerance=None)[0] == 0.0


def test_features_count_in_their_spread():
    """A feature in thousandths counts as much as one in thousands."""
    people = of([[0, 0.000, 1], [1000, 0.001, 2], [0, 0.001, 3], [1000, 0.0, 4]], [0, 1, 2, 3])
    # Off by a tenth of the first feature's spread: in plain numbers the second would be lost beside it.
    records = people.values + np.array([[100.0, 0, 0], [-100, 0, 0], [0, 0, 0], [0, 0, 0]])
    assert inferred(records, people, secret=2, tolerance=None).tolist() == [1, 1, 1, 1]


def test_best_guesses_by_hand():
    people = of([[0, 1], [0, 1], [0, 4], [0, 2]], [0, 0, 1, 2])
    reference = np.array([1.0, 4, 4, 2, 9])
    assert guessed(reference, people, secret=1, tolerance=None).tolist() == [0, 1, 0]
    assert guessed(reference, people, secret=1, tolerance=1.0).tolist() == [0, 1, 1]  # 3: 2 … 4
    brute = np.random.default_rng(0).normal(size=200)
    some = of(np.column_stack([brute, brute]), np.arange(200))
    best = max((np.abs(brute - g) <= 0.3).sum() for g in np.linspace(-3, 3, 6001))
    assert guessed(brute, some, secret=1, tolerance=0.3).sum() >= best - 1


def test_rounds_average_people_and_count_them_once():
    members = by_lot(10, 5, rounds=50)
    found = attribute_inference(members * 0.8, members, np.full(members.shape, 0.3), seed=0, draws=999)
    assert found.main.value == pytest.approx(0.8)
    assert (found.control.value, found.chance, found.people) == (0.0, pytest.approx(0.3), 10)
    assert found.main.low < 0.5  # ten people, not 500


def test_control_people_of_whom_more_is_told_spoil_the_result():
    members = by_lot(24, 12)
    found = attribute_inference((~members).astype(float), members, np.zeros(24), seed=0)
    assert found.verdict is AttackVerdict.INCONCLUSIVE
    assert found.control_p <= found.significance
    assert str(found.main) in found.reason
    assert str(found.control) in found.reason


def test_a_control_of_which_all_is_known_leaves_no_risk_to_tell():
    found = attribute_inference(np.ones(24), by_lot(24, 12), np.zeros(24), seed=0)
    assert found.verdict is AttackVerdict.NOT_SIGNIFICANT
    assert found.to_json()["risk"]["value"] is None


def test_what_cannot_be_guessed_is_refused():
    windows = planted(3, 1, 2)
    for secret in (-1, 3):
        with bad_argument(ValueError, "secret", 3, secret, by="attribute_inference"):
            inferred(windows.values, windows, secret=secret, tolerance=None)
    with bad_argument(ValueError, "tolerance", -1.0, by="attribute_inference"):
        inferred(windows.values, windows, secret=0, tolerance=-1.0)
    for neighbours in (0, 7):
        with bad_argument(ValueError, "neighbours", 6, neighbours, by="attribute_inference"):
            inferred(windows.values, windows, secret=0, tolerance=None, neighbours=neighbours)
    with bad_argument(ValueError, 3, (6, 2), by="attribute_inference"):
        inferred(windows.values[:, :2], windows, secret=0, tolerance=None)
    with bad_argument(ValueError, 1, (2, 1), by="attribute_inference"):
        inferred(np.ones((2, 1)), of([[1], [2]], [0, 1]), secret=0, tolerance=None)
