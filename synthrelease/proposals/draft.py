"""An input of a plan that is being proposed."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from synthrelease.data.cells import Code, label_texts
from synthrelease.data.chosen_rows import ChosenRows
from synthrelease.data.readers.folder import pattern_columns
from synthrelease.data.source import Source
from synthrelease.proposals.excerpt import Excerpt, labels_of
from synthrelease.proposals.first_look import first_look
from synthrelease.proposals.identifiers import DirectIdentifier, identifier_columns
from synthrelease.proposals.missing_codes import TEXTS, missing_codes
from synthrelease.proposals.nesting import Nesting, nesting
from synthrelease.proposals.person import person_column
from synthrelease.proposals.roles import (
    DURATION,
    GROUPS,
    RECORDING,
    STIMULUS,
    TIME,
    Roles,
    X,
    Y,
    counts_rows,
    plain_name,
    roles_of,
)
from synthrelease.proposals.setting import Setting, setting_of
from synthrelease.proposals.time_units import guessed_units
from synthrelease.proposals.trackers import trackers


@dataclass(frozen=True)
class Draft:
    """What an input is written of."""

    source: Source
    path: str  # of the data, relative to the plan
    person: str
    people: Sequence[str]  # labels in that column
    roles: Roles  # of the other columns
    setting: Setting
    chosen: ChosenRows
    # that mark missing values, as rows seem to say; what the format itself says is in `setting`
    codes: Sequence[Code]
    features: Sequence[str]  # columns of numbers that have no role
    counters: Sequence[str]  # columns of numbers that seem to count rows
    listed: Sequence[str]  # labels of the stimuli or recordings
    groups: Mapping[str, Sequence[str]]  # labels of groups, by the column that the curator named
    counts: Mapping[str, Sequence[int]]  # how many labels each person has, by column of stimuli or recordings
    identifiers: Sequence[DirectIdentifier]
    words: Sequence[str]  # of the recording's messages, to choose among
    alternatives: Sequence[
        str
    ]  # columns of stimuli or recordings that differ: only the curator knows which is meant
    suggested: ChosenRows  # rows that may have no measurement, by what columns are usually called
    unused: Sequence[str]  # columns of labels that nothing reads
    units: Mapping[str, str]  # that times and durations without one seem to be in, by column
    other_lists: Sequence[str]  # columns of lists of other lengths than those that are unpacked
    nesting: Nesting  # of the columns that could hold participant IDs
    name: str = ""

    @property
    def gaze(self) -> bool:
        """Whether rows are points on a screen."""
        return self.roles.gaze

    @property
    def kind(self) -> str:
        """Return the plan's word for it."""
        return "gaze" if self.gaze else "features"

    @property
    def labelled(self) -> str | None:
        """The column of stimuli, or of recordings where rows are no points."""
        return self.roles.best(STIMULUS if self.gaze else RECORDING)

    @property
    def unequal(self) -> bool:
        """Whether participants have different numbers of stimuli."""
        return self.gaze and len(set(self.counts.get(self.labelled or "", ()))) > 1


def draft_of(
    source: Source,
    plan: Path,
    people: Sequence[str],
    tables: Sequence[Source],
    choices: Mapping[str, str] | None = None,
) -> tuple[Draft, Excerpt]:
    """Return what is written of a source, and the rows that were looked at.

    Args:
        source: a table.
        plan: where the plan is to stand.
        people: as for `person_column`.
        tables: likewise.
        choices: columns by role that the curator named; of a table, those that it has.

    Raises:
        DataError, MachineError: it cannot be read, or no column says whose rows are.
    """
    look = first_look(source)
    source, excerpt = look.source, look.excerpt
    named = {role: column for role, column in (choices or {}).items() if column in excerpt.frame.columns}
    roles = roles_of(excerpt.filled).chosen(named)
    person = person_column(excerpt, roles, people, tables)
    candidates = nesting(excerpt, roles, person)
    pattern_parts = [column for column in pattern_columns(source.pattern) if column != person]
    roles = _labelled(roles.without(person), pattern_parts)
    setting = setting_of(source, look.first, excerpt.frame, roles)
    if setting.stimulus:
        roles = roles.having(STIMULUS, setting.stimulus)
    alternatives = _alternatives(excerpt.frame, roles)
    label = None if alternatives else roles.best(STIMULUS if roles.gaze else RECORDING)
    columns = dict.fromkeys(
        column for column in (label, roles.best(RECORDING), roles.best(GROUPS), *pattern_parts) if column
    )
    chosen, suggested = _chosen_rows(excerpt.frame, roles)
    identifiers = identifier_columns(excerpt.frame)
    used = {
        person,
        *columns,
        *alternatives,
        *source.axes,
        *chosen.columns,
        *(finding.column for finding in identifiers),
    }
    features, counters = _numbers(excerpt, roles, used)
    labels = labels_of(source, [person, *columns])
    draft = Draft(
        source=source,
        path=Path(os.path.relpath(source.path, plan.parent)).as_posix(),
        person=person,
        people=labels.of(person),
        roles=roles,
        setting=setting,
        chosen=chosen,
        codes=_codes(excerpt, roles, setting, features),
        features=features,
        counters=counters,
        listed=[text for text in labels.of(label) if text not in TEXTS] if label else [],
        groups={
            column: [text for text in labels.of(column) if text not in TEXTS]
            for column in roles.candidates[GROUPS]
        },
        counts={column: labels.counts(person, column) for column in columns},
        identifiers=[finding for finding in identifiers if finding.column != setting.stimulus],
        words=look.words,
        alternatives=alternatives,
        suggested=suggested,
        unused=[
            column
            for column in excerpt.label_columns
            if column
            not in {*used, *features, *counters, *(roles.best(role) for role in (X, Y, TIME, DURATION))}
        ],
        units=guessed_units(excerpt.frame, roles, features),
        other_lists=look.other_lists,
        nesting=candidates,
    )
    return draft, excerpt


