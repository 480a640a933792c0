"""What a page shows of areas of interest: shares with bars and error, and the moves between areas."""

from __future__ import annotations

from typing import Any

from synthrelease.number_words import short
from synthrelease.report.exhibits import Cell, Shown, Table
from synthrelease.report.released import Released

_NAMED = 30  # rows of a table


def area_exhibits(released: Released, output: dict[str, Any], most: int) -> Shown:
    """Return the shares of an output, of `most` stimuli."""
    p, name = output["mechanism"]["parameters"], output["name"]
    areas = [area["name"] for area in p["areas"]]
    viewers = output["mechanism"]["public_inputs"]["viewers"]
    tables = []
    for number, stimulus in enumerate(p["stimuli"][:most]):
        shares = released.values(name, stimulus, "dwell", "shares").tolist()
        spread = None if viewers is None else noise_deviation(output, viewers[number])
        tables.append(_dwell(stimulus, areas, shares, spread))
        if p["transitions"]:
            moves = released.values(name, stimulus, "transitions", "shares").tolist()
            tables.append(_moves(stimulus, areas, moves))
    return Shown(tuple(tables), _words(output), max(0, len(p["stimuli"]) - most), "picture")


def noise_deviation(output: dict[str, Any], viewers: int) -> float:
    """Return the standard deviation of a share's noise, before what it makes impossible is mended.

    Args:
        output: an entry of the manifest's `outputs`.
        viewers: of the stimulus.
    """
    whole: int = output["mechanism"]["parameters"]["half_range_grid_units"] * max(viewers, 1)
    return float(output["noise"]["standard_deviation"]) / whole


def _words(output: dict[str, Any]) -> tuple[str, ...]:
    if output["mechanism"]["public_inputs"]["viewers"] is None:
        p = output["mechanism"]["parameters"]
        people = float(output["noise"]["standard_deviation"]) / p["half_range_grid_units"]
        return (
            f"The noise of every share is as large as the looking of {short(people)} people (one standard deviation).",
        )
    return (
        (
            "± is one standard deviation of a share's noise, before what it makes impossible is mended: shares near 0 % "
            "or 100 % are off by less."
        ),
    )


def _dwell(stimulus: str, areas: list[str], shares: list[float], spread: float | None) -> Table:
    error = "" if spread is None else f" ± {_percent(spread)}"
    rows = [(area, (Cell(f"{_percent(s)}{error}", s),)) for area, s in zip(areas, shares, strict=True)]
    return Table(
        f"{stimulus}: share of looking", ("area", "share of looking"), tuple(rows[:_NAMED]), _cut(len(rows))
    )


def _moves(stimulus: str, areas: list[str], moves: list[list[float]]) -> Table:
    shown = areas[:_NAMED]
    most = max(max(row) for row in moves) or 1.0
    rows = [
        (
            area,
            tuple(
                Cell("–")
                if number == other
                else Cell(_percent(moves[number][other]), moves[number][other] / most)
                for other in range(len(shown))
            ),
        )
        for number, area in enumerate(shown)
    ]
    note = "Share among all moves on this picture, from the area of the row to that of the column. Bars: against the largest."
    return Table(
        f"{stimulus}: moves", ("from / to", *shown), tuple(rows), f"{note} {_cut(len(areas))}".strip()
    )


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _cut(number: int) -> str:
    return f"{number - _NAMED} more areas are in the bundle." if number > _NAMED else ""
