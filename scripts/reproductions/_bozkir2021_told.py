"""What classifiers tell of noisy series: the task, and the person in the paper's way and in an adversary's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from joblib import delayed
from numpy.typing import NDArray

from reproductions._bozkir2021_data import Numbers, Study, windows_of
from reproductions._bozkir2021_paper import PaperParameters, perturbed
from reproductions._bozkir2021_ways import Way
from reproductions._bozkir2021_worth import Worths
from reproductions._tasks import in_parallel, seed_of
from synthrelease.dp.noise import SecureRandom
from synthrelease.evaluation.attacks import Windows
from synthrelease.evaluation.metrics.classification import (
    CLASSIFIERS,
    Accuracy,
    accuracy,
    leave_one_group_out_accuracy,
    split_accuracy,
    trained,
)

TASK, HALVES, ADVERSARY = "task", "halves", "adversary"
QUESTIONS = (TASK, HALVES, ADVERSARY)
RAW = "raw data"

Answers = dict[str, Numbers]  # by question: shape (classifiers, 2), windows and voted


@dataclass(frozen=True)
class Released:
    """What is classified.

    Attributes:
        name: the row of the tables.
        way: how it is made.
        noise_alone: the difference of two releases is classified, which holds no one's data.
    """

    name: str
    way: Way
    noise_alone: bool = False


def told_of_raw(study: Study, *, seed: int) -> Answers:
    """Return the accuracies without noise."""
    series = [recording.series for recording in study.recordings]
    return _told(study, series, seed)


def told(
    study: Study,
    rows: Sequence[Released],
    epsilons: Sequence[float],
    worths: Worths,
    *,
    draws: int,
    random: SecureRandom,
    jobs: int | None = None,
) -> dict[tuple[str, float], Answers]:
    """Return the accuracies of every row at every ε, averaged over draws, with the k that `worths` found."""
    keys = [(row, epsilon, draw) for draw in range(draws) for row in rows for epsilon in epsilons]
    tasks = (
        delayed(_one_draw)(
            study,
            row.way.parameters(epsilon, 1),
            [worths[row.way.name, epsilon, recording.name].coefficients for recording in study.recordings],
            seed_of(random, row.name, str(epsilon), str(draw)),
            noise_alone=row.noise_alone,
        )
        for row, epsilon, draw in keys
    )
    found: dict[tuple[str, float], list[Answers]] = {}
    for (row, epsilon, _), answers in zip(
        keys, in_parallel(tasks, len(keys), f"{study.name}: classification", jobs), strict=True
    ):
        found.setdefault((row.name, epsilon), []).append(answers)
    return {
        key: {question: np.mean([answers[question] for answers in drawn], axis=0) for question in QUESTIONS}
        for key, drawn in found.items()
    }


def _one_draw(
    study: Study,
    parameters: PaperParameters,
    coefficients: Sequence[NDArray[np.int64]],
    seed: int,
    *,
    noise_alone: bool,
) -> Answers:
    """Release all recordings once, all seeded, and classify them."""
    random = SecureRandom.for_tests(seed)
    series = []
    for recording, k in zip(study.recordings, coefficients, strict=True):
        values = perturbed(
            recording.series, parameters, random=random, draws=1 + noise_alone, coefficients=k
        ).values
        series.append(values[0] - values[1] if noise_alone else values[0])
    return _told(study, series, seed % 2**31)


def _told(study: Study, released: Sequence[Numbers], seed: int) -> Answers:
    task = windows_of(study, released, every=study.every_task)
    noisy = windows_of(study, released, every=study.every_person)
    own = windows_of(study, [recording.series for recording in study.recordings], every=study.every_person)
    questions: Mapping[str, list[Accuracy]] = {
        TASK: [
            leave_one_group_out_accuracy(
                task.values, task.recordings, task.people, task.units().unit, classifier=name, seed=seed
            )
            for name in CLASSIFIERS
        ],
        HALVES: [_halves(noisy, name, seed) for name in CLASSIFIERS],
        ADVERSARY: [_adversary(own, noisy, name, seed) for name in CLASSIFIERS],
    }
    return {question: np.array(answers) for question, answers in questions.items()}


def _halves(noisy: Windows, classifier: str, seed: int) -> Accuracy:
    """The paper's: trained on first halves of the noisy recordings, tested on the second halves of the same."""
    first, second = noisy.halves()
    return split_accuracy(
        (first.values, first.people),
        (second.values, second.people),
        second.units().unit,
        classifier=classifier,
        seed=seed,
    )


def _adversary(own: Windows, noisy: Windows, classifier: str, seed: int) -> Accuracy:
    """Trained on raw data of people's other recording types, tested on the noisy ones of each."""
    predicted = np.empty_like(noisy.people)
    for recording in np.unique(noisy.recordings):
        known, attacked = own.where(own.recordings != recording), noisy.recordings == recording
        predict = trained(known.values, known.people, classifier=classifier, seed=seed)
        predicted[attacked] = predict(noisy.values[attacked])
    return accuracy(predicted, noisy.people, noisy.units().unit)
