"""BIDS datasets with eye tracking: what is read is what was written, and the standard's own validator accepts it."""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from bids_dataset import (
    COLUMNS,
    EYE1,
    EYES,
    IMAGES,
    ROWS,
    RUN,
    SUBJECTS,
    TASKS,
    dump,
    edited,
    event_of,
    events,
    pack,
    samples,
    source,
    table,
    written,
)
from goldens import figures
from refusals import refused

import synthrelease
from synthrelease.data.features import load_features
from synthrelease.data.gaze import load_gaze
from synthrelease.data.readers import reader_for
from synthrelease.data.readers.bids_screen import screen_metadata
from synthrelease.data.readers.reader import RowFilter
from synthrelease.data.screen import Screen
from synthrelease.data.tables import read_slices, read_table
from synthrelease.errors import DataError
from synthrelease.plan.partitions import stamp_of

ALL = ["subject", "task", "recording", "eye", *COLUMNS, "stimulus", "trial_type"]
GAZE = {"person": "subject", "stimulus": "stimulus", "x": "x_coordinate", "y": "y_coordinate"}
ONE_EYE = "**/*_recording-eye1_physio.tsv.gz"
TASK = "task-look_physio.json"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return written(tmp_path / "d")


def stimuli(root: Path, **more: Any) -> list[str]:
    """What the samples of one recording show."""
    found = read_table(source(root, pattern=f"{EYE1}.tsv.gz", **more), ["stimulus"])
    return found.frame["stimulus"].to_list()


def stretches(labels: list[str]) -> list[tuple[str, int]]:
    """Labels with how many samples each lasts."""
    found: list[tuple[str, int]] = []
    for label in labels:
        if found and found[-1][0] == label:
            found[-1] = (label, found[-1][1] + 1)
        else:
            found.append((label, 1))
    return found


# What is read


def test_a_dataset_is_the_table_that_was_written(root: Path) -> None:
    found = read_table(source(root), ALL)
    assert found.frame.rows() == table()
    eye2 = root / f"{EYE1.replace('eye1', 'eye2')}.tsv.gz"
    assert found.place(ROWS + 3, "x_coordinate").endswith(
        f"{eye2.relative_to(root)}, line 4, column 'x_coordinate'"
    )


def test_columns_may_be_asked_for_one_by_one(root: Path) -> None:
    whole = read_table(source(root), ALL).frame
    for column in ALL:
        assert read_table(source(root), [column]).frame.equals(whole.select(column))
    assert reader_for(source(root)).column_names(source(root)) == [
        *("subject", "task", "recording", "eye", *COLUMNS),
        *("stimulus", "trial_type"),
    ]


def test_gaze_is_read_with_its_stimuli(root: Path) -> None:
    gaze = load_gaze(
        source(root, pattern=ONE_EYE),
        columns={**GAZE, "time": "timestamp"},
        screen=Screen(800, 600),
        stimuli=IMAGES,
        missing=["n/a"],
    )
    assert gaze.identities == SUBJECTS
    assert gaze.assigned.all()
    rows = [row for task in TASKS for row in samples("01", task, "eye1")[5:15] if row[1] != "n/a"]
    mine = (gaze.person == 0) & (gaze.stimulus == 0)
    assert sorted(gaze.x_px[mine]) == sorted(float(row[1]) for row in rows)
    assert len(rows) == 18
    unlisted = len(SUBJECTS) * len(TASKS) * sum(event_of(row)[0] == "n/a" for row in range(ROWS))
    assert [unlisted, len(SUBJECTS) * len(TASKS) * ROWS] in [figures(note) for note in gaze.notes]


def test_features_are_read(root: Path) -> None:
    features = load_features(
        source(root, pattern=ONE_EYE),
        columns={"person": "subject", "recording": "task", "time": "timestamp"},
        bounds={"pupil_size": (0.0, 10.0)},
        categories={"trial_type": ["free", "search"]},
        missing=["n/a"],
    )
    mine = (features.person == 1) & (features.recording == 1)
    expected = [np.nan if row[3] == "n/a" else float(row[3]) for row in samples("02", "read", "eye1")]
    assert np.array_equal(features.values[mine, 0], expected, equal_nan=True)
    assert features.labels[mine, 0].tolist() == [-1] * 5 + [0] * 10 + [-1] * 5 + [1] * 10 + [-1] * 10


