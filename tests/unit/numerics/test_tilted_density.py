"""Densities from noisy means of functions: exact without noise, the base with too much of it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from synthrelease.numerics import tilted_density
from synthrelease.numerics.tilted_density import tilted

CELLS, ORDERS = 40, 5
U = (np.arange(CELLS) + 0.5) / CELLS
COSINES = np.sqrt(2) * np.cos(np.pi * np.outer(U, np.arange(1, ORDERS + 1)))
WAVES = np.concatenate(
    [trig(2 * np.pi * np.outer(U, (1, 2))) for trig in (np.cos, np.sin)], axis=1
) * np.sqrt(2)
POWER = 0.06 / (1 + np.arange(ORDERS) ** 2 / 4)
BASE = 1 + 0.5 * np.cos(np.pi * U)
BASE /= BASE.sum()


def true_density() -> np.ndarray:
    density = BASE * np.exp(0.8 * COSINES[:, 0] - 0.4 * COSINES[:, 2])
    return np.asarray(density / density.sum())


@pytest.mark.parametrize("functions", [COSINES, WAVES], ids=["interval", "circle"])
def test_without_noise_the_means_are_those_that_are_known(functions: np.ndarray) -> None:
    exact = true_density()
    size = functions.shape[1]
    found = tilted(BASE, functions, exact @ functions, np.full(size, 1e-10), np.full(size, 0.05))
    np.testing.assert_allclose(found.density @ functions, exact @ functions, atol=1e-6)
    assert found.learnt > 0.999


def test_a_tilt_of_the_base_is_found_again() -> None:
    found = tilted(BASE, COSINES, true_density() @ COSINES, np.full(ORDERS, 1e-10), POWER)
    np.testing.assert_allclose(found.density, true_density(), atol=1e-7)


def test_with_too_much_noise_the_base_is_left() -> None:
    found = tilted(BASE, COSINES, np.full(ORDERS, 30.0), np.full(ORDERS, 1e6), POWER)
    np.testing.assert_allclose(found.density, BASE, atol=1e-4)
    assert found.learnt < 1e-3


@pytest.mark.parametrize("size", [1.0, 1e3, 1e9])
def test_impossible_means_have_a_density_that_is_none_the_less_one(size: float) -> None:
    found = tilted(BASE, COSINES, np.full(ORDERS, size), np.full(ORDERS, 1e-9), POWER)
    assert np.isfinite(found.density).all()
    assert (found.density >= 0).all()
    assert found.density.sum() == pytest.approx(1)


def test_the_tilt_is_the_most_probable_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """For one variance of the tilts: by a general minimizer, which knows no slopes."""
    monkeypatch.setattr(tilted_density, "_SCALES", np.array([1.0]))
    functions, means = COSINES[:, :3], np.array([0.6, -0.2, 0.3])
    variance, power = np.array([0.02, 0.3, 0.1]), np.array([0.06, 0.5, 0.02])

    def density(tilt: np.ndarray) -> np.ndarray:
        weight = BASE * np.exp(functions @ tilt)
        return np.asarray(weight / weight.sum())

    def loss(tilt: np.ndarray) -> float:
        missed = means - density(tilt) @ functions
        return float((missed**2 / variance + tilt**2 / power).sum())

    best = minimize(
        loss, np.zeros(3), method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-13, "maxiter": 4000}
    )
    found = tilted(BASE, functions, means, variance, power)
    np.testing.assert_allclose(found.density, density(best.x), atol=1e-6)


@pytest.mark.thorough
def test_noise_makes_a_density_no_worse_than_the_base_on_average() -> None:
    """Where the base is right, and where it is wrong by more than noise hides it is nearer to what is true than the base."""
    random = np.random.default_rng(3)

    def error(exact: np.ndarray, deviation: float) -> float:
        errors = []
        for _ in range(60):
            means = exact @ COSINES + deviation * random.standard_normal(ORDERS)
            found = tilted(BASE, COSINES, means, np.full(ORDERS, deviation**2), POWER)
            errors.append(np.abs(found.density - exact).sum() / 2)
        return float(np.mean(errors))

    assert error(BASE, 0.3) < 0.02
    distance = float(np.abs(true_density() - BASE).sum() / 2)
    assert error(true_density(), 0.3) < 1.05 * distance
    assert error(true_density(), 0.1) < 0.6 * distance
