"""Columns that could identify participants directly, or their time and place: a warning is printed before a plan is written."""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import polars as pl

from synthrelease.proposals.roles import in_words, plain_name, roles_of
from synthrelease.proposals.trackers import TYPED, trackers

# What a column may seem to hold.
ADDRESSES, DATES, TIMES_OF_DAY = "e-mail addresses", "dates", "times of day"
INITIALS, NAMES = "initials", "names of participants"
PLACES, BIRTHS, DATED, CLOCK = (
    "geographic positions",
    "dates of birth",
    "a date in its name",
    "wall-clock times",
)
_FRACTION_ALIKE = 0.9  # of cells that must look so
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
_NAMED = (
    (INITIALS, re.compile(r"(^|_)\w?init(ial)?s?($|_)")),
    (NAMES, re.compile(r"(^|_)((first|last|sur|fore|given|family)_?name|vorname|nachname)($|_)")),
    (PLACES, re.compile(r"(^|_)(gps|latitude|longitude|lat|lon|lng)($|_)")),
    (BIRTHS, re.compile(r"(^|_)(birth\w*|dob|born)($|_)")),
)
_DATED = re.compile(r"(19|20)\d\d[-/.]\d\d?[-/.]\d\d?")
# Labels that are mere codes.
_CODE = re.compile(
    r"(p|s|vp|pp|id|sub|subj|subject|person|participant|respondent|user)?[ _-]?\d{1,4}", re.IGNORECASE
)
_SESSION = re.compile(r"(.+?)[ _-]+(s|ses|sess|session|visit|day|run|round|t|v)[ _-]?\d{1,2}", re.IGNORECASE)
_UNIX_S = (1e9, 4e9)  # 2001 to 2096, in seconds; and a thousand, a million, a milliard times that
_THOUSANDTHS = ("s", "ms", "µs", "ns")


class DirectIdentifier(NamedTuple):
    """A column that seems to identify participants, and what it seems to hold."""

    column: str
    content: str


def identifier_columns(frame: pl.DataFrame) -> list[DirectIdentifier]:
    """Return the columns of some rows that seem to hold names, initials, dates, wall-clock stamps or places.

    By the names of the columns, of the tracker that seems to have written them above all, and by the form of nine tenths of their distinct cells.
    """
    roles = roles_of(frame.columns)
    kind_of_name = roles.tracker.identifiers if roles.tracker else {}
    kinds = {roles.columns[name]: kind for name, kind in kind_of_name.items() if name in roles.columns}
    seeming = (
        (column, _of_name(column) or _of_cells(frame[column], roles.unit_of(column), kinds.get(column, "")))
        for column in frame.columns
    )
    return [DirectIdentifier(column, content) for column, content in seeming if content]


def differ_by_session(labels: Sequence[str]) -> bool:
    """Return whether labels look like those of a person in a session, such as P07_s2, and several persons have several of these."""
    matched = [match for label in labels if (match := _SESSION.fullmatch(label.strip()))]
    persons = Counter(match[1].casefold() for match in matched)
    return len(matched) >= _FRACTION_ALIKE * len(labels) and sum(count > 1 for count in persons.values()) > 1


def _of_name(column: str) -> str:
    name = plain_name(in_words(column))
    seeming = next((content for content, pattern in _NAMED if pattern.search(name)), "")
    return seeming or (DATED if _DATED.search(column) else "")  # Gazepoint's TIME(2021/07/13 …)


def _of_cells(cells: pl.Series, unit: str, kind: str) -> str:
    """What cells seem to hold by their form, or by the kind that the tracker says; nothing if they are empty, or typed in and mere codes here."""
    distinct = cells.drop_nulls().unique()
    if distinct.dtype.is_temporal():
        return DATES
    texts = [text.strip() for text in distinct.cast(pl.String).to_list() if text.strip()]
    if not texts:
        return ""
    for content, pattern in _PATTERNS:
        alone = content == INITIALS and len(texts) == 1  # DAT in every row identifies no one
        if not alone and _mostly(pattern, texts):
            return content
    if _stamps(texts, unit):
        return CLOCK
    if not kind or (kind == TYPED and all(_CODE.fullmatch(text) for text in texts)):
        return ""
    return trackers().identifiers[kind]


def _mostly(pattern: re.Pattern[str], texts: list[str]) -> bool:
    """Whether nine tenths of texts have a form; no further ones are looked at once too many have not."""
    unlike = (1 for text in texts if pattern.fullmatch(text) is None)
    most = len(texts) - math.ceil(_FRACTION_ALIKE * len(texts))
    return sum(itertools.islice(unlike, most + 1)) <= most


def _stamps(texts: list[str], unit: str) -> bool:
    """Whether they are seconds since 1970, or thousandths and so on of them: a device's microseconds may look like seconds."""
    try:
        numbers = [float(text) for text in texts]
    except ValueError:
        return False
    low, high = _UNIX_S
    return any(
        all(low * 1000**k <= number < high * 1000**k for number in numbers)
        for k, thousandth in enumerate(_THOUSANDTHS)
        if unit in {"", thousandth}
    )
