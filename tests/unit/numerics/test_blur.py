"""The blur against a convolution written out, on coarse grids of wide and tall screens."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest

from synthrelease.numerics.blur import blurred

if TYPE_CHECKING:
    from numpy.typing import NDArray

SHAPES = [(1, 1), (1, 9), (7, 1), (12, 16), (5, 40)]
SCREENS = [(80, 60), (1920, 1080), (40, 400)]


def reflected(at: int, size: int) -> int:
    """The cell that stands beyond the edge: (d c b a | a b c d | d c b a), as often as needed."""
    at %= 2 * size
    return at if at < size else 2 * size - 1 - at


def heat(size: int, sigma: float) -> NDArray[np.float64]:
    """The Gaussian of a reflected line of cells, as the sum over its cosine waves (exact, in 64 bits)."""
    matrix = np.zeros((size, size))
    for wave in range(size):
        row = [math.cos(math.pi * wave * (2 * at + 1) / (2 * size)) for at in range(size)]
        weight = math.exp(-((sigma * math.pi * wave / size) ** 2) / 2) * (1 if wave == 0 else 2) / size
        matrix += weight * np.outer(row, row)
    return matrix


def sampled(size: int, sigma: float) -> NDArray[np.float64]:
    """The Gaussian sampled at the cells, reflected at the edges, cut at ten σ and normalised."""
    reach = int(10 * sigma) + 1
    raw = [math.exp(-(d * d) / (2 * sigma * sigma)) for d in range(-reach, reach + 1)]
    matrix = np.zeros((size, size))
    for at in range(size):
        for d, weight in enumerate(raw):
            matrix[at, reflected(at + d - reach, size)] += weight / sum(raw)
    return matrix


def some_map(shape: tuple[int, int]) -> NDArray[np.float64]:
    return np.random.default_rng(shape).normal(10, 30, shape)


@pytest.mark.quick(but=["120.0-shape4-screen_px2"])
@pytest.mark.parametrize("screen_px", SCREENS)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("blur_px", [3.0, 25.5, 120.0])
def test_the_blur_is_a_convolution_in_pixels_of_the_screen(
    shape: tuple[int, int], screen_px: tuple[int, int], blur_px: float
) -> None:
    cells = some_map(shape)
    width, height = screen_px
    sigmas = (blur_px * shape[0] / height, blur_px * shape[1] / width)
    found = blurred(cells, blur_px=blur_px, screen_px=screen_px)
    expected = heat(shape[0], sigmas[0]) @ cells @ heat(shape[1], sigmas[1]).T
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)
    if min(sigmas) > 1.2:  # wider than a cell, the sampled Gaussian is the same
        expected = sampled(shape[0], sigmas[0]) @ cells @ sampled(shape[1], sigmas[1]).T
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6)


@pytest.mark.parametrize("screen_px", SCREENS)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("blur_px", [0, 0.1, 5, 60, 900])
def test_the_sum_is_kept(shape: tuple[int, int], screen_px: tuple[int, int], blur_px: float) -> None:
    cells = some_map(shape)
    shown = blurred(cells, blur_px=blur_px, screen_px=screen_px)
    assert shown.sum() == pytest.approx(cells.sum(), rel=1e-10)


def test_a_corner_keeps_its_sum_too() -> None:
    cells = np.zeros((10, 14))
    cells[0, 0] = 1000
    shown = blurred(cells, blur_px=30, screen_px=(140, 100))
    assert shown.sum() == pytest.approx(1000, rel=1e-12)
    assert shown.max() == shown[0, 0] < 1000


@pytest.mark.parametrize("blur_px", [0, 0.0])
def test_no_blur_leaves_the_map_as_it_is(blur_px: float) -> None:
    cells = np.arange(-6, 6).reshape(3, 4)
    shown = blurred(cells, blur_px=blur_px, screen_px=(100, 100))
    assert shown.dtype == np.float64
    np.testing.assert_array_equal(shown, cells)
    shown[0, 0] = 99
    assert cells[0, 0] == -6


@pytest.mark.parametrize("kind", [np.int32, np.int64, np.float64])
def test_integers_are_blurred_as_numbers(kind: type[np.generic]) -> None:
    cells = np.zeros((9, 9), dtype=kind)
    cells[4, 4] = 1
    shown = blurred(cells, blur_px=1.0, screen_px=(9, 9))
    assert shown.dtype == np.float64
    assert 0.15 < shown[4, 4] < 0.17  # 1/(2π)
    np.testing.assert_allclose(shown, shown.T)


def test_square_pixels_blur_alike_on_any_grid() -> None:
    """A disc of gaze on a coarse grid of a wide screen spreads equally far, in pixels, both ways."""
    cells = np.zeros((30, 120))
    cells[15, 60] = 1
    shown = blurred(cells, blur_px=60, screen_px=(600, 600))
    row, column = np.indices(cells.shape)
    down = math.sqrt((shown * (row - 15) ** 2).sum()) * 600 / 30
    across = math.sqrt((shown * (column - 60) ** 2).sum()) * 600 / 120
    assert down == pytest.approx(60, rel=0.01)
    assert across == pytest.approx(60, rel=0.01)
