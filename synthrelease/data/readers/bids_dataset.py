"""A BIDS dataset's names and metadata: entities in names of files, and which metadata files apply to which data.

A file describes another where it lies in the same folder or above it, within the dataset, is of the right suffix, and has no entity in its name that the
other has not (the inheritance principle of BIDS). Of metadata that several files have, the nearest counts, key by key. Keys that are read may be
written in any case: `samplingfrequency` is `SamplingFrequency`.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from synthrelease.data.readers.opening import folders_below, opened
from synthrelease.errors import DataError

DESCRIPTION = "dataset_description.json"
NO_LABEL = "n/a"  # as BIDS marks what is missing; no label and no path of a stimulus may be so
_ENTITY = r"[A-Za-z]+-[^_/.]+"
_NAME = re.compile(rf"((?:{_ENTITY}_)*)([A-Za-z]+)(\.tsv\.gz|\.tsv|\.json)")
_COLUMNS = {
    "sub": "subject",
    "ses": "session",
    "acq": "acquisition",
    "ce": "ceagent",
    "rec": "reconstruction",
    "dir": "direction",
    "proc": "processing",
    "trc": "tracer",
}
_KEYS = {
    key.casefold(): key
    for key in (
        "PhysioType",
        "Columns",
        "SamplingFrequency",
        "StartTime",
        "RecordedEye",
        "SampleCoordinateSystem",
        "OnsetSource",
        "StimulusPresentation",
        "ScreenSize",
        "ScreenResolution",
        "ScreenDistance",
        "ScreenOrigin",
        "Units",
    )
}
_OF_OBJECTS = ("StimulusPresentation",)  # others that hold an object describe a column of that name
# That metadata may hold where others are expected: of the device and the standard, never of a participant.
_WORDS = re.compile(
    r"eye-?track(ing)?|generic|left|right|both|binocular|monocular|cyclopean|top|bottom|cent(er|re)|n/a|pixels?|px|deg(rees?)?|dva|"
    r"normali[sz]ed|[cm]?m|[mµun]?s|sec(onds)?|milliseconds|hz|gaze-(on-screen|in-world|on-object)",
    re.IGNORECASE,
)
_MOST_SHOWN = 4  # items of a list


@dataclass(frozen=True)
class BidsName:
    """What the name of a file says."""

    path: Path
    entities: dict[str, str]  # labels by the names' own keys, such as "sub"
    suffix: str
    ending: str  # ".tsv.gz", ".tsv" or ".json"

    @classmethod
    def of(cls, path: Path) -> BidsName | None:
        """Return what a name says; None if it is not made as BIDS has it."""
        match = _NAME.fullmatch(path.name)
        if match is None:
            return None
        pairs = (pair.partition("-") for pair in match[1].split("_") if pair)
        return cls(path, {key: label for key, _, label in pairs}, match[2], match[3])

    @property
    def cells(self) -> dict[str, str]:
        """Labels by the columns they become, such as `subject`."""
        return {_COLUMNS.get(key, key): label for key, label in self.entities.items()}

    def applies_to(self, data: BidsName) -> bool:
        """Whether it has no entity that the name of the data has not."""
        return self.entities.items() <= data.entities.items()


@dataclass
class BidsDataset:
    """The files of a dataset that hold rows of participants, and the metadata files that apply to them."""

    root: Path
    names: dict[Path, list[BidsName]]  # of the files in each folder: the root's own, and all of its subjects
    metadata_files: set[Path] = field(default_factory=set)  # that were read, for `stamp_of`
    _metadata: dict[Path, dict[str, Any]] = field(default_factory=dict)

    @classmethod
    def at(cls, root: Path) -> BidsDataset:
        """Look through a folder.

        Raises:
            DataError: it is none, or no dataset's root.
            MachineError: it cannot be read.
        """
        _, files = next(folders_below(root))
        if not (root / DESCRIPTION).is_file():
            above = next(
                (parent for parent in root.absolute().parents if (parent / DESCRIPTION).is_file()), None
            )
            raise DataError(
                "folder-in-bids-dataset" if above else "not-bids-root",
                "the folder is not the root of a BIDS dataset",
                where=str(root),
                found=f"no {DESCRIPTION}" + (" here, but one further up" if above else ""),
                expected=f"{DESCRIPTION}, and a folder sub-… for each person",
                remedy="name the dataset's own folder"
                if above
                else f"name the dataset's own folder, or write its {DESCRIPTION}",
            )
        names = {root: _bids_names(root, files)}
        for subject in sorted(root.glob("sub-*/")):
            names |= {folder: _bids_names(folder, files) for folder, files in folders_below(subject)}
        dataset = cls(root, names, {root / DESCRIPTION})
        dataset.load(root / DESCRIPTION)
        return dataset

    def all(self, suffix: str, *endings: str) -> list[BidsName]:
        """Return the subjects' files of a suffix."""
        folders = (names for folder, names in self.names.items() if folder != self.root)
        return [
            name for names in folders for name in names if name.suffix == suffix and name.ending in endings
        ]

    def applicable(self, data: BidsName, suffix: str, ending: str) -> list[BidsName]:
        """Return the files of a suffix that apply to a data file, the nearest first.

        Raises:
            DataError: two in one folder do.
        """
        applicable, folder = [], data.path.parent
        while True:
            candidates = [
                name
                for name in self.names.get(folder, [])
                if name.suffix == suffix and name.ending == ending and name.applies_to(data)
            ]
            exact = [name for name in candidates if name.entities == data.entities]
            if len(candidates) > 1 and not exact:
                raise DataError(
                    "duplicate-metadata",
                    "two files of one folder describe the same recording",
                    where=str(data.path),
                    found=" and ".join(name.path.name for name in candidates[:2]),
                    expected="one for each folder, or one of the recording's own name",
                    remedy="join them, or name one exactly as the recording",
                )
            applicable += exact or candidates
            if folder == self.root:
                return applicable
            folder = folder.parent

    def metadata(self, data: BidsName, suffix: str) -> dict[str, Any]:
        """Return the metadata of a file from all sidecars of a suffix; nothing if there are none."""
        sidecars = [name.path for name in self.applicable(data, suffix, ".json")]
        return {key: value for path in reversed(sidecars) for key, value in self.load(path).items()}

    def load(self, path: Path) -> dict[str, Any]:
        """Read a file of metadata.

        Raises:
            DataError: it is not a JSON object.
            MachineError: it cannot be read.
        """
        if path not in self._metadata:
            self.metadata_files.add(path)
            with opened(path) as file:
                raw = file.read()
            try:
                document = json.loads(raw.decode("utf-8-sig"))
            except (ValueError, RecursionError) as error:  # its message may quote the file
                line = getattr(error, "lineno", None)
                raise _not_json(path, f", line {line}" if line else "") from None
            if not isinstance(document, dict):
                raise _not_json(path, "")
            self._metadata[path] = _with_known_keys(document, path)
        return self._metadata[path]


