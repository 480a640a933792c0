"""The guarantee of every mechanism from below: a bound on ε that is proved by a million runs must not exceed the claim.

`docs/evidence/audit.md` says how the bound is made and what it cannot show. Seeds are fixed; for fresh ones each decision would be
wrong with probability 10⁻⁹ at most. Controls: the same audit with half of the noise breaks every guarantee, and the bound
itself is tried on mechanisms whose ε(δ) is known in closed form.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import pytest
from auditing import bound
from auditing.bound import Rates, epsilon_bound, gaussian_epsilon, gaussian_mu, mu_bound, rates
from auditing.choices import law
from auditing.faults import FAULTS
from auditing.mechanisms import MANY, Audited, audited, every_gaussian, every_variant
from auditing.probes import VariantProbe, audit, log_ratio, variant_probe
from auditing.small import one_cell
from refusals import bad_argument
from scipy import stats
from tiers import covering
from variants.people import GAUSSIAN
from variants.small import small_ones

from synthrelease.dp.event import DiscreteLaplace
from synthrelease.dp.noise import SecureRandom, private_choice

if TYPE_CHECKING:
    from auditing.probes import Probe
    from variants.variant import Variant

MECHANISMS = audited()
SMALL = small_ones()
mechanisms = pytest.mark.parametrize("one", MECHANISMS, ids=lambda one: one.name)
small = pytest.mark.parametrize("variant", SMALL, ids=lambda one: one.name)
DEVIATIONS = 6.11  # of a normal variable, beyond which 1e-9 lie on both sides


@cache
def probe_of(name: str) -> Probe:
    return next(one for one in MECHANISMS if one.name == name).make()


def seeded(name: str, number: int = 0) -> SecureRandom:
    return SecureRandom.for_tests(2040 + number).spawn(name)


# --- the audit


@pytest.mark.quick(
    "heatmap-laplace-replace-one",
    "heatmap-gaussian-add-remove-one",
    "areas-transitions-gaussian-replace-one",
    "signals-fpa-laplace-each",
    "signals-dcfpa-gaussian",
    "spectral-signals-recording",
    "statistics-mean-laplace-M1of2-replace-one",
    "statistics-histogram-add-remove-one",
    "records-tree-laplace",
    "private choice",
    "records-test-2-owner",
)
@mechanisms
def test_no_bound_exceeds_the_claim_and_most_come_near(one: Audited, record_property: object) -> None:
    found = audit(probe_of(one.name), one.runs, seeded(one.name))
    record_property("audit", str(found))  # type: ignore[operator]
    assert not found.broken, found
    if one.least is not None:
        assert found.reach is not None
        assert found.share >= one.least * found.reach, found


@pytest.mark.quick(*covering({one.name: one.name.split("-") for one in SMALL}, together=1))
@small
def test_control_with_half_of_the_noise_every_guarantee_is_broken(variant: Variant) -> None:
    probe = probe_of(variant.name)
    assert isinstance(probe, VariantProbe)
    event = replace(probe.event, scale=probe.event.scale / 2)
    found = audit(replace(probe, event=event), 100_000, seeded(variant.name, 1))
    assert found.broken, found
    assert found.share > 1.2, found


@pytest.mark.thorough
def test_integers_that_are_the_same_under_both_datasets_may_be_left_out() -> None:
    """Drawn or not, the bound is the same but for chance: a million releases of all forty cells."""
    whole, part = (variant_probe(one_cell, whole=all_of_them) for all_of_them in (True, False))
    assert whole.sides[0].size == 40
    assert part.sides[0].size == 2
    found = [audit(probe, MANY, seeded("whole")) for probe in (whole, part)]
    assert not found[0].broken
    assert found[0].epsilon == pytest.approx(found[1].epsilon, abs=0.02)


def is_what_is_audited(variant: Variant) -> bool:
    """Whether releases one by one have noise of the event's magnitude, and a statistic of the law of those in arrays.

    600 integers or more of either dataset: a scale that is wrong by a quarter is found.
    """
    probe = probe_of(variant.name)
    assert isinstance(probe, VariantProbe)
    fast = probe.statistics(100_000, seeded(variant.name, 2))
    magnitudes, alike = [], True
    for people, drawn in zip((probe.pair.one, probe.pair.other), fast, strict=True):
        exact = variant.exact(people).ravel()
        released = np.stack(
            [
                variant.noised_in(variant.release(people, seeded(f"{variant.name} {n}"))[0]).ravel()
                for n in range(max(50, 600 // exact.size))
            ]
        )
        magnitudes.append(np.abs(released - exact).ravel())
        told = log_ratio(released[:, probe.told], probe.sides, probe.event)
        alike &= bool(stats.ks_2samp(told, drawn, method="asymp").pvalue > 1e-9)
    seen = np.concatenate(magnitudes) / probe.event.standard_deviation
    expected = math.sqrt(1 / 2 if isinstance(probe.event, DiscreteLaplace) else 2 / math.pi)
    spread = math.sqrt(1 - expected**2) / math.sqrt(seen.size)
    fits = abs(seen.mean() - expected) < DEVIATIONS * spread + 0.5 / probe.event.scale**2
    return alike and bool(fits)


@pytest.mark.thorough
@small
def test_releases_one_by_one_are_what_is_audited(variant: Variant) -> None:
    assert is_what_is_audited(variant)


@pytest.mark.parametrize("name", ["statistics-count-replace-one", "areas-gaussian-replace-one"])
def test_control_releases_with_half_of_the_noise_are_not(name: str) -> None:
    (variant,) = (one for one in SMALL if one.name == name)
    (fault,) = (one for one in FAULTS if one.words == "scale halved")  # not a sentence: a fault
    fast = probe_of(name).statistics  # type: ignore[attr-defined]
    before = fast(100_000, seeded(name, 2))
    with fault.plant(), pytest.MonkeyPatch.context() as patched:
        patched.setattr(VariantProbe, "statistics", lambda *_: before)
        assert not is_what_is_audited(variant)


def test_every_mechanism_is_audited() -> None:
    """One that is added to the variants of the contract is picked up; one kind that has no small variant would be missed."""
    kinds = {type(variant) for variant in SMALL}
    assert {type(variant) for variant in every_variant()} == kinds
    assert len({one.name for one in MECHANISMS}) == len(MECHANISMS)


@pytest.mark.thorough
def test_larger_variants_with_gaussian_noise_can_be_audited_too() -> None:
    """At δ = 10⁻⁶ hardly a run shows ε; μ can be bounded all the same. Some of those of the long run."""
    some = every_gaussian()[:: len(every_gaussian()) // 5]
    for one in some:
        found = audit(one.make(), 100_000, seeded(one.name))
        assert not found.broken, found
        assert found.mu is not None
        assert found.claim.mu is not None
        assert found.reach is not None
        assert found.mu > (found.reach - 0.35) * found.claim.mu, found


# --- the bound itself


def randomized_response(epsilon: float, runs: int, generator: np.random.Generator) -> Rates:
    yes = math.exp(epsilon) / (1 + math.exp(epsilon))
    one, other = (np.where(generator.random(runs) < p, 1.0, -1.0) for p in (yes, 1 - yes))
    return rates(one, other, (0.0,))


def gaussian(mu: float, runs: int, generator: np.random.Generator, *, at: float = 0.0) -> Rates:
    """Log-likelihood ratios of N(μ, 1) and N(0, 1), over thresholds at and around one."""
    one, other = (mu * (generator.standard_normal(runs) + shift * mu) for shift in (0.5, -0.5))
    return rates(one, other, (0.0, at / 2, at, 1.5 * at))


def discrete_laplace(delta_b: tuple[int, float], runs: int, generator: np.random.Generator) -> Rates:
    """Of sensitivity Δ and scale b, by two geometric variables."""
    delta, b = delta_b
    success = -math.expm1(-1 / b)
    noise = [generator.geometric(success, runs) - generator.geometric(success, runs) for _ in range(2)]
    one, other = ((np.abs(x) - np.abs(x - delta)) / b for x in (noise[0] + delta, noise[1]))
    return rates(one, other, tuple(share * delta / b * (1 - 1e-9) for share in (-1, -0.5, 0, 0.5, 1)))


def laplace_epsilon(delta_b: tuple[int, float], delta: float) -> float:
    """ε(δ) of discrete Laplace noise by its definition."""
    moved, b = delta_b
    k = np.arange(-200, 201)
    p = math.tanh(0.5 / b) * np.exp(-np.abs(k) / b)
    loss = (np.abs(k - moved) - np.abs(k)) / b
    grid = np.linspace(0, moved / b, 20_001)
    costs = np.array([(p * np.maximum(-np.expm1(e - loss), 0)).sum() for e in grid])
    return float(grid[costs <= delta][0])


TRUTHS = [
    (lambda n, g: randomized_response(1.0, n, g), 0.0, 1.0),
    (lambda n, g: randomized_response(3.0, n, g), 0.0, 3.0),
    (lambda n, g: gaussian(1.0, n, g, at=gaussian_epsilon(1.0, 0.05)), 0.05, gaussian_epsilon(1.0, 0.05)),
    (lambda n, g: gaussian(1.5, n, g, at=gaussian_epsilon(1.5, 0.1)), 0.1, gaussian_epsilon(1.5, 0.1)),
    (lambda n, g: discrete_laplace((3, 3.0), n, g), 0.0, 1.0),
    (lambda n, g: discrete_laplace((1, 1.0), n, g), 0.288, laplace_epsilon((1, 1.0), 0.288)),
]
truths = pytest.mark.parametrize(("run", "delta", "epsilon"), TRUTHS, ids=range(len(TRUTHS)))


@truths
def test_a_bound_is_never_above_the_truth_and_near_it_after_many_runs(
    run: object, delta: float, epsilon: float
) -> None:
    generator = np.random.default_rng(11)
    few = [epsilon_bound(run(3000, generator), delta=delta) for _ in range(200)]  # type: ignore[operator]
    assert max(few) <= epsilon
    many = epsilon_bound(run(2_000_000, generator), delta=delta)  # type: ignore[operator]
    assert 0.9 * epsilon < many <= epsilon


@pytest.mark.thorough
@truths
def test_a_bound_errs_as_rarely_as_it_says(run: object, delta: float, epsilon: float) -> None:
    """At a significance of 5 % no more than that exceed the truth; it is not so cautious that none comes near."""
    generator = np.random.default_rng(12)
    found = [
        epsilon_bound(run(20_000, generator), delta=delta, significance=0.05)  # type: ignore[operator]
        for _ in range(400)
    ]
    assert (
        stats.binomtest(sum(one > epsilon for one in found), 400, 0.05, alternative="greater").pvalue > 1e-9
    )
    assert max(found) > 0.9 * epsilon


@pytest.mark.parametrize("factor", [1.3, 2.0])
@truths
def test_control_a_smaller_claim_is_refuted(run: object, delta: float, epsilon: float, factor: float) -> None:
    found = epsilon_bound(run(1_000_000, np.random.default_rng(13)), delta=delta)  # type: ignore[operator]
    assert found > epsilon / factor


@pytest.mark.parametrize("mu", [0.2, 1.0, 3.0])
def test_a_bound_on_mu_is_below_the_truth_and_near_it(mu: float) -> None:
    generator = np.random.default_rng(14)
    few = [mu_bound(gaussian(mu, 5000, generator)) for _ in range(200)]
    assert max(few) <= mu
    assert 0.9 * mu < mu_bound(gaussian(mu, 2_000_000, generator)) <= mu
    assert mu_bound(gaussian(2 * mu, 1_000_000, generator)) > mu


def test_both_directions_count() -> None:
    """What is rare under the one and common under the other tells as much as the reverse."""
    found = Rates((0.0,), (99_000,), (90_000,), 100_000)
    turned = Rates((0.0,), (90_000,), (99_000,), 100_000)
    assert epsilon_bound(found) > 2.0  # 10 000 below the threshold against 1000
    assert epsilon_bound(turned) < 0.2
    turned = Rates((0.0,), (10_000,), (1000,), 100_000)
    assert epsilon_bound(turned) == pytest.approx(epsilon_bound(found), rel=1e-6)


def test_nothing_seen_proves_nothing() -> None:
    nothing = Rates((0.0, 1.0), (0, 0), (0, 0), 1000)
    assert epsilon_bound(nothing) == mu_bound(nothing) == 0.0
    assert bound.at_least(0, 1000, 1e-9) == 0.0
    assert bound.at_most(1000, 1000, 1e-9) == 1.0
    with bad_argument(ValueError, 2, 3):
        rates(np.zeros(2), np.zeros(3), (0.0,))


def test_ends_of_intervals_are_those_of_clopper_and_pearson() -> None:
    for successes, runs, level in ((3, 50, 1e-3), (999, 1000, 1e-9), (1, 10, 0.025)):
        low, high = bound.at_least(successes, runs, level), bound.at_most(successes, runs, level)
        assert stats.binom.sf(successes - 1, runs, low) == pytest.approx(level, rel=1e-6)
        assert stats.binom.cdf(successes, runs, high) == pytest.approx(level, rel=1e-6)


@pytest.mark.parametrize(("epsilon", "delta"), [(1.0, 0.02), (1.0, 1e-6), (3.0, 1e-4)])
def test_what_a_gaussian_guarantees_is_the_same_on_the_way_back(epsilon: float, delta: float) -> None:
    from synthrelease.dp.calibration import gaussian_sigma

    mu = gaussian_mu(epsilon, delta)
    assert gaussian_epsilon(mu, delta) == pytest.approx(epsilon, rel=1e-6)
    assert 1 / mu == pytest.approx(gaussian_sigma(epsilon, delta, sensitivity=1.0), rel=1e-6)


def test_the_law_of_a_private_choice_is_what_is_drawn() -> None:
    utilities, random = (0, -3, 2, 2), SecureRandom.for_tests(15)
    p = law(utilities, sensitivity=2, epsilon=1.5)
    assert p.sum() == pytest.approx(1)
    drawn = [private_choice(utilities, sensitivity=2, epsilon=1.5, random=random) for _ in range(20_000)]
    seen = np.bincount(drawn, minlength=4)
    assert stats.chisquare(seen, 20_000 * p).pvalue > 1e-9


@pytest.mark.thorough
def test_noise_of_the_gaussian_kind_is_claimed_by_its_curve() -> None:
    for variant in SMALL:
        claim = probe_of(variant.name).claim
        assert (claim.mu is not None) == (variant.noise == GAUSSIAN)
        assert (claim.delta > 0) == (variant.noise == GAUSSIAN)
