"""What the plan declares public about an input: read from the label columns alone, no private value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from synthrelease.data.features import ONE_RECORDING
from synthrelease.data.tables import labels, read_table


@dataclass(frozen=True)
class Facts:
    """Public facts of an input.

    Attributes:
        people: number of people; public under replace-one only, used for nothing else otherwise.
        names: the stimuli or recordings.
        viewers: how many people have any row of each of `names`; public where the assignment is.
        longest: steps of the longest recording, if the plan declares lengths public.
        identities: the people's labels; private, only to recognise the same person in another input.
        assigned: who has any row of which of `names`, shape (people, names); public where the assignment is.
    """

    people: int
    names: tuple[str, ...]
    viewers: tuple[int, ...]
    longest: int | None
    identities: frozenset[str]
    assigned: NDArray[np.bool_] = field(compare=False, repr=False)


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
    table = read_table(path, wanted, separator=separator)
    person, identities = labels(table, columns["person"])
    if len(wanted) == 1:
        group, names = np.zeros(len(person), dtype=np.int64), [ONE_RECORDING]
    else:
        group, names = labels(table, wanted[1])
    longest = None
    if lengths_public:
        published = set(names if listed is None else listed)
        here = np.array([name in published for name in names])[group]
        longest = int(np.bincount((person * len(names) + group)[here], minlength=1).max())
    published_names = tuple(names if listed is None else listed)
    place = {name: number for number, name in enumerate(published_names)}
    own = np.array([place.get(name, -1) for name in names], dtype=np.int64)[group]
    assigned = np.zeros((len(identities), len(published_names)), dtype=np.bool_)
    assigned[person[own >= 0], own[own >= 0]] = True
    viewers = tuple(assigned.sum(axis=0).tolist())
    return Facts(len(identities), published_names, viewers, longest, frozenset(identities), assigned)
