"""The law of an error: a normal part, and Laplace noises with known weights. Its quantiles are those of the sum, not of a normal distribution of the same variance.

The characteristic function is exp(−s²t²/2)·Π 1/(1 + w²t²/2), w the standard deviations of the Laplace noises; it is inverted on a grid
by a fast Fourier transform. Discrete Laplace noise of many grid units is Laplace noise of the same variance.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri, stdtrit

Numbers = NDArray[np.float64]

_GRID, _PERIOD = 4096, 64.0  # places, and standard deviations that they cover
_CERTAIN = 1e-4  # tails that the inversion knows well; beyond, the logarithm of the tail is continued in a straight line
_NORMAL = 1e-3  # excess kurtosis below which a sum is taken for normal
_FAR = 600.0  # of that logarithm: so far the line is drawn
_MANY = 1e6  # degrees of freedom that are as good as infinitely many
_BLOCK = 1 << 21  # factors of characteristic functions at a time


@dataclass(frozen=True)
class Law:
    """The law of m errors, each symmetrical about 0.

    Attributes:
        normal: standard deviation of the normal part, shape (m,).
        laplace: standard deviations of the Laplace noises in each, shape (m, K); K may be 0.
        freedom: degrees of freedom of the variance: how well it is known, shape (m,); infinite if it is known exactly.
    """

    normal: Numbers
    laplace: Numbers
    freedom: Numbers

    @cached_property
    def deviation(self) -> Numbers:
        """The standard deviation, shape (m,)."""
        deviation: Numbers = np.sqrt(self.normal**2 + (self.laplace**2).sum(axis=1))
        return deviation

    def multiplier(self, level: float | Numbers) -> Numbers:
        """Return how many standard deviations on either side hold an error with probability `level`, shape (m,).

        The quantile of the sum, widened by that of Student's t over that of the normal distribution: exact of either part by itself.
        """
        tail = np.broadcast_to((1 - np.asarray(level, dtype=np.float64)) / 2, self.normal.shape)
        normal = -ndtri(tail)
        multiplier = normal.copy()
        for row, (places, tails) in self._tables.items():
            known = np.log(np.maximum(tail[row], 1e-300))
            multiplier[row] = np.interp(-known, -np.log(tails), places)
        known_badly = self.freedom < _MANY
        student = -stdtrit(self.freedom[known_badly], tail[known_badly])
        multiplier[known_badly] *= student / normal[known_badly]
        return multiplier

    def p_value(self, error: Numbers) -> Numbers:
        """Return the probability of an error at least as far from 0, shape (m,)."""
        z = np.abs(error) / np.where(self.deviation > 0, self.deviation, 1.0)
        tail = ndtr(-z)
        for row, (places, tails) in self._tables.items():
            tail[row] = np.exp(np.interp(z[row], places, np.log(tails)))
        for badly in map(int, np.flatnonzero(self.freedom < _MANY)):
            tail[badly] = self._student_tail(badly, float(z[badly]))
        p: Numbers = np.where(self.deviation > 0, 2 * np.minimum(tail, 0.5), (error == 0).astype(np.float64))
        return p

    def _student_tail(self, row: int, z: float) -> float:
        """The tail of which `multiplier` makes z: it decreases as the tail grows."""
        tails = np.geomspace(1e-16, 0.4999, 400)
        normal = -ndtri(tails)
        places = normal
        if row in self._tables:
            at, known = self._tables[row]
            places = np.interp(-np.log(tails), -np.log(known), at)
        widened = places * (-stdtrit(self.freedom[row], tails) / normal)
        return float(np.exp(np.interp(-z, -widened, np.log(tails))))

    @cached_property
    def _tables(self) -> dict[int, tuple[Numbers, Numbers]]:
        """Of every error that is not as good as normal: places in standard deviations, and the probability beyond each; equal ones are computed once."""
        if not self.laplace.shape[1]:
            return {}
        scale = np.where(self.deviation > 0, self.deviation, 1.0)
        relative = np.sort(np.abs(self.laplace) / scale[:, None], axis=1)
        # Many small noises are together as good as normal.
        relative[relative**2 < _NORMAL / 3] = 0.0
        relative = relative[:, relative.any(axis=0)]
        rows = np.flatnonzero(3 * (relative**4).sum(axis=1) > _NORMAL)
        if not rows.size:
            return {}
        distinct, which = np.unique(np.round(relative[rows], 7), axis=0, return_inverse=True)
        most = max(1, _BLOCK // (distinct.shape[1] * (_GRID // 2)))
        tables = [
            table
            for start in range(0, len(distinct), most)
            for table in _tails(distinct[start : start + most])
        ]
        return {int(row): tables[number] for row, number in zip(rows, which.ravel(), strict=True)}


def _tails(laplace: Numbers) -> list[tuple[Numbers, Numbers]]:
    """Places and tails of errors of variance 1, of which `laplace` (m, K) are the deviations of the Laplace noises."""
    order = np.arange(1, _GRID // 2)
    t = 2 * np.pi / _PERIOD * order
    normal = np.maximum(1 - (laplace**2).sum(axis=1), 0.0)
    exponent = -0.5 * normal[:, None] * t**2
    exponent -= np.log1p(0.5 * laplace[:, :, None] ** 2 * t**2).sum(axis=1)
    # P(error > x) = 1/2 − x/period − Σ φ(t_k)·sin(t_k·x)/(πk)
    spectrum = np.zeros((len(laplace), _GRID // 2 + 1), dtype=np.complex128)
    spectrum[:, 1:-1] = -1j * np.exp(exponent) / (np.pi * order)
    sines = np.fft.irfft(spectrum, n=_GRID, axis=1) * (_GRID / 2)
    places = np.arange(_GRID // 2) * (_PERIOD / _GRID)
    tables = []
    for row in sines[:, : _GRID // 2]:
        tail = 0.5 - places / _PERIOD - row
        last = int(np.argmax(tail < _CERTAIN))
        kept = np.minimum.accumulate(np.maximum(tail[: last + 1], _CERTAIN / 10))
        slope = np.log(kept[-1] / kept[-20]) / (places[last] - places[last - 19])
        kept[0] = 0.5
        far = places[last] - _FAR / slope
        tables.append((np.append(places[: last + 1], far), np.append(kept, kept[-1] * np.exp(-_FAR))))
    return tables
