"""How far public maps are believed: as far as noisy coefficients agree with them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from synthrelease.numerics.map_belief import GRID, MapBelief, on_grid
from synthrelease.numerics.spectrum import band, middles, of_cells, rendered

BAND = band((0.08, 0.06), 1e-3)
BELIEF = MapBelief(BAND)
STIMULI = 8
Maps = NDArray[np.float64]


def maps(seed: int) -> Maps:
    """Coefficients of densities with three hot spots on each stimulus, shape (STIMULI, K)."""
    random = np.random.default_rng(seed)
    down, across = np.meshgrid(middles(60), middles(80), indexing="ij")
    out = []
    for _ in range(STIMULI):
        density = np.full(down.shape, 0.2)
        for y, x in random.uniform(0.2, 0.8, (3, 2)):
            density += 6 * np.exp(-0.5 * (((down - y) / 0.08) ** 2 + ((across - x) / 0.06) ** 2))
        out.append(of_cells(density / density.sum(), BAND.box)[tuple(BAND.frequencies)])
    return np.array(out)


PUBLIC = maps(1)


def fitted(exact: Maps, noise: float) -> tuple[float, float]:
    random = np.random.default_rng(5)
    noisy = exact[:, BELIEF.low] + noise * random.standard_normal((STIMULI, BELIEF.low.size))
    variance = np.full(BELIEF.low.size, noise**2)
    return BELIEF.fitted([(one, variance) for one in noisy], on_grid(PUBLIC))


def test_maps_that_are_right_are_believed_and_closely() -> None:
    weight, spread = fitted(PUBLIC, 0.02)
    assert weight > 0.9
    assert spread < 0.1


def test_maps_of_other_stimuli_are_not_believed() -> None:
    weight, spread = fitted(np.roll(PUBLIC, 1, axis=0), 0.02)
    assert weight < 0.2
    assert spread > 5 * fitted(PUBLIC, 0.02)[1]


def test_noise_alone_says_nothing() -> None:
    for exact in (PUBLIC, np.roll(PUBLIC, 1, axis=0)):
        weight, spread = fitted(exact, 1e4)
        assert weight == pytest.approx(0.89, abs=0.01)
        assert spread == pytest.approx(0.35, rel=0.1)


def test_belief_changes_smoothly_with_the_coefficients() -> None:
    """A release is the same on every machine but for rounding."""
    once, again = (fitted(PUBLIC + shift, 0.3) for shift in (0.0, 1e-9))
    assert np.allclose(once, again, rtol=1e-6, atol=0)


def test_a_prior_is_between_centre_bias_and_public_map() -> None:
    public = on_grid(PUBLIC[0])
    none, half, all_of_it = (BELIEF.prior(public, weight, 0.5) for weight in (0.0, 0.5, 1.0))
    np.testing.assert_allclose(half.mean, (none.mean + all_of_it.mean) / 2)
    np.testing.assert_array_equal(all_of_it.mean, BELIEF.log_map(public))
    np.testing.assert_array_equal(half.variance, 0.5 * BELIEF.prior(public, 1.0, 1.0).variance)


def test_the_logarithm_is_that_of_the_map_a_little_blurred() -> None:
    """With some of the centre bias in it."""
    shape = BELIEF.log_map(on_grid(PUBLIC[0])).shape
    blurred = rendered(PUBLIC[0] * BAND.attenuation**0.5, BAND, [middles(side) for side in shape])
    found = np.exp(BELIEF.log_map(on_grid(PUBLIC[0])))
    assert np.corrcoef(found.ravel(), blurred.ravel())[0, 1] > 0.99


def test_what_is_no_density_has_a_logarithm() -> None:
    """A forged bundle may hold any integers."""
    for value in (0, GRID, -(2**31), 2**31 - 1):
        assert np.isfinite(BELIEF.log_map(np.full(BAND.count, value, dtype=np.int32))).all()


def test_coefficients_of_cells_are_means_of_cosines_over_the_cells() -> None:
    """By numbers: a density that is even within each of 3 × 2 cells, on a fine grid."""
    shares = np.array([[1.0, 2.0], [3.0, 0.0], [5.0, 1.0]]) / 12
    fine = 600
    density = np.repeat(np.repeat(shares, fine // 3, axis=0), fine // 2, axis=1)
    density /= density.sum()
    found = of_cells(shares, (4, 5))
    for u in range(4):
        for v in range(5):
            down = math.sqrt(2 - (u == 0)) * np.cos(math.pi * u * middles(fine))
            across = math.sqrt(2 - (v == 0)) * np.cos(math.pi * v * middles(fine))
            assert found[u, v] == pytest.approx(float(down @ density @ across), abs=1e-5)
