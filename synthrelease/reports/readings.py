"""Values that a report says under the pointer: those of a map or of curves, as finely as their picture shows them.

They are what is released at some places of a picture, rounded, never means over places: at most 64 × 48 of a map, and 128 of a curve.
"""

from __future__ import annotations

import math
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from synthrelease.data.screen import Screen

Numbers = NDArray[Any]

CELLS = (64, 48)  # columns and rows of a map, at most
FRAME_CELLS = (32, 24)  # the same of one frame of many
_POINTS = 128  # of a curve, at most
_ALL_POINTS = CELLS[0] * CELLS[1]  # of all curves of a figure


@dataclass(frozen=True)
class Levels:
    """Numbers in levels of equal steps from the least to the largest; the level above the last is of what is no number."""

    low: float
    high: float
    levels: str  # each in one byte, or in two, the lower first, in base 64; "" where all are the same
    width: int  # bytes of each

    @classmethod
    def of(cls, values: Numbers, width: int = 1) -> Self:
        """Return numbers in as many levels as so many bytes have, but one."""
        flat = np.asarray(values, dtype=np.float64).ravel()
        finite = np.isfinite(flat)
        low, high = (
            (float(end) for end in (flat[finite].min(), flat[finite].max())) if finite.any() else (0.0, 0.0)
        )
        if finite.all() and low == high:
            return cls(_rounded(low), _rounded(low), "", width)
        none = 256**width - 1
        levels = np.full(len(flat), none)
        levels[finite] = np.rint((flat[finite] - low) / ((high - low) or 1.0) * (none - 1))
        raw = levels.astype(f"<u{width}").tobytes()
        return cls(_rounded(low), _rounded(high), b64encode(raw).decode("ascii"), width)


@dataclass(frozen=True)
class GridReadings:
    """Values of places on a map."""

    columns: int
    rows: int
    # Of the first place and from one to the next, from the left and from the top, from 0 to 1.
    across: tuple[float, float]
    down: tuple[float, float]
    x_ends: tuple[float, float]  # what stands at the left and at the right edge
    y_ends: tuple[float, float]  # at the top and at the bottom
    unit: str  # of both, as it follows a number
    values: Levels
    half_width: Levels | None  # ± (95 %); None where none is stated
    is_exact: bool  # whether there is nothing to be ± of


@dataclass(frozen=True)
class CurveReadings:
    """Values of a curve."""

    name: str  # "" for the only one
    axes: int  # which of the figure's it is drawn on
    values: Levels
    half_width: Levels | None  # ± (95 %); None where none is stated
    is_exact: bool


@dataclass(frozen=True)
class ChartReadings:
    """Values of curves, and where they are drawn."""

    x: Levels
    x_label: str
    # Left, top, width and height of each pair of axes, from 0 to 1, then the ends of x and of y.
    axes: tuple[tuple[float, ...], ...]
    curves: tuple[CurveReadings, ...]


Readings = GridReadings | ChartReadings


def grid_readings(
    cells: Numbers,
    half_width: Numbers | None = None,
    *,
    screen: Screen,
    most: tuple[int, int] = CELLS,
    is_exact: bool = False,
) -> GridReadings:
    """Return values of a map.

    Args:
        cells: shape (rows, columns).
        half_width: ± of each (95 %), the same shape; None where none is stated.
        screen: that the map is of; in degrees from its middle where the geometry is declared, else in pixels.
        most: columns and rows at most; of more every so many-th is there.
        is_exact: whether the values have no ±.
    """
    strides = [-(-number // allowed) for number, allowed in zip(cells.shape, reversed(most), strict=True)]
    rows, columns = (slice(stride // 2, None, stride) for stride in strides)
    chosen = cells[rows, columns]
    down, across = (
        (_rounded((stride // 2 + 0.5) / number), _rounded(stride / number))
        for stride, number in zip(strides, cells.shape, strict=True)
    )
    scale = screen.pixels_per_degree
    if scale is None:
        x_ends, y_ends, unit = (
            (0.0, float(screen.width_px)),
            (0.0, float(screen.height_px)),
            "\N{NO-BREAK SPACE}px",
        )
    else:
        right, up = _rounded(screen.width_px / 2 / scale), _rounded(screen.height_px / 2 / scale)
        x_ends, y_ends, unit = (-right, right), (up, -up), "°"
    return GridReadings(
        chosen.shape[1],
        chosen.shape[0],
        across,
        down,
        x_ends,
        y_ends,
        unit,
        Levels.of(chosen),
        None if half_width is None else Levels.of(half_width[rows, columns]),
        is_exact,
    )


def chart_readings(
    figure: Figure,
    curves: Mapping[str, tuple[ArrayLike, ArrayLike]],
    *,
    x: ArrayLike,
    x_label: str,
    exact: Mapping[str, ArrayLike] | None = None,
    exact_words: str = "",
) -> ChartReadings:
    """Return values of the curves of a figure that has been drawn.

    Args:
        figure: of `signal_figures.signals_figure`: all on one pair of axes, or each on its own, in their order.
        curves: by name, values and their ±, which is 0 where none is known, shape (n,) each.
        x: shape (n,).
        x_label: what `x` is.
        exact: by the same names, the exact curve, shape (n,). For private reports only.
        exact_words: after the names of these.
    """
    axes = [axis for axis in figure.axes if axis.get_visible()]
    steps, exact = np.asarray(x), exact or {}
    most = max(2, min(_POINTS, _ALL_POINTS // (len(curves) + len(exact))))
    chosen = slice(0, None, -(-len(steps) // most))
    read = []
    for number, (name, (values, band)) in enumerate(curves.items()):
        at = number if len(axes) > 1 else 0
        half_width = np.asarray(band)[chosen]
        uncertainty = Levels.of(half_width, 2) if half_width.any() else None
        read.append(
            CurveReadings(name, at, Levels.of(np.asarray(values)[chosen], 2), uncertainty, is_exact=False)
        )
        if name in exact:
            truth = Levels.of(np.asarray(exact[name])[chosen], 2)
            read.append(
                CurveReadings(", ".join(filter(None, (name, exact_words))), at, truth, None, is_exact=True)
            )
    return ChartReadings(Levels.of(steps[chosen], 2), x_label, tuple(map(_place, axes)), tuple(read))


def _place(axis: Any) -> tuple[float, ...]:
    """Where a pair of axes is in its figure, from the left and from the top, and what it goes to."""
    box = axis.get_position()
    numbers = (box.x0, 1 - box.y1, box.width, box.height, *axis.get_xlim(), *axis.get_ylim())
    return tuple(_rounded(float(number)) for number in numbers)


def _rounded(number: float) -> float:
    """A number with six digits: more are not seen, and the last ones differ between processors."""
    return float(f"{number:.6g}") if math.isfinite(number) else 0.0
