"""Attacks on synthetic records: on fresh releases by the same mechanism, whose members and source records are known.

Membership, inference and copies are tried on releases of halves of the people (`record_divisions`); identification and linkage
here, on a release of recordings that the attacker does not have.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from synthrelease.data.features import FeatureData
from synthrelease.dp.event import Event, noise_of
from synthrelease.dp.noise import SecureRandom
from synthrelease.errors import PlanError
from synthrelease.evaluation.arrays import Arrays
from synthrelease.evaluation.attacks import AttackResult, identifications, judged, linkage
from synthrelease.evaluation.attacks.chance import DRAWS
from synthrelease.evaluation.records.check import record_distances
from synthrelease.evaluation.records.divisions import FEWEST_PEOPLE, ROUNDS, Trial, attacks_on_halves
from synthrelease.evaluation.records.releases import fresh_release, keeps_nothing
from synthrelease.evaluation.records.rows import (
    Labels,
    RecordRows,
    drawn_people,
    manageable,
    real_rows,
    released_rows,
)
from synthrelease.kinds.records.mechanism import SyntheticRecords
from synthrelease.kinds.records.public import RecordsParameters
from synthrelease.parallel import Progress

_MOST_PEOPLE = 100  # whom an attacker knows
_MOST_KNOWN = 2000  # rows that names are learnt from
_MOST_LINKED = 1000  # rows that are linked
_MOST_RECORDS = 10_000
_NOT_TRIED = "Re-identification and linkage were not tried"


def record_attacks(
    name: str,
    mechanism: SyntheticRecords,
    event: Event,
    data: FeatureData,
    released: Arrays,
    *,
    seed: int,
    progress: Progress | None = None,
    n_jobs: int = 1,
    rounds: int = ROUNDS,
    draws: int = DRAWS,
) -> tuple[tuple[AttackResult, ...], tuple[str, ...]]:
    """Return what attacks on a records output come to, judged together; and in sentences what was done, and what was not and why.

    Membership, inference and copies need people who are not in the release: they are tried on fresh releases of random halves of the
    people. Identification and linkage need records whose owner is known: they are tried on a fresh release of recordings
    that the attacker does not have. All are by the plan's mechanism, parameters and noise. The sentences also
    describe the bundle's records.

    Args:
        name: of the output.
        mechanism: of the output.
        event: what was done for the release.
        data: of all people.
        released: the bundle's arrays, by their labels below the output.
        seed: of halves, fresh releases, trees and shuffles; the same seed, the same results.
        progress: called for each release that is made.
        n_jobs: releases and classifiers at a time; it changes no result.
        rounds: releases of halves; from fewer than 40 likelihood ratios may have nothing to learn.
        draws: shuffles behind a p-value.
    """
    complete = real_rows(data, mechanism)
    if complete.names.size < FEWEST_PEOPLE:
        return (), (
            f"No attack was run: at least {FEWEST_PEOPLE} participants with a complete row are needed.",
        )
    random = SecureRandom.for_tests(seed).spawn("record attacks", name)
    rows, thinning = manageable(complete, random.spawn("people"))
    bundle_remarks = record_distances(complete, released_rows(released, mechanism)).sentences()
    trial = Trial(
        event=event,
        random=random,
        seed=seed,
        rounds=rounds,
        draws=draws,
        n_jobs=n_jobs,
        progress=progress,
    )
    of_halves, halves_remarks = attacks_on_halves(rows, trial)
    of_names, names_remarks = attacks_on_names(rows, trial)
    return judged([*of_halves, *of_names]), (*bundle_remarks, *thinning, *halves_remarks, *names_remarks)


def attacks_on_names(rows: RecordRows, trial: Trial) -> tuple[list[AttackResult], list[str]]:
    """Return identification and linkage, each judged by itself, and what was done or why not, in sentences.

    The attacker has every second recording of each person, raw and with names. A release is made of the others; the owner of
    a record is that of its source record, which the attacker does not know: it is for scoring.
    """
    parameters = rows.parameters
    if keeps_nothing(parameters):
        return [], [
            f"{_NOT_TRIED}: records follow from a model of all participants; none is derived from one participant."
        ]
    recordings = np.unique(rows.recordings)
    known_recordings, released_recordings = recordings[::2], recordings[1::2]
    people = np.intersect1d(
        rows.people[np.isin(rows.recordings, known_recordings)],
        rows.people[np.isin(rows.recordings, released_recordings)],
    )
    if people.size < 2:
        needed = "two participants with one recording that the attacker knows and one that is released"
        return [], [f"{_NOT_TRIED}: they need {needed}."]
    random = trial.random.spawn("names")
    source = rows.where(np.isin(rows.recordings, released_recordings)).of_people(people)
    try:
        released = fresh_release(source, noise_of(trial.event), most_rows=_MOST_RECORDS, random=random)
    except PlanError as error:
        return [], [f"{_NOT_TRIED}: of half of the recordings, {error.problem}"]
    targets = drawn_people(source, _MOST_PEOPLE, random.spawn("people"))
    owned = released.where(np.isin(released.people, targets))
    if owned.names.size < 2:
        return [], [f"{_NOT_TRIED}: fewer than two participants own a released record."]
    known_rows = rows.where(np.isin(rows.recordings, known_recordings)).of_people(targets)
    first = known_rows.where(known_rows.recordings == _first_of_each(known_rows))
    named = identifications(
        known_rows.thinned(_MOST_KNOWN).windows(),
        owned.windows(),
        seed=trial.seed,
        draws=trial.draws,
        n_jobs=trial.n_jobs,
        progress=trial.progress,
    )
    linked = linkage(
        first.thinned(_MOST_LINKED).windows(),
        released.windows(),
        np.arange(len(released)),  # a record is an individual by itself
        seed=trial.seed,
        draws=trial.draws,
    )
    knowledge = (
        f"the attacker has {known_recordings.size} of {recordings.size} recordings of every participant"
    )
    return [*named, linked], [*_sentences(knowledge, released, parameters, people.size, targets.size)]


def _sentences(
    knowledge: str, released: RecordRows, planned: RecordsParameters, people: int, known_people: int
) -> Iterator[str]:
    """What was done."""
    yield (
        f"Re-identification and linkage: {knowledge}, and a fresh release of the others ({len(released)} records by the same "
        "mechanism). The owner of a record is the owner of its source record, which only the curator knows."
    )
    k = released.parameters.k
    if k is not None and planned.k is not None and k < planned.k:
        yield f"That release uses k = {k}, because hardly any candidate had more."
    if known_people < people:
        yield f"Of {people} participants, the attacker knows {known_people} (a random sample), and attacks only their records."


def _first_of_each(rows: RecordRows) -> Labels:
    """For each row, the first recording of its person."""
    _, person = np.unique(rows.people, return_inverse=True)
    first = np.full(person.max() + 1, np.iinfo(np.int64).max)
    np.minimum.at(first, person, rows.recordings)
    return first[person]
