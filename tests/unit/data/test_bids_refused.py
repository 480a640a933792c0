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
from goldens import figures
from refusals import refused

from synthrelease.data.gaze import load_gaze
from synthrelease.data.readers.bids_screen import screen_metadata
from synthrelease.data.screen import Screen
from synthrelease.data.tables import read_table
from synthrelease.errors import DataError

GAZE = {"person": "subject", "stimulus": "stimulus", "x": "x_coordinate", "y": "y_coordinate"}
TASK = "task-look_physio.json"
CANARY = "canary7"
DESCRIPTION = "dataset_description.json"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return written(tmp_path / "d")


# The screen


def test_the_screen_is_described_in_units_of_a_plan(root: Path) -> None:
    told = screen_metadata(source(root))
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
    told = screen_metadata(source(root))
    assert {told.width_px, told.width_mm, told.distance_mm, told.origin, told.coordinates} == {None}
    parts = {"ScreenDistance": [-0.1, 0, 0.5], "ScreenSize": "n/a", "ScreenOrigin": ["center", "center"]}
    edited(root / "task-look_events.json", StimulusPresentation=parts)
    told = screen_metadata(source(root))
    assert (told.distance_mm, told.width_mm, told.origin) == (500.0, None, "centre")
    edited(root / "task-look_events.json", StimulusPresentation={**parts, "ScreenDistance": "n/a"})
    assert screen_metadata(source(root)).distance_mm is None


def test_a_message_shows_what_public_metadata_have_and_never_when_a_recording_began(root: Path) -> None:
    eye, path = f"{EYE1}.json", root / "task-read_events.json"
    screen = json.loads(path.read_text())["StimulusPresentation"]
    edited(path, StimulusPresentation={**screen, "ScreenResolution": [1024, 768]})
    with refused(DataError, "screens-differ", names=["1024", "768", "800", "600"]):
        screen_metadata(source(root))
    for keys, code, shown in (
        ({"RecordedEye": "Both"}, "bad-metadata", "Both"),
        ({"SamplingFrequency": -250}, "bad-metadata", "250"),
        ({"PhysioType": "EyeTracking"}, "bad-recording-type", "EyeTracking"),
        ({"x_coordinate": {"Units": "deg"}}, "units-differ", "deg"),
    ):
        before = (root / eye).read_text()
        edited(root / eye, **keys)
        with refused(DataError, code, names=[shown]):
            screen_metadata(source(root))
        (root / eye).write_text(before)
    edited(root / eye, StartTime=7331e9)
    with refused(DataError, "bad-metadata", names=["StartTime"]) as caught:
        screen_metadata(source(root))
    assert "7331" not in str(caught.value)


