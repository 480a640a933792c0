"""What entries amount to, against a model that has nothing but lists, the accounting of one release and the library's Rényi."""

import itertools
import math

import pytest
from dp_accounting import NeighboringRelation, dp_event
from dp_accounting.rdp import RdpAccountant
from goldens import check_text
from hypothesis import given
from hypothesis import strategies as st
from spending import ADD, REPLACE, another_process, charge, gaussian, laplace, trial, without_syncing

from synthrelease.bundle import release_claims
from synthrelease.dp import accounting
from synthrelease.dp.event import (
    Composed,
    DeniabilityTest,
    DiscreteLaplace,
    PrivateChoice,
    RandomizedTest,
    RoundedGaussian,
)
from synthrelease.dp.guarantee import ApproxDP, PureDP
from synthrelease.dp.renyi import ORDERS
from synthrelease.errors import PolicyError
from synthrelease.ledgers import Charge, Grant, Ledger
from synthrelease.ledgers.account import Account, AccountDebit, AccountGrant, AccountStanding
from synthrelease.ledgers.owner import Owner


def composed(events, delta, budget=None):
    """The guarantee of one release with all these events, at δ."""
    if not events:
        return 0.0
    guarantee = accounting.compose(events, delta=delta or 0.5, budget=budget)
    if isinstance(guarantee, PureDP) or (isinstance(guarantee, ApproxDP) and delta > 0):
        return guarantee.epsilon
    return math.inf


class Model:
    """The oracle: releases in a list, and what `filter.proof.md` says of them, in floating-point numbers."""

    def __init__(self):
        self.first = self.order = None

    def begin(self, events, epsilon, delta):
        """Take in the first release that costs anything, with its grant."""
        self.first, delta = events, delta or 1e-6
        self.gaussian = all(isinstance(event, RoundedGaussian) for event in events)
        like = events if any(isinstance(event, RoundedGaussian) for event in events) else [gaussian(1.0)]
        self.order = max(
            ORDERS, key=lambda a: (epsilon - self.conversion(a, delta)) / self.divergence(like, a)
        )

    def share(self, delta):
        return 0.1 * delta if self.gaussian else delta

    def conversion(self, a, delta):
        return math.log1p(-1 / a) - math.log(self.share(delta) * a) / (a - 1)

    def divergence(self, events, a):
        found = RdpAccountant([a], NeighboringRelation.REPLACE_ONE)
        for event in events:
            found.compose(
                dp_event.GaussianDpEvent(event.scale / event.sensitivity)
                if isinstance(event, RoundedGaussian)
                else dp_event.RandomizedResponseDpEvent(2 / (1 + math.exp(1 / event.scale)), 2)
            )
        return found._rdp[0]

    def cost(self, releases, epsilon, delta):
        """ε of releases under a grant."""
        costing = [events for events in releases if events]
        events, bounds = list(itertools.chain(*costing)), []
        if not events:
            return 0.0
        kinds = {type(event) for event in events}
        if len(costing) == 1:
            bounds.append(composed(events, delta, epsilon))
        if kinds == {DiscreteLaplace}:
            bounds.append(composed(events, 0.5, epsilon))
        if delta > 0 and self.gaussian and kinds == {RoundedGaussian}:
            bounds.append(composed(events, 0.9 * delta, epsilon))
        if delta > 0:
            bounds.append(max(0.0, self.conversion(self.order, delta) + self.divergence(events, self.order)))
        return min(bounds, default=math.inf)


EVENTS = st.one_of(
    st.sampled_from([0.25, 0.5, 1.0]).map(laplace), st.sampled_from([0.1, 0.3, 0.5]).map(gaussian)
)
STEPS = st.lists(
    st.one_of(
        st.tuples(
            st.just("grant"), st.sampled_from([0.5, 1.0, 2.0, 5.0]), st.sampled_from([0.0, 1e-6, 1e-3])
        ),
        st.tuples(st.just("debit"), st.lists(EVENTS, max_size=2), st.booleans(), st.sampled_from("ab")),
    ),
    max_size=9,
).map(lambda steps: [("grant", 5.0, 1e-6), *steps])


@given(steps=STEPS)
def test_any_sequence_of_grants_and_debits_amounts_to_what_a_list_would(tmp_path_factory, steps):
    with without_syncing():
        _compared(tmp_path_factory, steps)


def close(epsilon):
    return pytest.approx(epsilon, rel=1.1e-5)


