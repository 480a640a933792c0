"""Grants and debits: who pays, who is refused, what is told."""

import math

import pytest
from spending import (
    ADD,
    PLAN,
    REPLACE,
    another_process,
    bodies,
    charge,
    forge,
    gaussian,
    granted,
    kinds,
    laplace,
)

from synthrelease.bundle.manifest import schema
from synthrelease.errors import PlanError, PolicyError
from synthrelease.ledger import Ledger
from synthrelease.privacy.accounting import compose as composed


def test_a_release_within_the_grant_is_paid_and_one_beyond_it_refused(tmp_path):
    ledger = granted(tmp_path, 1.0)
    for number in range(4):
        spending = ledger.debit(charge(laplace(0.25), plan=str(number))).spending
        assert (spending["spent_before"], spending["spent_after"]) == (number / 4, (number + 1) / 4)
    with pytest.raises(PolicyError, match="more than is left") as refusal:
        ledger.debit(charge(laplace(1e-4), plan="5"))
    assert refusal.value.exit_code == 4
    assert "1 are spent and 0 remain" in refusal.value.expected
    assert kinds(ledger.path) == ["created", "grant", *["debit"] * 4]


def test_refusal_tells_what_remains(tmp_path):
    ledger = granted(tmp_path, 1.0)
    ledger.debit(charge(laplace(0.75)))
    with pytest.raises(PolicyError) as refusal:
        ledger.standing(charge(laplace(0.5), plan="b"))
    assert refusal.value.found.startswith("ε = 1.25 with this release (ε = 0.5 by itself) at δ = 0")
    assert "0.75 are spent and 0.25 remain" in refusal.value.expected


def test_what_is_granted_is_what_all_cost_together_and_not_the_sum(tmp_path):
    four = composed([gaussian(0.2)] * 4, delta=1e-6).epsilon
    ledger = granted(tmp_path, four, 1e-6)
    spent = [ledger.debit(charge(gaussian(0.2), plan=str(number))).spending for number in range(4)]
    assert sum(one["spent_here"] for one in spent) > 1.5 * four == 1.5 * spent[-1]["spent_after"]
    with pytest.raises(PolicyError, match="more than is left"):
        ledger.debit(charge(gaussian(0.2), plan="4"))


def test_exactly_the_grant_is_within_it(tmp_path):
    ledger = granted(tmp_path, 1.5)
    ledger.debit(charge(laplace(1.5)))
    assert ledger.to_json()["study"]["spent"] == 1.5


def test_asking_pays_nothing(tmp_path):
    ledger = granted(tmp_path)
    before = ledger.path.read_bytes()
    grant, standing = ledger.standing(charge(laplace(1.0)))
    assert (grant.epsilon, standing.before, standing.here, standing.after) == (3.0, 0.0, 1.0, 1.0)
    assert ledger.path.read_bytes() == before


def test_a_dataset_without_a_grant_is_refused(tmp_path):
    ledger = granted(tmp_path)
    for use in (ledger.standing, ledger.debit):
        with pytest.raises(PolicyError, match="nothing is granted") as refusal:
            use(charge(laplace(1.0), dataset="other"))
        assert "--dataset other" in refusal.value.remedy


def test_another_relation_is_refused(tmp_path):
    ledger = granted(tmp_path)
    with pytest.raises(PolicyError, match="neighbouring relation"):
        ledger.debit(charge(laplace(1.0), neighbours=ADD))
    ledger.grant("study", 3, 0, ADD)  # nothing was paid yet
    ledger.debit(charge(laplace(1.0), neighbours=ADD))
    with pytest.raises(PlanError, match="another relation"):
        ledger.grant("study", 3, 0, REPLACE)


def test_without_a_delta_gaussian_noise_is_refused_in_words(tmp_path):
    ledger = granted(tmp_path, 3.0, 0.0)
    with pytest.raises(PolicyError, match="the grant has none") as refusal:
        ledger.debit(charge(gaussian(0.1)))
    assert "inf" not in str(refusal.value)


