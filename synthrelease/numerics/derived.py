"""What is shown, as a function of the noisy integers only: used to make a release and to check it.

Everything here is post-processing, and `verify` computes it again from the bundle.
"""

from __future__ import annotations

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


def dwell_shares(noisy: NDArray[np.integer], *, viewers: int | None) -> NDArray[np.float64]:
    """Return the share of the time in each area, shape (A+1,): not negative, of sum 1, nearest to the noisy ones.

    Noisy integers are divided by the normalization, W for each person: by that of the viewers where their number is
    public, else by the integers' own sum, of one person at least.

    Args:
        noisy: shares of W = `HALF_RANGE`, summed over people, noisy.
        viewers: how many people count on the stimulus, if public.
    """
    counts = noisy.astype(np.float64)
    normalization = (
        max(viewers, 1) * HALF_RANGE if viewers is not None else max(float(counts.sum()), HALF_RANGE)
    )
    return onto_simplex(counts / normalization, 1.0)


def transition_shares(noisy: NDArray[np.integer], *, viewers: int | None) -> NDArray[np.float64]:
    """Return the share of each transition among all, shape (A+1, A+1), from row to column; the diagonal is 0.

    As `dwell_shares`, but that even of viewers it is not known how many went from one area to another: the normalization is the sum off
    the diagonal, of one person at least, and at most that of the viewers.
    """
    apart = ~np.eye(len(noisy), dtype=np.bool_)
    counts = noisy[apart].astype(np.float64)
    normalization = max(float(counts.sum()), HALF_RANGE)
    if viewers is not None:
        normalization = min(normalization, max(viewers, 1) * HALF_RANGE)
    out = np.zeros(noisy.shape)
    out[apart] = onto_simplex(counts / normalization, 1.0)
    return out
