"""The 52 features are those of a plain loop over the events of every window, and wordbooks those of a counter."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import polars as pl
import pytest
from invented_samples import read, recording

from synthrelease.data.readers.mpii import FEATURES
from synthrelease.prepare import Settings, windows
from synthrelease.prepare.events import blinks_of, fixations_of, motion_of, saccades_of
from synthrelease.prepare.recordings import stretches_of
from synthrelease.prepare.tables import windows_in
from synthrelease.prepare.wordbooks import with_words, wordbook

NO_PUPIL = tuple(name for name in FEATURES if not name.startswith("pupil_"))


def with_blinks(frame: pl.DataFrame, seed: int) -> pl.DataFrame:
    """No one seen for 60 to 400 ms, every few seconds."""
    random = np.random.default_rng([seed, 7])
    gone = np.zeros(frame.height, dtype=bool)
    for begin in np.arange(0, frame["t"].max(), 2000.0) + random.uniform(0, 1500, 1):
        gone |= frame["t"].is_between(begin, begin + random.uniform(60, 400)).to_numpy()
    return frame.with_columns(pl.when(pl.Series(gone)).then(-1.0).otherwise(pl.col("x")).alias("x"))


def letter(saccade: dict, small_deg: float) -> str:
    """Direction and size, said another way: by the nearest of the directions."""
    count = 8 if saccade["amplitude_deg"] < small_deg else 16
    unit = np.array([saccade["right_deg"], saccade["up_deg"]]) / math.hypot(
        saccade["right_deg"], saccade["up_deg"]
    )
    angles = np.arange(count) * 2 * math.pi / count
    nearest = int(np.argmax(np.cos(angles) * unit[0] + np.sin(angles) * unit[1]))
    return f"{'s' if count == 8 else 'L'}{nearest}"


def spread(values: list[float], name: str, *, most: bool = False) -> dict[str, float | None]:
    found = {
        f"{name}_mean": float(np.mean(values)) if values else None,
        f"{name}_var": float(np.var(values)) if values else None,
    }
    return found | ({f"{name}_max": max(values, default=None)} if most else {})


def plain_window(events: dict[str, list[dict]], begin: float, settings: Settings) -> dict[str, float | None]:
    """All features of one window."""
    end = begin + settings.window_s * 1e9
    fixations, saccades, blinks = (
        [one for one in events[kind] if begin < one["offset_ns"] <= end]
        for kind in ("fixations", "saccades", "blinks")
    )
    small = [one for one in saccades if one["amplitude_deg"] < settings.small_saccade_deg]
    positive = [one for one in saccades if one["right_deg"] > 0]
    counts = {
        "fixation": len(fixations),
        "saccade": len(saccades),
        "blink": len(blinks),
        "small_saccade": len(small),
        "large_saccade": len(saccades) - len(small),
        "positive_saccade": len(positive),
        "negative_saccade": len(saccades) - len(positive),
    }
    found: dict[str, float | None] = {
        f"{kind}_rate": count / settings.window_s for kind, count in counts.items()
    }
    found["saccade_fixation_ratio"] = len(saccades) / len(fixations) if fixations else None
    for kind in ("small", "large", "positive", "negative"):
        found[f"{kind}_saccade_ratio"] = counts[f"{kind}_saccade"] / len(saccades) if saccades else None
    found |= spread([one["amplitude_deg"] for one in saccades], "saccade_amplitude", most=True)
    lasting = [(one["offset_ns"] - one["onset_ns"]) / 1e9 for one in fixations]
    found |= spread(lasting, "fixation_duration", most=True)
    found |= spread([one["x_var"] for one in fixations], "fixation_x_var")
    found |= spread([one["y_var"] for one in fixations], "fixation_y_var")
    if "pupil_mean" in (events["fixations"] or [{}])[0]:
        for what in ("mean", "var"):
            known = [one[f"pupil_{what}"] for one in fixations if one[f"pupil_{what}"] is not None]
            found |= spread(known, f"pupil_diameter_{what}")
    found |= spread([one["missing_ns"] / 1e9 for one in blinks], "blink_duration")
    letters = [letter(one, settings.small_saccade_deg) for one in saccades]
    for n in (1, 2, 3, 4):
        counted = Counter(tuple(letters[i : i + n]) for i in range(len(letters) - n + 1))
        every = np.array([*counted.values()] + [0] * min(1, 24**n - len(counted)))
        total = sum(counted.values())
        found |= {
            f"wordbook{n}_nonzero": len(counted),
            f"wordbook{n}_max": every.max(),
            f"wordbook{n}_min": every.min(),
            f"wordbook{n}_range": every.max() - every.min(),
            f"wordbook{n}_mean": total / 24**n,
            f"wordbook{n}_var": sum(c * c for c in counted.values()) / 24**n - (total / 24**n) ** 2,
        }
    return found


def made(table: pl.DataFrame) -> pl.DataFrame:
    """The windows of a table: a recording without any has one row without values, so that it is there."""
    return table.drop_nulls("fixation_rate")


def check(samples, settings, *, least):
    stretches = stretches_of(samples)
    motion = motion_of(stretches)
    tables = {
        "fixations": fixations_of(motion, settings),
        "saccades": saccades_of(motion, settings),
        "blinks": blinks_of(stretches),
    }
    whole = windows_in(stretches, settings)
    assert whole.frame.select("person", "stimulus").unique().height == samples.labels.height
    found, left_out = made(whole.frame), whole.left_out
    place = 0
    for number, labels in enumerate(samples.labels.iter_rows()):
        own = samples.recording == number
        seen = samples.time_ns[own & ~np.isnan(samples.x_px)]
        events = {kind: one.filter(pl.col("recording") == number).to_dicts() for kind, one in tables.items()}
        begin, step, window = 0, round(settings.step_s * 1e9), round(settings.window_s * 1e9)
        while begin + window <= samples.time_ns[own].max():
            inside = np.count_nonzero((seen > begin) & (seen <= begin + window))
            if inside * stretches.interval_ns[number] < window / 2:
                left_out -= 1
            else:
                row = found.row(place, named=True)
                assert tuple(row[name] for name in samples.labels.columns) == labels
                assert row["window_end_s"] == (begin + window) / 1e9
                for name, expected in plain_window(events, begin, settings).items():
                    near = expected if expected is None else pytest.approx(expected, rel=1e-9, abs=1e-12)
                    assert row[name] == near, (place, name)
                place += 1
            begin += step
    assert place == found.height >= least
    assert left_out == 0
    return found


@pytest.mark.parametrize(("window_s", "step_s"), [(8.0, 0.5), (5.0, 5.0), (3.0, 0.7), (2.0, 5.0), (0.3, 0.1)])
def test_features_are_those_of_a_plain_loop(window_s, step_s):
    frames = [
        with_blinks(recording(seed, who, page, hz=hz, rests=40), seed)
        for seed, who, page, hz in ((1, "p1", "a", 120), (2, "p1", "b", 250), (3, "p2", "a", 120))
    ]
    # One that is shorter than any window but the last, and one in which no one is seen for long.
    frames.append(recording(4, "p2", "b", hz=250, rests=2).filter(pl.col("t") < 280))
    gone = with_blinks(recording(5, "p3", "a", hz=250, rests=60), 5)
    frames.append(
        gone.with_columns(pl.when(pl.col("t").is_between(2000, 15000)).then(-1.0).otherwise("x").alias("x"))
    )
    settings = Settings(window_s=window_s, step_s=step_s, small_saccade_deg=4)
    found = check(read(pl.concat(frames), pupil="pupil"), settings, least=10)
    assert tuple(found.columns) == ("person", "stimulus", "window_end_s", *FEATURES)
    assert len(FEATURES) == 52
    assert found["blink_rate"].max() > 0
    # Where nothing ended in a window there is no mean.
    assert (found["saccade_amplitude_mean"].null_count() > 0) == (window_s < 1)


def test_without_a_pupil_its_four_features_are_left_out_and_no_other_changes():
    frame = with_blinks(recording(1, hz=120, rests=60), 1)
    settings = Settings(window_s=8)
    without = check(read(frame), settings, least=10)
    assert tuple(without.columns[3:]) == NO_PUPIL
    assert len(NO_PUPIL) == 48
    assert windows(read(frame, pupil="pupil"), settings).select(without.columns).equals(without)


def test_no_window_depends_on_another_recording_or_person():
    alone = [
        with_blinks(recording(number, who, page, hz=120, rests=30), number)
        for number, (who, page) in enumerate([("p1", "a"), ("p1", "b"), ("p2", "a")])
    ]
    mixed = pl.concat(alone).sample(fraction=1, shuffle=True, seed=1)
    settings = Settings(window_s=5)
    together = windows(read(mixed, pupil="pupil"), settings)
    assert together.equals(pl.concat(windows(read(one, pupil="pupil"), settings) for one in alone))
    assert together["person"].n_unique() == 2


def test_what_comes_after_a_window_changes_nothing_but_for_what_a_velocity_looks_ahead():
    frame = with_blinks(recording(1, hz=120, rests=60), 1)
    settings = Settings(window_s=5)
    whole = windows(read(frame), settings)
    # A velocity takes the next sample, and an event that is cut has ended too early: of events that ended before, nothing changes.
    cut = windows(read(frame.filter(pl.col("t") < 12_100)), settings)
    assert cut.height == 15
    assert cut.equals(whole.head(15))


def test_a_window_ends_with_the_recording_at_the_latest():
    frame = recording(1, hz=250, rests=40).filter(pl.col("t") <= 10_000)
    assert windows(read(frame), Settings(window_s=10)).height == 1
    short = windows(read(frame.filter(pl.col("t") < 10_000)), Settings(window_s=10))
    assert made(short).is_empty()


def test_a_recording_of_six_samples_has_no_windows():
    frame = recording(1, hz=250, rests=40)
    few = frame.filter(pl.int_range(pl.len()) % (frame.height // 5) == 0).with_columns(who=pl.lit("p2"))
    assert few.height == 6
    settings = Settings(window_s=5)
    both = windows(read(pl.concat([frame, few])), settings)
    assert made(both).equals(windows(read(frame), settings))
    assert both.filter(pl.col("person") == "p2").rows() == [("p2", "a", 0.0, *[None] * len(NO_PUPIL))]
    assert made(windows(read(few), settings)).is_empty()


@pytest.mark.parametrize("small_deg", [2.0, 100.0, 0.1])
def test_every_direction_has_its_letter_and_an_edge_one_of_both(small_deg):
    degrees = np.arange(0, 360, 2.5)
    jumps = pl.DataFrame(
        {
            "recording": [0] * len(degrees),
            "amplitude_deg": [3.0] * len(degrees),
            "right_deg": 3 * np.cos(np.radians(degrees)),
            "up_deg": 3 * np.sin(np.radians(degrees)),
        }
    )
    found = with_words(jumps, small_deg)["letter"].to_list()
    small = small_deg > 3
    width = 45 if small else 22.5
    for angle, number in zip(degrees, found, strict=True):
        middle = (number if small else number - 8) * width
        assert min((angle - middle) % 360, (middle - angle) % 360) <= width / 2 + 1e-9
    assert set(found) == (set(range(8)) if small else set(range(8, 24)))


def test_the_rarest_word_counts_once_every_word_is_there():
    told = {}
    for letters in ([*range(24), 3, 3], [*range(23), 3, 3]):
        (row,) = pl.DataFrame({"word1": letters}).group_by(pl.lit(0)).agg(wordbook(1)).to_dicts()
        told[len(set(letters))] = [
            row[f"wordbook1_{what}"] for what in ("nonzero", "max", "min", "range", "mean")
        ]
    assert told == {24: [24, 3, 1, 2, 26 / 24], 23: [23, 3, 0, 3, 25 / 24]}


def test_words_never_cross_from_one_recording_to_the_next():
    jumps = pl.DataFrame(
        {"recording": [0, 0, 1, 1], "amplitude_deg": [3.0] * 4, "right_deg": [3.0] * 4, "up_deg": [0.0] * 4}
    )
    found = with_words(jumps, 2.0)
    assert found["word1"].to_list() == [8] * 4
    assert found["word2"].to_list() == [None, 8 * 25] * 2
    assert found["word3"].null_count() == 4
