"""ε and noise of every mechanism, as plans make them, against OpenDP, dp-accounting and autodp.

A claim is never below a witness's exact ε, but for the witness's error, and above it by no more than claims are rounded up. Where a
witness has bounds only, its module says which, and why.

No witness has a map of these: ε and δ of a single trial of a randomized deniability test, whose composition is witnessed; and the
sensitivity of the utilities of a private cap and of private coefficients. σ of Liu et al. 2019 is in no library either: its ε is witnessed.

diffprivlib cannot be had: 0.6.6 cannot be imported beside scikit-learn 1.9 (ImportError: cannot import name 'DOUBLE' from
'sklearn.tree._tree').
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from synthrelease.building.design import Design, PlannedOutput
from synthrelease.dp import accounting
from synthrelease.dp.calibration import gaussian_delta, gaussian_epsilon, gaussian_sigma, laplace_scale
from synthrelease.dp.event import (
    Composed,
    DiscreteLaplace,
    Disjoint,
    Event,
    PrivateChoice,
    RandomizedTest,
    RoundedGaussian,
)
from synthrelease.dp.guarantee import ApproxDP, Neighbours, PureDP
from synthrelease.dp.sensitivity import quantile_utility
from synthrelease.kinds.statistics.quantiles import utilities
from synthrelease.schemas import schema
from witnesses import by_autodp, by_dp_accounting, by_opendp, stability
from witnesses.noises import Bounds, Noises
from witnesses.plans import (
    ADD_REMOVE,
    NOISES,
    OUTPUTS,
    RANDOMIZED,
    RELEASES,
    REPLACE,
    STATISTICS,
    Case,
    ReleaseCase,
    cases,
    designed,
    values_of,
)

pytestmark = pytest.mark.thorough

# Claims are rounded up to six digits; of mixed noise to four, after distributions on a grid of losses.
SIX_DIGITS, FOUR_DIGITS = 1.1e-5, 1.2e-3
FOURIER_SLACK = 3e-3  # four digits, that grid, and the accountant's error in δ
CASES = cases()


@dataclass(frozen=True)
class Planned:
    """One output of a plan, and what the package claims of it."""

    output: PlannedOutput
    claim: float
    neighbours: Neighbours

    @property
    def noises(self) -> Noises:
        """Its noise and its choices."""
        return Noises.of([self.output.event])

    @property
    def rounding(self) -> float:
        """By which share its claim is rounded up."""
        mixed = bool(self.noises.gaussian) and not self.noises.gaussian_alone
        return FOUR_DIGITS if mixed else SIX_DIGITS

    @property
    def delta(self) -> float:
        """δ of the claim."""
        return 0.0 if self.noises.pure else self.output.delta


def claim_of(event: Event, delta: float, neighbours: Neighbours = Neighbours.REPLACE_ONE) -> float:
    """Return ε of what a witness knows in an event, as a ledger counts it."""
    return accounting.epsilon_at([event], delta=delta, neighbours=neighbours)


@pytest.fixture(scope="session", params=CASES, ids=[case.name for case in CASES])
def planned(request: pytest.FixtureRequest, tables: Path) -> Planned:
    case: Case = request.param
    design = designed(
        tables, {"alone": case.keys}, epsilon=case.epsilon, delta=case.delta, neighbours=case.neighbours
    )
    (output,) = design.outputs
    claim = claim_of(output.event, output.delta, design.plan.neighbours)
    # Where a deniability test stands beside the noise, the guarantee is another; ledgers count the noise all the same.
    if isinstance(output.guarantee, PureDP | ApproxDP):
        assert output.guarantee.epsilon == claim
    return Planned(output, claim, design.plan.neighbours)


# --- what is witnessed


def test_every_mechanism_that_plans_offer_is_here() -> None:
    kinds = schema("plan-v1")["$defs"]
    offered = {
        (kind, key): set(kinds[kind]["properties"][key]["enum"])
        for kind in ("heatmap", "areas", "signals", "statistics", "records")
        for key in ("mechanism", "noise", "query", "clipping", "model", "fit", "dependence", "threshold")
        if key in kinds[kind]["properties"]
    }
    assert offered[("statistics", "noise")] == set(NOISES)
    for (kind, key), values in offered.items():
        here = [keys for keys in (*OUTPUTS.values(), RANDOMIZED) if keys["kind"] == kind]
        unprotected = {"exact"} if key == "fit" else set()
        assert values - unprotected == values_of(key, here), (kind, key)
    statistics = {name for keys in OUTPUTS.values() for name in keys.get("statistics", [])}
    assert statistics >= {*STATISTICS, "median"}
    assert {case.neighbours for case in CASES} == {REPLACE, ADD_REMOVE}


# --- ε of an output


def test_epsilon_agrees_with_opendp_s_maps(planned: Planned) -> None:
    noises = planned.noises
    assert planned.claim in by_opendp.epsilon(noises, planned.delta).or_rounded_up(planned.rounding)
    if noises.gaussian:
        rho = float(accounting.parts_of(noises.gaussian).mu_squared) / 2
        theirs = by_opendp.rho(replace(noises, laplace=(), choices=()))
        assert rho == pytest.approx(theirs, rel=by_opendp.CARE)


def test_epsilon_agrees_with_dp_accounting(planned: Planned) -> None:
    noises = planned.noises
    between = by_dp_accounting.losses([planned.output.event], planned.delta, near=planned.claim)
    assert between.high < 1.002 * between.low  # a step and less for each of five events
    assert planned.claim in between.or_rounded_up(planned.rounding)
    if not noises.pure:
        renyi = by_dp_accounting.renyi(noises, planned.delta)
        assert planned.claim in renyi.or_rounded_up(planned.rounding)
        if noises.gaussian_alone:
            exact = by_dp_accounting.analytic(noises.gaussian[0], planned.delta)
            assert planned.claim in exact.or_rounded_up(planned.rounding)


def test_epsilon_agrees_with_autodp(planned: Planned) -> None:
    noises = planned.noises
    if noises.pure:
        assert planned.claim in by_autodp.pure(noises).or_rounded_up(planned.rounding)
    elif noises.gaussian_alone:
        exact = by_autodp.analytic(noises.gaussian[0], planned.delta)
        assert planned.claim in exact.or_rounded_up(planned.rounding)
    else:
        agrees_with_fourier(noises, planned.claim, planned.delta)


def agrees_with_fourier(noises: Noises, claim: float, delta: float, slack: float = FOURIER_SLACK) -> None:
    """At the claim δ is not more than guaranteed, and at a little less it is more."""
    care = by_autodp.FOURIER_CARE
    assert by_autodp.fourier_delta(noises, claim) <= delta + care
    assert by_autodp.fourier_delta(noises, claim * (1 - slack)) >= delta - care


# --- noise for a budget


def test_noise_is_the_least_for_its_budget(planned: Planned) -> None:
    """σ or b is the least that witnesses allow for what choices leave of ε; a paper's σ is witnessed by its ε alone."""
    noises, budget = planned.noises, planned.output.budget
    assert budget is not None
    if planned.output.spec.options.get("calibration") == "liu2019":
        assert planned.claim < budget.epsilon
        return
    left = budget.epsilon - sum(choice.epsilon for choice in noises.choices)
    for laplace in noises.laplace:
        scale = by_opendp.laplace_scale(left, sensitivity=laplace.sensitivity)
        assert laplace.scale == pytest.approx(scale, rel=by_opendp.CARE)
    for gaussian in noises.gaussian:
        sigma = gaussian.scale / gaussian.sensitivity
        theirs = by_dp_accounting.gaussian_sigma(left, budget.delta)
        assert sigma == pytest.approx(theirs, rel=by_dp_accounting.CARE)
        # δ falls faster than 1/σ: its error is more than that of σ.
        searched = by_autodp.gaussian_sigma(left, budget.delta)
        assert sigma == pytest.approx(searched, rel=by_autodp.CARE + by_autodp.SEARCH / budget.delta)


