"""Grants and debits: who pays, who is refused, what is told."""

import functools
import math
import threading
from contextlib import contextmanager

import pytest
from goldens import figures
from refusals import refused
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
    trial,
)

from synthrelease.dp import accounting
from synthrelease.dp import filter as filters
from synthrelease.dp.accounting import compose as composed
from synthrelease.errors import PlanError, PolicyError
from synthrelease.ledgers import Ledger, store
from synthrelease.ledgers import charge as charges
from synthrelease.ledgers.history import EntryKind
from synthrelease.schemas import schema


def test_a_release_within_the_grant_is_paid_and_one_beyond_it_refused(tmp_path):
    ledger = granted(tmp_path, 1.0)
    for number in range(4):
        spending = ledger.debit(charge(laplace(0.25), plan=str(number))).spending
        assert (spending["spent_before"], spending["spent_after"]) == (number / 4, (number + 1) / 4)
    with refused(PolicyError, "exceeds-grant", where="study") as refusal:
        ledger.debit(charge(laplace(1e-4), plan="5"))
    assert refusal.value.exit_code == 4
    assert figures(refusal.value.found) == [1.0001, 1, 1e-4, 0]  # together, before, by itself, δ
    assert kinds(ledger.path) == ["created", "grant", *["debit"] * 4]


def test_refusal_tells_what_all_cost_together(tmp_path):
    ledger = granted(tmp_path, 1.0)
    ledger.debit(charge(laplace(0.75)))
    with refused(PolicyError, "exceeds-grant", where="study") as refusal:
        ledger.standing(charge(laplace(0.5), plan="b"))
    assert figures(refusal.value.found) == [1.25, 0.75, 0.5, 0]  # together, before, by itself, δ
    assert figures(refusal.value.expected) == [1]


def test_what_is_granted_is_what_all_cost_together_and_not_the_sum(tmp_path):
    four = composed(
        [gaussian(0.2)] * 4, delta=0.9e-6
    ).epsilon  # a tenth of δ is for the day when other noise joins
    ledger = granted(tmp_path, four, 1e-6)
    spent = [ledger.debit(charge(gaussian(0.2), plan=str(number))).spending for number in range(4)]
    assert sum(one["spent_here"] for one in spent) > 1.5 * four == 1.5 * spent[-1]["spent_after"]
    with refused(PolicyError, "exceeds-grant", where="study"):
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
        with refused(PolicyError, "nothing-granted", where="other") as refusal:
            use(charge(laplace(1.0), dataset="other"))
        assert "--dataset other" in refusal.value.remedy  # not a sentence: an option


def test_another_relation_is_refused(tmp_path):
    ledger = granted(tmp_path)
    with refused(PolicyError, "other-neighbours", where="study") as refusal:
        ledger.debit(charge(laplace(1.0), neighbours=ADD))
    assert (refusal.value.found, refusal.value.expected) == (str(ADD), str(REPLACE))
    ledger.grant("study", 3, 0, ADD)  # nothing was paid yet
    ledger.debit(charge(laplace(1.0), neighbours=ADD))
    with refused(PlanError, "other-neighbours", where="study") as refusal:
        ledger.grant("study", 3, 0, REPLACE)
    assert (refusal.value.found, refusal.value.expected) == (str(REPLACE), str(ADD))


def test_without_a_delta_gaussian_noise_is_refused_in_words(tmp_path):
    ledger = granted(tmp_path, 3.0, 0.0)
    with refused(PolicyError, "grant-without-delta", where="study") as refusal:
        ledger.debit(charge(gaussian(0.1)))
    assert "inf" not in str(refusal.value)


def test_a_grant_below_what_is_spent_stops_everything(tmp_path, monkeypatch):
    ledger = granted(tmp_path, 3.0)
    with another_process(monkeypatch):
        ledger.debit(charge(laplace(2.0)))
    ledger.grant("study", 1.0, 0.0, REPLACE)
    for plan in ("b", PLAN):  # nor may what is left over be used
        with refused(PolicyError, "exceeds-grant", where="study"):
            ledger.debit(charge(laplace(2.0 if plan == PLAN else 1e-3), plan=plan))
    assert figures(ledger.summary()[0]) == [2, 1, 0]  # spent, granted, left
    assert ledger.check().faults == []
    ledger.grant("study", 2.5, 0.0, REPLACE)
    ledger.debit(charge(laplace(0.5), plan="b"))
    assert ledger.check().faults == []


def test_a_delta_taken_back_leaves_no_epsilon(tmp_path):
    ledger = granted(tmp_path, 3.0, 1e-6)
    ledger.debit(charge(gaussian(0.1)))
    ledger.grant("study", 3.0, 0.0, REPLACE)
    assert ledger.to_json()["study"]["spent"] is None
    assert figures(ledger.summary()[0]) == [3]  # granted; none is spent or left
    with refused(PolicyError, "grant-without-delta", where="study"):
        ledger.debit(charge(laplace(0.1)))