def _alternatives(frame: pl.DataFrame, roles: Roles) -> list[str]:
    """Columns that could all hold the stimuli, or the recordings, and whose labels differ."""
    role = STIMULUS if roles.gaze else RECORDING
    known = roles.tracker is not None and roles.best(role) in map(
        roles.columns.get, getattr(roles.tracker, role)
    )
    columns = [column for column in roles.candidates[role] if not counts_rows(column)]
    if known or not columns:
        return []
    first, *others = columns
    differ = [column for column in others if not _is_relabelled(frame, first, column)]
    return [first, *differ] if differ else []


def _is_relabelled(frame: pl.DataFrame, column: str, other: str) -> bool:
    """Whether each label of a column stands with one label of the other, and the other way round."""
    pairs = frame.select(column, other).n_unique()
    return frame[column].n_unique() == pairs == frame[other].n_unique()


def _labelled(roles: Roles, pattern_parts: Sequence[str]) -> Roles:
    """The roles, with the next best column of stimuli or recordings where no name says which it is."""
    if not roles.gaze and roles.best(RECORDING) is None:
        # Without a column of recordings, stimuli distinguish a person's recordings.
        roles = roles.having(RECORDING, *roles.candidates[STIMULUS])
    label = STIMULUS if roles.gaze else RECORDING
    if roles.best(label) is None and len(pattern_parts) == 1:  # what else names of files say
        roles = roles.having(label, pattern_parts[0])
    return roles


def _chosen_rows(frame: pl.DataFrame, roles: Roles) -> tuple[ChosenRows, ChosenRows]:
    """The rows that hold a measurement, by what trackers call the columns that say so; a choice that leaves none of the first rows is none.

    Second those that the curator may choose, where no tracker is known: confidence may be a participant's, and not a tracker's.
    """
    tracker = roles.tracker or trackers().common
    columns = {plain_name(column): column for column in reversed(frame.columns)}
    only = {
        columns[name]: labels
        for name, labels in tracker.only.items()
        if name in columns and label_texts(frame[columns[name]]).is_in(list(labels)).any()
    }
    valid = {
        columns[name]: (low, high)
        for name, (low, high) in tracker.valid.items()
        if name in columns and frame[columns[name]].cast(pl.Float64, strict=False).is_between(low, high).any()
    }
    none = ChosenRows({}, {})
    return (ChosenRows(only, valid), none) if roles.tracker else (none, ChosenRows(only, valid))


def _numbers(excerpt: Excerpt, roles: Roles, used_columns: set[str]) -> tuple[list[str], list[str]]:
    """The columns of numbers that are nothing else: features, and those that seem to count rows."""
    used = (X, Y, TIME, DURATION) if roles.gaze else (TIME,)
    taken = used_columns | {roles.best(role) for role in used}
    numbers = [column for column in excerpt.numbers if column not in taken]
    counters = [column for column in numbers if counts_rows(column)]
    return [column for column in numbers if column not in counters], counters


def _codes(excerpt: Excerpt, roles: Roles, setting: Setting, features: Sequence[str]) -> list[Code]:
    x, y = roles.best(X), roles.best(Y)
    pair = (x, y) if x and y else None
    codes = missing_codes(excerpt.frame, pair or features, pair=None if setting.from_middle else pair)
    return [code for code in codes if code not in setting.missing]
