"""Fresh releases of records by a plan's mechanism, with the row that each record was made from: only for attacks and comparisons."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from synthrelease.dp.event import Noise
from synthrelease.dp.noise import SecureRandom
from synthrelease.evaluation.records.rows import NO_ONE, Codes, Labels, RecordRows, decoded_rows
from synthrelease.kinds.records.candidates import (
    NO_ROW,
    ROUND,
    CandidateRecords,
    Candidates,
    RecordSet,
    of_model,
    passing,
    seed_people,
    substituted,
)
from synthrelease.kinds.records.fit import fit_model
from synthrelease.kinds.records.mechanism import SyntheticRecords
from synthrelease.kinds.records.model import SeededModel
from synthrelease.kinds.records.public import EXCLUDE, RecordsParameters

_PILOT = 4  # rounds that estimate how many candidates pass
_LEAST_SHARE = 1 / 200  # of candidates that pass, for a release that is made to be attacked
_PATIENCE = 5000  # candidates for each record of such a release


def fresh_release(
    rows: RecordRows, noise: Noise | None, *, most_rows: int, random: SecureRandom
) -> RecordRows:
    """Return a release of some people's rows with a k that they can pass; each record has person and recording of its source record.

    `noise` is of the fit, None for an exact one.

    Raises:
        PlanError: as `owned_records`.
    """
    codes, people = rows.codes, rows.numbered
    fewer = of_fewer(rows.mechanism, rows.names.size, most_rows=most_rows)
    fewer = with_k(fewer, passing_k(codes, people, fewer, noise, random=random.spawn("k")))
    records = owned_records(codes, people, fewer, noise, random=random.spawn("release"))
    sourced = records.seeds != NO_ROW
    return replace(
        decoded_rows(records.records, fewer),
        people=np.where(sourced, rows.people[records.seeds], NO_ONE),
        recordings=np.where(sourced, rows.recordings[records.seeds], NO_ONE),
    )


def owned_records(
    codes: Codes,
    people: Labels,
    mechanism: SyntheticRecords,
    noise: Noise | None,
    *,
    model: SeededModel | None = None,
    random: SecureRandom,
) -> CandidateRecords:
    """Return the records that a release with these parameters would publish, with their seeds.

    Args:
        codes: real rows, shape (N, m).
        people: whose each row is, 0 … n − 1, shape (N,).
        mechanism: of the output.
        noise: of the fit; None for an exact one.
        model: to draw from; default one that is fitted.
        random: where noise and draws come from.

    Raises:
        PlanError: too few candidates pass in as many trials as the plan allows.
    """
    parameters = mechanism.parameters
    is_seed = seed_people(parameters, random)
    if model is None:
        fitted = ~is_seed[people] if parameters.is_randomized else np.ones(len(people), dtype=bool)
        model, _ = fit_model(codes[fitted], people[fitted], parameters, noise, random=random)
    if parameters.is_randomized:
        return substituted(model, codes, people, mechanism.randomized_test, seed=is_seed, random=random)
    rows = parameters.rows
    if keeps_nothing(parameters) and parameters.copies != EXCLUDE:  # no test can fail, and no seed matters
        sources = np.full(rows, NO_ROW, dtype=np.int64)
        return CandidateRecords(of_model(model, rows, codes.dtype, random), sources, rows, rows)
    passed = passing(
        model, codes, people, parameters, trials=mechanism.trials, real=RecordSet(codes), random=random
    )
    return replace(passed, seeds=np.full_like(passed.seeds, NO_ROW)) if keeps_nothing(parameters) else passed


def keeps_nothing(parameters: RecordsParameters) -> bool:
    """Whether records are of the model only, whatever the seed: then they have no owner."""
    return parameters.resampled == (len(parameters.attributes),)


def of_fewer(mechanism: SyntheticRecords, people: int, *, most_rows: int) -> SyntheticRecords:
    """Return the mechanism for a release of some of the people: the plan's, with what has to change.

    Rows are at most `most_rows`. What a plan allows in trials is no limit: who makes a release to attack it has time. A randomized
    test has as many trials as rows, and k is at most the number of seeds.
    """
    rows = min(mechanism.parameters.rows, most_rows)
    parameters = replace(mechanism.parameters, people=people, rows=rows)
    if not parameters.is_randomized:
        return replace(mechanism, parameters=parameters, trials=max(mechanism.trials, _PATIENCE * rows))
    assert parameters.k is not None
    fewer = replace(mechanism, parameters=parameters, trials=rows)
    return with_k(fewer, max(2, min(parameters.k, parameters.seeds)))


def with_k(mechanism: SyntheticRecords, k: int | None) -> SyntheticRecords:
    """Return the mechanism with another k."""
    return replace(mechanism, parameters=replace(mechanism.parameters, k=k))


def passing_k(
    codes: Codes,
    people: Labels,
    mechanism: SyntheticRecords,
    noise: Noise | None,
    *,
    random: SecureRandom,
) -> int | None:
    """Return the largest k, at most that of the parameters, that lets at least one of 200 candidates pass: found by trying.

    Arguments as `owned_records`. k of a randomized threshold, or of a test that cannot fail, stays as it is.
    """
    parameters = mechanism.parameters
    if not takes_k(parameters):
        return parameters.k
    assert parameters.k is not None
    model, _ = fit_model(codes, people, parameters, noise, random=random)
    rounds, known = Candidates(model, codes, people, parameters), RecordSet(codes)
    plausible_counts = []
    for _ in range(_PILOT):
        candidates, _, plausible = rounds.next_round(ROUND, random)
        if parameters.copies == EXCLUDE:
            plausible[known.contains(candidates)] = 0
        plausible_counts.append(plausible)
    counts = np.sort(np.concatenate(plausible_counts))
    return max(1, min(parameters.k, int(counts[-math.ceil(counts.size * _LEAST_SHARE)])))


def takes_k(parameters: RecordsParameters) -> bool:
    """Whether records are tried until enough have k plausible seeds."""
    tested = parameters.is_tested and not parameters.is_randomized
    return tested and (not keeps_nothing(parameters) or parameters.copies == EXCLUDE)
