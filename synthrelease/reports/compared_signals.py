"""Exact signals next to the released ones: only for the private report."""

from __future__ import annotations

import io
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from synthrelease.kinds.dataset import Axis
from synthrelease.number_words import short
from synthrelease.reports.exhibits import Panel, Picture, Plate, TableCell, TableExhibit
from synthrelease.reports.figures import write_png
from synthrelease.reports.population_plates import EXACT
from synthrelease.reports.rasters import data_uri
from synthrelease.reports.readings import chart_readings
from synthrelease.reports.signal_figures import signals_figure
from synthrelease.reports.views import x_label

Signal = NDArray[np.float64]


def compared_signals(
    truth: Mapping[str, Signal],
    released: Mapping[str, Signal],
    bands: Mapping[str, Signal],
    *,
    title: str,
    steps: Axis,
    y_label: str,
) -> Plate:
    """Return a chart of the released signals with their bands, and the exact ones dashed, of a feature.

    Args:
        truth: by recording, "" for the only one that no column names, shape (n,); NaN where no participant has the feature.
        released: by recording, shape (n,).
        bands: ± of every step (95 %), where it is known.
        title: of the plate.
        steps: the axis of time.
        y_label: what the values are.
    """
    no_band = np.zeros(len(steps))
    true_signals = {name: signal for name, signal in truth.items() if np.isfinite(signal).all()}
    figure = signals_figure(
        {name: (signal, bands.get(name, no_band)) for name, signal in released.items()},
        x=steps.values,
        title="",
        y_label=y_label,
        x_label=x_label(steps),
        caption=None,
        truth=true_signals,
    )
    file = io.BytesIO()
    width, height = write_png(figure, file)
    readings = chart_readings(
        figure,
        {name: (signal, bands.get(name, no_band)) for name, signal in released.items()},
        x=steps.values,
        x_label=x_label(steps),
        exact=true_signals,
        exact_words=EXACT,
    )
    rows = [
        (
            name or title,
            tuple(
                map(
                    TableCell,
                    (_range(true_signals[name]) if name in true_signals else "none", _range(signal)),
                )
            ),
        )
        for name, signal in released.items()
    ]
    alt = f"Line chart of {y_label} over {len(steps)} time steps: released time series, and the exact ones dashed. "
    alt += "; ".join(f"{name}: exact {cells[0].text}, released {cells[1].text}" for name, cells in rows[:6])
    by = "" if "" in released else ", by recording"
    return Plate(
        title,
        (Panel("", (Picture(data_uri(file.getvalue()), width, height, alt, readings=readings),)),),
        "Solid: released, band: ± (95 %). Dashed: exact (private).",
        TableExhibit(
            f"{y_label}{by}", ("recording" if by else "feature", "exact (private)", "released"), tuple(rows)
        ),
    )


def _range(signal: Signal) -> str:
    return f"{short(float(signal.min()))} to {short(float(signal.max()))}"