# --- sensitivities


def test_sensitivities_are_those_of_opendp_s_stability_maps(planned: Planned) -> None:
    outcomes = stability.outcomes(planned.output.mechanism)
    sensitivities = [mechanism.parameters.sensitivity(planned.neighbours) for mechanism in outcomes]
    for mechanism, sensitivity in zip(outcomes, sensitivities, strict=True):
        moved = stability.moved(mechanism)
        slack = 1.0 if stability.is_exact(mechanism) else stability.SIDE_BY_SIDE
        if moved.l1 is not None:
            assert moved.l1 / slack <= sensitivity.l1 <= moved.l1
        assert moved.l2_squared / slack**2 <= sensitivity.l2_squared <= moved.l2_squared
    # The noise is for one of the outcomes of a private choice.
    for laplace in planned.noises.laplace:
        assert laplace.sensitivity in [one.l1 for one in sensitivities]
    for gaussian in planned.noises.gaussian:
        assert gaussian.sensitivity in [one.l2 for one in sensitivities]


@pytest.mark.parametrize("neighbours", Neighbours)
@pytest.mark.parametrize("p", [0.5, 0.25, 0.875])
def test_utilities_of_quantiles_are_opendp_s_scores(p: float, neighbours: Neighbours) -> None:
    """In units of people, which OpenDP counts in other steps for every p. Where people are, an interval is better than its middle."""
    counts = [3, 0, 0, 5, 0, 4, 0]
    values = [interval + 0.5 for interval, count in enumerate(counts) for _ in range(count)]
    middles = [interval + 0.5 for interval in range(len(counts))]
    scores, moved = by_opendp.quantile_scores(
        values, middles, p, replaced=neighbours is Neighbours.REPLACE_ONE
    )
    everyone_below, _ = by_opendp.quantile_scores(
        [0.0] * len(values), [1.0], p, replaced=neighbours is Neighbours.REPLACE_ONE
    )
    per_person = everyone_below[0] / (len(values) * (1 - p))
    sensitivity = quantile_utility(Fraction(p), moving=False, neighbours=neighbours)
    fraction = p.as_integer_ratio()[1]
    ours = utilities(np.array(counts), Fraction(p))
    for score, utility, count in zip(scores, ours, counts, strict=True):
        if count == 0:
            assert -utility / fraction == pytest.approx(score / per_person)
        else:
            assert -utility / fraction <= score / per_person
    assert sensitivity / fraction == pytest.approx(moved / per_person)


