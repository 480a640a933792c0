"""Areas of interest as a plan, or a file, declares them: read and checked, each fault with its place."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synthrelease.data.area_shapes import ELSEWHERE, LABEL, POLYGON, RECTANGLE
from synthrelease.data.areas import Area, PlacedAreas
from synthrelease.data.label_image import read_label_image
from synthrelease.data.screen import Screen
from synthrelease.errors import PlanError
from synthrelease.files.reading import content_of
from synthrelease.files.toml_reading import MOST_TOML_BYTES, toml_tables

_SHAPES = {
    RECTANGLE: "[left, top, right, bottom] in pixels of the screen, left < right and top < bottom",
    POLYGON: "[[x, y], …], three corners or more in pixels of the screen",
    LABEL: "a whole number from 1, the value of the area's pixels in the label image",
}
_EXAMPLE = 'a table of areas, such as face = { rectangle = [100, 50, 300, 250] }; or "areas.toml", a file with that table'
_MOST_BYTES = 1 << 24  # of a file
_MOST_AREAS, _MOST_CORNERS, _LARGEST_LABEL = 1000, 10_000, 2**31 - 1
_NAME = re.compile(r"[^\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]{1,200}")  # as the manifest has labels


def read_areas(
    declared: Mapping[str, Any] | str,
    *,
    label_image: str | None,
    folder: Path,
    screen: Screen,
    stimuli: Sequence[str],
    where: str,
) -> PlacedAreas:
    """Read and check areas.

    Args:
        declared: name → {"rectangle" or "polygon" or "label": …, "stimuli": optional}; or the path of a TOML or JSON file with
            that table.
        label_image: path of the label images, "{stimulus}" standing for the stimulus; None if there are none.
        folder: what paths are relative to.
        screen: the screen that the areas are on.
        stimuli: the public list.
        where: place in the plan, for messages.

    Raises:
        PlanError: table, file or image cannot be used, with place, kind and remedy.
        MachineError: a file may not be read.
    """
    place = f"{where}: areas"
    if isinstance(declared, str):
        place = str(folder / declared)
        declared = _table(folder / declared)
    if not declared or len(declared) > _MOST_AREAS:
        raise PlanError(
            "too-many-areas" if declared else "no-areas",
            "no areas" if not declared else "too many areas",
            where=place,
            found="" if not declared else f"{len(declared)} areas",
            expected=_EXAMPLE if not declared else f"at most {_MOST_AREAS}",
            remedy="name at least one area" if not declared else "split them into several outputs",
        )
    areas = tuple(_area(name, body, place, screen, stimuli) for name, body in declared.items())
    labelled = [area for area in areas if area.shape == LABEL]
    _refuse_one_alone(labelled, label_image, where)
    if label_image is None:
        return PlacedAreas(areas)
    images = _images(label_image, folder, labelled, stimuli)
    for area in labelled:
        _check_label(area, images, f"{place}.{area.name}")
    return PlacedAreas(areas, images)


def _refuse_one_alone(labelled: Sequence[Area], label_image: str | None, where: str) -> None:
    """Refuse labels without an image, and an image without labels."""
    if label_image is None and labelled:
        raise PlanError(
            "area-label-without-image",
            f"the area '{labelled[0].name}' is a label, but there is no label image",
            where=where,
            expected='label_image = "labels/{stimulus}.png"',
            remedy="add label_image to the output, or give the area a rectangle or a polygon",
        )
    if label_image is not None and not labelled:
        raise PlanError(
            "image-without-area-label",
            "there is a label image, but no area is one of its labels",
            where=where,
            expected="NAME = { label = 1 } among the areas, or no label_image",
            remedy="name the labels of the image as areas, or leave out label_image",
        )


def _table(path: Path) -> dict[str, Any]:
    """Read a file of areas."""
    kind = "JSON" if path.suffix.lower() == ".json" else "TOML"
    raw = content_of(
        path,
        PlanError,
        "areas file",
        most_bytes=_MOST_BYTES,
        missing="correct the path: it is relative to the plan",
    )
    try:
        text = raw.decode("utf-8-sig")
        table = json.loads(text, object_pairs_hook=_no_key_twice) if kind == "JSON" else toml_tables(text)
    except UnicodeDecodeError:
        raise PlanError(
            "not-utf8",
            "the areas are not UTF-8 text",
            where=str(path),
            expected="a TOML or JSON file",
            remedy="save it as UTF-8",
        ) from None
    except (ValueError, RecursionError) as error:  # of both languages
        fault = "the tables are nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise PlanError(
            "bad-syntax",
            f"the areas are not valid {kind}",
            where=str(path),
            found=fault,
            expected=_EXAMPLE,
            remedy="correct the file"
            if kind == "JSON" or len(raw) <= MOST_TOML_BYTES
            else "write so many areas as JSON: NAME.json",
        ) from None
    if not isinstance(table, dict):
        raise PlanError(
            "no-area-table",
            "the file holds no table",
            where=str(path),
            expected=_EXAMPLE,
            remedy="write the table of areas into it",
        )
    return table


def _no_key_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse what JSON would settle in silence: of two areas of one name it would keep the last."""
    table: dict[str, Any] = {}
    for name, value in pairs:
        if name in table:
            raise ValueError(f"the name {name!r} occurs twice")
        table[name] = value
    return table


