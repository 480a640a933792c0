"""Whose records are these? Attacks on a fresh release of recordings that the attacker does not have."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from synthrelease.appraisal.owned_records import keeps_nothing, of_fewer, owned_records, passing_k
from synthrelease.appraisal.record_rows import NO_ONE, Labels, RecordRows, decoded_rows, drawn_people
from synthrelease.appraisal.trial import Trial
from synthrelease.errors import PlanError
from synthrelease.evaluate.attacks import AttackResult, Windows, identifications, linkage
from synthrelease.noise import SecureRandom
from synthrelease.privacy.event import noise_of

_MOST_PEOPLE = 100  # whom an attacker knows
_MOST_KNOWN = 2000  # rows that names are learnt from
_MOST_LINKED = 1000  # rows that are linked
_MOST_RECORDS = 10_000
_NOT_TRIED = "Identification and linkage were not tried"


def attacks_on_names(rows: RecordRows, trial: Trial) -> tuple[list[AttackResult], list[str]]:
    """Return identification and linkage, each judged alone, and what was done or why not, in sentences.

    The attacker has every second recording of everybody, raw and with names. Of the others a release is made, whose records have
    the owner of their seed; who looks at a release does not know these, they are for scoring.

    Args:
        rows: of everybody.
        trial: how to run them.
    """
    parameters = rows.parameters
    if keeps_nothing(parameters):
        return [], [f"{_NOT_TRIED}: records are of a model of all people, nothing in them is of one person."]
    recordings = np.unique(rows.recordings)
    known, given = recordings[::2], recordings[1::2]
    people = np.intersect1d(
        rows.people[np.isin(rows.recordings, known)], rows.people[np.isin(rows.recordings, given)]
    )
    if people.size < 2:
        needed = "one recording that the attacker knows, and one that is released, of two people at least"
        return [], [f"{_NOT_TRIED}: they take {needed}."]
    random = trial.random.spawn("names")
    source = rows.where(np.isin(rows.recordings, given)).of_people(people)
    try:
        released = _released(source, trial, random)
    except PlanError as error:
        return [], [f"{_NOT_TRIED}: of half of the recordings, {error.problem}"]
    has = f"the attacker has {known.size} of {recordings.size} recordings of everybody"
    given_them = f"is given a fresh release of the others, {len(released)} records by the same mechanism"
    whose = "the owner of a record is that of its seed, which only whoever made it knows"
    told = [f"Identification and linkage: {has}, and {given_them}; {whose}."]
    if released.parameters.k < parameters.k:
        told.append(f"That release asks for k = {released.parameters.k}, for hardly any candidate had more.")
    who = drawn_people(source, _MOST_PEOPLE, random.spawn("people"))
    if who.size < people.size:
        told.append(
            f"Of {people.size} people the attacker knows {who.size}, drawn by lot, and asks about their records alone."
        )
    owned = released.where(np.isin(released.people, who))
    if owned.names.size < 2:
        return [], [f"{_NOT_TRIED}: fewer than two people are the owner of a released record."]
    have = rows.where(np.isin(rows.recordings, known)).of_people(who)
    first = have.where(have.recordings == _first_of_each(have))
    found = [
        *identifications(
            _windows(have.thinned(_MOST_KNOWN)),
            _windows(owned),
            seed=trial.seed,
            draws=trial.draws,
            n_jobs=trial.n_jobs,
            progress=trial.progress,
        ),
        linkage(
            _windows(first.thinned(_MOST_LINKED)),
            _windows(released),
            np.arange(len(released)),  # a record is an individual by itself
            seed=trial.seed,
            draws=trial.draws,
        ),
    ]
    return found, told


def _released(source: RecordRows, trial: Trial, random: SecureRandom) -> RecordRows:
    """A release of these rows; the owner and the recording of each record are those of its seed."""
    noise = noise_of(trial.event)
    codes, people = source.codes, source.numbered
    parameters = of_fewer(source.parameters, source.names.size, most_rows=_MOST_RECORDS)
    k = passing_k(codes, people, parameters, noise, random=random.spawn("k"))
    parameters = replace(parameters, k=k)
    made = owned_records(codes, people, parameters, noise, random=random.spawn("release"))
    there = made.seeds != NO_ONE
    return replace(
        decoded_rows(made.records, parameters),
        people=np.where(there, source.people[made.seeds], NO_ONE),
        recordings=np.where(there, source.recordings[made.seeds], NO_ONE),
    )


def _first_of_each(rows: RecordRows) -> Labels:
    """For each row, the first recording of its person."""
    _, person = np.unique(rows.people, return_inverse=True)
    first = np.full(person.max() + 1, np.iinfo(np.int64).max)
    np.minimum.at(first, person, rows.recordings)
    return first[person]


def _windows(rows: RecordRows) -> Windows:
    return Windows(rows.columns(rows.features), rows.people, rows.recordings)