# --- ε of a release


@pytest.fixture(scope="module", params=RELEASES)
def release(request: pytest.FixtureRequest, tables: Path) -> Design:
    case: ReleaseCase = RELEASES[request.param]
    return designed(tables, case.keys, epsilon=case.epsilon, delta=case.delta, neighbours=case.neighbours)


def test_a_release_s_epsilon_agrees_with_every_composition(release: Design) -> None:
    assert isinstance(release.guarantee, PureDP | ApproxDP)
    claim, delta = release.guarantee.epsilon, release.plan.delta
    events = [part for o in release.outputs if (part := accounting.protected_part(o.event)) is not None]
    assert len(events) == len(release.outputs)
    noises = Noises.of(events)
    rounding = SIX_DIGITS if noises.pure or noises.gaussian_alone else FOUR_DIGITS
    between = by_dp_accounting.losses(events, delta, near=claim)
    assert between.high < 1.01 * between.low
    assert claim in between.or_rounded_up(rounding)
    assert claim in by_opendp.epsilon(noises, delta).or_rounded_up(rounding)
    if not noises.pure:
        assert claim in by_dp_accounting.renyi(noises, delta).or_rounded_up(rounding)
        # Beside private choices Laplace noise is claimed as if it had one step, which costs up to a hundredth more.
        agrees_with_fourier(noises, claim, delta, slack=1e-2)


def test_opendp_composes_the_same_noise_to_the_same_rho(tables: Path) -> None:
    case = RELEASES["three-times-the-same"]
    design = designed(tables, case.keys, epsilon=case.epsilon, delta=case.delta)
    noises = Noises.of([output.event for output in design.outputs]).gaussian
    together = by_opendp.composed([by_opendp.gaussian(one.scale) for one in noises])
    rho = float(accounting.parts_of(noises).mu_squared) / 2
    assert rho == pytest.approx(together.map(noises[0].sensitivity), rel=by_opendp.CARE)


