"""True courses beside the released ones: for the curator's page alone."""

from __future__ import annotations

import io
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from synthrelease.number_words import short
from synthrelease.report.exhibits import Panel, Picture, Plate, TableCell, TableExhibit
from synthrelease.report.figures import write_png
from synthrelease.report.rasters import data_uri
from synthrelease.report.signal_figures import signals_figure

Course = NDArray[np.float64]


def compared_signals(
    truth: Mapping[str, Course],
    released: Mapping[str, Course],
    bands: Mapping[str, Course],
    *,
    title: str,
    y_label: str,
) -> Plate:
    """Return a chart of the released courses with their bands, and the true ones dashed, of a feature.

    Args:
        truth: by recording, shape (n,); NaN where nobody has the feature.
        released: by recording, shape (n,).
        bands: standard deviation of every step, where it is known.
        title: of the plate.
        y_label: what the values are.
    """
    steps = np.arange(len(next(iter(released.values()))))
    none = np.zeros(len(steps))
    known = {name: own for name, own in truth.items() if np.isfinite(own).all()}
    figure = signals_figure(
        {name: (own, bands.get(name, none)) for name, own in released.items()},
        x=steps,
        title="",
        y_label=y_label,
        x_label="step",
        caption=None,
        truth=known,
    )
    file = io.BytesIO()
    width, height = write_png(figure, file)
    rows = [
        (name, tuple(map(TableCell, (_range(known[name]) if name in known else "nobody", _range(own)))))
        for name, own in released.items()
    ]
    alt = f"Line chart of {y_label} over {len(steps)} steps: released courses, and the true ones dashed. "
    alt += "; ".join(f"{name}: true {cells[0].text}, released {cells[1].text}" for name, cells in rows[:6])
    return Plate(
        title,
        (Panel("", (Picture(data_uri(file.getvalue()), width, height, alt),)),),
        "Solid: released. Dashed: the truth, which stays private.",
        TableExhibit(f"{y_label}, by recording", ("recording", "true", "released"), tuple(rows)),
    )


def _range(course: Course) -> str:
    return f"{short(float(course.min()))} to {short(float(course.max()))}"
