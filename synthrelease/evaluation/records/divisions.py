"""Who took part, what they have, what is copied of them: attacks on fresh releases of random halves of the people."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from synthrelease.dp import accounting
from synthrelease.dp.event import Event, Noise, noise_of
from synthrelease.dp.guarantee import ApproxDP, Neighbours, PureDP
from synthrelease.dp.noise import SecureRandom
from synthrelease.errors import PlanError
from synthrelease.evaluation.attacks import (
    AttackResult,
    Rounds,
    Windows,
    attribute_inference,
    copies,
    copies_of,
    distance_to_others,
    guessed,
    inferred,
    likelihood_ratios,
    membership,
    nearness,
    released_rounds,
)
from synthrelease.evaluation.records.releases import of_fewer, owned_records, passing_k, takes_k, with_k
from synthrelease.evaluation.records.rows import Labels, Numbers, RecordRows, decoded_rows, drawn_people
from synthrelease.kinds.records.mechanism import SyntheticRecords
from synthrelease.kinds.records.public import RecordsParameters
from synthrelease.parallel import Progress

ROUNDS = 64  # likelihood ratios learn from the first half of them and are tried on the second
FEWEST_PEOPLE = 4
_MOST_ASKED = 1000  # rows that an attacker asks about
_MOST_PEOPLE = 100  # whose membership is at stake
_MOST_RECORDS = 10_000  # that an attacker looks at
_NEIGHBOURS = 5  # records that are asked for a secret
_DELTAS = (1e-6, 1e-4, 1e-2)  # at the first that leaves an ε, a guarantee is compared with an attack
_PROMISED = 32  # rounds from which a guarantee can be compared with them


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
    """Return membership, inference and copies, each judged alone, and what was done, in sentences.

    Args:
        rows: of everybody, four people at least.
        trial: how to run them.
    """
    random = trial.random.spawn("halves")
    at_stake = drawn_people(rows, _MOST_PEOPLE, random.spawn("people"))
    others = np.setdiff1d(rows.names, at_stake)
    size = others.size + at_stake.size // 2
    mechanism = of_fewer(rows.mechanism, size, most_rows=_MOST_RECORDS)
    halves = _Halves(rows, others, mechanism, noise_of(trial.event))
    asked = rows.of_people(at_stake).thinned(_MOST_ASKED)
    asks = _Asks.of(asked)
    seed = int(random.spawn("seed").integers(2**31, 1)[0])
    if takes_k(mechanism.parameters):
        least = _released(halves.passing_k, partial(np.full, at_stake.size), at_stake, seed, trial)
        mechanism = with_k(mechanism, int(least.scores.min()))
        halves = replace(halves, mechanism=mechanism)
    try:
        used = _released(halves, asks, at_stake, seed, trial)
    except PlanError as error:
        return [], [
            f"Membership, inference and copies were not tried: of half of the people, {error.problem}"
        ]
    told = _words(rows, at_stake, asked, mechanism.parameters, trial.rounds)
    return _judge(asks, used, trial, _promise(trial, rows.parameters, mechanism)), told


def _released(
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
    others: Labels
    mechanism: SyntheticRecords
    noise: Noise | None

    def __call__(self, people: Labels, random: SecureRandom) -> RecordRows:
        own = self.given(people)
        made = owned_records(own.codes, own.numbered, self.mechanism, self.noise, random=random)
        return decoded_rows(made.records, self.mechanism)

    def passing_k(self, people: Labels, random: SecureRandom) -> int:
        """Return the k that these people can pass with."""
        own = self.given(people)
        return int(passing_k(own.codes, own.numbered, self.mechanism, self.noise, random=random) or 0)

    def given(self, people: Labels) -> RecordRows:
        """What the mechanism is given."""
        return self.rows.of_people(np.append(self.others, people))


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
class _Asks:
    """Asks a release about people: a column of scores for each of `columns`."""

    people: RecordRows  # whose rows are asked about
    secrets: tuple[_Secret, ...]
    others: Mapping[
        str, Numbers
    ]  # distance of each row to the nearest of another person, in values ("") and in bins

    @classmethod
    def of(cls, people: RecordRows) -> _Asks:
        """Return what asks about these people."""
        numbers = any(people.attributes[a].labels is None for a in people.features)
        where = ["", _IN_BINS] if numbers else [_IN_BINS]  # labels are their own bins
        others = {one: distance_to_others(people.windows(in_bins=one == _IN_BINS)) for one in where}
        return cls(people, tuple(_secrets(people)), others)

    @property
    def columns(self) -> list[str]:
        """What each column of the scores is."""
        secrets = [f"secret {secret.name}" for secret in self.secrets]
        return ["nearness", *secrets, *(f"{kind}{where}" for where in self.others for kind in _KINDS)]

    def __call__(self, released: RecordRows) -> Numbers:
        values = released.columns(released.features)
        told = [nearness(values, self.people.windows())]
        count = min(_NEIGHBOURS, len(released))
        for one in self.secrets:
            asked = self.of_secret(one)
            last = asked.values.shape[1] - 1
            told.append(
                inferred(one.windows(released), asked, secret=last, tolerance=one.tolerance, neighbours=count)
            )
        for where, others in self.others.items():
            in_bins = where == _IN_BINS
            records = released.columns(released.features, in_bins=in_bins)
            found = copies_of(records, self.people.windows(in_bins=in_bins), others=others)
            told += [found.exact, found.near, found.rows.astype(np.float64)]
        return np.stack(told, axis=1)

    def of_secret(self, secret: _Secret) -> Windows:
        """The people's rows with the secret as the last column."""
        return Windows(secret.windows(self.people), self.people.people, self.people.recordings)


