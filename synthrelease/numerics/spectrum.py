"""The cosine spectrum of where (and when) people look: coefficients straight from points, without a grid of pixels.

On each axis, scaled to [0, 1], the functions c₀ = 1, c_k(s) = √2·cos(πks) are orthonormal; their products are so on the
square (height, width), and on the cube (time, height, width). A blur of σ, as a share of an axis, multiplies frequency k
of that axis by exp(−(πkσ)²/2). What it leaves over is a band of low frequencies, and only that band gets noise.
Screens of any resolution have the same band for the same relative blur.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synthrelease.numerics.small_products import product

POSITIONS = 8192  # steps into which each axis is divided
WEIGHT = 1 << 21  # what the weights of a person's points on a stimulus sum to
LARGEST_BAND = 200_000  # coefficients, and cells of the box of frequencies around them
LARGEST_SIDE = 2048  # frequencies of one axis: a quarter of what positions could distinguish
_BLOCK = 1 << 20  # products of cosines of some points, at most, held at a time
# Multiply-adds of one matrix product: OpenBLAS then seldom uses threads, for which on a busy machine products of points
# of one person would wait longer than they take. And how many points cost as much as one, whatever it takes.
_WORK, _FEWEST = 1 << 19, 64
_EXACT_BITS = 53 - 21  # of a product of cosines: its weighted sums are then exact in 64-bit floats


@dataclass(frozen=True)
class Band:
    """The frequencies that a blur leaves over, the constant first."""

    frequencies: NDArray[np.int64]  # the frequency over each axis, of each coefficient, shape (axes, K)
    # H, what the blur multiplies each by, dimensionless, shape (K,); 1 for the constant
    attenuation: NDArray[np.float64]
    box: tuple[int, ...]  # one more than the largest frequency of each axis

    @property
    def count(self) -> int:
        """K, how many coefficients there are."""
        return self.attenuation.size

    def boxed(self, coefficients: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return coefficients (K,) in the box of all frequencies, 0 where there is none."""
        out = np.zeros(self.box)
        out[tuple(self.frequencies)] = coefficients
        return out


@functools.lru_cache(maxsize=16)
def band(blurs: tuple[float, ...], cutoff: float) -> Band:
    """Return the frequencies with H = exp(−π²·Σ(kσ)²/2) ≥ τ.

    Args:
        blurs: σ_b of the blur as a share of each axis.
        cutoff: τ, 0 < τ < 1.

    Raises:
        ValueError: the blur is so small that more than `LARGEST_BAND` frequencies are left, or `LARGEST_SIDE` of an axis.
    """
    reach = math.sqrt(-2 * math.log(cutoff)) / math.pi
    box = tuple(int(min(reach / blur, LARGEST_SIDE)) + 1 if blur > 0 else LARGEST_SIDE + 1 for blur in blurs)
    if math.prod(box) > LARGEST_BAND or max(box) > LARGEST_SIDE:
        raise ValueError(f"Expected a blur that leaves at most {LARGEST_BAND} frequencies, found {blurs}")
    grid = np.indices(box).reshape(len(box), -1)
    exponent = -0.5 * ((math.pi * np.array(blurs)[:, None] * grid) ** 2).sum(axis=0)
    kept = exponent >= math.log(cutoff)
    frequencies = grid[:, kept]
    return Band(frequencies, np.exp(exponent[kept]), tuple(int(f.max()) + 1 for f in frequencies))


