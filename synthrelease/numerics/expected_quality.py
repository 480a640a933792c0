"""How good a heatmap will be, from public numbers only: the correlation with the exact map that a prior lets expect.

Maps are taken to stray from the prior's mean as its power says. With signal S_k = H²·(μ² + P)_k, noise N_k, and what an
estimate keeps of them, the correlation over cells follows from sums over frequencies (Parseval).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from synthrelease.numerics.centre_bias import Prior
from synthrelease.numerics.spectrum import Band


def correlation_of_posterior(
    prior: Prior, frequencies: Band, noise: NDArray[np.float64], *, mean_known: bool
) -> float:
    """Return the correlation of the posterior mean with the exact map: √(Σ H²(μ² + gP)/Σ H²(μ² + P)), g = P/(P + N).

    Args:
        prior: what maps are like.
        frequencies: the band, with H.
        noise: N, variance of the noise of every coefficient of the density, shape (K,).
        mean_known: whether the estimate uses μ; else μ² counts as power.
    """
    h, mean, power = frequencies.attenuation[1:] ** 2, prior.mean[1:] ** 2, prior.power[1:]
    if not mean_known:
        mean, power = np.zeros_like(mean), power + mean
    kept = power**2 / (power + noise[1:])
    return math.sqrt(float((h * (mean + kept)).sum() / (h * (mean + power)).sum()))


def correlation_of_cells(prior: Prior, frequencies: Band, noise: float, *, rows: int, columns: int) -> float:
    """Return the correlation of a noisy and blurred map of cells, and nothing else.

    Cells average what lies in them: of frequency (u, v) they leave s = sinc(u/2·rows)·sinc(v/2·columns), and nothing from
    their own number on. With S = μ² + P: Σ H²·s·S/√(Σ H²·S · Σ H²·(s²·S + N)), the last sum over what cells can show.

    Args:
        prior: what maps are like.
        frequencies: the band, with H.
        noise: N, variance of the noise of every coefficient of the density.
        rows: of the cells.
        columns: of the cells.
    """
    u, v = frequencies.frequencies[:, 1:]
    h = frequencies.attenuation[1:] ** 2
    signal = prior.mean[1:] ** 2 + prior.power[1:]
    shown = (u < rows) & (v < columns)
    down, across = (
        np.sinc(np.arange(box) / (2 * cells))
        for box, cells in zip(frequencies.box, (rows, columns), strict=True)
    )
    transfer = np.where(shown, down[u] * across[v], 0.0)
    estimated = (h * (transfer**2 * signal + shown * noise)).sum()
    if not estimated:
        return 0.0  # of a single cell, which shows nothing but the mean
    return float((h * transfer * signal).sum() / math.sqrt(float((h * signal).sum()) * float(estimated)))
