"""The contract of scanpaths with plausible deniability: the test counts what the definition counts, and what is published passed it.

The definition, of tiny grids: for every trial d of anyone, Pr{y = M(d)} is added up over Ω, category by category; nothing is known of prefixes.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import deniable_study
import numpy as np
import pytest
from deniable_study import STIMULI, gaze, mechanism, random_trials
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from refusals import refused
from scipy.special import gammaincc
from tiers import few

from synthrelease.dp.budget import Budget
from synthrelease.dp.guarantee import Neighbours
from synthrelease.dp.noise.entropy import SecureRandom
from synthrelease.errors import PlanError
from synthrelease.kinds.contributions import Rows
from synthrelease.kinds.records.candidates import CandidateRecords, RecordSet, passing
from synthrelease.kinds.records.deniability import SeedSet
from synthrelease.kinds.records.fit import fit_model, weighted_counts
from synthrelease.kinds.records.mechanism import coded_records
from synthrelease.kinds.records.model import SeededModel
from synthrelease.kinds.records.public import category_path
from synthrelease.kinds.records.public_scanpaths import ScanpathRecordsParameters
from synthrelease.kinds.records.scanpaths import ScanpathRecords
from synthrelease.kinds.records.tokens import Tokens

Integers = NDArray[np.integer]
TOKENS = Tokens(2, 1, (0.0, 200.0, 1000.0), 3)
KEPT = ((1,), (2,), (1, 2), (0, 1, 3), (3,))
GAMMAS = (1.3, math.e, 7.3)  # of which no probability here is a power
_SIGNIFICANCE = 1e-9


def probability(y: tuple[int, ...], d: Integers, model: SeededModel) -> float:
    """Pr{y = M(d)}: of so many last categories, each as likely as the others, all are drawn, and the others kept."""
    total = 0.0
    for omega in model.resampled:
        kept = len(y) - omega
        if tuple(d[:kept]) == y[:kept]:
            total += math.prod(
                float(model.marginals[a][(*(y[b] for b in model.parents[a]), y[a])])
                for a in range(kept, len(y))
            )
    return total / len(model.resampled)


def interval(p: float, gamma: float) -> int | None:
    return next((i for i in itertools.count() if p > gamma ** -(i + 1)), None) if p > 0 else None


def sequences(stimulus: int, tokens: Tokens) -> Iterator[tuple[int, ...]]:
    """All that there can be on a stimulus."""
    for length in range(1, tokens.fixations + 1):
        gone = tokens.fixations - length
        for cells in itertools.product(range(tokens.cells), repeat=length):
            for lasting in itertools.product(range(tokens.classes), repeat=length):
                yield (stimulus, *cells, *[tokens.cells] * gone, *lasting, *[tokens.classes] * gone)


def fitted(
    one: ScanpathRecords, trials: deniable_study.Trials, *, people: int
) -> tuple[SeededModel, Integers, Integers]:
    records, owners = coded_records(one.table(gaze(trials, people=people)), one.parameters)
    model, _ = fit_model(records, owners, one.parameters, None, random=SecureRandom.for_tests(1))
    return model, records, owners


@few
@given(seed=st.integers(0, 2**32), people=st.integers(1, 7))
@pytest.mark.parametrize("kept", KEPT, ids=str)
def test_the_test_counts_the_people_of_the_definition(kept: tuple[int, ...], seed: int, people: int) -> None:
    one = mechanism(TOKENS, people=people, kept=kept)
    trials = random_trials(np.random.default_rng(seed), people=people, most=4)
    model, records, owners = fitted(one, trials, people=people)
    seeds = SeedSet(model, records)
    for stimulus in range(len(STIMULI)):
        of_stimulus = np.flatnonzero(records[:, 0] == stimulus)
        assert len(set(owners[of_stimulus])) == of_stimulus.size  # a person has one trial of a stimulus
        made = list(sequences(stimulus, TOKENS))
        chosen = made[:: max(1, len(made) // 12)] + [tuple(map(int, row)) for row in records[of_stimulus]]
        for y in chosen:
            probabilities = [probability(y, d, model) for d in records]
            for gamma in GAMMAS:
                intervals = [interval(p, gamma) for p in probabilities]
                plausible = [
                    len({owners[r] for r, i in enumerate(intervals) if i is not None and i == intervals[row]})
                    for row in of_stimulus
                ]
                found = seeds.plausible(np.tile(y, (of_stimulus.size, 1)), of_stimulus, gamma=gamma)
                assert found.tolist() == plausible


@pytest.mark.parametrize("kept", KEPT, ids=str)
def test_candidates_have_the_distribution_of_the_definition(kept: tuple[int, ...]) -> None:
    one = mechanism(TOKENS, kept=kept)
    model, records, _ = fitted(one, random_trials(np.random.default_rng(3), people=6, most=4), people=6)
    count = 40_000
    for d in (records[0], records[-1]):
        drawn = model.sample(np.repeat(d[None], count, axis=0), SecureRandom.for_tests(5))
        found = Counter(map(tuple, drawn.tolist()))
        expected = {y: count * probability(y, d, model) for y in sequences(int(d[0]), TOKENS)}
        assert sum(expected.values()) == pytest.approx(count)
        assert set(found) <= {y for y, number in expected.items() if number > 0}
        common = [y for y, number in expected.items() if number >= 10]
        distance = sum((found[y] - expected[y]) ** 2 / expected[y] for y in common)
        assert gammaincc(len(common) / 2, distance / 2) > _SIGNIFICANCE


def released(
    one: ScanpathRecords, trials: deniable_study.Trials, *, people: int = 6, seed: int = 9
) -> Integers:
    collected = one.collect(gaze(trials, people=people))
    drawn = one.draw(collected, None, SecureRandom.for_tests(seed))
    return np.stack([drawn.arrays[category_path(a)] for a in one.parameters.attributes], axis=1)


def alike(people: int, *, lone: bool) -> deniable_study.Trials:
    """Trials of people who begin on the left; if one of them is alone, that one begins on the right."""
    trials: deniable_study.Trials = {}
    for person in range(people):
        for stimulus in range(len(STIMULI)):
            x = 70.0 if lone and person == 0 else 10.0
            trials[person, stimulus] = [(x, 5, 100), (70.0 - 10 * (person % 2), 5, 300)][: 1 + person % 2 + 1]
    return trials


@pytest.mark.parametrize("kept", [(1,), (2,), (1, 2)], ids=str)
@pytest.mark.parametrize("k", [2, 3])
def test_k_people_could_be_the_source_of_every_published_record(kept: tuple[int, ...], k: int) -> None:
    one = mechanism(TOKENS, people=12, kept=kept, k=k, gamma=math.e)
    trials = random_trials(np.random.default_rng(11), people=12, most=4)
    model, records, _ = fitted(one, trials, people=12)
    for y in released(one, trials, people=12):
        found = Counter(interval(probability(tuple(map(int, y)), d, model), math.e) for d in records)
        assert max(number for i, number in found.items() if i is not None) >= k


def test_no_one_who_begins_elsewhere_is_a_source() -> None:
    one = mechanism(TOKENS)
    assert not released(one, alike(6, lone=True))[:, 1].any()
    assert released(mechanism(TOKENS, k=1), alike(6, lone=True), seed=2)[:, 1].any()  # who could be seen


def test_there_are_as_many_scanpaths_on_each_stimulus_however_many_saw_it() -> None:
    trials = alike(6, lone=False)
    for person in range(4):
        del trials[person, 1]
    one = mechanism(TOKENS, viewers=None, assignment_public=False)
    codes = released(one, trials)
    assert codes[:, 0].tolist() == sorted([0, 1, 2] * 4)
    assert one.parameters.tokens.are_sequences(codes)


def test_a_stimulus_that_fewer_than_k_people_saw_has_no_scanpath_and_is_counted_for_the_curator() -> None:
    trials = alike(6, lone=False)
    for person in range(5):
        del trials[person, 1]
    one = mechanism(TOKENS, viewers=None, assignment_public=False)
    with refused(PlanError, "too-few-records", names=("1", "3", "stimulus")):
        released(one, trials)


@pytest.mark.parametrize("k", [1, 2])
def test_those_of_a_stimulus_are_the_first_that_pass_as_if_there_were_no_others(k: int) -> None:
    """So what is left out of other stimuli says nothing of a record's source."""
    one = mechanism(TOKENS, k=k, scanpaths=5)
    trials = random_trials(np.random.default_rng(2), people=6, most=4)
    model, records, owners = fitted(one, trials, people=6)
    all_of_them = replace(one.parameters, scanpaths=200, rows=600)

    def passed(parameters: ScanpathRecordsParameters, of_each: int | None) -> CandidateRecords:
        random, real = SecureRandom.for_tests(4), RecordSet(records)
        ways = {"trials": 4096, "of_each_task": of_each, "real": real, "random": random}
        return passing(model, records, owners, parameters, **ways)

    quota, free = passed(one.parameters, 5), passed(all_of_them, None)
    assert quota.records[:, 0].tolist() == np.repeat([0, 1, 2], 5).tolist()
    for stimulus in range(3):
        part, whole = quota.records[:, 0] == stimulus, free.records[:, 0] == stimulus
        np.testing.assert_array_equal(quota.records[part], free.records[whole][:5])
        np.testing.assert_array_equal(quota.seeds[part], free.seeds[whole][:5])


