"""The uncertainty of spectral signals, by simulation: of signals drawn from the prior it is the size of their error."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy.fft import idct

from synthrelease.numerics import spectral_signals
from synthrelease.numerics.spectral_signals import (
    BASELINES,
    NO_BASELINE,
    OF_PERSON,
    OF_RECORDING,
    OF_START,
    PublicSeries,
    SpectralSignalForm,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

every_baseline = pytest.mark.parametrize("baseline", BASELINES)


def made(baseline: str, *, cosines: int) -> SpectralSignalForm:
    return SpectralSignalForm(40, 4, cosines, baseline, 5 if baseline == OF_START else None, 0.1)


def prior_power(form: SpectralSignalForm, mass: float, people: int) -> Numbers:
    """What is expected of the cosines 1 … n − 1, in half widths of the bounds, from its definition."""
    person = (form.clip * people / mass) ** 2 * form.length
    shape = np.arange(1, form.length) ** -2.0
    return spectral_signals._MEAN_SHARE * person * shape / shape.sum()


def drawn_factor(rng: np.random.Generator) -> float:
    """How much more power a signal has than expected: normal around 1, and more than none."""
    while True:
        factor = rng.normal(1.0, spectral_signals._FACTOR_DEVIATION)
        if factor > 0:
            return float(factor)


def simulated(form: SpectralSignalForm, level: float, *, told: float = 1.0) -> tuple[float, float]:
    """How often an error is within its deviation, and its square over the square of that; of signals drawn from the prior.

    `level` is the noise of a coefficient against the lowest frequency's expected amplitude, `told` the noise that is
    stated over the noise there is.
    """
    people, mass, mass_error = 100, 70.0, 2.0
    power = prior_power(form, mass, people)
    unit = form.weights() * mass
    deviation = level * math.sqrt(power[0]) * unit[-1]
    within, squares = [], []
    for seed in range(160):
        rng = np.random.default_rng((seed, form.length))
        true = np.concatenate([[0.3 * rng.normal() * (form.lowest == 0)], rng.normal(size=form.length - 1)])
        true[1:] *= np.sqrt(power * drawn_factor(rng))
        kept = true[form.lowest : form.lowest + form.cosines]
        noisy = np.rint(unit * kept + deviation * rng.normal(size=form.cosines))
        noisy = np.concatenate([[round(mass * form.constant)], noisy]).astype(np.int64)
        known = PublicSeries(
            mass + mass_error * rng.normal(), mass_error, told * deviation, people, (2.0, 8.0)
        )
        exact = 5.0 * (form.baseline == NO_BASELINE) + 3.0 * idct(true, norm="ortho")
        error, stated = form.signal(noisy, known) - exact, form.uncertainty(noisy, known)
        within.append((np.abs(error) < stated).mean())
        squares.append((error**2).mean() / (stated**2).mean())
    return float(np.mean(within)), float(np.mean(squares))


@pytest.mark.quick
@every_baseline
@pytest.mark.parametrize("count", [6, 39])
@pytest.mark.parametrize("level", [0.03, 0.1, 0.3, 1.0])
def test_uncertainty_is_the_size_of_the_error(baseline: str, count: int, level: float) -> None:
    """68 % of normal errors are within one deviation; no release claims far less than its error, however drowned it is."""
    within, squares = simulated(made(baseline, cosines=count), level)
    assert 0.64 < within < 0.75
    assert 0.85 < squares < 1.1


@every_baseline
def test_the_control_half_or_twice_the_noise_is_told_apart(baseline: str) -> None:
    form = made(baseline, cosines=39)
    within, squares = simulated(form, 0.1, told=0.5)
    assert within < 0.5
    assert squares > 2.5
    within, squares = simulated(form, 0.1, told=2.0)
    assert squares < 0.9


def test_where_noise_drowns_a_signal_its_uncertainty_is_that_of_the_prior() -> None:
    """Coefficients that happen to be 0 show nothing but noise: what is expected of people is not known any better."""
    form = made(OF_RECORDING, cosines=16)
    power = prior_power(form, 70.0, 100)
    deviation = math.sqrt(power[0]) * form.weights()[-1] * 70
    noisy = np.zeros(17, dtype=np.int64)
    stated = form.uncertainty(noisy, PublicSeries(70.0, 2.0, deviation, 100, (-1.0, 1.0)))
    assert (stated**2).mean() > 0.2 * power.sum() / 40
    np.testing.assert_allclose(form.signal(noisy, PublicSeries(70.0, 2.0, deviation, 100, (-1.0, 1.0))), 0.0)


def test_what_lies_above_the_highest_cosine_is_in_the_uncertainty() -> None:
    few, many = (made(OF_RECORDING, cosines=count) for count in (2, 39))
    power = prior_power(few, 70.0, 100)
    deviation = 1e-3 * math.sqrt(power[0]) * few.weights()[-1]
    amplitudes = np.sqrt(power) * few.weights()[-1] * 70
    stated = []
    for form in (few, many):
        noisy = np.concatenate([[0], np.rint(amplitudes[: form.cosines])]).astype(np.int64)
        known = PublicSeries(70.0, 1e-9, deviation, 100, (-1.0, 1.0))
        stated.append((form.uncertainty(noisy, known) ** 2).mean())
    assert (
        0.5 < (stated[0] - stated[1]) / (power[2:].sum() / 40) < 5
    )  # as much again, or less, as was seen below


def test_an_uncertain_mass_makes_the_signal_uncertain_in_proportion() -> None:
    form = made(NO_BASELINE, cosines=40)
    noisy = np.array([10**6, 10**7, *[10**6] * 39])
    exact, vague = (PublicSeries(70.0, error, 1e-3, 100, (-1.0, 1.0)) for error in (1e-9, 7.0))
    extra = form.uncertainty(noisy, vague) ** 2 - form.uncertainty(noisy, exact) ** 2
    np.testing.assert_allclose(np.sqrt(extra), 0.1 * np.abs(form.signal(noisy, exact)), rtol=1e-6)


# --- how much more power than expected


def drawn_power(factor: float, noise: float, count: int, seed: int) -> tuple[Numbers, Numbers, Numbers]:
    expected = 0.04 * np.arange(1, count + 1) ** -2.0
    variance = np.full(count, noise * expected[0])
    rng = np.random.default_rng((seed, count))
    return rng.normal(size=count) * np.sqrt(factor * expected + variance), variance, expected


def test_weights_are_the_likelihood_of_every_factor_times_its_prior() -> None:
    found, noise, expected = drawn_power(1.0, 0.1, 6, 0)
    factors, likely = spectral_signals._FACTORS, []
    for f in factors.tolist():
        density = math.exp(-0.5 * ((f - 1) / spectral_signals._FACTOR_DEVIATION) ** 2)
        for x, v, e in zip(found, noise, expected, strict=True):
            density *= math.exp(-0.5 * x**2 / (f * e + v)) / math.sqrt(f * e + v)
        likely.append(density * f)  # the factors stand at equal distances of their logarithm
    assert factors[0] <= 1e-3
    assert factors[-1] >= 1e3
    assert np.diff(np.log(factors)).max() < 0.1
    found_weights = spectral_signals._weights(found, noise, expected)
    np.testing.assert_allclose(found_weights, np.array(likely) / sum(likely), rtol=1e-9, atol=1e-300)


@pytest.mark.parametrize("level", [0.05, 0.5, 3.0])
@pytest.mark.parametrize("baseline", [OF_PERSON, OF_RECORDING])
def test_a_coefficient_is_the_mixture_of_what_every_factor_makes_of_it(baseline: str, level: float) -> None:
    """Mean and variance of a mixture of normals, each what Wiener's filter knows under one factor; the level is left alone."""
    form = made(baseline, cosines=5)
    power = prior_power(form, 70.0, 100)
    unit = form.weights() * 70
    deviation = level * math.sqrt(power[0]) * unit[-1]
    rng = np.random.default_rng(4)
    true = rng.normal(size=5) * np.sqrt(power[:5])
    noisy = np.concatenate([[0], np.rint(unit * true + deviation * rng.normal(size=5))]).astype(np.int64)
    mean, variance, above = form._posterior(noisy, PublicSeries(70.0, 2.0, deviation, 100, (-1.0, 1.0)))
    found, noise = noisy[1:] / unit, (deviation / unit) ** 2
    first = 1 - form.lowest
    expected = power[: 5 - first]
    weights = spectral_signals._weights(found[first:], noise[first:], expected).tolist()
    factors = spectral_signals._FACTORS.tolist()
    if first:
        assert (mean[0], variance[0]) == pytest.approx((found[0], noise[0]))
    for k in range(5 - first):
        x, v, e = found[first + k], noise[first + k], expected[k]
        each = [
            (w, f * e / (f * e + v) * x, f * e / (f * e + v) * v)
            for w, f in zip(weights, factors, strict=True)
        ]
        middle = sum(w * m for w, m, _ in each)
        assert mean[first + k] == pytest.approx(middle, rel=1e-9)
        assert variance[first + k] == pytest.approx(
            sum(w * (s + (m - middle) ** 2) for w, m, s in each), rel=1e-9
        )
    often = sum(w * f for w, f in zip(weights, factors, strict=True))
    assert above == pytest.approx(often * power[5 - first :].sum(), rel=1e-9)


