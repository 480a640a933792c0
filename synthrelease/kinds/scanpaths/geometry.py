"""The cells of a screen, and the bins that displacements between them fall into: public (`scanpaths.proof.md`)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from synthrelease.kinds.scanpaths.blocks import ORDER, SACCADES, TURNS
from synthrelease.kinds.scanpaths.coordinates import STEPS
from synthrelease.kinds.scanpaths.dynamics_prior import dynamics_prior
from synthrelease.numerics.gravity import Displacements

Numbers = NDArray[np.float64]
Integers = NDArray[np.int64]

COLUMNS = 80  # of the grid that fixations are drawn on
_ROWS = 20, 160  # at least, and at most
_PLACES = 5  # within a cell, along each axis, that displacements are averaged over
AMPLITUDES, DIRECTIONS = 24, 32  # kinds of a last saccade, by which the next one is drawn


def rows_of(proportions: float) -> int:
    """Return how many rows of cells a screen has, an even number, whose cells are nearly square.

    Args:
        proportions: height over width.
    """
    return min(max(2 * round(COLUMNS * proportions / 2), _ROWS[0]), _ROWS[1])


@dataclass(frozen=True)
class Geometry:
    """Cells of a screen of some proportions, and coordinates with a flat part."""

    proportions: float  # height over width
    flat: float
    coarseness: int = 1  # cells of the usual grid that are one here, along each axis: 1 or 2

    @property
    def rows(self) -> int:
        """Of cells."""
        return rows_of(self.proportions) // self.coarseness

    @property
    def columns(self) -> int:
        """Of cells."""
        return COLUMNS // self.coarseness

    @property
    def cells(self) -> int:
        """How many there are."""
        return self.rows * self.columns

    @cached_property
    def _apart(self) -> tuple[Numbers, Numbers]:
        """Amplitude and direction of displacements by whole cells, shape (2·rows − 1, 2·columns − 1) each."""
        down, across = self._down_and_across(0.0, 0.0)
        return self._polar(down, across)

    def _down_and_across(self, down: float, across: float) -> tuple[Numbers, Numbers]:
        rows = (np.arange(1 - self.rows, self.rows)[:, None] + down) * (self.proportions / self.rows)
        columns = (np.arange(1 - self.columns, self.columns) + across) / self.columns
        zeros = np.zeros((rows.size, columns.size))
        return rows + zeros, columns + zeros

    @staticmethod
    def _polar(down: Numbers, across: Numbers) -> tuple[Numbers, Numbers]:
        return np.hypot(across, down), (np.arctan2(down, across) / (2 * math.pi)) % 1.0

    @cached_property
    def displacements(self) -> Displacements:
        """Shares of the bins of amplitude and direction in every displacement."""
        count = math.prod(SACCADES.cells)
        size = (2 * self.rows - 1) * (2 * self.columns - 1)
        total = sparse.csr_array((size, count))
        within = (np.arange(_PLACES) + 0.5) / _PLACES - 0.5
        for down in within:
            for across in within:
                bins = self.saccade_bins(*self._polar(*self._down_and_across(down, across))).ravel()
                ones = np.full(size, 1 / _PLACES**2)
                total = total + sparse.csr_array((ones, (np.arange(size), bins)), shape=(size, count))
        return Displacements(self.rows, self.columns, sparse.csr_array(total))

    def saccade_bins(self, amplitude: Numbers, direction: Numbers) -> Integers:
        """Return the bin of saccades, amplitude first, of the same shape.

        Args:
            amplitude: as a share of the width.
            direction: as a share of a turn.
        """
        return self._bins(SACCADES.coordinates, SACCADES.cells, amplitude, direction)

    def turn_bins(self, ratio: Numbers, turn: Numbers) -> Integers:
        """Return the bin of pairs of saccades, ratio first, a whole number, of the same shape."""
        return self._bins(TURNS.coordinates, TURNS.cells, ratio, turn)

    def _bins(self, names: tuple[str, ...], cells: tuple[int, ...], one: Numbers, other: Numbers) -> Integers:
        known = dynamics_prior(self.flat).coordinates
        first, second = (
            known[name].steps(values) * count // STEPS
            for name, count, values in zip(names, cells, (one, other), strict=True)
        )
        return np.asarray(first * cells[1] + second)

    @cached_property
    def last_amplitudes(self) -> Numbers:
        """The middles of the kinds of a last saccade's amplitude, as shares of the width, shape (AMPLITUDES,)."""
        return (
            dynamics_prior(self.flat)
            .coordinates["amplitude"]
            .values((np.arange(AMPLITUDES) + 0.5) / AMPLITUDES)
        )

    def last_kind(self, amplitude: Numbers, direction: Numbers) -> Integers:
        """Return the kind of a last saccade, a whole number, of the same shape."""
        amplitude_kind = (
            dynamics_prior(self.flat).coordinates["amplitude"].steps(amplitude) * AMPLITUDES // STEPS
        )
        sector = np.minimum((direction * DIRECTIONS).astype(np.int64), DIRECTIONS - 1)
        return np.asarray(amplitude_kind * DIRECTIONS + sector)

    @cached_property
    def next_bins(self) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        """The bins of ratio and of turn, whole numbers, of every displacement after each amplitude, and after each direction.

        Shapes (AMPLITUDES, 2·rows − 1, 2·columns − 1) and (DIRECTIONS, 2·rows − 1, 2·columns − 1).
        """
        amplitude, direction = self._apart
        known = dynamics_prior(self.flat).coordinates
        last = self.last_amplitudes[:, None, None]
        ratio = known["ratio"].steps(amplitude / np.maximum(amplitude + last, 1e-9)) * TURNS.cells[0] // STEPS
        sectors = ((np.arange(DIRECTIONS) + 0.5) / DIRECTIONS)[:, None, None]
        turned = np.abs((direction - sectors + 0.5) % 1.0 - 0.5) * 2
        turn = known["turn"].steps(turned) * TURNS.cells[1] // STEPS
        return ratio.astype(np.uint8), turn.astype(np.uint8)


@lru_cache(maxsize=4)
def geometry(proportions: float, flat: float, coarseness: int = 1) -> Geometry:
    """Return the geometry of a screen, made once."""
    return Geometry(proportions, flat, coarseness)


def levels(density: Numbers) -> Numbers:
    """Return the level of every cell of a map, dimensionless: the mass of all cells that are less dense, and half of its own; of the same shape.

    Even on [0, 1] for places that are drawn from the map.

    Args:
        density: of sum 1, shape (rows, columns).
    """
    flat = density.ravel().astype(np.float64)
    order = np.argsort(flat, kind="stable")
    mass = np.cumsum(flat[order])
    out = np.empty_like(flat)
    out[order] = mass - flat[order] / 2
    return np.asarray((out / mass[-1]).reshape(density.shape))


def level_bins(density: Numbers) -> NDArray[np.uint8]:
    """Return the bin of the level of every cell, a whole number, of the same shape.

    Args:
        density: of sum 1 on each stimulus, shape (S, rows, columns).
    """
    level = np.stack([levels(one) for one in density])
    return np.minimum((level * ORDER.cells[0]).astype(np.uint8), ORDER.cells[0] - 1)


def level_steps(density: Numbers) -> Integers:
    """Return the step of the level of every cell, 0 … 8191, of the same shape.

    Args:
        density: of sum 1 on each stimulus, shape (S, rows, columns).
    """
    level = np.stack([levels(one) for one in density])
    return np.minimum((level * STEPS).astype(np.int64), STEPS - 1)
