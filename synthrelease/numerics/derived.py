"""What is shown, as a function of the noisy integers only: used to make a release and to check it.

Everything here is post-processing, and `verify` computes it again from the bundle.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synthrelease.numerics.blur import blurred
from synthrelease.numerics.signal_form import SignalForm
from synthrelease.numerics.simplex import onto_simplex
from synthrelease.numerics.steps import HALF_RANGE, centre_and_step


def heatmap(
    noisy: NDArray[np.integer], *, people: int | None, blur_px: float, screen_px: tuple[int, int]
) -> NDArray[np.float64]:
    """Return the mean counts per person (sums, where the number of people is private), blurred, shape (rows, columns) as `noisy`."""
    return blurred(noisy / (people or 1), blur_px=blur_px, screen_px=screen_px)


@dataclass(frozen=True)
class IntegerUnit:
    """What an integer of a signal stands for: the public bounds of the feature, and how many people were added up."""

    bounds: tuple[float, float]
    divisor: int


def signal(noisy: NDArray[np.integer], form: SignalForm, unit: IntegerUnit) -> NDArray[np.float64]:
    """Return the signal in the feature's unit: centre + step · series/divisor, shape (…, n).

    Args:
        noisy: integers of the form, shape (…, K).
        form: how a series becomes integers.
        unit: what they stand for.
    """
    centre, step = centre_and_step(*unit.bounds)
    series = form.series(noisy)
    series *= step / unit.divisor
    series += centre
    return series


def signal_uncertainty(form: SignalForm, unit: IntegerUnit, *, deviation: float) -> NDArray[np.float64]:
    """Return the standard deviation of the noise in every step of `signal`, in the feature's unit, shape (n,).

    It is that of the noise only: what the lowest frequencies leave out, and clipping, is not in it.

    Args:
        form: how a series becomes integers.
        unit: what they stand for.
        deviation: standard deviation of the noise in an integer, in steps.
    """
    return centre_and_step(*unit.bounds)[1] * deviation / unit.divisor * form.spread


def dwell_normalization(noisy: NDArray[np.integer], *, viewers: int | None) -> float:
    """Return what noisy shares, shape (A+1,), are divided by, W steps for each person: of the viewers where their number is public, else their own sum, of one person at least."""
    if viewers is not None:
        return float(max(viewers, 1) * HALF_RANGE)
    return max(float(noisy.sum(dtype=np.float64)), HALF_RANGE)


def transition_normalization(noisy: NDArray[np.integer], *, viewers: int | None) -> float:
    """Return what noisy shares of moves, shape (A+1, A+1) in steps, are divided by: the sum off the diagonal, of one person at least, and at most that of the viewers.

    Even of viewers it is not known how many went from one area to another.
    """
    apart = ~np.eye(len(noisy), dtype=np.bool_)
    normalization = dwell_normalization(noisy[apart], viewers=None)
    return (
        normalization if viewers is None else min(normalization, dwell_normalization(noisy, viewers=viewers))
    )


@dataclass(frozen=True)
class ShareShrinkage:
    """How noisy proportions of a stimulus are drawn towards equal ones, which is all that is known of them without data.

    Before any data all proportions of d areas are taken to be equally likely: the flat Dirichlet distribution. They sum to 1, and in
    every direction that leaves the sum they have the variance v = 1/(d(d + 1)); noise along the sum itself is taken out with the nearest
    possible proportions. Of linear estimates the one with this weight has the least expected squared error then: less than that
    of the noisy proportions, and less than that of equal ones, which anyone could publish.
    """

    # Whether each cell is there, of the shape of the proportions: an area of the stimulus, or a move between two of them.
    present: NDArray[np.bool_]
    deviation: float  # standard deviation of the noise in a cell, as a proportion

    @property
    def prior_variance(self) -> float:
        """The variance v of proportions before any data, along every direction that leaves their sum."""
        d = int(self.present.sum())
        return 1 / (d * (d + 1)) if d > 1 else 0.0

    @property
    def weight(self) -> float:
        """What is kept of a noisy proportion's distance from the equal one: v/(v + σ²)."""
        v = self.prior_variance
        return v / (v + self.deviation**2) if v else 0.0

    @property
    def error(self) -> float:
        """The standard deviation of the error of a shrunk proportion, before negative ones are corrected: √(w·σ²·(d − 1)/d)."""
        d = max(int(self.present.sum()), 1)
        return math.sqrt(self.weight * (d - 1) / d) * self.deviation

    def shares(self, proportions: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return proportions, of the same shape: shrunk, then the nearest that are not negative and sum to 1; 0 where there is no cell."""
        out = np.zeros(proportions.shape)
        if self.present.any():
            even = 1 / self.present.sum()
            shrunk = even + self.weight * (proportions[self.present] - even)
            out[self.present] = onto_simplex(shrunk, 1.0)
        return out
