"""The contract of every mechanism, II: what is made of the integers.

What is released is the exact integers with the event's noise, and what follows from that: nothing else of the
data gets through. Seeds are fixed; each statistical decision would be wrong for a fresh one with probability
1e-9. With 10 000 differences a scale is known to 0.9 % (one standard deviation, Laplace; less for the Gaussian),
so that a deviation of 10 % is found in all but one of 10⁵ cases; with 600, in the quick tier, one of 40 %.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import mpmath
import numpy as np
import pytest
from refusals import refused
from scipy.stats import binomtest, norm

from synthrelease.dp.budget import Budget
from synthrelease.dp.event import DiscreteLaplace, RoundedGaussian
from synthrelease.dp.noise import SecureRandom
from synthrelease.dp.noise.addition import add_noise
from synthrelease.errors import PlanError, PolicyError, SynthReleaseError
from synthrelease.numerics.network import fitted_network

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray
    from variants.people import Person, Silence
    from variants.variant import Variant

    from synthrelease.numerics.network import Network

DEVIATIONS = 6.11  # of a normal variable, beyond which 1e-9 lie on both sides
DRAWS, QUICK_DRAWS = 2_000, 600


def sampled_people(variant: Variant) -> list[Person]:
    return [*variant.ordinary(4), *variant.adversaries()[::7]]


def types(values: Mapping[tuple[str, ...], NDArray[np.generic]]) -> dict[tuple[str, ...], str]:
    return {key: array.dtype.str for key, array in values.items()}


def bytes_of(values: Mapping[tuple[str, ...], NDArray[np.generic]]) -> dict[tuple[str, ...], bytes]:
    return {key: array.tobytes() for key, array in values.items()}


# --- the integers


def test_without_noise_a_release_is_the_exact_integers(bounded: Variant, silence: Silence) -> None:
    people = sampled_people(bounded)
    values, _ = bounded.release(people, silence)
    np.testing.assert_array_equal(bounded.noised_in(values), bounded.exact(people))


def test_the_noised_integers_are_integers_of_a_type_that_tells_nothing(bounded: Variant) -> None:
    people = sorted(bounded.adversaries(), key=lambda p: len(p.rows))
    if bounded.tested:
        people = [p for p in people if p.rows.size and not np.isnan(p.rows).any()]  # without rows no seeds
    seen = [
        types(bounded.release([person] * 3, SecureRandom.for_tests(0))[0])
        for person in (people[0], people[-1], *bounded.moves.by_l1)
    ]
    assert all(s == seen[0] for s in seen)
    assert {np.dtype(t).kind for key, t in seen[0].items() if key[-1] == "noisy"} == {"i"}


@pytest.mark.quick(
    "heatmap-laplace-replace-one",
    "spectral",
    "areas-laplace-add-remove-one",
    "signals-lpa-laplace-mean",
    "signals-dcfpa-gaussian",
    "spectral-signals-recording",
    "statistics-count-replace-one",
    "statistics-variance-add-remove-one",
    "records",
)
def test_nor_does_the_type_where_sums_outgrow_32_bits(summed: Variant) -> None:
    """A crowd at the public bound needs 64 bits; one of whom no one came gets them as well."""
    crowded, people = summed.crowded()
    extreme = summed.moves.by_l1[-1]
    absent = replace(extreme, rows=extreme.rows[:0])
    full, event = crowded.release([extreme] * people, SecureRandom.for_tests(0))
    empty, _ = crowded.release([absent] * people, SecureRandom.for_tests(0))
    assert types(full) == types(empty)
    assert {types(full)[key] for key in full if key[-1] == "noisy"} == {np.dtype(np.int64).str}
    error = crowded.noised_in(full) - crowded.exact([extreme] * people)
    assert np.abs(error).max() < 100 * event.scale
    if crowded.adds_or_removes:
        few, _ = crowded.release([extreme], SecureRandom.for_tests(0))
        assert types(few) == types(full)


# --- the event


def test_the_event_is_what_was_planned_and_counts_the_integers(variant: Variant) -> None:
    people = variant.ordinary(3)
    values, event = variant.release(people, SecureRandom.for_tests(0))
    assert event == variant.calibrate(3)
    noise = variant.noise_in(event)
    assert noise.count == sum(a.size for key, a in values.items() if key[-1] == "noisy")
    assert noise.count == variant.exact(people).size
    if isinstance(noise, DiscreteLaplace):
        assert noise.sensitivity == variant.sensitivity.l1
    else:
        squared = variant.sensitivity.l2_squared
        assert Fraction(noise.sensitivity) ** 2 >= squared
        assert Fraction(math.nextafter(noise.sensitivity, 0)) ** 2 < squared


def test_the_event_spends_the_budget_and_no_more(variant: Variant) -> None:
    event, budget = variant.event(3), variant.budget
    if isinstance(event, DiscreteLaplace):
        spent = Fraction(event.sensitivity) / Fraction(event.scale)
        assert Fraction(budget.epsilon) * (1 - Fraction(1, 10**12)) <= spent <= Fraction(budget.epsilon)
        return
    assert gaussian_delta(budget.epsilon, event.sensitivity, event.scale) <= budget.delta
    if variant.name != "heatmap-liu2019":
        assert gaussian_delta(budget.epsilon, event.sensitivity, event.scale * (1 - 1e-6)) > budget.delta


def gaussian_delta(epsilon: float, sensitivity: float, sigma: float) -> Any:
    """Balle & Wang 2018, Eq. 6, with 60 digits."""
    with mpmath.workdps(60):
        mu = mpmath.mpf(sensitivity) / mpmath.mpf(sigma)
        return mpmath.ncdf(mu / 2 - epsilon / mu) - mpmath.exp(epsilon) * mpmath.ncdf(-mu / 2 - epsilon / mu)


# --- the noise


def test_two_releases_differ_by_the_noise_of_the_event(bounded: Variant) -> None:
    check_differences(bounded, QUICK_DRAWS)


@pytest.mark.thorough
def test_two_releases_of_any_noise_differ_by_the_noise_of_the_event(variant: Variant) -> None:
    check_differences(variant, DRAWS)


def check_differences(variant: Variant, draws: int) -> None:
    wide = variant.wide()
    people = wide.ordinary(1) * 3  # alike, so that the order of those released apart does not matter
    exact, event = wide.exact(people), wide.event(3)
    differences, noise = [], []
    while sum(map(len, differences)) < draws:
        pair = [
            wide.noised_in(wide.release(people, SecureRandom.for_tests(2 * len(differences) + i))[0])
            for i in (0, 1)
        ]
        differences.append((pair[0] - pair[1]).ravel())
        noise.append((pair[0] - exact).ravel())
    _assert_noise(np.concatenate(differences), np.concatenate(noise), event)
    # No stream of noise is used twice within a release; 8 deviations leave room for thousands of shifts.
    assert _autocorrelation(noise[0]) < 8 / math.sqrt(noise[0].size)
    if event.scale > 100 * noise[0].size:  # equal integers are then rare
        assert np.unique(noise[0]).size > 0.95 * noise[0].size


def test_no_integer_goes_without_noise(bounded: Variant) -> None:
    """So many releases that noise of the event would leave none of the integers as it is in all of them, but for 1e-9."""
    people = bounded.ordinary(1) * 3
    exact, event = bounded.exact(people), bounded.event(3)
    unmoved = (
        math.tanh(0.5 / event.scale) if isinstance(event, DiscreteLaplace) else math.erf(0.5 / event.scale)
    )
    releases = math.ceil(math.log(1e-9 / exact.size) / math.log(unmoved))
    moved = np.zeros(exact.shape, dtype=bool)
    for seed in range(releases):
        values, _ = bounded.release(people, SecureRandom.for_tests(seed))
        moved |= bounded.noised_in(values) != exact
    assert moved.all()


def _assert_noise(difference: NDArray[np.int64], noise: NDArray[np.int64], event: Any) -> None:
    count, sd = difference.size, math.sqrt(2) * event.standard_deviation
    laplace = isinstance(event, DiscreteLaplace)
    # Kurtosis of a difference of two: 3 for the Gaussian, 4.5 for the Laplace.
    spread = math.sqrt((3.5 if laplace else 2.0) / (4 * count))
    assert abs(difference.std() / sd - 1) < DEVIATIONS * spread
    assert abs(difference.mean()) < DEVIATIONS * sd / math.sqrt(count)
    # The mean magnitude tells the distributions apart: 0.71 and 0.80 of the standard deviation.
    magnitude = math.sqrt(1 / 2 if laplace else 2 / math.pi)
    spread = math.sqrt(1 - magnitude**2) / magnitude / math.sqrt(noise.size)
    rounding = 0.5 / event.scale**2
    assert (
        abs(np.abs(noise).mean() / event.standard_deviation / magnitude - 1) < DEVIATIONS * spread + rounding
    )


def _autocorrelation(noise: NDArray[np.int64]) -> float:
    """Largest correlation of a release's noise with itself, over all shifts."""
    centred = noise - noise.mean()
    power = np.abs(np.fft.rfft(centred, 2 * noise.size)) ** 2
    lags = np.fft.irfft(power)[: noise.size]
    return float(np.abs(lags[1:]).max() / lags[0])


