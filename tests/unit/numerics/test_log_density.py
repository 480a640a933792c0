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


@pytest.mark.parametrize("centre", [np.zeros((3, BINS - 1)), np.diff(np.log(smooth()[::-1] + 1e-3))])
def test_no_optimiser_finds_a_more_probable_density(centre: np.ndarray) -> None:
    random = np.random.default_rng(1)
    coefficients = smooth() @ cosines(ORDERS, BINS).T + 0.05 * random.normal(size=(3, ORDERS))
    known = _Known(coefficients, np.full((3, ORDERS), 0.0025), cosines(ORDERS, BINS))
    prior = _Prior(centre, 0.02, 1.0)
    fit = known.most_probable(prior)
    for f in range(3):
        one, here = known._some(np.array([f])), centre[f : f + 1]

        def loss(rises: np.ndarray, one: _Known = one, here: np.ndarray = here) -> float:
            return float(one._loss(rises.reshape(1, -1), here, prior.penalty)[1][0])

        found = minimize(loss, fit.rises[f], method="BFGS")
        assert loss(fit.rises[f]) <= found.fun + 1e-9
        np.testing.assert_allclose(fit.density[f], np.exp(np.cumsum([0, *fit.rises[f]])) * fit.density[f, 0])


def test_another_machine_s_rounding_moves_densities_in_the_last_digits_only() -> None:
    random = np.random.default_rng(2)
    for noise in (0.3, 0.02):
        coefficients = smooth() @ cosines(ORDERS, BINS).T + noise * random.normal(size=(3, ORDERS))
        variance = np.full(coefficients.shape, noise**2)
        near = coefficients * (1 + 1e-14 * random.normal(size=coefficients.shape))
        one, other = (densities(each, variance, BINS) for each in (coefficients, near))
        np.testing.assert_allclose(one.density, other.density, atol=1e-10)
        np.testing.assert_allclose(one.variance, other.variance, rtol=1e-9)


_STEP = 1e-7  # of a rise, for slopes


def test_of_few_values_that_are_well_known_no_fit_ends_far_from_them() -> None:
    """Losses have several lowest points there; Newton's steps alone end in one bin."""
    few = np.zeros((1, BINS))
    few[0, np.linspace(4, BINS - 4, 5).astype(int)] = 0.4, 0.25, 0.2, 0.1, 0.05
    coefficients = few @ cosines(ORDERS, BINS).T
    known, many = (
        _Known(one, np.full(one.shape, 0.03**2), cosines(ORDERS, BINS))
        for one in (coefficients, np.tile(coefficients, (BINS - 1, 1)))
    )
    for prior in (_Prior(np.zeros((1, BINS - 1)), *at) for at in ((0.3, 1e4), (0.3, 10.0))):

        def loss(rises: np.ndarray, prior: _Prior = prior) -> float:
            return float(known._loss(rises.reshape(1, -1), prior.centre, prior.penalty)[1][0])

        def slopes(rises: np.ndarray, prior: _Prior = prior) -> np.ndarray:
            near = rises + _STEP * np.eye(len(rises))
            return (many._loss(near, prior.centre, prior.penalty)[1] - loss(rises)) / _STEP

        found = minimize(loss, prior.centre[0], jac=slopes, method="L-BFGS-B", options={"maxfun": 5000})
        assert loss(known.most_probable(prior).rises) <= 1.05 * found.fun
