"""Parquet files that are not as a plan has them."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path

import polars as pl

from malformed.case import GAZE, PERSON, VALUE, Case, Family, Write, bytewise, cut, put, rows

FILE = "gaze.parquet"
FRAME = pl.DataFrame(rows(), schema=["who", "picture", "x", "y", "t"], orient="row")
FAMILY = Family(
    "Parquet", "parquet", lambda folder: FRAME.write_parquet(folder / FILE), {**GAZE, "path": FILE}, FILE
)
ROW = 10  # of the person, in every frame


def _frame(change: Callable[[pl.DataFrame], pl.DataFrame]) -> Write:
    return lambda folder: change(FRAME).write_parquet(folder / FILE)


def _columns(*columns: pl.Expr) -> Write:
    return _frame(lambda frame: frame.with_columns(*columns))


def cell(column: str, value: object) -> pl.Expr:
    """A column with another cell in the person's row."""
    return pl.when(pl.int_range(pl.len()) == ROW).then(pl.lit(value)).otherwise(pl.col(column)).alias(column)


def _folder(folder: Path) -> None:
    (folder / FILE).unlink()
    (folder / FILE).mkdir()
    FRAME.write_parquet(folder / FILE / "part-0.parquet")


def _longer_foot(content: bytes) -> bytes:
    return content[:-8] + struct.pack("<I", 1 << 30) + content[-4:]


def _damaged_foot(content: bytes) -> bytes:
    size = struct.unpack("<I", content[-8:-4])[0]
    return content[: -8 - size] + b"\xff" * size + content[-8:]


_BROKEN = "cannot be read as Parquet"
_ODD = "the column cannot be used"
_TEXT = f"who,picture,x,y,t\n{PERSON},sea,{VALUE},1,1\n"
_CASES = [
    ("cut off", cut(FILE), _BROKEN, ""),
    ("cut off in its foot", cut(FILE, 0.98), _BROKEN, ""),
    ("its first bytes only", bytewise(FILE, lambda content: content[:4]), _BROKEN, ""),
    ("no bytes", put(FILE, b""), _BROKEN, ""),
    ("text", put(FILE, _TEXT), _BROKEN, ""),
    ("encrypted", bytewise(FILE, lambda content: b"PARE" + content[4:-4] + b"PARE"), _BROKEN, ""),
    ("a foot longer than the file", bytewise(FILE, _longer_foot), _BROKEN, ""),
    ("a foot of noise", bytewise(FILE, _damaged_foot), _BROKEN, ""),
    ("pages overwritten", bytewise(FILE, lambda content: content[:4] + b"\xff" * 200 + content[204:]), _BROKEN, ""),
    ("a folder of parts", _folder, "the path is a folder", ""),
    ("no rows", _frame(lambda frame: frame.clear()), "the file has no rows", ""),
    ("no columns", _frame(lambda _: pl.DataFrame()), "there is no column 'who'", ""),
    ("a missing column", _frame(lambda frame: frame.rename({"x": "pixel_x"})), "there is no column 'x'", ""),
    ("lists where numbers belong", _columns(pl.concat_list("x", "y").alias("x")), _ODD, "column 'x'"),
    ("structs where numbers belong", _columns(pl.struct("x", "y").alias("x")), _ODD, "column 'x'"),
    ("dates where numbers belong", _columns(pl.date(2026, 1, 1).alias("x")), _ODD, "column 'x'"),
    ("date and time of day", _columns(pl.datetime(2026, 1, 1, 12, "t").alias("t")), _ODD, "column 't'"),
    ("durations", _columns(pl.duration(milliseconds="t").alias("t")), _ODD, "column 't'"),
    ("truth values", _columns((pl.col("x") > 5).alias("x")), _ODD, "column 'x'"),
    ("lists of people", _columns(pl.concat_list("who").alias("who")), _ODD, "column 'who'"),
    ("structs of people", _columns(pl.struct("who").alias("who")), _ODD, "column 'who'"),
    ("bytes of people", _columns(pl.col("who").cast(pl.Binary)), _ODD, "column 'who'"),
    ("fractions of stimuli", _columns(pl.duration(milliseconds="t").alias("picture")), _ODD, "column 'picture'"),
    ("nobody", _columns(cell("who", None)), "a label is missing", f"row {ROW}, column 'who'"),
    ("a control character in a label", _columns(cell("who", PERSON + "\r\n2")), "a label cannot be one", f"row {ROW}, column 'who'"),
    ("text among numbers", _columns(cell("x", f"{VALUE} px")), "not a number", f"row {ROW}, column 'x'"),
    ("NaN", _columns(cell("y", float("nan"))), "NaN", f"row {ROW}, column 'y'"),
    ("an infinite number", _columns(cell("y", float("inf"))), "an infinite number", f"row {ROW}, column 'y'"),
    ("a point off the screen", _columns(cell("y", 8281.0)), "off the screen", f"row {ROW}, column 'x' or 'y'"),
    ("a time twice", _columns(cell("t", 1)), "a time stamp occurs twice", f"row {ROW}, column 't'"),
    ("a time missing", _columns(cell("t", None)), "a time stamp is missing", f"row {ROW}, column 't'"),
]  # fmt: skip
CASES = [
    *(Case(name, FAMILY, damage, problem, place) for name, damage, problem, place in _CASES),
    Case(
        "names in the plan, too",
        FAMILY,
        lambda _: None,
        "`header` has no use here",
        input={"header": ["who", "picture", "x", "y", "t"]},
    ),
]
