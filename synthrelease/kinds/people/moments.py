"""From a person's dependence to what is expected of their scores, and back (`people.proof.md`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synthrelease.numerics import hermite

Numbers = NDArray[np.float64]

_USUAL_SLOPE = 0.15
# Least and most of intraclass correlation, autocorrelation and share of slopes.
_SOLUTIONS = ((0.002, 0.0, 0.0), (0.98, 0.97, 0.8))
_POLISHING, _POLISHED, _TINY = 30, 1e-13, 1e-30  # steps at most, the last one, and one for slopes


@dataclass(frozen=True)
class Layout:
    """A person's windows, nominally."""

    conditions: int
    windows: int  # of a condition


@dataclass(frozen=True)
class Moments:
    """What blocks are expected to be of people with scores of unit variance, of one shape."""

    between: Numbers
    lag: Numbers
    slope: Numbers
    across: Numbers  # covariance of a person's scores in two conditions

    @property
    def within(self) -> Numbers:
        """About a person's mean."""
        return np.asarray(1 - self.between)


def moments(
    intraclass: Numbers, autocorrelation: Numbers, slopes: Numbers, layout: Layout, scores: Numbers
) -> Moments:
    """Return what blocks are expected to be of people of unit variance, of shape (F,).

    A person's normal numbers are a level, a slope for each condition and an autoregression of order 1 that starts anew in each.
    """
    apart = np.arange(1, layout.windows)
    same = intraclass + (1 - intraclass) * slopes
    correlation = same[:, None] + (1 - same)[:, None] * autocorrelation[:, None] ** apart
    weights, powers = hermite.alike(scores, np.ones(len(scores)))

    def of_scores(correlation: Numbers) -> Numbers:
        return np.asarray((weights[:, None] * correlation[..., None] ** powers).sum(axis=-1))

    together = of_scores(correlation)
    across = of_scores(intraclass[:, None])[:, 0]
    inside = (1 + 2 * ((1 - apart / layout.windows) * together).sum(axis=1)) / layout.windows
    between = inside / layout.conditions + (1 - 1 / layout.conditions) * across
    return Moments(between, together[:, 0] - between, (1 - 1 / layout.conditions) * (inside - across), across)


def solved(targets: Numbers, layout: Layout, scores: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """Intraclass correlation, autocorrelation and share of slopes of each feature that its moments come from.

    Args:
        targets: share of variance between people, lag and slopes over the variance within, and how doubtful slopes are, shape (F, 4).
        layout: of a person's windows.
        scores: of normal numbers, as coefficients of Hermite polynomials, shape (F, K).
    """
    from scipy.optimize import least_squares  # noqa: PLC0415  slow to import

    solutions = []
    for target, score in zip(targets, scores, strict=True):
        start = np.array([np.clip(target[0], 0.01, 0.95), np.clip(target[1], 0.05, 0.9), 0.1])
        arguments = target, layout, score[None]
        found = least_squares(
            _missed,
            start,
            jac="cs",
            bounds=_SOLUTIONS,
            method="dogbox",
            xtol=1e-10,
            gtol=1e-12,
            args=arguments,
        )
        solutions.append(_polished(found.x, found.active_mask == 0, arguments))
    first, second, third = np.array(solutions).T
    return first, second, third


def _polished(place: Numbers, free: NDArray[np.bool_], arguments: tuple[Numbers, Layout, Numbers]) -> Numbers:
    """A solution to the last digits, so that another machine's is the same: steps of Gauss and Newton, of what is not at its bound.

    A search that compares sums of squares ends where these no longer change, at half of the digits.
    """
    place, low, high = place.copy(), *np.array(_SOLUTIONS)[:, free]
    for _ in range(_POLISHING if free.any() else 0):
        slopes = np.stack(
            [
                _missed(place + 1j * _TINY * unit, *arguments).imag / _TINY
                for unit in np.eye(len(place))[free]
            ],
            axis=1,
        )
        step = -np.linalg.lstsq(slopes, _missed(place, *arguments), rcond=None)[0]
        place[free] = np.clip(place[free] + step, low, high)
        if np.abs(step).max() < _POLISHED:
            break
    return place


def _missed(place: NDArray[Any], target: Numbers, layout: Layout, score: Numbers) -> NDArray[Any]:
    """How far moments are from a target; of complex numbers, too, whose imaginary parts are exact slopes."""
    intraclass, autocorrelation, slopes = place[:, None]
    expected = moments(intraclass, autocorrelation, slopes, layout, score)
    share, of_lag, of_slope, doubt = target
    within = expected.within[0]
    return np.array(
        [
            2 * (expected.between[0] - share),
            expected.lag[0] / within - of_lag,
            0.3 * (expected.slope[0] / within - of_slope),
            doubt * (place[2] - _USUAL_SLOPE),
        ]
    )