def _bids_names(folder: Path, files: list[str]) -> list[BidsName]:
    return [name for file in sorted(files) if (name := BidsName.of(folder / file)) is not None]


def shown(value: Any) -> str:
    """Return a value of public metadata for a message: numbers and words of BIDS as they are, and only the kind of any other text."""
    match value:
        case str():
            return f'"{value}"' if _WORDS.fullmatch(value.strip()) else "another text"
        case list() | tuple():
            return (
                f"[{', '.join(map(shown, value[:_MOST_SHOWN]))}{', …' if len(value) > _MOST_SHOWN else ''}]"
            )
        case dict():
            return "an object"
        case _:
            return json.dumps(value)


def _with_known_keys(document: dict[str, Any], path: Path) -> dict[str, Any]:
    """Metadata with the keys that are read as BIDS spells them, also in the objects in it.

    Raises:
        DataError: one is there twice, with two values.
    """
    spelt: dict[str, Any] = {}
    for key, value in document.items():
        inner = _with_known_keys(value, path) if isinstance(value, dict) else value
        known = _KEYS.get(key.casefold(), key)
        name = known if (known in _OF_OBJECTS) == isinstance(value, dict) else key
        if name in spelt and spelt[name] != inner:
            raise DataError(
                "duplicate-metadata-key",
                f"the metadata have the key {name} twice, with two values",
                where=str(path),
                found=f"{name} in two spellings, of which one is {key}",
                expected=f"{name} once",
                remedy="remove one of them",
            )
        spelt[name] = inner
    return spelt


def _not_json(path: Path, line: str) -> DataError:
    return DataError(
        "metadata-not-json",
        "the metadata cannot be read",
        where=f"{path}{line}",
        expected="a JSON object: keys and values in braces",
        remedy="check the file with a JSON or BIDS validator",
    )