@pytest.mark.parametrize(
    ("kind", "scale"),
    [(DiscreteLaplace, scale) for scale in (0.1, 0.31, 1.0, 7.3)]
    + [(RoundedGaussian, scale) for scale in (1.0, 7.3)]
    + [pytest.param(RoundedGaussian, scale) for scale in (0.1, 0.31)],
)
def test_the_standard_deviation_stated_is_that_of_the_distribution(kind: type, scale: float) -> None:
    k = np.arange(1, 1000)
    if kind is DiscreteLaplace:
        weights = np.exp(-k / scale)
        probabilities = weights / (1 + 2 * weights.sum())
    else:
        probabilities = norm.sf((k - 0.5) / scale) - norm.sf((k + 0.5) / scale)
    expected = math.sqrt(2 * float((k * k * probabilities).sum()))
    assert kind(1, scale, 1).standard_deviation == pytest.approx(expected, rel=1e-6)


# --- seeds


def test_the_same_seed_gives_the_same_bytes_and_another_one_others(bounded: Variant) -> None:
    people = sampled_people(bounded)
    one, again, other = (bounded.release(people, SecureRandom.for_tests(seed))[0] for seed in (5, 5, 6))
    assert bytes_of(one) == bytes_of(again)
    assert (bounded.noised_in(one) != bounded.noised_in(other)).any()
    without_seed = [bounded.noised_in(bounded.release(people, SecureRandom())[0]) for _ in range(2)]
    assert (without_seed[0] != without_seed[1]).any()


