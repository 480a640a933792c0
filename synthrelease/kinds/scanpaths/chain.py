"""From released maps and densities to what scanpaths are drawn by: a gravity model, corrected for turns and for order by simulated scanpaths (`scanpaths.proof.md`).

All of it is post-processing. Simulated scanpaths have a public seed of their own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synthrelease.kinds.scanpaths.blocks import ORDER, SACCADES, class_of
from synthrelease.kinds.scanpaths.geometry import Geometry, geometry, level_bins
from synthrelease.kinds.scanpaths.sampler import DRAWS, LOG_STEPS, Logs, Tables, in_log_steps
from synthrelease.kinds.scanpaths.trials import TrialModel
from synthrelease.numerics import gravity
from synthrelease.numerics.public_draws import PublicDraws

Numbers = NDArray[np.float64]
Integers = NDArray[np.int64]

_SEED = 2026
_FITTED = 32  # maps that the kernel is fitted to, evenly spaced in the list
_ITERATIONS = 25  # of the kernel, on cells of twice the side and then on all
_ROUNDS, _SIMULATED, _FEWEST = 3, 1600, 8  # scanpaths of each round, and of a stimulus at least
_LEAST_MEAN = 0.02  # of a mean map's even share, which a stimulus's map is divided by
# Of what is asked over what simulated scanpaths have: how far a factor follows, and how much at most.
_TURNS_DAMPED, _ORDER_DAMPED, _KERNEL_DAMPED, _PLACES_DAMPED = 0.8, 0.8, 0.6, 0.5
_MOST_FACTOR, _MOST_STEP = 10.0, 2.0
_LEAST_KERNEL, _LEAST_PLACE = 1e-3 / SACCADES.cells[0], 1e-5
_SMOOTH_CELLS = 4.0  # over which places are counted
_COUNTED = 3.0  # levels of each class that are taken to be there beforehand


@dataclass(frozen=True)
class Asked:
    """What a release says of scanpaths: maps, and densities over cells of public coordinates, all probabilities."""

    maps: Numbers  # of sum 1 each, positive, shape (S, rows, columns)
    saccades: Numbers  # shape (bins of amplitude and direction,)
    turns: Numbers  # shape (bins of ratio and turn,)
    order: Numbers  # of levels, of each class of sum 1, shape (classes, bins)
    starts: Numbers  # of the first fixation, of sum 1, shape (rows, columns)
    trials: TrialModel


@dataclass(frozen=True)
class FirstOrder:
    """The gravity model in 64ths of doublings."""

    kernel: Logs  # shape (bins,)
    attraction: Logs  # shape (S, rows, columns)


def first_order(maps: Numbers, saccades: Numbers, cells: Geometry) -> FirstOrder:
    """Return the gravity model of maps and saccades: the kernel of some of the maps, on coarse cells first.

    Args:
        maps: probabilities of sum 1 each, positive, shape (S, rows, columns).
        saccades: released density over bins, of sum 1, shape (bins,).
        cells: of the screen.
    """
    few = maps[np.unique(np.linspace(0, len(maps) - 1, min(len(maps), _FITTED)).astype(np.int64))]
    coarse, fine = geometry(cells.proportions, cells.flat, 2).displacements, cells.displacements
    blocks = few.reshape(len(few), coarse.rows, 2, coarse.columns, 2).sum(axis=(2, 4))
    kernel = gravity.fitted(blocks, coarse.feasible(saccades), coarse, iterations=_ITERATIONS).kernel
    model = gravity.fitted(few, fine.feasible(saccades), fine, start=kernel, iterations=_ITERATIONS)
    attraction = model.attraction
    if len(few) < len(maps):
        attraction = gravity.attractions(maps, model.kernel, fine)
    return FirstOrder(in_log_steps(model.kernel), np.stack([in_log_steps(one) for one in attraction]))


def tables(asked: Asked, first: FirstOrder, cells: Geometry) -> Tables:
    """Return what scanpaths are drawn by: three times scanpaths are simulated, and factors follow what is asked over what they have.

    Args:
        asked: what the release says.
        first: the gravity model.
        cells: of the screen.
    """
    mean = np.maximum(asked.maps.mean(axis=0), _LEAST_MEAN / cells.cells)
    start = np.stack([in_log_steps(asked.starts * one / mean) for one in asked.maps])
    bins = level_bins(asked.maps)
    none = np.zeros(asked.turns.size, dtype=np.int16)
    known = Tables(
        cells,
        start,
        first.kernel,
        first.attraction,
        none,
        np.zeros(asked.order.shape, dtype=np.int16),
        bins,
    )
    factors = _Factors(
        np.ones(asked.turns.size),
        np.ones(asked.order.shape),
        _exact(first.kernel),
        _exact(first.attraction),
    )
    for number in range(_ROUNDS):
        simulated = _Simulated.of(known, asked, number)
        factors = factors.following(asked, simulated, cells)
        known = replace(
            known,
            kernel=in_log_steps(factors.kernel),
            attraction=np.stack([in_log_steps(one) for one in factors.attraction]),
            turns=in_log_steps(factors.turns),
            order=np.stack([in_log_steps(one) for one in factors.order]),
        )
    return known


def _exact(logs: Logs) -> Numbers:
    return np.asarray(2.0 ** (logs / LOG_STEPS))


@dataclass(frozen=True)
class _Simulated:
    """Counts of simulated scanpaths, each of which weighs the same."""

    saccades: Numbers
    turns: Numbers
    order: Numbers
    places: Numbers  # shape (S, rows, columns), of sum 1 each
    pairs: int  # of saccades

    @classmethod
    def of(cls, known: Tables, asked: Asked, number: int) -> _Simulated:
        stimuli, cells = len(asked.maps), known.geometry
        each = max(_FEWEST, _SIMULATED // stimuli)
        stimulus = np.repeat(np.arange(stimuli), each)
        random = PublicDraws(_SEED, number)
        counts, _ = asked.trials.draw(random.uniform(stimulus.size))
        x, y = known.draw(stimulus, counts, random.uniform((stimulus.size, int(counts.max()), DRAWS)))
        across, down = np.diff(x, axis=1), np.diff(y, axis=1) * cells.proportions
        amplitude, direction = np.hypot(across, down), (np.arctan2(down, across) / (2 * np.pi)) % 1.0
        moves, pairs = np.isfinite(amplitude), np.isfinite(amplitude[:, 1:])
        per_saccade, per_pair = (
            np.broadcast_to(1 / np.maximum(counts - less, 1), there.T.shape).T[there]
            for less, there in ((1, moves), (2, pairs))
        )
        saccades = np.bincount(
            cells.saccade_bins(amplitude[moves], direction[moves]), per_saccade, asked.saccades.size
        )
        before, after = amplitude[:, :-1][pairs], amplitude[:, 1:][pairs]
        ratio = after / np.maximum(before + after, 1e-9)
        turned = np.abs((direction[:, 1:][pairs] - direction[:, :-1][pairs] + 0.5) % 1.0 - 0.5) * 2
        turns = np.bincount(cells.turn_bins(ratio, turned), per_pair, asked.turns.size)
        there = np.isfinite(x)
        row = np.minimum((y[there] * cells.rows).astype(np.int64), cells.rows - 1)
        column = np.minimum((x[there] * cells.columns).astype(np.int64), cells.columns - 1)
        seen = np.broadcast_to(stimulus, there.T.shape).T[there]
        weight = np.broadcast_to(1 / counts, there.T.shape).T[there]
        place = (seen * cells.rows + row) * cells.columns + column
        places = np.bincount(place, weight, known.levels.size).reshape(known.levels.shape)
        classes = np.broadcast_to(class_of(np.arange(x.shape[1])), there.shape)[there]
        order = np.bincount(
            classes * ORDER.cells[0] + known.levels[seen, row, column], minlength=asked.order.size
        ).reshape(asked.order.shape)
        order_shares = order + _COUNTED
        return cls(
            _shares(saccades, asked.saccades),
            _shares(turns, asked.turns),
            order_shares / order_shares.sum(axis=1, keepdims=True),
            places / places.sum(axis=(1, 2), keepdims=True),
            int(pairs.sum()),
        )


def _shares(counts: NDArray[Any], asked: Numbers) -> Numbers:
    """Of sum 1; of nothing, as in trials of one fixation, what is asked, so that no factor follows."""
    return np.asarray(counts / counts.sum()) if counts.any() else asked


@dataclass(frozen=True)
class _Factors:
    turns: Numbers
    order: Numbers
    kernel: Numbers
    attraction: Numbers

    def following(self, asked: Asked, simulated: _Simulated, cells: Geometry) -> _Factors:
        from scipy.ndimage import gaussian_filter  # noqa: PLC0415  slow to import

        least = 2 / max(simulated.pairs, 1)
        turns = self.turns * ((asked.turns + least) / (simulated.turns + least)) ** _TURNS_DAMPED
        order = self.order * (asked.order / simulated.order) ** _ORDER_DAMPED
        saccades = cells.displacements.feasible(asked.saccades)
        change = ((saccades + _LEAST_KERNEL) / (simulated.saccades + _LEAST_KERNEL)) ** _KERNEL_DAMPED
        kernel = self.kernel * _within(change, _MOST_STEP)
        wanted, places = (
            gaussian_filter(one, (0, _SMOOTH_CELLS, _SMOOTH_CELLS)) for one in (asked.maps, simulated.places)
        )
        change = _within((wanted + _LEAST_PLACE) / (places + _LEAST_PLACE), _MOST_STEP)
        attraction = self.attraction * change**_PLACES_DAMPED
        return _Factors(_within(turns, _MOST_FACTOR), _within(order, _MOST_FACTOR), kernel, attraction)


def _within(factor: Numbers, most: float) -> Numbers:
    return np.clip(factor, 1 / most, most)
