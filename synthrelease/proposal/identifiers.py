"""What looks as if it said who somebody is, or when and where: to warn of before a plan is written."""

from __future__ import annotations

import re
from dataclasses import dataclass

import polars as pl

from synthrelease.proposal.roles import plain_name

_SHARE = 0.9  # of cells that must look so
_PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("addresses of e-mail", re.compile(r"[^@\s]+@[^@\s]+\.[a-zA-Z]{2,}")),
    (
        "dates",
        re.compile(
            r"(19|20)\d\d[-/.]?(0[1-9]|1[0-2])[-/.]?(0[1-9]|[12]\d|3[01])([ T_].*)?|\d{1,2}[./]\d{1,2}[./](19|20)?\d\d([ ,].*)?"
        ),
    ),
    ("times of the day", re.compile(r"([01]?\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?")),
    ("initials", re.compile(r"[A-Z]{2,3}|[A-Z]\.\s?[A-Z]\.")),
    ("names of people", re.compile(r"[A-ZÀ-Þ][a-zß-ÿ]+[ ,]+[A-ZÀ-Þ][a-zß-ÿ'’-]+")),
)
_PLACES = re.compile(r"(^|_)(gps|latitude|longitude|lat|lon|lng)($|_)")
_BORN = re.compile(r"(^|_)(birth\w*|dob|born)($|_)")
_UNIX_S = (1e9, 4e9)  # 2001 to 2096, in seconds; and a thousand, a million, a milliard times that
_WALL_CLOCK = 4


@dataclass(frozen=True)
class Finding:
    """A column that tells more than it should.

    Attributes:
        column: its name.
        what: it seems to hold.
    """

    column: str
    what: str


def telling_columns(frame: pl.DataFrame) -> list[Finding]:
    """Return the columns of some rows that seem to hold names, initials, dates, wall-clock stamps or places.

    By the names of the columns, and by the form of nine tenths of their distinct cells.
    """
    found = []
    for column in frame.columns:
        name = plain_name(column)
        if _PLACES.search(name):
            found.append(Finding(column, "places on earth"))
        elif _BORN.search(name):
            found.append(Finding(column, "dates of birth"))
        else:
            what = _of_cells(frame[column])
            if what:
                found.append(Finding(column, what))
    return found


def _of_cells(cells: pl.Series) -> str:
    distinct = cells.drop_nulls().unique()
    if distinct.dtype.is_temporal():
        return "dates"
    texts = [text.strip() for text in distinct.cast(pl.String).to_list() if text.strip()]
    if not texts:
        return ""
    for what, pattern in _PATTERNS:
        if sum(pattern.fullmatch(text) is not None for text in texts) >= _SHARE * len(texts):
            return what
    return "times of a clock on the wall" if _stamps(texts) else ""


def _stamps(texts: list[str]) -> bool:
    """Whether they are seconds since 1970, or thousandths and so on of them."""
    try:
        numbers = [float(text) for text in texts]
    except ValueError:
        return False
    low, high = _UNIX_S
    return any(
        all(low * 1000**k <= number < high * 1000**k for number in numbers) for k in range(_WALL_CLOCK)
    )