def _area(name: str, body: Any, place: str, screen: Screen, stimuli: Sequence[str]) -> Area:
    _check_name(name, place)
    where = f"{place}.{name}"
    if not isinstance(body, Mapping):
        raise PlanError(
            "area-not-table",
            "the area is not a table",
            where=where,
            expected="{ rectangle = [100, 50, 300, 250] }",
            remedy="write its shape as a table, in braces",
        )
    unknown = [key for key in body if key not in (*_SHAPES, "stimuli")]
    shapes = [key for key in _SHAPES if key in body]
    if unknown or len(shapes) != 1:
        raise PlanError(
            "unknown-area-key" if unknown else "not-one-shape",
            f"unknown key '{unknown[0]}'" if unknown else "an area has exactly one shape",
            where=where,
            found=", ".join(map(str, body)) or "an empty table",
            expected="one of rectangle, polygon, label; and stimuli, if not all have the area",
            remedy="keep one shape, and only stimuli besides it",
        )
    own_stimuli = _stimuli(body["stimuli"], f"{where}.stimuli", stimuli) if "stimuli" in body else None
    shape = shapes[0]
    value, where = body[shape], f"{where}.{shape}"
    if shape == LABEL:
        if not (type(value) is int and 1 <= value <= _LARGEST_LABEL):
            raise _no_shape(shape, value, where)
        return Area(name, shape, label=value, stimuli=own_stimuli)
    return Area(name, shape, _corners(shape, value, where, screen), stimuli=own_stimuli)


def _check_name(name: str, place: str) -> None:
    if not _NAME.fullmatch(name):
        raise PlanError(
            "bad-area-name",
            "the name of the area is not allowed",
            where=place,
            found=repr(name)[:80],
            expected="text of 1 to 200 characters on one line",
            remedy="rename the area",
        )
    if name == ELSEWHERE:
        raise PlanError(
            "reserved-area-name",
            f"no area can be called '{ELSEWHERE}'",
            where=place,
            expected="another name: this one is for what lies in no area",
            remedy="rename the area",
        )


def _stimuli(value: Any, where: str, stimuli: Sequence[str]) -> tuple[str, ...]:
    if not isinstance(value, list) or not value or not all(isinstance(s, str) for s in value):
        raise PlanError(
            "bad-area-stimuli",
            "the stimuli of an area are not a list of names",
            where=where,
            expected='["…", "…"]',
            remedy="write a list of names in quotes",
        )
    for name in value:
        if name not in stimuli or value.count(name) > 1:
            raise PlanError(
                "duplicate-area-stimulus" if name in stimuli else "unknown-area-stimulus",
                "a stimulus is named twice" if name in stimuli else f"there is no stimulus '{name}'",
                where=where,
                expected="once each, some of " + ", ".join(stimuli[:10]) + (", …" if stimuli[10:] else ""),
                remedy="correct the area's list of stimuli",
            )
    return tuple(value)


def _corners(shape: str, value: Any, where: str, screen: Screen) -> tuple[tuple[float, float], ...]:
    if shape == RECTANGLE:
        if not (isinstance(value, list) and len(value) == 4):
            raise _no_shape(shape, value, where)
        pairs = [value[:2], value[2:]]
    else:
        pairs = value if isinstance(value, list) else []
        if not 3 <= len(pairs) <= _MOST_CORNERS:
            raise _no_shape(shape, value, where)
    corners = []
    for pair in pairs:
        if not (isinstance(pair, list) and len(pair) == 2 and all(map(_is_number, pair))):
            raise _no_shape(shape, value, where)
        if not (0 <= pair[0] <= screen.width_px and 0 <= pair[1] <= screen.height_px):
            raise PlanError(
                "corner-off-screen",
                "a corner lies off the screen",
                where=where,
                found=f"({pair[0]}, {pair[1]})"[:80],
                expected=f"0 to {screen.width_px} across and 0 to {screen.height_px} down, edges included",
                remedy="clip the area at the edge of the screen",
            )
        corners.append((float(pair[0]), float(pair[1])))
    (x, y), (x_end, y_end) = corners[0], corners[-1]
    if (shape == RECTANGLE and not (x < x_end and y < y_end)) or len(set(corners)) < len(pairs[:3]):
        raise _no_shape(shape, value, where)
    return tuple(corners)


def _is_number(value: Any) -> bool:
    return type(value) is int or (isinstance(value, float) and math.isfinite(value))


def _no_shape(shape: str, value: Any, where: str) -> PlanError:
    return PlanError(
        "bad-shape",
        f"this is not a {shape}",
        where=where,
        found=str(value)[:80],
        expected=_SHAPES[shape],
        remedy="correct the shape",
    )


def _images(
    pattern: str, folder: Path, labelled: Sequence[Area], stimuli: Sequence[str]
) -> dict[str, NDArray[np.integer]]:
    """Read the label images of the stimuli that have an area in them, each file once."""
    files: dict[Path, NDArray[np.integer]] = {}
    images = {}
    for stimulus in stimuli:
        if any(area.stimuli is None or stimulus in area.stimuli for area in labelled):
            path = folder / pattern.replace("{stimulus}", stimulus)
            if path not in files:
                files[path] = read_label_image(path)
            images[stimulus] = files[path]
    return images


def _check_label(area: Area, images: Mapping[str, NDArray[np.integer]], where: str) -> None:
    """Expect a label in the images of all stimuli that the area names, or in one at least if it names none."""
    missing = [s for s in area.stimuli or images if not (images[s] == area.label).any()]
    if missing and (area.stimuli is not None or len(missing) == len(images)):
        raise PlanError(
            "label-not-in-image",
            f"the label {area.label} is not in the image",
            where=where,
            found="; ".join(f"the image of {s} has {_values_in_words(images[s])}" for s in missing[:3]),
            expected="a value of the label image",
            remedy="correct the label, or say under `stimuli` which images have it",
        )


def _values_in_words(image: NDArray[np.integer]) -> str:
    """Return the values of an image's pixels; it is public."""
    values = np.unique(image)
    return ", ".join(map(str, values[:10].tolist())) + (", …" if values.size > 10 else "")