def test_only_recordings_of_the_people_wanted_are_opened(root: Path) -> None:
    (root / f"{EYE1}.tsv.gz").write_bytes(b"no archive")
    some = read_table(source(root), ["x_coordinate"], row_filter=RowFilter("subject", pl.Series(["02"])))
    assert some.frame.height == len(TASKS) * len(EYES) * ROWS
    with refused(DataError, "cannot-unpack", where=f"{EYE1}.tsv.gz"):
        read_table(source(root), ["x_coordinate"])


def test_large_datasets_are_read_in_slices_and_by_labels(root: Path) -> None:
    slices = [one.frame for one in read_slices(source(root), ALL, most_rows=7)]
    assert max(frame.height for frame in slices) <= 7
    assert [row for frame in slices for row in frame.rows()] == table()
    some = read_table(
        source(root), ["subject", "timestamp"], row_filter=RowFilter("stimulus", pl.Series([IMAGES[1]]))
    )
    assert some.frame.rows() == [(row[0], row[4]) for row in table() if row[8] == IMAGES[1]]


def test_a_pattern_chooses_recordings_and_names_columns(root: Path) -> None:
    chosen = source(root, pattern="sub-{who}/*/*task-{stimulus}_recording-eye2_*.tsv.gz")
    found = read_table(chosen, ["who", "stimulus", "eye"]).frame
    assert found.unique(maintain_order=True).rows() == [
        (subject, task, "right") for subject in SUBJECTS for task in TASKS
    ]


def test_a_stamp_tells_changed_metadata_and_events(root: Path) -> None:
    stamps = [stamp_of(source(root))]
    edited(root / TASK, Manufacturer="Another")
    stamps.append(stamp_of(source(root)))
    events(root, "0.04\t0.04\tfree\tsky.png")
    stamps.append(stamp_of(source(root)))
    edited(root / "task-look_events.json", OnsetSource="timestamp")
    stamps.append(stamp_of(source(root)))
    assert len(set(stamps)) == 4
    (root / "participants.tsv").write_text("participant_id\n")
    assert stamp_of(source(root)) == stamps[-1]


def test_a_release_is_built_of_a_dataset(tmp_path: Path) -> None:
    written(tmp_path / "d")
    (tmp_path / "plan.toml").write_text(
        """
[release]
name = "r"
version = "1"
title = "t"
[privacy]
epsilon = 1.0
delta = 1e-6
[inputs.x]
kind = "gaze"
path = "d"
format = "bids"
columns = { person = "subject", stimulus = "stimulus", x = "x_coordinate", y = "y_coordinate" }
screen = { width_px = 800, height_px = 600 }
missing = ["n/a"]
stimuli = ["sea.png", "sky.png"]
[[outputs]]
name = "maps"
kind = "heatmap"
input = "x"
"""
    )
    built = synthrelease.build(tmp_path / "plan.toml", tmp_path / "r.h5", test_seed=1)
    assert synthrelease.verify(built.path, allow_test_seed=True).ok


# Names and metadata


def test_labels_that_a_name_has_not_are_not_available(root: Path) -> None:
    folder = root / "sub-02" / "ses-a" / "beh"
    folder.mkdir(parents=True)
    for path in (root / "sub-02" / "beh").iterdir():
        path.rename(folder / path.name.replace("sub-02_", "sub-02_ses-a_"))
    found = read_table(source(root), ["subject", "session", "stimulus"]).frame
    assert found.select("subject", "session").unique(maintain_order=True).rows() == [
        ("01", "n/a"),
        ("02", "a"),
    ]
    assert found["stimulus"].to_list() == [row[8] for row in table()]


