"""The columns that could hold participant IDs, the likeliest first.

By their names, and by which labels belong together: a column whose labels each comprise several labels of another is a person over its
sessions, or a group over its persons.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from synthrelease.data.cells import has_label_texts, label_texts
from synthrelease.data.readers.folder import pattern_columns
from synthrelease.proposals.excerpt import Excerpt
from synthrelease.proposals.missing_codes import TEXTS
from synthrelease.proposals.roles import (
    DURATION,
    PERSON,
    STIMULUS,
    TIME,
    Roles,
    X,
    Y,
    counts_rows,
    plain_name,
)
from synthrelease.proposals.usual_ranges import usual_range

FEWEST_PEOPLE = 4  # labels: fewer are rather sessions, eyes or groups
_FRACTION_ALIKE = 0.9  # of pairs of labels, one of which holds the other
_FEWEST_PER_SESSION = 1 / 3  # persons per session below which a coarser column is rather a group of persons
_MOST_UNEVEN = 1.5  # rows of the commonest label of a numbered person, per row of the rarest
_MOST_GAPS = 2  # numbers from the lowest to the highest, per label
_GROUP = re.compile(  # what persons have in common
    r"(^|_)(age|sex|gender|group|condition|cond|list|order|version|site|lab|country|language|cohort|class|school|grade|device|tracker|eye|"
    r"handedness|education|category|type|diagnosis|hand|dominant\w*)($|_)"
)
_SESSION = re.compile(r"(^|_)(session|visit|run|recording|rec|trial|block|file\w*|day|round)($|_)")
_PERSON = re.compile(
    r"(^|_)(\w*init(ial)?s?|subj\w*|participant\w*|person\w*|observer\w*|vp\w*|proband\w*)($|_)"
)


@dataclass(frozen=True)
class Candidate:
    """A column that could hold participant IDs."""

    column: str
    labels: int  # how many there are, in the rows that were looked at
    rows: float  # of a label, on average
    sessions: tuple[
        str, ...
    ] = ()  # columns each label of which belongs to one of its labels, and seems to be a session of it

    @property
    def words(self) -> str:
        """Return it with its numbers."""
        nested = "".join(f", each comprising labels of '{column}'" for column in self.sessions[:1])
        return f"'{self.column}' ({self.labels} labels, about {self.rows:,.0f} rows each{nested})"


def candidates_of(excerpt: Excerpt, roles: Roles) -> list[Candidate]:
    """Return the columns that could hold participant IDs, the likeliest first.

    Not those that have another role, count rows or measure something. First those that others seem to be sessions of, last the sessions.

    Args:
        excerpt: some rows.
        roles: of their columns.
    """
    named = [*roles.candidates[PERSON], *pattern_columns(excerpt.source.pattern)]
    columns = [
        column
        for column in dict.fromkeys((*named, *excerpt.label_columns))
        if column in excerpt.frame.columns
        and has_label_texts(excerpt.frame[column].dtype)
        and not column.startswith("#")
        and not is_something_else(excerpt, roles, column)
    ]
    labels = labels_by_column(excerpt.frame, columns)
    sessions = {
        column: tuple(other for other in columns if _is_person_over(labels, column, other, named))
        for column in columns
    }
    finer = {other for others in sessions.values() for other in others}
    found = [
        _candidate(labels[column], sessions[column]) for column in columns if labels[column].n_unique() > 1
    ]
    stimuli = roles.candidates[STIMULUS]
    return sorted(
        found,
        key=lambda one: (
            one.column in finer,
            not one.sessions,
            one.column not in named,
            one.labels < FEWEST_PEOPLE,
            one.column in stimuli,
            _GROUP.search(plain_name(one.column)) is not None,
        ),
    )


def is_something_else(excerpt: Excerpt, roles: Roles, column: str) -> bool:
    """Return whether a column seems to be a position, a time, a counter or a measurement, and no participant ID."""
    if any(column in roles.candidates[role] for role in (X, Y, TIME, DURATION)):
        return True
    if column in roles.candidates[PERSON] or column in pattern_columns(excerpt.source.pattern):
        return False
    return counts_rows(column) or usual_range(column) is not None or _measures(excerpt.frame[column])


def coarser_columns(excerpt: Excerpt, roles: Roles, person: str) -> list[str]:
    """Return the columns that could hold participant IDs of which a chosen column's labels could be sessions, the likeliest first."""
    candidates = candidates_of(excerpt, roles)
    labels = labels_by_column(excerpt.frame, [person, *(one.column for one in candidates)])
    named = roles.candidates[PERSON]
    return [
        one.column
        for one in candidates
        if one.column != person
        and plain_name(one.column) != plain_name(person)
        and (
            _is_person_over(labels, one.column, person, named)
            or (one.column in named and _comprises(labels[one.column], labels[person]))
        )
    ]


