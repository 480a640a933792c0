"""Utility of synthetic records for prediction: what classifiers learn from them, and from real rows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from synthrelease.data.features import FeatureData
from synthrelease.dp.event import Event, noise_of
from synthrelease.dp.noise import SecureRandom
from synthrelease.errors import PlanError
from synthrelease.evaluation.arrays import Arrays
from synthrelease.evaluation.attacks.intervals import Rate, share_rate
from synthrelease.evaluation.attacks.windows import share_by_person
from synthrelease.evaluation.metrics.classification import CLASSIFIERS, trained
from synthrelease.evaluation.metrics.records import one_each
from synthrelease.evaluation.records.releases import fresh_release
from synthrelease.evaluation.records.rows import (
    Labels,
    Numbers,
    RecordRows,
    drawn_people,
    manageable,
    real_rows,
    released_rows,
)
from synthrelease.evaluation.result import PredictionTask
from synthrelease.kinds.records.mechanism import SyntheticRecords
from synthrelease.parallel import Progress

_MOST_ROWS = 1000  # that are trained on, and tested on
_MOST_PEOPLE = 500  # who are tested
_FOLDS = 10  # of people
REAL, FRESH, RELEASED = (
    "real rows of other participants",
    "fresh records of other participants",
    "released records",
)


def record_tasks(
    name: str,
    mechanism: SyntheticRecords,
    event: Event,
    data: FeatureData,
    released: Arrays,
    *,
    seed: int,
    progress: Progress | None = None,
) -> tuple[tuple[PredictionTask, ...], tuple[str, ...]]:
    """Return how well classifiers predict every label of an output, the task's first; and what was not tried and why, in sentences.

    Three things are trained on, and all are tested on the same real rows: real rows of other participants; records that the same mechanism makes
    of other people; and the released records. For the first two the people are in 10 groups at most, and each is tested
    by what was made of the others. The people who are tested are in the fit of the released records: these may seem
    better than they are for anyone else. Arguments as `record_attacks`.
    """
    complete, records = real_rows(data, mechanism), released_rows(released, mechanism)
    labels = mechanism.parameters.predicted
    if not labels:
        return (), ("No classification: there is no label.",)
    if len(mechanism.parameters.attributes) < 2 or complete.names.size < 2:
        return (), ("No classification: it needs a label, another attribute and two participants.",)
    random = SecureRandom.for_tests(seed).spawn("record tasks", name)
    rows, fewer = manageable(complete, random.spawn("people"))
    tested_people = drawn_people(rows, _MOST_PEOPLE, random.spawn("asked"))
    groups = _groups(tested_people, random)
    fresh: list[RecordRows] | None = None
    sentences = list(fewer)
    try:
        fresh = _fresh(rows, groups, event, random)
    except PlanError as error:
        sentences.append(f"No training on fresh records: with a part of the participants, {error.problem}")
    tree_seed = int(random.spawn("trees").integers(2**31, 1)[0])
    tasks = []
    for number, a in enumerate(labels):
        task = _task(a, rows.of_people(tested_people), records, groups, fresh=fresh, seed=tree_seed)
        if task is None:
            sentences.append(
                f"'{complete.attributes[a].name}' was not classified: all real rows have the same category."
            )
        else:
            tasks.append(task)
        if progress is not None:
            progress("classified labels", number + 1, len(labels))
    return tuple(tasks), tuple(sentences)


def _groups(names: Labels, random: SecureRandom) -> list[Labels]:
    order = names[random.spawn("groups").permutation(names.size)]
    return [np.sort(group) for group in np.array_split(order, min(_FOLDS, names.size))]


def _fresh(rows: RecordRows, groups: list[Labels], event: Event, random: SecureRandom) -> list[RecordRows]:
    """For each group, records of all others."""
    return [
        fresh_release(
            rows.where(~np.isin(rows.people, group)),
            noise_of(event),
            most_rows=_MOST_ROWS,
            random=random.spawn("fresh", str(number)),
        )
        for number, group in enumerate(groups)
    ]


def _task(
    a: int,
    people_rows: RecordRows,
    records: RecordRows,
    groups: list[Labels],
    *,
    fresh: list[RecordRows] | None,
    seed: int,
) -> PredictionTask | None:
    labelled = _labelled(people_rows, a)
    if np.unique(labelled.codes[:, a]).size < 2:
        return None
    tested = labelled.thinned(_MOST_ROWS)
    released = _labelled(records, a).evenly_spaced(_MOST_ROWS)
    sources = {
        REAL: [labelled.where(~np.isin(labelled.people, group)).thinned(_MOST_ROWS) for group in groups]
    }
    if fresh is not None:
        sources[FRESH] = [_labelled(release, a) for release in fresh]
    sources[RELEASED] = [released] * len(groups)
    folds = {source: list(zip(parts, groups, strict=True)) for source, parts in sources.items()}
    counted = np.bincount(labelled.codes[:, a], one_each(labelled.people))
    majority = (tested.codes[:, a] == counted.argmax()).astype(np.float64)
    grouped = (
        "each participant"
        if len(groups) == people_rows.names.size
        else f"{len(groups)} groups of participants"
    )
    first = "real rows" if fresh is None else "real rows and fresh records"
    remarks = (
        f"Tested on {len(tested)} of {len(labelled)} real rows, averaged over participants. For {grouped} in turn, {first} are of all others.",
        "The released records were fitted to the tested participants, too, so their scores may be too optimistic for new participants.",
    )
    return PredictionTask(
        people_rows.attributes[a].name,
        tested.names.size,
        share_rate(share_by_person(majority, tested.people)),
        {
            source: {name: _rate(a, tested, parts, classifier=name, seed=seed) for name in CLASSIFIERS}
            for source, parts in folds.items()
        },
        remarks,
    )


def _labelled(rows: RecordRows, a: int) -> RecordRows:
    """The rows whose label is not missing."""
    attribute = rows.attributes[a]
    return rows.where(rows.codes[:, a] < attribute.categories - attribute.missing)


def _rate(
    a: int, tested: RecordRows, folds: list[tuple[RecordRows, Labels]], *, classifier: str, seed: int
) -> Rate:
    """Proportion of correct answers; each group of people is tested by what was trained on its source."""
    known = [b for b in range(len(tested.attributes)) if b != a]
    values, labels = tested.columns(known), tested.codes[:, a]
    right = np.zeros(len(tested))
    last: RecordRows | None = None
    for source, group in folds:
        if source is not last:
            codes = source.codes[:, a].astype(np.int64)
            predict, last = _trained(source.columns(known), codes, classifier, seed), source
        in_group = np.isin(tested.people, group)
        if predict is not None and in_group.any():
            right[in_group] = predict(values[in_group]) == labels[in_group]
    return share_rate(share_by_person(right, tested.people))


def _trained(values: Numbers, labels: Labels, name: str, seed: int) -> Callable[[Numbers], Labels] | None:
    """A predictor of the label; None if there is nothing to learn from."""
    if not len(labels):
        return None
    if (labels == labels[0]).all():
        return lambda tested: np.full(len(tested), labels[0])
    return trained(values, labels, classifier=name, seed=seed)
