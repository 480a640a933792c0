"""Contributions to spectral heatmaps against the definition, person by person, in floating point."""

from __future__ import annotations

import math
from typing import Any

import made
import numpy as np
import pytest

from synthrelease.data.gaze import GazeData
from synthrelease.data.screen import Screen
from synthrelease.kinds.heatmap.map_sums import contributions
from synthrelease.kinds.heatmap.public import SpectralParameters
from synthrelease.kinds.stimuli import DURATION, SAMPLES
from synthrelease.numerics.spectral import CONSTANT_STEPS, RADIUS, SpectralForm

SCREEN = Screen(80, 60)
STILL = SpectralForm((0.2, 0.15), (4, 5))
MOVING = SpectralForm((0.3, 0.25, 0.2), (3, 4, 5))


def parameters(**changes: Any) -> SpectralParameters:
    usual = {"stimuli": 3, "form": STILL, "max_stimuli": 3, "people": 1, "screen": SCREEN}
    return made.spectral(**{**usual, **changes}).parameters


def one_person(rows: np.ndarray, label: str = "someone") -> GazeData:
    """Rows of (stimulus, x, y, time, duration)."""
    seen = np.zeros((1, 3), dtype=np.bool_)
    seen[0, rows[:, 0].astype(int)] = True
    person = np.zeros(len(rows), dtype=np.int64)
    return GazeData(
        SCREEN,
        ("a", "b", "c"),
        1,
        seen,
        person,
        rows[:, 0].astype(np.int64),
        rows[:, 1],
        rows[:, 2],
        rows[:, 3],
        rows[:, 4].astype(np.int64),
        (label,),
    )


def by_definition(rows: np.ndarray, p: SpectralParameters) -> np.ndarray:
    """Σ w·Πcos·H^a·R/C of every stimulus, clipped: science.md 2.5, steps 1 and 2."""
    band, out = p.form.band, np.zeros((3, p.form.band.count))
    h = band.attenuation**p.form.exponent
    weight_of = h * RADIUS / (p.form.clip * math.sqrt((h[1:] ** 2).sum()))
    weight_of[0] = CONSTANT_STEPS
    for stimulus in range(3):
        own = rows[rows[:, 0] == stimulus]
        if p.window is not None:
            own = own[(own[:, 3] >= p.window[0]) & (own[:, 3] <= p.window[1])]
        weight = own[:, 4] if p.weight == DURATION else np.ones(len(own))
        if not weight.sum():
            continue
        places = [own[:, 2] / 60, own[:, 1] / 80]
        if p.window is not None:
            places.insert(0, (own[:, 3] - p.window[0]) / (p.window[1] - p.window[0]))
        for number, ks in enumerate(band.frequencies.T):
            product = weight / weight.sum()
            for k, s in zip(ks, places, strict=True):
                product = product * (math.sqrt(2) * np.cos(math.pi * k * s) if k else 1.0)
            out[stimulus, number] = product.sum() * weight_of[number]
    norms = np.full(3, np.linalg.norm(out)) if p.joint else np.linalg.norm(out, axis=1)
    return out * np.minimum(1, RADIUS / np.maximum(norms, 1e-9))[:, None]


@pytest.mark.parametrize("joint", [True, False])
@pytest.mark.parametrize("weight", [SAMPLES, DURATION])
@pytest.mark.parametrize("form", [STILL, MOVING], ids=["still", "moving"])
def test_a_contribution_is_that_of_the_definition(form: SpectralForm, weight: str, *, joint: bool) -> None:
    rng = np.random.default_rng(3)
    p = parameters(form=form, weight=weight, joint=joint, window=(1.0, 4.0) if form is MOVING else None)
    for size in (1, 5, 40):
        rows = np.column_stack(
            [
                rng.integers(0, 3, size),
                rng.uniform(0, 80, size),
                rng.uniform(0, 60, size),
                rng.uniform(0, 5, size),
                rng.integers(0, 300, size),
            ]
        )
        found = contributions(one_person(rows), p)
        expected = by_definition(rows, p)
        # Positions are steps of 1/8192, cosines whole numbers, and what is left is cut toward zero.
        np.testing.assert_allclose(found, expected, atol=2e-3 * RADIUS)


@pytest.mark.parametrize("time", [0.99, 4.01, -5.0, 1e9])
def test_what_lies_outside_the_window_does_not_count(time: float) -> None:
    p = parameters(form=MOVING, window=(1.0, 4.0))
    inside = np.array([[0, 10.0, 10.0, 1.0, 1], [0, 70.0, 50.0, 4.0, 1]])
    outside = np.array([[0, 40.0, 30.0, time, 1], [1, 40.0, 30.0, time, 1]])
    together = np.concatenate([inside, outside])
    np.testing.assert_array_equal(
        contributions(one_person(together), p), contributions(one_person(inside), p)
    )
    assert not contributions(one_person(outside), p).any()


def test_on_which_stimuli_someone_counts_their_label_decides_and_no_one_is_left_out() -> None:
    """Everyone saw all three, and counts on one: a third of the people on each."""
    rows = np.array([[s, 10.0, 10.0, 0.0, 1] for s in range(3)])
    p = parameters(max_stimuli=1)
    counted = np.zeros(3)
    for number in range(300):
        constants = contributions(one_person(rows, f"p{number}"), p)[:, 0]
        assert np.count_nonzero(constants) == 1
        counted += constants > 0
    assert (np.abs(counted - 100) < 6.2 * math.sqrt(300 * 2 / 9)).all()
