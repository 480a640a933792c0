"""Gaussian blur of a map on a coarse or fine grid of cells."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.fft import dctn, idctn


def blurred(cells: NDArray[np.number], *, blur_px: float, screen_px: tuple[int, int]) -> NDArray[np.float64]:
    """Return the map convolved with a Gaussian of `blur_px`, reflected at the screen's edges.

    In the orthonormal DCT-II basis the blur multiplies frequency (u, v) by exp(−σ_b²·|ω|²/2),
    |ω|² = (πu/height)² + (πv/width)²: the cost does not depend on σ_b. Reflection keeps the sum of the map:
    what looks out over an edge comes back in.

    Args:
        cells: map of shape (rows, columns) over the whole screen.
        blur_px: σ_b of the Gaussian in pixels of the screen; 0 leaves the map as it is.
        screen_px: (width, height) of the screen.
    """
    if blur_px == 0:
        return cells.astype(np.float64)
    rows, columns = cells.shape
    width, height = screen_px
    down = np.exp(-0.5 * (blur_px * math.pi * np.arange(rows) / height) ** 2)
    across = np.exp(-0.5 * (blur_px * math.pi * np.arange(columns) / width) ** 2)
    spectrum = dctn(cells.astype(np.float64), norm="ortho") * down[:, None] * across
    out: NDArray[np.float64] = idctn(spectrum, norm="ortho")
    return out