# --- randomized deniability tests

TESTS = [  # and δ
    (RandomizedTest(k=12, gamma=1.5, epsilon0=1.6, trials=5, seeds=30), 1e-3),
    (RandomizedTest(k=100, gamma=4.0, epsilon0=0.5, trials=100, seeds=500), 3.7e-4),
    (RandomizedTest(k=40, gamma=2.0, epsilon0=1.0, trials=20, seeds=100), 1e-6),
]


@pytest.mark.parametrize(("test", "delta"), TESTS, ids=["few", "hundred", "twenty"])
def test_trials_compose_as_witnesses_say(test: RandomizedTest, delta: float) -> None:
    """No witness has one trial's (ε, δ). From there: not below the exact composition, and not above Kairouz' closed form."""
    claim = claim_of(test, delta)
    low, high = by_dp_accounting.trials(test, delta), by_autodp.trials(test, delta)
    assert claim in Bounds(low, high).or_rounded_up(FOUR_DIGITS)
    assert claim < 1.01 * low


@pytest.mark.parametrize("noise", NOISES)
def test_a_randomized_test_beside_a_fit_of_other_people_costs_the_dearer_of_both(
    noise: str, tables: Path
) -> None:
    keys = RANDOMIZED | {"noise": noise}
    design = designed(tables, {"randomized": keys}, epsilon=40.0, delta=1e-3)
    (output,) = design.outputs
    assert isinstance(output.event, Disjoint)
    fit, test = output.event.events
    assert isinstance(test, RandomizedTest)
    of_fit = claim_of(fit, output.delta)
    assert of_fit in by_opendp.epsilon(Noises.of([fit]), output.delta).or_rounded_up(SIX_DIGITS)
    low = by_dp_accounting.trials(test, output.delta)
    claim = claim_of(output.event, output.delta)
    assert max(of_fit, low) <= claim <= max(of_fit, by_autodp.trials(test, output.delta)) * (1 + FOUR_DIGITS)


# --- the curve of Gaussian noise

MUS = [0.01, 0.1, 0.5, 2.0, 8.0]
DELTAS = [1e-3, 1e-6, 1e-10]
curve = pytest.mark.parametrize("delta", DELTAS)


@curve
@pytest.mark.parametrize("mu", MUS)
def test_epsilon_of_gaussian_noise_is_that_of_two_witnesses(mu: float, delta: float) -> None:
    epsilon = gaussian_epsilon(delta, sigma=1 / mu, sensitivity=1.0)
    event = RoundedGaussian(1.0, 1 / mu, 1)
    assert epsilon in by_dp_accounting.analytic(event, delta)
    assert epsilon in by_autodp.analytic(event, delta)
    if epsilon > 0:
        assert gaussian_delta(epsilon, sigma=1 / mu, sensitivity=1.0) == pytest.approx(delta, rel=1e-9)


@pytest.mark.parametrize("mu", MUS)
@pytest.mark.parametrize("share", [0.0, 0.5, 2.0, 5.0])
def test_delta_of_gaussian_noise_is_that_of_autodp(mu: float, share: float) -> None:
    epsilon = share * mu
    delta = gaussian_delta(epsilon, sigma=1 / mu, sensitivity=1.0)
    assert delta == pytest.approx(by_autodp.gaussian_delta(epsilon, mu), rel=by_autodp.CARE)


@curve
@pytest.mark.parametrize("epsilon", [0.01, 0.3, 1.0, 5.0, 30.0])
def test_sigma_of_gaussian_noise_is_that_of_dp_accounting(epsilon: float, delta: float) -> None:
    ours = gaussian_sigma(epsilon, delta, sensitivity=7.0)
    theirs = 7 * by_dp_accounting.gaussian_sigma(epsilon, delta)
    assert ours == pytest.approx(theirs, rel=by_dp_accounting.CARE)


