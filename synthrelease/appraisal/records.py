"""All that is told of a records output beside its yardstick."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from synthrelease.appraisal.appraised import Values
from synthrelease.appraisal.record_attacks import record_attacks
from synthrelease.appraisal.record_tasks import record_tasks
from synthrelease.appraisal.record_worth import record_comparisons
from synthrelease.appraisal.appraised import Task
from synthrelease.data.features import Features
from synthrelease.evaluate.attacks import AttackResult
from synthrelease.evaluate.attacks.chance import DRAWS
from synthrelease.outputs.records import RecordsOutput
from synthrelease.outputs.resolved import Arrays
from synthrelease.parallel import Progress
from synthrelease.privacy.event import Event


@dataclass(frozen=True)
class AppraisedRecords:
    """What is told of a records output beside its yardstick.

    Attributes:
        compared: further rows for `Utility.compared`. They need the data.
        tasks: what is learnt from the records.
        attacks: on them, judged together.
        remarks: what was done, and what was not and why, in sentences.
    """

    compared: Mapping[str, Values]
    tasks: tuple[Task, ...]
    attacks: tuple[AttackResult, ...]
    remarks: tuple[str, ...]


def appraised_records(
    output: RecordsOutput,
    event: Event,
    data: Features,
    released: Arrays,
    *,
    seed: int,
    draws: int = DRAWS,
    n_jobs: int = 1,
    progress: Progress | None = None,
) -> AppraisedRecords:
    """Return comparisons, tasks and attacks.

    Args:
        output: with all its public parameters.
        event: what was done for the release.
        data: of all people, or of some.
        released: the bundle's arrays, by their labels below the output.
        seed: of everything that is drawn: the same seed, the same results.
        draws: shuffles behind a p-value.
        n_jobs: releases and classifiers at a time; it changes no result.
        progress: told of releases and labels.
    """
    compared = record_comparisons(output, data, seed=seed)
    tasks, learnt = record_tasks(output, event, data, released, seed=seed, progress=progress)
    attacks, attacked = record_attacks(
        output, event, data, released, seed=seed, progress=progress, n_jobs=n_jobs, draws=draws
    )
    remarks = tuple(dict.fromkeys((*compared.remarks, *learnt, *attacked)))
    return AppraisedRecords(compared.values, tasks, attacks, remarks)
