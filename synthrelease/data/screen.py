"""The screen that gaze was recorded on."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from synthrelease.field_schema import PositiveInt

BLUR_SHARE = (
    0.03  # of the width, by default: 24 px of 800, about 1° in OSIE (Liu et al. 2019; Xu et al. 2014)
)

_POSITIVE = {"exclusiveMinimum": 0}


@dataclass(frozen=True)
class Screen:
    """A screen, origin top left, x to the right, y down.

    Attributes:
        width_px: its width.
        height_px: its height.
        width_mm: its width as the ruler has it, if declared.
        distance_mm: of the eyes, if declared.
    """

    width_px: PositiveInt
    height_px: PositiveInt
    width_mm: Annotated[float | None, _POSITIVE] = None
    distance_mm: Annotated[float | None, _POSITIVE] = None

    @property
    def pixels_per_degree(self) -> float | None:
        """Pixels of one degree of visual angle at the middle of the screen; None if its geometry is not declared."""
        if self.width_mm is None or self.distance_mm is None:
            return None
        return 2 * self.distance_mm * math.tan(math.radians(0.5)) * self.width_px / self.width_mm

    def holds(self, x_px: NDArray[np.float64], y_px: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Whether 0 ≤ x ≤ width and 0 ≤ y ≤ height, in pixels, shape (N,) each: both edges belong to the screen."""
        return (x_px >= 0) & (x_px <= self.width_px) & (y_px >= 0) & (y_px <= self.height_px)

    def cells(
        self, x_px: NDArray[np.float64], y_px: NDArray[np.float64], *, columns: int, rows: int
    ) -> NDArray[np.int64]:
        """Return the row-major number of the cell each point (pixels, shape (N,)) falls in, on a grid of rows × columns, shape (N,).

        A point on the right or bottom edge of the screen belongs to the last cell.
        """
        column = np.minimum((x_px * columns / self.width_px).astype(np.int64), columns - 1)
        row = np.minimum((y_px * rows / self.height_px).astype(np.int64), rows - 1)
        return row * columns + column
