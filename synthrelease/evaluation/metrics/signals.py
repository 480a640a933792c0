"""How far a released signal is from the true one, and how a signal hangs together over time.

X is the truth, X̃ the release, n their steps. Time is the last axis; axes before it are recordings, features, draws of
the noise, and broadcast: many draws can be compared with one truth. One number comes back for each series, in an array
with the leading axes.

NMSE and utility are the measures of Bozkir et al. 2021 (PLOS ONE 16(8), https://arxiv.org/abs/2002.08972). NMSE
divides by the means: a signal far from 0 scores well whatever its course, and one with a mean near 0 badly; so there are
`relative_mse`, which has no unit and no offset, and `series_correlation`, which has no scale either.

No measure here is differentially private: they are computed from the private truth.
"""

from __future__ import annotations

import operator

import numpy as np
from numpy.typing import ArrayLike, NDArray

Numbers = NDArray[np.float64]

_CONSTANT = 1e-12  # a spread this small relative to the values is rounding
_FEWEST = 3  # two points are always on a line


def nmse(released: ArrayLike, truth: ArrayLike) -> Numbers:
    """Return the normalised mean squared error, NMSE = (1/n)·Σ(X_i − X̃_i)²/(X̄·X̃̄); 0 is best.

    Negative where the means have different signs. 0 of two equal series; otherwise inf where either mean is 0.

    Args:
        released: X̃, shape (…, n).
        truth: X, shape (…, n); leading axes broadcast.

    Raises:
        ValueError: the series differ in length, have no steps or leading axes that do not fit, or a value is not a finite
            number.

    Source: Bozkir et al. 2021, Eqs. 4 and 5.
    """
    p, q = _pair(released, truth)
    return _ratio(_mse(p, q), p.mean(axis=-1) * q.mean(axis=-1))


def utility(released: ArrayLike, truth: ArrayLike) -> Numbers:
    """Return utility = 1/|NMSE|; more is better, inf is a perfect release, 0 one whose mean is 0.

    Arguments and errors as `nmse`.

    Source: Bozkir et al. 2021, Eq. 6.
    """
    with np.errstate(divide="ignore"):
        return np.asarray(1.0 / np.abs(nmse(released, truth)))


def relative_mse(released: ArrayLike, truth: ArrayLike) -> Numbers:
    """Return MSE/variance = Σ(X_i − X̃_i)²/Σ(X_i − X̄)²; 0 is best, 1 is what the truth's own mean would score.

    Of a constant truth: 0 if the release is equal to it, else inf. Arguments and errors as `nmse`.
    """
    p, q = _pair(released, truth)
    spread = _centred(q)[1][..., 0]
    return _ratio(_mse(p, q), spread * spread)


def series_correlation(released: ArrayLike, truth: ArrayLike) -> Numbers:
    """Return Pearson's correlation over time, in [−1, 1]; 1 is best, 0 if either series is constant.

    Arguments and errors as `nmse`.
    """
    p, q = _pair(released, truth)
    return _correlation(p, q)


