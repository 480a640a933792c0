"""Correlations of functions of normal numbers, against numbers that are drawn and against closed forms."""

from __future__ import annotations

import numpy as np
import pytest

from synthrelease.numerics import hermite

RHO = 0.6
FUNCTIONS = {
    "itself": lambda z: z,
    "exponential": lambda z: np.exp(0.5 * z),
    "sign": np.sign,
    "rectified": lambda z: np.maximum(z, 0),
}


def standardized(function) -> np.ndarray:
    z = hermite.nodes()
    density = np.exp(-(z**2) / 2) / np.exp(-(z**2) / 2).sum()
    values = function(z) - density @ function(z)
    return values / np.sqrt(density @ values**2)


def test_coefficients_are_those_of_closed_forms() -> None:
    """The sign has covariance 2/π·arcsin ρ; the exponential (e^(s²ρ) − 1)/(e^(s²) − 1) after standardizing."""
    of = hermite.coefficients(np.stack([standardized(function) for function in FUNCTIONS.values()]))
    assert of[0] == pytest.approx(np.eye(1, hermite.ORDERS)[0], abs=1e-3)
    weights, powers = hermite.alike(of, np.ones(len(of)))
    covariance = (weights * RHO**powers).sum(axis=1)
    exact = [RHO, np.expm1(0.25 * RHO) / np.expm1(0.25), 2 / np.pi * np.arcsin(RHO)]
    assert covariance[:3] == pytest.approx(exact, abs=2e-3)


@pytest.mark.parametrize("rho", [-0.5, 0.0, 0.4, 0.8])
def test_what_is_left_leads_back(rho: float) -> None:
    of = hermite.coefficients(np.stack([standardized(function) for function in FUNCTIONS.values()]))
    one, other = of[[0, 1, 2, 3]], of[[1, 2, 3, 0]]
    covariance = (one * other) @ rho ** np.arange(1, hermite.ORDERS + 1)
    np.testing.assert_allclose(hermite.latent(covariance, one, other), rho, atol=2e-3)


def test_with_what_never_varies_nothing_is_correlated() -> None:
    of = hermite.coefficients(np.stack([standardized(np.sign), np.zeros_like(hermite.nodes())]))
    assert hermite.latent(np.array([0.0, 0.3]), of[[0, 0]], of[[1, 1]]) == pytest.approx([0, 0])
