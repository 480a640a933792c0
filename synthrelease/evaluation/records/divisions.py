"""Who took part, what they have, what is copied of them: attacks on fresh releases of random halves of the people."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from synthrelease.dp import accounting
from synthrelease.dp.event import Event, Noise, noise_of
from synthrelease.dp.guarantee import ApproxDP, PureDP
from synthrelease.dp.noise import SecureRandom
from synthrelease.errors import PlanError
from synthrelease.evaluation.attacks import (
    AttackResult,
    Rounds,
    Windows,
    attribute_inference,
    closeness,
    copies,
    copies_of,
    distance_to_others,
    guessed,
    inferred,
    likelihood_ratios,
    membership,
    released_rounds,
)
from synthrelease.evaluation.records.releases import of_fewer, owned_records, passing_k, takes_k, with_k
from synthrelease.evaluation.records.rows import Labels, Numbers, RecordRows, decoded_rows, drawn_people
from synthrelease.kinds.records.mechanism import SyntheticRecords
from synthrelease.kinds.records.public import RecordsParameters
from synthrelease.parallel import Progress

ROUNDS = 64  # likelihood ratios learn from the first half of them and are tried on the second
FEWEST_PEOPLE = 4
_MOST_ROWS = 1000  # rows that are attacked
_MOST_PEOPLE = 100  # whose membership is at stake
_MOST_RECORDS = 10_000  # that an attacker uses
_NEIGHBOURS = 5  # records that vote on a secret
_DELTAS = (1e-6, 1e-4, 1e-2)  # at the first that leaves an ε, a guarantee is compared with an attack
_ROUNDS_FOR_GUARANTEE = 32  # rounds from which a guarantee can be compared with them


@dataclass(frozen=True)
class Trial:
    """How attacks on fresh releases are run."""

    event: Event  # of the release that is evaluated; fresh ones have its noise
    random: SecureRandom  # for fresh releases, and for which people are chosen
    seed: int  # of halves, trees and shuffles
    rounds: int  # releases of halves
    draws: int  # shuffles behind a p-value
    n_jobs: int = 1
    progress: Progress | None = None


def attacks_on_halves(rows: RecordRows, trial: Trial) -> tuple[list[AttackResult], list[str]]:
    """Return membership, inference and copies, each judged by itself, and what was done, in sentences; of four people at least."""
    random = trial.random.spawn("halves")
    at_stake = drawn_people(rows, _MOST_PEOPLE, random.spawn("people"))
    always_in = np.setdiff1d(rows.names, at_stake)
    size = always_in.size + at_stake.size // 2
    mechanism = of_fewer(rows.mechanism, size, most_rows=_MOST_RECORDS)
    halves = _Halves(rows, always_in, mechanism, noise_of(trial.event))
    sampled = rows.of_people(at_stake).thinned(_MOST_ROWS)
    scorer = _RecordScorer.of(sampled)
    seed = int(random.spawn("seed").integers(2**31, 1)[0])
    if takes_k(mechanism.parameters):
        least = _scored_rounds(halves.passing_k, partial(np.full, at_stake.size), at_stake, seed, trial)
        mechanism = with_k(mechanism, int(least.scores.min()))
        halves = replace(halves, mechanism=mechanism)
    try:
        rounds = _scored_rounds(halves, scorer, at_stake, seed, trial)
    except PlanError as error:
        return [], [
            f"Membership inference, attribute inference and copies were not tried: with half of the participants, {error.problem}"
        ]
    results = _judge(scorer, rounds, trial, _guarantee(trial, rows.parameters, mechanism))
    return results, [*_sentences(rows, at_stake, sampled, mechanism.parameters, trial.rounds)]


def _scored_rounds(
    release: Callable[[Labels, SecureRandom], Any],
    score: Callable[[Any], Numbers],
    people: Labels,
    seed: int,
    trial: Trial,
) -> Rounds:
    ways = {"rounds": trial.rounds, "seed": seed, "n_jobs": trial.n_jobs}
    return released_rounds(release, score, people, **ways, progress=trial.progress)


@dataclass(frozen=True)
class _Halves:
    """Makes a release of some of the people and of all who are not at stake."""

    rows: RecordRows
    always_in: Labels
    mechanism: SyntheticRecords
    noise: Noise | None

    def __call__(self, people: Labels, random: SecureRandom) -> RecordRows:
        source = self.source_rows(people)
        released = owned_records(source.codes, source.numbered, self.mechanism, self.noise, random=random)
        return decoded_rows(released.records, self.mechanism)

    def passing_k(self, people: Labels, random: SecureRandom) -> int:
        """Return the k that these people can pass with."""
        source = self.source_rows(people)
        return int(passing_k(source.codes, source.numbered, self.mechanism, self.noise, random=random) or 0)

    def source_rows(self, people: Labels) -> RecordRows:
        """What the mechanism takes."""
        return self.rows.of_people(np.append(self.always_in, people))


@dataclass(frozen=True)
class _Secret:
    """An attribute that is guessed."""

    name: str
    attribute: int  # its number
    tolerance: float | None  # how far off a guess is right; None if a category is guessed

    def windows(self, rows: RecordRows) -> Numbers:
        """What is known of each row, and the secret as the last column."""
        known = [a for a in rows.features if a != self.attribute]
        source = rows.codes if self.tolerance is None else rows.values
        return np.column_stack([rows.columns(known), source[:, self.attribute].astype(np.float64)])


def _secrets(rows: RecordRows) -> list[_Secret]:
    """The first and the last feature in the order in which they are kept, and the task's label; where anything else is known."""
    parameters = rows.parameters
    order = [a for a in parameters.order if a in rows.features]
    if len(rows.attributes) < 2:
        return []
    chosen = [a for a in dict.fromkeys([order[0], order[-1]]) if len(order) > 1]
    if parameters.task:
        chosen.append(0)
    out = []
    for a in chosen:
        attribute = rows.attributes[a]
        guessed_in_bins = attribute.labels is not None or attribute.missing
        tolerance = None if guessed_in_bins else float(np.diff(attribute.edges)[0] / 2)
        out.append(_Secret(attribute.name, a, tolerance))
    return out