def cosines(count: int, places: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return c_k at places of [0, 1], k = 0 … count − 1, shape (places, count)."""
    table = math.sqrt(2) * np.cos(math.pi * np.outer(places, np.arange(count)))
    table[:, 0] = 1.0
    return table


def middles(cells: int) -> NDArray[np.float64]:
    """Return the middles of equal cells of [0, 1], a dimensionless axis, shape (cells,)."""
    middle: NDArray[np.float64] = (np.arange(cells) + 0.5) / cells
    return middle


def positions(places: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return which of the `POSITIONS` steps of an axis places of [0, 1] lie in, of the same shape; the far end belongs to the last."""
    return np.clip((places * POSITIONS).astype(np.int64), 0, POSITIONS - 1)


@functools.lru_cache(maxsize=8)
def _whole_cosines(count: int, bits: int) -> NDArray[np.float64]:
    """Cosines at the middles of all positions in units of 2^−bits, as whole numbers: a public table."""
    return np.rint(cosines(count, middles(POSITIONS)) * 2.0**bits)


def point_coefficients(
    places: NDArray[np.int64], weights: NDArray[np.int64], frequencies: Band
) -> NDArray[np.float64]:
    """Return the coefficients of the points of one person on one stimulus, dimensionless, shape (K,); see `PointCoefficients`."""
    return PointCoefficients(frequencies).of(places, weights)


class PointCoefficients:
    """F_k = Σ_t w_t·Π_axes c_k(s_t)/Σ_t w_t of points, for one set of points after the other.

    Exact but for one division: the factors are whole numbers whose products and sums stay below 2⁵³, so that no order
    of adding and no neighbour in memory can change a bit of the result.

    Args:
        frequencies: the band.
    """

    def __init__(self, frequencies: Band) -> None:
        box = frequencies.box
        self._band, self._bits = frequencies, int(_EXACT_BITS / len(box) - 0.5)  # a cosine is at most √2
        self._tables = [_whole_cosines(count, self._bits) for count in box]
        columns = math.prod(box[:-1])
        self._rows = max(1, min(_BLOCK // columns, max(_FEWEST, _WORK // math.prod(box))))
        # Memory that is used again for every block of points: to get it anew would take as long as the products.
        self._factors = [np.empty((self._rows, count)) for count in box]
        self._products = [np.empty((self._rows, math.prod(box[: n + 1]))) for n in range(1, len(box) - 1)]
        self._sums, self._added = np.empty((columns, box[-1])), np.empty((columns, box[-1]))

    def of(self, places: NDArray[np.int64], weights: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the coefficients of the points of one person on one stimulus, shape (K,).

        Args:
            places: positions on every axis, 0 … `POSITIONS` − 1, shape (axes, n).
            weights: whole numbers that sum to `WEIGHT`, shape (n,).
        """
        self._sums.fill(0.0)
        weight = weights.astype(np.float64)
        for start in range(0, weight.size, self._rows):
            block = slice(start, start + self._rows)
            count = weight[block].size
            # All positions are in the table: "clip" only spares NumPy a buffer.
            factors = [
                table.take(place[block], axis=0, out=factor[:count], mode="clip")
                for table, place, factor in zip(self._tables, places, self._factors, strict=True)
            ]
            weighted = np.multiply(factors[0], weight[block, None], out=factors[0])
            for factor, product_of in zip(factors[1:-1], self._products, strict=True):
                out = product_of[:count].reshape(count, weighted.shape[1], factor.shape[1])
                np.multiply(weighted[:, :, None], factor[:, None, :], out=out)
                weighted = product_of[:count]
            self._sums += np.matmul(weighted.T, factors[-1], out=self._added)
        box, frequencies = self._band.box, self._band.frequencies
        kept = self._sums.reshape(box)[tuple(frequencies)]
        coefficients: NDArray[np.float64] = kept / (2.0 ** (len(box) * self._bits) * WEIGHT)
        return coefficients


def of_cells(shares: NDArray[np.float64], box: tuple[int, ...]) -> NDArray[np.float64]:
    """Return the coefficients of a density that is even within each cell of a grid, dimensionless, shape `box`.

    Args:
        shares: of the cells, of sum 1.
        box: how many frequencies of each axis.
    """
    for count, cells in zip(box, shares.shape, strict=True):
        order = np.arange(count)
        table = cosines(count, middles(cells)) * np.sinc(order / (2 * cells))
        shares = product(
            shares.reshape(cells, -1).T, table
        )  # the axis in front is used up, the new one goes to the back
    return shares.reshape(box)


def rendered(
    coefficients: NDArray[np.float64], frequencies: Band, places: Sequence[NDArray[np.float64]]
) -> NDArray[np.float64]:
    """Return the density with these coefficients (1 on average if the constant is 1) at places of each axis.

    Args:
        coefficients: of a density, dimensionless, shape (K,).
        frequencies: the band.
        places: of [0, 1], for each axis; the result has their lengths as shape.
    """
    tables = [cosines(k, place) for k, place in zip(frequencies.box, places, strict=True)]
    return _expanded(frequencies.boxed(coefficients), tables)


def _expanded(box: NDArray[np.float64], tables: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    for table in tables:  # the axis in front is used up, the new one goes to the back
        box = product(box.reshape(table.shape[1], -1).T, table.T)
    return box.reshape([len(table) for table in tables])
