"""BIDS datasets that are not as they should be, and what metadata say of the screen: errors name file and remedy, and no cell."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from bids_dataset import (
    COLUMNS,
    EYE1,
    IMAGES,
    TASKS,
    dump,
    edited,
    events,
    pack,
    samples,
    source,
    written,
)

from synthrelease.data.gaze import load_gaze
from synthrelease.data.readers import bids
from synthrelease.data.screen import Screen
from synthrelease.data.tables import read_table
from synthrelease.errors import DataError

GAZE = {"person": "subject", "stimulus": "stimulus", "x": "x_coordinate", "y": "y_coordinate"}
TASK = "task-look_physio.json"
CANARY = "canary7"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return written(tmp_path / "d")


# The screen


def test_the_screen_is_described_in_units_of_a_plan(root: Path) -> None:
    told = bids.described(source(root))
    assert (told.width_px, told.height_px) == (800, 600)
    assert (told.width_mm, told.height_mm, told.distance_mm) == (400.0, 300.0, 600.0)
    assert (told.origin, told.coordinates, told.system) == ("top-left", "pixels", "gaze-on-screen")
    assert told.units == {
        "timestamp": "ms",
        "x_coordinate": "pixel",
        "y_coordinate": "pixel",
        "pupil_size": "mm",
    }
    assert told.missing == ("n/a",)


def test_what_is_not_said_of_the_screen_is_none(root: Path) -> None:
    for task in TASKS:
        edited(root / f"task-{task}_events.json", StimulusPresentation=None)
        edited(root / f"task-{task}_physio.json", x_coordinate=None)
    told = bids.described(source(root))
    assert {told.width_px, told.width_mm, told.distance_mm, told.origin, told.coordinates} == {None}
    parts = {"ScreenDistance": [-0.1, 0, 0.5], "ScreenSize": "n/a", "ScreenOrigin": ["center", "center"]}
    edited(root / "task-look_events.json", StimulusPresentation=parts)
    told = bids.described(source(root))
    assert (told.distance_mm, told.width_mm, told.origin) == (500.0, None, "centre")
    edited(root / "task-look_events.json", StimulusPresentation={**parts, "ScreenDistance": "n/a"})
    assert bids.described(source(root)).distance_mm is None


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("ScreenSize", [0.5, 0.3], "differ: ScreenSize"),
        ("ScreenDistance", 0.7, "differ: ScreenDistance"),
        ("ScreenResolution", [1024, 768], "differ: ScreenResolution"),
        ("ScreenOrigin", ["bottom", "left"], "differ: ScreenOrigin"),
        ("ScreenDistance", 60, "metres, such as 0.6"),
        ("ScreenSize", [47, 29], "metres, such as 0.6"),
        ("ScreenSize", [0.5], "2 numbers"),
        ("ScreenSize", [CANARY, 1], "2 numbers"),
        ("ScreenResolution", [800.5, 600], "two whole numbers"),
        ("ScreenOrigin", CANARY, '["top", "left"]'),
        ("ScreenDistance", True, "a number above 0"),
    ],
)
def test_a_screen_that_differs_or_cannot_be_is_refused(root: Path, key: str, value: Any, words: str) -> None:
    path = root / "task-read_events.json"
    about = json.loads(path.read_text())["StimulusPresentation"]
    edited(path, StimulusPresentation={**about, key: value})
    with pytest.raises(DataError) as caught:
        bids.described(source(root))
    assert words in str(caught.value)
    assert "task-read" in str(caught.value)
    assert CANARY not in str(caught.value)


# What is refused


def first_line(text: str) -> Callable[[Path], None]:
    def change(root: Path) -> None:
        pack(root / f"{EYE1}.tsv.gz", [text.split("\t"), *samples("01", "look", "eye1")])

    return change


def sidecar(name: str = f"{EYE1}.json", **keys: Any) -> Callable[[Path], None]:
    return lambda root: edited(root / name, **keys)


def timed(*cells: str) -> Callable[[Path], None]:
    """The first timestamps of a recording."""

    def change(root: Path) -> None:
        rows = samples("01", "look", "eye1")
        pack(root / f"{EYE1}.tsv.gz", [[cell, *row[1:]] for cell, row in zip(cells, rows, strict=False)])

    return change


def shown(*rows: str, **more: str) -> Callable[[Path], None]:
    return lambda root: events(root, *rows, **more)


def text(name: str, content: bytes) -> Callable[[Path], None]:
    def change(root: Path) -> None:
        (root / name).write_bytes(content)

    return change


def without(*names: str) -> Callable[[Path], None]:
    def change(root: Path) -> None:
        for name in names:
            (root / name).unlink()

    return change


def unpacked(root: Path) -> None:
    packed = root / f"{EYE1}.tsv.gz"
    packed.with_suffix("").write_bytes(gzip.decompress(packed.read_bytes()))
    packed.unlink()


def two_sidecars(root: Path) -> None:
    for name in ("sub-01", "sub-01_task-look"):
        dump(root / "sub-01" / f"{name}_physio.json", {})


def clocks(unit: str) -> Callable[[Path], None]:
    def change(root: Path) -> None:
        for task in TASKS:
            edited(root / f"task-{task}_physio.json", timestamp={"Units": unit})

    return change


def all_of_hearts(root: Path) -> None:
    for path in root.glob("task-*_physio.json"):
        edited(path, PhysioType="generic", Columns=["a", "b", "c", "d"])


GOOD = f"sea-{CANARY}.png"
VARIANTS: dict[str, tuple[Callable[[Path], None], tuple[str, ...]]] = {
    "no description": (without("dataset_description.json"), ("not the root", "dataset_description.json")),
    "broken description": (
        text("dataset_description.json", b"{"),
        ("dataset_description.json, line 1", "JSON"),
    ),
    "no sidecar": (without(f"{EYE1}.json", TASK), (f"{EYE1}.tsv.gz", "no sidecar")),
    "sidecar is no JSON": (text(f"{EYE1}.json", f'{{"a": "{CANARY}"'.encode()), (f"{EYE1}.json", "JSON")),
    "sidecar is no text": (text(f"{EYE1}.json", b"\xff\xfe\x00"), (f"{EYE1}.json", "JSON")),
    "sidecar is a list": (text(f"{EYE1}.json", f'["{CANARY}"]'.encode()), (f"{EYE1}.json", "JSON object")),
    "two sidecars": (
        two_sidecars,
        ("two files of one folder", "sub-01_physio.json and sub-01_task-look_physio.json"),
    ),
    "PhysioType misspelt": (
        sidecar(TASK, PhysioType="EyeTracking"),
        (f"{EYE1}.json", '"PhysioType": "eyetrack"'),
    ),
    "PhysioType missing": (sidecar(TASK, PhysioType=None), ("seems to be of eyes", "no PhysioType")),
    "only hearts": (all_of_hearts, ("no eye-tracking recordings", "8 files")),
    "no Columns": (sidecar(TASK, Columns=None), ("Columns", f"{EYE1}.json", "a list of the names")),
    "Columns are text": (sidecar(TASK, Columns=CANARY, PhysioType="eyetrack"), ("Columns", "a list")),
    "Columns twice": (sidecar(TASK, Columns=[*COLUMNS, "timestamp"]), ("Columns", "every name once")),
    "Columns without y": (sidecar(TASK, Columns=[*COLUMNS[:2], "b"]), ("Columns", "'y_coordinate' among")),
    "Columns too few": (sidecar(TASK, Columns=COLUMNS[:3]), (f"{EYE1}.tsv.gz, line 1", "more fields")),
    "Columns too many": (
        sidecar(TASK, Columns=[*COLUMNS, "more"]),
        (f"{EYE1}.tsv.gz, line 1", "fewer fields"),
    ),
    "Columns of names": (
        sidecar(TASK, Columns=[*COLUMNS[:3], "task"]),
        ("'task'", "names of files", f"{EYE1}.json"),
    ),
    "no eye": (sidecar(RecordedEye=None), ("RecordedEye", "no such key", "left, right, cyclopean")),
    "another eye": (sidecar(RecordedEye=CANARY), ("RecordedEye", "another value")),
    "no frequency": (sidecar(TASK, SamplingFrequency=None), ("SamplingFrequency", "no such key")),
    "frequency 0": (sidecar(SamplingFrequency=0), ("SamplingFrequency", "Hz above 0")),
    "no start": (sidecar(StartTime=None), ("StartTime", "no such key")),
    "start is text": (sidecar(StartTime=CANARY), ("StartTime", "number of seconds")),
    "units differ": (
        sidecar(x_coordinate={"Units": "deg"}),
        (
            "differ in the unit of 'x_coordinate'",
            "recording-eye2_physio.json",
            f"{EYE1.rsplit('/', 1)[1]}.tsv.gz",
        ),
    ),
    "systems differ": (sidecar(SampleCoordinateSystem="eye-in-head"), ("differ in SampleCoordinateSystem",)),
    "not packed": (unpacked, (f"{EYE1}.tsv", "not compressed", "gzip")),
    "no archive": (text(f"{EYE1}.tsv.gz", CANARY.encode()), (f"{EYE1}.tsv.gz", "cannot be unpacked")),
    "empty": (text(f"{EYE1}.tsv.gz", gzip.compress(b"")), (f"{EYE1}.tsv.gz", "empty")),
    "a header": (first_line("\t".join(COLUMNS)), (f"{EYE1}.tsv.gz, line 1", "header line")),
    "text in a sample": (
        first_line(f"5000\t{CANARY}\t1\t1"),
        ("beh/sub-01_task-look_recording-eye1_physio.tsv.gz, line 1, column 'x_coordinate'", "text"),
    ),
    "no unit of time": (sidecar(TASK, timestamp=None), ("differ in the unit of 'timestamp'",)),
    "another unit of time": (
        clocks(CANARY),
        ("no unit of 'timestamp'", f"{EYE1}.json", '"ms"'),
    ),
    "wrong unit of time": (
        clocks("s"),
        ("do not fit the sampling frequency", f"{EYE1}.tsv.gz"),
    ),
    "time goes back": (timed("5008", "5004", "5000"), ("do not fit", "do not increase")),
    "time is text": (timed("5000", CANARY), (f"{EYE1}.tsv.gz, line 2, column 'timestamp'", "text")),
    "no first time": (timed("n/a", "5000"), (f"{EYE1}.tsv.gz, line 1", "first sample has no timestamp")),
    "another clock": (
        sidecar("task-look_events.json", OnsetSource=CANARY),
        ("OnsetSource", f"{EYE1}.tsv.gz"),
    ),
    "no onset": (shown(f"n/a\t1\ta\t{GOOD}"), ("events.tsv, line 2, column 'onset'", "n/a")),
    "onset is text": (
        shown("0\t1\ta\tn/a", f"{CANARY}\t1\ta\t{GOOD}"),
        ("events.tsv, line 3, column 'onset'",),
    ),
    "no duration": (shown(f"0\tn/a\ta\t{GOOD}"), ("events.tsv, line 2, column 'duration'", "0")),
    "infinite duration": (shown(f"0\tinf\ta\t{GOOD}"), ("column 'duration'", "infinite")),
    "negative duration": (shown(f"0\t-1\ta\t{GOOD}"), ("events.tsv, line 2", "negative duration")),
    "no durations": (shown(f"0\t{GOOD}", header="onset\tstim_file"), ("events.tsv", "no column 'duration'")),
    "two at once": (shown(f"0\t1\ta\t{GOOD}", "0\t1\ta\tb"), ("events.tsv, lines 2 and 3", "same time")),
    "broken events": (shown(f"0\t1\t{CANARY}"), ("events.tsv, line 2", "fewer fields")),
}


@pytest.mark.parametrize("name", VARIANTS)
def test_malformed_datasets_are_refused(root: Path, name: str) -> None:
    change, words = VARIANTS[name]
    change(root)
    with pytest.raises(DataError) as caught:
        load_gaze(source(root), columns=GAZE, screen=Screen(800, 600), stimuli=IMAGES, missing=["n/a"])
    message = str(caught.value)
    assert caught.value.exit_code == 3
    assert str(root) in message
    assert caught.value.expected
    assert CANARY not in message
    for word in words:
        assert word in message, message


def test_what_is_no_dataset_is_refused(root: Path) -> None:
    for wrong, words in {
        root / "none": ("no such folder",),
        root / "README": ("no such folder",),
        root / "sub-01": ("not the root", "one further up", "the dataset's own folder"),
        root.parent: ("not the root",),
    }.items():
        with pytest.raises(DataError) as caught:
            read_table(source(wrong), ["subject"])
        assert all(word in str(caught.value) for word in (*words, str(wrong)))
    with pytest.raises(DataError, match="no file of the folder fits the pattern"):
        read_table(source(root, pattern="Q{x}"), ["subject"])
    with pytest.raises(DataError, match="none that the pattern"):
        read_table(source(root, pattern="**/*_events.tsv"), ["subject"])
    with pytest.raises(DataError, match="there is no format 'bid'"):
        read_table(replace(source(root), format="bid"), ["subject"])