def labels_by_column(frame: pl.DataFrame, columns: Sequence[str]) -> dict[str, pl.Series]:
    """Return the labels of columns as texts, null where there is none."""
    return {column: _label_series(frame[column]) for column in dict.fromkeys(columns)}


def _label_series(cells: pl.Series) -> pl.Series:
    texts = label_texts(cells)
    return texts.set(texts.is_in(["", *TEXTS]), None)


def _candidate(labels: pl.Series, sessions: tuple[str, ...]) -> Candidate:
    present = labels.drop_nulls()
    count = present.n_unique()
    return Candidate(labels.name, count, len(present) / max(count, 1), sessions)


def _is_person_over(labels: Mapping[str, pl.Series], coarse: str, fine: str, named: Sequence[str]) -> bool:
    """Whether labels of one column seem to be sessions of the labels of another: by the labels themselves, or by names and numbers."""
    if coarse == fine or not _comprises(labels[coarse], labels[fine]):
        return False
    persons, sessions = labels[coarse].drop_nulls().n_unique(), labels[fine].drop_nulls().n_unique()
    if persons < FEWEST_PEOPLE:
        return False
    if _is_part(labels[coarse], labels[fine]):
        return True
    coarse_name, fine_name = plain_name(coarse), plain_name(fine)
    if _GROUP.search(coarse_name) or not _SESSION.search(fine_name):
        return False
    return (
        coarse in named
        or _PERSON.search(coarse_name) is not None
        or persons >= _FEWEST_PER_SESSION * sessions
    )


def _comprises(coarse: pl.Series, fine: pl.Series) -> bool:
    """Whether each label of the one belongs to one label of the other, which has fewer."""
    pairs = label_pairs(coarse, fine)
    return pairs.height == pairs["fine"].n_unique() > pairs["coarse"].n_unique()


def _is_part(coarse: pl.Series, fine: pl.Series) -> bool:
    """Whether labels begin with the label that they belong to, and go on with something that is no letter or number of it: ab_7, P01-s2."""
    pairs = label_pairs(coarse, fine)
    begins = [
        fine_label.casefold().startswith(label.casefold())
        and not (fine_label + " ")[len(label)].isalpha()
        and (label[-1:].isalpha() or not (fine_label + " ")[len(label)].isdigit())
        for label, fine_label in pairs.iter_rows()
    ]
    return len(begins) > 0 and sum(begins) >= _FRACTION_ALIKE * len(begins)


def label_pairs(coarse: pl.Series, fine: pl.Series) -> pl.DataFrame:
    """Return the labels that stand in a row together, in the columns `coarse` and `fine`."""
    return pl.DataFrame({"coarse": coarse, "fine": fine}).drop_nulls().unique()


def _measures(cells: pl.Series) -> bool:
    """Whether a column of numbers is rather a measurement than labels: it changes with most rows, and does not number participants evenly."""
    numbers = cells.cast(pl.Float64, strict=False)
    if not cells.dtype.is_numeric() and numbers.null_count() > cells.null_count():
        return False  # text
    present = numbers.drop_nulls().drop_nans()
    if present.is_empty() or (present != present.round()).any() or (present < 0).any():
        return True
    distinct, counts = np.unique(present.to_numpy(), return_counts=True)
    evenly = counts.max() <= _MOST_UNEVEN * counts.min()
    numbered = counts.max() == 1 or distinct[-1] - distinct[0] < _MOST_GAPS * distinct.size
    return not (evenly and numbered) and len(present.rle()) > len(present) / 2