@dataclass(frozen=True)
class _RecordScorer:
    """Scores people against a release: a column for each of `columns`."""

    people: RecordRows  # whose rows are attacked
    secrets: tuple[_Secret, ...]
    # distance of each row to the nearest row of another person, in values ("") and in bins
    distances: Mapping[str, Numbers]

    @classmethod
    def of(cls, people: RecordRows) -> _RecordScorer:
        """Return what scores these people."""
        numbers = any(people.attributes[a].labels is None for a in people.features)
        where = ["", _IN_BINS] if numbers else [_IN_BINS]  # labels are their own bins
        distances = {place: distance_to_others(people.windows(in_bins=place == _IN_BINS)) for place in where}
        return cls(people, tuple(_secrets(people)), distances)

    @property
    def columns(self) -> list[str]:
        """What each column of the scores is."""
        secrets = [f"secret {secret.name}" for secret in self.secrets]
        return ["closeness", *secrets, *(f"{kind}{where}" for where in self.distances for kind in _KINDS)]

    def __call__(self, released: RecordRows) -> Numbers:
        values = released.columns(released.features)
        scores = [closeness(values, self.people.windows())]
        count = min(_NEIGHBOURS, len(released))
        for secret in self.secrets:
            rows = self.of_secret(secret)
            last = rows.values.shape[1] - 1
            scores.append(
                inferred(
                    secret.windows(released), rows, secret=last, tolerance=secret.tolerance, neighbours=count
                )
            )
        for where, distances in self.distances.items():
            in_bins = where == _IN_BINS
            records = released.columns(released.features, in_bins=in_bins)
            copied = copies_of(records, self.people.windows(in_bins=in_bins), distances=distances)
            scores += [copied.exact, copied.near, copied.rows.astype(np.float64)]
        return np.stack(scores, axis=1)

    def of_secret(self, secret: _Secret) -> Windows:
        """The people's rows with the secret as the last column."""
        return Windows(secret.windows(self.people), self.people.people, self.people.recordings)


