"""The variants that detectors look at: few integers, so that the worst case is likely enough to be seen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from variants.gaze_maps import GazeMapVariant, gaze_map_parameters
from variants.people import GAUSSIAN, LAPLACE, Person
from variants.signals import signal_variant
from variants.small import small_ones
from variants.spectral_maps import spectral_variant
from variants.statistics import StatisticsVariant

from synthrelease.dp.budget import Budget
from synthrelease.numerics.signal_form import CFPA, DCFPA, LPA


@dataclass(frozen=True, eq=False)
class Moderate(StatisticsVariant):
    """Statistics of people of whom none but adversaries come near the bounds."""

    def ordinary(self, count: int, seed: int = 0) -> list[Person]:
        people = super().ordinary(count, seed)
        return [Person(np.column_stack([one.rows[:, :1], 0.4 * one.rows[:, 1:]])) for one in people]


LOOSE = Budget(1.0, 0.02)
_ONE = {"features": 1, "recordings": 1, "budget": LOOSE}
_named = {variant.name: variant for variant in small_ones()}

areas_gaussian = _named["areas-gaussian-replace-one"]
histogram = _named["statistics-histogram-replace-one"]
moderate = Moderate(**histogram.__dict__ | {"name": "statistics-of-moderate-people"})
records = _named["records"]
records_gaussian = _named["records-tree-gaussian"]
one_cell = _named["heatmap-laplace-replace-one"]
added_heatmap = _named["heatmap-gaussian-add-remove-one"]
two_steps = _named["signals-lpa-laplace-mean"]
two_stimuli = GazeMapVariant(
    "heatmap-two-stimuli",
    LAPLACE,
    gaze_map_parameters(stimuli=2, max_stimuli=2, max_samples=1, rows=2, columns=2),
    LOOSE,
)
full_cells = GazeMapVariant(
    "heatmap-full-cells",
    LAPLACE,
    gaze_map_parameters(stimuli=1, max_stimuli=1, max_samples=None, rows=1, columns=2),
    LOOSE,
)
three_coefficients = signal_variant("signals-fpa-three", LAPLACE, length=9, frequencies=2, **_ONE)
chunks = signal_variant(
    "signals-cfpa-three-chunks", LAPLACE, mechanism=CFPA, length=9, chunk=4, frequencies=1, **_ONE
)
changes = signal_variant(
    "signals-dcfpa-full-band", GAUSSIAN, mechanism=DCFPA, length=8, chunk=4, frequencies=3, **_ONE
)
steps = signal_variant("signals-lpa-steps", GAUSSIAN, mechanism=LPA, length=6, **_ONE)
clipped = signal_variant("signals-fpa-clipped", LAPLACE, length=9, frequencies=1, clip=0.3, **_ONE)
clipped_five = signal_variant("signals-fpa-clipped-five", GAUSSIAN, length=9, frequencies=3, clip=0.3, **_ONE)
averaged = signal_variant("signals-fpa-averaged", GAUSSIAN, length=9, frequencies=3, **_ONE)
blurred = spectral_variant("spectral-maps", stimuli=2, max_stimuli=2, budget=LOOSE, attained=0.5)
