"""How many fixations a synthetic trial has, and how long each takes (`scanpaths.proof.md`).

A trial draws its number of fixations and the proportion of the viewing time that they take, and then durations whose mean these call for: of the
released durations, tilted by e^{λd}. The tilted distribution is one from which durations over all trials are the released ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from synthrelease.kinds.scanpaths.blocks import DURATIONS, TRIALS
from synthrelease.kinds.scanpaths.coordinates import Coordinate

Numbers = NDArray[np.float64]
Integers = NDArray[np.int64]

_FASTEST = 10.0  # fixations in a second, at most
_TILTS = np.linspace(-12.0, 12.0, 121) / 1000  # λ, per millisecond
_LARGEST = 25.0  # λ·d, so that the exponential stays in range
_ROUNDS, _DAMPED, _LARGEST_CHANGE = 60, 0.8, 2.0
_LEAST = 1e-4  # of a bin's even share
_WEIGHT = 2.0**40  # what weights of one drawing sum to: whole numbers


@dataclass(frozen=True)
class TrialForm:
    """What is public of trials."""

    seconds: float  # T
    rate: Coordinate
    fixated: Coordinate
    duration: Coordinate  # in milliseconds

    @property
    def most(self) -> int:
        """Fixations of a trial, at most."""
        return int(_FASTEST * self.seconds)

    @cached_property
    def number_edges(self) -> Numbers:
        """The ends of what each number of fixations stands for on its coordinate, in cells of the released density, shape (most + 1,)."""
        ends = self.rate.steps((np.arange(self.most + 1) + 0.5) / self.seconds)
        return np.asarray(ends / 8192 * TRIALS.cells[0])

    @cached_property
    def totals_ms(self) -> Numbers:
        """The middles of the bins of how long all fixations take, in ms, shape (bins,)."""
        middles = (np.arange(TRIALS.cells[1]) + 0.5) / TRIALS.cells[1]
        return self.fixated.values(middles) * self.seconds * 1000

    @cached_property
    def durations_ms(self) -> Numbers:
        """The middles of the bins of durations, in ms, shape (bins,)."""
        return self.duration.values((np.arange(DURATIONS.cells[0]) + 0.5) / DURATIONS.cells[0])


@dataclass(frozen=True)
class TrialModel:
    """Numbers and durations of fixations that a release's densities, probabilities of bins, call for."""

    form: TrialForm
    trials: Numbers  # released density of rate and proportion, shape (rates, proportions)
    durations: Numbers  # released density of durations, shape (bins,)

    @cached_property
    def numbers(self) -> Numbers:
        """The probability of each number of fixations, from 1, with each total, shape (most, totals)."""
        cumulated = np.concatenate([np.zeros((1, self.trials.shape[1])), np.cumsum(self.trials, axis=0)])
        place, edges = np.arange(len(cumulated)), self.form.number_edges
        at = np.stack([np.interp(edges, place, column) for column in cumulated.T], axis=1)
        probability = np.maximum(np.diff(at, axis=0), 0.0)
        return np.asarray(probability / probability.sum())

    @cached_property
    def tilts(self) -> Integers:
        """The tilt of each number of fixations and total, shape (most, totals)."""
        return self._tilts_of(self.base)

    @cached_property
    def base(self) -> Numbers:
        """What is tilted, probabilities of bins, shape (bins,): by proportional fitting of the mixture of all tilts to the released durations."""
        asked = self.durations
        base = asked.copy()
        least = _LEAST / asked.size
        for _ in range(_ROUNDS):
            share = np.bincount(self._tilts_of(base).ravel(), self.numbers.ravel(), _TILTS.size)
            mixed = share @ self._tilted(base)
            change = np.clip((asked + least) / (mixed + least), 1 / _LARGEST_CHANGE, _LARGEST_CHANGE)
            base = base * change**_DAMPED
            base /= base.sum()
        return base

    def _tilted(self, base: Numbers) -> Numbers:
        """Every tilt of a distribution, shape (tilts, bins)."""
        weight = base * np.exp(np.minimum(_TILTS[:, None] * self.form.durations_ms, _LARGEST))
        return np.asarray(weight / weight.sum(axis=1, keepdims=True))

    def _tilts_of(self, base: Numbers) -> Integers:
        """The tilt whose mean is nearest above what each number and total calls for."""
        means = self._tilted(base) @ self.form.durations_ms
        asked = self.form.totals_ms / np.arange(1, self.form.most + 1)[:, None]
        return np.minimum(np.searchsorted(np.maximum.accumulate(means), asked), _TILTS.size - 1)

    @cached_property
    def _cumulated(self) -> tuple[Integers, Integers]:
        """Whole weights, added up: of numbers with totals, and of the durations of each tilt."""
        return _whole(self.numbers.ravel()), _whole(self._tilted(self.base))

    def draw(self, uniform: Numbers) -> tuple[Integers, Integers]:
        """Return how many fixations trials have, shape (P,), and the tilts of their durations.

        Args:
            uniform: numbers of [0, 1], shape (P,).
        """
        cumulated, _ = self._cumulated
        place = np.searchsorted(cumulated, _at(uniform, cumulated[-1]), side="right")
        number, total = np.divmod(place, self.trials.shape[1])
        return number + 1, self.tilts[number, total]

    def durations_of(self, tilt: Integers, uniform: Numbers) -> Numbers:
        """Return durations of fixations in milliseconds, shape (P, L).

        Args:
            tilt: of each trial, shape (P,).
            uniform: two numbers of [0, 1] for each fixation, shape (P, L, 2).
        """
        _, cumulated = self._cumulated
        at = _at(uniform[..., 0], cumulated[0, -1])
        bins = np.empty(at.shape, dtype=np.int64)
        for one in np.unique(tilt):
            trials = np.flatnonzero(tilt == one)
            bins[trials] = np.searchsorted(cumulated[one], at[trials], side="right")
        return self.form.duration.values((bins + uniform[..., 1]) / DURATIONS.cells[0])


def _whole(probability: Numbers) -> Integers:
    """Whole weights, added up along the last axis to the same for all."""
    cumulated = np.cumsum(probability, axis=-1)
    cumulated /= cumulated[..., -1:]
    return np.asarray(np.rint(cumulated * _WEIGHT).astype(np.int64))


def _at(uniform: Numbers, total: np.int64) -> Integers:
    return np.minimum((uniform * total).astype(np.int64), total - 1)
