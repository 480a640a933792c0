"""From noisy coefficients to a map: what is known of the optimum, and that noise is seen through."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import nnls

from synthrelease.maths.inversion import Prior, nearest_map, posterior
from synthrelease.maths.spectrum import WEIGHT, band, middles, point_coefficients, positions, rendered

BAND = band((0.25, 0.2), 1e-3)
FLAT = Prior(np.eye(1, BAND.count)[0], np.r_[0.0, np.full(BAND.count - 1, 0.2)])


def of_points(points: list[tuple[float, float]]) -> np.ndarray:
    places = np.stack([positions(np.array(axis)) for axis in zip(*points, strict=True)])
    weights = np.full(len(points), WEIGHT // len(points))
    weights[0] += WEIGHT - weights.sum()
    return point_coefficients(places, weights, BAND)


def test_without_noise_the_posterior_is_the_data() -> None:
    noisy = of_points([(0.3, 0.7), (0.6, 0.2)])
    mean, variance = posterior(noisy, 1e-9, FLAT)
    np.testing.assert_allclose(mean, noisy, atol=1e-12)
    assert (variance < 1e-17).all()


def test_under_endless_noise_it_is_the_prior() -> None:
    expected = Prior(np.r_[1.0, np.linspace(-0.2, 0.2, BAND.count - 1)], FLAT.power)
    mean, variance = posterior(of_points([(0.3, 0.7)]), 1e9, expected)
    np.testing.assert_allclose(mean, expected.mean, atol=1e-6)
    assert (variance[1:] <= expected.power[1:] * 1e6).all()


def test_it_errs_as_much_as_it_says() -> None:
    """Coefficients drawn from the prior, noised: the mean squared error is the stated variance."""
    rng = np.random.default_rng(0)
    wide = band((0.05, 0.04), 1e-3)
    prior = Prior(np.eye(1, wide.count)[0], np.r_[0.0, rng.uniform(0.01, 0.3, wide.count - 1)])
    deviation = rng.uniform(0.1, 0.5, wide.count)
    error, stated = np.zeros(wide.count), np.zeros(wide.count)
    for _ in range(300):
        true = prior.mean + rng.normal(size=wide.count) * np.sqrt(prior.power)
        noisy = true + rng.normal(size=wide.count) * deviation
        noisy[0] = 1.0
        mean, variance = posterior(noisy, deviation, prior)
        error += (mean - true) ** 2 / 300
        stated += variance / 300
    assert error[1:].sum() == pytest.approx(stated[1:].sum(), rel=0.02)


def test_the_power_is_fitted() -> None:
    """The same shape ten times as high: the filter opens as if the prior had said so."""
    rng = np.random.default_rng(1)
    wide = band((0.04, 0.03), 1e-3)
    power = np.r_[0.0, np.full(wide.count - 1, 0.01)]
    true = np.r_[1.0, rng.normal(size=wide.count - 1) * np.sqrt(0.1)]
    noisy = true + np.r_[0.0, rng.normal(size=wide.count - 1) * 0.1]
    mean, _ = posterior(noisy, 0.1, Prior(np.eye(1, wide.count)[0], power))
    gain = float((mean[1:] @ noisy[1:]) / (noisy[1:] @ noisy[1:]))
    assert gain == pytest.approx(0.1 / (0.1 + 0.01), abs=0.02)


def test_the_nearest_map_is_one() -> None:
    rng = np.random.default_rng(2)
    target = of_points([(0.2, 0.2)]) + rng.normal(size=BAND.count) * 0.3
    target[0] = 1.0
    found = nearest_map(target, np.ones(BAND.count), BAND)
    assert found[0] == pytest.approx(1.0)
    grid = [middles(2 * side) for side in BAND.box]
    # The cells themselves are not negative; what is seen of them in the band may ring a little.
    assert rendered(found * BAND.attenuation, BAND, grid).min() > -0.05


def test_a_map_is_its_own_nearest() -> None:
    points = of_points([(0.3, 0.7), (0.6, 0.2), (0.5, 0.5)])
    inside = nearest_map(points, np.ones(BAND.count), BAND)
    again = nearest_map(inside, np.ones(BAND.count), BAND)
    np.testing.assert_allclose(again, inside, atol=1e-2)  # so many steps do not reach the very optimum


def test_it_is_the_nearest() -> None:
    """Non-negative least squares by SciPy on the same grid, with the total as a heavy equation, does no better."""
    rng = np.random.default_rng(3)
    target = of_points([(0.2, 0.3), (0.8, 0.6)]) + rng.normal(size=BAND.count) * 0.2
    target[0] = 1.0
    variance = rng.uniform(0.5, 2.0, BAND.count)
    found = nearest_map(target, variance, BAND)
    grid = [middles(2 * side) for side in BAND.box]
    columns = []
    for down in grid[0]:
        for across in grid[1]:
            places = [
                np.sqrt(2) * np.cos(np.pi * k * s)
                for k, s in zip(BAND.frequencies, (down, across), strict=True)
            ]
            columns.append(
                np.prod(
                    [np.where(k == 0, 1.0, p) for k, p in zip(BAND.frequencies, places, strict=True)], axis=0
                )
            )
    matrix = np.array(columns).T
    heavy = np.sqrt(1 / variance)
    heavy[0] = 1e4
    cells, _ = nnls(matrix * heavy[:, None], target * heavy)
    best = (((matrix @ cells) - target)[1:] ** 2 / variance[1:]).sum()
    ours = ((found - target)[1:] ** 2 / variance[1:]).sum()
    assert ours <= best * 1.001 + 1e-6
