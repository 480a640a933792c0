"""Public coordinates of what is measured of scanpaths: numbers of [0, 1] in which public data are nearly even (`scanpaths.proof.md`).

u = (1 − flat)·F(v) + flat·(w(v) − w(low))/(w(high) − w(low)), where F is the distribution function of public data and w a public warp. The
flat part leaves room where the public data have nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
Steps = NDArray[np.int64]

STEPS = 8192  # of [0, 1], in which a coordinate is known
_FINE = 1 << 16  # points between the ends, through which values of steps are interpolated
_SHORT_AMPLITUDE = 0.05  # of the screen's width: amplitudes are even in their logarithm beyond

WARPS: dict[str, Callable[[Numbers], Numbers]] = {
    "even": lambda v: v,
    "amplitude": lambda v: np.log1p(v / _SHORT_AMPLITUDE),
    "logarithm": np.log,
}


@dataclass(frozen=True)
class Coordinate:
    """One coordinate: a value's range, its warp, and quantiles of public data at even probabilities, in its unit."""

    low: float
    high: float
    warp: str
    quantiles: tuple[float, ...]
    flat: float

    @cached_property
    def edges(self) -> Numbers:
        """The values at u = k/8192, increasing, shape (8193,)."""
        warp = WARPS[self.warp]
        ends = warp(np.array([self.low, self.high]))
        even = np.linspace(0.0, 1.0, _FINE)
        values = self._unwarped(ends[0] + even * (ends[1] - ends[0]))
        probability = np.linspace(0.0, 1.0, len(self.quantiles))
        known = np.interp(values, _increasing(self.quantiles), probability)
        u = (1 - self.flat) * known + self.flat * even
        u = (u - u[0]) / (u[-1] - u[0])
        edges = np.interp(np.linspace(0.0, 1.0, STEPS + 1), u, values)
        edges[0], edges[-1] = self.low, self.high
        return edges

    def _unwarped(self, warped: Numbers) -> Numbers:
        if self.warp == "even":
            return warped
        return np.exp(warped) if self.warp == "logarithm" else _SHORT_AMPLITUDE * np.expm1(warped)

    def steps(self, values: NDArray[np.floating]) -> Steps:
        """Return the step that each value lies in, 0 … 8191, of the same shape; what is beyond the range lies in the last one."""
        return np.searchsorted(self.edges[1:-1], values, side="right")

    def values(self, u: Numbers) -> Numbers:
        """Return the values at u of [0, 1], in the coordinate's unit, of the same shape."""
        return np.interp(u * STEPS, np.arange(STEPS + 1), self.edges)

    def bins(self, count: int) -> Numbers:
        """Return the ends of equal parts of [0, 1], as values, shape (count + 1,)."""
        return self.values(np.linspace(0.0, 1.0, count + 1))


def _increasing(quantiles: Sequence[float]) -> Numbers:
    """Quantiles of values that occur often are the same: a little apart, they make a distribution function."""
    places = np.array(quantiles)
    return np.asarray(
        np.maximum.accumulate(places + 1e-9 * (places[-1] - places[0]) * np.arange(places.size))
    )
