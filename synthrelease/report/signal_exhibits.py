"""What a page shows of signals: the mean course of every feature with its band, or a few people's noisy series."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import numpy as np

from synthrelease.number_words import listed, several, short
from synthrelease.report.drawn import DrawnCourse, drawn_course, drawn_labels
from synthrelease.report.exhibits import Cell, Panel, Picture, Plate, Shown, Table
from synthrelease.report.figures import write_png
from synthrelease.report.rasters import data_uri
from synthrelease.report.released import Released
from synthrelease.report.signal_figures import signals_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_PEOPLE = 4  # whose series are drawn
_DROWNED = 0.1  # of the bounds' width: what people differ by is seldom more
_LISTED = 12  # rows of a table beside a picture


def signal_exhibits(released: Released, output: dict[str, Any], most: int) -> Shown:
    """Return the signals of an output, `most` features of them."""
    if output["mechanism"]["parameters"]["query"] == "each":
        return _each(released, output)
    labels = drawn_labels(output)
    plates = [_course(drawn_course(released, output, label), label) for label in labels[:most]]
    words = (
        "The band around a course is one standard deviation of its error to each side, in the feature's unit.",
    )
    return Shown(tuple(plates), words, len(labels) - len(plates), "feature", exported=True)


def _course(course: DrawnCourse, label: str) -> Plate:
    figure = signals_figure(
        course.curves, x=course.steps, title="", y_label=course.y_label, x_label="step", caption=None
    )
    parts, rows = [], []
    for recording, (values, band) in course.curves.items():
        low, high, spread = (short(float(x)) for x in (values.min(), values.max(), np.median(band)))
        parts.append(f"{recording} between {low} and {high}, ± {spread}")
        rows.append((recording, tuple(map(Cell, (low, high, f"± {spread}")))))
    more = f" and {len(parts) - _LISTED} more" if len(parts) > _LISTED else ""
    alt = (
        f"Line chart of {course.y_label} over {len(course.steps)} steps: {'; '.join(parts[:_LISTED])}{more}."
    )
    table = Table(
        f"{course.y_label}, by recording",
        ("recording", "lowest", "highest", "uncertainty"),
        tuple(rows[:_LISTED]),
        "Uncertainty: one standard deviation, the middle of all steps.",
    )
    return Plate(
        label, (_panel(figure, alt),), "Mean over people; the band is ± one standard deviation.", table
    )


def _each(released: Released, output: dict[str, Any]) -> Shown:
    p, name = output["mechanism"]["parameters"], output["name"]
    feature, recording = p["features"][0], p["recordings"][0]
    values = np.empty((0, p["length"]))
    for rows in released.blocks(name, "values", (0, 0)):
        values = np.concatenate([values, rows[: _PEOPLE - len(values)]])
    # What has no noise of ours has no uncertainty that is known.
    known = output["noise"] is not None
    band = (
        released.values(name, recording, feature["name"], "uncertainty")
        if known
        else np.zeros(values.shape[1])
    )
    curves = {f"series {number}": (row, band) for number, row in enumerate(values, start=1)}
    title = f"{feature['name']}, {recording}"
    figure = signals_figure(
        curves,
        x=np.arange(values.shape[1]),
        title="",
        y_label=feature["name"],
        x_label="step",
        caption=None,
    )
    ends = f"from {short(float(values.min()))} to {short(float(values.max()))}"
    alt = f"Line chart of {len(values)} people's series of {feature['name']}, {ends}."
    caption = f"{several(len(values), 'series', 'series')}, of people in random order."
    if known:
        caption += f" The band is ± one standard deviation: {short(float(np.median(band)))}."
    words = [
        _noise_of_each(float(np.median(band)), feature["high"] - feature["low"])
        if known
        else "What these series tell of single people is not bounded by anything."
    ]
    every = len(p["features"]) * len(p["recordings"])
    if every > 1:
        others = listed([one["name"] for one in p["features"]]), listed(p["recordings"])
        words.append(f"Shown is the first of {every} combinations of {others[0]} with {others[1]}.")
    return Shown((Plate(title, (_panel(figure, alt),), caption),), tuple(words))


def _noise_of_each(deviation: float, width: float) -> str:
    told = (
        f"Every series must hide which person it is of, so it carries all the noise that others share in a mean: a standard deviation of "
        f"{short(deviation)}, where the bounds are {short(width)} wide."
    )
    drowned = " A single series is mostly noise, and only many of them together tell something."
    return told + (drowned if deviation > width * _DROWNED else "")


def _panel(figure: Figure, alt: str) -> Panel:
    file = io.BytesIO()
    width, height = write_png(figure, file)
    return Panel("", (Picture(data_uri(file.getvalue()), width, height, alt),))
