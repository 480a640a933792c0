"""Private gaze maps on a grid of cells: bounded contributions, integer sums, exact noise.

Claim: `gaze_maps.proof.md`. The heatmap that is shown is the noised map divided by the public number of people and
blurred, which is post-processing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synthrelease.data.gaze import Gaze
from synthrelease.data.screen import Screen
from synthrelease.errors import PolicyError
from synthrelease.maths import derived
from synthrelease.maths.stored import stored
from synthrelease.mechanisms.collected import Sums
from synthrelease.mechanisms.counted_rows import counted_rows
from synthrelease.noise.addition import noised
from synthrelease.noise.entropy import WordSource
from synthrelease.privacy.budget import GAUSSIAN, Budget, calibrated
from synthrelease.privacy.calibration import gaussian_delta, liu2019_sigma
from synthrelease.privacy.event import DiscreteLaplace, RoundedGaussian
from synthrelease.privacy.guarantee import Neighbours
from synthrelease.privacy.sensitivity import Sensitivity, gaze_maps

LIU2019 = "liu2019"


@dataclass(frozen=True)
class GazeMapParameters:
    """The public parameters of gaze maps.

    Attributes:
        stimuli: S, number of published stimuli.
        rows: height of the published map, in cells.
        columns: width of the published map, in cells.
        cap: m, the largest count of a person per cell.
        max_samples: T, the most samples of a person per stimulus; None for no bound.
        max_stimuli: M, on how many stimuli a person may count.
        assignment_public: whether who saw which stimulus is public.
        neighbours: the neighbouring relation.
        noise: "gaussian" or "laplace".
        calibration: "exact", or "liu2019" for σ of the paper's Theorem 3.4.
        blur_px: σ_b of the heatmap's blur, in pixels of the screen.
        people: n, public under replace-one; None under add-remove-one.
    """

    stimuli: int
    rows: int
    columns: int
    cap: int
    max_samples: int | None
    max_stimuli: int
    assignment_public: bool
    neighbours: Neighbours
    noise: str
    calibration: str
    blur_px: float
    people: int | None

    def sensitivity(self) -> Sensitivity:
        """Return the sensitivity of all maps of the output together."""
        return gaze_maps(
            cells=self.rows * self.columns,
            cap=self.cap,
            max_samples=self.max_samples,
            stimuli=self.stimuli,
            max_stimuli=self.max_stimuli,
            assignment_public=self.assignment_public,
            neighbours=self.neighbours,
        )


def calibrate(parameters: GazeMapParameters, budget: Budget) -> RoundedGaussian | DiscreteLaplace:
    """Return the event of the output: exact calibration, or the paper's σ where that is sufficient.

    Raises:
        PolicyError: the paper's σ does not keep what it promises (Liu et al. 2019, Theorem 3.4).
    """
    count = parameters.stimuli * parameters.rows * parameters.columns
    exact = calibrated(parameters.noise, parameters.sensitivity(), budget, count=count)
    if parameters.calibration != LIU2019 or parameters.noise != GAUSSIAN:
        return exact
    cells = parameters.rows * parameters.columns
    sigma = liu2019_sigma(budget.epsilon, budget.delta, cap=parameters.cap, pixels=cells)
    true_delta = gaussian_delta(budget.epsilon, sigma=sigma, sensitivity=exact.sensitivity)
    if true_delta > budget.delta:
        raise PolicyError(
            "insufficient-calibration",
            "the noise of Liu et al. 2019, Theorem 3.4, is not sufficient here",
            found=f"σ = {sigma:.6g} gives δ = {true_delta:.3g} per person at ε = {budget.epsilon:g}",
            expected=f"δ ≤ {budget.delta:.3g}, which takes σ = {exact.scale:.6g}",
            remedy='leave out calibration = "liu2019"',
        )
    return RoundedGaussian(float(exact.sensitivity), sigma, count)


def release(
    gaze: Gaze, parameters: GazeMapParameters, budget: Budget, *, random: WordSource
) -> tuple[dict[tuple[str, ...], NDArray[np.generic]], RoundedGaussian | DiscreteLaplace]:
    """Return, for every stimulus, the noised integer map and the heatmap derived from it.

    Args:
        gaze: points of all people.
        parameters: the public parameters.
        budget: ε and δ of the whole output, for a person.
        random: where the noise comes from.

    Returns:
        Arrays of shape (rows, columns) under (stimulus, "noised") and (stimulus, "heatmap"), and the event.

    Raises:
        PolicyError: the calibration is refused.
    """
    noisy, event = draw(collect(gaze, parameters), parameters, budget, random=random)
    return maps_of(noisy, gaze.stimuli, parameters, gaze.screen), event


def collect(gaze: Gaze, parameters: GazeMapParameters) -> Sums:
    """Return what some people contribute."""
    return Sums({"maps": contributions(gaze, parameters)})


def draw(
    collected: Sums, parameters: GazeMapParameters, budget: Budget, *, random: WordSource
) -> tuple[NDArray[np.int64], RoundedGaussian | DiscreteLaplace]:
    """Return everybody's maps with noise, counts, shape (S, rows, columns), and the event."""
    event = calibrate(parameters, budget)
    largest = 2**40 if parameters.people is None else parameters.people * parameters.cap
    return noised(collected["maps"], event, largest=largest, random=random), event


def maps_of(
    noisy: NDArray[np.integer], stimuli: Sequence[str], parameters: GazeMapParameters, screen: Screen
) -> dict[tuple[str, ...], NDArray[np.generic]]:
    """Return the arrays of some stimuli, each from its own noised map of counts, shape (s, rows, columns)."""
    size = (screen.width_px, screen.height_px)
    values: dict[tuple[str, ...], NDArray[np.generic]] = {}
    for stimulus, own in zip(stimuli, noisy, strict=True):
        heatmap = derived.heatmap(own, people=parameters.people, blur_px=parameters.blur_px, screen_px=size)
        values[stimulus, "noised"], values[stimulus, "heatmap"] = own, stored(heatmap)
    return values


def contributions(gaze: Gaze, parameters: GazeMapParameters) -> NDArray[np.int64]:
    """Return the sum of these people's bounded gaze maps, counts, shape (stimuli, rows, columns); all of their rows are there.

    Cost grows with the samples, not with people × cells.
    """
    place, count = cell_counts(gaze, parameters)
    totals = np.zeros((parameters.stimuli, parameters.rows, parameters.columns), dtype=np.int64)
    np.add.at(totals.reshape(-1), place, np.minimum(count, parameters.cap))
    return totals


def cell_counts(gaze: Gaze, parameters: GazeMapParameters) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return everybody's counts that are not zero, before the cap: the cell among those of all stimuli, and how many, shape (C,) each."""
    cells = parameters.rows * parameters.columns
    row = counted_rows(gaze, max_stimuli=parameters.max_stimuli, max_samples=parameters.max_samples)
    cell = gaze.screen.cells(gaze.x_px[row], gaze.y_px[row], columns=parameters.columns, rows=parameters.rows)
    place = gaze.stimulus[row] * cells + cell
    key, count = np.unique(gaze.person[row] * (parameters.stimuli * cells) + place, return_counts=True)
    return key % (parameters.stimuli * cells), count.astype(np.int64)
