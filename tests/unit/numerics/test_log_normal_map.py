"""The most probable log-normal map against an optimiser of SciPy, and what its uncertainty is made of."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy.optimize import minimize

from synthrelease.numerics import log_normal_map
from synthrelease.numerics.centre_bias import log_prior
from synthrelease.numerics.cosine_transform import box_of, cells_of
from synthrelease.numerics.log_normal_map import LogPrior, grid_shape, most_probable_maps, standard_deviation
from synthrelease.numerics.spectrum import Band, band, cosines

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

BANDS = {"static": band((0.15, 0.12), 1e-3), "in time": band((0.3, 0.25, 0.2), 1e-3)}
each_band = pytest.mark.parametrize("frequencies", BANDS.values(), ids=BANDS)


def of_one_place(frequencies: Band, place: float = 0.3) -> Numbers:
    """The coefficients of a density that is all at one place of each axis, half of it spread evenly."""
    tables = [cosines(side, np.array([place]))[0] for side in frequencies.box]
    factors = [table[k] for table, k in zip(tables, frequencies.frequencies, strict=True)]
    density: Numbers = 0.5 * np.prod(factors, axis=0)
    density[0] = 1.0
    return density


def most_probable_map(noisy: Numbers, noise: Numbers, prior: LogPrior, frequencies: Band) -> Numbers:
    found: Numbers = most_probable_maps(noisy[None], noise[None], [prior], frequencies)[0]
    return found


def by_optimiser(noisy: Numbers, noise: Numbers, prior: LogPrior, frequencies: Band) -> Numbers:
    """The definition, by L-BFGS: the posterior's mode over the standardised coefficients of the logarithm, and the kept remainder."""
    shape, places = grid_shape(frequencies), tuple(frequencies.frequencies)
    cells = math.prod(shape)
    misfit = 0.02 * prior.variance[places]
    deviations = np.sqrt(prior.variance * cells)

    def density(scaled: Numbers) -> tuple[Numbers, Numbers]:
        logarithm = prior.mean + cells_of(deviations * scaled.reshape(frequencies.box), shape)
        shares = np.exp(logarithm - logarithm.max())
        shares /= shares.sum()
        return shares, box_of(shares, frequencies.box)[places] * math.sqrt(cells)

    def loss(scaled: Numbers) -> tuple[float, Numbers]:
        shares, found = density(scaled)
        difference = np.zeros(noisy.size)
        difference[1:] = (found - noisy)[1:] / (noise + misfit)[1:]
        at_cells = cells_of(frequencies.boxed(difference), shape) * math.sqrt(cells)
        back = box_of(shares * (at_cells - (shares * at_cells).sum()), frequencies.box)
        value = 0.5 * float((difference * (found - noisy)).sum()) + 0.5 * float((scaled**2).sum())
        return value, scaled + (deviations * back).ravel()

    best = minimize(
        loss,
        np.zeros(math.prod(frequencies.box)),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": 5000, "ftol": 1e-15, "gtol": 1e-10},
    )
    found = density(best.x)[1]
    found[1:] += (misfit / (noise + misfit) * (noisy - found))[1:]
    return found


@each_band
@pytest.mark.parametrize("deviation", [0.3, 1.0, 3.0])
def test_it_is_the_mode_of_the_posterior(frequencies: Band, deviation: float) -> None:
    prior, exact = log_prior("centre", frequencies), of_one_place(frequencies)
    noise = np.full(exact.shape, deviation**2)
    noisy = exact + np.random.default_rng(5).normal(0, deviation, exact.shape)
    noisy[0] = 1.0
    found = most_probable_map(noisy, noise, prior, frequencies)
    np.testing.assert_allclose(found, by_optimiser(noisy, noise, prior, frequencies), atol=2e-3)
    assert found[0] == pytest.approx(1.0, abs=1e-12)