def test_rows_of_a_person_on_a_stimulus_are_one_trial_however_they_stand() -> None:
    """So no one is counted twice as a plausible source."""
    one = mechanism(Tokens(2, 1, (0.0, 1000.0), 2), people=2)
    twice = {(0, 0): [(10.0, 5, 100)] * 6, (1, 0): [(70.0, 5, 100)]}
    model, records, owners = fitted(one, twice, people=2)
    assert owners.tolist() == [0, 1]
    found = SeedSet(model, records).plausible(records[:1], np.array([0]), gamma=4.0)
    assert found.tolist() == [1]


def test_the_outcome_of_the_test_is_told_to_the_curator_only() -> None:
    one = mechanism(TOKENS)
    drawn = one.draw(one.collect(gaze(alike(6, lone=True), people=6)), None, SecureRandom.for_tests(1))
    assert any("candidates" in note for note in drawn.notes)
    assert drawn.parameters == one.parameters
    assert set(drawn.arrays) == {category_path(attribute) for attribute in one.parameters.attributes}


def moved(one: ScanpathRecords, before: deniable_study.Trials, after: deniable_study.Trials) -> int:
    counts = []
    for trials in (before, after):
        collected = one.collect(gaze(trials, people=6))
        assert isinstance(collected, Rows)
        people, records = collected.whole()
        p = one.parameters
        counts.append(weighted_counts(records, people, p.categories, p.subsets))
    return sum(int(np.abs(counts[0][subset] - counts[1][subset]).sum()) for subset in one.parameters.subsets)


