"""The eye-tracking recordings of a BIDS dataset, with metadata that have been checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeGuard

from synthrelease.data.readers.bids_dataset import BidsDataset, BidsName, shown
from synthrelease.data.readers.folder import matching_files
from synthrelease.data.source import Source
from synthrelease.errors import DataError

_EYETRACK, _GENERIC = "eyetrack", "generic"
_SYSTEM = "SampleCoordinateSystem"
_EYES = ("left", "right", "cyclopean")
_NEEDED = ("timestamp", "x_coordinate", "y_coordinate")


@dataclass(frozen=True)
class EyeRecording:
    """A recording with its metadata."""

    name: BidsName  # of its file
    metadata: dict[str, Any]  # of its sidecars, the nearest first
    cells: dict[str, str]  # what the pattern says of it

    @property
    def sidecar(self) -> Path:
        """Where its metadata are, or should be."""
        return sidecar_of(self.name)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of its columns."""
        return tuple(self.metadata["Columns"])

    def unit(self, column: str) -> str | None:
        """Return the unit of a column as the sidecar has it; None if it does not say."""
        description = self.metadata.get(column)
        unit = description.get("Units") if isinstance(description, dict) else None
        return unit.strip() if isinstance(unit, str) else None


def recordings_of(dataset: BidsDataset, source: Source) -> list[EyeRecording]:
    """Return all eye-tracking recordings: name, metadata, and what the pattern says.

    Raises:
        DataError: there are none, or metadata are missing or wrong.
    """
    by_pattern = _by_pattern(source)
    recordings = []
    for name in dataset.all("physio", ".tsv.gz", ".tsv"):
        if by_pattern is not None and name.path not in by_pattern:
            continue
        metadata = dataset.metadata(name, "physio")
        if not _is_eyetrack(dataset, name, metadata):
            continue
        if name.ending != ".tsv.gz":
            raise DataError(
                "not-compressed",
                "a recording is not compressed",
                where=str(name.path),
                expected="_physio.tsv.gz",
                remedy=f"gzip {name.path.name}",
            )
        _check(name, metadata)
        recordings.append(
            EyeRecording(name, metadata, by_pattern[name.path] if by_pattern is not None else {})
        )
    if not recordings:
        raise DataError(
            "no-recordings",
            "the dataset has no eye-tracking recordings",
            where=str(dataset.root),
            found=f"{len(dataset.all('physio', '.tsv.gz', '.tsv'))} files of the suffix physio"
            + (" in all, none that the pattern and its metadata let through" if source.pattern else ""),
            expected='sub-…/…_physio.tsv.gz, and "PhysioType": "eyetrack" in its sidecar',
            remedy="correct the input's `pattern`, or `path`; in a dataset of files that are links, fetch them first",
        )
    return recordings


def _by_pattern(source: Source) -> dict[Path, dict[str, str]] | None:
    """What the pattern says of each file that fits it; None if there is no pattern."""
    if not source.pattern:
        return None
    return {file.source.path: file.cells for file in matching_files(replace(source, format=""))}


def _is_eyetrack(dataset: BidsDataset, name: BidsName, metadata: Mapping[str, Any]) -> bool:
    if not dataset.applicable(name, "physio", ".json"):
        raise DataError(
            "no-sidecar",
            "a recording has no sidecar",
            where=str(name.path),
            expected=f"{sidecar_of(name).name} next to it, or one further up that applies to it",
            remedy="write one, or take the recording out of the dataset",
        )
    kind = metadata.get("PhysioType", _GENERIC)
    if kind == _EYETRACK:
        return True
    columns = metadata.get("Columns")
    looks_so = isinstance(columns, list) and set(_NEEDED[1:]) <= {
        column for column in columns if isinstance(column, str)
    }
    if looks_so or (isinstance(kind, str) and kind.strip().lower().startswith("eye")):
        raise DataError(
            "bad-recording-type" if "PhysioType" in metadata else "missing-recording-type",
            "a recording seems to be of eyes, and its metadata do not say so",
            where=str(sidecar_of(name)),
            found="no PhysioType" if "PhysioType" not in metadata else shown(kind),
            expected=f'"PhysioType": "{_EYETRACK}"',
            remedy="correct the sidecar, or the one further up that says it",
        )
    return False


def _check(name: BidsName, metadata: Mapping[str, Any]) -> None:
    """Whether a recording's metadata are what BIDS requires of it."""
    columns = metadata.get("Columns")
    if not isinstance(columns, list) or not all(
        isinstance(column, str) and column.strip() for column in columns
    ):
        raise _bad_metadata(name, "Columns", metadata, "a list of the names of all columns")
    if len(set(columns)) < len(columns):
        raise _bad_metadata(name, "Columns", metadata, "every name once", code="duplicate-column")
    for column in _NEEDED:
        if column not in columns:
            raise _bad_metadata(
                name, "Columns", metadata, f"'{column}' among the names", code="missing-column"
            )
    if metadata.get("RecordedEye") not in _EYES:
        raise _bad_metadata(name, "RecordedEye", metadata, "one of " + ", ".join(_EYES))
    frequency = metadata.get("SamplingFrequency")
    if not is_number(frequency) or not 0 < frequency < 1e9:
        raise _bad_metadata(name, "SamplingFrequency", metadata, "a number of Hz above 0")
    start = metadata.get("StartTime")
    if not is_number(start) or not abs(start) < 1e9:
        raise _bad_metadata(name, "StartTime", metadata, "a number of seconds")


def is_number(value: Any) -> TypeGuard[float]:
    """Whether JSON has a number there."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _bad_metadata(
    name: BidsName, key: str, metadata: Mapping[str, Any], expected: str, *, code: str = ""
) -> DataError:
    return DataError(
        code or ("bad-metadata" if key in metadata else "missing-metadata"),
        f"the metadata of a recording cannot be used: {key}",
        where=str(sidecar_of(name)),
        found=_found(key, metadata),
        expected=expected,
        remedy="correct the sidecar, or the one further up that says it",
    )


def _found(key: str, metadata: Mapping[str, Any]) -> str:
    """What the metadata have there, if that is of the device; when a participant's recording began is private."""
    if key not in metadata:
        return "no such key, here or further up"
    return "another value" if key == "StartTime" else shown(metadata[key])


def check_alike(recordings: list[EyeRecording]) -> None:
    """Refuse recordings whose columns of one name have two units, or whose coordinates have two systems."""
    first: dict[str, tuple[Any, Path]] = {}
    for recording in recordings:
        for column in recording.columns:
            fact = f"the unit of '{column}'"
            refuse_difference(first, fact, recording.unit(column), recording, code="units-differ")
        system = recording.metadata.get(_SYSTEM)
        refuse_difference(first, _SYSTEM, system, recording, code="coordinate-systems-differ")


def refuse_difference(
    first: dict[str, tuple[Any, Path]], fact: str, value: Any, recording: EyeRecording, *, code: str
) -> None:
    """Refuse a value that is another one than of the first recording that has it; `first` keeps those, with their files."""
    first_value, path = first.setdefault(fact, (value, recording.name.path))
    if first_value != value:
        raise DataError(
            code,
            f"two recordings differ in {fact}",
            where=str(recording.sidecar),
            found=shown(value),
            expected=f"the same in all recordings: {shown(first_value)}, as of {path.name}",
            remedy="read them as inputs of their own, with a `pattern` each, or convert them",
        )


def sidecar_of(name: BidsName) -> Path:
    """Return where a recording's own metadata are, or should be."""
    return name.path.with_name(name.path.name.removesuffix(name.ending) + ".json")
