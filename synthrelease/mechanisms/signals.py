"""Private feature signals: LPA, FPA, CFPA and DCFPA with corrected scales, person-level.

Claim: `signals.proof.md`. Series are cut or completed to a public length, brought to integers between public
bounds, transformed exactly, clipped in integers, added up, and noised once.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synthrelease.data.features import Features
from synthrelease.maths import derived
from synthrelease.maths.signal_form import SignalForm
from synthrelease.maths.steps import to_steps
from synthrelease.maths.stored import stored
from synthrelease.mechanisms.collected import PersonRows, Sums
from synthrelease.mechanisms.completed_series import HOLD, blocks, completed_series
from synthrelease.noise.addition import noised
from synthrelease.noise.entropy import SecureRandom
from synthrelease.privacy.budget import Budget, calibrated
from synthrelease.privacy.event import DiscreteLaplace, RoundedGaussian
from synthrelease.privacy.guarantee import Neighbours
from synthrelease.privacy.sensitivity import Sensitivity, signal

MEAN, EACH = "mean", "each"


@dataclass(frozen=True)
class SignalParameters:
    """The public parameters of a signals output.

    Attributes:
        form: how a series becomes integers.
        noise: "laplace" or "gaussian".
        query: "mean" over people, or "each" person's own series in random order.
        features: number of features.
        recordings: number of recordings of a person.
        neighbours: the neighbouring relation.
        people: n, public under replace-one.
        completion: what becomes of series that are too short: "hold" or "centre".
    """

    form: SignalForm
    noise: str
    query: str
    features: int
    recordings: int
    neighbours: Neighbours
    people: int
    completion: str = HOLD

    @property
    def radii(self) -> tuple[int, ...]:
        """L2 radius of the coefficients of each of the form's parts, in steps."""
        return tuple(part.radius for part in self.form.parts)

    @property
    def series(self) -> int:
        """How many series a person has."""
        return self.features * self.recordings

    @property
    def divisor(self) -> int:
        """How many people are added up in a signal."""
        return self.people if self.query == MEAN else 1

    def sensitivity(self) -> Sensitivity:
        """Return the sensitivity of all series of a person together: recordings × features of them."""
        return signal(self.form, radii=self.radii, neighbours=self.neighbours).times(self.series)

    @property
    def largest(self) -> int:
        """A public bound of every integer before noise."""
        return max(self.radii) * self.divisor


def calibrate(parameters: SignalParameters, budget: Budget) -> RoundedGaussian | DiscreteLaplace:
    """Return the event of the output."""
    count = parameters.series * parameters.form.count
    if parameters.query == EACH:
        count *= parameters.people
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
        Arrays under (recording, feature, name): "noised" of shape (K,) or (people, K); "values" of shape (n,) or
        (people, n), and "uncertainty" of shape (n,), in the feature's unit; and the event.
    """
    noisy, event = draw(collect(data, parameters), parameters, budget, random=random)
    values = series_of(noisy, data.recordings, data.bounds_by_name, parameters, event.standard_deviation)
    return values, event


def collect(data: Features, parameters: SignalParameters) -> Sums | PersonRows:
    """Return what some people contribute: sums, or each person's own where that is what is released."""
    exact = totals(data, parameters)
    return PersonRows.of(exact) if parameters.query == EACH else Sums({"series": exact})


def draw(
    collected: Sums | PersonRows, parameters: SignalParameters, budget: Budget, *, random: SecureRandom
) -> tuple[NDArray[np.int64], RoundedGaussian | DiscreteLaplace]:
    """Return everybody's integers with noise, shape (R, F, K) or (people, R, F, K), and the event.

    Raises:
        TypeError: what was collected is for another query.
    """
    event = calibrate(parameters, budget)
    if isinstance(collected, PersonRows) != (parameters.query == EACH):
        raise TypeError(f'Expected what is collected for query "{parameters.query}"')
    # A slot must not tell whose it is.
    exact = collected.shuffled(random) if isinstance(collected, PersonRows) else collected["series"]
    return noised(exact, event, largest=parameters.largest, random=random), event


def series_of(
    noisy: NDArray[np.integer],
    recordings: Sequence[str],
    bounds: Mapping[str, tuple[float, float]],
    parameters: SignalParameters,
    deviation: float,
) -> dict[tuple[str, ...], NDArray[np.generic]]:
    """Return the arrays of a release that has these noised integers, of the shapes and units of `release`; bounds in the order of features."""
    values: dict[tuple[str, ...], NDArray[np.generic]] = {}
    for r, recording in enumerate(recordings):
        for f, (feature, limits) in enumerate(bounds.items()):
            one, unit = noisy[..., r, f, :], derived.Unit(limits, parameters.divisor)
            values[recording, feature, "noised"] = one
            shown = derived.signal(one, parameters.form, unit)
            values[recording, feature, "values"] = stored(shown, by_rows=parameters.query == EACH)
            values[recording, feature, "uncertainty"] = stored(
                derived.signal_uncertainty(parameters.form, unit, deviation=deviation)
            )
    return values


def totals(data: Features, parameters: SignalParameters) -> NDArray[np.int64]:
    """Return what is to be noised: the sum of all contributions, or all of them side by side where each is released.

    Args:
        data: series of all people.
        parameters: the public parameters.

    Returns:
        Integers in steps, or coefficients of them, shape (recordings, features, K) or (people, recordings, features, K).
    """
    own = (contributions(part, parameters) for part in blocks(data, parameters.form.length))
    none = np.zeros((parameters.recordings, parameters.features, parameters.form.count), dtype=np.int64)
    if parameters.query == EACH:
        return np.concatenate([none[None][:0], *own])
    return functools.reduce(lambda total, part: total + part.sum(axis=0), own, none)


def contributions(data: Features, parameters: SignalParameters, *, clipped: bool = True) -> NDArray[np.int64]:
    """Return each person's integers, shape (people, recordings, features, K); zero where there is no recording."""
    form = parameters.form
    series = np.zeros((data.people * parameters.recordings, form.length, parameters.features), dtype=np.int64)
    group, completed, _ = completed_series(data, form.length, completion=parameters.completion)
    series[group] = to_steps(completed, data.bounds)
    rows = np.moveaxis(series, 1, 2).reshape(-1, form.length)
    own = form.integers(rows, clipped=clipped)
    return own.reshape(data.people, parameters.recordings, parameters.features, form.count)
