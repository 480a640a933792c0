"""All that an evaluation says of an output of records beside its distributions: baselines, tasks and attacks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from synthrelease.appraisal.appraised import Task, Values
from synthrelease.appraisal.arrays import Arrays
from synthrelease.appraisal.record_attacks import record_attacks
from synthrelease.appraisal.record_utility import record_comparisons, record_tasks
from synthrelease.data.features import Features
from synthrelease.evaluate.attacks import AttackResult
from synthrelease.evaluate.attacks.chance import DRAWS
from synthrelease.kinds.records.mechanism import SyntheticRecords
from synthrelease.parallel import Progress
from synthrelease.privacy.event import Event


@dataclass(frozen=True)
class AppraisedRecords:
    """What is found of an output of records."""

    compared: Mapping[str, Values]  # further rows for `Utility.compared`: baselines that need the data
    tasks: tuple[Task, ...]
    attacks: tuple[AttackResult, ...]  # judged together
    remarks: tuple[str, ...]  # what was done, and what was not and why, in sentences
    faults: tuple[str, ...] = ()  # what no honest release could hold, in sentences


def appraised_records(
    name: str,
    mechanism: SyntheticRecords,
    event: Event,
    data: Features,
    released: Arrays,
    *,
    seed: int,
    draws: int = DRAWS,
    n_jobs: int = 1,
    progress: Progress | None = None,
) -> AppraisedRecords:
    """Return baselines, tasks and attacks; arguments as `record_attacks`."""
    compared, unlike = record_comparisons(name, mechanism, data, seed=seed)
    tasks, learnt = record_tasks(name, mechanism, event, data, released, seed=seed, progress=progress)
    attacks, attacked = record_attacks(
        name, mechanism, event, data, released, seed=seed, progress=progress, n_jobs=n_jobs, draws=draws
    )
    remarks = tuple(dict.fromkeys((*unlike, *learnt, *attacked)))
    return AppraisedRecords(compared, tasks, attacks, remarks)
