"""What a page shows of heatmaps: the map with its uncertainty beside it on one scale, or a strip of frames."""

from __future__ import annotations

from typing import Any

import numpy as np

from synthrelease.number_words import short
from synthrelease.report.drawn import DrawnMap, drawn_labels, drawn_map
from synthrelease.report.exhibits import Panel, Picture, Plate, Shown
from synthrelease.report.figures import evenly_chosen
from synthrelease.report.rasters import SPREAD_COLOURS, VALUE_COLOURS, Map, data_uri, map_png, scale
from synthrelease.report.released import Released

_WIDTH_PX, _HEIGHT_PX = 480, 480  # a picture has at most
_FRAME_PX = 200
_THIRDS = (
    ("upper left", "top", "upper right"),
    ("left", "middle", "right"),
    ("lower left", "bottom", "lower right"),
)


def map_exhibits(released: Released, output: dict[str, Any], most: int) -> Shown:
    """Return the heatmaps of an output, `most` of them."""
    labels = drawn_labels(output)
    plates = [_plate(drawn_map(released, output, label), label) for label in labels[:most]]
    return Shown(tuple(plates), _words(output), len(labels) - len(plates), "heatmap", exported=True)


def _words(output: dict[str, Any]) -> tuple[str, ...]:
    if output["mechanism"]["name"] == "spectral" and output["mechanism"]["parameters"]["frames"] is not None:
        return (
            "The uncertainty of every place and frame is in the bundle, and its middle is told below each strip.",
        )
    if output["mechanism"]["name"] == "spectral":
        return (
            "Beside each heatmap stands its uncertainty: one standard deviation of every place, on the same scale.",
        )
    people = output["mechanism"]["public_inputs"]["people"]
    deviation = float(output["noise"]["standard_deviation"]) / (people or 1)
    unit = "counts per person" if people is not None else "counts"
    return (
        (
            f"Before the blur, the noise of every cell has a standard deviation of {short(deviation)} {unit}. The blur evens it "
            "out in part. What is below zero is noise, and is drawn as nothing."
        ),
    )


def _plate(drawn: DrawnMap, label: str) -> Plate:
    return _still(drawn, label) if drawn.window is None else _strip(drawn, label, drawn.window)


def _still(drawn: DrawnMap, label: str) -> Plate:
    shown, unit = np.clip(drawn.cells, 0, None), drawn.look.unit
    spread = drawn.uncertainty
    highest = float(shown.max())
    top = highest if spread is None else max(highest, float(spread.max()))
    where, peak = _place(shown), np.unravel_index(int(shown.argmax()), shown.shape)
    told = f"Most looked at: {where}, {short(highest, 3)} {unit}"
    if spread is not None:
        told += f" (± {short(float(spread[peak]), 3)} there)"
    alt = f"Heatmap of {label}. {told}."
    size = _size(drawn, _WIDTH_PX, _HEIGHT_PX)
    panels = [_panel("published", shown, VALUE_COLOURS, size, top=top, alt=alt, unit=unit)]
    if spread is not None:
        low, high = float(spread.min()), float(spread.max())
        alt = f"Uncertainty of that heatmap, one standard deviation: from {short(low, 3)} to {short(high, 3)} {unit}."
        panels.append(
            _panel(
                "uncertainty, on the same scale", spread, SPREAD_COLOURS, size, top=top, alt=alt, unit=unit
            )
        )
    return Plate(label, tuple(panels), f"{told}. {_scale_words(drawn)}")


def _strip(drawn: DrawnMap, label: str, window: tuple[float, float]) -> Plate:
    shown, unit = np.clip(drawn.cells, 0, None), drawn.look.unit
    chosen, top = evenly_chosen(len(shown)), float(shown.max())
    start, end = window
    size, pictures = _size(drawn, _FRAME_PX, _FRAME_PX), []
    for number in chosen:
        middle = start + (number + 0.5) / len(shown) * (end - start)
        own = shown[number]
        alt = f"Heatmap of {label} around time {short(middle)}. Most looked at: {_place(own)}, {short(float(own.max()), 3)} {unit}."
        png = map_png(own, top=top, colours=VALUE_COLOURS, width_px=size[0], height_px=size[1])
        pictures.append(Picture(data_uri(png), *size, alt, f"t = {short(middle)}"))
    caption = f"{len(chosen)} of {len(shown)} frames, each in the middle of its time, all on one scale. {_scale_words(drawn)}"
    if drawn.uncertainty is not None:
        spread = short(float(np.median(drawn.uncertainty)), 3)
        caption += (
            f" Uncertainty of a place: ± {spread} {unit} (one standard deviation, the middle of all places)."
        )
    return Plate(label, (Panel("", tuple(pictures), scale(VALUE_COLOURS, top=top, unit=unit)),), caption)


def _panel(
    heading: str, cells: Map, colours: str, size: tuple[int, int], *, top: float, alt: str, unit: str
) -> Panel:
    png = map_png(cells, top=top, colours=colours, width_px=size[0], height_px=size[1])
    return Panel(heading, (Picture(data_uri(png), *size, alt),), scale(colours, top=top, unit=unit))


def _scale_words(drawn: DrawnMap) -> str:
    screen, blur = drawn.look.screen, drawn.look.blur_px
    told = f"Screen {screen.width_px} × {screen.height_px} px, blur σ = {short(blur)} px"
    degrees = screen.pixels_per_degree
    return f"{told}." if degrees is None else f"{told} = {blur / degrees:.2g}°."


def _place(cells: Map) -> str:
    """Where a map is highest, in words."""
    if float(cells.max()) <= 0:
        return "nowhere"
    row, column = np.unravel_index(int(cells.argmax()), cells.shape)
    down, right = int(3 * (row + 0.5) / cells.shape[0]), int(3 * (column + 0.5) / cells.shape[1])
    return _THIRDS[down][right]


def _size(drawn: DrawnMap, width: int, height: int) -> tuple[int, int]:
    """Width and height of a picture that has the screen's form and no more than so many pixels."""
    screen = drawn.look.screen
    factor = min(width / screen.width_px, height / screen.height_px)
    return max(1, round(screen.width_px * factor)), max(1, round(screen.height_px * factor))
