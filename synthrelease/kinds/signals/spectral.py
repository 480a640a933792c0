"""Mean signals with a norm of the whole person: the lowest cosines of all series, clipped jointly, with noise added once.

Claim: `spectral.proof.md`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synthrelease.data.features import FeatureData
from synthrelease.dp.budget import Budget
from synthrelease.kinds.contributions import Sums
from synthrelease.kinds.measured import measured_values
from synthrelease.kinds.signals.accuracy import MeanSignals
from synthrelease.kinds.signals.completed_series import blocks, completed_series, copied_bytes
from synthrelease.kinds.signals.expected import spectral_correlation
from synthrelease.kinds.signals.public import SpectralSignalParameters
from synthrelease.numerics.ball import clip_to_ball
from synthrelease.numerics.spectral_signals import (
    NO_BASELINE,
    OF_PERSON,
    RADIUS,
    SpectralSignalForm,
)
from synthrelease.numerics.steps import to_steps


@dataclass(frozen=True, kw_only=True)
class SpectralSignals(MeanSignals[SpectralSignalParameters]):
    """Cosines of people's series, all of a person's in one ball, with Gaussian noise."""

    @property
    def row_bytes(self) -> int:
        """How much memory each row of a part takes while contributions are collected, besides the row itself."""
        return super().row_bytes + copied_bytes(self.parameters.features)

    def collect(self, data: FeatureData) -> Sums:
        """Return what some people contribute, shape (recordings, features, 1 + K)."""
        p, data = self.parameters, data.only(self.parameters.feature_names)
        totals = np.zeros((len(p.recordings), len(p.features), p.form.count), dtype=np.int64)
        for part in blocks(data, p.length):
            totals += contributions(part, p).sum(axis=0)
        return Sums({"noisy": totals})

    def measured(self, data: FeatureData) -> dict[str, int]:
        """Return how many values of each feature are of any use."""
        return measured_values(data, self.parameters.feature_names)

    @property
    def label(self) -> str:
        """What a table of several mechanisms calls it."""
        return self.parameters.name

    def with_noise_for(self, budget: Budget) -> SpectralSignals | None:
        """Return itself; it has no guarantee without δ."""
        return self if budget.delta > 0 else None

    def correlation(self, budget: Budget, people: float) -> float:
        """Return the correlation over time to expect with the exact mean signal."""
        deviation = self.calibrated_noise(budget).standard_deviation
        return spectral_correlation(self.parameters.form, deviation=deviation, people=people)


def contributions(data: FeatureData, parameters: SpectralSignalParameters) -> NDArray[np.int64]:
    """Return each person's clipped integers, shape (people, recordings, features, 1 + K); zero where there is nothing."""
    form = parameters.form
    people, recordings, features = data.people, len(parameters.recordings), len(parameters.features)
    group, completed, has_values = completed_series(data, form.length, completion=parameters.completion)
    series = np.zeros((people * recordings, features, form.length), dtype=np.int64)
    series[group] = np.moveaxis(to_steps(completed, data.bounds), 1, 2)
    present = np.zeros((people * recordings, features), dtype=np.bool_)
    present[group] = has_values
    grid = (people, recordings, features)
    changes = _less_baseline(series.reshape(*grid, form.length), present.reshape(grid), form)
    integers = form.integers(changes.reshape(-1, form.length)) * present.reshape(-1, 1)
    whole = clip_to_ball(integers.reshape(people, recordings * features * form.count), RADIUS)
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
        baseline: NDArray[np.int64] = (of_recordings // steps)[..., None]
    else:
        steps_each = form.levelled_steps
        baseline = series[..., :steps_each].sum(axis=-1, keepdims=True) // steps_each
    return series - baseline
