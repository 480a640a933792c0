"""What the metadata of a BIDS dataset say of the screen, the coordinates and missing values, as a plan needs it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from synthrelease.data.coordinates import BOTTOM_LEFT, CENTRE, DEGREES, NORMALISED, PIXELS, TOP_LEFT
from synthrelease.data.readers.bids_dataset import NO_LABEL, BidsDataset, shown
from synthrelease.data.readers.bids_recordings import check_alike, is_number, recordings_of, refuse_difference
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
class ScreenMetadata:
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


def screen_metadata(source: Source) -> ScreenMetadata:
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
        presentation = dataset.metadata(recording.name, "events").get("StimulusPresentation")
        screen = _screen(presentation, recording.name.path) if isinstance(presentation, dict) else {}
        for key, value in screen.items():
            if value is not None:
                refuse_difference(first, key, value, recording, code="screens-differ")
    units = {
        column: unit
        for recording in recordings
        for column in recording.columns
        if (unit := recording.unit(column))
    }
    facts = {key: value for key, (value, _) in first.items()}
    width_px, height_px = facts.get("ScreenResolution", (None, None))
    width_mm, height_mm = facts.get("ScreenSize", (None, None))
    unit = units.get("x_coordinate", "").lower()
    return ScreenMetadata(
        width_px,
        height_px,
        width_mm,
        height_mm,
        facts.get("ScreenDistance"),
        facts.get("ScreenOrigin"),
        next((word for word, names in _UNITS.items() if unit in names), None),
        recordings[0].metadata.get("SampleCoordinateSystem"),
        units,
    )


def _screen(presentation: Mapping[str, Any], path: Path) -> dict[str, Any]:
    """A screen in the units of a plan; None for what the metadata lack."""
    screen: dict[str, Any] = {}
    size = _numbers(presentation, "ScreenSize", 2, path)
    screen["ScreenSize"] = None if size is None else tuple(_millimetres("ScreenSize", size, path))
    resolution = _numbers(presentation, "ScreenResolution", 2, path)
    if resolution is not None and any(number != int(number) for number in resolution):
        raise _bad_screen(
            "pixels-not-whole", "ScreenResolution", path, resolution, "two whole numbers of pixels"
        )
    screen["ScreenResolution"] = None if resolution is None else tuple(int(number) for number in resolution)
    distance = presentation.get("ScreenDistance")
    count = 3 if isinstance(distance, list) else 1  # x, y, z: the last one leads to the screen
    metres = _numbers(
        {"ScreenDistance": distance if count == 3 else [distance]}, "ScreenDistance", count, path
    )
    screen["ScreenDistance"] = (
        None if metres is None else _millimetres("ScreenDistance", metres[-1:], path)[0]
    )
    origin = presentation.get("ScreenOrigin")
    words = (
        tuple(origin) if isinstance(origin, list) and all(isinstance(word, str) for word in origin) else ()
    )
    if origin is not None and words not in _ORIGINS:
        raise _bad_screen(
            "bad-screen-origin",
            "ScreenOrigin",
            path,
            origin,
            '["top", "left"], ["bottom", "left"] or ["center", "center"]',
        )
    screen["ScreenOrigin"] = _ORIGINS.get(words)
    return screen


def _numbers(presentation: Mapping[str, Any], key: str, count: int, path: Path) -> list[float] | None:
    """Some numbers above 0 (of a distance, the last one); None if the metadata lack them."""
    value = presentation.get(key)
    if value in (None, NO_LABEL, [None], [NO_LABEL]):
        return None
    numbers = value if isinstance(value, list) else []
    above = numbers[-1:] if count == 3 else numbers  # x and y of a distance may be 0 or less
    if (
        len(numbers) != count
        or not all(map(is_number, numbers))
        or not all(0 < number < 1e9 for number in above)
    ):
        raise _bad_screen(
            "bad-screen-number",
            key,
            path,
            value,
            "a number above 0" if count == 1 else f"{count} numbers above 0",
        )
    return [float(number) for number in numbers]


def _millimetres(key: str, metres: list[float], path: Path) -> list[float]:
    if any(metre > _LARGEST_M for metre in metres):
        raise _bad_screen(
            "screen-not-in-metres", key, path, metres, f"metres, such as 0.6; not more than {_LARGEST_M:g}"
        )
    return [round(metre * 1000, 6) for metre in metres]


def _bad_screen(code: str, key: str, path: Path, value: object, expected: str) -> DataError:
    return DataError(
        code,
        f"what is said of the screen cannot be used: {key}",
        where=str(path),
        found=shown(value),
        expected=expected,
        remedy="correct StimulusPresentation in the sidecar of the recording's events",
    )
