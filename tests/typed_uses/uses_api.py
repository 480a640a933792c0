"""A program of a user, for type checkers. It is never run."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

import synthrelease
from synthrelease import (
    Areas,
    Features,
    Gaze,
    Heatmap,
    OtherOutput,
    People,
    Plan,
    Privacy,
    Records,
    ReleaseInfo,
    Scanpaths,
    Screen,
    Signals,
    Statistics,
    arrays,
)

points = pl.DataFrame({"who": ["a", "b"], "image": ["1", "1"], "x": [1.0, 2.0], "y": [1.0, 2.0]})

plan = Plan(
    release=ReleaseInfo(name="study", version="1", title="A study", license="CC0-1.0"),
    privacy=Privacy(epsilon=1, delta=1e-6, ledger=Path("ledger.sqlite"), dataset="study"),
    inputs={
        "gaze": Gaze(
            points,
            columns={"person": "who", "stimulus": "image", "x": "x", "y": "y"},
            screen=(800, 600),
            stimuli=["1"],
            assume_public=["assignment"],
            missing=[-1, "n/a"],
            only={"kind": ["Fixation"]},
            valid={"confidence": (0.6, 1.0)},
        ),
        "file": Gaze(Path("gaze.csv"), columns={"person": "p", "x": "x", "y": "y"}, screen=Screen(80, 60)),
        "pupil": Features(
            "pupil.csv", columns={"person": "who", "recording": "task"}, bounds={"pupil_mm": (1.5, 8)}
        ),
    },
    outputs=[
        Heatmap(name="maps", input="gaze", blur_px=24, cap="private", caps=[1, 2, 3]),
        Areas(input="gaze", areas={"left": {"rectangle": [0, 0, 400, 600]}}, transitions=True),
        Scanpaths(input="gaze", viewing_time_s=5, prior_flat=0.15),
        Signals(length=100, mechanism="fpa", coefficients="private"),
        Records(input="pupil", model="seeded", resampled=[1, 2]),
        Records(name="trials", input="gaze", model="seeded", tokens={"fixations": 12, "kept": [0, 1]}),
        People(windows=20, lattice={"blink_count": 1}),
        Statistics(input="gaze", statistics=["mean"], bounds={"fixation_count": (0, 20)}),
        OtherOutput(kind="saccades", amplitude=3),
    ],
)
epsilon: float = plan.privacy.epsilon
first = plan.outputs[0]
name: str | None = first.name
if isinstance(first, Heatmap):
    blur_px: float | None = first.blur_px
text: str = plan.to_toml()
again: Plan = Plan.from_toml(Path("plan.toml"))
view = plan.preview(html="preview.html")
built = plan.build("study.h5", jobs=2)
where: Path = built.path
for source in (plan, "plan.toml", Path("plan.toml"), plan.document()):
    synthrelease.build(source, "study.h5")
    synthrelease.preview(source, policy="policy.toml")
    synthrelease.dry_run(source)
    synthrelease.evaluate(source, built.path)

maps = arrays.heatmaps(
    person=points["who"],
    stimulus=np.array(["1", "1"]),
    x_px=points["x"],
    y_px=points["y"],
    screen=(800, 600),
    stimuli=["1"],
    epsilon=1,
    delta=1e-6,
    blur_px=24,
    mechanism="spectral",
    window=(0, 2.5),
)
density = maps["heatmap"] / 2
together: float | None = arrays.compose([maps], delta=1e-6).epsilon
