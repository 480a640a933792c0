"""Released distributions of movements and fixations in their units, next to those of public data alone (`scanpaths.proof.md`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from synthrelease.kinds.dataset import Array
from synthrelease.kinds.distribution import ShownDistribution
from synthrelease.kinds.scanpaths.blocks import DURATIONS, SACCADES, TRIALS, TURNS
from synthrelease.kinds.scanpaths.chain_fits import Shown
from synthrelease.kinds.scanpaths.densities import expected_density
from synthrelease.kinds.scanpaths.dynamics_prior import dynamics_prior
from synthrelease.kinds.scanpaths.trials import TrialModel

_SHOWN = SACCADES, TURNS, DURATIONS, TRIALS
_HALF_TURN = 180.0  # degrees
_CERTAIN = 0.995  # of numbers of fixations: more are not drawn


def shown_distributions(shown: Shown, released: Callable[[str], Array]) -> Sequence[ShownDistribution]:
    """Return amplitudes, changes of direction, durations and numbers of fixations, in px, degrees, ms and numbers.

    Args:
        shown: what is public.
        released: returns a dataset of the release by its path below the output.
    """
    prior = dynamics_prior(shown.flat)
    both = [
        {block.name: released(f"{block.name}/density").astype(np.float64) for block in _SHOWN},
        {block.name: expected_density(block, prior.means) for block in _SHOWN},
    ]
    known = prior.coordinates
    amplitude, turn, duration = (
        [np.reshape(density[block.name], block.cells).sum(axis=other) for density in both]
        for block, other in ((SACCADES, 1), (TURNS, 0), (DURATIONS, ()))
    )
    numbers = [_numbers(shown, density) for density in both]
    most = int(np.searchsorted(np.cumsum(numbers[0] + numbers[1]) / 2, _CERTAIN)) + 1
    width = shown.screen.width_px
    return [
        ShownDistribution(
            "amplitude of saccades (px)", width * known["amplitude"].bins(SACCADES.cells[0]), *amplitude
        ),
        ShownDistribution("change of direction (°)", _HALF_TURN * known["turn"].bins(TURNS.cells[1]), *turn),
        ShownDistribution(
            "duration of fixations (ms)", known["duration_ms"].bins(DURATIONS.cells[0]), *duration
        ),
        ShownDistribution("fixations of a trial", np.arange(0.5, most + 1), *(one[:most] for one in numbers)),
    ]


def _numbers(shown: Shown, density: Mapping[str, Array]) -> Array:
    """The probability of each number of fixations, from 1."""
    trials = np.reshape(density[TRIALS.name], TRIALS.cells)
    model = TrialModel(shown.trial_form, trials, np.ravel(density[DURATIONS.name]))
    return np.asarray(model.numbers.sum(axis=1))