def test_a_seed_is_visible() -> None:
    assert SecureRandom.for_tests(1).seeded
    assert SecureRandom.for_tests(1).spawn("an output").seeded
    assert not SecureRandom().seeded
    assert not SecureRandom().spawn("an output").seeded


# --- what follows


def test_everything_else_follows_from_the_noised_integers(bounded: Variant) -> None:
    people = sampled_people(bounded)
    values, _ = bounded.release(people, SecureRandom.for_tests(1))
    expected = bounded.expected(values, len(people))
    assert set(values) == set(expected) | {key for key in values if key[-1] == "noisy"}
    for key, array in expected.items():
        care = 1e-12 if values[key].dtype.kind == "i" else 4 * float(np.finfo(values[key].dtype).eps)
        largest = float(np.nanmax(np.abs(array)))
        np.testing.assert_allclose(values[key], array, rtol=0, atol=care * largest, err_msg=str(key))


def test_a_record_s_value_tells_no_more_than_its_category(drawn: Variant) -> None:
    """Within its bin a value lies where anyone could have put it: the same row, whatever the data and the seed."""
    many = replace(drawn, parameters=replace(drawn.parameters, rows=300))
    one, other = (many.release(many.ordinary(5, seed=n), SecureRandom.for_tests(n))[0] for n in (0, 1))
    for name, what in (key for key in one if len(key) == 2):
        if what == "value":
            alike = one[name, "category"] == other[name, "category"]
            assert alike.any()
            np.testing.assert_array_equal(one[name, "value"][alike], other[name, "value"][alike])


def test_data_with_the_same_integers_cannot_be_told_apart(bounded: Variant) -> None:
    people = sampled_people(bounded)
    alike = [bounded.equivalent(person) for person in people]
    assert not all(np.array_equal(a.rows, b.rows, equal_nan=True) for a, b in zip(people, alike, strict=True))
    np.testing.assert_array_equal(bounded.exact(people), bounded.exact(alike))
    one, other = (bounded.release(who, SecureRandom.for_tests(3))[0] for who in (people, alike))
    if bounded.tested:  # seeded records are no function of the noised integers
        one, other = ({k: a for k, a in v.items() if k[-1] == "noisy"} for v in (one, other))
    assert bytes_of(one) == bytes_of(other)


