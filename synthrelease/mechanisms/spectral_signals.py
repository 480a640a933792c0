"""Mean signals with a norm of the whole person: the lowest cosines of all series, clipped jointly, noised once.

Claim: `spectral_signals.proof.md`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synthrelease.data.features import Features
from synthrelease.maths.ball import clip_to_ball
from synthrelease.maths.spectral_signals import (
    NO_BASELINE,
    OF_PERSON,
    RADIUS,
    Known,
    SpectralSignalForm,
    masses,
)
from synthrelease.maths.steps import to_steps
from synthrelease.maths.stored import stored
from synthrelease.mechanisms.collected import Sums
from synthrelease.mechanisms.completed_series import HOLD, blocks, completed_series
from synthrelease.noise.addition import noised
from synthrelease.noise.entropy import WordSource
from synthrelease.privacy.budget import GAUSSIAN, Budget, calibrated
from synthrelease.privacy.event import RoundedGaussian
from synthrelease.privacy.guarantee import Neighbours
from synthrelease.privacy.sensitivity import Sensitivity, clipped_coefficients


@dataclass(frozen=True)
class SpectralSignalParameters:
    """The public parameters of a spectral signals output.

    Attributes:
        form: how series become integers.
        features: number of features.
        recordings: number of recordings of a person.
        neighbours: the neighbouring relation.
        people: n, public under replace-one.
        completion: what becomes of series that are too short: "hold" or "centre".
    """

    form: SpectralSignalForm
    features: int
    recordings: int
    neighbours: Neighbours
    people: int
    completion: str = HOLD

    def sensitivity(self) -> Sensitivity:
        """Return the sensitivity of all series of a person together: they lie in one ball."""
        count = self.form.series * self.form.count
        return clipped_coefficients(count=count, radius=RADIUS, neighbours=self.neighbours)


def calibrate(parameters: SpectralSignalParameters, budget: Budget) -> RoundedGaussian:
    """Return the event of the output."""
    count = parameters.form.series * parameters.form.count
    event = calibrated(GAUSSIAN, parameters.sensitivity(), budget, count=count)
    assert isinstance(event, RoundedGaussian)
    return event


def release(
    data: Features, parameters: SpectralSignalParameters, budget: Budget, *, random: WordSource
) -> tuple[dict[tuple[str, ...], NDArray[np.generic]], RoundedGaussian]:
    """Return, for every recording and feature, the noised integers, and signal and uncertainty that follow from them.

    Args:
        data: series of all people.
        parameters: the public parameters.
        budget: ε and δ of the whole output, for a person.
        random: where the noise comes from.

    Returns:
        Arrays under (recording, feature, name): "noised", integers of shape (1 + K,); "mass" and its error, of shape
        (2,); "values" and "uncertainty", of shape (n,), in the feature's unit; and the event.
    """
    noisy, event = draw(collect(data, parameters), parameters, budget, random=random)
    deviation = event.standard_deviation
    return derived_signals(noisy, data.recordings, data.bounds_by_name, parameters, deviation), event


def collect(data: Features, parameters: SpectralSignalParameters) -> Sums:
    """Return what some people contribute."""
    totals = np.zeros((parameters.recordings, parameters.features, parameters.form.count), dtype=np.int64)
    for part in blocks(data, parameters.form.length):
        totals += contributions(part, parameters).sum(axis=0)
    return Sums({"series": totals})


def draw(
    collected: Sums, parameters: SpectralSignalParameters, budget: Budget, *, random: WordSource
) -> tuple[NDArray[np.int64], RoundedGaussian]:
    """Return everybody's integers with noise, shape (recordings, features, 1 + K), and the event."""
    event = calibrate(parameters, budget)
    return noised(collected["series"], event, largest=parameters.people * RADIUS, random=random), event


def derived_signals(
    noisy: NDArray[np.integer],
    recordings: Sequence[str],
    bounds: Mapping[str, tuple[float, float]],
    parameters: SpectralSignalParameters,
    deviation: float,
) -> dict[tuple[str, ...], NDArray[np.generic]]:
    """Return the arrays of a release that has these noised integers, of the shapes and units of `release`; bounds in the order of features."""
    form, people = parameters.form, parameters.people
    held = masses(noisy[..., 0].ravel(), form, deviation=deviation, people=people)
    held = held.reshape(*noisy.shape[:2], 2)
    values: dict[tuple[str, ...], NDArray[np.generic]] = {}
    for r, recording in enumerate(recordings):
        for f, (feature, limits) in enumerate(bounds.items()):
            own, mass = noisy[r, f], stored(held[r, f])  # as in the bundle: what follows can be checked
            known = Known(float(mass[0]), float(mass[1]), deviation, people, limits)
            values[recording, feature, "noised"], values[recording, feature, "mass"] = own, mass
            values[recording, feature, "values"] = stored(form.signal(own, known))
            values[recording, feature, "uncertainty"] = stored(form.uncertainty(own, known))
    return values


def contributions(data: Features, parameters: SpectralSignalParameters) -> NDArray[np.int64]:
    """Return each person's clipped integers, shape (people, recordings, features, 1 + K); zero where there is nothing."""
    form = parameters.form
    people, recordings, features = data.people, parameters.recordings, parameters.features
    group, completed, there = completed_series(data, form.length, completion=parameters.completion)
    series = np.zeros((people * recordings, features, form.length), dtype=np.int64)
    series[group] = np.moveaxis(to_steps(completed, data.bounds), 1, 2)
    present = np.zeros((people * recordings, features), dtype=np.bool_)
    present[group] = there
    grid = (people, recordings, features)
    less = _less_baseline(series.reshape(*grid, form.length), present.reshape(grid), form)
    own = form.integers(less.reshape(-1, form.length)) * present.reshape(-1, 1)
    whole = clip_to_ball(own.reshape(people, recordings * features * form.count), RADIUS)
    return whole.reshape(*grid, form.count)


def _less_baseline(
    series: NDArray[np.int64], present: NDArray[np.bool_], form: SpectralSignalForm
) -> NDArray[np.int64]:
    """Series, shape (people, recordings, features, n), less the person's own baseline, rounded down to steps."""
    if form.baseline == NO_BASELINE:
        return series
    if form.baseline == OF_PERSON:
        of_recordings = (series.sum(axis=-1) * present).sum(axis=1, keepdims=True)
        steps = np.maximum(present.sum(axis=1, keepdims=True), 1) * form.length
        own: NDArray[np.int64] = (of_recordings // steps)[..., None]
    else:
        steps_each = form.levelled_steps
        own = series[..., :steps_each].sum(axis=-1, keepdims=True) // steps_each
    return series - own
