"""Private heatmaps by noise on cosine coefficients: only what the blur leaves over is noised.

Claim: `spectral.proof.md`. Not from a paper: a factorisation of blur ∘ mean into coefficients that are released and a
public function of them (in the sense of Li et al. 2015, https://doi.org/10.1007/s00778-015-0398-x).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synthrelease.data.gaze import Gaze
from synthrelease.kinds.collected import Sums
from synthrelease.kinds.counted_rows import counted_rows
from synthrelease.kinds.heatmap.accuracy import SEEN_THROUGH, Heatmap, Viewing
from synthrelease.kinds.heatmap.public import DURATION, SpectralParameters
from synthrelease.kinds.measured import measured_rows
from synthrelease.maths.ball import clip_to_ball
from synthrelease.maths.binning import integer_shares
from synthrelease.maths.centre_bias import CENTRE
from synthrelease.maths.expected_quality import correlation_of_posterior
from synthrelease.maths.spectral import RADIUS
from synthrelease.maths.spectrum import WEIGHT, point_coefficients, positions
from synthrelease.privacy.budget import Budget

_MOST_SAMPLES = WEIGHT // 2  # of a person on a stimulus: each then has a weight of two steps at least
_BLOCK_COEFFICIENTS = 1 << 22  # of as many people as are dealt with at a time
_LEFT = 0.7  # of a person's map after clipping on one stimulus, at the default clip


@dataclass(frozen=True, kw_only=True)
class SpectralHeatmap(Heatmap[SpectralParameters]):
    """Coefficients of people's maps, clipped to a ball, with Gaussian noise."""

    def collect(self, data: Gaze) -> Sums:
        """Return what some people contribute."""
        return Sums({"noisy": contributions(data, self.parameters)})

    def measured(self, data: Gaze) -> dict[str, int]:
        """Return how many rows are of any use."""
        p = self.parameters
        return measured_rows(data, weighted=p.weight == DURATION, window=p.window)

    def correlation(self, viewing: Viewing, budget: Budget, people: float) -> float:
        """Return the correlation to expect with the exact map, with so many people on every stimulus."""
        form, frequencies = self.parameters.form, viewing.band
        left = min(1.0, _LEFT / math.sqrt(viewing.seen if self.parameters.joint else 1.0))
        noise = self.calibrated_noise(budget).standard_deviation
        # Of a dynamic map the first coefficients are those that do not change over time: the map of the whole window.
        unit = form.steps()[: frequencies.count] * (left * people)
        variance = SEEN_THROUGH * (noise / unit) ** 2
        return correlation_of_posterior(
            viewing.expected, frequencies, variance, mean_known=form.prior == CENTRE
        )


def contributions(gaze: Gaze, parameters: SpectralParameters) -> NDArray[np.int64]:
    """Return the sum of these people's clipped coefficients in steps, shape (stimuli, K); all of their rows are there.

    Cost grows with samples × frequencies of one axis and with the maps that people have, not with pixels.
    """
    totals = np.zeros((len(parameters.stimuli), parameters.form.band.count), dtype=np.int64)
    steps, band = parameters.form.steps(), parameters.form.band
    rows, weights = _weighted_rows(gaze, parameters)
    if not rows.size:
        return totals
    places = _places(gaze, parameters, rows)
    group = gaze.person[rows] * len(parameters.stimuli) + gaze.stimulus[rows]
    first = np.flatnonzero(np.r_[True, group[1:] != group[:-1]])
    ends = np.append(first[1:], group.size)
    person, stimulus = gaze.person[rows[first]], gaze.stimulus[rows[first]]
    for start, stop in _blocks(person, max(1, _BLOCK_COEFFICIENTS // band.count)):
        own = np.stack(
            [
                np.trunc(point_coefficients(places[:, i:j], weights[i:j], band) * steps)
                for i, j in zip(first[start:stop], ends[start:stop], strict=True)
            ]
        ).astype(np.int64)
        owner = person[start:stop] if parameters.joint else None
        np.add.at(totals, stimulus[start:stop], clip_to_ball(own, RADIUS, owner))
    return totals


def _weighted_rows(gaze: Gaze, parameters: SpectralParameters) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows that count, and their weights: whole numbers that sum to WEIGHT for a person on a stimulus."""
    row = counted_rows(gaze, max_stimuli=parameters.max_stimuli_per_person, max_samples=_MOST_SAMPLES)
    if parameters.window is not None:
        assert gaze.time is not None
        start, end = parameters.window
        row = row[(gaze.time[row] >= start) & (gaze.time[row] <= end)]
    weight = np.ones(row.size, dtype=np.int64)
    if parameters.weight == DURATION:
        assert gaze.duration is not None
        row = row[gaze.duration[row] > 0]
        weight = gaze.duration[row]
    owner = gaze.person[row] * len(parameters.stimuli) + gaze.stimulus[row]
    return row, integer_shares(owner, weight, WEIGHT)


def _places(gaze: Gaze, parameters: SpectralParameters, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Positions on the axes, shape (axes, N)."""
    axes = [gaze.y_px[rows] / gaze.screen.height_px, gaze.x_px[rows] / gaze.screen.width_px]
    if parameters.window is not None:
        assert gaze.time is not None
        start, end = parameters.window
        axes.insert(0, (gaze.time[rows] - start) / (end - start))
    return np.stack([positions(axis) for axis in axes])


def _blocks(person: NDArray[np.int64], most: int) -> list[tuple[int, int]]:
    """Cut maps, ordered by person, into blocks of about `most` that hold whole people."""
    change = np.flatnonzero(np.r_[True, person[1:] != person[:-1]])
    bounds = [0]
    for begin, end in zip(change, np.append(change[1:], person.size), strict=True):
        if end - bounds[-1] > most and begin > bounds[-1]:
            bounds.append(int(begin))
    return list(zip(bounds, [*bounds[1:], person.size], strict=True))
