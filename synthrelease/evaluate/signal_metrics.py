"""Stand-in, to be replaced at merge: measures of series over the last axis."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]


def nmse(released: Numbers, truth: Numbers) -> Numbers:
    """Return (1/n)·Σ(X − X̃)²/(X̄·X̃̄) over the last axis."""
    out: Numbers = ((released - truth) ** 2).mean(axis=-1) / (released.mean(axis=-1) * truth.mean(axis=-1))
    return out


def utility(released: Numbers, truth: Numbers) -> Numbers:
    """Return 1/|NMSE|."""
    return 1 / np.abs(nmse(released, truth))


def relative_mse(released: Numbers, truth: Numbers) -> Numbers:
    """Return the mean squared error over the variance of the truth."""
    out: Numbers = ((released - truth) ** 2).mean(axis=-1) / truth.var(axis=-1)
    return out


def series_correlation(released: Numbers, truth: Numbers) -> Numbers:
    """Return the correlation over the last axis; 0 where one is constant."""
    a, b = (x - x.mean(axis=-1, keepdims=True) for x in (released, truth))
    norms = np.sqrt((a * a).sum(axis=-1) * (b * b).sum(axis=-1))
    out: Numbers = np.divide((a * b).sum(axis=-1), norms, out=np.zeros_like(norms), where=norms > 1e-12)
    return out


def lag_correlation(series: Numbers, *, at: int, lags: NDArray[np.int64]) -> Numbers:
    """Return the correlation across people of step `at` with the steps `lags` later, shape (lags,)."""
    return series_correlation(series[:, at + np.asarray(lags)].T, np.tile(series[:, at], (len(lags), 1)))
