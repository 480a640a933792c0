"""Trackers' software by the columns of its exports: the entries of trackers.toml, which says what each field means."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

from synthrelease.data.coordinates import PIXELS, TOP_LEFT

TYPED = "typed"  # the kind of a column that people fill in by hand


@dataclass(frozen=True)
class Point:
    """Two columns that say where a participant looked."""

    name: str  # of both, with {} where one has x and the other y
    coordinates: str = PIXELS
    origin: str = TOP_LEFT

    @property
    def across(self) -> str:
        """The plain name of x."""
        return self.name.format("x")

    @property
    def down(self) -> str:
        """The plain name of y."""
        return self.name.format("y")


@dataclass(frozen=True)
class Tracker:
    """What writes a kind of file; names of columns are plain."""

    name: str = ""
    signs: Sequence[Sequence[str]] = ()
    points: Sequence[Point] = ()
    person: Sequence[str] = ()
    stimulus: Sequence[str] = ()
    recording: Sequence[str] = ()
    time: Sequence[str] = ()
    duration: Sequence[str] = ()
    time_unit: str = ""
    screen: Sequence[str] = ()
    note: str = ""
    identifiers: Mapping[str, str] = field(default_factory=dict)  # kinds by column
    only: Mapping[str, Sequence[str]] = field(default_factory=dict)
    valid: Mapping[str, Sequence[float]] = field(default_factory=dict)

    def wrote(self, names: Collection[str]) -> bool:
        """Whether a file with columns of these plain names looks like one of its."""
        return any(all(name in names for name in group) for group in self.signs)


@dataclass(frozen=True)
class Trackers:
    """All trackers that are known; `common` has the names that no tracker is known by."""

    common: Tracker
    known: tuple[Tracker, ...]
    identifiers: Mapping[str, str]  # in words, by kind

    def of(self, names: Collection[str]) -> Tracker | None:
        """Return the first one that seems to have written columns of these plain names."""
        return next((tracker for tracker in self.known if tracker.wrote(names)), None)


@cache
def trackers() -> Trackers:
    """Return the trackers of trackers.toml."""
    document = table("trackers")
    known = tuple(_tracker(entry, document["notes"]) for entry in document["tracker"])
    return Trackers(_tracker(document["common"], {}), known, document["identifiers"])


def table(name: str) -> dict[str, Any]:
    """Return one of the TOML files in this folder."""
    return tomllib.loads((files(__package__) / f"{name}.toml").read_text("utf-8"))


def _tracker(entry: dict[str, Any], shared: Mapping[str, str]) -> Tracker:
    origin = entry.pop("origin", TOP_LEFT)
    points = tuple(
        Point(point, PIXELS, origin) if isinstance(point, str) else Point(name, coordinates, origin)
        for point in entry.pop("points", ())
        for coordinates, name in (point if isinstance(point, dict) else {PIXELS: point}).items()
    )
    note = " ".join(shared.get(sentence, sentence) for sentence in entry.pop("notes", ()))
    identifiers = {name: kind for kind, names in entry.pop("identifiers", {}).items() for name in names}
    return Tracker(points=points, note=note, identifiers=identifiers, **entry)
