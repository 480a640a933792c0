"""How far people are from a population: smaller is better for all of them."""

from __future__ import annotations

import numpy as np

from studies._populations import People, Population

MEASURES = ("tv1", "tv2", "cor", "icc", "lag", "con")
_PAIRS = 60  # of features, whose joint distribution is compared


def summary(people: People, population: Population) -> dict[str, np.ndarray]:
    """Return distributions, correlations, intraclass correlations, autocorrelations and contrasts."""
    values, there = people.values, people.there
    rows, condition = values[there], np.broadcast_to(np.arange(values.shape[1])[:, None], there.shape[1:])
    label = np.broadcast_to(condition, there.shape)[there]
    place = np.clip((rows - population.low) / (population.high - population.low), 0, 1 - 1e-9)
    features = rows.shape[1]
    singles = np.stack(
        [np.bincount((place[:, f] * 20).astype(int), minlength=20) / len(rows) for f in range(features)]
    )
    cells = (place * 8).astype(int)
    pairs = [
        np.bincount(cells[:, f] * 8 + cells[:, g], minlength=64) / len(rows) for f, g in _pairs(features)
    ]
    jitter = 1e-9 * np.random.default_rng(0).normal(size=rows.shape)
    count = there.sum(axis=(1, 2))[:, None]
    mean = np.where(there[..., None], values, 0).sum(axis=(1, 2)) / count
    residual = np.where(there[..., None], values - mean[:, None, None], 0)
    within = (residual**2).sum(axis=(0, 1, 2)) / (count.sum() - len(values))
    squares = (count * (mean - rows.mean(axis=0)) ** 2).sum(axis=0) / (len(values) - 1)
    between = np.clip((squares - within) / count.mean(), 0, None)
    earlier = (residual[:, :, 1:] ** 2 * there[:, :, :-1, None]).sum(axis=(0, 1, 2))
    lag = (residual[:, :, 1:] * residual[:, :, :-1]).sum(axis=(0, 1, 2)) / (earlier + 1e-9)
    levels = np.stack([rows[label == c].mean(axis=0) for c in range(values.shape[1])])
    return {
        "tv1": singles,
        "tv2": np.stack(pairs),
        "cor": np.corrcoef((rows + jitter).T),
        "icc": between / (between + within + 1e-12),
        "lag": lag,
        "con": (levels[1:] - levels[0]) / (rows.std(axis=0) + 1e-9),
    }


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