@each_band
@pytest.mark.parametrize("cells", [1, 5000, 1 << 30])
def test_no_bit_depends_on_what_is_found_together(
    frequencies: Band, cells: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = np.random.default_rng(6)
    places, noise = random.uniform(0, 1, 7), random.gamma(1.0, 1.0, (7, frequencies.count))
    noisy = np.stack([of_one_place(frequencies, place) for place in places])
    noisy[:, 1:] += random.normal(0, np.sqrt(noise[:, 1:]))
    priors = [log_prior(name, frequencies) for name in ("centre", "none", "centre", "centre") + 3 * ("none",)]
    alone = [most_probable_map(*one, frequencies) for one in zip(noisy, noise, priors, strict=True)]
    monkeypatch.setattr(log_normal_map, "_CELLS_TOGETHER", cells)
    np.testing.assert_array_equal(most_probable_maps(noisy, noise, priors, frequencies), alone)


@each_band
def test_without_noise_it_is_the_data_and_with_noise_only_the_prior(frequencies: Band) -> None:
    prior, exact = log_prior("centre", frequencies), of_one_place(frequencies)
    known = most_probable_map(exact, np.full(exact.shape, 1e-12), prior, frequencies)
    np.testing.assert_allclose(known, exact, atol=1e-6)
    for noisy in (exact, 1e6 * exact):
        noisy[0] = 1.0
        nothing = most_probable_map(noisy, np.full(exact.shape, 1e24), prior, frequencies)
        shares = np.exp(prior.mean)
        expected = box_of(shares / shares.sum(), frequencies.box) * math.sqrt(shares.size)
        np.testing.assert_allclose(nothing, expected[tuple(frequencies.frequencies)], atol=1e-9)


@each_band
@pytest.mark.parametrize("deviation", [1e-6, 1e-3, 0.1, 1.0, 100.0])
def test_rounding_does_not_grow(frequencies: Band, deviation: float) -> None:
    """By what two machines differ the map changes by far less than `verify` allows, even where the integers are no one's."""
    random = np.random.default_rng(8)
    for noisy in (of_one_place(frequencies, 0.01), random.normal(0, 3, frequencies.count)):
        noisy[0] = 1.0
        noise = np.full(noisy.shape, deviation**2)
        prior = log_prior("centre", frequencies)
        found = most_probable_map(noisy, noise, prior, frequencies)
        for _ in range(3):
            elsewhere = most_probable_map(
                noisy * (1 + random.uniform(-4e-16, 4e-16, noisy.shape)), noise, prior, frequencies
            )
            assert np.abs(elsewhere - found).max() <= 1e-10 * np.abs(found).max()


@pytest.mark.parametrize("name", ["centre", "none"])
def test_the_prior_has_the_variance_that_it_states(name: str) -> None:
    """2 in all over space, up to what a band leaves out; over time nearly twice as much, and half of it in what stays."""
    still, moving = band((0.02, 0.02), 1e-3), band((0.05, 0.04, 0.04), 1e-3)
    static = log_prior(name, still)
    assert static.variance.sum() == pytest.approx(2.0, rel=0.1)
    assert static.variance.flat[0] == 0
    dynamic = log_prior(name, moving)
    assert dynamic.variance.sum() == pytest.approx(3.6, rel=0.15)
    np.testing.assert_allclose(dynamic.mean, dynamic.mean[:1].repeat(len(dynamic.mean), axis=0), atol=1e-9)
    assert (np.abs(static.mean) < 1e-12).all() == (name == "none")


def test_the_uncertainty_is_that_of_its_formula() -> None:
    frequencies = BANDS["static"]
    prior = log_prior("centre", frequencies)
    noise = np.random.default_rng(1).gamma(2.0, 0.1, frequencies.count)
    power = prior.variance[tuple(frequencies.frequencies)][1:]
    weight = frequencies.attenuation[1:] ** 2
    shown = np.geomspace(0.02, 30, 12).reshape(3, 4)
    variance = np.array([(weight * power * noise[1:] / (noise[1:] + p**2 * power)).sum() for p in shown.flat])
    misfit = (weight * 0.02 * power * noise[1:] / (noise[1:] + 0.02 * power)).sum()
    p = shown.ravel()
    peaks = 0.31 * p * np.sqrt(p / p.max()) * np.expm1(4 * np.sqrt(variance))
    expected = np.sqrt(p**2 * np.expm1(variance) + misfit + (0.05 * p) ** 2 + peaks**2)
    found = standard_deviation(shown, noise, prior, frequencies)
    np.testing.assert_allclose(found.ravel(), expected, rtol=0.02)  # variances are interpolated


@each_band
def test_a_map_of_any_height_has_a_finite_uncertainty(frequencies: Band) -> None:
    prior = log_prior("none", frequencies)
    for deviation in (1e-9, 1.0, 1e9):
        noise = np.full(frequencies.count, deviation**2)
        for height in (0.0, 1e-30, 1.0, 1e9):
            found = standard_deviation(np.full((2, 3), height), noise, prior, frequencies)
            assert np.isfinite(found).all()
            assert (found >= 0).all()


def test_without_its_limits_the_search_would_let_rounding_grow(monkeypatch: pytest.MonkeyPatch) -> None:
    """The control of `test_rounding_does_not_grow`."""
    monkeypatch.setattr(log_normal_map, "_GRADIENT_STEPS", 12)
    monkeypatch.setattr(log_normal_map, "_LONGEST_STEP", 30.0)
    frequencies = band((0.04, 0.03), 1e-3)
    prior, noisy = log_prior("centre", frequencies), of_one_place(frequencies, 0.01)
    noise = np.full(noisy.shape, 1e-4)
    found = most_probable_map(noisy, noise, prior, frequencies)
    elsewhere = most_probable_map(
        noisy * (1 + 2e-16 * (np.arange(noisy.size) % 3)), noise, prior, frequencies
    )
    assert np.abs(elsewhere - found).max() > 1e-10 * np.abs(found).max()
