"""`synthrelease init`: a plan for data that nobody has written one for, and what to mind before it is used."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from synthrelease.data.coordinates import CENTRE, DEGREES
from synthrelease.data.label_twins import label_twins
from synthrelease.data.readers import FOLDERS, reader_for
from synthrelease.data.readers.folder import found_files, pattern_columns
from synthrelease.data.source import Source
from synthrelease.errors import DataError
from synthrelease.proposal.draft import Draft
from synthrelease.proposal.found_source import found_sources
from synthrelease.proposal.identifiers import differ_by_session, telling_columns
from synthrelease.proposal.looked import Looked, looked_at
from synthrelease.proposal.missing_codes import TEXTS, empty_zeros, missing_codes
from synthrelease.proposal.plan_text import plan_text
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
from synthrelease.proposal.setting import setting_of
from synthrelease.proposal.trial_messages import trial_messages
from synthrelease.proposal.usual_ranges import usual_range
from synthrelease.proposal.validity import chosen_rows

_MOST_LISTED = 100  # stimuli or recordings that are written into a plan
_FEW = 4  # people: fewer are rather sessions or eyes
_MOST_NAMED = 2  # columns of people: one for each kind of table
_MOST_OFFERED = 8  # columns that may be the person's


@dataclass(frozen=True)
class Input:
    """What was found in one table, for the curator alone.

    Attributes:
        path: of its file or folder.
        kind: "gaze" or "features".
        people: how many labels the column of people has.
        groups: of each column that tells stimuli or recordings apart: fewest and most that one of them has, and its name.
    """

    path: Path
    kind: str
    people: int
    groups: tuple[tuple[int, int, str], ...]


@dataclass(frozen=True)
class Doubt:
    """What to mind before a plan is used."""

    code: str
    about: tuple[str, ...]  # columns or files
    text: str


@dataclass(frozen=True)
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
        return tuple(one.text for one in self.doubts)


def propose(
    data: Sequence[Path], plan: Path, *, people: Sequence[str] = (), given: Mapping[str, Any] | None = None
) -> Proposal:
    """Return a plan for files, or folders of files.

    Who is a person is never guessed, unless the format itself defines it.

    Args:
        data: the files and folders.
        plan: where the plan is to stand; paths in it are relative to that.
        people: the columns that say whose rows are; of each table, the one that it has.
        given: fields of a `Source` that are known, such as `pattern`; of all of the data.

    Raises:
        DataError: the data cannot be read, or no column says whose rows are: the message lists those that it could be.
        MachineError: they may not be read.
    """
    drafts: list[Draft] = []
    inputs: list[Input] = []
    doubts: list[Doubt] = []
    seen: list[_Seen] = []
    everything = [found_sources(path, given) for path in data]
    tables = [source for found in everything for source in found.sources]
    for found in everything:
        doubts += [
            Doubt("table-left-alone", (one,), f"'{one}' was left alone: it seems to be another kind of table")
            for one in found.left_alone
        ]
        for source in found.sources:
            draft, own, minded, labels = _proposed(source, plan, people, tables)
            minded += [
                Doubt(
                    "same-data-twice",
                    (_name(other.source), _name(source)),
                    f"{_called(other.source)} and {_called(source)} look like the same people and "
                    f"{'stimuli' if draft.gaze else 'recordings'}: keep one",
                )
                for other, before in zip(drafts, seen, strict=True)
                if before == labels and _alike(other, draft)
            ]
            drafts.append(draft)
            seen.append(labels)
            inputs.append(own)
            doubts += minded
    named = [replace(draft, name=name) for draft, name in zip(drafts, _names(drafts), strict=True)]
    twins = label_twins(
        (draft.source, draft.person, labels) for draft, (labels, _) in zip(drafts, seen, strict=True)
    )
    if twins is not None:
        text = f"{twins}: if they are one person's, write them in one way in the data"
        doubts.append(Doubt("label-twins", tuple(dict.fromkeys(one.person for one in drafts)), text))
    text = plan_text(plan.name, named, twins=twins is not None)
    return Proposal(text, tuple(dict.fromkeys(doubts)), tuple(inputs))


_Seen = tuple[frozenset[str], frozenset[str]]  # labels of people, and of stimuli or recordings


def _name(source: Source) -> str:
    return source.pattern or source.path.name


def _called(source: Source) -> str:
    return f"'{_name(source)}'"


def _alike(one: Draft, other: Draft) -> bool:
    """Whether two inputs of the same people could be one: points of gaze both, or with a feature in common."""
    return (one.gaze and other.gaze) or bool(set(one.features) & set(other.features))


def _proposed(
    source: Source, plan: Path, people: Sequence[str], tables: Sequence[Source]
) -> tuple[Draft, Input, list[Doubt], _Seen]:
    words: tuple[str, ...] = ()
    first = found_files(source)[0].source.path if source.pattern and not source.format else source.path
    if first.suffix.lower() == ".asc":
        messages, words = trial_messages(first)
        source = replace(source, messages=source.messages or messages)
    looked = looked_at(source)
    roles = roles_of(looked.filled)
    person = _person(looked, roles, people, tables)
    gaze = bool(roles.best(X) and roles.best(Y))
    used = (X, Y, TIME, DURATION) if gaze else (TIME,)
    taken = {column for role in used if (column := roles.best(role))}
    roles = _without(roles, person)
    label = STIMULUS if gaze else RECORDING
    parts = [column for column in pattern_columns(source.pattern) if column != person]
    if not gaze and roles.best(RECORDING) is None and roles.best(STIMULUS) is not None:
        # What was looked at tells a person's recordings apart, where nothing else does.
        roles = replace(roles, candidates={**roles.candidates, RECORDING: roles.candidates[STIMULUS]})
    if roles.best(label) is None and len(parts) == 1:  # what else names of files say
        roles = replace(roles, candidates={**roles.candidates, label: (parts[0],)})
    setting = setting_of(source, first, looked.frame, roles)
    if setting.stimulus:
        roles = replace(roles, candidates={**roles.candidates, STIMULUS: (setting.stimulus,)})
    labelled = roles.best(label)
    chosen = chosen_rows(looked.frame, roles)
    out = {
        person,
        *taken,
        *parts,
        *source.axes,
        labelled,
        *chosen.columns,
        *(one.column for one in telling_columns(looked.frame)),
    }
    features = [column for column in looked.numbers if column not in out]
    counters = [column for column in features if _COUNTER.search(plain_name(column))]
    features = [column for column in features if column not in counters]
    pair = (roles.best(X) or "", roles.best(Y) or "") if gaze else None
    # Where 0, 0 is a point.
    middle = setting.coordinates == DEGREES or (setting.origin or "").startswith(CENTRE)
    codes = missing_codes(looked.frame, pair or features, pair=None if middle else pair)
    listed = [one for one in looked.labels(labelled) if one not in TEXTS] if labelled else []
    seen = looked.counts(person, labelled) if gaze and labelled else {}
    draft = Draft(
        "",
        source,
        _relative(source.path, plan),
        person,
        roles,
        setting,
        [code for code in codes if code not in setting.missing],
        chosen,
        features,
        counters,
        listed if len(listed) <= _MOST_LISTED else [],
        words,
        len(set(seen.values())) > 1,
    )
    apart = dict.fromkeys(one for one in (labelled, roles.best(RECORDING), *parts) if one)
    counted = {column: looked.counts(person, column).values() for column in apart}
    groups = tuple((min(counts), max(counts), column) for column, counts in counted.items())
    labels = looked.labels(person)
    own = Input(source.path, "gaze" if gaze else "features", len(labels), groups)
    doubts = _doubts(looked, roles, person, own, known={setting.stimulus})
    if not gaze and not chosen.valid:
        doubts += _of_zeros(looked, features)
    return draft, own, doubts, (frozenset(labels), frozenset(listed))


_COUNTER = re.compile(
    r"(^|_)(frame|index|idx|row|line|samples?|window|counter|number|nr|no|id)($|_)|^unnamed"
)


def _person(looked: Looked, roles: Roles, people: Sequence[str], tables: Sequence[Source]) -> str:
    """The column that says whose rows are: one that was named, or that the format defines."""
    columns = looked.frame.columns
    defined = next((known.person for known in FOLDERS if known.name == looked.source.format), "")
    path = str(looked.source.path)
    if defined and set(people) <= {defined}:
        return defined
    if defined:
        raise DataError(
            "format-has-person",
            "the format itself says who a person is",
            where=path,
            found=_those(people),
            expected=f"the column '{defined}'",
            remedy="leave the person out",
        )
    named = [column for column in people if column in columns]
    if len(named) == 1:
        return named[0]
    if len(named) > 1:
        raise DataError(
            "person-columns-in-one-table",
            "several of the columns of people are in one table",
            where=path,
            found=", ".join(f"'{column}'" for column in named),
            expected="one",
            remedy="name the column that says who somebody is in all tables, or make a plan for each",
        )
    likely = [*roles.candidates[PERSON], *pattern_columns(looked.source.pattern), *looked.label_columns]
    others = {
        *roles.candidates[X],
        *roles.candidates[Y],
        *roles.candidates[TIME],
        *roles.candidates[DURATION],
    }
    offered = [
        one
        for one in dict.fromkeys(likely)
        if one not in others and not _COUNTER.search(plain_name(one)) and usual_range(one) is None
    ]
    names = ", ".join(f"'{column}'" for column in offered[:_MOST_OFFERED]) or "none that could be"
    if people:
        having = ", ".join(
            _called(one) for one in tables if set(people) & set(reader_for(one).column_names(one))
        )
        raise DataError(
            "unknown-column",
            f"there is no column {_those(people)}",
            where=f"{path}, {_called(looked.source)}" if looked.source.pattern else path,
            found=f"it in {having}" if having else "",
            expected=f"one of {names}",
            remedy="name the column of this table, too, or that file alone"
            if having
            else "correct the name of the person's column",
        )
    raise DataError(
        "person-column-needed",
        "which column says whose rows these are is not guessed",
        where=path,
        found=f"columns that it could be: {names}",
        remedy=f"say person={json.dumps(offered[0], ensure_ascii=False)}; two sessions of one person must have one label in it"
        if offered
        else 'add a column that does; or, if each file is one recording, name the folder, and say pattern="P{person}.csv"',
    )


def _those(people: Sequence[str]) -> str:
    """Columns that were named as those of people; not many, which may be labels of people."""
    return (
        " or ".join(f"'{one}'" for one in people) if len(people) <= _MOST_NAMED else f"of {len(people)} names"
    )


def _without(roles: Roles, person: str) -> Roles:
    """The same roles, but that who is a person is nothing else."""
    found = {role: tuple(c for c in names if c != person) for role, names in roles.candidates.items()}
    return replace(roles, candidates=found)


def _doubts(looked: Looked, roles: Roles, person: str, own: Input, *, known: set[str]) -> list[Doubt]:
    found = []
    for one in telling_columns(looked.frame):
        if one.column in known:
            continue
        beside = (
            "it says whose rows are: give people other labels first"
            if one.column == person
            else "the plan does not read it"
        )
        code = "telling-person-column" if one.column == person else "telling-column"
        found.append(
            Doubt(code, (one.column,), f"the column '{one.column}' seems to hold {one.what}: {beside}")
        )
    found += [
        Doubt(
            "decimal-commas",
            (one,),
            f"numbers of the column '{one}' have a decimal comma: export the file with a point",
        )
        for one in looked.with_commas
    ]
    for other in roles.candidates[PERSON]:
        found += _several(looked, person, other)
    if own.people < _FEW:
        found.append(
            Doubt(
                "few-people",
                (person,),
                f"there are {own.people} labels in '{person}': is that who somebody is, and no session, eye or group?",
            )
        )
    if differ_by_session(looked.labels(person)):
        found.append(
            Doubt(
                "labels-of-sessions",
                (person,),
                f"labels of '{person}' look like sessions of people: if several are one person, make them one label",
            )
        )
    if own.people == looked.frame.height:
        found.append(
            Doubt(
                "label-in-every-row",
                (person,),
                f"every row has a label of its own in '{person}': that is no person's",
            )
        )
    return found


def _of_zeros(looked: Looked, features: Sequence[str]) -> list[Doubt]:
    """Zeros that seem to be no measurement, where they are one in other columns: `missing` is for all of them."""
    empty, ordinary = empty_zeros(looked.frame, features)
    if not empty or not ordinary:
        return []
    told = f"0 seems to mark missing values of '{empty[0]}', and is one of '{ordinary[0]}': `missing` is for all columns"
    text = f"{told}; say by `valid` which rows are good, or leave one of the two out"
    return [Doubt("zeros-of-two-kinds", (empty[0], ordinary[0]), text)]


def _several(looked: Looked, person: str, other: str) -> list[Doubt]:
    """Whether another column that names somebody has fewer labels: then one person may have several of these."""
    if plain_name(other) == plain_name(person):
        return []
    pairs = looked.frame.select(person, other).unique()
    if pairs.height == looked.frame[person].n_unique() > looked.frame[other].n_unique():
        text = (
            f"several labels of '{person}' belong to one of '{other}': if '{other}' is who somebody is, that is the column of people; "
            "else a person counts several times, and is protected less than promised"
        )
        return [Doubt("several-labels-of-one", (person, other), text)]
    return []


def _names(drafts: Sequence[Draft]) -> list[str]:
    """Names of inputs: what they are, or, where several are the same, what their files are called."""
    kinds = ["gaze" if draft.gaze else "features" for draft in drafts]
    names: list[str] = []
    for kind, draft in zip(kinds, drafts, strict=True):
        name = kind
        if kinds.count(kind) > 1:
            file = draft.source.pattern or draft.source.path.name.split(".")[0]
            plain = re.sub(r"(\{.*?\}|\.\w+|[^A-Za-z0-9])+", "_", file).strip("_")[:30]
            name = (
                plain
                if plain[:1].isalpha() and len(plain) > 1
                else "_".join(part for part in (kind, plain) if part)
            )
        names.append(name if name not in names else f"{name}_{len(names) + 1}")
    return names


def _relative(data: Path, plan: Path) -> str:
    return Path(os.path.relpath(data, plan.parent)).as_posix()
