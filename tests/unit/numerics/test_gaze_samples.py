"""Samples of scanpaths: saccades lead from place to place as fast as they should, and our own detection finds the fixations again."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from synthrelease.data.screen import Screen
from synthrelease.numerics.gaze_samples import Samples, samples
from synthrelease.numerics.public_draws import PublicDraws
from synthrelease.prepare import Settings, fixations, load_samples

PX_PER_DEGREE = 24.0
WIDTH, HEIGHT, DISTANCE_MM = 800, 600, 700.0


def scanpath(seed: int, count: int = 9) -> np.ndarray:
    """Places in pixels, onsets and durations of fixations, with the time that saccades take between them."""
    random = np.random.default_rng(seed)
    x, y = random.uniform(80, 720, count), random.uniform(60, 540, count)
    duration = random.gamma(5.0, 50.0, count) + 60
    amplitude = np.hypot(np.diff(x), np.diff(y)) / PX_PER_DEGREE
    onset = np.concatenate([[0.0], np.cumsum(duration[:-1] + 21 + 2.2 * amplitude)])
    return np.stack([x, y, onset, duration], axis=1)


def rendered(seed: int, hz: float, *, blinks: float = 0.0) -> Samples:
    return samples(
        scanpath(seed), hz=hz, px_per_degree=PX_PER_DEGREE, blinks_per_minute=blinks, random=PublicDraws(seed)
    )


def test_samples_begin_with_the_first_fixation_and_end_with_the_last() -> None:
    made, path = rendered(1, 500.0), scanpath(1)
    assert made.time_ms[0] == 0
    assert np.allclose(np.diff(made.time_ms), 2.0)
    assert made.time_ms[-1] == pytest.approx(path[-1, 2] + path[-1, 3], abs=4.0)
    for x, y, onset, duration in path:
        here = (made.time_ms >= onset) & (made.time_ms < onset + duration)
        assert made.is_fixation[here].all()
        assert np.hypot(made.x_px[here].mean() - x, made.y_px[here].mean() - y) < 0.1 * PX_PER_DEGREE


def test_a_saccade_is_skewed_and_as_fast_as_the_main_sequence_says() -> None:
    """10 degrees in 43 ms: with a peak of about 1.875·A/D, before the middle."""
    path = np.array([[200.0, 300.0, 0.0, 200.0], [440.0, 300.0, 243.0, 200.0]])
    made = samples(path, hz=2000.0, px_per_degree=PX_PER_DEGREE, blinks_per_minute=0.0, random=PublicDraws(1))
    moving = np.flatnonzero(~made.is_fixation)
    smooth = np.convolve(made.x_px / PX_PER_DEGREE, np.ones(9) / 9, mode="same")[moving]
    velocity = np.diff(smooth) * 2000
    assert velocity.max() == pytest.approx(1.875 * 10 / 0.043, rel=0.1)
    assert 0.38 < velocity.argmax() / velocity.size < 0.5


def test_a_still_eye_is_as_fast_at_every_rate() -> None:
    """Noise is stated as a velocity, and drift has no frequencies above 100 Hz: else 4000 Hz would look twice as fast as 500."""
    still = np.array([[400.0, 300.0, 0.0, 400.0]])
    speeds = []
    for hz in (500.0, 4000.0):
        made = [
            samples(
                still, hz=hz, px_per_degree=PX_PER_DEGREE, blinks_per_minute=0.0, random=PublicDraws(seed)
            )
            for seed in range(20)
        ]
        speeds.append(np.std([np.diff(one.x_px) * hz for one in made]) / PX_PER_DEGREE)
    assert speeds[1] == pytest.approx(speeds[0], rel=0.1)
    assert speeds[0] < 12  # degrees a second: far from a saccade


def test_samples_begin_when_the_first_fixation_does() -> None:
    late = scanpath(1)
    late[:, 2] += 500
    made = samples(late, hz=250.0, px_per_degree=PX_PER_DEGREE, blinks_per_minute=0.0, random=PublicDraws(1))
    assert made.time_ms[0] == 500
    np.testing.assert_array_equal(made.x_px, rendered(1, 250.0).x_px)


@pytest.mark.parametrize("hz", [60.0, 250.0, 500.0, 1000.0])
def test_fixations_are_found_again(hz: float) -> None:
    """95 % of those of at least 110 ms, within half a degree, at the rates of research trackers."""
    width_mm = float(2 * DISTANCE_MM * np.tan(np.radians(WIDTH / PX_PER_DEGREE / 2)))
    screen = Screen(WIDTH, HEIGHT, width_mm=width_mm, distance_mm=DISTANCE_MM)
    found = total = 0
    for seed in range(12):
        made, path = rendered(seed, hz), scanpath(seed)
        table = pl.DataFrame({"who": "p", "page": "q", "t": made.time_ms, "x": made.x_px, "y": made.y_px})
        loaded = load_samples(
            table,
            columns={"person": "who", "stimulus": "page", "x": "x", "y": "y", "time": "t"},
            screen=screen,
            time_unit="ms",
        )
        events = fixations(loaded, Settings())
        long = path[path[:, 3] >= 110]
        apart = np.hypot(
            long[:, :1] - events["x_px"].to_numpy(), long[:, 1:2] - events["y_px"].to_numpy()
        ).min(axis=1)
        found += int((apart < 0.5 * PX_PER_DEGREE).sum())
        total += len(long)
    assert found >= (0.95 if hz >= 250 else 0.85) * total


def test_blinks_are_gaps_at_the_rate_that_is_asked_for() -> None:
    gone = sum(int(np.isnan(rendered(seed, 250.0, blinks=30.0).x_px).sum()) for seed in range(60))
    seconds = sum(rendered(seed, 250.0).time_ms[-1] for seed in range(60)) / 1000
    assert gone / 250 == pytest.approx(30 / 60 * 0.15 * seconds, rel=0.4)
    assert not np.isnan(rendered(0, 250.0).x_px).any()


def test_the_same_seed_has_the_same_samples() -> None:
    np.testing.assert_array_equal(rendered(3, 120.0).x_px, rendered(3, 120.0).x_px)
    assert (rendered(3, 120.0).x_px != rendered(4, 120.0).x_px[: rendered(3, 120.0).x_px.size][0]).any()


def test_a_single_fixation_has_samples() -> None:
    path = np.array([[10.0, 20.0, 0.0, 90.0]])
    made = samples(path, hz=60.0, px_per_degree=PX_PER_DEGREE, blinks_per_minute=0.0, random=PublicDraws(1))
    assert made.is_fixation.all()
    assert made.x_px.size == 5
