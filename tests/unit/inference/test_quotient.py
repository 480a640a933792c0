"""Fieller's intervals against a scan of all values; bands and differences against matrices."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from synthrelease import arrays, inference
from synthrelease.inference.contrast import Contrast
from synthrelease.inference.quotient import Quotient
from synthrelease.inference.released import NoisyIntegers
from synthrelease.inference.spread import PersonVariance, Spread


def quotient(
    integers,
    above,
    *,
    deviation=1.0,
    laplace=False,
    below=None,
    variance=None,
    limits=(-1.0, 1.0),
    people=10.0,
):
    above = np.atleast_2d(np.array(above, dtype=float))
    count = len(above)
    low, high = (np.full(count, float(end)) for end in limits)
    return Quotient(
        integers=NoisyIntegers("key", np.array(integers, dtype=float), deviation, laplace),
        above=above,
        offset=np.zeros(count),
        people=None if below is not None else people,
        below=None if below is None else np.array(below, dtype=float),
        limits=(low, high),
        variance=variance or PersonVariance.none(count),
    )


def accepted(one, level, places=200_001):
    """The hull of all values that are not rejected, one by one."""
    theta = np.linspace(one.limits[0][0], one.limits[1][0], places)
    wide = replace(
        one,
        above=np.repeat(one.above, places, axis=0),
        offset=np.repeat(one.offset, places),
        limits=(np.repeat(one.limits[0], places), np.repeat(one.limits[1], places)),
        variance=one.variance.take(np.zeros(places, dtype=np.int64)),
    )
    law = wide.law(theta)
    kept = np.abs(wide.total - theta * wide.divisor) <= law.multiplier(level) * law.deviation
    return (theta[kept][0], theta[kept][-1]) if kept.any() else (theta[0], theta[-1])


GIVEN = PersonVariance.of(np.array([0.09]), np.inf)
BOUND = PersonVariance.between(np.array([-1.0]), np.array([1.5]))


@pytest.mark.parametrize("laplace", [False, True])
@pytest.mark.parametrize("variance", [None, GIVEN, BOUND])
@pytest.mark.parametrize(
    "integers", [(20.0, 100.0), (3.0, 10.0), (-2.0, 3.0), (4.0, 1.0), (0.5, -2.0), (-0.9, 0.2)]
)
def test_ends_are_those_of_all_values_that_a_test_accepts(integers, variance, laplace):
    one = quotient(
        integers,
        [1.0, 0.3],
        below=[0.0, 1.0],
        deviation=1.5,
        laplace=laplace,
        variance=variance,
        limits=(-1.0, 1.5),
    )
    low, high = one.ends(0.9)
    assert (low[0], high[0]) == pytest.approx(accepted(one, 0.9, 2001 if laplace else 200_001), abs=2e-3)


def test_a_public_divisor_needs_no_test_of_every_value():
    one = quotient([30.0], [1.0], deviation=2.0, variance=GIVEN)
    low, high = one.ends(0.95)
    far = 1.959964 * np.sqrt(2.0**2 + 10 * 0.09) / 10
    assert (low[0], high[0]) == pytest.approx((3.0 - far, 3.0 + far))


def test_the_variance_of_the_noise_is_that_of_its_weights():
    random = np.random.default_rng(4)
    one = quotient(
        random.normal(size=5), random.normal(size=(3, 5)), below=random.normal(size=5), deviation=2.0
    )
    one = replace(one, offset=random.normal(size=3))
    theta = random.normal(size=3)
    assert one.noise_at(theta) == pytest.approx(4 * (one.weights(theta) ** 2).sum(axis=1))


def test_a_noisy_divisor_widens_the_interval():
    exact = quotient([30.0, 100.0], [[1.0, 0.0]], people=100.0, deviation=5.0)
    noisy = quotient([30.0, 100.0], [1.0, 0.0], below=[0.0, 1.0], deviation=5.0)
    assert np.diff(noisy.ends(0.95), axis=0) > np.diff(exact.ends(0.95), axis=0)


def test_a_test_rejects_exactly_what_the_interval_leaves_out():
    one = quotient((20.0, 100.0), [1.0, 0.0], below=[0.0, 1.0], deviation=4.0, variance=GIVEN)
    for end in one.ends(0.95):
        assert one.p_value(float(end[0]))[0] == pytest.approx(0.05, rel=1e-3)


def test_noise_of_the_same_integers_cancels_as_far_as_it_is_the_same():
    weights = np.array([[1.0, 2.0, 0.5], [1.0, -1.0, 0.5]])
    both = quotient([1.0, 2.0, 3.0], weights, deviation=2.0)
    first, second = (both.take(np.array([row])) for row in (0, 1))
    assert first.shares_divisor(second)
    # Only the middle integer has different weights: 3·2/10.
    apart = replace(first, above=first.above - second.above)
    assert apart.errors.deviation[0] == pytest.approx(0.6)


def test_bands_hold_all_values_and_are_no_wider_than_need_be():
    weights = np.random.default_rng(1).normal(size=(30, 3))
    one = quotient([0.0, 0.0, 0.0], weights, deviation=1.0, limits=(-100, 100))
    low, high = one.bands(0.95)
    errors = np.random.default_rng(2).normal(size=(20_000, 3)) @ weights.T / 10
    assert ((low <= errors) & (errors <= high)).all(axis=1).mean() == pytest.approx(0.95, abs=0.012)


@pytest.mark.parametrize("correlation", [None, np.full((8, 8), 0.9) + 0.1 * np.eye(8)])
@pytest.mark.parametrize("laplace", [False, True])
def test_bands_with_sampling_hold_all_values(correlation, laplace):
    spread = Spread(0.5, "the test", correlation=correlation)
    one = quotient(
        np.zeros(8), np.eye(8), deviation=1.0, laplace=laplace, variance=PersonVariance.given(spread, 8)
    )
    low, high = one.bands(0.95)
    random = np.random.default_rng(3)
    noise = random.laplace(0, np.sqrt(0.5), (20_000, 8)) if laplace else random.normal(size=(20_000, 8))
    matrix = np.eye(8) if correlation is None else correlation
    errors = (noise + random.multivariate_normal(np.zeros(8), 0.25 * matrix, 20_000) * np.sqrt(10)) / 10
    held = ((low <= errors) & (errors <= high)).all(axis=1).mean()
    assert 0.94 <= held <= (0.98 if correlation is None else 0.962)


def test_ends_of_a_difference_are_recovered_from_those_of_its_terms():
    first = quotient([6.0, 10.0], [1.0, 0.0], below=[0.0, 1.0], deviation=2.0, limits=(-9.0, 9.0))
    second = quotient([-3.0, 8.0], [1.0, 0.0], below=[0.0, 1.0], deviation=2.0, limits=(-9.0, 9.0))
    low, high = Contrast(((1.0, first), (-1.0, second)), np.zeros(1), np.full(1, np.inf)).ends(0.9)
    (l1, u1), (l2, u2) = first.ends(0.9), second.ends(0.9)
    a, b = first.value, second.value
    assert low == pytest.approx(a - b - np.hypot(a - l1, u2 - b))
    assert high == pytest.approx(a - b + np.hypot(u1 - a, b - l2))
    assert (a - b - low)[0] != pytest.approx((high - (a - b))[0], rel=0.05)


@pytest.mark.quick
@pytest.mark.parametrize("laplace", [False, True])
@pytest.mark.parametrize("size", [2.0, 10.0, 30.0])
@pytest.mark.parametrize("bound", [False, True])
def test_differences_between_opposite_ends_of_what_is_possible_are_covered(laplace, size, bound):
    """Groups all of whose values are 1, or −1: both intervals are cut there, and that of their difference is to reach 2."""
    random = np.random.default_rng(36)
    variance = PersonVariance.between(-np.ones(1), np.ones(1)) if bound else PersonVariance.none(1)
    held, draws = 0, 200
    for _ in range(draws):
        noise = random.laplace(size=4) / np.sqrt(2) if laplace else random.normal(size=4)
        z = np.array([size, size, -size, size]) + 10 * noise
        one, other = (
            quotient(part, [1.0, 0.0], deviation=10.0, laplace=laplace, below=[0.0, 1.0], variance=variance)
            for part in (z[:2], z[2:])
        )
        low, high = Contrast(((1.0, one), (-1.0, other)), np.zeros(1), np.full(1, np.inf)).ends(0.95)
        held += bool(low <= 2 - 1e-9 <= high)
    assert held >= 0.92 * draws


def test_an_interval_before_it_is_cut_is_that_of_wider_limits():
    one = quotient([9.0, 10.0], [1.0, 0.0], below=[0.0, 1.0], deviation=2.0)
    wide = replace(one, limits=(np.full(1, -99.0), np.full(1, 99.0)))
    value, low, high = one.uncut(0.95)
    assert one.ends(0.95)[1] == 1.0 < high
    assert np.stack([low, high]) == pytest.approx(np.stack(wide.ends(0.95)))
    assert value == 0.9
    drowned = quotient([9.0, 1.0], [1.0, 0.0], below=[0.0, 1.0], deviation=2.0)
    value, low, high = drowned.uncut(0.95)
    assert 0 < low < value
    assert np.isposinf(high), "of a D that may be 0 one end is known, where the side is"
    turned = drowned.negative()
    assert np.stack(turned.uncut(0.95)[1:]) == pytest.approx(np.stack([-high, -low]))


@pytest.mark.parametrize(("correlation", "times"), [(0.0, np.sqrt(2)), (-1.0, 2.0), (0.5, 1.0)])
def test_correlated_sampling_errors_of_quotients_add_up_as_they_should(correlation, times):
    # Hardly any noise: all is sampling.
    one = quotient([0.0, 1000.0], [1.0, 0.0], below=[0.0, 1.0], deviation=1e-3, variance=GIVEN)
    sampling = one.sampling * (2 - 2 * correlation)
    low, high = Contrast(((1.0, one), (-1.0, one)), sampling, np.full(1, np.inf)).ends(0.95)
    assert high - low == pytest.approx(times * np.diff(one.ends(0.95), axis=0)[0], rel=1e-3)


def test_the_bound_of_a_variance_is_that_of_bhatia_and_davis():
    theta = np.array([-0.5, 0.0, 0.8])
    three = PersonVariance.between(-np.ones(3), np.ones(3))
    assert list(three.at(theta)) == pytest.approx([0.75, 1.0, 0.36])
    assert list(three.most(np.array([-1.0, 0.2, 0.5]), np.array([1.0, 0.9, 0.6]))) == pytest.approx(
        [1.0, 0.96, 0.75]
    )


def test_those_without_a_recording_are_no_sample_of_it():
    """Every third participant has the second recording: a given deviation is divided by their number, which D says, not by that of all."""
    people, steps = 300, 12
    wave = np.cos(2 * np.pi * (np.arange(steps) + 0.5) / steps)
    few = np.arange(0, people, 3)
    person = np.concatenate([np.repeat(np.arange(people), steps), np.repeat(few, steps)])
    release = arrays.mean_signals(
        person=person,
        values={"pupil": 4 + 0.1 * np.resize(wave, person.size)},
        bounds={"pupil": (1.5, 8.0)},
        recording=np.repeat(["a", "b"], [people * steps, few.size * steps]),
        recordings=["a", "b"],
        length=steps,
        coefficients=4,
        baseline="recording",
        clip=0.5,
        epsilon=200.0,
        delta=1e-5,
        test_seed=1,
    )
    curve = inference.curve(release, recording="b", spread=Spread(0.3, "a pilot"), allow_test_seed=True)
    sampling = curve.standard_error**2 * (1 - curve.noise_share)
    assert sampling == pytest.approx(0.3**2 / few.size, rel=0.02)


def test_bands_of_a_correlation_are_as_wide_as_a_small_pilot_makes_them():
    count = 20
    spread = Spread(1.0, "a pilot", people=5, correlation=np.eye(count))
    one = quotient(
        np.zeros(count),
        np.eye(count),
        deviation=1e-3,
        variance=PersonVariance.given(spread, count),
        limits=(-9.0, 9.0),
    )
    _, high = one.bands(0.95)
    student = stats.t.isf((1 - 0.95 ** (1 / count)) / 2, 4)
    assert high == pytest.approx(np.full(count, student / np.sqrt(10)), rel=0.1)