@pytest.mark.parametrize(
    ("key", "value", "code", "expected"),
    [
        ("ScreenSize", [0.5, 0.3], "screens-differ", ""),
        ("ScreenDistance", 0.7, "screens-differ", ""),
        ("ScreenResolution", [1024, 768], "screens-differ", ""),
        ("ScreenOrigin", ["bottom", "left"], "screens-differ", ""),
        ("ScreenDistance", 60, "screen-not-in-metres", "0.6"),
        ("ScreenSize", [47, 29], "screen-not-in-metres", "0.6"),
        ("ScreenSize", [0.5], "bad-screen-number", "2"),
        ("ScreenSize", [CANARY, 1], "bad-screen-number", "2"),
        ("ScreenResolution", [800.5, 600], "pixels-not-whole", ""),
        ("ScreenOrigin", CANARY, "bad-screen-origin", '["top", "left"]'),
        ("ScreenDistance", True, "bad-screen-number", ""),
    ],
)
def test_a_screen_that_differs_or_cannot_be_is_refused(
    root: Path, key: str, value: Any, code: str, expected: str
) -> None:
    path = root / "task-read_events.json"
    about = json.loads(path.read_text())["StimulusPresentation"]
    edited(path, StimulusPresentation={**about, key: value})
    with refused(DataError, code, where="task-read") as caught:
        screen_metadata(source(root))
    assert key in caught.value.problem
    assert expected in caught.value.expected
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
VARIANTS: dict[
    str, tuple[Callable[[Path], None], str, tuple[str, ...]]
] = {  # with the code, and what is named
    "no description": (without(DESCRIPTION), "not-bids-root", (DESCRIPTION,)),
    "broken description": (text(DESCRIPTION, b"{"), "metadata-not-json", (f"{DESCRIPTION}, line 1",)),
    "no sidecar": (without(f"{EYE1}.json", TASK), "no-sidecar", (f"{EYE1}.tsv.gz",)),
    "sidecar is no JSON": (
        text(f"{EYE1}.json", f'{{"a": "{CANARY}"'.encode()),
        "metadata-not-json",
        (f"{EYE1}.json",),
    ),
    "sidecar is no text": (text(f"{EYE1}.json", b"\xff\xfe\x00"), "metadata-not-json", (f"{EYE1}.json",)),
    "sidecar is a list": (
        text(f"{EYE1}.json", f'["{CANARY}"]'.encode()),
        "metadata-not-json",
        (f"{EYE1}.json",),
    ),
    "two sidecars": (
        two_sidecars,
        "duplicate-metadata",
        ("sub-01_physio.json", "sub-01_task-look_physio.json"),
    ),
    "PhysioType misspelt": (
        sidecar(TASK, PhysioType="EyeTracking"),
        "bad-recording-type",
        (f"{EYE1}.json", '"PhysioType": "eyetrack"'),
    ),
    "PhysioType missing": (
        sidecar(TASK, PhysioType=None),
        "missing-recording-type",
        (f"{EYE1}.json", '"PhysioType": "eyetrack"'),
    ),
    "only hearts": (all_of_hearts, "no-recordings", ()),
    "no Columns": (sidecar(TASK, Columns=None), "missing-metadata", ("Columns", f"{EYE1}.json")),
    "Columns are text": (sidecar(TASK, Columns=CANARY, PhysioType="eyetrack"), "bad-metadata", ("Columns",)),
    "Columns twice": (sidecar(TASK, Columns=[*COLUMNS, "timestamp"]), "duplicate-column", ("Columns",)),
    "Columns without y": (
        sidecar(TASK, Columns=[*COLUMNS[:2], "b"]),
        "missing-column",
        ("Columns", "'y_coordinate'"),
    ),
    "Columns too few": (
        sidecar(TASK, Columns=COLUMNS[:3]),
        "too-many-fields",
        (f"{EYE1}.tsv.gz, line 1",),
    ),
    "Columns too many": (
        sidecar(TASK, Columns=[*COLUMNS, "more"]),
        "too-few-fields",
        (f"{EYE1}.tsv.gz, line 1",),
    ),
    "Columns of names": (
        sidecar(TASK, Columns=[*COLUMNS[:3], "task"]),
        "column-named-twice",
        ("'task'", f"{EYE1}.json"),
    ),
    "no eye": (
        sidecar(RecordedEye=None),
        "missing-metadata",
        ("RecordedEye", "left, right, cyclopean"),  # not a sentence: values of the standard
    ),
    "another eye": (sidecar(RecordedEye=CANARY), "bad-metadata", ("RecordedEye",)),
    "no frequency": (sidecar(TASK, SamplingFrequency=None), "missing-metadata", ("SamplingFrequency",)),
    "frequency 0": (sidecar(SamplingFrequency=0), "bad-metadata", ("SamplingFrequency", "Hz")),
    "no start": (sidecar(StartTime=None), "missing-metadata", ("StartTime",)),
    "start is text": (sidecar(StartTime=CANARY), "bad-metadata", ("StartTime",)),
    "units differ": (
        sidecar(x_coordinate={"Units": "deg"}),
        "units-differ",
        ("'x_coordinate'", "recording-eye2_physio.json", f"{EYE1.rsplit('/', 1)[1]}.tsv.gz"),
    ),
    "systems differ": (
        sidecar(SampleCoordinateSystem="eye-in-head"),
        "coordinate-systems-differ",
        ("SampleCoordinateSystem",),
    ),
    "not packed": (unpacked, "not-compressed", (f"{EYE1}.tsv", "gzip")),
    "no archive": (text(f"{EYE1}.tsv.gz", CANARY.encode()), "cannot-unpack", (f"{EYE1}.tsv.gz",)),
    "empty": (text(f"{EYE1}.tsv.gz", gzip.compress(b"")), "empty-file", (f"{EYE1}.tsv.gz",)),
    "a header": (first_line("\t".join(COLUMNS)), "unexpected-header", (f"{EYE1}.tsv.gz, line 1",)),
    "text in a sample": (
        first_line(f"5000\t{CANARY}\t1\t1"),
        "bad-number",
        (f"{EYE1}.tsv.gz, line 1, column 'x_coordinate'",),
    ),
    "no unit of time": (sidecar(TASK, timestamp=None), "units-differ", ("'timestamp'",)),
    "another unit of time": (clocks(CANARY), "unknown-clock", ("'timestamp'", f"{EYE1}.json", '"ms"')),
    "wrong unit of time": (clocks("s"), "times-do-not-fit-rate", (f"{EYE1}.tsv.gz", "'timestamp'")),
    "time goes back": (timed("5008", "5004", "5000"), "times-do-not-fit-rate", (f"{EYE1}.tsv.gz",)),
    "time is text": (
        timed("5000", CANARY),
        "bad-number",
        (f"{EYE1}.tsv.gz, line 2, column 'timestamp'",),
    ),
    "no first time": (timed("n/a", "5000"), "no-first-time", (f"{EYE1}.tsv.gz, line 1",)),
    "another clock": (
        sidecar("task-look_events.json", OnsetSource=CANARY),
        "events-of-other-clock",
        ("OnsetSource", f"{EYE1}.tsv.gz"),
    ),
    "no onset": (shown(f"n/a\t1\ta\t{GOOD}"), "missing-number", ("events.tsv, line 2, column 'onset'",)),
    "onset is text": (
        shown("0\t1\ta\tn/a", f"{CANARY}\t1\ta\t{GOOD}"),
        "bad-number",
        ("events.tsv, line 3, column 'onset'",),
    ),
    "no duration": (
        shown(f"0\tn/a\ta\t{GOOD}"),
        "missing-number",
        ("events.tsv, line 2, column 'duration'",),
    ),
    "infinite duration": (
        shown(f"0\tinf\ta\t{GOOD}"),
        "bad-number",
        ("events.tsv, line 2, column 'duration'",),
    ),
    "negative duration": (shown(f"0\t-1\ta\t{GOOD}"), "negative-duration", ("events.tsv, line 2",)),
    "no durations": (
        shown(f"0\t{GOOD}", header="onset\tstim_file"),
        "missing-column",
        ("events.tsv", "'duration'"),
    ),
    "two at once": (
        shown(f"0\t1\ta\t{GOOD}", "0\t1\ta\tb"),
        "events-at-same-time",
        ("'stim_file'", "events.tsv, lines 2 and 3"),
    ),
    "broken events": (shown(f"0\t1\t{CANARY}"), "too-few-fields", ("events.tsv, line 2",)),
}


