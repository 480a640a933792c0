"""Candidates, the test, and the records that pass it, each with the row that it was made from (`records.proof.md`).

Whose a record is must be in no release: `release` keeps the records only. Who evaluates a release needs to know both.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synthrelease.dp.calibration import laplace_scale
from synthrelease.dp.event import RandomizedTest
from synthrelease.dp.noise.entropy import SecureRandom
from synthrelease.dp.noise.rounded import discrete_laplace
from synthrelease.errors import PlanError
from synthrelease.kinds.records.deniability import SeedSet
from synthrelease.kinds.records.model import SeededModel
from synthrelease.kinds.records.public import EXCLUDE, PERSON, RecordsParameters
from synthrelease.numerics.prefix_trie import PrefixTrie

Records = NDArray[np.signedinteger[Any]]
NO_ROW = -1
ROUND = 1 << 10  # candidates of a round, at least


@dataclass(frozen=True)
class CandidateRecords:
    """Records that were made from real rows."""

    records: Records  # category numbers, shape (rows, m)
    # row that each was made from, `NO_ROW` where it is of the model only, shape (rows,). Private
    seeds: NDArray[np.int64]
    trials: int  # candidates made
    passed: int  # those that passed the test


class Owners:
    """Rows by owner.

    Args:
        owner: of each row, integers, shape (N,).
    """

    def __init__(self, owner: NDArray[np.int64]) -> None:
        self._order = np.argsort(owner, kind="stable")
        _, self._start, self._size = np.unique(owner[self._order], return_index=True, return_counts=True)

    @property
    def single(self) -> bool:
        """Whether each owner has one row: then there is nothing to draw."""
        return len(self._start) == len(self._order)

    def sampled_rows(self, random: SecureRandom) -> NDArray[np.int64]:
        """Return a row of each owner, drawn uniformly among theirs."""
        within = (random.uniform(len(self._start)) * self._size).astype(np.int64)
        rows: NDArray[np.int64] = self._order[self._start + within]
        return rows


class Candidates:
    """Rounds of candidates from seeds.

    If people count, each enters a round with one record for each task, drawn among their own: who has many records alike is no
    likelier to be the seed than anyone else. All candidates of a round are made and tested with these.

    Args:
        model: what candidates are drawn from.
        records: real ones, category numbers, shape (N, m).
        people: whose each is, shape (N,).
        parameters: of the output.
    """

    def __init__(
        self,
        model: SeededModel,
        records: Records,
        people: NDArray[np.int64],
        parameters: RecordsParameters,
    ) -> None:
        owner = np.arange(len(records))
        if parameters.counted == PERSON:
            owner = people * parameters.categories[0] + records[:, 0] if parameters.task else people
        self._owners, self._model, self._records = Owners(owner), model, records
        assert parameters.gamma is not None
        self._gamma = parameters.gamma
        self._seeds: SeedSet | None = None

    def next_round(
        self, most: int, random: SecureRandom
    ) -> tuple[Records, NDArray[np.int64], NDArray[np.int64]]:
        """Return a round of candidates, the row that each was made from, and how many plausible seeds it has.

        Args:
            most: how many there may be.
            random: where seeds and draws come from.
        """
        if self._seeds is None or not self._owners.single:
            self._entered = self._owners.sampled_rows(random)
            self._seeds = SeedSet(self._model, self._records[self._entered])
        count = len(self._entered)
        rows = random.integers(count, min(max(ROUND, count), most))
        candidates = self._model.sample(self._records[self._entered[rows]], random)
        return candidates, self._entered[rows], self._seeds.plausible(candidates, rows, gamma=self._gamma)


class RecordSet:
    """Finds which candidates equal a real record in all attributes.

    Args:
        records: the real ones, shape (N, m).
    """

    def __init__(self, records: Records) -> None:
        self._trie = PrefixTrie(records, range(records.shape[1]))
        self._attributes = records.shape[1] if len(records) else None

    def contains(self, candidates: Records) -> NDArray[np.bool_]:
        """Return whether each does, shape (C,); candidates are category numbers, shape (C, m)."""
        if self._attributes is None:
            return np.zeros(len(candidates), dtype=bool)
        length = self._trie.nearest(self._trie.packed(candidates))[1]
        equal: NDArray[np.bool_] = length == self._attributes
        return equal


def of_model(model: SeededModel, rows: int, kind: np.dtype[Any], random: SecureRandom) -> Records:
    """Return whole records of the model, nothing kept of any seed: category numbers, shape (rows, m)."""
    return model.whole.sample(np.zeros((rows, len(model.order)), dtype=kind), random)


def passing(
    model: SeededModel,
    records: Records,
    people: NDArray[np.int64],
    parameters: RecordsParameters,
    *,
    trials: int,
    real: RecordSet,
    of_each_task: int | None = None,
    random: SecureRandom,
) -> CandidateRecords:
    """Return the first records that pass Test 1.

    Where there are to be as many of each task, further ones of it are left out, and records stand in the order of tasks. The task is
    kept of a seed: given the task, a record is drawn and tested as it is without that.

    Args:
        model: what is drawn from.
        records: real ones, category numbers, shape (N, m).
        people: whose each is, shape (N,).
        parameters: of the output.
        trials: candidates to make at most.
        real: the real records, which copies equal.
        of_each_task: how many records there are to be of each task; None if tasks come as they are drawn.
        random: where seeds and draws come from.

    Raises:
        PlanError: there is no record, or too few candidates passed.
    """
    if not len(records):
        raise PlanError(
            "no-complete-row",
            "no row has a value for every attribute",
            remedy='use fewer `features`, complete the data, or say missing = "category"',
        )
    assert parameters.k is not None
    rounds = Candidates(model, records, people, parameters)
    published: list[Records] = []
    seeds: list[NDArray[np.int64]] = []
    published_count = tried = passed = 0
    quota = None if of_each_task is None else _Quota(parameters.categories[0], of_each_task)
    while published_count < parameters.rows and tried < trials:
        candidates, rows, plausible = rounds.next_round(trials - tried, random)
        passes = plausible >= parameters.k
        passed += int(passes.sum())
        if parameters.copies == EXCLUDE:
            passes &= ~real.contains(candidates)
        if quota is not None:
            passes = quota.first(candidates[:, 0], passes)
        published.append(candidates[passes])
        seeds.append(rows[passes])
        published_count += len(published[-1])
        tried += len(candidates)
    if published_count < parameters.rows:
        raise PlanError(
            "too-few-records",
            f"fewer than {parameters.rows} records passed the deniability test in {trials} trials",
            found="" if quota is None else quota.lacking(parameters.attributes[0].name),
            expected=f"records with k = {parameters.k} plausible seeds, each a {parameters.counted}",
            remedy=f"{parameters.passes_more}; more `trials` for the same records select ever stranger ones",
        )
    records, seed_rows = np.concatenate(published), np.concatenate(seeds)
    order = np.arange(len(records)) if quota is None else np.argsort(records[:, 0], kind="stable")
    first = order[: parameters.rows]
    return CandidateRecords(records[first], seed_rows[first], tried, passed)


class _Quota:
    """How many records of each task are still to be published."""

    def __init__(self, tasks: int, of_each: int) -> None:
        self._missing = np.full(tasks, of_each)

    def first(self, tasks: NDArray[np.integer], passes: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which of the candidates that pass are the first ones of their task, as many as are missing, which are then no more."""
        chosen = np.flatnonzero(passes)
        chosen = chosen[np.argsort(tasks[chosen], kind="stable")]
        _, start, count = np.unique(tasks[chosen], return_index=True, return_counts=True)
        rank = np.arange(chosen.size) - np.repeat(start, count)
        chosen = chosen[rank < self._missing[tasks[chosen]]]
        self._missing -= np.bincount(tasks[chosen], minlength=self._missing.size)
        first = np.zeros_like(passes)
        first[chosen] = True
        return first

    def lacking(self, name: str) -> str:
        """Return of how many tasks there are too few, for the curator."""
        return f"too few for {np.count_nonzero(self._missing)} of {self._missing.size} values of '{name}'"


