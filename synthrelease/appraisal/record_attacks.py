"""What attackers get from synthetic records: from the bundle's own, and from fresh ones by the same mechanism."""

from __future__ import annotations

from synthrelease.appraisal.own_records import own_records
from synthrelease.appraisal.record_divisions import FEWEST_PEOPLE, ROUNDS, attacks_on_halves
from synthrelease.appraisal.record_names import attacks_on_names
from synthrelease.appraisal.record_rows import manageable, real_rows, released_rows
from synthrelease.appraisal.trial import Trial
from synthrelease.data.features import Features
from synthrelease.evaluate.attacks import AttackResult, judged
from synthrelease.evaluate.attacks.chance import DRAWS
from synthrelease.noise import SecureRandom
from synthrelease.outputs.records import RecordsOutput
from synthrelease.outputs.resolved import Arrays
from synthrelease.parallel import Progress
from synthrelease.privacy.event import Event


def record_attacks(
    output: RecordsOutput,
    event: Event,
    data: Features,
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
    that the attacker does not have. All are by the plan's own mechanism, parameters and noise. What is said of the
    bundle's own records is in the sentences.

    Args:
        output: with all its public parameters.
        event: what was done for the release.
        data: of all people.
        released: the bundle's arrays, by their labels below the output.
        seed: of halves, fresh releases, trees and shuffles; the same seed, the same results.
        progress: told of each release that is made.
        n_jobs: releases and classifiers at a time; it changes no result.
        rounds: releases of halves; from fewer than 40 likelihood ratios may have nothing to learn.
        draws: shuffles behind a p-value.
    """
    parameters = output.parameters
    whole = real_rows(data, parameters)
    if whole.names.size < FEWEST_PEOPLE:
        return (), (f"No attack was tried: it takes {FEWEST_PEOPLE} people with a complete row at least.",)
    random = SecureRandom.for_tests(seed).spawn("record attacks", output.spec.name)
    rows, fewer = manageable(whole, random.spawn("people"))
    told = own_records(whole, released_rows(released, parameters)).sentences()
    trial = Trial(
        event=event,
        random=random,
        seed=seed,
        rounds=rounds,
        draws=draws,
        n_jobs=n_jobs,
        progress=progress,
    )
    of_halves, words_of_halves = attacks_on_halves(rows, trial)
    of_names, words_of_names = attacks_on_names(rows, trial)
    return judged([*of_halves, *of_names]), (*told, *fewer, *words_of_halves, *words_of_names)
