"""The curve of utility against ε as the private page shows it: a picture, words, and its numbers."""

from __future__ import annotations

import io
import math

from synthrelease.appraisal.appraised import Curve, Values
from synthrelease.appraisal.private_words import number
from synthrelease.report.exhibits import Cell, Panel, Picture, Plate, Table
from synthrelease.report.figures import write_png
from synthrelease.report.number_words import several
from synthrelease.report.rasters import data_uri
from synthrelease.report.signal_figures import trade_figure


def curve_plate(curve: Curve) -> Plate:
    """Return the curve as a plate; without a picture where nothing of it can be drawn."""
    means = [_mean(values) for values in curve.drawn]
    points = [
        (epsilon, values)
        for epsilon, values in zip(curve.epsilons, curve.drawn, strict=True)
        if math.isfinite(epsilon) and epsilon > 0 and any(math.isfinite(value) for value in values)
    ]
    rows = tuple(
        (
            f"ε = {number(epsilon)}",
            tuple(Cell(number(value)) for value in (mean, min(finite), max(finite)))
            if (finite := _finite(values))
            else (Cell(number(mean)),) * 3,
        )
        for epsilon, mean, values in zip(curve.epsilons, means, curve.drawn, strict=True)
    )
    without = curve.without_data
    told = "" if without is None else f" Without any data ({without[0]}) it is {number(without[1])}."
    table = Table(
        f"{curve.measure.name} of fresh releases",
        ("at", "mean", "lowest", "highest"),
        rows,
        f"Best: {number(curve.measure.best)}.{told}",
    )
    looked_at, items = curve.items
    if looked_at < items:
        told += (
            f" Looked at are {looked_at} of {items} that the output has, so that the means of all are others."
        )
    drawings = max((len(values) for values in curve.drawn), default=0)
    caption = (
        f"{curve.measure.name}: {curve.measure.meaning} (best: {number(curve.measure.best)}). Each dot is a fresh release of the same data, "
        f"{several(drawings, 'dot')} for each ε; the line is their mean. The upright line is the ε of this release, {number(curve.own)}.{told}"
    )
    title = f"{curve.measure.name} at other ε"
    if not points:
        return Plate(title, (), f"There is nothing to draw. {caption}", table)
    figure = trade_figure(
        [values for _, values in points],
        epsilons=[epsilon for epsilon, _ in points],
        own=curve.own,
        y_label=curve.measure.name,
        without_data=without,
    )
    file = io.BytesIO()
    width, height = write_png(figure, file)
    ends = [(epsilon, _mean(values)) for epsilon, values in (points[0], points[-1])]
    alt = (
        f"Chart of {curve.measure.name} against ε: on average {number(ends[0][1])} at ε = {number(ends[0][0])}, and "
        f"{number(ends[1][1])} at ε = {number(ends[1][0])}.{told}"
    )
    picture = Picture(data_uri(file.getvalue()), width, height, alt)
    return Plate(title, (Panel("", (picture,)),), caption, table)


def _finite(values: Values) -> list[float]:
    return [value for value in values if math.isfinite(value)]


def _mean(values: Values) -> float:
    finite = _finite(values)
    return math.fsum(finite) / len(finite) if finite else math.nan
