"""What the plan declares public about an input: read from the label columns of all rows, whatever their other cells contain.

What participants did decides which rows `only` leaves, so lists, lengths and assignment are those before it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from synthrelease.data.cells import ONLY_LABEL, in_natural_order, label_runs
from synthrelease.data.chosen_rows import EVERY_ROW, ChosenRows
from synthrelease.data.source import Source
from synthrelease.data.tables import Rows, Table, path_of, read_slices
from synthrelease.errors import DataError

_SLICE_ROWS = 1 << 20  # whose labels are looked at at once: far fewer than a part has
NO_ROWS = "no participant has rows of"  # what the plan lists: a note that is always printed
_MOST_SHOWN = 8  # labels in a message
_ENDING = re.compile(r"\.(jpe?g|png|bmp|gif|tiff?|webp|mp4|avi|mov)$", re.IGNORECASE)
_SPELLINGS: dict[str, Callable[[str], str]] = {  # what often differs, and a label without it
    "capitals": str.casefold,
    "blanks": str.strip,
    "file endings": lambda label: _ENDING.sub("", label),
    "zeros at the beginning": lambda label: label.lstrip("0"),
    "several of capitals, blanks, file endings and zeros": (
        lambda label: _ENDING.sub("", label.strip().casefold()).lstrip("0")
    ),
}


@dataclass(frozen=True)
class Facts:
    """Public facts of an input."""

    people: int  # number of participants; public under replace-one only, used for nothing else otherwise
    names: tuple[str, ...]  # the stimuli or recordings
    longest: int | None  # steps of the longest recording, if the plan declares lengths public
    # the participants' labels; private, only to recognise the same person in another input
    identities: frozenset[str]
    # who has any row of which of `names`, chosen by `only` or not, shape (people, names); public where the
    # assignment is
    assigned: NDArray[np.bool_] = field(compare=False, repr=False)
    # whether the labels are places in the file, so that everyone's depends on who else is there
    by_position: bool
    # the participants' labels in all inputs of a plan, likewise; only to keep them out of what is public.
    # None if an input is not read, as no output is made of it
    everyone: frozenset[str] | None = field(default=frozenset(), repr=False)

    @property
    def without_rows(self) -> tuple[str, ...]:
        """Names that no person has a row of; for the curator only."""
        people_seen = self.assigned.sum(axis=0).tolist()
        return tuple(name for name, people in zip(self.names, people_seen, strict=True) if not people)

    @property
    def most_seen(self) -> int:
        """The most stimuli (or recordings) that one person has rows of, at least 1; public where the assignment is."""
        return max(1, int(self.assigned.sum(axis=1).max(initial=1)))

    @property
    def are_numbered(self) -> bool:
        """Whether the labels are 0, 1, … or 1, 2, …, each of them there, as positions and ranks are; for the curator only."""
        return any(self.identities == set(map(str, range(first, first + self.people))) for first in (0, 1))

    def counting(self, max_stimuli: int) -> tuple[int, ...]:
        """Return how many participants count on each stimulus if each counts on so many, on average over who is picked."""
        names_seen = self.assigned.sum(axis=1)
        # Exactly: the last bit of a sum of floats depends on the order of people, and at a half the number with it.
        expected = [Fraction(0)] * len(self.names)
        for seen in np.unique(names_seen[names_seen > 0]).tolist():
            viewers = self.assigned[names_seen == seen].sum(axis=0).tolist()
            part = Fraction(min(max_stimuli, seen), seen)
            expected = [total + part * number for total, number in zip(expected, viewers, strict=True)]
        return tuple(round(number) for number in expected)


def read_facts(
    source: Rows,
    *,
    columns: Mapping[str, str],
    listed: Sequence[str] | None,
    lengths_public: bool = False,
    chosen: ChosenRows = EVERY_ROW,
) -> Facts:
    """Read the public facts of a gaze or feature file.

    Args:
        source: a file, a folder of files, or their rows.
        columns: names of the columns `person`, and `stimulus` or `recording`.
        listed: the stimuli or recordings that the plan lists; None takes them from the data.
        lengths_public: whether the longest recording may be looked up.
        chosen: which rows count; there must be some, and no fact follows from which.

    Raises:
        DataError, MachineError: the file cannot be used.
    """
    label_columns = [columns[key] for key in ("person", "stimulus", "recording") if key in columns]
    rows: Counter[tuple[str, str]] = Counter()
    counting: set[str] = set()  # names of which a row counts
    for table in read_slices(source, [*label_columns, *chosen.only], most_rows=_SLICE_ROWS):
        may_lack_name = listed is not None
        counted = _rows_of_pairs(table, label_columns, empty_allowed=may_lack_name or bool(chosen.only))
        rows.update(counted)
        if chosen.only:
            counted = _rows_of_pairs(chosen.kept(table)[0], label_columns, empty_allowed=may_lack_name)
        counting.update(name for _, name in counted)
    if not counting:
        raise DataError(
            "only-selects-nothing",
            "no row has the labels that `only` selects",
            where=str(path_of(source)),
            found="other labels, or none, in " + ", ".join(f"'{column}'" for column in chosen.only),
            remedy="correct the labels in the input's `only`; labels are case-sensitive",
        )
    if listed is not None and counting.isdisjoint(listed):
        raise _no_listed_rows(source, label_columns[1], listed, counting, gaze="stimulus" in columns)
    people = frozenset(person for person, _ in rows)
    names = in_natural_order({name for _, name in rows if name}) if listed is None else list(listed)
    longest = None
    if lengths_public:
        published = set(names)
        longest = max((count for (_, name), count in rows.items() if name in published), default=0)
    assigned = _assigned(rows, sorted(people), names)
    by_position = table.reader.counts(table.source, columns["person"])
    return Facts(len(people), tuple(names), longest, people, assigned, by_position)


def _no_listed_rows(
    source: Rows, column: str, listed: Sequence[str], labels_in_data: Iterable[str], *, gaze: bool
) -> DataError:
    """Why no row counts. The labels that a plan lists are public, and shown; none of the data's is.

    A wrong column may hold labels of persons, and so may a list that a program gave.
    """
    in_memory = Source.of(source.source if isinstance(source, Table) else source).frame is not None
    what = "stimuli" if gaze else "recordings"
    shown = ", ".join(f"'{label}'" for label in listed[:_MOST_SHOWN])
    more = f" and {len(listed) - _MOST_SHOWN} more" if len(listed) > _MOST_SHOWN else ""
    spelling = _spelling(listed, list(filter(None, labels_in_data)))
    return DataError(
        "no-listed-rows",
        f"no rows match `{what}`",
        where=f"{path_of(source)}, column '{column}'",
        found=f"the same labels but for {spelling}" if spelling else "other labels",
        expected="labels of the list" if in_memory else f"{shown}{more}, as in the plan",
        remedy=f"write the labels in `{what}` as they are in the data"
        if spelling
        else f"correct `{what}`, or the column's name; labels are case-sensitive",
    )


def _spelling(listed: Sequence[str], labels_in_data: Sequence[str]) -> str:
    """Return what keeps a listed label from being one of the data, if that is only how it is written; else an empty text."""
    for what, plain in _SPELLINGS.items():
        if not {plain(label) for label in listed}.isdisjoint(map(plain, labels_in_data)):
            return what
    return ""


def _assigned(
    rows: Iterable[tuple[str, str]], people: Sequence[str], names: Sequence[str]
) -> NDArray[np.bool_]:
    row_of = {person: number for number, person in enumerate(people)}
    column_of = {name: number for number, name in enumerate(names)}
    assigned = np.zeros((len(people), len(names)), dtype=np.bool_)
    pairs = [(row_of[person], column_of[name]) for person, name in rows if name in column_of]
    if pairs:
        assigned[tuple(np.array(pairs).T)] = True
    return assigned


def _rows_of_pairs(
    table: Table, label_columns: Sequence[str], *, empty_allowed: bool
) -> dict[tuple[str, str], int]:
    """How many rows every person has of every stimulus or recording; rows of none have the last name, which is empty."""
    person, person_rows, people = label_runs(table, label_columns[0])
    ends = ends_of_person = np.cumsum(person_rows)
    if len(label_columns) == 1:
        group, names = np.zeros_like(person), [ONLY_LABEL]
    else:
        group, group_rows, names = label_runs(table, label_columns[1], empty_allowed=empty_allowed)
        ends_of_group = np.cumsum(group_rows)
        ends = np.union1d(ends_of_person, ends_of_group)
        person = person[np.searchsorted(ends_of_person, ends)]
        group = group[np.searchsorted(ends_of_group, ends)]
    names = [*names, ""]
    rows = np.diff(ends, prepend=0)
    pairs, number = np.unique(person * len(names) + group % len(names), return_inverse=True)
    counts = np.bincount(number, weights=rows).astype(np.int64)
    return {
        (people[pair // len(names)], names[pair % len(names)]): count
        for pair, count in zip(pairs.tolist(), counts.tolist(), strict=True)
    }
