"""What is known of how gaze was recorded: the screen, and what its coordinates are. Of the device and the format, never of where participants looked."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import polars as pl

from synthrelease.data.cells import Code
from synthrelease.data.coordinates import CENTRE, CENTRE_Y_UP, DEGREES, NORMALISED, PIXELS, TOP_LEFT
from synthrelease.data.readers import reader_for
from synthrelease.data.readers.bids_screen import screen_metadata
from synthrelease.data.readers.eyelink import EyeLink
from synthrelease.data.readers.opening import opened
from synthrelease.data.source import Source
from synthrelease.proposals.excerpt import labels_of
from synthrelease.proposals.missing_codes import NUMBERS, finite_values
from synthrelease.proposals.roles import Roles, X, Y

_MOST_POINTS = 0.98  # of points that must look so
_NORMALISED_RANGE = (-0.2, 1.2)  # of a screen, with room for what falls off it
_LARGEST_ANGLE_DEG = 60.0  # from the middle
_NEGATIVE_FRACTION = 0.1  # of coordinates that count from the middle, at least
_DISPLAY = re.compile(
    rb"^MSG\s+\S+\s+(?:DISPLAY|GAZE)_COORDS\s+0(?:\.0*)?[\s,]+0(?:\.0*)?[\s,]+(\d{1,6})(?:\.\d*)?[\s,]+(\d{1,6})\b",
    re.MULTILINE,
)
_SIZE = re.compile(r"\d{1,6}")  # 1920 x 1080
_HEAD_BYTES = 1 << 20  # of a recording, in which its messages about the screen are


@dataclass(frozen=True)
class Setting:
    """What a plan says of the screen and the coordinates."""

    screen: Mapping[str, float] = field(default_factory=dict)  # keys of the plan's `screen` that are known
    coordinates: str = PIXELS
    origin: str | None = TOP_LEFT  # None if that is not known
    missing: tuple[Code, ...] = ()  # what the format itself calls missing
    source: str = ""  # who says so; empty where only names and forms of columns do
    screens: tuple[tuple[int, int], ...] = ()  # width and height in pixels, where recordings have several
    guess: str = ""  # what only the form of the values suggests
    stimulus: str = ""  # the column that says what was looked at, where the format itself defines it

    @property
    def from_middle(self) -> bool:
        """Whether the point 0, 0 is the middle of the screen, where participants look."""
        return self.coordinates == DEGREES or (self.origin or "").startswith(CENTRE)


_GAZEBASE = Setting(
    {"width_px": 1680, "height_px": 1050, "width_mm": 474, "distance_mm": 550},
    DEGREES,
    CENTRE_Y_UP,
    source="Griffith et al. 2021",
    stimulus="task",
)


def setting_of(source: Source, first: Path, frame: pl.DataFrame, roles: Roles) -> Setting:
    """Return what is known of a source's screen and coordinates.

    Args:
        source: where the rows are.
        first: one of its files.
        frame: some of them.
        roles: of its columns.

    Raises:
        DataError, MachineError: the metadata of a BIDS dataset cannot be used.
    """
    if source.format == "gazebase":
        return _GAZEBASE
    if source.format == "bids":
        return _of_metadata(source)
    if isinstance(reader_for(Source(first)), EyeLink):
        return Setting(_display(first), source="the recording's own messages")
    if roles.tracker is not None:
        return _recorded(source, roles)
    return _of_values(frame, roles)


def _of_metadata(source: Source) -> Setting:
    metadata = screen_metadata(source)
    screen = {key: getattr(metadata, key) for key in ("width_px", "height_px", "width_mm", "distance_mm")}
    has_geometry = screen["width_mm"] is not None and screen["distance_mm"] is not None
    declared = {
        key: value
        for key, value in screen.items()
        if value is not None and (has_geometry or not key.endswith("_mm"))
    }
    # BIDS does not say whether y grows downwards from the middle.
    origin = None if metadata.origin == CENTRE else metadata.origin or TOP_LEFT
    return Setting(
        declared, metadata.coordinates or PIXELS, origin, metadata.missing, "the dataset's metadata"
    )


def _display(path: Path) -> dict[str, float]:
    with opened(path) as file:
        match = _DISPLAY.search(file.read(_HEAD_BYTES))
    return {} if match is None else {"width_px": int(match[1]) + 1, "height_px": int(match[2]) + 1}


def _recorded(source: Source, roles: Roles) -> Setting:
    """What a tracker's columns say; the screen, if all recordings have one."""
    setting = Setting(coordinates=roles.point.coordinates, origin=roles.point.origin)
    columns = roles.screen_columns
    if not columns:
        return setting
    rows = labels_of(source, columns).rows.drop_nulls().rows()
    screens = {tuple(map(int, _SIZE.findall(" x ".join(cells)))) for cells in rows}
    sizes = tuple(sorted((size[0], size[1]) for size in screens if len(size) == 2 and min(size)))
    if len(sizes) != 1:
        return replace(setting, screens=sizes)
    ((width_px, height_px),) = sizes
    names = " and ".join(f"'{column}'" for column in columns)
    return replace(
        setting,
        screen={"width_px": width_px, "height_px": height_px},
        source=f"the column {names}" if len(columns) == 1 else f"the columns {names}",
    )


def _of_values(frame: pl.DataFrame, roles: Roles) -> Setting:
    """What coordinates must be whose values are far too small for pixels."""
    columns = filter(None, (roles.best(X), roles.best(Y)))
    values = np.concatenate([np.zeros(0), *(finite_values(frame[column]) for column in columns)])
    values = values[~np.isin(values, NUMBERS)]
    if not values.size or bool((values == np.rint(values)).all()):
        return Setting()
    low, high = _NORMALISED_RANGE
    if np.mean((values >= low) & (values <= high)) >= _MOST_POINTS:
        return Setting(coordinates=NORMALISED, origin=None, guess="fractions of the screen (0 to 1)")
    if (
        np.mean(np.abs(values) <= _LARGEST_ANGLE_DEG) >= _MOST_POINTS
        and np.mean(values < 0) >= _NEGATIVE_FRACTION
    ):
        return Setting(coordinates=DEGREES, origin=None, guess="degrees of visual angle")
    return Setting()
