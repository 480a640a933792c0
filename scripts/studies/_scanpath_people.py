"""People whose scanpaths the study releases: eye-tracked ones, bootstraps of them, and pointers; and the mechanism for them.

Nothing here is private. Whatever was chosen was chosen on images 1041–1060 of OSIE and 1001–1010 of the pointers.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from studies._osie_mouse import SCREEN, pointer_samples, with_trials_of
from synthrelease.data.gaze import GazeData, load_gaze
from synthrelease.data.in_memory import InMemoryFrame
from synthrelease.data.screen import BLUR_SHARE
from synthrelease.data.source import Source
from synthrelease.dp.budget import GAUSSIAN
from synthrelease.dp.guarantee import Neighbours
from synthrelease.kinds.heatmap.public_maps import GAZE, MAPS, PublicMaps
from synthrelease.kinds.scanpaths.dynamics import norm_for
from synthrelease.kinds.scanpaths.dynamics_prior import dynamics_prior
from synthrelease.kinds.scanpaths.mechanism import SyntheticScanpaths
from synthrelease.kinds.scanpaths.public import ScanpathParameters
from synthrelease.prepare import fixations

EYES_S, POINTERS_S = 3.0, 4.5  # viewing times: OSIE's, and longer than any trial of the pointers
_COLUMNS = {"x": "x_px", "y": "y_px", "duration": "duration_ms"}


def eye_tracked(folder: Path, images: Sequence[int]) -> GazeData:
    """Return the fixations of OSIE's 15 people on images."""
    return load_gaze(
        folder / "osie" / "fixations_tidy.csv.gz",
        columns={"person": "observer", "stimulus": "image", **_COLUMNS},
        screen=SCREEN,
        stimuli=[f"{image}.jpg" for image in images],
        off_screen="drop",
    )


def pointers(folder: Path) -> GazeData:
    """Return fixations of the pointer of everyone on all 20 images, by the package's own `prepare`: a dot that people move to what they want to see sharply."""
    table = fixations(pointer_samples(folder)).drop_nulls("duration_ms")
    name = "fixations of the pointer"
    frame = InMemoryFrame.of(table.sort("person", "stimulus", "onset_ms"), name)
    return load_gaze(
        Source(Path(name), frame=frame),
        columns={"person": "person", "stimulus": "stimulus", **_COLUMNS},
        screen=SCREEN,
    )


def resampled(gaze: GazeData, people: int, seed: int) -> GazeData:
    """Return made-up people: of each, half of the trials are one participant's, and each other one is of a participant at random."""
    random = np.random.default_rng([seed, people])
    stimuli = len(gaze.stimuli)
    home = random.integers(0, gaze.people, people)
    source = np.where(
        random.random((people, stimuli)) < 0.5,
        home[:, None],
        random.integers(0, gaze.people, (people, stimuli)),
    )
    return with_trials_of(gaze, source)


def mechanism_for(
    gaze: GazeData,
    *,
    seconds: float = EYES_S,
    flat: float = 0.15,
    scanpaths: int = 100,
    public: NDArray[np.int32] | None = None,
    most: int | None = None,
) -> SyntheticScanpaths:
    """Return the mechanism that a plan with the defaults has for people whose assignment is public.

    Args:
        gaze: of the people.
        seconds: viewing time.
        flat: of coordinates, `prior_flat`.
        scanpaths: to draw of each stimulus.
        public: maps of the stimuli, as coefficients in steps, if maps start from them.
        most: `max_stimuli_per_person`; as many as the person with most has if None.
    """
    trials = most or int(gaze.assigned.sum(axis=1).max())
    seen = np.minimum(1.0, trials / gaze.assigned.sum(axis=1)) @ gaze.assigned
    parameters = ScanpathParameters(
        name="gravity",
        people=gaze.people,
        names="listed",
        max_stimuli_per_person=trials,
        assignment_public=True,
        screen=gaze.screen,
        stimuli=gaze.stimuli,
        rows=60,
        columns=80,
        blur_px=BLUR_SHARE * gaze.screen.width_px,
        exponent=1.25,
        clip=0.35,
        prior="centre" if public is None else MAPS,
        maps=None if public is None else PublicMaps("0" * 64, GAZE, 1),
        viewers=tuple(np.rint(seen).astype(int).tolist()),
        viewing_time_s=seconds,
        prior_flat=flat,
        prior_sha256=dynamics_prior(flat).sha256,
        dynamics_share=0.4,
        norm=norm_for(trials, seconds),
        scanpaths=scanpaths,
        sampling_seed=0,
    )
    return SyntheticScanpaths(
        parameters=parameters,
        neighbours=Neighbours.REPLACE_ONE,
        noise=GAUSSIAN,
        duration_unit="ms",
        public_maps=public,
    )
