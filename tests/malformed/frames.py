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
        problem: a fragment of the message.
        place: where the message says that it is.
    """

    name: str
    make: Callable[[], Any]
    problem: str
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


def _pandas(name: str, change: Callable[[Any], Any], problem: str, place: str = "") -> FrameCase:
    return FrameCase(name, lambda: change(FRAME.to_pandas()), problem, place, "pandas")


_ODD = "the column cannot be used"
CASES = [
    FrameCase("a path", lambda: f"{PERSON}.csv", "there are no rows in this object"),
    FrameCase("rows of a list", FRAME.rows, "there are no rows in this object"),
    FrameCase("a lazy frame", FRAME.lazy, "there are no rows in this object"),
    FrameCase("a column alone", lambda: FRAME["x"], "there are no rows in this object"),
    FrameCase("no rows", FRAME.clear, "the frame has no rows"),
    FrameCase("no columns", pl.DataFrame, "there is no column 'who'"),
    FrameCase("a missing column", lambda: FRAME.rename({"x": "pixel_x"}), "there is no column 'x'"),
    _pandas("an index of people", lambda frame: frame.set_index("who"), "there is no column 'who'"),
    _pandas("numbers for names", lambda frame: frame.rename(columns={"x": 1}), "a name that is no text"),
    _pandas("a name twice", lambda frame: frame.rename(columns={"y": "x"}), "two columns have the same name"),
    _pandas("text among numbers, of pandas", _mixed, _ODD, "column 'x'"),
    _pandas("nobody, of pandas", lambda frame: frame.astype({"who": object}).replace({"who": {PERSON: None}}), "a label is missing", "row 8, column 'who'"),
    FrameCase("gaze of other names", _gaze, "there is no column 'x'"),
    FrameCase("a data set that is not loaded", _not_loaded, "the dataset holds no gaze"),
    FrameCase("lists where numbers belong", _with(pl.concat_list("x", "y", "t").alias("x")), _ODD, "column 'x'"),
    FrameCase("objects", lambda: FRAME.with_columns(pl.Series("x", [object()] * FRAME.height, dtype=pl.Object)), _ODD, "column 'x'"),
    FrameCase("structs of people", _with(pl.struct("who").alias("who")), _ODD, "column 'who'"),
    FrameCase("dates where numbers belong", _with(pl.date(2026, 1, 1).alias("x")), _ODD, "column 'x'"),
    FrameCase("times of the clock", _with(pl.time(12, "t").alias("t")), _ODD, "column 't'"),
    FrameCase("truth values", _with((pl.col("x") > 5).alias("x")), _ODD, "column 'x'"),
    FrameCase("coordinates in two columns", _with(pl.concat_list("x", "y").alias("pixel"), pl.lit(VALUE).alias("pixel_x")), "two columns have the same name", "column 'pixel_x'"),
    FrameCase("nobody", _with(cell("who", None)), "a label is missing", f"row {ROW}, column 'who'"),
    FrameCase("a control character in a label", _with(cell("who", PERSON + "\0x")), "a label cannot be one", f"row {ROW}, column 'who'"),
    FrameCase("text among numbers", _with(cell("x", f"{VALUE} px")), "not a number", f"row {ROW}, column 'x'"),
    FrameCase("NaN", _with(cell("y", float("nan"))), "NaN", f"row {ROW}, column 'y'"),
    FrameCase("an infinite number", _with(cell("y", float("inf"))), "an infinite number", f"row {ROW}, column 'y'"),
    FrameCase("a point off the screen", _with(cell("y", 8281.0)), "off the screen", f"row {ROW}, column 'x' or 'y'"),
    FrameCase("a time twice", _with(cell("t", 1)), "a time stamp occurs twice", f"row {ROW}, column 't'"),
]  # fmt: skip
