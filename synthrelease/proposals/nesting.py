"""Which column has one label for each participant: candidates, and whose labels lie within labels of which. Private, for the curator only.

If each label of one column lies in one label of another, such as 67 sessions within 42 participants, the first is finer: a guarantee for its labels would protect
a session, and no participant.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from synthrelease.data.cells import has_label_texts
from synthrelease.files.scratch import scratch
from synthrelease.proposals.candidates import candidates_of, label_pairs, labels_by_column
from synthrelease.proposals.excerpt import Excerpt
from synthrelease.proposals.first_look import first_look
from synthrelease.proposals.person import person_of_format
from synthrelease.proposals.roles import RECORDING, Roles, roles_of
from synthrelease.proposals.sources import tables_in

_MOST = 20  # candidates that are compared, the likeliest first
_HEAD = ("column", "labels", "rows per label", "each label lies in one label of")


@dataclass(frozen=True)
class NestedColumn:
    """A column that could hold participant IDs."""

    column: str
    labels: int  # how many there are
    rows: float  # of a label, on average
    within: tuple[str, ...]  # the columns of which one label holds each of its labels


@dataclass(frozen=True)
class Nesting:
    """The candidates of a table, the likeliest first; private."""

    columns: tuple[NestedColumn, ...] = ()
    looked_at: int | None = None  # rows, if there may be more
    defined: str = (
        ""  # the column of participants where the format itself defines it: then there are no candidates
    )

    @property
    def is_ambiguous(self) -> bool:
        """Whether there is anything to decide."""
        return len(self.columns) > 1

    def to_json(self) -> list[dict[str, Any]]:
        """Return it for a program."""
        return [asdict(column) for column in self.columns]


def nesting(excerpt: Excerpt, roles: Roles, chosen: str | None = None) -> Nesting:
    """Return the columns of a table that could hold participant IDs, and whose labels lie within labels of which.

    Args:
        excerpt: some rows.
        roles: of their columns; recordings are compared, too.
        chosen: the column that the curator named, whatever it looks like.
    """
    if defined := person_of_format(excerpt.source):
        return Nesting(defined=defined)
    candidates = [candidate.column for candidate in candidates_of(excerpt, roles)]
    likely = dict.fromkeys(
        [*([] if chosen is None else [chosen]), *candidates[:_MOST], *roles.candidates[RECORDING]]
    )
    readable = [column for column in likely if has_label_texts(excerpt.frame[column].dtype)]
    labels = labels_by_column(excerpt.frame, readable)
    # The likeliest first, as they are offered; what is compared besides after them.
    names = sorted(
        (column for column in readable if labels[column].drop_nulls().n_unique() > 1),
        key=lambda column: candidates.index(column) if column in candidates else len(candidates),
    )

    def lies_within(fine: str, coarse: str) -> bool:
        pairs = label_pairs(labels[coarse], labels[fine])
        return pairs.height == pairs["fine"].n_unique() == labels[fine].drop_nulls().n_unique()

    columns = []
    for column in names:
        present = labels[column].drop_nulls()
        count = present.n_unique()
        within = tuple(other for other in names if other != column and lies_within(column, other))
        columns.append(NestedColumn(column, count, round(len(present) / count, 1), within))
    return Nesting(tuple(columns), excerpt.frame.height if excerpt.is_cut else None)


@scratch()
def nestings(data: Sequence[Path], source_fields: Mapping[str, Any] | None = None) -> list[Nesting]:
    """Return the candidates of each table of some files or folders, before it is known which column is meant.

    Args:
        data: the files and folders.
        source_fields: fields of a `Source` that are known, as for `propose`.

    Raises:
        DataError, MachineError: they cannot be read.
    """
    tables = [source for path in data for source in tables_in(path, source_fields).sources]
    excerpts = [first_look(source).excerpt for source in tables]
    return [nesting(excerpt, roles_of(excerpt.filled)) for excerpt in excerpts]


def nesting_lines(found: Nesting, person: str | None = None) -> list[str]:
    """Return the candidates as a table in text; none if there is nothing to decide.

    Args:
        found: of a table.
        person: the column that was chosen, if one was.
    """
    if not found.is_ambiguous:
        return []
    rows = [_HEAD]
    for one in found.columns:
        name = f"{one.column} (chosen)" if one.column == person else one.column
        rows.append((name, f"{one.labels:,}", f"{one.rows:,.0f}", ", ".join(one.within) or "none"))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    looked_at = "" if found.looked_at is None else f" (of the first {found.looked_at:,} rows)"
    lines = [
        f"Who is one person? Columns that could hold participant IDs{looked_at}; private, not in the plan:"
    ]
    for name, labels, each, within in rows:
        lines.append(f"  {name:<{widths[0]}}  {labels:>{widths[1]}}  {each:>{widths[2]}}  {within}".rstrip())
    return lines