def seed_people(parameters: RecordsParameters, random: SecureRandom) -> NDArray[np.bool_]:
    """Return whether each may be a seed, shape (people,): all, or with a randomized threshold half of them, drawn without a look at their data."""
    assert parameters.people is not None
    seed = np.ones(parameters.people, dtype=np.bool_)
    if parameters.is_randomized:
        seed[random.permutation(parameters.people)[parameters.seeds :]] = False
    return seed


def substituted(
    model: SeededModel,
    records: Records,
    people: NDArray[np.int64],
    test: RandomizedTest,
    *,
    seed: NDArray[np.bool_],
    random: SecureRandom,
) -> CandidateRecords:
    """Return a record of every trial of Test 2, the model's own in place of one that does not pass.

    Every person has one record at most, drawn among their own. Who has none is drawn like the others, and never passes.

    Args:
        model: fitted on people who are no seeds.
        records: real ones, category numbers, shape (N, m).
        people: whose each is, shape (N,).
        test: what is done.
        seed: who may be a seed, shape (people,).
        random: where seeds, draws and noise come from.
    """
    entered = np.flatnonzero(seed[people])
    entered = entered[Owners(people[entered]).sampled_rows(random)]
    row_of = np.full(len(seed), NO_ROW)
    row_of[people[entered]] = np.arange(len(entered))
    drawn = row_of[np.flatnonzero(seed)[random.integers(test.seeds, test.trials)]]
    published = of_model(model, test.trials, records.dtype, random)
    asks = random.integers(test.substitution, test.trials) > 0
    scale = laplace_scale(test.epsilon0, sensitivity=1)
    threshold = test.k + discrete_laplace(scale, test.trials, random=random)
    seeded = np.flatnonzero(drawn >= 0)
    candidates = model.sample(records[entered[drawn[seeded]]], random)
    plausible = SeedSet(model, records[entered]).plausible(candidates, drawn[seeded], gamma=test.gamma)
    passes = asks[seeded] & (plausible >= threshold[seeded])
    published[seeded[passes]] = candidates[passes]
    seeds = np.full(test.trials, NO_ROW)
    seeds[seeded[passes]] = entered[drawn[seeded[passes]]]
    return CandidateRecords(published, seeds, test.trials, int(passes.sum()))
