"""Expected correlations against maps and noise drawn from the very assumptions."""

from __future__ import annotations

import math

import numpy as np
import pytest

from synthrelease.numerics.centre_bias import Prior
from synthrelease.numerics.expected_quality import (
    correlation_of_cells,
    correlation_of_posterior,
)
from synthrelease.numerics.spectrum import band, middles, rendered

BAND = band((0.06, 0.05), 1e-3)
RNG = np.random.default_rng(0)
PRIOR = Prior(
    np.r_[1.0, RNG.normal(size=8) * 0.4, np.zeros(BAND.count - 9)],
    np.r_[0.0, 0.5 / (1 + (BAND.frequencies[:, 1:] ** 2).sum(axis=0))],
)
PLACES = (middles(24), middles(30))


def drawn(seed: int) -> np.ndarray:
    return PRIOR.mean + np.random.default_rng(seed).normal(size=BAND.count) * np.sqrt(PRIOR.power)


def correlation_of_maps(pairs: list[tuple[np.ndarray, np.ndarray]]) -> float:
    """Over all cells of all maps: ratios of sums, as the formulas are."""
    shown = [[rendered(c * BAND.attenuation, BAND, PLACES).ravel() - 1 for c in pair] for pair in pairs]
    one, other = (np.concatenate([pair[i] for pair in shown]) for i in (0, 1))
    return float(one @ other / math.sqrt((one @ one) * (other @ other)))


@pytest.mark.parametrize("level", [0.0, 0.02, 0.3, 1e9])
def test_of_the_posterior_mean(level: float) -> None:
    noise = np.r_[0.0, np.linspace(0.5, 2, BAND.count - 1)] * level
    pairs = []
    for seed in range(150):
        true = drawn(seed)
        noisy = true + np.random.default_rng([seed, 1]).normal(size=BAND.count) * np.sqrt(noise)
        gain = np.where(PRIOR.power > 0, PRIOR.power / np.maximum(PRIOR.power + noise, 1e-300), 1.0)
        pairs.append((PRIOR.mean + gain * (noisy - PRIOR.mean), true))
    predicted = correlation_of_posterior(PRIOR, BAND, noise, mean_known=True)
    assert correlation_of_maps(pairs) == pytest.approx(predicted, abs=0.03)


def test_not_knowing_the_mean_is_worse_and_no_noise_is_perfect() -> None:
    noise = np.r_[0.0, np.full(BAND.count - 1, 0.2)]
    known, unknown = (correlation_of_posterior(PRIOR, BAND, noise, mean_known=k) for k in (True, False))
    assert known > unknown > 0
    assert correlation_of_posterior(PRIOR, BAND, np.zeros(BAND.count), mean_known=True) == pytest.approx(1.0)
    endless = np.full(BAND.count, math.inf)
    assert correlation_of_posterior(PRIOR, BAND, endless, mean_known=False) == 0.0


@pytest.mark.parametrize("level", [0.0, 0.05, 1.0])
def test_of_cells(level: float) -> None:
    """Coefficients beyond the cells' own number are lost, the others averaged and noised."""
    rows, columns = 9, 11
    u, v = BAND.frequencies
    left = np.where((u < rows) & (v < columns), np.sinc(u / 18) * np.sinc(v / 22), 0.0)
    shown = (u < rows) & (v < columns) & (u + v > 0)
    pairs = []
    for seed in range(150):
        true = drawn(seed)
        noise = np.random.default_rng([seed, 2]).normal(size=BAND.count) * math.sqrt(level)
        pairs.append((np.where(u + v > 0, left * true + shown * noise, 1.0), true))
    predicted = correlation_of_cells(PRIOR, BAND, level, rows=rows, columns=columns)
    assert correlation_of_maps(pairs) == pytest.approx(predicted, abs=0.03)


def test_a_single_cell_shows_nothing_of_a_map() -> None:
    assert correlation_of_cells(PRIOR, BAND, 0.1, rows=1, columns=1) == 0.0
