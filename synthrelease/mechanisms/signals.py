"""Private feature signals: LPA and FPA with corrected scales, person-level.

Claim: `signals.proof.md`. Series are cut or completed to a public length, brought to integers between public
bounds, transformed exactly, clipped in integers, added up, and noised once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synthrelease.data.features import Features
from synthrelease.maths import derived
from synthrelease.maths.ball import clip_to_ball
from synthrelease.maths.fourier import coefficient_count, integer_coefficients
from synthrelease.maths.steps import HALF_RANGE, half_diagonal, to_steps
from synthrelease.maths.stored import stored
from synthrelease.noise.addition import noised
from synthrelease.noise.entropy import SecureRandom
from synthrelease.privacy.budget import Budget, calibrated
from synthrelease.privacy.event import DiscreteLaplace, RoundedGaussian
from synthrelease.privacy.guarantee import Neighbours
from synthrelease.privacy.sensitivity import Sensitivity, boxed_series, clipped_coefficients

LPA, FPA = "lpa", "fpa"
MEAN, EACH = "mean", "each"


@dataclass(frozen=True)
class SignalParameters:
    """The public parameters of a signals output.

    Attributes:
        mechanism: "lpa" (noise per step) or "fpa" (noise per Fourier coefficient).
        noise: "laplace" or "gaussian".
        query: "mean" over people, or "each" person's own series in random order.
        features: number of features.
        recordings: number of recordings of a person.
        length: n, steps of every series.
        frequencies: k, the frequencies that FPA keeps.
        neighbours: the neighbouring relation.
        people: n, public under replace-one.
    """

    mechanism: str
    noise: str
    query: str
    features: int
    recordings: int
    length: int
    frequencies: int
    neighbours: Neighbours
    people: int

    @property
    def coefficients(self) -> int:
        """Numbers noised per series: n for LPA, K for FPA."""
        return self.length if self.mechanism == LPA else coefficient_count(self.length, self.frequencies)

    @property
    def radius(self) -> int:
        """L2 radius that FPA clips to, in steps: the box's own half diagonal, so that little is lost."""
        return half_diagonal(self.length)

    def sensitivity(self) -> Sensitivity:
        """Return the sensitivity of all series of a person together: recordings × features of them."""
        if self.mechanism == LPA:
            one = boxed_series(steps=self.length, bound=HALF_RANGE, neighbours=self.neighbours)
        else:
            one = clipped_coefficients(
                count=self.coefficients, radius=self.radius, neighbours=self.neighbours
            )
        return one.times(self.features * self.recordings)

    @property
    def largest(self) -> int:
        """A public bound of every integer before noise."""
        one = HALF_RANGE if self.mechanism == LPA else self.radius
        return one * (self.people if self.query == MEAN else 1)


def calibrate(parameters: SignalParameters, budget: Budget) -> RoundedGaussian | DiscreteLaplace:
    """Return the event of the output."""
    series = parameters.features * parameters.recordings
    if parameters.query == EACH:
        series *= parameters.people
    count = series * parameters.coefficients
    return calibrated(parameters.noise, parameters.sensitivity(), budget, count=count)


def release(
    data: Features, parameters: SignalParameters, budget: Budget, *, random: SecureRandom
) -> tuple[dict[tuple[str, ...], NDArray[np.generic]], RoundedGaussian | DiscreteLaplace]:
    """Return, for every recording and feature, the noised integers and the signal derived from them.

    Args:
        data: series of all people.
        parameters: the public parameters.
        budget: ε and δ of the whole output, for a person.
        random: where the noise comes from.

    Returns:
        Arrays under (recording, feature, "noised"), shape (K,) or (people, K), and under
        (recording, feature, "values"), shape (n,) or (people, n), in the feature's unit; and the event.
    """
    event = calibrate(parameters, budget)
    own = contributions(data, parameters)
    # Where everybody's own series is released, a slot must not tell whose it is.
    exact = own.sum(axis=0) if parameters.query == MEAN else own[random.permutation(len(own))]
    noisy = noised(exact, event, largest=parameters.largest, random=random)
    values: dict[tuple[str, ...], NDArray[np.generic]] = {}
    for r, recording in enumerate(data.recordings):
        for f, feature in enumerate(data.features):
            one = noisy[..., r, f, :]
            values[recording, feature, "noised"] = one
            values[recording, feature, "values"] = stored(
                derived.signal(
                    one,
                    bounds=data.limits(f),
                    divisor=parameters.people if parameters.query == MEAN else 1,
                    length=parameters.length,
                    frequencies=parameters.frequencies if parameters.mechanism == FPA else None,
                )
            )
    return values, event


def contributions(data: Features, parameters: SignalParameters) -> NDArray[np.int64]:
    """Return each person's integers, shape (people, recordings, features, K); zero where there is no recording."""
    people, recordings, features = data.people, parameters.recordings, parameters.features
    series = np.zeros((people * recordings, parameters.length, features), dtype=np.int64)
    group, completed = completed_series(data, parameters.length)
    series[group] = to_steps(completed, data.bounds)
    rows = np.moveaxis(series, 1, 2).reshape(-1, parameters.length)
    if parameters.mechanism == FPA:
        rows = integer_coefficients(rows, parameters.frequencies, bound=HALF_RANGE)
        rows = clip_to_ball(rows, parameters.radius)
    return rows.reshape(people, recordings, features, -1)


def completed_series(data: Features, length: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return series of `length` steps without gaps, and which person × recording each belongs to.

    Longer series are cut. A gap, and what a shorter series lacks, holds the series' last value before it; a
    gap at the start takes the first value there is; a series without any value lies at the centre of the
    bounds. Everything is filled from the same person's own series.

    Returns:
        Group numbers person·recordings + recording, shape (G,), and values, shape (G, length, F).
    """
    number = data.person * len(data.recordings) + data.recording
    order = np.argsort(number, kind="stable")
    group, start, size = np.unique(number[order], return_index=True, return_counts=True)
    step = np.arange(order.size) - np.repeat(start, size)
    within = step < length
    filled = np.full((group.size, length, len(data.features)), np.nan)
    filled[np.repeat(np.arange(group.size), size)[within], step[within]] = data.values[order[within]]

    here = ~np.isnan(filled)
    at = np.where(here, np.arange(length)[None, :, None], -1)
    last = np.maximum.accumulate(at, axis=1)
    first = np.argmax(here, axis=1, keepdims=True)
    source = np.where(last >= 0, last, first)
    filled = np.take_along_axis(filled, source, axis=1)
    centre = data.bounds.mean(axis=1)
    return group, np.where(np.isnan(filled), centre, filled)