def test_metadata_are_inherited_and_the_nearest_count(root: Path) -> None:
    edited(root / f"{EYE1}.json", RecordedEye=None, StartTime=None)
    dump(root / "sub-01" / "sub-01_task-look_physio.json", {"RecordedEye": "cyclopean", "StartTime": 0.06})
    found = read_table(source(root), ["eye", "stimulus"]).frame
    assert found["eye"][:ROWS].to_list() == ["cyclopean"] * ROWS
    assert found["eye"][ROWS] == "right"
    assert stretches(found["stimulus"][:ROWS].to_list()) == [
        *((IMAGES[0], 5), ("n/a", 5), (IMAGES[1], 10), ("n/a", 20))
    ]


def respelt(path: Path, spell: Callable[[str], str], names: Sequence[str] = COLUMNS) -> None:
    """Write all keys of a file of metadata otherwise, but for the names of columns."""

    def inner(value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        return {key if key in names else spell(key): inner(item) for key, item in value.items()}

    dump(path, inner(json.loads(path.read_text())))


@pytest.mark.parametrize("spell", [str.lower, str.upper, str.swapcase])
def test_keys_of_metadata_may_be_written_in_any_case(root: Path, spell: Callable[[str], str]) -> None:
    before, screen = read_table(source(root), ALL).frame, screen_metadata(source(root))
    for path in root.rglob("*.json"):
        respelt(path, spell)
    assert read_table(source(root), ALL).frame.rows() == before.rows()
    assert screen_metadata(source(root)) == screen


def test_a_key_in_two_spellings_may_not_have_two_values(root: Path) -> None:
    edited(root / f"{EYE1}.json", starttime=0.02)
    assert read_table(source(root), ALL).frame.rows() == table()
    edited(root / f"{EYE1}.json", starttime=7331.125)
    with refused(DataError, "duplicate-metadata-key", names=["starttime", "StartTime"]) as caught:
        read_table(source(root), ALL)
    assert "7331" not in str(caught.value)


def test_recordings_of_other_kinds_are_passed_over(root: Path) -> None:
    beside = root / f"{RUN}_recording-heart_physio"
    pack(beside.with_suffix(".tsv.gz"), [["1"], ["2"]])
    (root / TASK).rename(root / "task-look_recording-eye1_physio.json")
    shutil.copy(root / "task-look_recording-eye1_physio.json", root / "task-look_recording-eye2_physio.json")
    dump(beside.with_suffix(".json"), {"Columns": ["cardiac"], "SamplingFrequency": 1, "StartTime": 0})
    assert read_table(source(root), ALL).frame.rows() == table()
    edited(beside.with_suffix(".json"), PhysioType="generic")
    assert read_table(source(root), ALL).frame.rows() == table()


def test_folders_beside_the_subjects_are_not_looked_into(root: Path) -> None:
    for name in ("derivatives", "sourcedata"):
        shutil.copytree(root / "sub-01", root / name / "sub-03")
    assert read_table(source(root), ALL).frame.rows() == table()


# Events


def test_of_several_events_the_one_that_began_last_counts(root: Path) -> None:
    events(
        root,
        "0.020\t0.080\tfree\tsea.png",
        "0.040\t0.020\tfree\tsky.png",
        "0.044\t0\tpressed\tn/a",
        "0.052\t0\tfree\tdot.png",
        "0.120\t1\tfree\tn/a",
    )
    assert stretches(stimuli(root)) == [
        *(("sea.png", 5), ("sky.png", 5), ("sea.png", 10), ("n/a", ROWS - 20))
    ]


def test_events_may_be_in_any_order_and_before_the_first_sample(root: Path) -> None:
    events(root, "0.1\t0.04\tfree\tsky.png", "-1\t1.04\tfree\tsea.png")
    assert stretches(stimuli(root)) == [(IMAGES[0], 5), ("n/a", 15), (IMAGES[1], 10), ("n/a", 10)]


@pytest.mark.parametrize(
    ("unit", "step"), [("s", 0.004), ("us", 4000), ("Seconds", 0.004), ("ns", 4_000_000)]
)
def test_timestamps_are_in_the_unit_that_the_sidecar_says(root: Path, unit: str, step: float) -> None:
    for task in TASKS:
        edited(root / f"task-{task}_physio.json", timestamp={"Units": unit})
    for path in root.glob("sub-*/beh/*_physio.tsv.gz"):
        rows = [line.split("\t") for line in gzip.decompress(path.read_bytes()).decode().splitlines()]
        pack(path, [[repr(7 + step * row), *cells[1:]] for row, cells in enumerate(rows)])
    assert read_table(source(root), ["stimulus"]).frame["stimulus"].to_list() == [row[8] for row in table()]


def test_onsets_may_be_on_the_clock_of_the_samples(root: Path) -> None:
    edited(root / "task-look_events.json", OnsetSource="timestamp")
    events(root, "5.008\t0.02\tfree\tsea.png")
    assert stretches(stimuli(root)) == [("n/a", 2), ("sea.png", 5), ("n/a", ROWS - 7)]


def test_a_run_may_have_no_event(root: Path) -> None:
    events(root)
    assert stretches(stimuli(root)) == [("n/a", ROWS)]


def test_empty_cells_are_missing_ones(root: Path) -> None:
    events(root, "0.02\t0.02\tfree\tsea.png", "0.04\t\tpressed\t", "\t\t\t", "0.06\t0.02\tfree\tsky.png")
    assert stretches(stimuli(root)) == [*(("sea.png", 5), ("n/a", 5), ("sky.png", 5), ("n/a", ROWS - 15))]
    rows = [[cells[0], "", *cells[2:]] for cells in samples("01", "look", "eye1")]
    rows[12][0] = ""
    pack(root / f"{EYE1}.tsv.gz", rows)
    assert stimuli(root)[9:14] == ["n/a", "sky.png", "sky.png", "n/a", "sky.png"]
    assert read_table(source(root), ["x_coordinate"]).frame["x_coordinate"][:ROWS].null_count() == ROWS


def test_a_missing_timestamp_is_in_no_event(root: Path) -> None:
    rows = samples("01", "look", "eye1")
    rows[9][0] = "n/a"
    pack(root / f"{EYE1}.tsv.gz", rows)
    labels = stimuli(root)
    assert labels[8:11] == [IMAGES[0], "n/a", IMAGES[0]]


def test_runs_without_events_show_nothing(root: Path) -> None:
    (root / f"{RUN}_events.tsv").unlink()
    found = read_table(source(root), ["stimulus"]).frame["stimulus"].to_list()
    assert found == ["n/a"] * (2 * ROWS) + [row[8] for row in table()[2 * ROWS :]]
    events(root, "0.04\t0.04\tfree", header="onset\tduration\ttrial_type")
    assert read_table(source(root), ["stimulus"]).frame["stimulus"].to_list() == found
    for path in root.glob("sub-*/beh/*_events.tsv"):
        path.unlink()
    with refused(DataError, "unknown-column") as caught:
        read_table(source(root), ["stimulus"])
    assert "'stimulus'" in caught.value.problem


def test_a_column_of_the_samples_goes_before_that_of_events(root: Path) -> None:
    for path in (root / TASK, root / "task-read_physio.json"):
        edited(path, Columns=[*COLUMNS[:3], "trial_type"])
    found = read_table(source(root), ["trial_type"]).frame["trial_type"].to_list()
    assert found == [row[7] for row in table()]


# The standard's own validator


def errors_of_validator(root: Path) -> list[str]:
    """Codes of errors that the validator finds."""
    done = subprocess.run(
        ["bids-validator-deno", "--json", str(root)], capture_output=True, text=True, check=False, timeout=120
    )
    report = json.loads(done.stdout)
    assert sorted(report["summary"]["subjects"]) == list(SUBJECTS)
    return [one["code"] for one in report["issues"]["issues"] if one["severity"] == "error"]


def test_the_standards_validator_accepts_the_dataset(root: Path) -> None:
    assert errors_of_validator(root) == []


def test_the_standards_validator_knows_eye_tracking(root: Path) -> None:
    edited(root / f"{EYE1}.json", RecordedEye=None)
    about = json.loads((root / "task-look_events.json").read_text())["StimulusPresentation"]
    edited(root / "task-look_events.json", StimulusPresentation={**about, "ScreenSize": "n/a"})
    found = errors_of_validator(root)
    assert {"SIDECAR_KEY_REQUIRED", "INCOMPLETE_STIMULUS_PRESENTATION"} <= set(found)
