"""Records as a release makes them, and from whose row each was made: what no release tells, for attacks alone.

The same steps as `mechanisms.records.release` in the same order, so that the same generator makes the same records
(`test_owned_records_are_those_of_a_release`): there owners are not kept, so that they cannot be published.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from synthrelease.appraisal.record_rows import NO_ONE, Codes, Labels
from synthrelease.errors import PlanError
from synthrelease.maths.prefix_trie import PrefixTrie
from synthrelease.mechanisms.records import SeededModel, SeedSet
from synthrelease.mechanisms.records.fit import fit_model
from synthrelease.mechanisms.records.owners import Owners
from synthrelease.mechanisms.records.parameters import EXCLUDE, PERSON, RecordsParameters
from synthrelease.noise import SecureRandom
from synthrelease.noise.rounded import discrete_laplace
from synthrelease.privacy.calibration import laplace_scale
from synthrelease.privacy.event import Noise, RandomizedTest

_ROUND = 1 << 10  # candidates of a round, at least, as a release has it
_PILOT = 4  # rounds that tell how many candidates pass
_LEAST_SHARE = 1 / 200  # of candidates that pass, for a release that is made to be attacked
_PATIENCE = 5000  # candidates for each record of such a release


@dataclass(frozen=True)
class Owned:
    """Synthetic records with their seeds.

    Attributes:
        codes: category numbers, shape (rows, m).
        seeds: row that each was made from, `NO_ONE` where it is of the model alone, shape (rows,).
        trials: candidates made.
        passed: those that passed the test.
    """

    codes: Codes
    seeds: Labels
    trials: int
    passed: int


def owned_records(
    codes: Codes,
    people: Labels,
    parameters: RecordsParameters,
    noise: Noise | None,
    *,
    random: SecureRandom,
) -> Owned:
    """Return the records that a release with these parameters would publish, with their seeds.

    Args:
        codes: real rows, shape (N, m).
        people: whose each row is, 0 … `parameters.people` − 1, shape (N,).
        parameters: of the output.
        noise: of the fit; None for an exact one.
        random: where noise and draws come from.

    Raises:
        PlanError: too few candidates pass in as many trials as the plan allows.
    """
    if parameters.randomized:
        return _substituted(codes, people, parameters, noise, random)
    model, _ = fit_model(codes, people, parameters, noise, random=random)
    if keeps_nothing(parameters) and parameters.copies != EXCLUDE:
        return _of_model(model, parameters.rows, codes, random)  # no test can fail, and no seed matters
    rounds = _Candidates(model, codes, people, parameters)
    made: list[Codes] = []
    seeds: list[Labels] = []
    found = tried = passed = 0
    while found < parameters.rows and tried < parameters.trials:
        candidates, own, plausible = rounds.made(parameters.trials - tried, random)
        passes = plausible >= parameters.k
        passed += int(passes.sum())
        if parameters.copies == EXCLUDE:
            passes &= ~equal_to_some(candidates, codes)
        made.append(candidates[passes])
        seeds.append(own[passes])
        found += len(made[-1])
        tried += len(candidates)
    if found < parameters.rows:
        raise PlanError(
            f"fewer than {parameters.rows} records passed the deniability test in {parameters.trials} trials"
        )
    seed = np.concatenate(seeds)[: parameters.rows]
    if keeps_nothing(parameters):
        seed = np.full_like(seed, NO_ONE)
    return Owned(np.concatenate(made)[: parameters.rows], seed, tried, passed)


def keeps_nothing(parameters: RecordsParameters) -> bool:
    """Whether records are of the model alone, whatever the seed: then they are nobody's."""
    return parameters.resampled == (len(parameters.attributes),)


def of_fewer(parameters: RecordsParameters, people: int, *, most_rows: int) -> RecordsParameters:
    """Return parameters for a release of some of the people: the plan's own, but for what has to be another.

    Rows are at most `most_rows`. What a plan allows in trials is no limit: who makes a release to attack it has time. A randomized
    test has as many trials as rows, and k is at most the number of seeds.

    Args:
        parameters: of the output.
        people: how many they are.
        most_rows: records that an attacker looks at, at most.
    """
    fewer = replace(parameters, people=people, rows=min(parameters.rows, most_rows))
    if fewer.randomized:
        return replace(fewer, trials=fewer.rows, k=max(2, min(fewer.k, fewer.seeds)))
    return replace(fewer, trials=max(fewer.trials, _PATIENCE * fewer.rows))


