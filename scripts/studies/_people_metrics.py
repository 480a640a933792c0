"""How far people are from a population: smaller is better for all of them."""

from __future__ import annotations

import numpy as np
import pandas as pd

from studies._people import People, Population

MEASURES = ("tv1", "tv2", "cor", "icc", "lag", "con")
_PAIRS = 60  # of features, whose joint distribution is compared


def summary(people: People, population: Population) -> dict[str, np.ndarray]:
    """Return distributions, correlations, intraclass correlations, autocorrelations and contrasts, of values that are there."""
    values, there = people.values, people.there  # noqa: PD011 - not of pandas
    features = values.shape[-1]
    present = there[..., None] & ~np.isnan(values)
    label = np.broadcast_to(np.arange(values.shape[1])[:, None], there.shape[1:])
    rows, condition = values[there], np.broadcast_to(label, there.shape)[there]
    place = np.clip((rows - population.low) / (population.high - population.low), 0, 1 - 1e-9)
    singles = [_shares(place[:, f] * 20, 20) for f in range(features)]
    pairs = [_shares(np.floor(place[:, f] * 8) * 8 + place[:, g] * 8, 64) for f, g in _pairs(features)]
    jitter = 1e-9 * np.random.default_rng(0).normal(size=rows.shape)
    count = present.sum(axis=(1, 2))
    number = (count > 0).sum(axis=0)
    mean = np.where(present, values, 0).sum(axis=(1, 2)) / np.maximum(count, 1)
    residual = np.where(present, values - mean[:, None, None], 0)
    within = (residual**2).sum(axis=(0, 1, 2)) / (count.sum(axis=0) - number)
    squares = (count * (mean - np.nanmean(rows, axis=0)) ** 2).sum(axis=0) / (number - 1)
    between = np.clip((squares - within) / (count.sum(axis=0) / number), 0, None)
    earlier = (residual[:, :, 1:] ** 2 * present[:, :, :-1]).sum(axis=(0, 1, 2))
    lag = (residual[:, :, 1:] * residual[:, :, :-1]).sum(axis=(0, 1, 2)) / (earlier + 1e-9)
    levels = np.stack([np.nanmean(rows[condition == c], axis=0) for c in range(values.shape[1])])
    return {
        "tv1": np.stack(singles),
        "tv2": np.stack(pairs),
        "cor": pd.DataFrame(rows + jitter).corr().to_numpy(),  # of pairs that are there
        "icc": between / (between + within + 1e-12),
        "lag": lag,
        "con": (levels[1:] - levels[0]) / (np.nanstd(rows, axis=0) + 1e-9),
    }


def _shares(cells: np.ndarray, count: int) -> np.ndarray:
    """Of numbers of cells, which are rounded down, NaN where there is none: the share of each."""
    whole = cells[~np.isnan(cells)].astype(int)
    return np.bincount(whole, minlength=count) / len(whole)


def _pairs(features: int) -> list[tuple[int, int]]:
    pairs = [(f, g) for f in range(features) for g in range(f + 1, features)]
    chosen = np.sort(np.random.default_rng(1).permutation(len(pairs))[:_PAIRS])
    return [pairs[number] for number in chosen]


def compared(one: dict[str, np.ndarray], truth: dict[str, np.ndarray]) -> list[float]:
    """Return total variations, root-mean-square errors of correlations and contrasts, mean absolute errors of the others, as `MEASURES`."""
    upper = np.triu_indices(len(truth["cor"]), 1)
    variation = [0.5 * np.abs(one[name] - truth[name]).sum(axis=1).mean() for name in ("tv1", "tv2")]
    absolute = [np.abs(one[name] - truth[name]).mean() for name in ("icc", "lag")]
    correlation = np.sqrt(np.mean((one["cor"] - truth["cor"])[upper] ** 2))
    return [*variation, correlation, *absolute, np.sqrt(np.mean((one["con"] - truth["con"]) ** 2))]


UNMODELLED = ("drift", "correlations by condition", "scatter of people")


def unmodelled(people: People, population: Population) -> list[float]:
    """Return what people of the model do not have, as `UNMODELLED`, each averaged over features.

    Change over a condition, in standard deviations of values (mean magnitude); root-mean-square deviation of a condition's correlations within people from those of all conditions;
    standard deviation over people of the logarithm of their own standard deviation.
    """
    values = people.values  # noqa: PD011 - not of pandas
    present = people.there[..., None] & ~np.isnan(values)
    filled = np.where(present, values, 0)
    count = np.maximum(present.sum(axis=2, keepdims=True), 1)
    residual = np.where(present, values - filled.sum(axis=2, keepdims=True) / count, 0)
    window = np.broadcast_to(np.arange(values.shape[2])[:, None], values.shape)
    time = np.where(present, window - np.where(present, window, 0).sum(axis=2, keepdims=True) / count, 0)
    slope = (time * residual).sum(axis=(0, 1, 2)) / (time**2).sum(axis=(0, 1, 2))
    drift = np.abs(slope) * population.windows / np.nanstd(values[people.there], axis=0)
    matrices = []
    for c in range(values.shape[1]):
        rows = np.where(present, residual, np.nan)[:, c][people.there[:, c]]
        matrices.append(pd.DataFrame(rows).corr().to_numpy()[np.triu_indices(rows.shape[1], 1)])
    apart = np.sqrt(np.mean((np.array(matrices) - np.mean(matrices, axis=0)) ** 2))
    number = present.sum(axis=(1, 2))
    own = np.sqrt((residual**2).sum(axis=(1, 2)) / np.maximum(number, 1))
    logarithm = np.where(own > 0, np.log(np.where(own > 0, own, 1)), np.nan)  # who never varies has none
    return [float(drift.mean()), float(apart), float(np.nanstd(logarithm, axis=0).mean())]