def test_a_sum_without_delta_may_be_more_than_all_cost_at_one(tmp_path):
    """Eighty small Laplace outputs cost 4 by themselves, and less at a δ: nothing is wrong with that."""
    ledger = granted(tmp_path, 5.0, 1e-6)
    spending = ledger.debit(charge(*[laplace(0.05)] * 80)).spending
    assert spending["spent_after"] < 3.5 < spending["spent_here"] == pytest.approx(4.0)
    again = ledger.debit(charge(gaussian(0.1), plan="b")).spending
    assert spending["spent_after"] == again["spent_before"] < again["spent_after"]
    assert ledger.check().faults == []


def test_the_second_kind_of_noise_costs_a_part_of_the_grant_once(tmp_path):
    """From sums without δ to an order, at which a small release more costs little."""
    ledger = granted(tmp_path, 1.0, 1e-6)
    first, second, third = (
        ledger.debit(charge(event, plan=str(n))).spending
        for n, event in enumerate([laplace(0.1), gaussian(0.05), gaussian(0.05)])
    )
    assert first["spent_after"] == pytest.approx(0.1, rel=1e-5)
    assert 0.5 < second["spent_after"] < 0.6
    assert third["spent_after"] - second["spent_after"] < 0.05
    assert ledger.check().faults == []


def test_a_release_with_trials_cannot_join_others(tmp_path):
    ledger = granted(tmp_path, 50.0, 1e-3)
    ledger.debit(charge(laplace(0.1)))
    for wanted in (charge(trial(), plan="b"), charge(laplace(0.1), trial(), plan="b")):
        for use in (ledger.standing, ledger.debit):
            with refused(PolicyError, "tests-do-not-compose", where="study") as refusal:
                use(wanted)
            assert refusal.value.exit_code == 4
    assert kinds(ledger.path) == ["created", "grant", "debit"]
    ledger.grant("trials", 50.0, 1e-3, REPLACE)
    ledger.debit(charge(trial(), dataset="trials"))
    assert ledger.check().faults == []


def test_after_a_release_with_trials_all_is_added_up_at_the_plans_own_deltas(tmp_path):
    ledger = granted(tmp_path, 50.0, 3e-4)
    first = ledger.debit(charge(trial(), delta=1e-4)).spending
    assert first["spent_after"] == first["spent_here"] == composed([trial()], delta=3e-4).epsilon
    second = ledger.debit(charge(gaussian(0.3), delta=2e-4, plan="b")).spending
    trials, noise = (
        composed([event], delta=delta).epsilon for event, delta in ((trial(), 1e-4), (gaussian(0.3), 2e-4))
    )
    assert second["spent_after"] == pytest.approx(trials + noise, rel=1e-3)
    third = ledger.debit(charge(laplace(0.5), delta=2e-4, plan="c")).spending  # it needs none
    assert third["spent_after"] == pytest.approx(second["spent_after"] + 0.5, rel=1e-5)
    with refused(PolicyError, "exceeds-granted-delta", where="study") as refusal:
        ledger.debit(charge(gaussian(0.01), delta=1e-9, plan="d"))
    assert figures(refusal.value.found) == [1e-9]
    assert figures(refusal.value.expected) == [3e-4]
    assert ledger.check().faults == []


def test_a_release_that_costs_nothing_is_no_first_release(tmp_path):
    ledger = granted(tmp_path, 50.0, 1e-3)
    ledger.debit(charge(uncounted=("exact",)))
    ledger.debit(charge(trial(), plan="b"))
    spending = ledger.debit(charge(plan="c", uncounted=("exact",))).spending
    assert (spending["spent_here"], spending["spent_after"]) == (0.0, spending["spent_before"])
    assert ledger.check().faults == []


def test_the_first_debit_decides_and_not_the_grants_that_follow(tmp_path):
    """Its order stays, though nothing was drawn on it and another grant would have had another one."""
    ledger, again = granted(tmp_path, 1.0, 1e-6), Ledger(tmp_path / "again.sqlite")
    again.grant("study", 20.0, 1e-6, REPLACE)
    for book in (ledger, again):
        book.debit(charge(laplace(0.1), gaussian(0.05)))
        book.grant("study", 20.0, 1e-6, REPLACE)
        book.debit(charge(gaussian(0.05), plan="b"))
    one, other = (book.to_json()["study"]["spent"] for book in (ledger, again))
    assert one < 0.7
    assert other > 5
    assert ledger.check().faults == again.check().faults == []


def test_the_order_of_debits_leaves_no_trace_but_for_the_first(tmp_path):
    found = []
    for number, order in enumerate([(1, 2, 3), (3, 2, 1), (2, 1, 3)]):
        ledger = Ledger(tmp_path / f"{number}.sqlite")
        ledger.grant("study", 2.0, 1e-6, REPLACE)
        ledger.debit(charge(gaussian(0.1), laplace(0.1)))
        for n in order:
            ledger.debit(charge(laplace(n / 30), gaussian(n / 50), plan=str(n)))
        found.append(ledger.to_json()["study"]["spent"])
    assert len(set(found)) == 1