@pytest.mark.parametrize("factor", [0.5, 1.0, 2.0])
def test_the_factor_of_a_signal_that_is_seen_is_the_one_it_was_drawn_with(factor: float) -> None:
    means = [
        float(spectral_signals._weights(*drawn_power(factor, 1e-6, 200, seed)) @ spectral_signals._FACTORS)
        for seed in range(20)
    ]
    assert np.mean(means) == pytest.approx(factor, rel=0.06)


def test_finer_factors_change_next_to_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    form = made(OF_PERSON, cosines=16)
    results = []
    for number in (257, 1999):
        monkeypatch.setattr(spectral_signals, "_FACTORS", np.geomspace(1e-4, 1e4, number))
        for seed, level in enumerate((0.01, 0.1, 0.5, 2.0)):
            rng = np.random.default_rng(seed)
            power = prior_power(form, 70.0, 100)[:16]
            unit = form.weights() * 70
            noisy = np.rint(unit * np.sqrt(power * (1 + 10 * seed)) * rng.normal(size=16))
            known = PublicSeries(70.0, 2.0, level * math.sqrt(power[0]) * unit[-1], 100, (-1.0, 1.0))
            noisy = np.concatenate([[0], noisy]).astype(np.int64)
            results.append(np.stack([form.signal(noisy, known), form.uncertainty(noisy, known)]))
    for coarse, fine in zip(results[:4], results[4:], strict=True):
        assert np.abs(coarse - fine).max() < 1e-3 * np.abs(fine).max()


@pytest.mark.parametrize("baseline", [OF_PERSON, OF_RECORDING])
def test_signals_of_any_size_have_a_finite_signal_and_uncertainty(baseline: str) -> None:
    form = made(baseline, cosines=16)
    for size in (0, 1, 10**6, 10**12, 2**61):
        noisy = np.full(17, size)
        for deviation in (0.3, 1e5, 1e12):
            known = PublicSeries(1e-3, 1e-3, deviation, 100, (-1e6, 1e6))
            assert np.isfinite(form.signal(noisy, known)).all()
            assert (form.uncertainty(noisy, known) > 0).all()
