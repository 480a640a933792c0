"""Verdicts: each for its reason, and together no more alarms than declared."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from synthrelease.evaluate.attacks import AttackResult, PromiseCheck, Rate, Verdict, judged
from synthrelease.evaluate.attacks.chance import Design
from synthrelease.evaluate.attacks.result import holm


def result(**changes):
    fields = {
        "attack": "guess",
        "measure": "share",
        "main": Rate(0.7, 0.5, 0.9),
        "control": Rate(0.1, 0.0, 0.2),
        "chance": 0.1,
        "people": 24,
        "design": Design.MATCHING,
        "p_value": 0.0005,
        "control_p": 1.0,
        "least_p": 0.0001,
    }
    return AttackResult(**{**fields, **changes})


def promise(*, violated):
    return PromiseCheck(1.0, 1e-6, Rate(0.9, 0.8, 1.0), Rate(0.0, 0.0, 0.1), 0.3, violated)


def verdicts(*results, **ways):
    return [one.verdict for one in judged(results, **ways)]


def test_holm_by_hand():
    """0.01·4, 0.02·3, 0.03·2, 0.5·1 → 0.04, 0.06, 0.06, 0.5."""
    assert holm(np.array([0.5, 0.01, 0.03, 0.02])) == pytest.approx([0.5, 0.04, 0.06, 0.06])
    assert holm(np.array([0.4, 0.9])) == pytest.approx([0.8, 0.9])
    assert holm(np.array([0.6, 0.6])).tolist() == [1.0, 1.0]
    assert holm(np.array([])).tolist() == []


def test_found_alone_and_not_among_many():
    one, dull = result(p_value=0.002), result(p_value=0.8)
    assert verdicts(one) == [Verdict.FOUND]
    assert verdicts(one, *[dull] * 4) == [Verdict.FOUND] + [Verdict.NOTHING] * 4  # 5·0.002
    assert verdicts(one, *[dull] * 5) == [Verdict.NOTHING] * 6  # 6·0.002
    assert verdicts(one, *[dull] * 5, significance=0.05)[0] is Verdict.FOUND


def test_the_second_smallest_is_corrected_for_the_others_alone():
    found = judged([result(p_value=0.0001), result(p_value=0.006), result(p_value=0.004)])
    assert [one.corrected_p for one in found] == pytest.approx([0.0003, 0.008, 0.008])
    assert {one.together for one in found} == {3}
    assert {one.verdict for one in found} == {Verdict.FOUND}


def test_the_last_p_value_that_is_found():
    assert verdicts(result(p_value=0.01)) == [Verdict.FOUND]
    assert verdicts(result(p_value=0.0101)) == [Verdict.NOTHING]


def test_nothing_found_says_what_cannot_be_excluded():
    (one,) = judged([result(p_value=0.3)])
    assert one.verdict is Verdict.NOTHING
    assert "with 24 people up to 0.90 cannot be excluded" in one.reason


def test_too_few_people_say_how_many_it_takes():
    """1/4! = 0.042 > 0.01: 1/5!, five people; among ten attacks 0.001: 1/7! but not 1/6!."""
    few = result(people=4, least_p=1 / 24, p_value=1 / 24)
    (one,) = judged([few])
    assert one.verdict is Verdict.UNTRUSTED
    assert "4 people are too few" in one.reason
    assert one.reason.endswith("it takes 5 people")
    assert judged([few] * 10)[0].reason.endswith("it takes 7 people")
    halves = result(people=6, least_p=1 / 20, p_value=1 / 20, design=Design.DIVISION)
    assert judged([halves])[0].reason.endswith("it takes 10 people")


def test_too_few_shuffles_are_not_blamed_on_people():
    (one, *_) = judged([result(p_value=0.5)] * 200)
    assert one.verdict is Verdict.UNTRUSTED
    assert one.reason.startswith("too few shuffles")
    assert one.reason.endswith("it takes `draws` of 20000")


def test_enough_people_alone_may_be_too_few_for_many_attacks():
    one = result(people=10, least_p=1 / 252, p_value=0.5, design=Design.DIVISION)
    assert verdicts(one) == [Verdict.NOTHING]
    assert verdicts(one, one, one) == [Verdict.UNTRUSTED] * 3


def test_where_the_control_wins_nothing_can_be_trusted():
    (one,) = judged([result(control_p=0.001)])
    assert one.verdict is Verdict.UNTRUSTED
    assert "control wins" in one.reason


def test_controls_are_corrected_too():
    """20 controls, each at 0.005 by luck: no reason to distrust."""
    assert set(verdicts(*[result(control_p=0.005, p_value=0.9)] * 20)) == {Verdict.NOTHING}


def test_a_broken_promise_is_found_whatever_else():
    for one in (result(p_value=0.9), result(control_p=0.0001), result(least_p=0.5)):
        (found,) = judged([AttackResult(**{**vars(one), "promise": promise(violated=True)})])
        assert found.verdict is Verdict.FOUND
        assert found.reason.startswith("the promise is broken: TPR 0.90")
    (kept,) = judged([result(promise=promise(violated=False))])
    assert "does not exceed" in kept.reason
    assert verdicts(result(p_value=0.9, promise=promise(violated=False))) == [Verdict.NOTHING]


def test_json_holds_all_and_no_nan():
    one = result(risk=Rate(math.nan, math.nan, math.nan), further={"a": 0.5, "b": Rate(0.1, 0.0, 0.2)})
    (found,) = judged([AttackResult(**{**vars(one), "promise": promise(violated=False)})])
    told = json.loads(json.dumps(found.to_json(), allow_nan=False))
    assert told["verdict"] == "found"
    assert told["main"] == {"value": 0.7, "low": 0.5, "high": 0.9}
    assert told["risk"]["value"] is None
    assert told["further"] == {"a": 0.5, "b": {"value": 0.1, "low": 0.0, "high": 0.2}}
    assert told["promise"]["bound"] == 0.3
    assert told["together"] == 1
    assert told["significance"] == 0.01
    assert result().to_json()["risk"] is None


@pytest.mark.parametrize("significance", [0.0, 1.0, -1.0, math.nan])
def test_a_significance_that_is_none_is_refused(significance):
    with pytest.raises(ValueError, match="0 < significance < 1"):
        judged([result()], significance=significance)


def test_an_attack_that_nobody_judged_is_not_trusted():
    assert result().verdict is Verdict.UNTRUSTED