def lag_correlation(series: ArrayLike, *, at: int, lags: ArrayLike) -> Numbers:
    """Return Pearson's correlation, across people, of one sample with the samples that follow it.

    ρ(Δt) = corr over people of (X_at, X_(at+Δt)). People who lack either sample are left out; with fewer than three left
    it is nan. 0 where all have the same value.

    Args:
        series: one row for each person, nan where a sample is missing, shape (people, n).
        at: number of the sample, from 0: the fifth sample of Bozkir et al. is 4.
        lags: Δt ≥ −at, in samples, shape (L,).

    Returns:
        ρ, shape (L,).

    Raises:
        ValueError: `series` does not have two axes or has an infinite value; `at` or `at` + lag is outside the series.

    Source: Bozkir et al. 2021, Figures 3–6.
    """
    rows, at, steps = np.asarray(series, dtype=np.float64), operator.index(at), np.asarray(lags)
    if rows.ndim != 2:
        raise ValueError(f"Expected series of shape (people, n), found {rows.shape}")
    if np.isinf(rows).any():
        raise ValueError("Expected series of finite numbers, or nan where a sample is missing")
    length = rows.shape[1]
    if not 0 <= at < length:
        raise ValueError(f"Expected 0 <= at < {length}, found at={at}")
    if steps.ndim != 1 or (steps.size and not np.issubdtype(steps.dtype, np.integer)):
        raise ValueError(
            f"Expected lags to be a list of whole numbers, found {steps.dtype} of shape {steps.shape}"
        )
    outside = steps[(steps < -at) | (steps >= length - at)]
    if outside.size:
        raise ValueError(f"Expected {-at} <= lags < {length - at}, found {outside[0]}")
    first, second = rows[:, at], rows.T[at + steps.astype(np.int64)]
    both = ~(np.isnan(first) | np.isnan(second))
    rho = _correlation(np.broadcast_to(first, second.shape), second, both)
    return np.where(both.sum(axis=-1) >= _FEWEST, rho, np.nan)


def _pair(released: ArrayLike, truth: ArrayLike) -> tuple[Numbers, Numbers]:
    p, q = np.asarray(released, dtype=np.float64), np.asarray(truth, dtype=np.float64)
    if not (p.ndim and q.ndim and p.shape[-1] == q.shape[-1] >= 1):
        raise ValueError(f"Expected series of one length with steps, found shapes {p.shape} and {q.shape}")
    try:
        np.broadcast_shapes(p.shape, q.shape)
    except ValueError:
        raise ValueError(f"Expected leading axes that fit, found shapes {p.shape} and {q.shape}") from None
    if not (np.isfinite(p).all() and np.isfinite(q).all()):
        raise ValueError("Expected series of finite numbers")
    return p, q


def _mse(p: Numbers, q: Numbers) -> Numbers:
    error = p - q
    return np.asarray(np.mean(error * error, axis=-1))


def _ratio(error: Numbers, scale: Numbers) -> Numbers:
    """error/scale; where the scale is 0, 0 if there is no error and else inf."""
    nothing = np.where(error == 0, 0.0, np.inf)
    return np.divide(error, scale, out=nothing, where=(scale != 0) & (error != 0))


def _correlation(p: Numbers, q: Numbers, counted: NDArray[np.bool_] | None = None) -> Numbers:
    """Mean product of what is standardised, over the counted entries of the last axis."""
    products = _standardised(p, counted) * _standardised(q, counted)
    count = products.shape[-1] if counted is None else np.maximum(counted.sum(axis=-1), 1)
    return np.asarray(np.clip(products.sum(axis=-1) / count, -1.0, 1.0))


def _standardised(values: Numbers, counted: NDArray[np.bool_] | None) -> Numbers:
    """(value − mean)/spread; 0 where it is not counted, and of a constant series."""
    centred, spread = _centred(values, counted)
    return np.divide(centred, spread, out=np.zeros_like(centred), where=spread > 0)


def _centred(values: Numbers, counted: NDArray[np.bool_] | None = None) -> tuple[Numbers, Numbers]:
    """Values less their mean, 0 where not counted, and their standard deviation, 0 if that is rounding; axes are kept."""
    where = np.broadcast_to(True if counted is None else counted, values.shape)
    count = np.maximum(where.sum(axis=-1, keepdims=True), 1)
    mean = values.sum(axis=-1, keepdims=True, where=where) / count
    centred = np.subtract(values, mean, out=np.zeros_like(values), where=where)
    spread = np.sqrt(np.sum(centred * centred, axis=-1, keepdims=True) / count)
    largest = np.max(np.abs(values), axis=-1, keepdims=True, where=where, initial=0.0)
    return centred, np.where(spread > _CONSTANT * largest, spread, 0.0)
