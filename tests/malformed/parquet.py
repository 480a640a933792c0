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


_TEXT = f"who,picture,x,y,t\n{PERSON},sea,{VALUE},1,1\n"
_CASES = [
    ("cut off", cut(FILE), "bad-parquet", ""),
    ("cut off in its foot", cut(FILE, 0.98), "bad-parquet", ""),
    ("its first bytes only", bytewise(FILE, lambda content: content[:4]), "bad-parquet", ""),
    ("no bytes", put(FILE, b""), "bad-parquet", ""),
    ("text", put(FILE, _TEXT), "bad-parquet", ""),
    ("encrypted", bytewise(FILE, lambda content: b"PARE" + content[4:-4] + b"PARE"), "bad-parquet", ""),
    ("a foot longer than the file", bytewise(FILE, _longer_foot), "bad-parquet", ""),
    ("a foot of noise", bytewise(FILE, _damaged_foot), "bad-parquet", ""),
    ("pages overwritten", bytewise(FILE, lambda content: content[:4] + b"\xff" * 200 + content[204:]), "bad-parquet", ""),
    ("a folder of parts", _folder, "path-is-folder", ""),
    ("no rows", _frame(lambda frame: frame.clear()), "no-rows", ""),
    ("no columns", _frame(lambda _: pl.DataFrame()), "unknown-column", "'who'"),
    ("a missing column", _frame(lambda frame: frame.rename({"x": "pixel_x"})), "unknown-column", "'x'"),
    ("lists where numbers belong", _columns(pl.concat_list("x", "y").alias("x")), "bad-column", "column 'x'"),
    ("structs where numbers belong", _columns(pl.struct("x", "y").alias("x")), "bad-column", "column 'x'"),
    ("dates where numbers belong", _columns(pl.date(2026, 1, 1).alias("x")), "bad-column", "column 'x'"),
    ("date and time of day", _columns(pl.datetime(2026, 1, 1, 12, "t").alias("t")), "bad-column", "column 't'"),
    ("durations", _columns(pl.duration(milliseconds="t").alias("t")), "bad-column", "column 't'"),
    ("truth values", _columns((pl.col("x") > 5).alias("x")), "bad-column", "column 'x'"),
    ("lists of people", _columns(pl.concat_list("who").alias("who")), "bad-column", "column 'who'"),
    ("structs of people", _columns(pl.struct("who").alias("who")), "bad-column", "column 'who'"),
    ("bytes of people", _columns(pl.col("who").cast(pl.Binary)), "bad-column", "column 'who'"),
    ("fractions of stimuli", _columns(pl.duration(milliseconds="t").alias("picture")), "bad-column", "column 'picture'"),
    ("no one", _columns(cell("who", None)), "missing-label", f"row {ROW}, column 'who'"),
    ("a control character in a label", _columns(cell("who", PERSON + "\r\n2")), "bad-label", f"row {ROW}, column 'who'"),
    ("text among numbers", _columns(cell("x", f"{VALUE} px")), "bad-number", f"row {ROW}, column 'x'"),
    ("NaN", _columns(cell("y", float("nan"))), "nan", f"row {ROW}, column 'y'"),
    ("an infinite number", _columns(cell("y", float("inf"))), "infinite-number", f"row {ROW}, column 'y'"),
    ("a point off the screen", _columns(cell("y", 8281.0)), "point-off-screen", f"row {ROW}, column 'x' or 'y'"),
    ("a time twice", _columns(cell("t", 1)), "duplicate-time", f"row {ROW}, column 't'"),
    ("a time missing", _columns(cell("t", None)), "missing-time", f"row {ROW}, column 't'"),
]  # fmt: skip
CASES = [
    *(Case(name, FAMILY, damage, code, place) for name, damage, code, place in _CASES),
    Case(
        "names in the plan, too",
        FAMILY,
        lambda _: None,
        "key-not-for-format",
        "`header`",
        input={"header": ["who", "picture", "x", "y", "t"]},
    ),
]
