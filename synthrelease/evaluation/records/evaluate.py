"""What an evaluation says of an output of records besides its distributions: baselines, tasks and attacks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from synthrelease.data.features import FeatureData
from synthrelease.dp.event import Event
from synthrelease.evaluation.arrays import Arrays
from synthrelease.evaluation.attacks import AttackResult
from synthrelease.evaluation.attacks.chance import DRAWS
from synthrelease.evaluation.records.attacks import record_attacks
from synthrelease.evaluation.records.baselines import record_comparisons
from synthrelease.evaluation.records.prediction import record_tasks
from synthrelease.evaluation.result import PredictionTask, Scores
from synthrelease.kinds.records.mechanism import SyntheticRecords
from synthrelease.parallel import Progress


@dataclass(frozen=True)
class EvaluatedRecords:
    """What is found of an output of records."""

    compared: Mapping[str, Scores]  # further rows for `Utility.compared`: baselines that need the data
    tasks: tuple[PredictionTask, ...]
    attacks: tuple[AttackResult, ...]  # judged together
    remarks: tuple[str, ...]  # what was done, and what was not and why, in sentences
    faults: tuple[str, ...] = ()  # what no honest release could hold, in sentences


def evaluated_records(
    name: str,
    mechanism: SyntheticRecords,
    event: Event,
    data: FeatureData,
    released: Arrays,
    *,
    seed: int,
    draws: int = DRAWS,
    n_jobs: int = 1,
    progress: Progress | None = None,
) -> EvaluatedRecords:
    """Return baselines, tasks and attacks; arguments as `record_attacks`."""
    compared, comparison_remarks = record_comparisons(name, mechanism, data, seed=seed)
    tasks, task_remarks = record_tasks(name, mechanism, event, data, released, seed=seed, progress=progress)
    attacks, attack_remarks = record_attacks(
        name, mechanism, event, data, released, seed=seed, progress=progress, n_jobs=n_jobs, draws=draws
    )
    remarks = tuple(dict.fromkeys((*comparison_remarks, *task_remarks, *attack_remarks)))
    return EvaluatedRecords(compared, tasks, attacks, remarks)
