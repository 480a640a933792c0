"""Fixations one after the other, drawn with whole-numbered weights: the same on every machine, and anyone can draw them again.

Weights are 2^(l/64) of whole l, which add up where factors multiply: of the displacement after the last saccade, of the place, and of its level
at that time of the trial (`scanpaths.proof.md`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from synthrelease.kinds.scanpaths.blocks import TURNS, class_of
from synthrelease.kinds.scanpaths.geometry import Geometry

Numbers = NDArray[np.float64]
Integers = NDArray[np.int64]
Logs = NDArray[np.int16]  # in 64ths of a doubling

LOG_STEPS = 64  # of a doubling
_LARGEST = 30  # doublings between the largest weight and those that are 0
_WEIGHTS = np.rint(2.0 ** (_LARGEST - np.arange(_LARGEST * LOG_STEPS) / LOG_STEPS)).astype(np.int32)
_WEIGHTS = np.append(_WEIGHTS, np.int32(0))
_TOGETHER = 256  # scanpaths
DRAWS = 3  # uniform numbers that a fixation's place takes


def in_log_steps(weights: Numbers) -> Logs:
    """Return weights relative to their largest as whole 64ths of doublings, of the same shape; none is less than what counts as 0."""
    relative = np.maximum(weights / weights.max(), 2.0**-_LARGEST)
    return np.asarray(np.rint(np.log2(relative) * LOG_STEPS).astype(np.int16))


@dataclass(frozen=True)
class Tables:
    """What fixations are drawn by, dimensionless: in 64ths of doublings."""

    geometry: Geometry
    start: Logs  # of the first fixation, shape (S, rows, columns)
    kernel: Logs  # of displacements, by bins of amplitude and direction, shape (bins,)
    attraction: Logs  # of places, shape (S, rows, columns)
    turns: Logs  # of pairs of saccades, by bins of ratio and turn, shape (bins,)
    order: Logs  # of levels, by class of fixation, shape (classes, bins)
    levels: NDArray[np.uint8]  # bin of the level of every cell, shape (S, rows, columns)

    @cached_property
    def _first_order(self) -> Logs:
        """Of every displacement: the mean over places within cells, shape (2·rows − 1, 2·columns − 1)."""
        exact = 2.0 ** (self.kernel / LOG_STEPS)
        return in_log_steps(self.geometry.displacements.kernel(exact))

    @cached_property
    def _second_order(self) -> Logs:
        """Of every displacement after each kind of saccade, shape (kinds, 2·rows − 1, 2·columns − 1)."""
        ratio, turn = self.geometry.next_bins
        of_pairs = self.turns.reshape(TURNS.cells)
        first = self._first_order
        out = np.empty((len(ratio), len(turn), *first.shape), dtype=np.int16)
        for kind, bins in enumerate(ratio):
            np.add(of_pairs[bins[None], turn], first, out=out[kind])
        return out.reshape(-1, *first.shape)

    def draw(self, stimulus: Integers, counts: Integers, uniform: Numbers) -> tuple[Numbers, Numbers]:
        """Return where scanpaths fixate, as shares of width and height, NaN after the last fixation, shape (P, L) each.

        Args:
            stimulus: of each scanpath, shape (P,).
            counts: how many fixations each has, at most L, shape (P,).
            uniform: numbers of [0, 1), shape (P, L, DRAWS).
        """
        x, y = (np.full(uniform.shape[:2], np.nan) for _ in range(2))
        for start in range(0, len(stimulus), _TOGETHER):
            some = slice(start, start + _TOGETHER)
            self._draw(stimulus[some], counts[some], uniform[some], x[some], y[some])
        return x, y

    def _draw(self, stimulus: Integers, counts: Integers, uniform: Numbers, x: Numbers, y: Numbers) -> None:
        rows, columns = self.geometry.rows, self.geometry.columns
        first, second = (
            sliding_window_view(table, (rows, columns), axis=(-2, -1))
            for table in (self._first_order, self._second_order)
        )
        down, across = np.zeros_like(stimulus), np.zeros_like(stimulus)
        for number in range(int(counts.max(initial=0))):
            active = np.flatnonzero(counts > number)
            here = stimulus[active]
            logs = self._by_place(here, number)
            if number == 1:
                logs += first[rows - 1 - down[active], columns - 1 - across[active]]
            elif number > 1:
                kind = self._last_kind(x[active], y[active], number)
                logs += second[kind, rows - 1 - down[active], columns - 1 - across[active]]
            draws = uniform[active, number]
            down[active], across[active] = picked(logs, draws[:, 0])
            x[active, number] = (across[active] + draws[:, 1]) / columns
            y[active, number] = (down[active] + draws[:, 2]) / rows

    def _by_place(self, stimulus: Integers, number: int) -> Logs:
        """Of places for fixation `number`, shape (P, rows, columns)."""
        order = self.order[int(class_of(np.array(number)))]
        places = self.attraction if number else self.start
        return np.asarray(places[stimulus] + order[self.levels[stimulus]])

    def _last_kind(self, x: Numbers, y: Numbers, number: int) -> Integers:
        across = x[:, number - 1] - x[:, number - 2]
        down = (y[:, number - 1] - y[:, number - 2]) * self.geometry.proportions
        direction = (np.arctan2(down, across) / (2 * np.pi)) % 1.0
        return self.geometry.last_kind(np.hypot(across, down), direction)


def picked(logs: Logs, uniform: Numbers) -> tuple[Integers, Integers]:
    """Return one place of each table, by its weights, as row and column, shape (P,) each.

    Args:
        logs: weights in 64ths of doublings, shape (P, rows, columns).
        uniform: numbers of [0, 1], shape (P,).
    """
    below = logs.max(axis=(1, 2), keepdims=True).astype(np.int32) - logs
    weight = _WEIGHTS[np.minimum(below, _WEIGHTS.size - 1)]
    by_row = weight.sum(axis=2, dtype=np.int64)
    up_to = np.cumsum(by_row, axis=1)
    total = up_to[:, -1]
    # One product of exact numbers, rounded once: the same everywhere.
    at = np.minimum((uniform * total).astype(np.int64), total - 1)
    row = (up_to <= at[:, None]).sum(axis=1)
    each = np.arange(len(logs))
    inside = at - (up_to[each, row] - by_row[each, row])
    column = (np.cumsum(weight[each, row], axis=1, dtype=np.int64) <= inside[:, None]).sum(axis=1)
    return row, column
