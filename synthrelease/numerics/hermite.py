"""Correlations of functions of normal numbers: what is left of those of the normal numbers, and back.

A function g of a standard normal number is Σ a_k·He_k(z)/√k!, and for normal numbers of correlation ρ the covariance of g(z) and h(z′) is
Σ a_k b_k ρᵏ, k ≥ 1 (Mehler 1866).
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
ORDERS = 16  # K: of the polynomials that are kept
_REST = 32  # the power that stands for all of higher order
_REACH, _NODES = 6.0, 2401  # nodes: even, from −6 to 6
_LEAST_COVARIANCE = 1e-9  # of functions that vary: with what does not, nothing is correlated
_STEPS = 201  # of ρ, from −1 to 1: between them covariances are taken to be straight


@cache
def nodes() -> Numbers:
    """Return the dimensionless normal numbers at which functions are taken, shape (N,)."""
    return np.linspace(-_REACH, _REACH, _NODES)


def coefficients(values: Numbers) -> Numbers:
    """Return a₁ … a_K of functions, of their unit, shape (F, K).

    Args:
        values: at `nodes`, shape (F, N).
    """
    return np.asarray(values @ _weighted_polynomials().T)


def alike(of_function: Numbers, variance: Numbers) -> tuple[Numbers, Numbers]:
    """Return weights and powers of ρ in the covariance of one function at two numbers, shapes (…, K + 1) and (K + 1,).

    Args:
        of_function: coefficients, shape (…, K).
        variance: of its values, shape (…): what the orders leave of it goes with a high power.
    """
    squares = of_function**2
    rest = np.maximum(variance - squares.sum(axis=-1), 0.0)
    powers = np.append(np.arange(1, ORDERS + 1), _REST).astype(np.float64)
    return np.concatenate([squares, rest[..., None]], axis=-1), powers


def latent(covariance: Numbers, one: Numbers, other: Numbers) -> Numbers:
    """Return the correlations of normal numbers whose functions have these covariances, between −1 and 1, shape (P,).

    Args:
        covariance: shape (P,).
        one: coefficients of the first function, increasing as the other is, shape (P, K).
        other: those of the second, shape (P, K).
    """
    places = np.linspace(-1, 1, _STEPS)
    powers = places[:, None] ** np.arange(1, ORDERS + 1)
    result = np.empty(len(covariance))
    for number, table in enumerate(np.maximum.accumulate((one * other) @ powers.T, axis=1)):
        varies = table[-1] - table[0] > _LEAST_COVARIANCE
        result[number] = np.interp(covariance[number], table, places) if varies else 0.0
    return result


@cache
def _weighted_polynomials() -> Numbers:
    """He_k/√k! at the nodes times their probability, k = 1 … K, shape (K, N)."""
    z = nodes()
    probability = np.exp(-(z**2) / 2)
    probability /= probability.sum()
    before, here = np.ones_like(z), z
    rows = []
    for order in range(1, ORDERS + 1):
        rows.append(here * probability)
        before, here = here, (z * here - np.sqrt(order) * before) / np.sqrt(order + 1)
    return np.stack(rows)
