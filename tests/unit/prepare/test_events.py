"""Fixations and saccades are those of invented eyes, of a plain loop, and of each recording by itself."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from invented_samples import SCREEN, in_pixels, positions, read, recording, rows, scan_of
from refusals import bad_argument

from synthrelease.prepare import Settings, fixations, saccades, windows
from synthrelease.prepare.events import fixations_of, motion_of, saccades_of
from synthrelease.prepare.recordings import stretches_of

NOISE_DEG = 0.01


def invented(hz, seed=5, rests=30):
    random = np.random.default_rng(seed)
    scan = scan_of(random, rests)
    time, degrees = positions(scan, hz, noise_deg=NOISE_DEG, random=random)
    return scan, rows("p1", "a", time, degrees)


@pytest.mark.parametrize("hz", [60, 120, 250, 500, 1000])
def test_fixations_are_where_and_when_the_eye_rests(hz):
    scan, frame = invented(hz)
    found = fixations(read(frame))
    assert found.columns == ["person", "stimulus", "onset_ms", "duration_ms", "x_px", "y_px"]
    assert found.height == 30
    interval = 1000 / hz
    # Beginnings and ends of jumps are slower than the threshold for a few ms, and one or two samples are not resolved.
    slack = 10 + 2 * interval
    assert np.abs(found["onset_ms"].to_numpy() - scan.onsets_ms).max() <= slack
    assert np.abs(found["duration_ms"].to_numpy() - scan.rests_ms).max() <= slack + interval
    places = in_pixels(scan.places_deg)
    # A degree is 33.5 px: a twentieth, of the slow beginnings of jumps, and noise.
    assert np.abs(found.select("x_px", "y_px").to_numpy() - places).max() < 0.05 * SCREEN.pixels_per_degree


@pytest.mark.parametrize(("hz", "short_deg"), [(250, 0.2), (500, 0.25), (1000, 0.15)])
def test_saccades_are_as_large_and_as_fast_as_the_eye_jumps(hz, short_deg):
    scan, frame = invented(hz)
    found = saccades(read(frame))
    assert found.height == 29
    amplitude = found["amplitude_deg"].to_numpy()
    assert (scan.amplitudes_deg - amplitude).min() > -0.05
    assert (scan.amplitudes_deg - amplitude).max() < short_deg
    # The least jerk has 15/8 of the mean velocity at its fastest; a velocity over some samples is lower.
    peak = 15 / 8 * scan.amplitudes_deg / scan.jumps_ms * 1000
    share = found["peak_velocity_deg_per_s"].to_numpy() / peak
    assert share.min() > 0.75
    assert share.max() < 1.1
    begin, end = in_pixels(scan.places_deg[:-1]), in_pixels(scan.places_deg[1:])
    most = short_deg * SCREEN.pixels_per_degree * 1.1
    assert np.abs(found.select("x_start_px", "y_start_px").to_numpy() - begin).max() < most
    assert np.abs(found.select("x_end_px", "y_end_px").to_numpy() - end).max() < most
    onsets = scan.onsets_ms[1:] - scan.jumps_ms
    assert np.abs(found["onset_ms"].to_numpy() - onsets).max() < 8
    assert np.abs(found["duration_ms"].to_numpy() - scan.jumps_ms).max() < 12


def test_saccades_go_right_and_up_where_the_eye_does():
    scan, frame = invented(500)
    found = saccades_of(motion_of(stretches_of(read(frame))), Settings())
    right, down = np.diff(scan.places_deg, axis=0).T
    assert np.abs(found["right_deg"].to_numpy() - right).max() < 0.25
    assert np.abs(found["up_deg"].to_numpy() + down).max() < 0.25


def test_fixations_vary_as_their_samples_do():
    _, frame = invented(500)
    found = fixations_of(motion_of(stretches_of(read(frame))), Settings())
    for axis in ("x_var", "y_var"):
        assert found[axis].mean() == pytest.approx(NOISE_DEG**2, rel=0.1)


@pytest.mark.parametrize("hz", [60, 120])
def test_at_slow_rates_every_saccade_of_two_degrees_is_seen_and_too_small(hz):
    scan, frame = invented(hz)
    found = saccades(read(frame))
    middles = (found["onset_ms"] + found["duration_ms"] / 2).to_numpy()
    for end, jump, amplitude in zip(scan.onsets_ms[1:], scan.jumps_ms, scan.amplitudes_deg, strict=True):
        here = found.filter(np.abs(middles - end + jump / 2) < 1000 / hz)
        assert here.height == 1 or amplitude < 2
        # A jump begins and ends with a sample that is below the threshold.
        assert (amplitude - here["amplitude_deg"]).is_between(-0.05, 1.2).all()


def plain_runs(frame: pl.DataFrame, hz: float, velocity: float, shortest_ms: float, *, below: bool):
    """Runs of samples below or above a velocity from their neighbours, by a loop, gaps cut at rows without a position."""
    x, y, t = (frame[name].to_list() for name in "xyt")
    per_mm = SCREEN.width_px / SCREEN.width_mm
    place = [
        None
        if one < 0
        else np.degrees(
            np.arctan(
                np.array([one - SCREEN.width_px / 2, other - SCREEN.height_px / 2])
                / per_mm
                / SCREEN.distance_mm
            )
        )
        for one, other in zip(x, y, strict=True)
    ]
    found, run = [], []
    for i in range(len(t) + 1):
        inside = 0 < i < len(t) - 1 and all(place[j] is not None for j in (i - 1, i, i + 1))
        if inside:
            speed = np.hypot(*(place[i + 1] - place[i - 1])) * hz / 2
            inside = speed < velocity if below else speed > velocity
        if inside:
            run.append(i)
        elif run:
            if t[run[-1]] - t[run[0]] >= shortest_ms - 1e-3:
                found.append((t[run[0]], t[run[-1]] - t[run[0]]))
            run = []
    return found


def with_gaps(frame: pl.DataFrame, seed: int) -> pl.DataFrame:
    gone = np.random.default_rng(seed).random(frame.height) < 0.02
    return frame.with_columns(
        *(pl.when(pl.Series(gone)).then(-1.0).otherwise(pl.col(axis)).alias(axis) for axis in "xy")
    )


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("shortest", [(60, 8), (0.001, 0.001)])
def test_events_are_those_of_a_plain_loop(seed, shortest):
    frame = with_gaps(recording(seed, hz=120), seed)
    resting, jumping = shortest
    settings = Settings(velocity_deg_per_s=25, minimum_fixation_ms=resting, minimum_saccade_ms=jumping)
    for function, least, below in ((fixations, resting, True), (saccades, jumping, False)):
        found = function(read(frame), settings)
        expected = plain_runs(frame, 120, 25, least, below=below)
        assert len(expected) > 10
        assert np.allclose(found.select("onset_ms", "duration_ms").to_numpy(), expected, atol=1e-5)


@pytest.mark.parametrize("hz", [120, 500])
def test_no_row_depends_on_another_recording_or_person(hz):
    alone = [
        with_gaps(recording(number, who, page, hz=hz), number)
        for number, (who, page) in enumerate([("p1", "a"), ("p1", "b"), ("p2", "a")])
    ]
    # Another rate, and rows of all three mixed: time alone orders them.
    alone.append(recording(9, "p3", "a", hz=250))
    mixed = pl.concat(alone).sample(fraction=1, shuffle=True, seed=1)
    for function in (fixations, saccades):
        together = function(read(mixed, pupil="pupil"))
        assert together.equals(pl.concat(function(read(one, pupil="pupil")) for one in alone))


def test_nothing_bridges_a_gap():
    frame = recording(1, hz=500, rests=1).head(100)
    gap = frame.with_columns(pl.when(pl.col("t") == 100).then(-1.0).otherwise(pl.col("x")).alias("x"))
    whole, cut = fixations(read(frame)), fixations(read(gap), Settings(minimum_fixation_ms=50))
    # Of five samples that a velocity takes, two lie beyond the ends.
    assert whole.select("onset_ms", "duration_ms").rows() == [(4.0, 190.0)]
    assert cut.select("onset_ms", "duration_ms").rows() == [(4.0, 90.0), (106.0, 88.0)]


def test_pupils_are_means_over_the_fixation_of_samples_that_have_one():
    frame = recording(4, rests=3)
    broken = frame.with_columns(
        pl.when(pl.col("t") < 200).then(-1.0).otherwise(pl.col("pupil")).alias("pupil")
    )
    found = fixations(read(broken, pupil="pupil"))
    assert found.columns[-1] == "pupil_mean"
    assert found.height == 3
    for row in found.iter_rows(named=True):
        inside = pl.col("t").is_between(row["onset_ms"] - 1e-6, row["onset_ms"] + row["duration_ms"] + 1e-6)
        expected = broken.filter(inside & (pl.col("pupil") > 0))["pupil"].mean()
        assert row["pupil_mean"] == (None if expected is None else pytest.approx(expected))
    no_pupil = frame.with_columns(pl.lit(0.0).alias("pupil"))
    assert fixations(read(no_pupil, pupil="pupil"))["pupil_mean"].null_count() == 3


def test_of_no_events_a_recording_has_one_row_without_values_and_all_columns():
    nowhere = recording(1).with_columns(pl.lit(-1.0).alias("x"))
    for function in (fixations, saccades, lambda samples: windows(samples, Settings(window_s=2))):
        for options in ({}, {"pupil": "pupil"}):
            empty = function(read(nowhere, **options))
            time = empty.columns[2]
            assert empty.rows() == [("p1", "a", 0.0, *[None] * (empty.width - 3))], time
            assert empty.schema == function(read(recording(1), **options)).schema


@pytest.mark.parametrize("value", [0, -1, float("nan"), float("inf")])
def test_settings_are_above_0(value):
    with bad_argument(ValueError, "velocity_deg_per_s", value):
        Settings(velocity_deg_per_s=value)
