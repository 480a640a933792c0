"""What a column is, by its name: as eye trackers' exports, analysis tools and people call it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from synthrelease.proposals.trackers import Point, Tracker, trackers

PERSON, STIMULUS, RECORDING, GROUPS, X, Y, TIME, DURATION = (
    "person",
    "stimulus",
    "recording",
    "groups",
    "x",
    "y",
    "time",
    "duration",
)
CHOSEN_ROLES = (STIMULUS, RECORDING, GROUPS, X, Y)  # that a curator may name
# A unit at the end of a name. Of lengths only pixels of the display: millimetres, or pixels of something else, are other columns.
_UNIT = re.compile(r"\s*\[(?P<unit>ns|[uµμ]s|ms|s|sec|px|DACS px)\]\s*$")
_UNITS_OF_TIME = {"ns": "ns", "us": "µs", "ms": "ms", "s": "s", "sec": "s"}
_COUNTER = re.compile(
    r"(^|_)(frame|index|idx|row|line|samples?|window|counter|number|nr|no|id)($|_)|^unnamed"
)


@dataclass(frozen=True)
class Roles:
    """The columns that are known by their names."""

    candidates: Mapping[str, tuple[str, ...]]  # by role, the likeliest first
    point: Point  # of the likeliest x and y
    tracker: Tracker | None  # that seems to have written the file
    columns: Mapping[str, str]  # by plain name

    def best(self, role: str) -> str | None:
        """Return the likeliest column of a role; None if there is none."""
        return next(iter(self.candidates[role]), None)

    @property
    def gaze(self) -> bool:
        """Whether rows are points on a screen."""
        return bool(self.best(X) and self.best(Y))

    def having(self, role: str, *columns: str) -> Roles:
        """Return the same roles, but with these columns for one of them."""
        return replace(self, candidates={**self.candidates, role: columns})

    def chosen(self, choices: Mapping[str, str]) -> Roles:
        """Return the same roles, but with the columns that a curator names for some of them."""
        candidates = {role: (column,) for role, column in choices.items()}
        point = Point("") if {X, Y} & set(choices) else self.point
        return replace(self, candidates={**self.candidates, **candidates}, point=point)

    def without(self, column: str) -> Roles:
        """Return the same roles, but without a column."""
        candidates = {role: tuple(c for c in names if c != column) for role, names in self.candidates.items()}
        return replace(self, candidates=candidates)

    @property
    def time_unit(self) -> str:
        """The unit of the times; empty if neither their name nor the tracker says so."""
        column = self.best(TIME)
        return "" if column is None else self.unit_of(column)

    def unit_of(self, column: str) -> str:
        """Return the unit of a column of times, by its name or the tracker; empty if neither says so, or it holds none."""
        if column not in self.candidates[TIME]:
            return ""
        match = _UNIT.search(column)
        last = match["unit"] if match else plain_name(column).rpartition("_")[2]
        return _UNITS_OF_TIME.get(plain_name(last)) or (self.tracker.time_unit if self.tracker else "")

    @property
    def screen_columns(self) -> list[str]:
        """The columns that hold the screen's size, if x and y are pixels of it; media have sizes of their own."""
        names = self.tracker.screen if self.tracker and "mcs" not in self.point.name else ()
        return [self.columns[name] for name in names if name in self.columns]

    @property
    def remarks(self) -> list[str]:
        """What a plan should say of the tracker, in sentences; nothing if it is not known."""
        if self.tracker is None:
            return []
        return [
            f"The columns look like those of {self.tracker.name}.",
            *([f"Its times are in {self.time_unit}."] if self.time_unit else []),
            *([self.tracker.note] if self.tracker.note else []),
        ]


def roles_of(columns: Sequence[str]) -> Roles:
    """Return the roles of columns by their names; a tracker's own names come before general ones."""
    by_plain_name = _by_plain_name(columns)
    # The names that give a tracker away are its own, to the letter: Tobii Studio's RecordingTimestamp is not Tobii Pro Lab's.
    common, tracker = trackers().common, trackers().of(by_plain_name)
    for column in columns:
        by_plain_name.setdefault(plain_name(in_words(_UNIT.sub("", column))), column)
    candidates = {
        role: _present(by_plain_name, (*(getattr(tracker, role) if tracker else ()), *getattr(common, role)))
        for role in (PERSON, STIMULUS, RECORDING, TIME)
    }
    candidates[GROUPS] = ()  # for the curator to name
    # Samples in a tracker's file may repeat a duration that is called as usual.
    candidates[DURATION] = _present(by_plain_name, (tracker or common).duration)
    # A tracker that knows no screen has no points, whatever else is called x.
    offered = (*tracker.points, *(common.points if tracker.points else ())) if tracker else common.points
    points = [point for point in offered if point.across in by_plain_name and point.down in by_plain_name]
    candidates[X] = _present(by_plain_name, (point.across for point in points))
    candidates[Y] = _present(by_plain_name, (point.down for point in points))
    return Roles(candidates, points[0] if points else Point(""), tracker, by_plain_name)


def plain_name(column: str) -> str:
    """Return a name in lower case, all but letters and numbers as one underscore."""
    return re.sub(r"[^a-z0-9]+", "_", re.sub("[µμ]", "u", column.lower())).strip("_")


def in_words(column: str) -> str:
    """Return a name that is written in one word as its words: FixX as Fix X, ImageName as Image Name."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", column)


def counts_rows(column: str) -> bool:
    """Return whether a column of this name seems to count rows, or to number something."""
    return _COUNTER.search(plain_name(in_words(column))) is not None


def _by_plain_name(columns: Sequence[str]) -> dict[str, str]:
    """Columns by plain name, and by plain name without a unit, or in the singular, where no other column is called so."""
    columns_by_name: dict[str, str] = {}
    for name in (
        plain_name,
        lambda column: plain_name(_UNIT.sub("", column)),
        lambda column: plain_name(column).removesuffix("s"),
    ):
        for column in columns:
            columns_by_name.setdefault(name(column), column)
    return columns_by_name


def _present(columns_by_name: Mapping[str, str], names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(columns_by_name[name] for name in names if name in columns_by_name))