def passing_k(
    codes: Codes,
    people: Labels,
    parameters: RecordsParameters,
    noise: Noise | None,
    *,
    random: SecureRandom,
) -> int:
    """Return the largest k, at most that of the parameters, that lets at least one of 200 candidates pass: found by trying.

    Arguments as `owned_records`. k of a randomized threshold, or of a test that cannot fail, stays as it is.
    """
    if not takes_k(parameters):
        return parameters.k
    model, _ = fit_model(codes, people, parameters, noise, random=random)
    rounds = _Candidates(model, codes, people, parameters)
    told = []
    for _ in range(_PILOT):
        candidates, _, plausible = rounds.made(_ROUND, random)
        if parameters.copies == EXCLUDE:
            plausible[equal_to_some(candidates, codes)] = 0
        told.append(plausible)
    counts = np.sort(np.concatenate(told))
    return max(1, min(parameters.k, int(counts[-math.ceil(counts.size * _LEAST_SHARE)])))


def takes_k(parameters: RecordsParameters) -> bool:
    """Whether records are tried until enough have k plausible seeds."""
    tested = parameters.tested and not parameters.randomized
    return tested and (not keeps_nothing(parameters) or parameters.copies == EXCLUDE)


def equal_to_some(candidates: Codes, codes: Codes) -> NDArray[np.bool_]:
    """Return which candidates equal a row in all attributes, shape (C,)."""
    trie = PrefixTrie(codes, range(codes.shape[1]))
    equal: NDArray[np.bool_] = trie.nearest(trie.packed(candidates))[1] == codes.shape[1]
    return equal


class _Candidates:
    """Rounds of candidates: if people count, each enters with one record for each task, drawn among their own."""

    def __init__(
        self, model: SeededModel, codes: Codes, people: Labels, parameters: RecordsParameters
    ) -> None:
        own = np.arange(len(codes))
        if parameters.counted == PERSON:
            own = people * parameters.categories[0] + codes[:, 0] if parameters.task else people
        self._owners, self._model, self._codes, self._gamma = Owners(own), model, codes, parameters.gamma
        self._seeds: SeedSet | None = None

    def made(self, most: int, random: SecureRandom) -> tuple[Codes, Labels, Labels]:
        """Return candidates, the row that each was made from, and how many plausible seeds it has."""
        if self._seeds is None or not self._owners.single:
            self._entered = self._owners.one_each(random)
            self._seeds = SeedSet(self._model, self._codes[self._entered])
        count = len(self._entered)
        rows = random.integers(count, min(max(_ROUND, count), most))
        candidates = self._model.sample(self._codes[self._entered[rows]], random)
        return candidates, self._entered[rows], self._seeds.plausible(candidates, rows, gamma=self._gamma)


def _of_model(model: SeededModel, rows: int, codes: Codes, random: SecureRandom) -> Owned:
    blank = np.zeros((rows, codes.shape[1]), dtype=codes.dtype)
    return Owned(model.whole.sample(blank, random), np.full(rows, NO_ONE, dtype=np.int64), rows, rows)


def _substituted(
    codes: Codes,
    people: Labels,
    parameters: RecordsParameters,
    noise: Noise | None,
    random: SecureRandom,
) -> Owned:
    """A record of every trial of Test 2, the model's own in place of one that does not pass."""
    seed = np.ones(parameters.people, dtype=bool)
    seed[random.permutation(parameters.people)[parameters.seeds :]] = False
    fitted = ~seed[people]
    model, _ = fit_model(codes[fitted], people[fitted], parameters, noise, random=random)
    assert parameters.epsilon0 is not None
    test = RandomizedTest(
        parameters.k, parameters.gamma, parameters.epsilon0, parameters.trials, parameters.seeds
    )
    entered = np.flatnonzero(seed[people])
    entered = entered[Owners(people[entered]).one_each(random)]
    row_of = np.full(parameters.people, NO_ONE)
    row_of[people[entered]] = np.arange(len(entered))
    drawn = row_of[np.flatnonzero(seed)[random.integers(parameters.seeds, parameters.trials)]]
    published = _of_model(model, parameters.trials, codes, random).codes
    asks = random.integers(test.substitution, parameters.trials) > 0
    scale = laplace_scale(parameters.epsilon0, sensitivity=1)
    threshold = parameters.k + discrete_laplace(scale, parameters.trials, random=random)
    there = np.flatnonzero(drawn != NO_ONE)
    candidates = model.sample(codes[entered[drawn[there]]], random)
    plausible = SeedSet(model, codes[entered]).plausible(candidates, drawn[there], gamma=parameters.gamma)
    passes = asks[there] & (plausible >= threshold[there])
    published[there[passes]] = candidates[passes]
    seeds = np.full(parameters.trials, NO_ONE, dtype=np.int64)
    seeds[there[passes]] = entered[drawn[there[passes]]]
    return Owned(published, seeds, parameters.trials, int(passes.sum()))