def _compared(tmp_path_factory, steps):
    ledger, paid, grant, model = Ledger(tmp_path_factory.mktemp("any") / "l.sqlite"), [], None, Model()
    ledger.grant("other", 1, 0, REPLACE)  # another dataset's never counts
    ledger.debit(charge(laplace(1.0), dataset="other")).begin_drawing()
    for step in steps:
        if step[0] == "grant":
            grant = step[1:]
            ledger.grant("study", *grant, REPLACE)
            continue
        _, events, drawn, plan = step
        wanted = charge(*events, plan=plan)
        # A debit that nothing was drawn on, by a process that has ended, is used again; each counts once.
        reused = next((one for one in paid if one["charge"] == wanted and not one["drawn"]), None)
        others = [list(one["charge"].events) for one in paid if one is not reused]
        begins = model.first is None and bool(events)
        if begins:
            model.begin(events, *grant)
        due = model.cost([*others, events], *grant) if model.first else 0.0
        with pytest.MonkeyPatch.context() as patch, another_process(patch):
            if due > grant[0]:
                with pytest.raises(PolicyError):
                    ledger.standing(wanted)
                with pytest.raises(PolicyError):
                    ledger.debit(wanted)
                if begins:  # what was refused was no first release
                    model.first = None
                continue
            quoted = ledger.standing(wanted)[1]
            debit = ledger.debit(wanted)
            assert debit.spending["spent_before"] == quoted.before
            assert quoted.before == close(model.cost(others, *grant) if model.first else 0.0)
            assert debit.spending["spent_here"] == quoted.here == composed(events, grant[1], grant[0])
            assert debit.spending["spent_after"] == quoted.after == close(due)
            if drawn:
                debit.begin_drawing()
        if reused is None:
            paid.append(reused := {"charge": wanted})
        reused["drawn"] = drawn
    assert ledger.check().faults == []
    found = ledger.to_json()["study"]
    assert len(found["debits"]) == len(paid)
    spent = model.cost([list(one["charge"].events) for one in paid], *grant) if model.first else 0.0
    assert found["spent"] == (close(spent) if math.isfinite(spent) else None)


RELEASES = st.one_of(
    st.lists(EVENTS, max_size=3),
    st.sampled_from([0.01, 0.03]).map(lambda epsilon: [laplace(epsilon)] * 60),
    st.lists(EVENTS, max_size=1).map(lambda events: [trial(), *events]),
)
GRANTS = st.tuples(st.sampled_from([0.5, 5.0, 100.0]), st.sampled_from([0.0, 1e-6, 1e-3]))


@given(
    steps=st.lists(st.tuples(RELEASES, st.sampled_from([1e-7, 2e-4])), min_size=1, max_size=6),
    grants=st.lists(GRANTS, min_size=1, max_size=3),
    data=st.data(),
)
def test_what_any_honest_history_states_is_believed_by_verify(steps, grants, data):
    """From the first release to the second, from one sum to another, under one grant and the next, taken over or not."""
    account = Account()
    for number, (events, delta) in enumerate(steps, start=1):
        granted = data.draw(st.sampled_from(grants)) if number > 1 else grants[0]
        account.grants.append(AccountGrant(number, "", Grant(*granted, REPLACE)))
        wanted, taken = charge(*events, delta=delta), data.draw(st.booleans())
        standing = account.costs(wanted)
        if standing.after > granted[0]:
            continue
        account.add(AccountDebit(number, "", "", wanted, standing, Owner.this()))
        _believed(standing, granted[1], events)
        if taken:  # any debit, under the grant of now
            other = data.draw(st.sampled_from(list(account.debits.values())))
            again = account.costs(other.charge, debit=other.number)
            if again.after <= granted[0]:
                _believed(again, granted[1], other.charge.events)


def _believed(standing, delta, events):
    told = {"spent_before": standing.before, "spent_here": standing.here, "spent_after": standing.after}
    manifest = {
        "ledger": {"delta": delta, **told},
        "randomness": {"test_seed": False},
        "privacy": {"neighbours": str(REPLACE)},
    }
    assert list(release_claims._ledger_faults(manifest, list(events))) == []
    assert standing.before <= standing.after


@pytest.mark.parametrize(
    ("events", "delta"),
    [
        ([laplace(0.1)] * 7, 0.0),
        ([gaussian(0.3)] * 9, 1e-6),
        ([laplace(0.2), gaussian(0.3), PrivateChoice(0.1, 3)], 1e-5),
        ([RandomizedTest(12, 1.5, 1.6, 5, 400)], 1e-4),
    ],
)
def test_cost_is_that_of_one_release_with_all_events(events, delta):
    assert Grant(100.0, delta, REPLACE).cost(events) == composed(events, delta, 100.0)


def test_gaussian_releases_cost_less_together_than_added_up(tmp_path):
    ledger = Ledger(tmp_path / "l.sqlite")
    ledger.grant("study", 10, 1e-6, REPLACE)
    for _ in range(4):
        spending = ledger.debit(charge(gaussian(0.2))).spending
    assert spending["spent_after"] == composed([gaussian(0.4)], 0.9e-6)
    assert spending["spent_after"] < 2.2 * spending["spent_here"]


