"""Directions of gaze shifts: what people contribute. Loaded where something is built."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from gaze_directions.public import DirectionParameters
from synthrelease.data.facts import Facts
from synthrelease.data.gaze import GazeData
from synthrelease.data.input_spec import InputSpec
from synthrelease.data.screen import Screen
from synthrelease.dp.budget import Budget
from synthrelease.dp.event import Event, noise_of
from synthrelease.dp.guarantee import Neighbours
from synthrelease.kinds.contributions import Sums
from synthrelease.kinds.counted_rows import counted_rows
from synthrelease.kinds.measured import measured_rows
from synthrelease.kinds.mechanism import Mechanism
from synthrelease.kinds.output_spec import OutputSpec
from synthrelease.kinds.preparing import counted_stimuli, names_source, people_if_public
from synthrelease.numerics.binning import integer_shares
from synthrelease.numerics.steps import HALF_RANGE


@dataclass(frozen=True, kw_only=True)
class Directions(Mechanism[DirectionParameters]):
    """Proportions of directions, one unit divided by each person on each stimulus."""

    def collect(self, data: GazeData) -> Sums:
        """Return the sum of what these people divide, shape (stimuli, directions)."""
        p = self.parameters
        row = counted_rows(data, max_stimuli=p.max_stimuli_per_person, max_samples=None)
        of = data.person[row] * len(p.stimuli) + data.stimulus[row]  # in increasing order
        dx, dy = np.diff(data.x_px[row]), np.diff(data.y_px[row])
        here = np.flatnonzero((of[1:] == of[:-1]) & ((dx != 0) | (dy != 0)))
        angle = np.arctan2(dy[here], dx[here]) / (2 * math.pi)
        direction = np.round(angle * p.directions).astype(np.int64) % p.directions
        totals = np.zeros((len(p.stimuli), p.directions), dtype=np.int64)
        key, counts = np.unique(of[here] * p.directions + direction, return_counts=True)
        owner, place = np.divmod(key, p.directions)
        np.add.at(totals, (owner % len(p.stimuli), place), integer_shares(owner, counts, HALF_RANGE))
        return Sums({"noisy": totals})

    def measured(self, data: GazeData) -> dict[str, int]:
        """Return how many rows there are."""
        return measured_rows(data, weighted=False)

    def prediction(self, event: Event, budget: Budget | None, people: int | None) -> tuple[str, str]:  # noqa: ARG002
        """Return the standard deviation of a proportion's noise, and how many people make it five points."""
        noise = noise_of(event)
        assert noise is not None
        each = noise.standard_deviation / HALF_RANGE
        needed = f"{math.ceil(each / 0.05)} on each stimulus for proportions ± 5 percentage points"
        if people is None:
            return f"the noise of a proportion is as large as {each:.3g} participants' shifts", needed
        return f"proportions ± {100 * each / people:.3g} percentage points if all participants shift", needed


def prepare(spec: OutputSpec, source: InputSpec, facts: Facts, neighbours: Neighbours) -> Directions:
    """Fill in the public parameters."""
    most, _ = counted_stimuli(spec, source, facts, neighbours)
    parameters = DirectionParameters(
        name=spec.options["noise"],
        people=people_if_public(facts, neighbours),
        names=names_source(source),
        max_stimuli_per_person=most,
        assignment_public="assignment" in source.options["assume_public"],
        screen=Screen(**source.options["screen"]),
        stimuli=tuple(facts.names),
        directions=spec.options["directions"],
    )
    return Directions(parameters=parameters, neighbours=neighbours, noise=spec.options["noise"])
