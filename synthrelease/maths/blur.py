"""Gaussian blur of a map on a coarse or fine grid of cells."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter


def blurred(cells: NDArray[np.number], *, blur_px: float, screen_px: tuple[int, int]) -> NDArray[np.float64]:
    """Return the map convolved with a Gaussian of `blur_px`, reflected at the screen's edges.

    Reflection keeps the sum of the map: what looks out over an edge comes back in.

    Args:
        cells: map of shape (rows, columns) over the whole screen.
        blur_px: σ_b of the Gaussian in pixels of the screen; 0 leaves the map as it is.
        screen_px: (width, height) of the screen.
    """
    if blur_px == 0:
        return cells.astype(np.float64)
    rows, columns = cells.shape
    width, height = screen_px
    out: NDArray[np.float64] = gaussian_filter(
        cells.astype(np.float64), (blur_px * rows / height, blur_px * columns / width), mode="reflect"
    )
    return out