@pytest.mark.parametrize("name", VARIANTS)
def test_malformed_datasets_are_refused(root: Path, name: str) -> None:
    change, code, names = VARIANTS[name]
    change(root)
    with refused(DataError, code, where=root) as caught:
        load_gaze(source(root), columns=GAZE, screen=Screen(800, 600), stimuli=IMAGES, missing=["n/a"])
    message = str(caught.value)
    assert caught.value.exit_code == 3
    assert caught.value.expected
    assert CANARY not in message
    for one in names:
        assert one in message, message


def test_files_of_other_kinds_are_counted_where_no_recording_is(root: Path) -> None:
    all_of_hearts(root)
    with refused(DataError, "no-recordings", where=root) as caught:
        read_table(source(root), ["subject"])
    assert figures(caught.value.found) == [8]


def test_what_is_no_dataset_is_refused(root: Path) -> None:
    for wrong, code in {
        root / "none": "no-such-folder",
        root / "README": "no-such-folder",
        root / "sub-01": "folder-in-bids-dataset",
        root.parent: "not-bids-root",
    }.items():
        with refused(DataError, code, where=wrong):
            read_table(source(wrong), ["subject"])
    with refused(DataError, "no-file-fits"):
        read_table(source(root, pattern="Q{x}"), ["subject"])
    with refused(DataError, "no-recordings") as caught:
        read_table(source(root, pattern="**/*_events.tsv"), ["subject"])
    assert "`pattern`" in caught.value.remedy
    with refused(DataError, "unknown-format") as caught:
        read_table(replace(source(root), format="bid"), ["subject"])
    assert "'bid'" in caught.value.problem
    assert "bids" in caught.value.expected
