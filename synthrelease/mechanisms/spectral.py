"""Private heatmaps by noise on cosine coefficients: only what the blur leaves over is noised.

Claim: `spectral.proof.md`. Not from a paper: a factorisation of blur ∘ mean into coefficients that are released and a
public function of them (in the sense of Li et al. 2015, https://doi.org/10.1007/s00778-015-0398-x).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synthrelease.data.gaze import Gaze
from synthrelease.maths.ball import clip_to_ball
from synthrelease.maths.binning import integer_shares
from synthrelease.maths.spectral import RADIUS, SpectralForm, masses
from synthrelease.maths.spectrum import WEIGHT, point_coefficients, positions
from synthrelease.maths.stored import stored
from synthrelease.mechanisms.collected import Sums
from synthrelease.mechanisms.counted_rows import counted_rows
from synthrelease.noise.addition import noised
from synthrelease.noise.entropy import WordSource
from synthrelease.privacy.budget import GAUSSIAN, Budget, calibrated
from synthrelease.privacy.event import RoundedGaussian
from synthrelease.privacy.guarantee import Neighbours
from synthrelease.privacy.sensitivity import Sensitivity, spectral_maps

SAMPLES, DURATION = "samples", "duration"
_MOST_SAMPLES = WEIGHT // 2  # of a person on a stimulus: each then has a weight of two steps at least
_BLOCK_COEFFICIENTS = 1 << 22  # of as many people as are dealt with at a time


@dataclass(frozen=True)
class SpectralParameters:
    """The public parameters of spectral heatmaps.

    Attributes:
        stimuli: S, number of published stimuli.
        form: blur, weights, clip, prior and resolution.
        joint: whether a person is clipped over all stimuli at once, or on each by itself.
        max_stimuli: M, on how many stimuli a person may count.
        viewers: how many people count on each stimulus, on average, if the assignment is public; else None.
        assignment_public: whether who saw which stimulus is public.
        weight: "samples", which all count alike, or "duration".
        window: start and end of the time that is released, in the unit of the data; None for static maps.
        neighbours: the neighbouring relation.
        people: n, public under replace-one; None under add-remove-one.
    """

    stimuli: int
    form: SpectralForm
    joint: bool
    max_stimuli: int
    viewers: tuple[int, ...] | None
    assignment_public: bool
    weight: str
    window: tuple[float, float] | None
    neighbours: Neighbours
    people: int | None

    def sensitivity(self) -> Sensitivity:
        """Return the sensitivity of all maps of the output together."""
        return spectral_maps(
            coefficients=self.form.band.count,
            radius=RADIUS,
            stimuli=self.stimuli,
            max_stimuli=self.max_stimuli,
            joint=self.joint,
            neighbours=self.neighbours,
        )


def calibrate(parameters: SpectralParameters, budget: Budget) -> RoundedGaussian:
    """Return the event of the output."""
    count = parameters.stimuli * parameters.form.band.count
    event = calibrated(GAUSSIAN, parameters.sensitivity(), budget, count=count)
    assert isinstance(event, RoundedGaussian)
    return event


def release(
    gaze: Gaze, parameters: SpectralParameters, budget: Budget, *, random: WordSource
) -> tuple[dict[tuple[str, ...], NDArray[np.generic]], RoundedGaussian]:
    """Return, for every stimulus, the noised coefficients, and heatmap and uncertainty that follow from them.

    Args:
        gaze: points of all people.
        parameters: the public parameters.
        budget: ε and δ of the whole output, for a person.
        random: where the noise comes from.

    Returns:
        Under (stimulus, name): "noised", integers of shape (K,); "mass" and its error, of shape (2,); "heatmap" and "uncertainty", of the
        shape of the form's cells; and the event.
    """
    noisy, event = draw(collect(gaze, parameters), parameters, budget, random=random)
    return derived_maps(noisy, gaze.stimuli, parameters, event.standard_deviation), event


def collect(gaze: Gaze, parameters: SpectralParameters) -> Sums:
    """Return what some people contribute."""
    return Sums({"coefficients": contributions(gaze, parameters)})


def draw(
    collected: Sums, parameters: SpectralParameters, budget: Budget, *, random: WordSource
) -> tuple[NDArray[np.int64], RoundedGaussian]:
    """Return everybody's coefficients with noise, integers, shape (S, K), and the event."""
    event = calibrate(parameters, budget)
    largest = 2**40 if parameters.people is None else parameters.people * RADIUS
    return noised(collected["coefficients"], event, largest=largest, random=random), event


def derived_maps(
    noisy: NDArray[np.integer], stimuli: Sequence[str], parameters: SpectralParameters, deviation: float
) -> dict[tuple[str, ...], NDArray[np.generic]]:
    """Return the arrays of a release that has these noised integers, shape (S, K)."""
    return maps_of(noisy, held_masses(noisy, parameters, deviation), stimuli, parameters.form, deviation)


def held_masses(
    noisy: NDArray[np.integer], parameters: SpectralParameters, deviation: float
) -> NDArray[np.float64]:
    """Return how many people's worth of map every stimulus holds, and the error of that, shape (S, 2): all tell it together."""
    return masses(
        noisy[:, 0],
        deviation=deviation,
        viewers=None if parameters.viewers is None else np.array(parameters.viewers),
        people=parameters.people,
        joint=parameters.joint,
    )


def maps_of(
    noisy: NDArray[np.integer],
    held: NDArray[np.float64],
    stimuli: Sequence[str],
    form: SpectralForm,
    deviation: float,
) -> dict[tuple[str, ...], NDArray[np.generic]]:
    """Return the arrays of some stimuli, each from its own coefficients (integers) and mass (people): shapes (s, K) and (s, 2)."""
    values: dict[tuple[str, ...], NDArray[np.generic]] = {}
    for number, stimulus in enumerate(stimuli):
        own, mass = (
            noisy[number],
            stored(held[number]),
        )  # as they are in the bundle: what follows can be checked
        values[stimulus, "noised"], values[stimulus, "mass"] = own, mass
        known, error = float(mass[0]), float(mass[1])
        values[stimulus, "heatmap"] = stored(form.heatmap(own, mass=known, deviation=deviation))
        values[stimulus, "uncertainty"] = stored(
            form.uncertainty(own, mass=known, mass_error=error, deviation=deviation)
        )
    return values


def contributions(gaze: Gaze, parameters: SpectralParameters) -> NDArray[np.int64]:
    """Return the sum of these people's clipped coefficients in steps, shape (stimuli, K); all of their rows are there.

    Cost grows with samples × frequencies of one axis and with the maps that people have, not with pixels.
    """
    totals = np.zeros((parameters.stimuli, parameters.form.band.count), dtype=np.int64)
    steps, band = parameters.form.steps(), parameters.form.band
    rows, weights = _weighted_rows(gaze, parameters)
    if not rows.size:
        return totals
    places = _places(gaze, parameters, rows)
    group = gaze.person[rows] * parameters.stimuli + gaze.stimulus[rows]
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
    row = counted_rows(gaze, max_stimuli=parameters.max_stimuli, max_samples=_MOST_SAMPLES)
    if parameters.window is not None:
        assert gaze.time is not None
        start, end = parameters.window
        row = row[(gaze.time[row] >= start) & (gaze.time[row] <= end)]
    weight = np.ones(row.size, dtype=np.int64)
    if parameters.weight == DURATION:
        assert gaze.duration is not None
        row = row[gaze.duration[row] > 0]
        weight = gaze.duration[row]
    owner = gaze.person[row] * parameters.stimuli + gaze.stimulus[row]
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
