"""BIDS datasets that are not as the standard, or a plan, has them."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bids_dataset import COLUMNS, EYE1, IMAGES, RUN, edited, events
from bids_dataset import written as dataset

from malformed.case import PERSON, VALUE, Case, Family, Write, bytewise, cut, put, swapped

ROOT = "dataset"
DESCRIPTION, SIDECAR, EVENTS = (
    f"{ROOT}/{name}" for name in ("dataset_description.json", "task-look_physio.json", f"{RUN}_events.tsv")
)
SAMPLES, OWN = f"{ROOT}/{EYE1}.tsv.gz", f"{ROOT}/{EYE1}.json"
INPUT = {
    "kind": "gaze",
    "path": ROOT,
    "format": "bids",
    "pattern": "**/*_recording-eye1_physio.tsv.gz",
    "columns": {
        "person": "subject",
        "stimulus": "stimulus",
        "x": "x_coordinate",
        "y": "y_coordinate",
        "time": "timestamp",
    },
    "screen": {"width_px": 800, "height_px": 600},
    "missing": ["n/a"],
    "stimuli": list(IMAGES),
}


def _write(folder: Path) -> None:
    """The dataset, and the private cells in samples and events."""
    dataset(folder / ROOT)
    for path in sorted((folder / ROOT).rglob("*_physio.tsv.gz")):
        rows = [row.split("\t") for row in gzip.decompress(path.read_bytes()).decode().splitlines()]
        for row in rows[8:]:
            row[1] = str(VALUE)
        path.write_bytes(gzip.compress("".join("\t".join(row) + "\n" for row in rows).encode(), mtime=0))
    for path in sorted((folder / ROOT).rglob("*_events.tsv")):
        path.write_text(path.read_text().replace("search", PERSON))


FAMILY = Family("BIDS", "bids", _write, INPUT, ROOT)


def _keys(file: str, **keys: Any) -> Write:
    return lambda folder: edited(folder / file, **keys)


def _samples(change: Callable[[str], str]) -> Write:
    return bytewise(
        SAMPLES,
        lambda content: gzip.compress(change(gzip.decompress(content).decode()).encode(), mtime=0),
    )


def _cell(column: int, cell: str) -> Write:
    """Another cell in the ninth sample."""

    def change(text: str) -> str:
        rows = [row.split("\t") for row in text.splitlines()]
        rows[8][column] = cell
        return "".join("\t".join(row) + "\n" for row in rows)

    return _samples(change)


def _events(*rows: str) -> Write:
    return lambda folder: events(folder / ROOT, *rows)


def _plain(folder: Path) -> None:
    path = folder / SAMPLES
    path.with_suffix("").write_bytes(gzip.decompress(path.read_bytes()))
    path.unlink()


def _removed(*files: str) -> Write:
    return lambda folder: [(folder / file).unlink() for file in files]


def _twice_told(folder: Path) -> None:
    text = (folder / SIDECAR).read_text()
    (folder / SIDECAR).with_name("physio.json").write_text(text)


def _no_recordings(folder: Path) -> None:
    for path in sorted((folder / ROOT).rglob("*_physio.tsv.gz")):
        path.unlink()


_OF_SAMPLES, _OF_OWN = Path(SAMPLES).name, Path(OWN).name
_OF_EVENTS = Path(EVENTS).name
_AT = f"{_OF_SAMPLES}, line 9"
_EVENT = f"0.04\t0.04\t{PERSON}\tsea.png"
_CASES = [
    ("no description", _removed(DESCRIPTION), "not-bids-root", ""),
    ("a description that is no JSON", swapped(DESCRIPTION, '"Name"', "Name"), "metadata-not-json", "dataset_description.json, line 2"),
    ("a description that is a list", put(DESCRIPTION, f'["{PERSON}"]'), "metadata-not-json", "dataset_description.json"),
    ("no sidecar", _removed(SIDECAR, OWN), "no-sidecar", _OF_SAMPLES),
    ("a sidecar that is cut off", cut(SIDECAR), "metadata-not-json", "task-look_physio.json, line"),
    ("a sidecar in latin-1", swapped(SIDECAR, "Invented", "Z\xfcrich".encode("latin-1")), "metadata-not-json", "task-look_physio.json"),
    ("an empty sidecar", put(OWN, b""), "metadata-not-json", _OF_OWN),
    ("two sidecars in one folder", _twice_told, "duplicate-metadata", _OF_SAMPLES),
    ("no kind of recording", _keys(SIDECAR, PhysioType=None), "missing-recording-type", _OF_OWN),
    ("a kind misspelt", _keys(SIDECAR, PhysioType="EyeTracking"), "bad-recording-type", _OF_OWN),
    ("no names of columns", _keys(SIDECAR, Columns=None), "missing-metadata", f"{_OF_OWN}; Columns"),
    ("a name of a column twice", _keys(SIDECAR, Columns=[*COLUMNS[:3], "timestamp"]), "duplicate-column", f"{_OF_OWN}; Columns"),
    ("no column of time", _keys(SIDECAR, Columns=["time", *COLUMNS[1:]]), "missing-column", f"{_OF_OWN}; Columns"),
    ("no sampling frequency", _keys(SIDECAR, SamplingFrequency="n/a"), "bad-metadata", f"{_OF_OWN}; SamplingFrequency"),
    ("no start", _keys(OWN, StartTime=None), "missing-metadata", f"{_OF_OWN}; StartTime"),
    ("an eye that no one has", _keys(OWN, RecordedEye="both"), "bad-metadata", f"{_OF_OWN}; RecordedEye"),
    ("more names than columns", _keys(OWN, Columns=[*COLUMNS, "lens"]), "too-few-fields", f"{_OF_SAMPLES}, line 1"),
    ("fewer names than columns", _keys(OWN, Columns=COLUMNS[:3]), "too-many-fields", f"{_OF_SAMPLES}, line 1"),
    ("other units in one recording", _keys(OWN, x_coordinate={"Units": "cm"}), "units-differ", "_physio.json; 'x_coordinate'"),
    ("another coordinate system in one recording", _keys(OWN, SampleCoordinateSystem="gaze-in-world"), "coordinate-systems-differ", "_physio.json"),
    ("no unit of time", _keys(SIDECAR, timestamp={}), "units-differ", "_physio.json; 'timestamp'"),
    ("seconds that are milliseconds", _keys(OWN, SamplingFrequency=2.5), "times-do-not-fit-rate", _OF_SAMPLES),
    ("onsets on an unknown clock", _keys(f"{ROOT}/task-look_events.json", OnsetSource="scanner"), "events-of-other-clock", _OF_SAMPLES),
    ("samples that are cut off", cut(SAMPLES), "cannot-unpack", _OF_SAMPLES),
    ("samples with an ending of packed ones", put(SAMPLES, f"1\t{VALUE}\t2\t3\n"), "cannot-unpack", _OF_SAMPLES),
    ("no samples", put(SAMPLES, b""), "empty-file", _OF_SAMPLES),
    ("a header line", _samples(lambda text: "\t".join(COLUMNS) + "\n" + text), "unexpected-header", f"{_OF_SAMPLES}, line 1"),
    ("commas", _samples(lambda text: text.replace("\t", ",")), "too-few-fields", f"{_OF_SAMPLES}, line 1"),
    ("text where a number belongs", _cell(1, PERSON), "bad-number", f"{_AT}, column 'x_coordinate'"),
    ("NaN", _cell(1, "NaN"), "nan", f"{_AT}, column 'x_coordinate'"),
    ("a point off the screen", _cell(1, "8281.5"), "point-off-screen", f"{_AT}, column 'x_coordinate' or 'y_coordinate'"),
    ("a time that is text", _cell(0, "12:30:01"), "bad-number", f"{_AT}, column 'timestamp'"),
    ("a first sample without a time", _samples(lambda text: "n/a" + text[text.index("\t"):]), "no-first-time", f"{_OF_SAMPLES}, line 1"),
    ("a negative duration", _events(_EVENT.replace("\t0.04", "\t-0.04")), "negative-duration", f"{_OF_EVENTS}, line 2"),
    ("an event without an onset", _events(_EVENT, "n/a" + _EVENT[4:]), "missing-number", f"{_OF_EVENTS}, line 3, column 'onset'"),
    ("an event without a duration", _events(_EVENT.replace("\t0.04", "\tn/a")), "missing-number", f"{_OF_EVENTS}, line 2, column 'duration'"),
    ("events that begin at once", _events(_EVENT, _EVENT.replace("sea", "sky")), "events-at-same-time", f"{_OF_EVENTS}, lines 2 and 3"),
    ("events without durations", lambda folder: events(folder / ROOT, "0.04\tsea.png", header="onset\tstim_file"), "missing-column", f"{_OF_EVENTS}; 'duration'"),
    ("events cut off in a row", bytewise(EVENTS, lambda text: text[:-12]), "too-few-fields", f"{_OF_EVENTS}, line 3"),
    ("events in UTF-16", bytewise(EVENTS, lambda text: text.decode().encode("utf-16")), "utf16-or-binary", _OF_EVENTS),
    ("no events", put(EVENTS, b""), "empty-file", _OF_EVENTS),
]  # fmt: skip
CASES = [
    *(Case(name, FAMILY, damage, code, place) for name, damage, code, place in _CASES),
    Case("no recordings", FAMILY, _no_recordings, "no-recordings", input={"pattern": None}),
    Case("samples that are not packed", FAMILY, _plain, "not-compressed", _OF_SAMPLES[:-3], input={"pattern": "**/*_recording-eye1_physio.tsv*"}),
    Case("a subject's folder", FAMILY, lambda _: None, "folder-in-bids-dataset", "sub-01", input={"path": f"{ROOT}/sub-01"}),
    Case("a folder that is not there", FAMILY, lambda _: None, "no-such-folder", file="data", input={"path": "data"}),
    Case("both eyes", FAMILY, lambda _: None, "duplicate-time", "_physio.tsv.gz, line 6", input={"pattern": None}),
    Case("a pattern of no recording", FAMILY, lambda _: None, "no-file-fits", input={"pattern": "**/*_eye3_*"}),
]  # fmt: skip
