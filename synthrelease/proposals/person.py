"""The column with the participant ID: named by the curator, or defined by the format. It is never guessed."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from synthrelease.data.readers import FOLDERS, reader_for
from synthrelease.data.source import Source
from synthrelease.errors import Argument, DataError, Remedy
from synthrelease.proposals.candidates import Candidate, candidates_of
from synthrelease.proposals.excerpt import Excerpt
from synthrelease.proposals.roles import Roles
from synthrelease.proposals.sources import name_of

_MOST_NAMED = 2  # columns of people: one for each kind of table
_MOST_OFFERED = 8  # columns that may be the person's


def person_of_format(source: Source) -> str:
    """Return the column of participants that the format of a source defines; "" if it defines none."""
    return next((folder.person for folder in FOLDERS if folder.name == source.format), "")


def person_column(excerpt: Excerpt, roles: Roles, people: Sequence[str], tables: Sequence[Source]) -> str:
    """Return the column of participants of one table.

    Args:
        excerpt: of the table.
        roles: of its columns.
        people: the columns that the curator named; of each table, the one that it has.
        tables: all of them.

    Raises:
        DataError: there is none, or more than one; the message lists those that it could be.
    """
    defined = person_of_format(excerpt.source)
    path = str(excerpt.source.path)
    if defined:
        if set(people) <= {defined}:
            return defined
        raise DataError(
            "format-has-person",
            "the format itself defines the participant ID",
            where=path,
            found=_people_in_words(people),
            expected=f"the column '{defined}'",
            remedy="leave the person column out",
        )
    present = [column for column in people if column in excerpt.frame.columns]
    if len(present) == 1:
        return present[0]
    if present:
        raise DataError(
            "person-columns-in-one-table",
            "several person columns are in one table",
            where=path,
            found=", ".join(f"'{column}'" for column in present),
            expected="one",
            remedy="name one column that all tables have, or make a plan for each table",
        )
    for file, names in excerpt.lacking.items():
        if set(people) & set(names):
            raise DataError(
                "columns-differ",
                f"there is no column {_people_in_words(people)}",
                where=f"{path}/{file}",
                found="other columns than in most files of the folder",
                expected="the participant ID in every file",
                remedy="rename the column there, or take the file out of the folder",
            )
    candidates = candidates_of(excerpt, roles)
    raise _unknown(excerpt, people, tables, candidates) if people else _needed(excerpt, candidates)


def _in_words(excerpt: Excerpt, candidates: Sequence[Candidate]) -> str:
    looked_at = f" (of the first {excerpt.frame.height:,} rows)" if excerpt.is_cut else ""
    offered = "; ".join(candidate.words for candidate in candidates[:_MOST_OFFERED])
    more = f"; {len(candidates) - _MOST_OFFERED} more" if len(candidates) > _MOST_OFFERED else ""
    return f"{offered}{more}{looked_at}" if offered else "none that could be the participant ID"


def _unknown(
    excerpt: Excerpt, people: Sequence[str], tables: Sequence[Source], candidates: Sequence[Candidate]
) -> DataError:
    source = excerpt.source
    near = difflib.get_close_matches(
        people[0], [candidate.column for candidate in candidates], n=1, cutoff=0.6
    )
    tables_with_it = [table for table in tables if set(people) & set(reader_for(table).column_names(table))]
    return DataError(
        "unknown-column",
        f"there is no column {_people_in_words(people)}",
        where=f"{source.path}, '{name_of(source)}'" if source.pattern else str(source.path),
        found="only in " + ", ".join(f"'{name_of(table)}'" for table in tables_with_it)
        if tables_with_it
        else "",
        expected=f"one of {_in_words(excerpt, candidates)}",
        remedy="also name the column of this table, or give only that file"
        if tables_with_it
        else Remedy(
            "did you mean " if near else "for example ",
            Argument("person", [*near, candidates[0].column][0]),
            "?" if near else "",
        )
        if candidates
        else "correct the name",
    )


def _needed(excerpt: Excerpt, candidates: Sequence[Candidate]) -> DataError:
    return DataError(
        "person-column-needed",
        "name the column with the participant ID: it is not guessed",
        where=str(excerpt.source.path),
        found=f"candidates: {_in_words(excerpt, candidates)}",
        remedy=Remedy(
            "for example ",
            Argument("person", candidates[0].column),
            "; all sessions of one participant must have one label",
        )
        if candidates
        else Remedy(
            "add such a column; or, if each file is one recording, give the folder and ",
            Argument("pattern", "P{person}.csv"),
        ),
    )


def _people_in_words(people: Sequence[str]) -> str:
    """The columns that were named; not many, which may be labels of participants."""
    if len(people) > _MOST_NAMED:
        return f"of {len(people)} names"
    return " or ".join(f"'{column}'" for column in people)
