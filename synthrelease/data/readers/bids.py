"""BIDS datasets with eye tracking (BIDS 1.11): all recordings of all participants as one table.

A row is a sample of a `_physio.tsv.gz` whose metadata say `"PhysioType": "eyetrack"`. Its columns are those that the sidecar names; the labels of the
file's name (`subject`, `session`, `task`, `acquisition`, `run`, `recording`, … as far as any recording has them); `eye`; and, where the run has events,
`stimulus` (`stim_file`) and `trial_type` of the event that holds the sample. What a name or an event does not say is "n/a". A `pattern` chooses among the recordings.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from synthrelease.data.readers.bids_dataset import DESCRIPTION, NO_LABEL, BidsDataset
from synthrelease.data.readers.bids_recordings import EyeRecording, check_alike, recordings_of
from synthrelease.data.readers.bids_samples import EVENT_COLUMNS, BidsSamples, SampleSource
from synthrelease.data.readers.delimited import Delimited
from synthrelease.data.readers.folder import File, Folder
from synthrelease.data.source import Source
from synthrelease.errors import DataError

_SECONDS = {
    1.0: ("s", "sec", "second", "seconds"),
    1e-3: ("ms", "msec", "millisecond", "milliseconds"),
    1e-6: ("us", "µs", "μs", "usec", "microsecond", "microseconds"),
    1e-9: ("ns", "nsec", "nanosecond", "nanoseconds"),
}


class Bids(Folder):
    """Reader of the eye-tracking recordings of a BIDS dataset."""

    name = "bids"
    formats = "a BIDS dataset"
    person = "subject"
    uses: tuple[str, ...] = ("pattern",)

    def __init__(self) -> None:
        super().__init__(lambda source: BidsSamples())  # noqa: ARG005  all files are of one kind

    def matches(self, path: Path) -> bool:  # noqa: ARG002  a plan says so
        """No folder is known by its name."""
        return False

    def holds(self, path: Path) -> bool:
        """Whether a folder says that it is a dataset; what is wrong in it is for `members` to say."""
        return (path / DESCRIPTION).is_file()

    def members(self, source: Source) -> list[File]:
        """Return the recordings.

        Raises:
            DataError: it is no dataset, has no such recordings, or its metadata are missing, wrong, or differ between recordings.
            MachineError: it cannot be read.
        """
        return _members(BidsDataset.at(source.path), source)

    def files(self, source: Source) -> list[Path]:
        """Return all files that rows are made of: recordings, their metadata and their events."""
        dataset = BidsDataset.at(source.path)
        files = [file.source for file in _members(dataset, source)]
        events = {file.events for file in files if isinstance(file, SampleSource) and file.events is not None}
        return [*(file.path for file in files), *sorted(dataset.metadata_files | events)]


def _members(dataset: BidsDataset, source: Source) -> list[File]:
    recordings = recordings_of(dataset, source)
    check_alike(recordings)
    keys = list(dict.fromkeys(key for recording in recordings for key in recording.name.cells))
    events = [
        next((name.path for name in dataset.applicable(recording.name, "events", ".tsv")), None)
        for recording in recordings
    ]
    columns = {path: Delimited().column_names(Source(path)) for path in events if path is not None}
    event_columns = [
        name for name, column in EVENT_COLUMNS.items() if any(column in names for names in columns.values())
    ]
    files = []
    for recording, events_path in zip(recordings, events, strict=True):
        cells = {key: recording.name.cells.get(key, NO_LABEL) for key in keys}
        cells |= {"eye": recording.metadata["RecordedEye"], **recording.cells}
        duplicates = sorted(set(cells) & set(recording.columns))
        if duplicates:
            raise DataError(
                "column-named-twice",
                f"the column '{duplicates[0]}' is one of the samples, and of what names of files or the pattern say, too",
                where=str(recording.sidecar),
                expected="a name of its own for every column",
                remedy="call it otherwise in the sidecar, or in the pattern",
            )
        file_source = SampleSource(
            recording.name.path,
            "\t",
            recording.columns,
            events=events_path,
            event_columns=tuple(
                name for name in event_columns if name not in cells and name not in recording.columns
            ),
            frequency_hz=float(recording.metadata["SamplingFrequency"]),
            sidecar=str(recording.sidecar),
            **_timing(dataset, recording),
        )
        files.append(File(file_source, cells))
    return files


def _timing(dataset: BidsDataset, recording: EyeRecording) -> dict[str, Any]:
    """How the samples' timestamps are brought to the clock of the events."""
    clock = dataset.metadata(recording.name, "events").get("OnsetSource")
    if clock is not None and clock not in recording.columns:
        raise DataError(
            "events-of-other-clock",
            "the onsets of events are on the clock of a column that the samples have not",
            where=str(recording.name.path),
            found="another OnsetSource",
            expected="a column of the recording, such as timestamp",
            remedy="correct OnsetSource in the sidecar of the events",
        )
    column = str(clock or "timestamp")
    unit = (recording.unit(column) or "").lower()
    seconds = next((size for size, names in _SECONDS.items() if unit in names), None)
    return {
        "clock": column,
        "unit_s": seconds,
        "start_s": None if clock else float(recording.metadata["StartTime"]),
    }
