"""Labels of participants that one person may have written in two ways: `P1` and `p1`, `1` and `01`.

Two labels are two participants to every mechanism, each with a sensitivity of their own: who has both is protected half as well.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import polars as pl

from synthrelease.data.cells import label_texts
from synthrelease.data.source import Source
from synthrelease.data.tables import Table, read_slices
from synthrelease.errors import DataError

_SLICE_ROWS = 1 << 22
_NUMBER = re.compile(r"([-+]?)(\d*)(?:\.(\d*))?", re.ASCII)
_LEADING_ZEROS = re.compile(r"(?<!\d)(?<!\d\.)0+(?=\d)", re.ASCII)
_SEPARATORS = re.compile(r"(?<=[^\W\d_])[-_.]+(?=\d)|(?<=\d)[-_.]+(?=[^\W\d_])")
_DASHES = re.compile(r"[\u2010-\u2015\u2212]")


@dataclass(frozen=True)
class LabelTwins:
    """Two labels that may be one person's."""

    places: tuple[str, str]  # of the first row of each
    ways: tuple[str, ...]  # in which they differ: coding, capitals, blanks, separators, numbers
    more: int  # how many other labels have a twin, too

    def __str__(self) -> str:
        more = f"; {self.more} more labels are like others" if self.more else ""
        return f"labels that differ only in {' and '.join(_WORDS[way] for way in self.ways)}, first at {self.places[0]} and at {self.places[1]}{more}"


def label_twins(sources: Iterable[tuple[Source, str, frozenset[str]]]) -> LabelTwins | None:
    """Return the first two labels that may be one person's, whether in one source or in two; None if there are none.

    Labels are twins if they are the same after Unicode's compatibility composition (NFKC), with capitals, blanks, and separators between letters
    and digits left out, and numbers in one form: `José` in two codings, `P1` and `p 1` and `P_1`, `1` and `01` and `1.0`. Blanks around a
    label never count. `1.1` and `1.10` are no twins: so participants of several sites are numbered.

    Args:
        sources: each with its column of participants and the labels in it.

    Raises:
        DataError, MachineError: a source cannot be read again.
    """
    labelled_sources = list(sources)
    spellings: defaultdict[str, set[str]] = defaultdict(set)
    for label in set().union(*(labels for _, _, labels in labelled_sources)):
        spellings[_plain(label)].add(label)
    groups = [labels for labels in spellings.values() if len(labels) > 1]
    if not groups:
        return None
    twin_labels = set().union(*groups)
    places: dict[str, str] = {}
    for source, column, _ in labelled_sources:
        for label, place in _first_places(source, column, twin_labels - places.keys()):
            places.setdefault(label, place)
    order = {label: number for number, label in enumerate(places)}
    first, second = min(
        (sorted(labels, key=order.__getitem__)[:2] for labels in groups), key=lambda pair: order[pair[1]]
    )
    return LabelTwins(
        (places[first], places[second]), _ways(first, second), len(twin_labels) - len(groups) - 1
    )


def may_share_people(one: Iterable[str], other: Iterable[str]) -> bool:
    """Return whether a label of the one may be that of a person of the other: the same, or a twin."""
    return not {_plain(label) for label in one}.isdisjoint(_plain(label) for label in other)


def refuse_label_twins(sources: Iterable[tuple[Source, str, frozenset[str]]], where: str) -> None:
    """Refuse labels that may be one person's; arguments as of `label_twins`.

    Raises:
        DataError: there are some.
    """
    twins = label_twins(sources)
    if twins is not None:
        raise DataError(
            "label-twins",
            "some participants may have two labels, and would be protected as two",
            where=where,
            found=str(twins),
            expected="one label for each participant, written in one way in all inputs",
            remedy="write each label in one way; if these are different participants, set distinct_labels = true under [privacy]",
        )


def _first_places(source: Source, column: str, twin_labels: set[str]) -> Iterator[tuple[str, str]]:
    """Some labels with the place of their first row, in the order of rows."""
    done: set[str] = set()
    for table in read_slices(source, [column], most_rows=_SLICE_ROWS):
        for label, row in _first_rows(table, column, twin_labels):
            if label not in done:
                done.add(label)
                yield label, table.place(row, column)


def _first_rows(table: Table, column: str, twin_labels: set[str]) -> Iterator[tuple[str, int]]:
    labels = pl.DataFrame({"label": label_texts(table.frame[column])}).with_row_index("row")
    among = labels.filter(pl.col("label").is_in(list(twin_labels)))
    return among.group_by("label", maintain_order=True).agg(pl.col("row").first()).iter_rows()


def _in_one_coding(label: str) -> str:
    return label if label.isascii() else unicodedata.normalize("NFKC", label)


def _without_blanks(label: str) -> str:
    if label.isascii():
        return "".join(label.split())
    return "".join(c for c in label if not c.isspace() and unicodedata.category(c) != "Cf")


def _without_separators(label: str) -> str:
    return _SEPARATORS.sub("", _DASHES.sub("-", label))


def _plain_digit(character: str) -> str:
    """A digit of another script as ours; of one in another coding of ours, coding is what differs."""
    uncoded = character.isdecimal() and unicodedata.normalize("NFKC", character) == character
    return str(unicodedata.decimal(character)) if uncoded else character


def _with_plain_numbers(label: str) -> str:
    """`01` and `1.0` as one, in digits of any script; a text without the zeros before its numbers."""
    if not label.isascii():
        label = "".join(_plain_digit(c) for c in label)
    number = _NUMBER.fullmatch(label)
    if number is None or not (number[2] or number[3]):
        return _LEADING_ZEROS.sub("", label)
    whole_digits, fraction_digits = number[2].lstrip("0"), number[3] if (number[3] or "").strip("0") else ""
    if not (whole_digits or fraction_digits):
        return "0"
    return f"{number[1].strip('+')}{whole_digits}{'.' if fraction_digits else ''}{fraction_digits}"


_STEPS: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("coding", _in_one_coding),
    ("capitals", str.casefold),
    ("coding", _in_one_coding),  # small letters can be in two codings again
    ("blanks", _without_blanks),
    ("separators", _without_separators),
    ("numbers", _with_plain_numbers),
)
_WORDS = {
    "coding": "how letters are coded (Unicode)",
    "capitals": "capitals",
    "blanks": "blanks",
    "separators": "signs between letters and digits",
    "numbers": "how a number is written",
}


def _plain(label: str, *, without: str = "") -> str:
    """A label in one spelling, but for one way in which it may differ."""
    for way, unified in _STEPS:
        if way != without:
            label = unified(label)
    return label


def _ways(first: str, second: str) -> tuple[str, ...]:
    """Without which they would not be the same; all, where any of several would do."""
    needed = tuple(way for way in _WORDS if _plain(first, without=way) != _plain(second, without=way))
    return needed or tuple(_WORDS)
