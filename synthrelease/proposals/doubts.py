"""What the curator should check before using a plan; for the curator only."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from synthrelease.proposals.candidates import FEWEST_PEOPLE, candidates_of, coarser_columns, is_something_else
from synthrelease.proposals.draft import Draft
from synthrelease.proposals.excerpt import Excerpt
from synthrelease.proposals.identifiers import differ_by_session
from synthrelease.proposals.missing_codes import empty_zeros
from synthrelease.proposals.roles import roles_of
from synthrelease.proposals.sources import name_of

_MOST_NAMED = 6  # columns of a message


@dataclass(frozen=True)
class Doubt:
    """Something to check before a plan is used."""

    code: str
    about: tuple[str, ...]  # columns or files
    text: str


def doubts_of(draft: Draft, excerpt: Excerpt) -> Iterator[Doubt]:
    """Yield what to check of one input."""
    yield from _of_identifiers(draft)
    yield from _of_files(excerpt)
    if draft.source.stop_at_blank:
        name = name_of(draft.source)
        text = f"'{name}' has a blank line and what looks like another table below it: the plan leaves that out (stop_at_blank); check that no rows of participants are below"
        yield Doubt("other-table-below", (name,), text)
    for column, unit in draft.units.items():
        text = f"the name of '{column}' has no unit, and its values look like {unit}: check that in the manual of the tracker, and take its bounds in that unit"
        yield Doubt("unit-not-in-name", (column,), text)
    if draft.setting.screens:
        columns = tuple(draft.roles.screen_columns)
        sizes = ", ".join(f"{width} × {height}" for width, height in draft.setting.screens)
        text = f"the recordings have several screens ({sizes}): gaze in pixels needs one; choose the rows of one with `only`, or make an input of each"
        yield Doubt("several-screens", columns, text)
    for column in draft.other_lists:
        text = f"the column '{column}' holds lists of other lengths than '{draft.source.lists[0]}': they are not unpacked, and cannot be used"
        yield Doubt("lists-of-other-lengths", (column,), text)
    for column in excerpt.with_commas:
        text = f"the column '{column}' has numbers with a decimal comma: export the file with a decimal point"
        yield Doubt("decimal-commas", (column,), text)
    yield from _of_people(draft, excerpt)
    pair = None if draft.gaze else _pair_of_positions(draft.features)
    if pair is not None:
        text = (
            f"no column is known as a position on the screen, so these are features: if '{pair[0]}' and '{pair[1]}' are positions, name them with "
            "--x and --y"
        )
        yield Doubt("positions-not-known", pair, text)
    if not draft.gaze and not draft.chosen.valid:
        yield from _of_zeros(draft, excerpt)


def doubts_of_copies(draft: Draft, earlier_drafts: list[Draft]) -> Iterator[Doubt]:
    """Yield the other inputs of the same participants that could be the same data: points of gaze both, or with a feature in common."""
    for earlier in earlier_drafts:
        same_kind = (draft.gaze and earlier.gaze) or set(draft.features) & set(earlier.features)
        if same_kind and (set(earlier.people), set(earlier.listed)) == (set(draft.people), set(draft.listed)):
            names = (name_of(earlier.source), name_of(draft.source))
            listed = "stimuli" if draft.gaze else "recordings"
            text = f"'{names[0]}' and '{names[1]}' look like the same participants and {listed}: keep one"
            yield Doubt("same-data-twice", names, text)


def _of_files(excerpt: Excerpt) -> Iterator[Doubt]:
    """Files of a folder that lack columns which most others have, those with the same ones together."""
    files_by_columns: dict[tuple[str, ...], list[str]] = {}
    for file, columns in excerpt.lacking.items():
        files_by_columns.setdefault(tuple(columns), []).append(file)
    for columns, files in files_by_columns.items():
        named = ", ".join(f"'{column}'" for column in columns[:_MOST_NAMED])
        more = f" and {len(files) - 1} more files lack" if files[1:] else " lacks"
        text = f"'{files[0]}'{more} columns that most files of the folder have ({named}): the plan does not use these; to use them, rename them there or take the file out"
        yield Doubt("file-with-other-columns", tuple(files), text)


def _of_identifiers(draft: Draft) -> Iterator[Doubt]:
    for column, content in draft.identifiers:
        if column == draft.person:
            code, advice = (
                "telling-person-column",
                "it is the participant ID: replace its labels with pseudonyms first",
            )
        else:
            code, advice = "telling-column", "the plan does not read it"
        yield Doubt(code, (column,), f"the column '{column}' seems to contain {content}: {advice}")


def _of_people(draft: Draft, excerpt: Excerpt) -> Iterator[Doubt]:
    person, count = draft.person, len(draft.people)
    for candidate in coarser_columns(excerpt, draft.roles, person):
        text = (
            f"several labels of '{person}' belong to one label of '{candidate}': if '{candidate}' is the participant ID, choose it as person; "
            "otherwise a participant counts several times, and the guarantee is weaker than stated"
        )
        yield Doubt("several-labels-of-one", (person, candidate), text)
    roles = roles_of(excerpt.filled)
    others = [candidate.column for candidate in candidates_of(excerpt, roles) if candidate.column != person]
    instead = f"; if not, run init again, for example with --person {others[0]}" if others else ""
    if not draft.source.format and is_something_else(excerpt, roles, person):
        text = f"the column '{person}' looks like a measurement, a position or a time: check that it is the participant ID{instead}"
        yield Doubt("hardly-a-person", (person,), text)
    if count < FEWEST_PEOPLE:
        text = f"the column '{person}' has only {count} labels: check that it is the participant ID, not a session, eye or stimulus{instead}"
        yield Doubt("few-people", (person,), text)
    if differ_by_session(draft.people):
        text = f"labels of '{person}' look like sessions of participants: give all sessions of one participant one label"
        yield Doubt("labels-of-sessions", (person,), text)
    if count == excerpt.frame.height:
        text = f"every row has a different label in '{person}': it is not a participant ID"
        yield Doubt("label-in-every-row", (person,), text)


def _pair_of_positions(columns: Sequence[str]) -> tuple[str, str] | None:
    """The first two columns whose names differ in that one has x where the other has y; None if there are none."""
    for column in columns:
        for place in re.finditer("[xX]", column):
            other = column[: place.start()] + {"x": "y", "X": "Y"}[place[0]] + column[place.end() :]
            if other in columns:
                return column, other
    return None


def _of_zeros(draft: Draft, excerpt: Excerpt) -> Iterator[Doubt]:
    """Zeros that seem to be no measurement, where they are one in other columns: `missing` is for all of them."""
    empty, ordinary = empty_zeros(excerpt.frame, draft.features)
    if empty and ordinary:
        text = (
            f"0 seems to mark missing values in '{empty[0]}' but is a value in '{ordinary[0]}': `missing` applies to all columns; "
            "select good rows with `valid`, or leave out one of the two columns"
        )
        yield Doubt("zeros-of-two-kinds", (empty[0], ordinary[0]), text)