def test_a_policys_limit_is_held_against_what_others_paid_meanwhile(tmp_path):
    ledger = granted(tmp_path, 3.0)
    ledger.debit(charge(laplace(0.75)), 0.75)
    with refused(PolicyError, "exceeds-policy", where="study") as refusal:
        ledger.debit(charge(laplace(0.5), plan="b"), 1.0)
    assert refusal.value.exit_code == 4
    assert "max_epsilon_of_dataset" in refusal.value.problem
    assert figures(refusal.value.found) == [1.25, 0.75]  # with it, before it
    assert figures(refusal.value.expected) == [1]
    ledger.debit(charge(laplace(0.5), plan="b"), 1.25)
    assert kinds(ledger.path)[2:] == ["debit", "debit"]


def test_of_many_that_pay_at_once_no_more_than_the_policy_allows_succeed(tmp_path):
    """Each is within the limit by what it saw before it paid."""
    ledger, together, paid = granted(tmp_path, 9.0), threading.Barrier(8), []

    def pay(number):
        wanted = charge(laplace(0.25), plan=str(number))
        assert ledger.standing(wanted)[1].after <= 1.0
        together.wait()
        try:
            paid.append(ledger.debit(wanted, 1.0).spending["spent_after"])
        except PolicyError:
            return

    threads = [threading.Thread(target=pay, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(paid) == [0.25, 0.5, 0.75, 1.0]
    assert ledger.to_json()["study"]["spent"] == 1.0


def test_nothing_is_composed_while_others_wait(tmp_path, monkeypatch):
    ledger, writing, compose = granted(tmp_path, 9.0, 1e-6), store.writing, accounting.epsilon_at
    waiting, composed_then = [], []

    @contextmanager
    def watched(path):
        with writing(path) as entered:
            waiting.append(path)
            yield entered
        waiting.pop()

    monkeypatch.setattr(store, "writing", watched)
    monkeypatch.setattr(
        accounting, "epsilon_at", lambda *a, **k: (composed_then.append(len(waiting)), compose(*a, **k))[1]
    )
    for n in range(4):
        ledger.debit(charge(laplace(0.1 + n / 977), gaussian(0.05 + n / 977), plan=str(n)))
    assert len(composed_then) == 4
    assert not any(composed_then)


def test_check_composes_releases_one_by_one(tmp_path, monkeypatch):
    ledger = granted(tmp_path, 20.0, 1e-6)
    for n in range(12):
        ledger.debit(charge(laplace(0.05), gaussian(0.05), plan=str(n)))
    charges._cost.cache_clear()
    filters._sums.cache_clear()
    monkeypatch.setattr(accounting, "parts_of", functools.partial(_few, accounting.parts_of))
    assert ledger.check().faults == []
    assert ledger.to_json()["study"]["spent"] > 1


def _few(real, events):
    assert len(events) <= 2
    return real(events)


@pytest.mark.parametrize("twin", ["Study", "STUDY"])
def test_two_names_that_differ_in_case_are_refused(tmp_path, twin):
    ledger = granted(tmp_path)
    with refused(PlanError, "similar-dataset-name", where=ledger.path) as refusal:
        ledger.grant(twin, 3.0, 0.0, REPLACE)
    assert (refusal.value.found, refusal.value.expected) == (twin, "study")
    ledger.grant("study-2", 3.0, 0.0, REPLACE)
    ledger.grant("study", 4.0, 0.0, REPLACE)
    assert kinds(ledger.path) == ["created", "grant", "grant", "grant"]


@pytest.mark.parametrize(
    ("epsilon", "delta"),
    [(0, 0), (-1, 0), (math.nan, 0), (math.inf, 0), (1, -1e-9), (1, 0.5), (1, math.nan), (1, 1)],
)
def test_grants_without_meaning_are_refused_before_a_file_is_made(tmp_path, epsilon, delta):
    ledger = Ledger(tmp_path / "l.sqlite")
    wrong = "epsilon" if not 0 < epsilon < math.inf else "delta"
    with refused(PlanError, "bad-grant", where=wrong) as refusal:
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
    with refused(PlanError, "bad-dataset-name", where=ledger.path) as refusal:
        ledger.grant(name, 1, 0, REPLACE)
    assert "\x1b" not in str(refusal.value)
    assert not ledger.path.exists()


def test_an_unknown_dataset_is_not_shown(tmp_path):
    with refused(PlanError, "unknown-dataset", where=tmp_path) as refusal:
        granted(tmp_path).summary("other")
    assert refusal.value.found == "other"
    assert "study" in refusal.value.expected


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
    assert kinds(ledger.path)[2:] == ["debit", EntryKind.TAKEN_OVER]
    assert again.spending["entry"] == ledger.check().head != first.spending["entry"]
    assert {**again.spending, "entry": ""} == {**first.spending, "entry": ""}
    with refused(PolicyError, "exceeds-grant", where="study"):
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
    with refused(PolicyError, "ledger-tampered", where=ledger.path) as refusal:
        uses[use]()
    assert figures(refusal.value.found) == [4]  # the entry