_IN_BINS, _KINDS = " in bins", ("exact", "near", "rows")


def _judge(
    scorer: _RecordScorer, rounds: Rounds, trial: Trial, guarantee: tuple[float, float] | None
) -> list[AttackResult]:
    column = {name: rounds.scores[:, :, i] for i, name in enumerate(scorer.columns)}
    seed, draws, members = trial.seed, trial.draws, rounds.members
    member_scores = column["closeness"]
    results = [membership(member_scores, members, seed=seed, draws=draws, guarantee=guarantee)]
    of_members, half = Rounds(members, member_scores), len(members) // 2
    shadows, tried = of_members.between(0, half), of_members.between(half, len(members))
    results += [
        membership(
            likelihood_ratios(shadows, tried.scores, online=online),
            tried.members,
            seed=seed,
            name=f"likelihood ratio, {'online' if online else 'offline'}",
            guarantee=guarantee if online else None,
            draws=draws,
        )
        for online in (False, True)
    ]
    for secret in scorer.secrets:
        rows = scorer.of_secret(secret)
        last = rows.values.shape[1] - 1
        best = guessed(rows.values[:, last], rows, secret=last, tolerance=secret.tolerance)
        baseline = np.broadcast_to(best, members.shape)
        results.append(
            attribute_inference(
                column[f"secret {secret.name}"], members, baseline, seed=seed, name=secret.name, draws=draws
            )
        )
    for where in scorer.distances:
        for kind in ("exact", "near"):
            verbatim = column[f"rows{where}"].astype(np.int64) if kind == "exact" else None
            name = f"{kind}{where}"
            results.append(copies(column[name], members, seed=seed, name=name, rows=verbatim, draws=draws))
    return results


def _guarantee(
    trial: Trial, planned: RecordsParameters, mechanism: SyntheticRecords
) -> tuple[float, float] | None:
    """(ε, δ) under replace-one of each release of a half; None without one, or with too few rounds to compare it with."""
    if trial.rounds < _ROUNDS_FOR_GUARANTEE or mechanism.parameters.k != planned.k:
        return None
    if not accounting.is_differentially_private(trial.event):
        return None
    for delta in _DELTAS:
        match accounting.compose([trial.event], delta=delta, neighbours=mechanism.neighbours):
            case PureDP(epsilon=epsilon):
                return epsilon, 0.0
            case ApproxDP(epsilon=epsilon, delta=stated):
                return epsilon, stated
    return None


def _sentences(
    rows: RecordRows, at_stake: Labels, sampled: RecordRows, parameters: RecordsParameters, rounds: int
) -> Iterator[str]:
    """What was done."""
    planned, secrets = rows.parameters, _secrets(rows)
    releases = f"on {rounds} fresh releases by the same mechanism, each of a random half of {at_stake.size} participants"
    row_count = len(rows.of_people(at_stake))
    yield f"Membership inference, attribute inference and copies: {releases}; {len(sampled)} of their {row_count} rows are attacked."
    if at_stake.size < rows.names.size:
        yield f"They are a random sample of {rows.names.size} participants; all others are in every release."
    if planned.task and len(rows.attributes) > 1:
        yield f"The label '{rows.attributes[0].name}' is not used for distances; it is inferred from the other attributes."
    if parameters.rows < planned.rows:
        yield f"Fresh releases have {parameters.rows} of {planned.rows} records."
    if parameters.k is not None and planned.k is not None and parameters.k < planned.k:
        yield (
            f"With half of the participants, hardly any candidate has {planned.k} plausible sources: fresh releases use "
            f"k = {parameters.k}, which protects less than the k of the plan."
        )
    for secret in secrets:
        if secret.tolerance is not None:
            yield f"A guess of '{secret.name}' is correct if its error is at most half the width of a bin, {secret.tolerance:.3g}."
    if not secrets:
        yield "Attribute inference was not tried: no attribute is left to infer another one from."
