"""What the plan declares public about an input: read from the label columns alone, no private value."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from synthrelease.data.features import ONE_RECORDING
from synthrelease.data.tables import Table, in_natural_order, labels, read_slices

_SLICE_ROWS = 1 << 22


@dataclass(frozen=True)
class Facts:
    """Public facts of an input.

    Attributes:
        people: number of people; public under replace-one only, used for nothing else otherwise.
        names: the stimuli or recordings.
        viewers: how many people have any row of each of `names`; public where the assignment is.
        longest: steps of the longest recording, if the plan declares lengths public.
        identities: the people's labels; private, only to recognise the same person in another input.
    """

    people: int
    names: tuple[str, ...]
    viewers: tuple[int, ...]
    longest: int | None
    identities: frozenset[str]


def read_facts(
    path: Path,
    *,
    columns: Mapping[str, str],
    listed: Sequence[str] | None,
    lengths_public: bool = False,
    separator: str | None = None,
) -> Facts:
    """Read the public facts of a gaze or feature file.

    Args:
        path: the file.
        columns: names of the columns `person`, and `stimulus` or `recording`.
        listed: the stimuli or recordings that the plan lists; None takes them from the data.
        lengths_public: whether the longest recording may be looked up.
        separator: of delimited text, if not the usual one.

    Raises:
        DataError, MachineError: the file cannot be used.
    """
    wanted = [columns[key] for key in ("person", "stimulus", "recording") if key in columns]
    rows: Counter[tuple[str, str]] = Counter()
    for table in read_slices(path, wanted, most=_SLICE_ROWS, separator=separator):
        rows.update(_rows_of_pairs(table, wanted))
    people = frozenset(person for person, _ in rows)
    names = in_natural_order({name for _, name in rows}) if listed is None else list(listed)
    seen = Counter(name for _, name in rows)
    longest = None
    if lengths_public:
        longest = max((count for (_, name), count in rows.items() if name in set(names)), default=0)
    return Facts(len(people), tuple(names), tuple(seen[name] for name in names), longest, people)


def _rows_of_pairs(table: Table, wanted: Sequence[str]) -> dict[tuple[str, str], int]:
    """How many rows every person has of every stimulus or recording."""
    person, people = labels(table, wanted[0])
    group, names = (np.zeros_like(person), [ONE_RECORDING]) if len(wanted) == 1 else labels(table, wanted[1])
    pairs, counts = np.unique(person * len(names) + group, return_counts=True)
    return {
        (people[pair // len(names)], names[pair % len(names)]): count
        for pair, count in zip(pairs.tolist(), counts.tolist(), strict=True)
    }
