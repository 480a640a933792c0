"""What looks as if it said who somebody is, or when and where: to warn of before a plan is written."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from synthrelease.proposal.roles import plain_name, roles_of
from synthrelease.proposal.tools import TYPED

# What a column may seem to hold.
ADDRESSES, DATES, TIMES_OF_DAY = "addresses of e-mail", "dates", "times of the day"
INITIALS, NAMES = "initials", "names of people"
PLACES, BIRTHS, DATED, CLOCK = (
    "places on earth",
    "dates of birth",
    "a date in its name",
    "times of a clock on the wall",
)
_SHARE = 0.9  # of cells that must look so
_PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (ADDRESSES, re.compile(r"[^@\s]+@[^@\s]+\.[a-zA-Z]{2,}")),
    (
        DATES,
        re.compile(
            r"(19|20)\d\d[-/.]?(0[1-9]|1[0-2])[-/.]?(0[1-9]|[12]\d|3[01])([ T_].*)?|\d{1,2}[./]\d{1,2}[./](19|20)?\d\d([ ,].*)?"
        ),
    ),
    (TIMES_OF_DAY, re.compile(r"([01]?\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?")),
    (INITIALS, re.compile(r"[A-Z]{2,3}|[A-Z]\.\s?[A-Z]\.")),
    (NAMES, re.compile(r"[A-ZÀ-Þ][a-zß-ÿ]+[ ,]+[A-ZÀ-Þ][a-zß-ÿ'’-]+")),
)
_PLACES = re.compile(r"(^|_)(gps|latitude|longitude|lat|lon|lng)($|_)")
_BORN = re.compile(r"(^|_)(birth\w*|dob|born)($|_)")
_DATED = re.compile(r"(19|20)\d\d[-/.]\d\d?[-/.]\d\d?")
# Labels that nobody typed in to know somebody by.
_CODE = re.compile(
    r"(p|s|vp|pp|id|sub|subj|subject|person|participant|respondent|user)?[ _-]?\d{1,4}", re.IGNORECASE
)
_SESSION = re.compile(r"(.+?)[ _-]+(s|ses|sess|session|visit|day|run|round|t|v)[ _-]?\d{1,2}", re.IGNORECASE)
_UNIX_S = (1e9, 4e9)  # 2001 to 2096, in seconds; and a thousand, a million, a milliard times that
_THOUSANDTHS = ("s", "ms", "µs", "ns")


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

    By the names of the columns, of the tool that seems to have written them above all, and by the form of nine tenths of their distinct cells.
    """
    found = []
    roles = roles_of(frame.columns)
    of_tool = (
        {roles.columns[name]: what for name, what in roles.tool.telling.items() if name in roles.columns}
        if roles.tool
        else {}
    )
    for column in frame.columns:
        name = plain_name(column)
        if _PLACES.search(name):
            found.append(Finding(column, PLACES))
        elif _BORN.search(name):
            found.append(Finding(column, BIRTHS))
        elif _DATED.search(column):  # Gazepoint's TIME(2021/07/13 …)
            found.append(Finding(column, DATED))
        else:
            what = _of_cells(frame[column], roles.unit_of(column)) or _of_tool(
                of_tool.get(column, ""), frame[column]
            )
            if what:
                found.append(Finding(column, what))
    return found


def differ_by_session(labels: Sequence[str]) -> bool:
    """Return whether labels look like those of a person in a session, such as P07_s2, and several persons have several of these."""
    matched = [found for label in labels if (found := _SESSION.fullmatch(label.strip()))]
    persons = Counter(found[1].casefold() for found in matched)
    return len(matched) >= _SHARE * len(labels) and sum(count > 1 for count in persons.values()) > 1


def _of_cells(cells: pl.Series, unit: str) -> str:
    distinct = cells.drop_nulls().unique()
    if distinct.dtype.is_temporal():
        return DATES
    texts = [text.strip() for text in distinct.cast(pl.String).to_list() if text.strip()]
    if not texts:
        return ""
    for what, pattern in _PATTERNS:
        alone = what == INITIALS and len(texts) == 1  # DAT in every row says nothing of anybody
        if not alone and sum(pattern.fullmatch(text) is not None for text in texts) >= _SHARE * len(texts):
            return what
    return CLOCK if _stamps(texts, unit) else ""


def _of_tool(what: str, cells: pl.Series) -> str:
    """What a tool's column says; nothing if it is empty, or if names that people type in are mere codes here."""
    texts = [text.strip() for text in cells.drop_nulls().unique().cast(pl.String).to_list() if text.strip()]
    if not texts or (what == TYPED and all(_CODE.fullmatch(text) for text in texts)):
        return ""
    return what


def _stamps(texts: list[str], unit: str) -> bool:
    """Whether they are seconds since 1970, or thousandths and so on of them: a device's microseconds may look like seconds."""
    try:
        numbers = [float(text) for text in texts]
    except ValueError:
        return False
    low, high = _UNIX_S
    return any(
        all(low * 1000**k <= number < high * 1000**k for number in numbers)
        for k, one in enumerate(_THOUSANDTHS)
        if unit in {"", one}
    )
