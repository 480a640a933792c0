"""Recordings are cut where samples are missing, and refused where a velocity would mean nothing."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from goldens import figures
from invented_samples import COLUMNS, SCREEN, positions, read, recording, rows, scan_of
from refusals import refused

from synthrelease.data.chosen_rows import ChosenRows
from synthrelease.data.coordinates import Coordinates
from synthrelease.data.readers.reader import RowFilter
from synthrelease.errors import DataError
from synthrelease.prepare import load_samples
from synthrelease.prepare.events import blinks_of
from synthrelease.prepare.recordings import gaps_of, stretches_of


def still(time_ms, who="p1"):
    """Someone who looks at one place."""
    return rows(who, "a", np.asarray(time_ms, dtype=float), np.zeros((len(time_ms), 2)))


@pytest.mark.parametrize("hz", [50, 60, 90, 120, 250, 300, 500, 600, 1000])
@pytest.mark.parametrize("rounded", [False, True])
def test_the_rate_is_measured_and_nothing_is_cut_where_nothing_is_missing(hz, rounded):
    time = np.arange(2000) * 1000 / hz
    found = stretches_of(read(still(np.floor(time) if rounded else time)))
    assert found.interval_ns[0] == pytest.approx(1e9 / hz, rel=2e-3)
    assert found.seen.tolist() == list(range(2000))
    assert not found.stretch.any()


def test_a_sample_without_a_position_ends_a_stretch_whether_its_row_is_there_or_not():
    frame = still(np.arange(100) * 4.0)
    absent = frame.filter(~pl.col("t").is_in([40.0, 200.0]))
    empty = frame.with_columns(
        pl.when(pl.col("t").is_in([40.0, 200.0])).then(pl.lit(-1.0)).otherwise(pl.col("x")).alias("x")
    )
    for one in (absent, empty):
        found = stretches_of(read(one))
        assert np.bincount(found.stretch).tolist() == [10, 39, 49]
        assert found.seen_ns == (9 + 38 + 48) * 4_000_000
        gaps = gaps_of(found)
        assert gaps["onset_ns"].to_list() == [36_000_000, 196_000_000]
        assert gaps["offset_ns"].to_list() == [44_000_000, 204_000_000]
        assert gaps["missing_ns"].to_list() == [4_000_000] * 2


def test_an_empty_row_ends_a_stretch_even_where_the_next_stamp_is_early():
    time = np.arange(100) * 8.0
    time[51:53] -= [4.5, 2]  # 11.5 ms after the last with a position, which alone would be no gap
    frame = still(time).with_columns(
        pl.when(pl.int_range(pl.len()) == 50).then(pl.lit(-1.0)).otherwise(pl.col("x")).alias("x")
    )
    assert np.bincount(stretches_of(read(frame)).stretch).tolist() == [50, 49]


def test_a_gap_of_50_to_500_ms_between_samples_is_a_blink_unless_the_eye_was_seen_elsewhere():
    time = np.arange(2000) * 2.0
    gone = np.zeros(2000, dtype=bool)
    for begin, length in ((100, 24), (200, 25), (400, 250), (800, 251), (1200, 100), (1950, 50)):
        gone[begin : begin + length] = True  # of 2 ms each; the last has nothing behind it
    gone[:40] = True  # and the first nothing before it
    frame = still(time).with_columns(pl.when(pl.Series(gone)).then(-1.0).otherwise(pl.col("x")).alias("x"))
    away = frame.with_columns(pl.when(pl.col("t") == 2450).then(5000.0).otherwise(pl.col("x")).alias("x"))
    blinks = blinks_of(stretches_of(read(away, off_screen="drop")))
    assert (blinks["missing_ns"] / 1e6).to_list() == [50, 500]
    assert (blinks["onset_ns"] / 1e6).to_list() == [398, 798]
    assert blinks_of(stretches_of(read(frame))).height == 3


def test_recordings_are_apart_even_where_times_go_on():
    two = pl.concat([still(np.arange(50) * 4.0), still(200 + np.arange(50) * 4.0, "p2")])
    found = stretches_of(read(two))
    assert np.bincount(found.stretch).tolist() == [50, 50]
    assert found.time_ns[50] == 0
    assert gaps_of(found).is_empty()
    assert found.samples.labels.rows() == [("p1", "a"), ("p2", "a")]


def test_kept_columns_tell_recordings_apart():
    twice = pl.concat(
        [still(np.arange(50) * 4.0).with_columns(session=pl.lit(day)) for day in ("one", "two")]
    )
    with refused(DataError, "duplicate-time", where="column 't'"):
        read(twice)
    samples = read(twice, keep=["session"])
    assert samples.labels.columns == ["person", "stimulus", "session"]
    assert samples.labels["session"].to_list() == ["one", "two"]


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_times_are_in_the_unit_that_is_said(unit):
    per_ms = {"s": 1e-3, "ms": 1, "us": 1e3, "ns": 1e6}[unit]
    frame = recording(1)
    scaled = frame.with_columns((pl.col("t") * per_ms + 5000 * per_ms).alias("t"))
    found, expected = read(scaled, time_unit=unit), read(frame)
    assert np.abs(found.time_ns - expected.time_ns).max() <= 1
    others = {"s", "ms", "us", "ns"} - {unit}
    for other in sorted(others):  # a wrong unit is off by a thousand, and no tracker is
        with pytest.raises(DataError) as caught:
            stretches_of(read(scaled, time_unit=other))
        assert caught.value.code in {"recording-too-slow", "recording-too-fast", "bad-time-unit"}
        assert "--time-unit" in caught.value.remedy


def test_nanoseconds_that_are_taken_as_seconds_last_for_years():
    frame = still(np.arange(100) * 1e9)
    with refused(DataError, "bad-time-unit", where="column 't'") as caught:
        read(frame, time_unit="s")
    assert "--time-unit" in caught.value.remedy


def test_all_coordinates_are_the_same_gaze():
    frame = recording(2)
    x, y = frame["x"], frame["y"]
    share = frame.with_columns(x / SCREEN.width_px, 1 - y / SCREEN.height_px)
    per_mm = SCREEN.width_px / SCREEN.width_mm
    degrees = [
        np.degrees(np.arctan((axis.to_numpy() - middle) / per_mm / SCREEN.distance_mm))
        for axis, middle in ((x, SCREEN.width_px / 2), (y, SCREEN.height_px / 2))
    ]
    angle = frame.with_columns(pl.Series("x", degrees[0]), pl.Series("y", -degrees[1]))
    expected = read(frame)
    for other, coordinates in (
        (share, Coordinates("normalised", "bottom-left")),
        (angle, Coordinates("degrees", "centre-y-up")),
    ):
        found = read(other, coordinates=coordinates, missing=[])
        assert np.allclose(found.x_px, expected.x_px, atol=1e-6)
        assert np.allclose(found.y_px, expected.y_px, atol=1e-6)


@pytest.mark.parametrize(
    ("time_ms", "code"),
    [
        (np.arange(300) * 1000 / 30, "recording-too-slow"),
        (np.arange(300) * 1000 / 47, "recording-too-slow"),
        (np.arange(300) * 0.05, "recording-too-fast"),
        (np.cumsum(np.random.default_rng(1).exponential(8, 300)), "no-steady-rate"),
        (np.cumsum(np.where(np.arange(300) % 8, 8.0, 16.0)), "no-steady-rate"),
    ],
)
def test_what_has_no_rate_or_a_slow_one_is_refused_and_no_one_named(time_ms, code):
    good, bad = still(np.arange(300) * 4.0, "a-good-one"), still(time_ms, "very-private")
    place = "row 300, column 't'"
    with refused(DataError, code, where=place) as caught:
        stretches_of(read(pl.concat([good, bad])))
    error = caught.value
    assert (error.exit_code, figures(error.where.partition(place)[2])) == (3, [])
    assert not [name for name in ("p1", "a-good-one", "very-private") if name in str(error)]
    assert error.remedy
    with refused(DataError, code, where=place) as caught:
        stretches_of(read(pl.concat([good, bad, still(time_ms, "very-private-too")])))
    assert figures(caught.value.where.partition(place)[2]) == [1]


def test_a_few_late_samples_are_no_reason_to_refuse():
    time = np.cumsum(np.where(np.arange(400) % 11, 8.0, 16.0))  # one in eleven
    found = stretches_of(read(still(time)))
    assert found.stretch[-1] == 36
    assert found.interval_ns[0] == pytest.approx(8e6)


def test_a_recording_of_six_samples_is_left_alone():
    short = still([0.0, 1000.0, 1001.0, 1500.0, 1501.0, 9000.0], "p2")
    found = stretches_of(read(pl.concat([still(np.arange(300) * 4.0), short])))
    assert found.seen.tolist() == list(range(300))
    assert np.isnan(found.interval_ns[1])


def test_points_off_the_screen_are_refused_or_missing():
    frame = still(np.arange(20) * 4.0).with_columns(
        pl.when(pl.col("t") == 8).then(1300.0).otherwise(pl.col("x")).alias("x")
    )
    with refused(DataError, "point-off-screen", where="row 2, column 'x'"):
        read(frame)
    samples = read(frame, off_screen="drop")
    assert samples.away.tolist() == [number == 2 for number in range(20)]
    assert np.isnan(samples.x_px).tolist() == samples.away.tolist()


def test_only_listed_stimuli_and_asked_people_are_read(tmp_path):
    both = pl.concat([recording(1, "p1", "a"), recording(2, "p1", "b"), recording(3, "p2", "a")])
    assert read(both, stimuli=["b"]).labels.rows() == [("p1", "b")]
    assert read(both, row_filter=RowFilter("who", pl.Series(["p2"]))).labels.rows() == [("p2", "a")]
    both.write_parquet(tmp_path / "raw.parquet")
    samples = load_samples(tmp_path / "raw.parquet", columns=COLUMNS, screen=SCREEN, missing=[-1])
    assert samples.labels.rows() == [("p1", "a"), ("p1", "b"), ("p2", "a")]
    no_rows = read(both, stimuli=["c"])
    assert no_rows.labels.is_empty()
    assert stretches_of(no_rows).seen.size == 0


def test_a_pupil_that_is_not_above_0_is_missing():
    time, degrees = positions(scan_of(np.random.default_rng(3), 2), 250)
    pupil = np.where(np.arange(len(time)) % 3, 4.0, 0.0)
    frame = rows("p1", "a", time, degrees).with_columns(pl.Series("pupil", pupil))
    found = read(frame, pupil="pupil").pupil
    assert np.isnan(found).tolist() == (pupil == 0).tolist()


def test_rows_that_are_not_chosen_are_left_out_and_those_that_are_not_valid_have_no_position():
    frame = still(range(0, 100, 10)).with_columns(
        pl.Series("good", [1, 1, 1, 0, 1, 1, 1, 1, 1, 1]),
        pl.Series(COLUMNS["stimulus"], ["s1"] * 8 + ["", ""]),
        pl.Series("sensor", ["eye"] * 9 + ["mouse"]),
    )
    chosen = ChosenRows(only={"sensor": ("eye",)}, valid={"good": (1, 1)})
    given = {"columns": COLUMNS, "screen": SCREEN}
    loaded = load_samples(frame, **given, stimuli=["s1"], chosen=chosen)
    assert loaded.x_px.size == 8
    assert np.flatnonzero(np.isnan(loaded.x_px)).tolist() == [3]
    assert not loaded.away.any()
    with refused(DataError, "missing-label", where="column 'page'"):
        load_samples(frame, **given, chosen=chosen)
