"""What the metadata of a BIDS dataset say of the screen, the coordinates, and missing values: what a plan needs to be told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from synthrelease.data.coordinates import BOTTOM_LEFT, CENTRE, DEGREES, NORMALISED, PIXELS, TOP_LEFT
from synthrelease.data.readers.bids_dataset import NO_LABEL, BidsDataset
from synthrelease.data.readers.bids_recordings import check_alike, recordings_of, refuse_difference
from synthrelease.data.source import Source
from synthrelease.errors import DataError

_ORIGINS = {("top", "left"): TOP_LEFT, ("bottom", "left"): BOTTOM_LEFT, ("center", "center"): CENTRE}
_UNITS = {
    PIXELS: ("pixel", "pixels", "px"),
    NORMALISED: ("normalized", "normalised"),
    DEGREES: ("deg", "degree", "degrees", "°", "dva"),
}
_LARGEST_M = 20.0  # who writes more has written centimetres or millimetres


@dataclass(frozen=True)
class Described:
    """What metadata say; None, or nothing, of what they do not."""

    width_px: int | None
    height_px: int | None
    width_mm: float | None
    height_mm: float | None
    distance_mm: float | None  # from the eyes to the screen
    # As in a plan. BIDS does not say whether y grows downwards from the middle: "centre" may be "centre-y-up".
    origin: str | None
    coordinates: str | None  # what x and y are, as `coordinates` in a plan has it
    system: str | None  # such as "gaze-on-screen"
    units: dict[str, str]  # by column, as the sidecars have them
    missing: tuple[str, ...] = (NO_LABEL,)  # what marks missing values, as `missing` in a plan has it


def described(source: Source) -> Described:
    """Return what the metadata of a dataset's eye-tracking recordings say.

    Raises:
        DataError: it cannot be read, metadata cannot be used, or the screens or units of two recordings differ.
        MachineError: it cannot be read.
    """
    dataset = BidsDataset.at(source.path)
    recordings = recordings_of(dataset, source)
    check_alike(recordings)
    first: dict[str, tuple[Any, Path]] = {}
    for recording in recordings:
        about = dataset.metadata(recording.name, "events").get("StimulusPresentation")
        screen = _screen(about, recording.name.path) if isinstance(about, dict) else {}
        for key, value in screen.items():
            if value is not None:
                refuse_difference(first, key, value, recording, code="screens-differ")
    units = {column: unit for one in recordings for column in one.columns if (unit := one.unit(column))}
    known = {key: value for key, (value, _) in first.items()}
    width_px, height_px = known.get("ScreenResolution", (None, None))
    width_mm, height_mm = known.get("ScreenSize", (None, None))
    unit = units.get("x_coordinate", "").lower()
    return Described(
        width_px,
        height_px,
        width_mm,
        height_mm,
        known.get("ScreenDistance"),
        known.get("ScreenOrigin"),
        next((word for word, names in _UNITS.items() if unit in names), None),
        recordings[0].metadata.get("SampleCoordinateSystem"),
        units,
    )


def _screen(about: Mapping[str, Any], path: Path) -> dict[str, Any]:
    """What is told of a screen, in the units of a plan; None for what is not."""
    told: dict[str, Any] = {}
    size = _numbers(about, "ScreenSize", 2, path)
    told["ScreenSize"] = None if size is None else tuple(_millimetres("ScreenSize", size, path))
    resolution = _numbers(about, "ScreenResolution", 2, path)
    if resolution is not None and any(one != int(one) for one in resolution):
        raise _wrong("pixels-not-whole", "ScreenResolution", path, "two whole numbers of pixels")
    told["ScreenResolution"] = None if resolution is None else tuple(int(one) for one in resolution)
    distance = about.get("ScreenDistance")
    count = 3 if isinstance(distance, list) else 1  # x, y, z: the last one leads to the screen
    metres = _numbers(
        {"ScreenDistance": distance if count == 3 else [distance]}, "ScreenDistance", count, path
    )
    told["ScreenDistance"] = None if metres is None else _millimetres("ScreenDistance", metres[-1:], path)[0]
    origin = about.get("ScreenOrigin")
    words = tuple(origin) if isinstance(origin, list) and all(isinstance(one, str) for one in origin) else ()
    if origin is not None and words not in _ORIGINS:
        raise _wrong(
            "bad-screen-origin",
            "ScreenOrigin",
            path,
            '["top", "left"], ["bottom", "left"] or ["center", "center"]',
        )
    told["ScreenOrigin"] = _ORIGINS.get(words)
    return told


def _numbers(about: Mapping[str, Any], key: str, count: int, path: Path) -> list[float] | None:
    """Some numbers above 0 (the last one, of a distance); None if they are not told."""
    value = about.get(key)
    if value in (None, NO_LABEL, [None], [NO_LABEL]):
        return None
    numbers = value if isinstance(value, list) else []
    usable = all(isinstance(one, int | float) and not isinstance(one, bool) for one in numbers)
    above = numbers[-1:] if count == 3 else numbers  # x and y of a distance may be 0 or less
    if len(numbers) != count or not usable or not all(0 < one < 1e9 for one in above):
        raise _wrong(
            "bad-screen-number",
            key,
            path,
            "a number above 0" if count == 1 else f"{count} numbers above 0",
        )
    return [float(one) for one in numbers]


def _millimetres(key: str, metres: list[float], path: Path) -> list[float]:
    if any(one > _LARGEST_M for one in metres):
        raise _wrong("screen-not-in-metres", key, path, f"metres, such as 0.6; not more than {_LARGEST_M:g}")
    return [round(one * 1000, 6) for one in metres]


def _wrong(code: str, key: str, path: Path, expected: str) -> DataError:
    return DataError(
        code,
        f"what is said of the screen cannot be used: {key}",
        where=str(path),
        found="another value",
        expected=expected,
        remedy="correct StimulusPresentation in the sidecar of the recording's events",
    )
