"""How alike two sets of scanpaths are: movements, durations and numbers of fixations, returns, places, and what predicts the next fixation.

Every trial weighs the same, however many fixations it has. No measure here is differentially private: they compare with the private truth.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from synthrelease.kinds.scanpaths.coordinates import STEPS
from synthrelease.kinds.scanpaths.fixations import Fixations

Numbers = NDArray[np.float64]
Integers = NDArray[np.int64]

_PLACES = (6, 4)  # columns and rows of the screen, for first fixations
# Ends of bins: of amplitudes in pixels of a screen 800 px wide, directions in turns, changes of direction in half turns, durations in ms, numbers of fixations, parts of the screen, and levels of a map.
_EDGES = {
    "amplitude": np.r_[0.0, np.geomspace(8, 1000, 20)] / 800,
    "direction": np.linspace(0, 1, 17),
    "turn": np.linspace(0, 1, 11),
    "duration_ms": np.r_[0.0, np.geomspace(40, 1200, 20), 1e9],
    "fixations": np.append(np.arange(0.5, 40.5), 1e9),
    "first_place": np.arange(_PLACES[0] * _PLACES[1] + 1) - 0.5,
    "level": np.linspace(0, 1, 13),
}
_RETURN = 36 / 800  # of the width: fixations that are nearer to the one before the last are returns
_QUANTILES = np.linspace(0.005, 0.995, 199)
_DIRECTIONS = np.linspace(0, 1, 361)  # ends of bins, in turns


@dataclass(frozen=True)
class Spread:
    """Values with weights, of all trials."""

    values: Numbers  # shape (N,)
    weights: Numbers  # shape (N,)

    def share(self, edges: Numbers) -> Numbers:
        """Return the proportion in each bin, shape (bins,); 0 everywhere if there is nothing."""
        counts = np.histogram(self.values, edges, weights=self.weights)[0]
        return np.asarray(counts / max(float(counts.sum()), np.finfo(np.float64).tiny))

    @property
    def mean(self) -> float:
        """The mean; NaN of nothing."""
        total = float(self.weights.sum())
        return float(self.values @ self.weights / total) if total else float("nan")

    def quantiles(self) -> Numbers:
        """Return quantiles at even probabilities, shape (199,)."""
        order = np.argsort(self.values, kind="stable")
        up_to = np.cumsum(self.weights[order]) / self.weights.sum()
        return np.interp(_QUANTILES, up_to, self.values[order])


def spreads(fixations: Fixations) -> dict[str, Spread]:
    """Return what is compared of movements, by name: amplitude (share of the width), direction, turn, duration_ms, fixations, returns, and of first fixations x, y (shares of the screen) and part of the screen."""
    to, second = fixations.saccades, fixations.second_saccades
    of_trial = fixations.counts[fixations.trial].astype(np.float64)
    x, y = fixations.x / STEPS, fixations.y * (fixations.proportions / STEPS)
    third = to[second]
    near = np.hypot(x[third] - x[third - 2], y[third] - y[third - 2]) < _RETURN
    moved = fixations.amplitude[second] > _RETURN
    per_pair = 1 / (of_trial[third] - 2)
    first, once = fixations.first, np.ones(fixations.counts.size)
    columns, rows = _PLACES
    place = fixations.y[first] * rows // STEPS * columns + fixations.x[first] * columns // STEPS
    return {
        "amplitude": Spread(fixations.amplitude, 1 / (of_trial[to] - 1)),
        "direction": Spread(fixations.direction, 1 / (of_trial[to] - 1)),
        "turn": Spread(fixations.turn, per_pair),
        "duration_ms": Spread(fixations.duration_us / 1000, 1 / of_trial),
        "fixations": Spread(fixations.counts.astype(np.float64), once),
        "returns": Spread((near & moved).astype(np.float64), per_pair),
        "first_x": Spread(fixations.x[first] / STEPS, once),
        "first_y": Spread(fixations.y[first] / STEPS, once),
        "first_place": Spread(place.astype(np.float64), once),
    }


def divergence(one: Spread, other: Spread, name: str) -> float:
    """Return the Jensen–Shannon divergence of two distributions in bits, from 0 to 1, in the bins of a name."""
    p, q = (spread.share(_EDGES[name]) for spread in (one, other))
    middle = (p + q) / 2
    terms = [
        np.where(part > 0, part * np.log2(np.maximum(part, 1e-300) / np.maximum(middle, 1e-300)), 0.0).sum()
        for part in (p, q)
    ]
    return float(np.mean(terms))


def distance(one: Spread, other: Spread) -> float:
    """Return the Wasserstein distance of two distributions, in the unit of their values; NaN if one is of nothing."""
    if not (one.weights.any() and other.weights.any()):
        return float("nan")
    return float(np.abs(one.quantiles() - other.quantiles()).mean())


def circular_distance(one: Spread, other: Spread) -> float:
    """Return the Wasserstein distance of two distributions on a circle of circumference 1; NaN if one is of nothing.

    Of the differences of both distribution functions about their median: what is moved around the circle goes the shorter way
    (Rabin, Delon & Gousseau 2011, https://doi.org/10.1007/s10851-011-0284-0).
    """
    if not (one.weights.any() and other.weights.any()):
        return float("nan")
    apart = np.cumsum(one.share(_DIRECTIONS) - other.share(_DIRECTIONS))
    return float(np.abs(apart - np.median(apart)).mean())


def looks(fixations: Fixations, stimulus: int, cells: tuple[int, int]) -> Numbers:
    """Return where fixations on a stimulus are: the sum over trials of the proportion of their fixations in each cell of the screen, shape (rows, columns).

    Args:
        fixations: of people.
        stimulus: its number.
        cells: rows and columns.
    """
    rows, columns = cells
    here = np.flatnonzero(fixations.stimulus == stimulus)
    weight = 1 / fixations.counts[fixations.trial[here]]
    cell = fixations.y[here] * rows // STEPS * columns + fixations.x[here] * columns // STEPS
    return np.bincount(cell, weight, rows * columns).astype(np.float64).reshape(rows, columns)


class NextFixation:
    """What predicts the next fixation on any stimulus: a conditional logit over 16 × 12 cells, of displacement, direction, turn and place.

    Args:
        fixations: to learn from.
    """

    _COLUMNS, _ROWS = 16, 12
    _AMPLITUDES = np.array([0, 0.04, 0.08, 0.12, 0.17, 0.23, 0.3, 0.4, 0.55, 9])
    _MOST, _RIDGE = 3000, 2.0

    def __init__(self, fixations: Fixations) -> None:
        features, chosen, size = self._design(fixations, self._MOST)
        count = len(chosen)
        observed = np.bincount(features[np.arange(count), chosen].ravel(), minlength=size)

        def loss(weights: Numbers) -> tuple[float, Numbers]:
            scores = weights[features].sum(axis=-1)
            scores -= scores.max(axis=1, keepdims=True)
            share = np.exp(scores)
            total = share.sum(axis=1, keepdims=True)
            share /= total
            likelihood = float((scores[np.arange(count), chosen] - np.log(total[:, 0])).sum())
            expected = np.bincount(features.ravel(), np.repeat(share.ravel(), features.shape[-1]), size)
            ridge = self._RIDGE * weights
            return (
                (-likelihood + float(ridge @ weights) / 2) / count,
                (expected - observed + ridge) / count,
            )

        fit = minimize(loss, np.zeros(size), jac=True, method="L-BFGS-B", options={"maxiter": 120})
        self._weights: Numbers = fit.x

    def bits(self, fixations: Fixations) -> float:
        """Return by how many bits per fixation it predicts better than an even guess."""
        features, chosen, _ = self._design(fixations, None)
        scores = self._weights[features].sum(axis=-1)
        largest = scores.max(axis=1)
        logarithm = (
            scores[np.arange(len(chosen)), chosen]
            - largest
            - np.log(np.exp(scores - largest[:, None]).sum(axis=1))
        )
        return float(np.log2(self._COLUMNS * self._ROWS) + logarithm.mean() / np.log(2))

    def _design(self, fixations: Fixations, most: int | None) -> tuple[Integers, Integers, int]:
        """The features of every cell after every pair of fixations, shape (N, cells, 4), the cells that are looked at, and how many features there are."""
        third = fixations.saccades[fixations.second_saccades]
        if most is not None and third.size > most:
            third = third[np.linspace(0, third.size - 1, most).astype(np.int64)]
        x, y = fixations.x / STEPS, fixations.y * (fixations.proportions / STEPS)
        here, before = third - 1, third - 2
        columns = (np.arange(self._COLUMNS) + 0.5) / self._COLUMNS
        rows = (np.arange(self._ROWS) + 0.5) / self._ROWS * fixations.proportions
        across = columns - x[here, None, None] + np.zeros((1, self._ROWS, 1))
        down = rows[:, None] - y[here, None, None] + np.zeros((1, 1, self._COLUMNS))
        amplitude, angle = np.hypot(across, down), np.arctan2(down, across)
        last = np.hypot(x[here] - x[before], y[here] - y[before])[:, None, None]
        last_angle = np.arctan2(y[here] - y[before], x[here] - x[before])[:, None, None]
        turned = np.abs((angle - last_angle + np.pi) % (2 * np.pi) - np.pi) / np.pi
        ratio = amplitude / np.maximum(amplitude + last, 1e-9)
        sizes = self._AMPLITUDES.size - 1, 8, 24, self._COLUMNS * self._ROWS // 4
        of_place = (np.arange(self._ROWS) // 2 * (self._COLUMNS // 2))[:, None] + np.arange(
            self._COLUMNS
        ) // 2
        parts = [
            np.digitize(amplitude, self._AMPLITUDES) - 1,
            ((angle / (2 * np.pi) + 1 / 16) % 1 * 8).astype(np.int64),
            np.minimum((turned * 6).astype(np.int64), 5) * 4 + np.minimum((ratio * 4).astype(np.int64), 3),
            np.broadcast_to(of_place, amplitude.shape),
        ]
        offsets = np.cumsum([0, *sizes[:-1]])
        features = np.stack([part + offset for part, offset in zip(parts, offsets, strict=True)], axis=-1)
        chosen = (
            fixations.y[third] * self._ROWS // STEPS * self._COLUMNS
            + fixations.x[third] * self._COLUMNS // STEPS
        )
        return features.reshape(third.size, -1, len(parts)), chosen, sum(sizes)