@pytest.mark.parametrize("epsilon", [1e-3, 0.1, 1.0, 7.3])
@pytest.mark.parametrize("sensitivity", [1, 13, 10**7])
def test_scale_of_laplace_noise_is_that_of_opendp(epsilon: float, sensitivity: int) -> None:
    theirs = by_opendp.laplace_scale(epsilon, sensitivity=sensitivity)
    assert laplace_scale(epsilon, sensitivity=sensitivity) == pytest.approx(theirs, rel=by_opendp.CARE)


# --- controls: witnesses reject what is wrong

GAUSSIAN, LAPLACE = RoundedGaussian(10.0, 42.0, 5), DiscreteLaplace(6, 5.0, 4)
MIXED = Composed((PrivateChoice(0.3, 5), GAUSSIAN))
DELTA = 1e-5


def rejections(claim: float, event: Event, delta: float) -> dict[str, bool]:
    """Whether each exact witness rejects a claim of an event."""
    noises = Noises.of([event])
    delta = 0.0 if noises.pure else delta
    rejected = {"losses": claim not in by_dp_accounting.losses([event], delta, near=claim)}
    if noises.pure:
        rejected["opendp"] = claim not in by_opendp.epsilon(noises, delta)
        rejected["autodp"] = claim not in by_autodp.pure(noises)
    elif noises.gaussian_alone:
        rejected["analytic"] = claim not in by_dp_accounting.analytic(noises.gaussian[0], delta)
        rejected["autodp"] = claim not in by_autodp.analytic(noises.gaussian[0], delta)
    else:
        wrong = (
            by_autodp.fourier_delta(noises, claim) > delta + by_autodp.FOURIER_CARE,
            by_autodp.fourier_delta(noises, claim * (1 - FOURIER_SLACK)) < delta - by_autodp.FOURIER_CARE,
        )
        rejected["fourier"] = any(wrong)
    return rejected


def scaled(event: Event, *, scale: float = 1.0, sensitivity: float = 1.0) -> Event:
    """Return an event with other noise."""
    if isinstance(event, Composed):
        return Composed(tuple(scaled(part, scale=scale, sensitivity=sensitivity) for part in event.events))
    if isinstance(event, RoundedGaussian):
        return replace(event, scale=scale * event.scale, sensitivity=sensitivity * event.sensitivity)
    if isinstance(event, DiscreteLaplace):
        return replace(event, scale=scale * event.scale, sensitivity=round(sensitivity * event.sensitivity))
    return event


events = pytest.mark.parametrize("event", [GAUSSIAN, LAPLACE, MIXED], ids=["gaussian", "laplace", "mixed"])


@events
@pytest.mark.parametrize("factor", [0.95, 1.05])
def test_control_a_claim_of_a_scale_wrong_by_five_percent_is_rejected(event: Event, factor: float) -> None:
    rejected = rejections(claim_of(scaled(event, scale=factor), DELTA), event, DELTA)
    assert all(rejected.values()), rejected


@events
@pytest.mark.parametrize("factor", [0.5, 2.0])
def test_control_a_claim_of_a_sensitivity_wrong_by_a_factor_of_two_is_rejected(
    event: Event, factor: float
) -> None:
    claim = claim_of(scaled(event, sensitivity=factor), DELTA)
    rejected = rejections(claim, event, DELTA)
    noises = Noises.of([event])
    if noises.gaussian_alone:  # bounds that follow from divergences are near enough for that
        rejected["rho"] = claim not in by_opendp.epsilon(noises, DELTA)
        rejected["renyi"] = claim not in by_dp_accounting.renyi(noises, DELTA)
    assert all(rejected.values()), rejected


@pytest.mark.parametrize("event", [GAUSSIAN, MIXED], ids=["gaussian", "mixed"])
@pytest.mark.parametrize("factor", [0.5, 2.0])
def test_control_a_claim_at_another_delta_is_rejected(event: Event, factor: float) -> None:
    rejected = rejections(claim_of(event, factor * DELTA), event, DELTA)
    assert all(rejected.values()), rejected


@events
def test_what_is_right_is_not_rejected(event: Event) -> None:
    exact, _ = accounting.unrounded_epsilon([event], delta=DELTA)
    rejected = rejections(exact, event, DELTA)
    assert not any(rejected.values()), rejected