def test_records_are_drawn_from_the_noised_counts(drawn: Variant) -> None:
    """So much noise that it decides; of the exact counts nothing would be left to see."""
    rows = 3000
    noisy = replace(
        drawn,
        parameters=replace(drawn.parameters, rows=rows, trials=10 * rows),
        budget=Budget(0.05, drawn.budget.delta),
    )
    people = [drawn.person(-np.ones(5))] * 3
    p = noisy.of(len(people))
    values, _ = noisy.release(people, SecureRandom.for_tests(8))
    names = [attribute.name for attribute in p.attributes]
    chosen = np.stack([values[name, "category"] for name in names], axis=1)
    released = {s: values[(*(names[a] for a in s), "noisy")] for s in p.subsets()}
    sizes = [table.size for table in released.values()]
    parts = np.split(noisy.exact(people), np.cumsum(sizes)[:-1])
    exact = {s: part.reshape(released[s].shape) for s, part in zip(released, parts, strict=True)}
    for counts, fits in ((released, True), (exact, False)):
        network = fitted_network(
            counts,
            p.categories,
            tree=p.dependence == "tree",
            per_task=p.per_task,
            order=None if p.model == "marginals" else p.order,
            people=len(people),
        )
        p_values = [
            binomtest(int(n), int(seen.sum()), min(probability, 1.0)).pvalue
            for a in network.order[-min(p.resampled) :]  # drawn in every record
            for seen, row in configurations(chosen, a, network)
            for n, probability in zip(seen, row, strict=True)
        ]
        assert (min(p_values) > 1e-9 / len(p_values)) == fits


def configurations(
    chosen: NDArray[np.int32], a: int, network: Network
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.float64]]]:
    """How often each category of attribute `a` was drawn, and its probability, for all values of its parents."""
    table = network.tables[a]
    for given in np.ndindex(table.shape[:-1]):
        those = (chosen[:, list(network.parents[a])] == given).all(axis=1)
        if those.any():
            yield np.bincount(chosen[those, a], minlength=table.shape[-1]), table[given]


def test_a_slot_does_not_tell_whose_it_is(apart: Variant, silence: Silence) -> None:
    """Everyone's own integers are released in random order: each is first in a third of the releases."""
    people = [apart.person(np.full(apart.steps, u)) for u in (-1.0, 0.25, 1.0)]
    exact = apart.exact(people)
    first = []
    for seed in range(300):
        silence.permutation = SecureRandom.for_tests(seed).permutation  # type: ignore[method-assign]
        slots = apart.noised_in(apart.release(people, silence)[0])
        assert sorted(map(tuple, slots)) == sorted(map(tuple, exact))
        first.append(next(i for i in range(3) if (slots[0] == exact[i]).all()))
    spread = DEVIATIONS * math.sqrt(300 * 2 / 9)
    assert all(abs(n - 100) < spread for n in np.bincount(first, minlength=3))


# --- what cannot be done


def test_gaussian_noise_without_a_delta_is_refused(gaussian: Variant) -> None:
    pure = replace(gaussian, budget=Budget(1.0, 0.0))
    for use in (lambda: pure.calibrate(2), lambda: pure.release(pure.ordinary(2), SecureRandom())):
        with pytest.raises(PolicyError) as error:
            use()
        assert error.value.exit_code == 4


def test_laplace_noise_takes_no_delta(bounded: Variant) -> None:
    if bounded.noise == "laplace":
        assert replace(bounded, budget=Budget(1.0, 0.0)).calibrate(2) == bounded.calibrate(2)


def test_sums_that_leave_64_bits_are_a_fault_of_the_plan(summed: Variant) -> None:
    overflowing = summed.overflowing()
    if overflowing is not None:
        with refused(PlanError, "integer-overflow"):
            overflowing.release(summed.ordinary(2), SecureRandom())


@pytest.mark.parametrize("kind", [DiscreteLaplace, RoundedGaussian])
@pytest.mark.parametrize("scale", [2.0**41, 2.0**60])
def test_noise_that_leaves_64_bits_is_a_fault_of_the_plan(kind: type, scale: float) -> None:
    with refused(PlanError, "integer-overflow"):
        add_noise(np.zeros(1, dtype=np.int64), kind(1, scale, 1), largest=1, random=SecureRandom())


@pytest.mark.parametrize("epsilon", [5e-324, 1e-19])
def test_a_budget_that_buys_nothing_is_refused(attacked: Variant, epsilon: float) -> None:
    poor = replace(attacked, budget=Budget(epsilon, epsilon))
    with pytest.raises(SynthReleaseError):
        poor.release(poor.ordinary(2), SecureRandom())
