"""Densities of what scanpaths are like, from noisy means of the blocks' functions: public ones, tilted as far as the means call for it (`scanpaths.proof.md`)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synthrelease.kinds.scanpaths.blocks import BLOCKS, STARTS, Block, places
from synthrelease.kinds.scanpaths.coordinates import STEPS, Coordinate
from synthrelease.numerics.tilted_density import tilted

Numbers = NDArray[np.float64]

_POWER = 0.06  # of a mean before anything is known, about the public one: of the slowest functions
_SLOWEST = 2.0  # order from which on less is expected
_LEAST = 0.05  # of a cell's even share, in the public density


@dataclass(frozen=True)
class Learnt:
    """A block's density over its cells, of each class of sum 1, and which share of what could be learnt was."""

    density: Numbers  # shape (classes, cells)
    share: float


def learnt(block: Block, means: Numbers, variance: Numbers, expected: Numbers) -> Learnt:
    """Return the density of a block, probabilities.

    Args:
        block: which.
        means: noisy, of all its numbers, shape (size,).
        variance: of their errors, shape (size,).
        expected: the public means, shape (size,).
    """
    functions = block.at_cells()
    power = prior_variance(block)
    shape = block.classes, block.functions_size
    fits = [
        tilted(_base(functions, one), functions, noisy, error, power)
        for one, noisy, error in zip(
            expected.reshape(shape), means.reshape(shape), variance.reshape(shape), strict=True
        )
    ]
    return Learnt(np.stack([fit.density for fit in fits]), float(np.mean([fit.learnt for fit in fits])))


def prior_variance(block: Block) -> Numbers:
    """Return the variance of a block's means about the public ones before anything is known, up to a scale, dimensionless, shape (functions,)."""
    return np.asarray(_POWER / (1 + (block.orders / _SLOWEST) ** 2))


def expected_density(block: Block, expected: Numbers) -> Numbers:
    """Return the public density of a block of one class, probabilities of its cells, shape (cells,).

    Args:
        block: which.
        expected: the public means of all blocks, shape (SIZE,).
    """
    return _base(block.at_cells(), expected[places()[block.name]])


def learnt_of_all(means: Numbers, variance: Numbers, expected: Numbers) -> dict[str, Learnt]:
    """Return the densities of all blocks by name, probabilities; arguments are dimensionless, of shape (SIZE,)."""
    here = places()
    return {
        block.name: learnt(block, *(one[here[block.name]] for one in (means, variance, expected)))
        for block in BLOCKS
    }


def _base(functions: Numbers, expected: Numbers) -> Numbers:
    density = np.maximum(1 + functions @ expected, _LEAST)
    return np.asarray(density / density.sum())


def starts_on_screen(density: Numbers, x: Coordinate, y: Coordinate, cells: tuple[int, int]) -> Numbers:
    """Return where trials begin, the probability of each cell of the screen, shape (rows, columns).

    Args:
        density: released, over cells of both coordinates, of sum 1, shape (cells,).
        x: the coordinate of the first fixation's place across.
        y: the same of its place down.
        cells: rows and columns of the screen's.
    """
    across, down = (
        _ends(coordinate, count, bins)
        for coordinate, count, bins in zip((x, y), cells[::-1], STARTS.cells, strict=True)
    )
    cumulated = np.pad(density.reshape(STARTS.cells).cumsum(axis=0).cumsum(axis=1), ((1, 0), (1, 0)))
    place = np.arange(STARTS.cells[0] + 1), np.arange(STARTS.cells[1] + 1)
    along = np.stack([np.interp(across, place[0], column) for column in cumulated.T], axis=1)
    both = np.stack([np.interp(down, place[1], row) for row in along], axis=1)
    on_screen = np.maximum(np.diff(np.diff(both, axis=0), axis=1), 0.0)
    return np.asarray(on_screen / on_screen.sum())


def _ends(coordinate: Coordinate, count: int, bins: int) -> Numbers:
    """The ends of equal parts of the screen on a coordinate, in cells of the density."""
    ends = coordinate.steps(np.arange(count + 1) / count) / STEPS * bins
    ends[-1] = bins
    return np.asarray(ends)
