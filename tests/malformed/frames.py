"""Frames in memory that are not as a plan has them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import polars as pl

from malformed.case import PERSON, VALUE
from malformed.parquet import FRAME, ROW, cell

NAME = "frames['data']"


@dataclass(frozen=True)
class FrameCase:
    """One damage of a frame that a plan builds from.

    Attributes:
        name: what is wrong, in words.
        make: makes the frame.
        code: of the error.
        place: where the error says that it is, and what it names; parts apart by "; ".
    """

    name: str
    make: Callable[[], Any]
    code: str
    place: str = ""


def _with(*columns: pl.Expr) -> Callable[[], pl.DataFrame]:
    return lambda: FRAME.with_columns(*columns)


def _mixed(frame: Any) -> Any:
    frame["x"] = frame["x"].astype(object)
    frame.loc[ROW, "x"] = PERSON
    return frame


def _gaze() -> Any:
    import pymovements

    return pymovements.Gaze(samples=FRAME, pixel_columns=["x", "y"])


def _not_loaded() -> Any:
    import pymovements

    return pymovements.Dataset("ToyDataset", path="nowhere")


def _pandas(name: str, change: Callable[[Any], Any], code: str, place: str = "") -> FrameCase:
    return FrameCase(name, lambda: change(FRAME.to_pandas()), code, place)


CASES = [
    FrameCase("a path", lambda: f"{PERSON}.csv", "not-rows"),
    FrameCase("rows of a list", FRAME.rows, "not-rows"),
    FrameCase("a lazy frame", FRAME.lazy, "not-rows"),
    FrameCase("a column alone", lambda: FRAME["x"], "not-rows"),
    FrameCase("no rows", FRAME.clear, "no-rows"),
    FrameCase("no columns", pl.DataFrame, "unknown-column", "'who'"),
    FrameCase("a missing column", lambda: FRAME.rename({"x": "pixel_x"}), "unknown-column", "'x'"),
    _pandas("an index of people", lambda frame: frame.set_index("who"), "unknown-column", "'who'"),
    _pandas("numbers for names", lambda frame: frame.rename(columns={"x": 1}), "name-not-text"),
    _pandas("a name twice", lambda frame: frame.rename(columns={"y": "x"}), "duplicate-column"),
    _pandas("text among numbers, of pandas", _mixed, "not-plain-cells", "column 'x'"),
    _pandas("no one, of pandas", lambda frame: frame.astype({"who": object}).replace({"who": {PERSON: None}}), "missing-label", "row 8, column 'who'"),
    FrameCase("gaze of other names", _gaze, "unknown-column", "'x'"),
    FrameCase("a data set that is not loaded", _not_loaded, "no-gaze"),
    FrameCase("lists where numbers belong", _with(pl.concat_list("x", "y", "t").alias("x")), "not-plain-cells", "column 'x'"),
    FrameCase("objects", lambda: FRAME.with_columns(pl.Series("x", [object()] * FRAME.height, dtype=pl.Object)), "not-plain-cells", "column 'x'"),
    FrameCase("structs of people", _with(pl.struct("who").alias("who")), "not-plain-cells", "column 'who'"),
    FrameCase("dates where numbers belong", _with(pl.date(2026, 1, 1).alias("x")), "bad-column", "column 'x'"),
    FrameCase("times of the clock", _with(pl.time(12, "t").alias("t")), "bad-column", "column 't'"),
    FrameCase("truth values", _with((pl.col("x") > 5).alias("x")), "bad-column", "column 'x'"),
    FrameCase("coordinates in two columns", _with(pl.concat_list("x", "y").alias("pixel"), pl.lit(VALUE).alias("pixel_x")), "component-named-as-column", "column 'pixel_x'"),
    FrameCase("no one", _with(cell("who", None)), "missing-label", f"row {ROW}, column 'who'"),
    FrameCase("a control character in a label", _with(cell("who", PERSON + "\0x")), "bad-label", f"row {ROW}, column 'who'"),
    FrameCase("text among numbers", _with(cell("x", f"{VALUE} px")), "bad-number", f"row {ROW}, column 'x'"),
    FrameCase("NaN", _with(cell("y", float("nan"))), "nan", f"row {ROW}, column 'y'"),
    FrameCase("an infinite number", _with(cell("y", float("inf"))), "infinite-number", f"row {ROW}, column 'y'"),
    FrameCase("a point off the screen", _with(cell("y", 8281.0)), "point-off-screen", f"row {ROW}, column 'x' or 'y'"),
    FrameCase("a time twice", _with(cell("t", 1)), "duplicate-time", f"row {ROW}, column 't'"),
]  # fmt: skip
