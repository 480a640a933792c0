"""Trials as exports read them from a dataset."""

from __future__ import annotations

import numpy as np
import pytest

from synthrelease.data.screen import Screen
from synthrelease.kinds.synthetic_gaze import SYNTHETIC, Rendering, SyntheticGaze

SCREEN = Screen(800, 600)
GAZE = SyntheticGaze(
    "scanpaths", ("sea", "sky"), SCREEN, 24.0, 2**63 - 1, "made up", ("they are not real", "nor alike.")
)
RENDERING = Rendering(500.0, 24.0)


def values(*trials: list[tuple[float, float, float, float]]) -> np.ndarray:
    """Trials of up to three fixations, as a bundle has them."""
    made = np.zeros((len(trials), 3, 4), dtype=np.float32)
    for place, rows in enumerate(trials):
        made[place, : len(rows)] = rows or np.zeros((0, 4))
    return made


def test_trials_without_a_fixation_are_left_out_and_others_keep_their_numbers() -> None:
    one = [(10.0, 20.0, 0.0, 100.0)]
    trials = list(GAZE.trials(1, 40, values(one, [], one)))
    assert [(trial.stimulus, trial.number, len(trial.fixations)) for trial in trials] == [
        ("sky", 41, 1),
        ("sky", 43, 1),
    ]


def test_saccades_are_what_is_between_fixations() -> None:
    (trial,) = GAZE.trials(0, 0, values([(10, 20, 0, 100), (50, 60, 130, 200), (0, 0, 355, 90)]))
    saccades = trial.saccades
    assert (saccades.onset_ms.tolist(), saccades.duration_ms.tolist()) == ([100, 330], [30, 25])
    assert (saccades.start_px.tolist(), saccades.end_px.tolist()) == (
        [[10, 20], [50, 60]],
        [[50, 60], [0, 0]],
    )


def test_samples_stay_on_the_screen_also_in_its_corners() -> None:
    (trial,) = GAZE.trials(0, 0, values([(0, 600, 0, 300), (800, 0, 350, 300)]))
    made = trial.samples(RENDERING)
    assert (made.x_px.min(), made.x_px.max()) == (0, SCREEN.width_px)
    assert (made.y_px.min(), made.y_px.max()) == (0, SCREEN.height_px)


@pytest.mark.parametrize("seed", [0, 2**63 - 1])
def test_every_trial_of_every_stimulus_has_noise_of_its_own(seed: int) -> None:
    """Keys of the generator are whole numbers of 64 bits: as floating-point ones many would be the same."""
    gaze = SyntheticGaze("scanpaths", ("sea", "sky"), SCREEN, 24.0, seed, "", ())
    still = values(*[[(400.0, 300.0, 0.0, 300.0)]] * 3)
    made = [
        t.samples(RENDERING).x_px
        for number in (0, 1)
        for first in (0, 10**6)
        for t in gaze.trials(number, first, still)
    ]
    assert len({tuple(x) for x in made}) == len(made) == 12


def test_the_notice_begins_with_what_everything_is() -> None:
    first, *rest = GAZE.notice.split(". ")
    assert first == SYNTHETIC
    assert len(rest) == len(GAZE.caveats)
    assert GAZE.notice.count(".") == 3