_IN_BINS, _KINDS = " in bins", ("exact", "near", "rows")


def _judge(
    asks: _Asks, used: Rounds, trial: Trial, promised: tuple[float, float] | None
) -> list[AttackResult]:
    column = {name: used.scores[:, :, i] for i, name in enumerate(asks.columns)}
    seed, draws, members = trial.seed, trial.draws, used.members
    near = column["nearness"]
    found = [membership(near, members, seed=seed, draws=draws, promised=promised)]
    half = len(members) // 2
    shadows, tried = Rounds(members[:half], near[:half]), Rounds(members[half:], near[half:])
    found += [
        membership(
            likelihood_ratios(shadows, tried.scores, online=online),
            tried.members,
            seed=seed,
            name=f"likelihood ratio, {'online' if online else 'offline'}",
            promised=promised if online else None,
            draws=draws,
        )
        for online in (False, True)
    ]
    for one in asks.secrets:
        rows = asks.of_secret(one)
        last = rows.values.shape[1] - 1
        best = guessed(rows.values[:, last], rows, secret=last, tolerance=one.tolerance)
        baseline = np.broadcast_to(best, members.shape)
        found.append(
            attribute_inference(
                column[f"secret {one.name}"], members, baseline, seed=seed, name=one.name, draws=draws
            )
        )
    for where in asks.others:
        for kind in ("exact", "near"):
            verbatim = column[f"rows{where}"].astype(np.int64) if kind == "exact" else None
            name = f"{kind}{where}"
            found.append(copies(column[name], members, seed=seed, name=name, rows=verbatim, draws=draws))
    return found


def _promise(
    trial: Trial, planned: RecordsParameters, mechanism: SyntheticRecords
) -> tuple[float, float] | None:
    """(ε, δ) under replace-one of each release of a half, if there is one."""
    if trial.rounds < _PROMISED or mechanism.parameters.k != planned.k:
        return None
    return promised(trial.event, mechanism.neighbours)


def promised(event: Event, neighbours: Neighbours) -> tuple[float, float] | None:
    """Return (ε, δ) that an event promises a person, if it is differentially private."""
    if not accounting.is_differentially_private(event):
        return None
    for delta in _DELTAS:
        match accounting.compose([event], delta=delta, neighbours=neighbours):
            case PureDP(epsilon=epsilon):
                return epsilon, 0.0
            case ApproxDP(epsilon=epsilon, delta=stated):
                return epsilon, stated
    return None


def _words(
    rows: RecordRows, at_stake: Labels, asked: RecordRows, parameters: RecordsParameters, rounds: int
) -> list[str]:
    planned = rows.parameters
    made = f"on {rounds} fresh releases by the same mechanism, each of half of {at_stake.size} people by lot"
    there = len(rows.of_people(at_stake))
    told = [f"Membership, inference and copies: {made}; {len(asked)} of their {there} rows are asked about."]
    if at_stake.size < rows.names.size:
        told.append(
            f"They were drawn by lot among {rows.names.size} people; all others are in every release."
        )
    if planned.task and len(rows.attributes) > 1:
        told.append(
            f"The label '{rows.attributes[0].name}' takes no part in distances; it is guessed from the others."
        )
    if parameters.rows < planned.rows:
        told.append(f"Fresh releases have {parameters.rows} of {planned.rows} records.")
    if parameters.k is not None and planned.k is not None and parameters.k < planned.k:
        told.append(
            f"With half of the people hardly any candidate has {planned.k} plausible seeds: fresh releases ask for "
            f"k = {parameters.k}, which protects less than the plan's."
        )
    told += [
        f"A guess of '{one.name}' is right if it is off by half the width of a bin, {one.tolerance:.3g}, at most."
        for one in _secrets(rows)
        if one.tolerance is not None
    ]
    if not _secrets(rows):
        told.append("Inference was not tried: nothing is left to guess one attribute from.")
    return told