def test_a_grant_below_what_is_spent_stops_everything(tmp_path, monkeypatch):
    ledger = granted(tmp_path, 3.0)
    with another_process(monkeypatch):
        ledger.debit(charge(laplace(2.0)))
    ledger.grant("study", 1.0, 0.0, REPLACE)
    for plan in ("b", PLAN):  # nor may what is left over be used
        with pytest.raises(PolicyError, match="more than is left"):
            ledger.debit(charge(laplace(2.0 if plan == PLAN else 1e-3), plan=plan))
    assert ledger.summary()[0] == "study: ε = 2 of 1 spent, 0 left"
    assert ledger.check().faults == []
    ledger.grant("study", 2.5, 0.0, REPLACE)
    ledger.debit(charge(laplace(0.5), plan="b"))
    assert ledger.check().faults == []


def test_a_delta_taken_back_leaves_no_epsilon(tmp_path):
    ledger = granted(tmp_path, 3.0, 1e-6)
    ledger.debit(charge(gaussian(0.1)))
    ledger.grant("study", 3.0, 0.0, REPLACE)
    assert ledger.to_json()["study"]["spent"] is None
    assert "nothing is left" in ledger.summary()[0]
    with pytest.raises(PolicyError, match="the grant has none"):
        ledger.debit(charge(laplace(0.1)))


def test_a_sum_without_delta_may_be_more_than_all_cost_at_one(tmp_path):
    """Forty Laplace releases cost 20 by themselves, and less with a Gaussian one at its δ: nothing is wrong with that."""
    ledger = granted(tmp_path, 30.0, 1e-6)
    ledger.debit(charge(*[laplace(0.5)] * 40))
    spending = ledger.debit(charge(gaussian(0.02), plan="b")).spending
    assert spending["spent_after"] < spending["spent_before"] == 20.0
    assert ledger.check().faults == []


@pytest.mark.parametrize(
    ("epsilon", "delta"),
    [(0, 0), (-1, 0), (math.nan, 0), (math.inf, 0), (1, -1e-9), (1, 0.5), (1, math.nan), (1, 1)],
)
def test_grants_without_meaning_are_refused_before_a_file_is_made(tmp_path, epsilon, delta):
    ledger = Ledger(tmp_path / "l.sqlite")
    with pytest.raises(PlanError, match="no meaning") as refusal:
        ledger.grant("study", epsilon, delta, REPLACE)
    assert refusal.value.exit_code == 3
    assert not ledger.path.exists()


NAMES = [("a", True), ("A-1_b", True), ("a" * 64, True)]
NAMES += [(name, False) for name in ("", "a" * 65, "-a", "a-", "a b", "ä", "a\n", "a\x1b[31m", "../a", "a.b")]


@pytest.mark.parametrize(("name", "good"), NAMES)
def test_datasets_are_named_as_plans_can_name_them(tmp_path, name, good):
    import jsonschema

    ledger, form = (
        Ledger(tmp_path / "l.sqlite"),
        schema("plan-v1")["properties"]["privacy"]["properties"]["dataset"],
    )
    assert jsonschema.Draft202012Validator(form).is_valid(name) is good
    if good:
        ledger.grant(name, 1, 0, REPLACE)
        return
    with pytest.raises(PlanError, match="name a dataset") as refusal:
        ledger.grant(name, 1, 0, REPLACE)
    assert "\x1b" not in str(refusal.value)
    assert not ledger.path.exists()


def test_an_unknown_dataset_is_not_shown(tmp_path):
    with pytest.raises(PlanError, match="no such dataset") as refusal:
        granted(tmp_path).summary("other")
    assert refusal.value.expected == "one of study"


def test_identities_are_keyed_and_the_same_for_all_releases(tmp_path):
    (tmp_path / "two").mkdir()
    one, two = granted(tmp_path), granted(tmp_path / "two")
    first, second = (one.debit(charge(laplace(0.1), plan=plan)).spending["dataset_id"] for plan in "ab")
    assert first == second
    assert len(first) == 32
    assert two.debit(charge(laplace(0.1))).spending["dataset_id"] != first
    one.grant("other", 1, 0, REPLACE)
    assert one.debit(charge(laplace(0.1), dataset="other")).spending["dataset_id"] != first


