"""`synthrelease init`: a plan for data that has none yet, and what to mind before it is used."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from synthrelease.data.label_twins import label_twins
from synthrelease.data.readers import reader_for
from synthrelease.data.source import Source
from synthrelease.data.tables import refuse_missing_columns
from synthrelease.errors import ArgumentError
from synthrelease.files.scratch import scratch
from synthrelease.notebook import NotebookCard, Tone
from synthrelease.number_words import several
from synthrelease.plan.settings_file import FILL_IN
from synthrelease.printable import short_repr
from synthrelease.proposals.doubts import Doubt, doubts_of, doubts_of_copies
from synthrelease.proposals.draft import Draft, draft_of
from synthrelease.proposals.nesting import Nesting
from synthrelease.proposals.plan_text import plan_text
from synthrelease.proposals.roles import CHOSEN_ROLES
from synthrelease.proposals.sources import tables_in


@dataclass(frozen=True)
class Input:
    """What one table holds; for the curator only."""

    path: Path  # of its file or folder
    kind: str  # "gaze" or "features"
    people: int  # how many labels the column of participants has
    # Of each column of stimuli or recordings: fewest and most that a participant has, and its name.
    groups: tuple[tuple[int, int, str], ...]
    unused: tuple[str, ...]  # columns of labels that the plan does not read
    person: str  # the column of participants
    nesting: Nesting  # of the columns that could be that


@dataclass(frozen=True, repr=False)
class Proposal:
    """A plan, and what to mind.

    Attributes:
        text: of the plan.
        doubts: what to mind, for the curator alone; `warnings` has their sentences.
        inputs: what was found.
    """

    text: str
    doubts: tuple[Doubt, ...]
    inputs: tuple[Input, ...]

    @property
    def warnings(self) -> tuple[str, ...]:
        """What to mind, in sentences."""
        return tuple(doubt.text for doubt in self.doubts)

    def __repr__(self) -> str:
        # What was found in the data is for the curator alone.
        return short_repr(self, self._left)

    def _repr_html_(self) -> str:
        sentences = (
            f"A proposed plan: {self._left}. print(proposal.text) shows it, proposal.warnings what to mind.",
        )
        return NotebookCard("Proposal", "", "for the curator alone", Tone.DOUBTFUL, sentences).html

    @property
    def _left(self) -> str:
        places = sum(FILL_IN in line.partition("#")[0] for line in self.text.splitlines())
        return f"FILL IN at {several(places, 'place')}"


@scratch()
def propose(
    data: Sequence[Path],
    plan: Path,
    *,
    people: Sequence[str] = (),
    choices: Mapping[str, str] | None = None,
    source_fields: Mapping[str, Any] | None = None,
) -> Proposal:
    """Return a plan for files, or folders of files.

    Who is a person is never guessed, unless the format itself defines it.

    Args:
        data: the files and folders.
        plan: where the plan is to stand; paths in it are relative to that.
        people: the columns that say whose rows are; of each table, the one that it has.
        choices: columns by role (stimulus, recording, groups, x, y); of each table, those that it has.
        source_fields: fields of a `Source` that are known, such as `pattern`; of all of the data.

    Raises:
        DataError: the data cannot be read, or no column says whose rows are: the message lists those that it could be.
        MachineError: they may not be read.
    """
    drafts: list[Draft] = []
    doubts: list[Doubt] = []
    places = [tables_in(path, source_fields) for path in data]
    tables = [source for place in places for source in place.sources]
    _refuse_unknown_columns(choices or {}, tables)
    for place in places:
        for name in place.left_alone:
            text = f"'{name}' was skipped: it seems to be another kind of table"
            doubts.append(Doubt("table-left-alone", (name,), text))
        for source in place.sources:
            draft, excerpt = draft_of(source, plan, people, tables, choices)
            doubts += (*doubts_of(draft, excerpt), *doubts_of_copies(draft, drafts))
            drafts.append(draft)
    twins = label_twins((draft.source, draft.person, frozenset(draft.people)) for draft in drafts)
    if twins is not None:
        text = f"{twins}: if they are one participant, write them in one way in the data"
        doubts.append(Doubt("label-twins", tuple(dict.fromkeys(draft.person for draft in drafts)), text))
    named_drafts = [replace(draft, name=name) for draft, name in zip(drafts, _names_of(drafts), strict=True)]
    text = plan_text(plan.name, named_drafts, twins=twins is not None)
    return Proposal(text, tuple(dict.fromkeys(doubts)), tuple(map(_input_of, drafts)))


def _refuse_unknown_columns(choices: Mapping[str, str], tables: Sequence[Source]) -> None:
    """Refuse a role that there is not, and a column that no table has."""
    unknown = sorted(set(choices) - set(CHOSEN_ROLES))
    if unknown:
        raise ArgumentError(
            "unknown-role",
            f"there is no such kind of column: {unknown[0]!r}",
            where="init().columns",
            expected=", ".join(CHOSEN_ROLES),
            remedy='write for example columns={"stimulus": "image"}',
        )
    names = {name for table in tables for name in reader_for(table).column_names(table)}
    for column in choices.values():
        if column not in names:
            remedy = "name a column as it stands in the data"
            refuse_missing_columns(tables[0], [column], remedy=remedy)


def _input_of(draft: Draft) -> Input:
    groups = [(min(counts), max(counts), column) for column, counts in draft.counts.items() if counts]
    return Input(
        draft.source.path,
        draft.kind,
        len(draft.people),
        tuple(groups),
        tuple(draft.unused),
        draft.person,
        draft.nesting,
    )


def _names_of(drafts: Sequence[Draft]) -> list[str]:
    """Names of inputs: what they are, or, where several are the same, what their files are called."""
    kinds = [draft.kind for draft in drafts]
    names: list[str] = []
    for kind, draft in zip(kinds, drafts, strict=True):
        name = kind
        if kinds.count(kind) > 1:
            file = draft.source.pattern or draft.source.path.name.split(".")[0]
            plain = re.sub(r"(\{.*?\}|\.\w+|[^A-Za-z0-9])+", "_", file).strip("_")[:30]
            is_name = plain[:1].isalpha() and len(plain) > 1
            name = plain if is_name else f"{kind}_{plain}".rstrip("_")
        names.append(name if name not in names else f"{name}_{len(names) + 1}")
    return names
