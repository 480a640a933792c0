"""Fixations of trials as whole numbers, and the events that the blocks are about: saccades, pairs of them, whole trials (`scanpaths.proof.md`)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from synthrelease.kinds.scanpaths.coordinates import STEPS
from synthrelease.numerics.runs import runs, whole_parts

Integers = NDArray[np.int64]
Numbers = NDArray[np.float64]

_PART_ROWS = 1 << 15  # of fixations that are measured at once: 80 products of functions each take 20 MB then
_ROWS_PER_PERSON = 3  # whose products take as much memory as a person's vector


@dataclass(frozen=True)
class Fixations:
    """Fixations of some people, by person, stimulus and time; those of a person on a stimulus are a trial."""

    person: Integers  # 0 … people − 1, increasing, shape (N,)
    stimulus: Integers  # increasing within a person, shape (N,)
    x: Integers  # step of the screen's width, 0 … 8191, shape (N,)
    y: Integers  # step of its height, shape (N,)
    duration_us: Integers  # shape (N,)
    people: int
    proportions: float  # height of the screen over its width

    @cached_property
    def _trials(self) -> tuple[Integers, Integers]:
        """Where each trial begins, and how many fixations it has, shape (T,) each."""
        if not self.person.size:
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
        return runs(self.person * (int(self.stimulus.max()) + 1) + self.stimulus)

    @property
    def first(self) -> Integers:
        """The first fixation of each trial, shape (T,)."""
        return self._trials[0]

    @property
    def counts(self) -> Integers:
        """How many fixations each trial has, shape (T,)."""
        return self._trials[1]

    def parts(self, rows: int = _PART_ROWS) -> Iterator[Fixations]:
        """Yield those of some people after the other, numbered anew from 0 and without people who have none, each with about `rows` fixations, or fewer if they are of many people, unless one person has more."""
        for here, person, people in whole_parts(self.person, rows=rows, rows_per_owner=_ROWS_PER_PERSON):
            yield Fixations(
                person,
                self.stimulus[here],
                self.x[here],
                self.y[here],
                self.duration_us[here],
                people,
                self.proportions,
            )

    @cached_property
    def trial(self) -> Integers:
        """The trial of each fixation, shape (N,)."""
        return np.repeat(np.arange(self.first.size), self.counts)

    @cached_property
    def ordinal(self) -> Integers:
        """The place of each fixation in its trial, from 0, shape (N,)."""
        return np.arange(self.person.size) - np.repeat(self.first, self.counts)

    @cached_property
    def saccades(self) -> Integers:
        """The fixations that a saccade leads to, shape (A,)."""
        return np.flatnonzero(self.ordinal > 0)

    @cached_property
    def _steps(self) -> tuple[Numbers, Numbers]:
        """Amplitude as a share of the screen's width, and direction as a share of a turn from rightwards over down, of every saccade."""
        to = self.saccades
        across = (self.x[to] - self.x[to - 1]) / STEPS
        down = (self.y[to] - self.y[to - 1]) * (self.proportions / STEPS)
        return np.hypot(across, down), (np.arctan2(down, across) / (2 * math.pi)) % 1.0

    @property
    def amplitude(self) -> Numbers:
        """Of every saccade, as a share of the screen's width, shape (A,)."""
        return self._steps[0]

    @property
    def direction(self) -> Numbers:
        """Of every saccade, as a share of a turn, from rightwards over downwards, shape (A,)."""
        return self._steps[1]

    @cached_property
    def second_saccades(self) -> Integers:
        """The saccades that follow another one, as numbers of saccades, shape (P,)."""
        return np.flatnonzero(self.ordinal[self.saccades] > 1)

    @property
    def ratio(self) -> Numbers:
        """a₂/(a₁ + a₂) of every pair of saccades, ½ of two that do not move, shape (P,)."""
        second = self.second_saccades
        one, other = self.amplitude[second - 1], self.amplitude[second]
        total = one + other
        return np.where(total > 0, other / np.where(total > 0, total, 1.0), 0.5)

    @property
    def turn(self) -> Numbers:
        """By how much of half a turn directions of every pair of saccades differ, shape (P,)."""
        second = self.second_saccades
        apart = self.direction[second] - self.direction[second - 1]
        return np.abs((apart + 0.5) % 1.0 - 0.5) * 2

    @property
    def total_us(self) -> Integers:
        """How long all fixations of each trial take, shape (T,)."""
        if not self.person.size:
            return np.zeros(0, dtype=np.int64)
        return np.add.reduceat(self.duration_us, self.first)