# What an earlier process left over


def test_what_an_ended_process_paid_is_used_once(tmp_path, monkeypatch):
    ledger, wanted = granted(tmp_path, 1.0), charge(laplace(1.0))
    with another_process(monkeypatch):
        first = ledger.debit(wanted)
    again = ledger.debit(wanted)
    assert kinds(ledger.path)[2:] == ["debit", "taken over"]
    assert again.spending["entry"] == ledger.check().head != first.spending["entry"]
    assert {**again.spending, "entry": ""} == {**first.spending, "entry": ""}
    with pytest.raises(PolicyError, match="more than is left"):
        ledger.debit(wanted)
    again.begin_drawing()
    assert ledger.check().faults == []


def test_what_noise_was_drawn_on_is_paid_again(tmp_path, monkeypatch):
    ledger, wanted = granted(tmp_path, 2.0), charge(laplace(1.0))
    with another_process(monkeypatch):
        ledger.debit(wanted).begin_drawing()
    assert ledger.debit(wanted).spending["spent_before"] == 1.0
    assert ledger.to_json()["study"]["spent"] == 2.0


def test_what_was_released_without_noise_is_not_used_again(tmp_path, monkeypatch):
    ledger, wanted = granted(tmp_path), charge(uncounted=("exact",))
    with another_process(monkeypatch):
        ledger.debit(wanted).release(b"{}")
    ledger.debit(wanted)
    assert kinds(ledger.path)[2:] == ["debit", "released", "debit"]


def test_what_a_living_process_paid_is_its_own(tmp_path, monkeypatch):
    ledger, wanted = granted(tmp_path, 2.0), charge(laplace(1.0))
    with another_process(monkeypatch, ended=False):
        ledger.debit(wanted)
    ledger.debit(wanted)
    assert kinds(ledger.path)[2:] == ["debit", "debit"]


def test_another_plan_pays_for_itself(tmp_path, monkeypatch):
    ledger = granted(tmp_path, 3.0)
    with another_process(monkeypatch):
        ledger.debit(charge(laplace(1.0)))
    ledger.debit(charge(laplace(1.0), plan="b"))
    ledger.debit(charge(laplace(0.9)))
    assert kinds(ledger.path)[2:] == ["debit"] * 3


def test_what_is_left_over_is_counted_anew_under_a_new_grant(tmp_path, monkeypatch):
    """The manifest states δ and ε of now, not those of when it was paid."""
    ledger, wanted = granted(tmp_path, 3.0, 1e-6), charge(gaussian(0.3))
    with another_process(monkeypatch):
        first = ledger.debit(wanted).spending
    other = ledger.debit(charge(gaussian(0.2), plan="b")).spending
    ledger.grant("study", 3.0, 1e-3, REPLACE)
    again = ledger.debit(wanted).spending
    assert (first["delta"], again["delta"]) == (1e-6, 1e-3)
    assert again["spent_here"] < first["spent_here"]
    assert 0 < again["spent_before"] < other["spent_here"]
    assert ledger.check().faults == []
    assert bodies(ledger.path)[-1]["standing"]["before"] == repr(again["spent_before"])


# A ledger that was changed by other means


@pytest.mark.parametrize(
    "use", ["grant", "debit", "standing", "summary", "to_json", "begin_drawing", "release"]
)
def test_a_changed_ledger_is_not_relied_on(tmp_path, use):
    ledger = granted(tmp_path)
    debit = ledger.debit(charge(laplace(1.0)))
    forge(ledger.path, lambda bodies: bodies.append({"kind": "gift", "at": "now"}))
    uses = {
        "grant": lambda: ledger.grant("study", 9, 0, REPLACE),
        "debit": lambda: ledger.debit(charge(laplace(0.1))),
        "standing": lambda: ledger.standing(charge(laplace(0.1))),
        "summary": ledger.summary,
        "to_json": ledger.to_json,
        "begin_drawing": debit.begin_drawing,
        "release": lambda: debit.release(b""),
    }
    with pytest.raises(PolicyError, match="changed by other means") as refusal:
        uses[use]()
    assert "entry 4" in refusal.value.found
