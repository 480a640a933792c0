"""Densities from coefficients: those of known densities, with and without noise."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import minimize
from scipy.stats import norm

from synthrelease.numerics.log_density import _Known, _Prior, cosines, densities

BINS, ORDERS = 40, 20


def smooth() -> np.ndarray:
    """Densities of features with one and two modes, and a flat one, shape (3, BINS)."""
    u = (np.arange(BINS) + 0.5) / BINS
    one = norm.pdf(u, 0.4, 0.12)
    two = norm.pdf(u, 0.25, 0.07) + 0.6 * norm.pdf(u, 0.7, 0.1)
    density = np.stack([one, two, np.ones(BINS)])
    return density / density.sum(axis=1, keepdims=True)


def test_cosines_are_means_over_bins() -> None:
    table = cosines(3, 4)
    for k in range(1, 4):
        for j in range(4):
            mean, _ = quad(lambda u, k=k: np.sqrt(2) * np.cos(np.pi * k * u), j / 4, (j + 1) / 4)
            assert table[k - 1, j] == pytest.approx(4 * mean)


def test_sure_coefficients_give_the_density_back() -> None:
    exact = smooth()
    coefficients = exact @ cosines(ORDERS, BINS).T
    found = densities(coefficients, np.full(coefficients.shape, 1e-8), BINS)
    assert 0.5 * np.abs(found.density - exact).sum(axis=1).max() < 0.005
    assert found.density.sum(axis=1) == pytest.approx(np.ones(3))


def test_noise_is_smoothed_away() -> None:
    exact = smooth()
    random = np.random.default_rng(4)
    errors = []
    for _ in range(6):
        noisy = exact @ cosines(ORDERS, BINS).T + 0.1 * random.normal(size=(3, ORDERS))
        found = densities(noisy, np.full(noisy.shape, 0.01), BINS)
        errors.append(0.5 * np.abs(found.density - exact).sum(axis=1))
        apart = found.density @ cosines(ORDERS, BINS).T - exact @ cosines(ORDERS, BINS).T
        assert (apart**2).mean() < 0.01  # less than the noise
    assert np.mean(errors) < 0.2
    uniform = 0.5 * np.abs(1 / BINS - exact).sum(axis=1)
    assert (np.mean(errors, axis=0)[:2] < uniform[:2] / 2).all()


def test_nothing_known_is_a_uniform_density() -> None:
    found = densities(np.zeros((1, ORDERS)), np.full((1, ORDERS), 1e6), BINS)
    np.testing.assert_allclose(found.density, 1 / BINS, atol=1e-9)


@pytest.mark.parametrize("centre", [np.zeros((3, BINS)), np.log(smooth()[::-1] + 1e-3)])
def test_no_optimiser_finds_a_more_probable_density(centre: np.ndarray) -> None:
    random = np.random.default_rng(1)
    coefficients = smooth() @ cosines(ORDERS, BINS).T + 0.05 * random.normal(size=(3, ORDERS))
    known = _Known(coefficients, np.full((3, ORDERS), 0.0025), cosines(ORDERS, BINS))
    prior = _Prior(centre, 0.0, 1.0)
    density = known.most_probable(prior, centre).density
    for f in range(3):
        one = _Known(coefficients[f : f + 1], known.variance[f : f + 1], known.table)
        eta = np.log(density[f : f + 1])
        here = centre[f : f + 1]
        eta += here.mean() - eta.mean()

        def loss(eta: np.ndarray, one: _Known = one, here: np.ndarray = here) -> float:
            return float(one._loss(eta.reshape(1, -1), here, prior.penalty)[1][0])

        found = minimize(loss, eta[0], method="BFGS")
        assert loss(eta) <= found.fun + 1e-6
