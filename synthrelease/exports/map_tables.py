"""Heatmaps as tables: one for each stimulus, a row for each cell; and how many people's worth of map each is of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl

from synthrelease.exports.table import Column, Table
from synthrelease.report.drawn import DrawnMap, drawn_map
from synthrelease.report.released import Released


def map_tables(released: Released, output: dict[str, Any]) -> Iterator[Table]:
    """Yield a table of each stimulus's heatmap, and for spectral ones a table of masses."""
    stimuli = output["mechanism"]["parameters"]["stimuli"]
    for stimulus in stimuli:
        yield _map(drawn_map(released, output, stimulus), output, stimulus)
    if output["mechanism"]["name"] == "spectral":
        yield _masses(released, output, stimuli)


def value_name(output: dict[str, Any]) -> str:
    """Return the name of the column of a heatmap's values, which says what they count.

    Args:
        output: an entry of the manifest's `outputs`.
    """
    if output["mechanism"]["name"] == "spectral":
        return "attention"
    return "counts_per_person" if output["mechanism"]["public_inputs"]["people"] is not None else "counts"


def value_words(output: dict[str, Any]) -> str:
    """Return what a heatmap's values are, in a sentence."""
    blur = f"blurred with a standard deviation of {output['mechanism']['parameters']['blur_px']:g} px"
    if output["mechanism"]["name"] == "spectral":
        return f"Times even attention, 1 on average, {blur}."
    each = " for each person" if value_name(output) == "counts_per_person" else ""
    return f"Noised counts of samples{each}, {blur}; what is below zero is noise."


def _map(drawn: DrawnMap, output: dict[str, Any], stimulus: str) -> Table:
    cells = drawn.cells if drawn.window is not None else drawn.cells[None]
    _, rows, columns = cells.shape
    frame, row, column = (part.reshape(-1) for part in np.indices(cells.shape, dtype=np.int32))
    screen = drawn.look.screen
    name = value_name(output)
    found: dict[str, Any] = {"row": row, "column": column}
    found["x_px"] = (column + 0.5) * (screen.width_px / columns)
    found["y_px"] = (row + 0.5) * (screen.height_px / rows)
    described = [
        Column("stimulus", "string", "What was looked at.", labels=(stimulus,)),
        Column("row", "integer", "Row of the cell, from 0 at the top.", lowest=0, highest=rows - 1),
        Column("column", "integer", "Column of the cell, from 0 at the left.", lowest=0, highest=columns - 1),
        Column("x_px", "number", "Middle of the cell, from the left.", "px", 0, screen.width_px),
        Column("y_px", "number", "Middle of the cell, from the top.", "px", 0, screen.height_px),
        Column(name, "number", value_words(output)),
    ]
    found[name] = cells.reshape(-1)
    if drawn.uncertainty is not None:
        found["uncertainty"] = drawn.uncertainty.reshape(-1)
        words = "Standard deviation of the value's error, before negative values are ruled out."
        described.append(Column("uncertainty", "number", words, lowest=0))
    key = ["stimulus", "row", "column"]
    if drawn.window is not None:
        start, end = drawn.window
        edges = np.linspace(start, end, len(cells) + 1)
        found = {"frame": frame, "time_from": edges[frame], "time_to": edges[frame + 1], **found}
        unit = "in the unit that the window was given in"
        described[1:1] = [
            Column("frame", "integer", "Frame, from 0.", lowest=0, highest=len(cells) - 1),
            Column("time_from", "number", f"Start of the frame, {unit}.", "", start, end),
            Column("time_to", "number", f"End of the frame, {unit}.", "", start, end),
        ]
        key.insert(1, "frame")
    there = pl.DataFrame(found)
    return Table(
        stimulus,
        output["name"],
        f"Heatmap of {stimulus}",
        f"Heatmap of where people looked on {stimulus}, a row for each of {rows} × {columns} cells"
        + (f" and {len(cells)} frames." if drawn.window is not None else "."),
        tuple(described),
        tuple(key),
        there.select(pl.lit(stimulus).alias("stimulus"), pl.all()),
    )


def _masses(released: Released, output: dict[str, Any], stimuli: list[str]) -> Table:
    found = [released.values(output["name"], stimulus, "mass") for stimulus in stimuli]
    told = "Of how many people's worth of map the heatmap is, after clipping."
    return Table(
        "mass",
        output["name"],
        "Mass of each heatmap",
        "What the coefficients of each heatmap were divided by, with its error; a small mass means much noise.",
        (
            Column("stimulus", "string", "What was looked at.", labels=tuple(stimuli)),
            Column("mass", "number", told, "people"),
            Column("mass_error", "number", "Standard deviation of the mass's error.", "people"),
        ),
        ("stimulus",),
        pl.DataFrame(
            {
                "stimulus": stimuli,
                "mass": np.array([one[0] for one in found]),
                "mass_error": np.array([one[1] for one in found]),
            }
        ),
    )
