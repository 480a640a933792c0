"""Saccades take the time that they take on the declared screen, and on one of a usual width where none is declared."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from gaze_release import OUTPUT, gaze_bundle
from scanpath_study import HEIGHT, WIDTH

from synthrelease.data.screen import Screen


@pytest.mark.parametrize(
    ("screen", "px_per_degree"),
    [
        (Screen(WIDTH, HEIGHT), WIDTH / 34),
        (Screen(WIDTH, HEIGHT, width_mm=100.0, distance_mm=700.0), 97.74),
        (Screen(WIDTH, HEIGHT, width_mm=3000.0, distance_mm=700.0), 3.258),
    ],
)
def test_saccades_take_the_time_of_their_degrees(
    tmp_path: Path, screen: Screen, px_per_degree: float
) -> None:
    model = replace(gaze_bundle(tmp_path).model(OUTPUT), screen=screen)
    path = model.sample("sea", scanpaths=20)
    x, y, onset, duration = path.select("x_px", "y_px", "onset_ms", "duration_ms").to_numpy().T
    follows = np.diff(path["scanpath"].to_numpy()) == 0
    between = (onset[1:] - onset[:-1] - duration[:-1])[follows]
    amplitude = np.hypot(np.diff(x), np.diff(y))[follows] / px_per_degree
    assert np.abs(between - 21 - 2.2 * amplitude).max() < 1.5  # both are whole
