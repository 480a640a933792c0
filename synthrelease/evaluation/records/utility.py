"""Utility of synthetic records: how close they and their baselines are to the real rows, and what classifiers learn from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from synthrelease.data.features import Features
from synthrelease.dp.event import Event, noise_of
from synthrelease.dp.noise import SecureRandom
from synthrelease.errors import PlanError
from synthrelease.evaluation.arrays import Arrays
from synthrelease.evaluation.attacks import Windows, k_same_select
from synthrelease.evaluation.attacks.intervals import Rate, share_rate
from synthrelease.evaluation.attacks.windows import share_by_person
from synthrelease.evaluation.ground_truth.records import RecordTruth
from synthrelease.evaluation.metrics.classification import CLASSIFIERS, trained
from synthrelease.evaluation.metrics.records import one_each
from synthrelease.evaluation.records.releases import fresh_release
from synthrelease.evaluation.records.rows import (
    Codes,
    Labels,
    Numbers,
    RecordRows,
    drawn_people,
    manageable,
    real_rows,
    released_rows,
)
from synthrelease.evaluation.result import PredictionTask, Values
from synthrelease.kinds.records.mechanism import SyntheticRecords
from synthrelease.parallel import Progress

_MOST_COMPARED = 20_000  # rows
_HALVES = 20
_WORK = 20_000_000  # rows times pairs of attributes that halves may be compared in
_MOST_ROWS = 1000  # that are trained on, and tested on
_MOST_PEOPLE = 500  # who are tested
_FOLDS = 10  # of people
REAL, FRESH, RELEASED = "real rows of other people", "fresh records of other people", "released records"


def record_comparisons(
    name: str, mechanism: SyntheticRecords, data: Features, *, seed: int
) -> tuple[Mapping[str, Values], tuple[str, ...]]:
    """Return the measures of baselines, each a mean over attributes, by what they are; and in sentences what was left out and why.

    * two halves of the people: one half of the people by lot against the other, on average. No release of so many people need be nearer
      to the truth than people are to each other.
    * independent marginals: as many records as the release has, each attribute drawn by itself from the real rows.
    * k-same-select: averages of k people within the task's label, or else the recording.

    Args:
        name: of the output.
        mechanism: of the output.
        data: of all people.
        seed: of halves, draws and groups.
    """
    whole = real_rows(data, mechanism)
    rows = whole.thinned(_MOST_COMPARED)
    if rows.names.size < 4:
        return {}, ("There are too few people to compare halves of them with each other.",)
    random = SecureRandom.for_tests(seed).spawn("record comparisons", name)
    yardstick = RecordTruth(mechanism.parameters, rows.codes, rows.people)
    values = {
        "two halves of the people": _of_halves(rows, random.spawn("halves")),
        "independent marginals": _mean(
            yardstick.of_codes(_shuffled(rows, mechanism.parameters.rows, random.spawn("shuffled")))
        ),
    }
    told = [f"These are of {len(rows)} of {len(whole)} rows."] if len(rows) < len(whole) else []
    k = max(2, mechanism.parameters.k or 0)
    try:
        values[f"k-same-select, k = {k}"] = _mean(yardstick.of_codes(k_same(rows, k, random.spawn("k-same"))))
    except ValueError as error:
        told.append(f"k-same-select was not tried: {error}.")
    return values, tuple(told)


def k_same(rows: RecordRows, k: int, random: SecureRandom) -> Codes:
    """Return the category numbers of averages of k people; labels by majority.

    Raises:
        ValueError: k < 2, or a recording has fewer than k people.
    """
    parameters = rows.parameters
    if rows.features == (0,) and parameters.task:
        raise ValueError("there is nothing to average but the task's label")
    kept = rows.codes[:, 0].astype(np.int64) if parameters.task else rows.recordings
    averages = k_same_select(Windows(rows.columns(rows.features), rows.people, kept), k, random=random)
    codes = np.empty((len(averages.values), len(rows.attributes)), dtype=np.int64)
    if parameters.task:
        codes[:, 0] = averages.recordings
    codes[:, rows.features] = rows.recoded(averages.values)
    return codes


def _of_halves(rows: RecordRows, random: SecureRandom) -> Values:
    m = len(rows.attributes)
    pairs = m * (m + 1) // 2
    times = min(_HALVES, max(3, _WORK // (pairs * len(rows))))
    names = rows.names
    found = []
    for number in range(times):
        order = random.spawn(str(number)).permutation(names.size)
        one, other = (rows.of_people(names[part]) for part in np.array_split(order, 2))
        yardstick = RecordTruth(rows.parameters, one.codes, one.people)
        found.append(_mean(yardstick.of_codes(other.codes, one_each(other.people))))
    return tuple(np.mean(found, axis=0).tolist())


def _mean(items: dict[str, Values]) -> Values:
    return tuple(np.mean(list(items.values()), axis=0).tolist())


def _shuffled(rows: RecordRows, count: int, random: SecureRandom) -> Codes:
    """Each attribute drawn by itself from the real rows, every person as often as every other."""
    limits = np.cumsum(one_each(rows.people))
    columns = []
    for a, attribute in enumerate(rows.attributes):
        drawn = random.spawn(attribute.name).uniform(count) * limits[-1]
        row: Labels = np.minimum(np.searchsorted(limits, drawn, side="right"), len(rows) - 1)
        columns.append(rows.codes[row, a])
    return np.stack(columns, axis=1)


def record_tasks(
    name: str,
    mechanism: SyntheticRecords,
    event: Event,
    data: Features,
    released: Arrays,
    *,
    seed: int,
    progress: Progress | None = None,
) -> tuple[tuple[PredictionTask, ...], tuple[str, ...]]:
    """Return how well classifiers tell every label of an output, the task's first; and what was not tried and why, in sentences.

    Three things are trained on, and all are tested on the same real rows: real rows of other people; records that the same mechanism makes
    of other people; and the released records. For the first two the people stand in 10 groups at most, and each is tested
    by what was made of the others. The people who are tested are in the fit of the released records: these may seem
    better than they are for anybody else.

    Args:
        name: of the output.
        mechanism: of the output.
        event: what was done for the release.
        data: of all people.
        released: the bundle's arrays, by their labels below the output.
        seed: of groups, fresh records and trees.
        progress: told of each label and what is trained on.
    """
    whole, made = real_rows(data, mechanism), released_rows(released, mechanism)
    labels = [
        a for a, attribute in enumerate(mechanism.parameters.attributes) if attribute.labels is not None
    ]
    if not labels:
        return (), ("Nothing was classified: there is no label.",)
    if len(mechanism.parameters.attributes) < 2 or whole.names.size < 2:
        return (), ("Nothing was classified: it takes a label and another attribute, and two people.",)
    random = SecureRandom.for_tests(seed).spawn("record tasks", name)
    rows, fewer = manageable(whole, random.spawn("people"))
    asked = drawn_people(rows, _MOST_PEOPLE, random.spawn("asked"))
    groups = _groups(asked, random)
    fresh: list[RecordRows] | None = None
    told = list(fewer)
    try:
        fresh = _fresh(rows, groups, event, random)
    except PlanError as error:
        told.append(f"No fresh records were trained on: of a part of the people, {error.problem}")
    tree_seed = int(random.spawn("trees").integers(2**31, 1)[0])
    tasks = []
    for number, a in enumerate(labels):
        task = _task(a, rows.of_people(asked), made, groups, fresh=fresh, seed=tree_seed)
        if task is None:
            told.append(f"'{whole.attributes[a].name}' was not classified: all real rows have one category.")
        else:
            tasks.append(task)
        if progress is not None:
            progress("classified labels", number + 1, len(labels))
    return tuple(tasks), tuple(told)


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
    asked: RecordRows,
    made: RecordRows,
    groups: list[Labels],
    *,
    fresh: list[RecordRows] | None,
    seed: int,
) -> PredictionTask | None:
    real = _labelled(asked, a)
    if np.unique(real.codes[:, a]).size < 2:
        return None
    tested = real.thinned(_MOST_ROWS)
    released = _labelled(made, a)
    released = released.where(np.arange(0, len(released), max(1, -(-len(released) // _MOST_ROWS))))
    sources = {REAL: [real.where(~np.isin(real.people, group)).thinned(_MOST_ROWS) for group in groups]}
    if fresh is not None:
        sources[FRESH] = [_labelled(one, a) for one in fresh]
    sources[RELEASED] = [released] * len(groups)
    folds = {what: list(zip(parts, groups, strict=True)) for what, parts in sources.items()}
    counted = np.bincount(real.codes[:, a], one_each(real.people))
    majority = (tested.codes[:, a] == counted.argmax()).astype(np.float64)
    grouped = "each person" if len(groups) == asked.names.size else f"{len(groups)} groups of people"
    first = "real rows" if fresh is None else "real rows and fresh records"
    remarks = (
        f"Tested on {len(tested)} of {len(real)} real rows, on average over people, of {grouped} in turn: {first} are of all others.",
        "The tested people are in the fit of the released records: these may seem better than they are for anybody else.",
    )
    return PredictionTask(
        asked.attributes[a].name,
        tested.names.size,
        share_rate(share_by_person(majority, tested.people)),
        {
            what: {name: _rate(a, tested, parts, classifier=name, seed=seed) for name in CLASSIFIERS}
            for what, parts in folds.items()
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
    """Share of right answers; each group of people is tested by what was trained on its own source."""
    others = [b for b in range(len(tested.attributes)) if b != a]
    values, labels = tested.columns(others), tested.codes[:, a]
    right = np.zeros(len(tested))
    last: RecordRows | None = None
    for source, group in folds:
        if source is not last:
            codes = source.codes[:, a].astype(np.int64)
            predict, last = _trained(source.columns(others), codes, classifier, seed), source
        own = np.isin(tested.people, group)
        if predict is not None and own.any():
            right[own] = predict(values[own]) == labels[own]
    return share_rate(share_by_person(right, tested.people))


def _trained(values: Numbers, labels: Labels, name: str, seed: int) -> Callable[[Numbers], Labels] | None:
    """What tells the label; None if there is nothing to learn from."""
    if not len(labels):
        return None
    if (labels == labels[0]).all():
        return lambda tested: np.full(len(tested), labels[0])
    return trained(values, labels, classifier=name, seed=seed)
