"""The cap of Liu et al. 2019, Algorithm 1: a function of private data, for reproductions alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def expected_mse(
    excess_norms: Sequence[int], sigmas: NDArray[np.float64], *, people: int, pixels: int
) -> NDArray[np.float64]:
    """Return the expected mean squared error of the noised, capped mean map against the uncapped mean map.

    E[MSE(m)] = σ(m)² + ‖D_m‖²/(n²·r): noise, and what the cap cuts away.

    Args:
        excess_norms: ‖D_m‖² of `excess_norms`, shape (M,).
        sigmas: σ(m), standard deviation of the noise in a pixel of the *mean* map, shape (M,): m·σ* in the paper,
            Δ₂(m, T)·σ₁(ε, δ)/n where each person's total is bounded by T.
        people: n > 0.
        pixels: r > 0, all pixels of the map, those never looked at included.

    Returns:
        Expected errors in squared counts per person and pixel, shape (M,).

    Raises:
        ValueError: shapes differ, or a number is out of range.

    Source: Liu et al. 2019, Theorem 4.1.
    """
    if people <= 0 or pixels <= 0:
        raise ValueError(f"Expected people > 0 and pixels > 0, found people={people}, pixels={pixels}")
    noise = np.asarray(sigmas, dtype=np.float64)
    if noise.shape != (len(excess_norms),):
        raise ValueError(
            f"Expected one sigma for each of {len(excess_norms)} caps, found shape {noise.shape}"
        )
    if not (np.isfinite(noise) & (noise >= 0)).all():
        raise ValueError("Expected sigmas >= 0 and finite")
    bias = np.array([norm / (people * people * pixels) for norm in excess_norms], dtype=np.float64)
    return noise * noise + bias


def best_cap(caps: Sequence[int], expected: NDArray[np.float64]) -> int:
    """Return the cap of least expected error, the smallest of equals: the output of Algorithm 1.

    It is a function of private data. A release may use it only as a reproduction without guarantee, or where the
    choice has a budget of its own.

    Args:
        caps: strictly increasing, shape (M,), M > 0.
        expected: errors of `expected_mse`, in squared counts, shape (M,).

    Raises:
        ValueError: there is no cap, shapes differ, or an error is not a number.
    """
    errors = np.asarray(expected, dtype=np.float64)
    if not caps or errors.shape != (len(caps),):
        raise ValueError(f"Expected one error for each of {len(caps)} caps, found shape {errors.shape}")
    if np.isnan(errors).any():
        raise ValueError("Expected errors that are numbers, found NaN")
    return int(caps[int(np.argmin(errors))])
