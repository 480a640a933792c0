"""What a column is, by its name: as eye trackers' exports, analysis tools and people call it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from synthrelease.proposal.tools import TOOLS, Point, Tool

PERSON, STIMULUS, RECORDING, X, Y, TIME, DURATION = (
    "person",
    "stimulus",
    "recording",
    "x",
    "y",
    "time",
    "duration",
)
# What people call them, and tools that have no entry of their own. The first of a row is the likeliest, ambiguous ones go last.
_NAMES: dict[str, tuple[str, ...]] = {
    PERSON: (
        "person",
        "participant",
        "participant_id",
        "participant_name",
        "subject",
        "subject_id",
        "subject_nr",  # OpenSesame
        "subj",
        "sub",
        "observer",
        "viewer",
        "worker",
        "user",
        "user_id",
        "who",
        "pid",
    ),
    STIMULUS: (
        "stimulus",
        "stimulus_name",
        "stimulusname",
        "stim",
        "stim_file",  # BIDS
        "image",
        "image_name",
        "img",
        "picture",
        "photo",
        "page",
        "video",
        "media",
        "media_name",
    ),
    RECORDING: (
        "recording",
        "recording_name",
        "session",
        "session_id",
        "condition",
        "task",
        "task_name",
        "block",
        "round",
        "run",
        "trial",
        "visit",
    ),
    TIME: (
        "time",
        "timestamp",
        "time_stamp",
        "t_center_s",
        "window_end_s",  # of `prepare`
        "onset_ms",
        "onset",
        "step",
        "time_ms",
        "time_s",
        "t_ms",
        "t_s",
        "sample_index",
        "fix_index",
        "t",
        "n",  # GazeBase
    ),
    DURATION: (
        "duration",
        "duration_ms",
        "fix_duration",
        "fixation_duration",
        "dur",
    ),
}
_POINTS = tuple(
    Point(name)
    for name in (
        "{}_px",
        "{}_pix",
        "gaze_{}",
        "gaze_{}_px",
        "gaze_point_{}",
        "fixation_point_{}",
        "pixel_{}",  # pymovements; of two eyes the left one's goes first
        "pixel_{}l",
        "pixel_{}r",
        "{}_coordinate",  # BIDS
        "por_{}",
        "fix_{}",
        "pos_{}",
        "{}p",
        "{}",
    )
)
# A unit at the end of a name. Of lengths only pixels of the display: millimetres, or pixels of something else, are other columns.
_UNIT = re.compile(r"\s*\[(?P<unit>ns|[uµμ]s|ms|s|sec|px|DACS px)\]\s*$")
_UNITS_OF_TIME = {"ns": "ns", "us": "µs", "ms": "ms", "s": "s", "sec": "s"}


@dataclass(frozen=True)
class Roles:
    """The columns that are known by their names, the likeliest first.

    Attributes:
        candidates: by role.
        coordinates: what x and y are, by the tool that calls them so.
        origin: where they are 0.
        tool: that seems to have written the file, if it is known.
        columns: by plain name.
    """

    candidates: dict[str, tuple[str, ...]]
    coordinates: str
    origin: str
    tool: Tool | None
    columns: Mapping[str, str]

    def best(self, role: str) -> str | None:
        """Return the likeliest column of a role; None if there is none."""
        return next(iter(self.candidates.get(role, ())), None)

    @property
    def time_unit(self) -> str:
        """The unit of the times; empty if neither their name nor the tool says so."""
        column = self.best(TIME)
        return "" if column is None else self.unit_of(column)

    def unit_of(self, column: str) -> str:
        """Return the unit of a column of times, by its name or the tool; empty if neither says so, or it holds none."""
        if column not in self.candidates[TIME]:
            return ""
        found = _UNIT.search(column)
        last = found["unit"] if found else plain_name(column).rpartition("_")[2]
        return _UNITS_OF_TIME.get(plain_name(last)) or (self.tool.time_unit if self.tool else "")

    def told(self) -> list[str]:
        """Return what a plan should say of the tool, in sentences; nothing if it is not known."""
        if self.tool is None:
            return []
        screen = " and ".join(
            json.dumps(self.columns[name], ensure_ascii=False)
            for name in self.tool.screen
            if name in self.columns
        )
        return [
            f"The columns look like those of {self.tool.name}.",
            *([f"Its times are in {self.time_unit}."] if self.time_unit else []),
            *([self.tool.note] if self.tool.note else []),
            *([f"The screen's own pixels stand in {screen}."] if screen else []),
        ]


def roles_of(columns: list[str]) -> Roles:
    """Return what columns are, by their names alone: a tool's own names go before those that anybody might give."""
    named = _by_plain_name(columns)
    tool = next((tool for tool in TOOLS if tool.wrote(named)), None)
    found = {
        role: _there(named, (*(getattr(tool, role) if tool else ()), *(names if _holds(tool, role) else ())))
        for role, names in _NAMES.items()
    }
    # A tool that knows no screen has no points, whatever else is called x.
    offered = (*tool.points, *(_POINTS if tool.points else ())) if tool else _POINTS
    points = [point for point in offered if point.across in named and point.down in named]
    found[X] = _there(named, tuple(point.across for point in points))
    found[Y] = _there(named, tuple(point.down for point in points))
    first = points[0] if points else Point("")
    return Roles(found, first.coordinates, first.origin, tool, named)


def plain_name(column: str) -> str:
    """Return a name in lower case, all but letters and numbers as one underscore."""
    return re.sub(r"[^a-z0-9]+", "_", re.sub("[µμ]", "u", column.lower())).strip("_")


def _holds(tool: Tool | None, role: str) -> bool:
    """Whether the usual names of a role hold: not of durations in a tool's file, which samples may repeat."""
    return tool is None or role != DURATION


def _by_plain_name(columns: list[str]) -> dict[str, str]:
    """Columns by plain name, and by plain name without a unit, or in the singular, where no other column is called so."""
    named: dict[str, str] = {}
    for name in (plain_name, lambda column: plain_name(_UNIT.sub("", column)), _singular):
        for column in columns:
            named.setdefault(name(column), column)
    return named


def _singular(column: str) -> str:
    return plain_name(column).removesuffix("s")


def _there(named: Mapping[str, str], names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(named[name] for name in names if name in named))
