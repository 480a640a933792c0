"""The discrete cosine transform between cells of a grid and a box of low frequencies, both ways.

With few frequencies an axis is a product with a small matrix, which costs less than a fast transform of the whole grid, most
of whose frequencies are 0. With many it is the fast transform.
"""

from __future__ import annotations

import functools
import math

import numpy as np
from numpy.typing import NDArray
from scipy.fft import dctn, idctn

from synthrelease.numerics.small_products import MOST_AT_ONCE, product
from synthrelease.numerics.spectrum import cosines, middles

# Frequencies of one axis, with twice as many cells; beyond the fast transform is faster.
LONGEST_OF_MATRICES = 112
_Matrices = tuple[NDArray[np.float64], NDArray[np.float64]]


def box_of(cells: NDArray[np.float64], box: tuple[int, ...]) -> NDArray[np.float64]:
    """Return the lowest frequencies of the orthonormal DCT-II of a grid, shape `box`.

    X_k = Σ_n x_n·Π_axes c_k((n + ½)/N)/√N, with the functions c_k of `spectrum`.

    Args:
        cells: x, of any number of axes, no shorter than those of the box; or several grids, with one more axis in front.
        box: how many frequencies of each axis.
    """
    if cells.ndim > len(box):
        small = _small_matrices(box, cells.shape[1:])
        if small is None:
            return np.stack([box_of(one, box) for one in cells])
        (_, back), (forth, _) = small
        return np.asarray(np.matmul(np.matmul(back, cells), forth))
    if not _matrices_are_faster(box):
        lowest: NDArray[np.float64] = dctn(cells, norm="ortho")[tuple(slice(count) for count in box)]
        return lowest
    return _turned(cells, [_matrices(*sides)[0] for sides in zip(box, cells.shape, strict=True)])


def cells_of(box: NDArray[np.float64], shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Return the grid of this shape whose lowest frequencies these are, and whose others are 0, in the unit of the coefficients: the transpose of `box_of`.

    Of several boxes, with one more axis in front, each by itself: no bit of a grid depends on the others.
    """
    if box.ndim > len(shape):
        small = _small_matrices(box.shape[1:], shape)
        if small is None:
            return np.stack([cells_of(one, shape) for one in box])
        (forth, _), (_, back) = small
        return np.asarray(np.matmul(forth, np.matmul(box, back)))
    if not _matrices_are_faster(box.shape):
        spectrum = np.zeros(shape)
        spectrum[tuple(slice(count) for count in box.shape)] = box
        cells: NDArray[np.float64] = idctn(spectrum, norm="ortho", overwrite_x=True)
        return cells
    return _turned(box, [_matrices(*sides)[1] for sides in zip(box.shape, shape, strict=True)])


def _matrices_are_faster(box: tuple[int, ...]) -> bool:
    """Whether all sides are short; and none so short that a product is one with a vector, which has a threshold of its own."""
    return len(box) > 1 and min(box) > 1 and max(box) <= LONGEST_OF_MATRICES


def _small_matrices(box: tuple[int, ...], shape: tuple[int, ...]) -> list[_Matrices] | None:
    """Both axes' matrices, if there are two axes and products with each are so small that OpenBLAS does them on one thread."""
    if len(box) != 2 or not _matrices_are_faster(box) or math.prod(shape) * box[0] > MOST_AT_ONCE:
        return None
    return [_matrices(*sides) for sides in zip(box, shape, strict=True)]


@functools.lru_cache(maxsize=32)
def _matrices(count: int, cells: int) -> _Matrices:
    """One axis' matrix from cells to frequencies, shape (cells, count), and its transpose, in memory too: public tables."""
    forth = cosines(count, middles(cells)) / math.sqrt(cells)
    back = np.ascontiguousarray(forth.T)
    for table in (forth, back):
        table.flags.writeable = False
    return forth, back


def _turned(array: NDArray[np.float64], matrices: list[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Apply a matrix to each axis: the one in front is used up, the new one goes to the back, until all have turned."""
    shape = tuple(matrix.shape[1] for matrix in matrices)
    for matrix in matrices:
        array = product(array.reshape(len(matrix), -1).T, matrix)
    return array.reshape(shape)
