"""Verdicts: each for its reason, and together no more alarms than declared."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from goldens import check_text, figures
from refusals import bad_argument

from synthrelease.evaluation.attacks import AttackResult, AttackVerdict, GuaranteeCheck, Rate, judged
from synthrelease.evaluation.attacks.chance import Permutation
from synthrelease.evaluation.attacks.result import holm


def result(**changes):
    fields = {
        "attack": "guess",
        "measure": "share",
        "main": Rate(0.7, 0.5, 0.9),
        "control": Rate(0.1, 0.0, 0.2),
        "chance": 0.1,
        "people": 24,
        "design": Permutation.MATCHING,
        "p_value": 0.0005,
        "control_p": 1.0,
        "least_p": 0.0001,
    }
    return AttackResult(**{**fields, **changes})


def guarantee(*, violated):
    return GuaranteeCheck(1.0, 1e-6, Rate(0.9, 0.8, 1.0), Rate(0.0, 0.0, 0.1), 0.3, violated)


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
    assert verdicts(one) == [AttackVerdict.SIGNIFICANT]
    assert (
        verdicts(one, *[dull] * 4) == [AttackVerdict.SIGNIFICANT] + [AttackVerdict.NOT_SIGNIFICANT] * 4
    )  # 5·0.002
    assert verdicts(one, *[dull] * 5) == [AttackVerdict.NOT_SIGNIFICANT] * 6  # 6·0.002
    assert verdicts(one, *[dull] * 5, significance=0.05)[0] is AttackVerdict.SIGNIFICANT


def test_the_second_smallest_is_corrected_for_the_others_alone():
    found = judged([result(p_value=0.0001), result(p_value=0.006), result(p_value=0.004)])
    assert [one.corrected_p for one in found] == pytest.approx([0.0003, 0.008, 0.008])
    assert {one.together for one in found} == {3}
    assert {one.verdict for one in found} == {AttackVerdict.SIGNIFICANT}


def test_the_last_p_value_that_is_found():
    assert verdicts(result(p_value=0.01)) == [AttackVerdict.SIGNIFICANT]
    assert verdicts(result(p_value=0.0101)) == [AttackVerdict.NOT_SIGNIFICANT]


def test_nothing_found_says_what_cannot_be_excluded():
    (one,) = judged([result(p_value=0.3)])
    assert one.verdict is AttackVerdict.NOT_SIGNIFICANT
    assert {one.people, one.main.high} <= {*figures(one.reason)}
    assert str(one.main) in one.reason
    assert str(one.control) in one.reason


def test_too_few_people_say_how_many_it_takes():
    """1/4! = 0.042 > 0.01: 1/5!, five people; among ten attacks 0.001: 1/7! but not 1/6!."""
    few = result(people=4, least_p=1 / 24, p_value=1 / 24)
    (one,) = judged([few])
    assert one.verdict is AttackVerdict.INCONCLUSIVE
    assert {4, 5} <= {*figures(one.reason)}  # there are, and it takes
    among_ten = judged([few] * 10)[0].reason
    assert {4, 7} <= {*figures(among_ten)}
    assert 5 not in figures(among_ten)
    halves = result(people=6, least_p=1 / 20, p_value=1 / 20, design=Permutation.DIVISION)
    assert {6, 10} <= {*figures(judged([halves])[0].reason)}


def test_too_few_shuffles_are_not_blamed_on_people():
    (one, *_) = judged([result(p_value=0.5)] * 200)
    assert one.verdict is AttackVerdict.INCONCLUSIVE
    assert one.people not in figures(one.reason)
    assert "`draws`" in one.reason
    assert 20000 in figures(one.reason)


def test_enough_people_alone_may_be_too_few_for_many_attacks():
    one = result(people=10, least_p=1 / 252, p_value=0.5, design=Permutation.DIVISION)
    assert verdicts(one) == [AttackVerdict.NOT_SIGNIFICANT]
    assert verdicts(one, one, one) == [AttackVerdict.INCONCLUSIVE] * 3


def test_where_the_control_wins_nothing_can_be_trusted():
    (one,) = judged([result(control_p=0.001)])
    assert one.verdict is AttackVerdict.INCONCLUSIVE
    assert str(one.main) in one.reason
    assert str(one.control) in one.reason
    assert one.reason != judged([result()])[0].reason


def test_controls_are_corrected_too():
    """20 controls, each at 0.005 by luck: no reason to distrust."""
    assert set(verdicts(*[result(control_p=0.005, p_value=0.9)] * 20)) == {AttackVerdict.NOT_SIGNIFICANT}


def test_a_broken_guarantee_is_found_whatever_else():
    for one in (result(p_value=0.9), result(control_p=0.0001), result(least_p=0.5)):
        (found,) = judged([AttackResult(**{**vars(one), "guarantee_check": guarantee(violated=True)})])
        assert found.verdict is AttackVerdict.SIGNIFICANT
        assert str(found.guarantee_check) in found.reason
        assert str(found.main) not in found.reason
    (kept,) = judged([result(guarantee_check=guarantee(violated=False))])
    assert str(kept.guarantee_check) in kept.reason
    assert str(kept.main) in kept.reason
    assert verdicts(result(p_value=0.9, guarantee_check=guarantee(violated=False))) == [
        AttackVerdict.NOT_SIGNIFICANT
    ]


def test_json_holds_all_and_no_nan():
    one = result(risk=Rate(math.nan, math.nan, math.nan), further={"a": 0.5, "b": Rate(0.1, 0.0, 0.2)})
    (found,) = judged([AttackResult(**{**vars(one), "guarantee_check": guarantee(violated=False)})])
    told = json.loads(json.dumps(found.to_json(), allow_nan=False))
    assert told["verdict"] == "significant"
    assert told["main"] == {"value": 0.7, "low": 0.5, "high": 0.9}
    assert told["risk"]["value"] is None
    assert told["further"] == {"a": 0.5, "b": {"value": 0.1, "low": 0.0, "high": 0.2}}
    assert told["guarantee_check"]["bound"] == 0.3
    assert told["together"] == 1
    assert told["significance"] == 0.01
    assert result().to_json()["risk"] is None


def test_reasons_of_verdicts():
    """Each kind of reason as a reader has it."""
    few = result(people=4, least_p=1 / 24, p_value=1 / 24)
    reasons = {
        "found": judged([result()])[0],
        "found among three": judged([result(), result(p_value=0.5), result(p_value=0.9)])[0],
        "found, and a guarantee is kept": judged([result(guarantee_check=guarantee(violated=False))])[0],
        "a guarantee is broken": judged([result(p_value=0.9, guarantee_check=guarantee(violated=True))])[0],
        "nothing found": judged([result(p_value=0.3)])[0],
        "too few people": judged([few])[0],
        "too few people for ten attacks": judged([few] * 10)[0],
        "too few shuffles": judged([result(p_value=0.5)] * 200)[0],
        "the control wins": judged([result(control_p=0.001)])[0],
        "not judged": result(),
    }
    parts = [f"# {what}: {one.verdict}\n{one.reason}" for what, one in reasons.items()]
    assert len({one.reason for one in reasons.values()}) == len(reasons)
    check_text("attacks/reasons", "\n\n".join(parts))


@pytest.mark.parametrize("significance", [0.0, 1.0, -1.0, math.nan])
def test_a_significance_that_is_none_is_refused(significance):
    with bad_argument(ValueError, "significance", significance, by="result"):
        judged([result()], significance=significance)


def test_an_attack_that_no_one_judged_is_not_trusted():
    assert result().verdict is AttackVerdict.INCONCLUSIVE
