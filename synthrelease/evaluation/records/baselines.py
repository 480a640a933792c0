"""Baselines of synthetic records, which need the data: how close people are to each other, marginals, averages of k people."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from synthrelease.data.features import FeatureData
from synthrelease.dp.noise import SecureRandom
from synthrelease.evaluation.attacks import Windows, k_same_select
from synthrelease.evaluation.ground_truth.records import RecordTruth
from synthrelease.evaluation.metrics.records import one_each
from synthrelease.evaluation.records.rows import Codes, Labels, RecordRows, real_rows
from synthrelease.evaluation.result import Scores
from synthrelease.kinds.records.mechanism import SyntheticRecords

_MOST_COMPARED = 20_000  # rows
_HALVES = 20
_WORK = 20_000_000  # rows times pairs of attributes that halves may be compared in


def record_comparisons(
    name: str, mechanism: SyntheticRecords, data: FeatureData, *, seed: int
) -> tuple[Mapping[str, Scores], tuple[str, ...]]:
    """Return the measures of baselines, each a mean over attributes, by what they are; and in sentences what was left out and why.

    * two halves of the participants: a random half of the people against the other, on average. No release of so many people need be nearer
      to the truth than people are to each other.
    * independent marginals: as many records as the release has, each attribute drawn separately from the real rows.
    * k-same-select: averages of k people within the task's label, or else the recording.
    """
    complete = real_rows(data, mechanism)
    rows = complete.thinned(_MOST_COMPARED)
    if rows.names.size < 4:
        return {}, ("There are too few participants to compare two halves of them.",)
    random = SecureRandom.for_tests(seed).spawn("record comparisons", name)
    ground_truth = RecordTruth(mechanism.parameters, rows.codes, rows.people)
    values = {
        "two halves of the participants": _of_halves(rows, random.spawn("halves")),
        "independent marginals": _mean(
            ground_truth.of_codes(_shuffled(rows, mechanism.parameters.rows, random.spawn("shuffled")))
        ),
    }
    sentences = [f"These use {len(rows)} of {len(complete)} rows."] if len(rows) < len(complete) else []
    k = max(2, mechanism.parameters.k or 0)
    try:
        values[f"k-same-select, k = {k}"] = _mean(
            ground_truth.of_codes(k_same(rows, k, random.spawn("k-same")))
        )
    except ValueError as error:
        sentences.append(f"k-same-select was not tried: {error}.")
    return values, tuple(sentences)


def k_same(rows: RecordRows, k: int, random: SecureRandom) -> Codes:
    """Return the category numbers of averages of k people; labels by majority.

    Raises:
        ValueError: k < 2, or a recording has fewer than k people.
    """
    parameters = rows.parameters
    if rows.features == (0,) and parameters.task:
        raise ValueError("there is nothing to average except the task label")
    kept = rows.codes[:, 0].astype(np.int64) if parameters.task else rows.recordings
    averages = k_same_select(Windows(rows.columns(rows.features), rows.people, kept), k, random=random)
    codes = np.empty((len(averages.values), len(rows.attributes)), dtype=np.int64)
    if parameters.task:
        codes[:, 0] = averages.recordings
    codes[:, rows.features] = rows.recoded(averages.values)
    return codes


def _of_halves(rows: RecordRows, random: SecureRandom) -> Scores:
    m = len(rows.attributes)
    pairs = m * (m + 1) // 2
    times = min(_HALVES, max(3, _WORK // (pairs * len(rows))))
    names = rows.names
    scores = []
    for number in range(times):
        order = random.spawn(str(number)).permutation(names.size)
        first_half, second_half = (rows.of_people(names[part]) for part in np.array_split(order, 2))
        ground_truth = RecordTruth(rows.parameters, first_half.codes, first_half.people)
        scores.append(_mean(ground_truth.of_codes(second_half.codes, one_each(second_half.people))))
    return tuple(np.mean(scores, axis=0).tolist())


def _mean(items: dict[str, Scores]) -> Scores:
    return tuple(np.mean(list(items.values()), axis=0).tolist())


def _shuffled(rows: RecordRows, count: int, random: SecureRandom) -> Codes:
    """Each attribute drawn separately from the real rows, every person as often as every other."""
    limits = np.cumsum(one_each(rows.people))
    columns = []
    for a, attribute in enumerate(rows.attributes):
        drawn = random.spawn(attribute.name).uniform(count) * limits[-1]
        row: Labels = np.minimum(np.searchsorted(limits, drawn, side="right"), len(rows) - 1)
        columns.append(rows.codes[row, a])
    return np.stack(columns, axis=1)