@pytest.mark.parametrize("events", [[gaussian(0.1)], [laplace(0.1), gaussian(0.1)]])
def test_without_a_delta_noise_that_needs_one_has_no_epsilon(events):
    assert Grant(100.0, 0.0, REPLACE).cost(events) == math.inf


def test_trials_that_exceed_the_delta_have_no_epsilon():
    hopeless = RandomizedTest(2, 4.0, 0.001, 1000, 30)
    assert Grant(100.0, 1e-12, REPLACE).cost([hopeless]) == math.inf


def test_what_is_no_differential_privacy_costs_nothing_here():
    assert Grant(1.0, 0.0, REPLACE).cost([DeniabilityTest(8, 4.0, "person", vacuous=False)]) == 0.0


def test_rounding_stops_at_the_grant_and_never_below_what_it_costs():
    event = DiscreteLaplace(1, 3.0, 5)
    true = math.nextafter(1 / 3, 1)  # the least number that is not below a third
    assert Grant(true, 0.0, REPLACE).cost([event]) == true
    assert Grant(math.nextafter(true, 0), 0.0, REPLACE).cost([event]) == 0.333334
    assert Grant(0.5, 0.0, REPLACE).cost([event]) == 0.333334


@pytest.mark.parametrize("epsilon", [0.0, -1.0, math.nan, math.inf, -math.inf])
def test_a_grant_of_such_an_epsilon_has_no_meaning(epsilon):
    with pytest.raises(ValueError, match="epsilon"):
        Grant(epsilon, 0.0, REPLACE)


@pytest.mark.parametrize("delta", [-1e-9, 0.5, 1.0, math.nan, math.inf])
def test_a_grant_of_such_a_delta_has_no_meaning(delta):
    with pytest.raises(ValueError, match="delta"):
        Grant(1.0, delta, REPLACE)


def test_huge_and_tiny_grants_are_numbers(tmp_path):
    ledger = Ledger(tmp_path / "l.sqlite")
    ledger.grant("study", 1e308, 1e-300, REPLACE)
    ledger.debit(charge(laplace(1e-9), laplace(1e9)))
    assert ledger.check().faults == []
    ledger.grant("study", 5e-324, 0, REPLACE)
    with pytest.raises(PolicyError):
        ledger.debit(charge(laplace(1e-9), plan="b"))


@pytest.mark.parametrize("bad", ["nan", "inf", "-1", "x"])
def test_a_standing_is_of_numbers(bad):
    with pytest.raises(ValueError, match=r"\bε|'x'"):
        AccountStanding.from_json({"before": "0.0", "here": "1.0", "after": bad})


def test_forms_are_read_back():
    grant = Grant(2.5, 1e-6, ADD)
    assert Grant.from_json(grant.to_json()) == grant
    standing = AccountStanding(0.1, 0.2, 0.30000000000000004)
    assert AccountStanding.from_json(standing.to_json()) == standing
    wanted = charge(
        laplace(0.3), gaussian(0.1), Composed((PrivateChoice(0.1, 4), laplace(1 / 3))), uncounted=("a",)
    )
    assert Charge.from_json(wanted.to_json()) == wanted


def test_states_tell_how_far_a_release_came():
    paid = AccountDebit(1, "", "", charge(), AccountStanding(0, 0, 0), Owner.this())
    drawn = AccountDebit(**{**vars(paid), "drawn": True})
    noted = AccountDebit(**{**vars(paid), "released": "ab"})
    both = AccountDebit(**{**vars(drawn), "released": "ab"})
    states = {"paid": paid.state, "drawn": drawn.state, "noted": noted.state, "both": both.state}
    assert noted.state == both.state == "released"
    check_text("ledger/states", "\n".join(f"{name}: {state}" for name, state in states.items()))


def test_only_what_was_paid_for_the_very_same_and_not_used_is_left_over():
    wanted = charge(laplace(1.0))
    gone = Owner("elsewhere", "", 1, "")
    paid = AccountDebit(1, "", "", wanted, AccountStanding(0, 1, 1), gone)
    assert not paid.is_left_over(wanted)  # no one can say what another machine does
    paid = AccountDebit(**{**vars(paid), "owner": Owner(Owner.this().host, "before", 1, "")})
    assert paid.is_left_over(wanted)
    for other in (
        charge(laplace(0.5)),
        charge(laplace(1.0), plan="b"),
        charge(laplace(1.0), uncounted=("x",)),
    ):
        assert not paid.is_left_over(other)
    for changes in ({"drawn": True}, {"released": "ab"}, {"owner": Owner.this()}):
        assert not AccountDebit(**{**vars(paid), **changes}).is_left_over(wanted)
    assert Account(debits={1: paid}).left_over(wanted) is paid
