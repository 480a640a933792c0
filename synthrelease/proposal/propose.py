"""`synthrelease init`: a plan for data that nobody has written one for, and what to mind before it is used."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from synthrelease.data.readers.folder import pattern_columns
from synthrelease.errors import DataError
from synthrelease.proposal.found_source import found_source
from synthrelease.proposal.identifiers import telling_columns
from synthrelease.proposal.looked import Looked, looked_at
from synthrelease.proposal.missing_codes import missing_codes
from synthrelease.proposal.plan_text import Draft, plan_text
from synthrelease.proposal.roles import (
    DURATION,
    PERSON,
    RECORDING,
    STIMULUS,
    TIME,
    Roles,
    X,
    Y,
    plain_name,
    roles_of,
)

_MOST_LISTED = 100  # stimuli or recordings that are written into a plan
_MOST_OFFERED = 8  # columns that may be the person's


@dataclass(frozen=True)
class Proposal:
    """A plan, and what to mind.

    Attributes:
        text: of the plan.
        warnings: in sentences, for the curator alone.
        gaze: whether the data are points on a screen.
        people: how many labels the column of people has; private.
    """

    text: str
    warnings: tuple[str, ...]
    gaze: bool
    people: int


def propose(data: Path, plan: Path, *, person: str | None) -> Proposal:
    """Return a plan for a file, or a folder of files.

    Who is a person is never guessed.

    Args:
        data: the file or folder.
        plan: where the plan is to stand; paths in it are relative to that.
        person: the column that says whose rows are.

    Raises:
        DataError: the data cannot be read, or `person` is missing or no column: the message lists those that it could be.
        MachineError: they may not be read.
    """
    looked = looked_at(found_source(data))
    roles = roles_of(looked.frame.columns)
    if person is None and looked.source.format:
        person = "person"  # as the format defines it
    if person is None or person not in looked.frame.columns:
        raise _which(looked, roles, data, person)
    taken = {role: roles.best(role) for role in (X, Y, TIME, DURATION)}
    known = {person, *(column for column in taken.values() if column)}
    roles = _without(roles, known - set(taken.values()))
    gaze = bool(roles.best(X) and roles.best(Y))
    label = STIMULUS if gaze else RECORDING
    parts = [column for column in pattern_columns(looked.source.pattern) if column != person]
    if roles.best(label) is None and len(parts) == 1:  # what else names of files say
        roles = Roles({**roles.candidates, label: (parts[0],)}, roles.coordinates, roles.origin)
    labelled = roles.best(label)
    features = [column for column in looked.numbers if column not in {*known, *parts, labelled}]
    coded = [roles.best(X) or "", roles.best(Y) or ""] if gaze else features
    pair = (coded[0], coded[1]) if gaze else None
    listed = looked.labels(labelled) if labelled else []
    draft = Draft(
        plan.name,
        looked.source,
        _relative(data, plan),
        person,
        roles,
        missing_codes(looked.frame, coded, pair=pair),
        features,
        listed if len(listed) <= _MOST_LISTED else [],
    )
    return Proposal(
        plan_text(draft), tuple(_warnings(looked, roles, person)), gaze, len(looked.labels(person))
    )


def _which(looked: Looked, roles: Roles, data: Path, person: str | None) -> DataError:
    """Who is a person is asked, with the columns that it could be, the likeliest first."""
    likely = [*roles.candidates[PERSON], *looked.label_columns]
    offered = list(dict.fromkeys(column for column in likely if column not in (roles.best(X), roles.best(Y))))
    names = ", ".join(f"'{column}'" for column in offered[:_MOST_OFFERED]) or "none that could be"
    if person is not None:
        return DataError(f"there is no column '{person}'", where=str(data), expected=f"one of {names}")
    return DataError(
        "which column says whose rows these are is not guessed",
        where=str(data),
        found=f"columns that it could be: {names}",
        remedy=f"say --person {offered[0] if offered else 'COLUMN'}; two sessions of one person must have one label in it",
    )


def _without(roles: Roles, columns: set[str]) -> Roles:
    """The same roles, of other columns than these."""
    found = {role: tuple(c for c in names if c not in columns) for role, names in roles.candidates.items()}
    return Roles(found, roles.coordinates, roles.origin)


def _warnings(looked: Looked, roles: Roles, person: str) -> list[str]:
    told = []
    for one in telling_columns(looked.frame):
        beside = (
            "it says whose rows are: give people other labels first"
            if one.column == person
            else "the plan does not read it"
        )
        told.append(f"the column '{one.column}' seems to hold {one.what}: {beside}")
    for other in roles.candidates[PERSON]:
        sessions = _several(looked, person, other)
        if other != person and sessions:
            told.append(sessions)
    if len(looked.labels(person)) == looked.frame.height:
        told.append(f"every row has a label of its own in '{person}': that is no person's")
    return told


def _several(looked: Looked, person: str, other: str) -> str:
    """Whether another column that names somebody has fewer labels: then one person may have several of these."""
    if plain_name(other) == plain_name(person):
        return ""
    pairs = looked.frame.select(person, other).unique()
    if pairs.height == looked.frame[person].n_unique() > looked.frame[other].n_unique():
        return (
            f"several labels of '{person}' belong to one of '{other}': if '{other}' is who somebody is, say --person {other}; "
            "else a person counts several times, and is protected less than promised"
        )
    return ""


def _relative(data: Path, plan: Path) -> str:
    return Path(os.path.relpath(data, plan.parent)).as_posix()
