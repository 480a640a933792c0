"""How alike two scanpaths on the same stimulus are, fixation by fixation: ScanMatch and MultiMatch.

No measure here is differentially private: they compare with the private truth.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
Integers = NDArray[np.int64]

_LETTER_COLUMNS, _LETTER_ROWS, _LETTER_MS = 12, 9, 100.0
# Of the width: places so far apart are neither alike nor unlike, twice the deviation of saccades.
_FAR = 2 * 0.1685
FEWEST_FIXATIONS = 3  # of a scanpath that MultiMatch compares


@dataclass(frozen=True)
class Path:
    """One scanpath."""

    x_px: Numbers  # shape (L,)
    y_px: Numbers  # shape (L,)
    duration_ms: Numbers  # shape (L,)


def scan_match(one: Path, other: Path, size: tuple[float, float]) -> float:
    """Return ScanMatch: the best alignment of two scanpaths, without a penalty of gaps, divided by the longer one's length; at most 1, dimensionless.

    A scanpath is a string of letters, the cell of 12 × 9 that is looked at in each step of 100 ms
    (Cristino et al. 2010, https://doi.org/10.3758/BRM.42.3.692).

    Args:
        one: a scanpath.
        other: another one on the same stimulus.
        size: width and height of the screen, px.
    """
    (column, row), (other_column, other_row) = _letters(one, size), _letters(other, size)
    across = (column[:, None] - other_column) / _LETTER_COLUMNS
    down = (row[:, None] - other_row) * (size[1] / size[0] / _LETTER_ROWS)
    alike = 1 - np.hypot(across, down) / _FAR
    best = np.zeros(alike.shape[1] + 1)
    for letter in alike:  # Needleman & Wunsch
        matched = best[:-1] + letter
        best[1:] = np.maximum(matched, best[1:])
        best = np.maximum.accumulate(best)
    return float(best[-1] / max(alike.shape))


def _letters(path: Path, size: tuple[float, float]) -> tuple[Integers, Integers]:
    """Column and row of each letter."""
    steps = np.maximum(1, np.rint(path.duration_ms / _LETTER_MS)).astype(np.int64)
    cells = (
        np.minimum((values * (count / side)).astype(np.int64), count - 1)
        for values, count, side in (
            (path.x_px, _LETTER_COLUMNS, size[0]),
            (path.y_px, _LETTER_ROWS, size[1]),
        )
    )
    column, row = (np.repeat(cell, steps) for cell in cells)
    return column, row


class MultiMatch(NamedTuple):
    """Five similarities of two aligned scanpaths, at most 1, dimensionless."""

    shape: float  # of saccades as vectors
    direction: float  # of saccades
    length: float  # of saccades
    position: float  # of the fixations that saccades begin at
    duration: float  # of these


def multi_match(one: Path, other: Path, size: tuple[float, float]) -> MultiMatch:
    """Return MultiMatch without simplification: medians over the saccades that the best alignment pairs.

    The alignment is the path through the matrix of differences of saccades, from the first pair to the last one by steps right, down or both, with the
    least sum of differences (Dewhurst et al. 2012, https://doi.org/10.3758/s13428-012-0212-2). Differences are divided by the screen's diagonal (of vectors by
    twice that), of directions by π, of durations by the longer one.

    Args:
        one: a scanpath of three fixations or more.
        other: another one.
        size: width and height of the screen, px.

    Raises:
        ValueError: a scanpath is too short.
    """
    if min(one.x_px.size, other.x_px.size) < FEWEST_FIXATIONS:
        raise ValueError(f"Expected at least {FEWEST_FIXATIONS} fixations in both scanpaths")
    (dx, dy), (other_dx, other_dy) = ((np.diff(path.x_px), np.diff(path.y_px)) for path in (one, other))
    apart = np.hypot(dx[:, None] - other_dx, dy[:, None] - other_dy)
    i, j = _alignment(apart)
    turned = np.abs(np.arctan2(dy[i], dx[i]) - np.arctan2(other_dy[j], other_dx[j]))
    longer = np.abs(np.hypot(dx[i], dy[i]) - np.hypot(other_dx[j], other_dy[j]))
    moved = np.hypot(one.x_px[i] - other.x_px[j], one.y_px[i] - other.y_px[j])
    first, second = one.duration_ms[i], other.duration_ms[j]
    diagonal = float(np.hypot(*size))
    differences = (
        apart[i, j] / (2 * diagonal),
        np.minimum(turned, 2 * np.pi - turned) / np.pi,
        longer / diagonal,
        moved / diagonal,
        np.abs(first - second) / np.maximum(first, second),
    )
    return MultiMatch(*(float(1 - np.median(difference)) for difference in differences))


def _alignment(apart: Numbers) -> tuple[Integers, Integers]:
    """The pairs of rows and columns on the path of the least sum."""
    cost = np.full((apart.shape[0] + 1, apart.shape[1] + 1), np.inf)
    for row, column in np.ndindex(apart.shape):
        before = min(cost[row, column], cost[row, column + 1], cost[row + 1, column])
        cost[row + 1, column + 1] = apart[row, column] + (before if row or column else 0.0)
    row, column = apart.shape
    pairs = [(row - 1, column - 1)]
    while (row, column) != (1, 1):
        steps = ((row - 1, column - 1), (row - 1, column), (row, column - 1))
        row, column = min(steps, key=lambda step: cost[step])
        pairs.append((row - 1, column - 1))
    rows, columns = np.array(pairs[::-1]).T
    return rows, columns
