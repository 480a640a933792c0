"""Areas of interest as tables: shares of looking, and of moves between areas."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl

from synthrelease.exports.columns import spread
from synthrelease.exports.table import Column, Table
from synthrelease.report.area_exhibits import noise_deviation
from synthrelease.report.released import Released


def area_tables(released: Released, output: dict[str, Any]) -> Iterator[Table]:
    """Yield a table of the shares of looking, and one of moves if they are released."""
    p = output["mechanism"]["parameters"]
    areas, stimuli = [area["name"] for area in p["areas"]], p["stimuli"]
    yield _dwell(released, output, stimuli, areas)
    if p["transitions"]:
        yield _moves(released, output, stimuli, areas)


def _dwell(released: Released, output: dict[str, Any], stimuli: list[str], areas: list[str]) -> Table:
    viewers = output["mechanism"]["public_inputs"]["viewers"]
    weighed = "durations" if output["mechanism"]["parameters"]["weight"] == "duration" else "samples"
    frame: dict[str, Any] = {
        "stimulus": spread(stimuli, np.repeat(np.arange(len(stimuli)), len(areas))),
        "area": spread(areas, np.tile(np.arange(len(areas)), len(stimuli))),
        "share": np.concatenate(
            [released.values(output["name"], stimulus, "dwell", "shares") for stimulus in stimuli]
        ),
    }
    columns = [
        Column("stimulus", "string", "What was looked at.", labels=tuple(stimuli)),
        Column("area", "string", "Area of interest; elsewhere is what no area holds.", labels=tuple(areas)),
        Column("share", "number", f"Share of looking, by {weighed}, on average over people.", "", 0, 1),
    ]
    if viewers is not None:
        frame["uncertainty"] = np.repeat([noise_deviation(output, count) for count in viewers], len(areas))
        words = "Standard deviation of the share's noise, before impossible shares are mended: near 0 and 1 they are off by less."
        columns.append(Column("uncertainty", "number", words, lowest=0))
    return Table(
        "dwell",
        output["name"],
        "Shares of looking by area",
        "How looking at each stimulus divides among its areas; the shares of a stimulus have the sum 1. An area that a stimulus "
        "does not have has a share of noise alone.",
        tuple(columns),
        ("stimulus", "area"),
        pl.DataFrame(frame),
    )


def _moves(released: Released, output: dict[str, Any], stimuli: list[str], areas: list[str]) -> Table:
    one, other = np.nonzero(~np.eye(len(areas), dtype=bool))
    shares = [released.values(output["name"], stimulus, "transitions", "shares") for stimulus in stimuli]
    return Table(
        "transitions",
        output["name"],
        "Shares of moves between areas",
        "How moves from one area to another divide among all moves on a stimulus, everybody who moved weighing the same. Staying is no move.",
        (
            Column("stimulus", "string", "What was looked at.", labels=tuple(stimuli)),
            Column("from_area", "string", "Area that was left.", labels=tuple(areas)),
            Column("to_area", "string", "Area that was looked at next.", labels=tuple(areas)),
            Column("share", "number", "Share among all moves on the stimulus.", "", 0, 1),
        ),
        ("stimulus", "from_area", "to_area"),
        pl.DataFrame(
            {
                "stimulus": spread(stimuli, np.repeat(np.arange(len(stimuli)), len(one))),
                "from_area": spread(areas, np.tile(one, len(stimuli))),
                "to_area": spread(areas, np.tile(other, len(stimuli))),
                "share": np.concatenate([matrix[one, other] for matrix in shares]),
            }
        ),
    )
