"""Who is it? Classifiers that know each person's raw data from some recordings re-identify released rows from others."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from synthrelease.dp.noise import SecureRandom
from synthrelease.evaluation.attacks.chance import DRAWS
from synthrelease.evaluation.attacks.intervals import share_rate
from synthrelease.evaluation.attacks.result import AttackResult, judged, matching_result
from synthrelease.evaluation.attacks.windows import Labels, Numbers, Windows, share_by_person
from synthrelease.evaluation.metrics.classification import CLASSIFIERS, majority_vote, trained
from synthrelease.parallel import Call, Progress, run_calls


def identification(
    known: Windows,
    released: Windows,
    *,
    classifier: str,
    seed: int,
    negative_control: Windows | None = None,
    draws: int = DRAWS,
) -> AttackResult:
    """Return how often released people are named rightly: rows of a person and recording vote together.

    `main` is the mean over people of the proportion of their recordings that are named; `further` has that of their windows. `chance`
    is 1/n of n known people. `control` is the same with owners shuffled among the released people, or, with a negative control,
    the attack on that.

    Args:
        known: what the attacker has: raw rows of all people, with names.
        released: rows of other recordings, with their true owners, for scoring.
        classifier: one of `CLASSIFIERS`.
        seed: of trees and shuffles; the same seed, the same result.
        negative_control: rows that the same mechanism made of data whose owners had been shuffled before: whatever is named in
            them is not by the person (noise that known and released rows share, say, or a device).
        draws: number of shuffles.

    Raises:
        ValueError: the attacker knows one of the recordings already, does not know one of the people, or there are fewer
            than two people; the numbers of features differ.
        MachineError: scikit-learn is not installed.
    """
    for rows in (released, negative_control):
        if rows is not None:
            _check(known, rows)
    random = SecureRandom.for_tests(seed).spawn("identification", classifier)
    tree_seed = int(random.spawn("trees").integers(2**31, 1)[0])
    predict = trained(known.values, known.people, classifier=classifier, seed=tree_seed)
    predicted = predict(released.values)
    return matching_result(
        f"identification, {classifier}",
        "proportion of recordings that are re-identified",
        _named(released, predicted),
        chance=1 / known.names.size,
        random=random,
        draws=draws,
        negative_control=None
        if negative_control is None
        else _named(negative_control, predict(negative_control.values)),
        further={
            "windows": share_rate(
                share_by_person((predicted == released.people).astype(float), released.people)
            )
        },
    )


def identifications(
    known: Windows,
    released: Windows,
    *,
    seed: int,
    classifiers: Sequence[str] = CLASSIFIERS,
    negative_control: Windows | None = None,
    draws: int = DRAWS,
    n_jobs: int = 1,
    progress: Progress | None = None,
) -> tuple[AttackResult, ...]:
    """Return `identification` by several classifiers, judged together; as many at a time as `n_jobs`, which changes no result."""
    by = partial(identification, known, released, seed=seed, negative_control=negative_control, draws=draws)
    calls = [Call(partial(by, classifier=name)) for name in classifiers]
    return judged(run_calls("identification", calls, n_jobs, progress=progress))


def _named(rows: Windows, predicted: Labels) -> Numbers:
    """How often each person's recordings were given to each of the people, shape (n, n)."""
    units = rows.units()
    voted = majority_vote(predicted, units.unit)
    names = rows.names
    person = np.searchsorted(names, units.people)
    column = np.searchsorted(names, voted)
    is_name = np.isin(voted, names)
    table = np.zeros((names.size, names.size))
    np.add.at(table, (person[is_name], column[is_name]), 1.0)
    return table / np.bincount(person)[:, None]


def _check(known: Windows, released: Windows) -> None:
    both = np.intersect1d(known.recordings, released.recordings)
    if both.size:
        raise ValueError(
            f"Expected released rows of recordings that the attacker does not have, found {both.size} that they have: "
            "looking up known rows is not re-identification"
        )
    if not np.isin(released.people, known.people).all():
        raise ValueError(
            "Expected raw rows of every released person, found people whom the attacker does not know"
        )
    if released.names.size < 2:
        raise ValueError("Expected two released people at least, found one")
    if known.values.shape[1] != released.values.shape[1]:
        raise ValueError(
            f"Expected rows of {known.values.shape[1]} features, as known, found {released.values.shape[1]}"
        )
