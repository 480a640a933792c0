"""What synthetic records are worth beside what else could be had: other people's data, simpler records, averages."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from synthrelease.appraisal.appraised import Values
from synthrelease.appraisal.record_rows import Codes, Labels, RecordRows, real_rows
from synthrelease.appraisal.yardsticks.records import RecordYardstick
from synthrelease.data.features import Features
from synthrelease.evaluate.attacks import Windows, k_same_select
from synthrelease.evaluate.record_metrics import one_each
from synthrelease.noise import SecureRandom
from synthrelease.outputs.records import RecordsOutput

_MOST_ROWS = 20_000
_HALVES = 20
_WORK = 20_000_000  # rows times pairs of attributes that halves may be compared in


@dataclass(frozen=True)
class Compared:
    """What is set beside a release.

    Attributes:
        values: mean over attributes of every measure of `RecordYardstick`, by what it is of.
        remarks: what it is, and what was left out and why, in sentences.
    """

    values: dict[str, Values]
    remarks: tuple[str, ...]


def record_comparisons(output: RecordsOutput, data: Features, *, seed: int) -> Compared:
    """Return the measures of what else could be had: each mean over attributes, to stand beside the release.

    * two halves of the people: one half of the people by lot against the other, on average. No release of so many people need be nearer
      to the truth than people are to each other.
    * independent marginals: as many records as the release has, each attribute drawn by itself from the real rows.
    * k-same-select: averages of k people within the task's label, or else the recording.

    Args:
        output: with all its public parameters.
        data: of all people.
        seed: of halves, draws and groups.
    """
    whole = real_rows(data, output.parameters)
    rows = whole.thinned(_MOST_ROWS)
    if rows.names.size < 4:
        return Compared({}, ("There are too few people to hold halves of them against each other.",))
    random = SecureRandom.for_tests(seed).spawn("record comparisons", output.spec.name)
    yardstick = RecordYardstick(output.parameters, rows.codes, rows.people)
    values = {
        "two halves of the people": _of_halves(rows, random.spawn("halves")),
        "independent marginals": mean_of(
            yardstick, _shuffled(rows, output.parameters.rows, random.spawn("shuffled"))
        ),
    }
    told = [f"These are of {len(rows)} of {len(whole)} rows."] if len(rows) < len(whole) else []
    k = max(2, output.parameters.k)
    try:
        values[f"k-same-select, k = {k}"] = mean_of(yardstick, k_same(rows, k, random.spawn("k-same")))
    except ValueError as error:
        told.append(f"k-same-select was not tried: {error}.")
    return Compared(values, tuple(told))


def mean_of(yardstick: RecordYardstick, codes: Codes) -> Values:
    """Return the mean over attributes of every measure."""
    return _mean(yardstick.of_codes(codes))


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
        yardstick = RecordYardstick(rows.parameters, one.codes, one.people)
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
