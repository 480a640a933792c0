"""Chains on the cells of a screen with given stationary maps and a given distribution of displacements: a gravity model.

P_s(x, x') = α_s(x)·κ(x' − x)·β_s(x') for each map s: of all chains whose marginals are the maps, and whose displacements, pooled over the maps, fall into bins
as they are asked to, the ones nearest to independent draws (the I-projection; Csiszár 1975, https://doi.org/10.1214/aop/1176996454). Marginals are fitted by Sinkhorn's
iterations, in which sums over displacements are convolutions, inside proportional fitting of κ, which is constant on each bin.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import fft, sparse

Numbers = NDArray[np.float64]

_INNER, _ALONE = 4, 20  # iterations of α and β: for each of κ, and where κ is known
_ENOUGH = 1e-3  # total variation of displacements from what is asked
_DAMPED, _LARGEST_CHANGE = 0.7, 3.0
_LEAST_SHARE = 1e-6  # of pairs of cells: bins that fewer are apart by get nothing
_MOST_OF_UNIFORM = 400.0  # times what a bin has of all pairs
_KERNEL = 1e-4, 1e4
_TINY = 1e-300


@dataclass(frozen=True)
class Displacements:
    """Between cells of a screen, and the bins that they fall into."""

    rows: int
    columns: int
    # what part of a displacement by whole cells falls into a bin, as places within cells vary, shape ((2·rows − 1)·(2·columns − 1), bins)
    shares: sparse.csr_array

    @cached_property
    def pairs(self) -> Numbers:
        """The proportion of all pairs of cells that are apart by each displacement, dimensionless, shape (displacements,)."""
        down = self.rows - np.abs(np.arange(1 - self.rows, self.rows))
        across = self.columns - np.abs(np.arange(1 - self.columns, self.columns))
        count = np.outer(down, across).ravel().astype(np.float64)
        return np.asarray(count / count.sum())

    @cached_property
    def of_pairs(self) -> Numbers:
        """The proportion of all pairs of cells in each bin, dimensionless, shape (bins,)."""
        return np.asarray(self.shares.T @ self.pairs)

    def feasible(self, asked: Numbers) -> Numbers:
        """Return probabilities of bins without what no two cells, or hardly any, are apart by, of sum 1."""
        possible = np.where(self.of_pairs > _LEAST_SHARE, asked, 0.0)
        possible = np.minimum(possible, _MOST_OF_UNIFORM * self.of_pairs)
        return np.asarray(possible / possible.sum())

    def kernel(self, of_bins: Numbers) -> Numbers:
        """Return the mean of what bins have over the places within cells, dimensionless, of every displacement, shape (2·rows − 1, 2·columns − 1)."""
        return np.asarray(self.shares @ of_bins).reshape(2 * self.rows - 1, 2 * self.columns - 1)


@dataclass(frozen=True)
class Gravity:
    """A fitted chain, dimensionless."""

    kernel: Numbers  # κ, of each bin, shape (bins,)
    attraction: Numbers  # β, shape (S, rows, columns)
    missed: float  # total variation of displacements from what is asked


def fitted(
    maps: Numbers,
    asked: Numbers,
    displacements: Displacements,
    *,
    start: Numbers | None = None,
    iterations: int = 25,
) -> Gravity:
    """Return the gravity model of maps, dimensionless, of the iterations the one whose displacements are nearest to what is asked.

    Args:
        maps: stationary distributions, positive, of sum 1 each, shape (S, rows, columns).
        asked: proportion of displacements in each bin, over all maps; feasible, shape (bins,).
        displacements: between cells.
        start: κ to begin with, such as that of coarser cells, shape (bins,).
        iterations: of κ, at most.
    """
    pairs = displacements.of_pairs
    kernel = np.where(asked > 0, asked / np.maximum(pairs, _TINY), _KERNEL[0]) if start is None else start
    kernel = np.clip(kernel, *_KERNEL)
    convolved = _Convolution(displacements)
    attraction, best = np.ones_like(maps), None
    for _ in range(iterations):
        convolved.use(displacements.kernel(kernel))
        source, attraction = _balanced(maps, attraction, convolved, _INNER)
        between = convolved.pooled(source, attraction) / len(maps)
        shares = kernel * np.asarray(displacements.shares.T @ between)
        shares /= shares.sum()
        missed = float(np.abs(shares - asked).sum() / 2)
        if best is None or missed < best.missed:
            best = Gravity(kernel.copy(), attraction.copy(), missed)
        if missed < _ENOUGH:
            break
        change = np.clip(
            (asked + _LEAST_SHARE) / (shares + _LEAST_SHARE), 1 / _LARGEST_CHANGE, _LARGEST_CHANGE
        )
        kernel = kernel * change**_DAMPED
        kernel = np.clip(kernel / float((kernel * pairs).sum()), *_KERNEL)
    assert best is not None
    return best


def attractions(maps: Numbers, kernel: Numbers, displacements: Displacements) -> Numbers:
    """Return β of maps with a κ that is known, dimensionless, of the shape of the maps.

    Args:
        maps: stationary distributions, positive, of sum 1 each, shape (S, rows, columns).
        kernel: κ, shape (bins,).
        displacements: between cells.
    """
    convolved = _Convolution(displacements)
    convolved.use(displacements.kernel(kernel))
    return _balanced(maps, np.ones_like(maps), convolved, _ALONE)[1]


def _balanced(
    maps: Numbers, attraction: Numbers, convolved: _Convolution, iterations: int
) -> tuple[Numbers, Numbers]:
    """α and β after some of Sinkhorn's iterations."""
    for _ in range(iterations):
        source = maps / convolved.ahead(attraction)
        attraction = maps / convolved.behind(source)
    return source, attraction