@few
@given(seed=st.integers(0, 2**32), other=st.integers(0, 2**32))
def test_a_person_moves_the_noisy_counts_of_a_model_no_further_than_the_sensitivity(
    seed: int, other: int
) -> None:
    one = mechanism(TOKENS, fit="dp")
    crowd = random_trials(np.random.default_rng(seed), people=6, most=4)
    replaced = random_trials(np.random.default_rng(other), people=1, most=4)
    rest = {trial: fixations for trial, fixations in crowd.items() if trial[0] > 0}
    most = one.parameters.sensitivity(Neighbours.REPLACE_ONE).l1
    assert moved(one, crowd, {**rest, **replaced}) <= most


def test_a_person_can_move_the_noisy_counts_so_far() -> None:
    one = mechanism(TOKENS, fit="dp")
    short, long = {(0, 0): [(10.0, 5, 100)]}, {(0, 0): [(70.0, 5, 900)] * 3}
    most = one.parameters.sensitivity(Neighbours.REPLACE_ONE).l1
    assert moved(one, short, long) == most


def test_a_model_with_noise_is_charged_and_the_scanpaths_are_still_only_plausibly_deniable() -> None:
    one = mechanism(TOKENS, fit="dp")
    one = type(one)(**{**vars(one), "noise": "laplace"})
    trials = alike(6, lone=False)
    drawn = one.draw(one.collect(gaze(trials, people=6)), Budget(50.0, 0.0), SecureRandom.for_tests(1))
    assert one.takes_budget
    assert {path.partition("/")[0] for path in drawn.arrays} == {"category", "noisy"}
    assert "noisy-model-with-sources" in {remark.code for remark in one.parameters.warnings()}