class _Convolution:
    """Sums over displacements by Fourier transforms of twice the grid, on which nothing wraps around."""

    def __init__(self, displacements: Displacements) -> None:
        self._cells = displacements.rows, displacements.columns
        self._shape = tuple(fft.next_fast_len(2 * side, real=True) for side in self._cells)
        self._kernel: NDArray[np.complex128] | None = None

    def use(self, kernel: Numbers) -> None:
        """Take a kernel over displacements, shape (2·rows − 1, 2·columns − 1)."""
        self._kernel = self._transformed(self._wrapped(kernel))

    def ahead(self, weights: Numbers) -> Numbers:
        """Return Σ_v κ(v)·w(x + v) of every map, of the shape of the weights."""
        assert self._kernel is not None
        return self._back(np.conj(self._kernel) * self._transformed(weights))

    def behind(self, weights: Numbers) -> Numbers:
        """Return Σ_v κ(v)·w(x − v)."""
        assert self._kernel is not None
        return self._back(self._kernel * self._transformed(weights))

    def pooled(self, source: Numbers, target: Numbers) -> Numbers:
        """Return Σ_s Σ_x a_s(x)·b_s(x + v) of every displacement, shape (displacements,)."""
        spectrum = (np.conj(self._transformed(source)) * self._transformed(target)).sum(axis=0)
        sums = fft.irfft2(spectrum, self._shape)
        down, across = (np.arange(1 - side, side) for side in self._cells)
        return np.asarray(np.maximum(sums[np.ix_(down, across)], 0.0).ravel())

    def _wrapped(self, kernel: Numbers) -> Numbers:
        wrapped = np.zeros(self._shape)
        down, across = (np.arange(1 - side, side) for side in self._cells)
        wrapped[np.ix_(down, across)] = kernel
        return wrapped

    def _transformed(self, array: Numbers) -> NDArray[np.complex128]:
        return np.asarray(fft.rfft2(array, self._shape))

    def _back(self, spectrum: NDArray[np.complex128]) -> Numbers:
        rows, columns = self._cells
        return np.maximum(fft.irfft2(spectrum, self._shape)[..., :rows, :columns], _TINY)
