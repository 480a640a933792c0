"""Release under Test 2: who is a seed and who makes the model, what passes, and that it does not show who failed."""

from __future__ import annotations

import functools
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from goldens import figures
from invented_records import (
    ALARM,
    BOUNDS,
    GROUP,
    NAMES,
    RECORDING,
    Passing,
    Spy,
    binned,
    calibrate,
    categories_of,
    coded_records,
    collect,
    p_of,
    parameters,
    plausible_records,
    release,
    seeded,
    study,
    told,
)
from refusals import refused

from synthrelease.dp.accounting import compose
from synthrelease.dp.budget import Budget
from synthrelease.dp.calibration import laplace_scale
from synthrelease.dp.event import DiscreteLaplace, Disjoint, RandomizedTest, RoundedGaussian, flatten
from synthrelease.dp.guarantee import ApproxDP
from synthrelease.dp.noise import SecureRandom, discrete_laplace
from synthrelease.errors import PolicyError
from synthrelease.kinds.records import candidates
from synthrelease.kinds.records import mechanism as module
from synthrelease.kinds.records.candidates import Owners
from synthrelease.kinds.records.fit import fit_model
from synthrelease.kinds.records.model import SeededModel
from synthrelease.numerics.network import fitted_network
from synthrelease.numerics.steps import HALF_RANGE

if TYPE_CHECKING:
    from invented_records import Integers, Wanted
    from numpy.typing import NDArray

    from synthrelease.data.features import FeatureData

BUDGET = Budget(epsilon=50.0, delta=1e-3)
PEOPLE = 24


def randomized(**changed: Any) -> Wanted:
    usual = {
        "fit": "dp",
        "threshold": "randomized",
        "epsilon0": 1.0,
        "k": 4,
        "rows": 2000,
        "trials": 2000,
        "people": PEOPLE,
        "order": (0, 1, 2),
        "resampled": (1, 2),
    }
    return parameters(**{**usual, **changed})


class Watch(Spy):
    """Also what the model was fitted on, what it drew, and the random numbers of all trials."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__(monkeypatch)
        self.fits: list[SimpleNamespace] = []
        self.whole: list[Integers] = []
        self.noise: list[SimpleNamespace] = []
        sample = SeededModel.sample

        def watched_fit(records: Integers, people: Integers, *given: Any, random: Any) -> Any:
            fitted = fit_model(records, people, *given, random=random)
            self.fits.append(SimpleNamespace(records=records.copy(), people=people.copy(), model=fitted[0]))
            return fitted

        def watched_sample(model: SeededModel, seeds: Integers, random: SecureRandom) -> Integers:
            drawn = sample(model, seeds, random)
            if model.resampled == (len(model.order),):
                self.whole.append(drawn.copy())
            return drawn

        def watched_noise(scale: float, shape: Any, *, random: Any) -> Integers:
            drawn = discrete_laplace(scale, shape, random=random)
            self.noise.append(SimpleNamespace(scale=scale, shape=shape, drawn=drawn.copy()))
            return drawn

        monkeypatch.setattr(module, "fit_model", watched_fit)
        monkeypatch.setattr(SeededModel, "sample", watched_sample)
        monkeypatch.setattr(candidates, "discrete_laplace", watched_noise)


class Watched(SecureRandom):
    """Keeps the integers that were drawn, by their bound."""

    def integers(self, bound: int, size: int) -> NDArray[np.int64]:
        drawn = super().integers(bound, size)
        if not hasattr(self, "drawn"):
            self.drawn: list[SimpleNamespace] = []
        self.drawn.append(SimpleNamespace(bound=bound, size=size, drawn=drawn.copy()))
        return drawn


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch) -> Watch:
    return Watch(monkeypatch)


CHECK_COST = module._check_cost


@pytest.fixture(autouse=True)
def unpaid(monkeypatch: pytest.MonkeyPatch) -> None:
    """So many trials cost more than anyone would spend; their price has tests of its own."""
    monkeypatch.setattr(module, "_check_cost", lambda *_: None)


@pytest.fixture
def paid(unpaid: None, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: ARG001  after it
    """The price is asked after all."""
    monkeypatch.setattr(module, "_check_cost", CHECK_COST)


def signed(rows_of: list[int]) -> FeatureData:
    """People whose records tell whose they are: feature `a` is the person's number."""
    data = study(rows_of)
    values = data.values.copy()
    values[:, 0] = (data.person + 0.5) / PEOPLE
    return replace(data, values=values)


SIGNED = {"attributes": binned(PEOPLE, 4, 4)}


# --- what comes out


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"dependence": "tree"},
        {"noise": "gaussian"},
        {"people": PEOPLE - 1},
        {"attributes": (*binned(4, 4), replace(GROUP, categories=4, missing=True))},
        {
            "attributes": (RECORDING, *binned(4, 4, 4)),
            "order": (0, 1, 2, 3),
            "resampled": (1, 3),
            "task": True,
            "per_task": True,
            "dependence": "tree",
        },
        {"k": 10**6},
        {"k": 2, "gamma": 50.0},
    ],
    ids=told,
)
@pytest.mark.parametrize("trials", [1, 77])
def test_every_trial_publishes_a_record(changed: dict[str, Any], trials: int) -> None:
    """Exactly as many rows as trials, whatever passed: the number of rows tells nothing."""
    asked = randomized(**changed, trials=trials, rows=trials)
    data = study([1, 2, 3] * 8 if asked.people == PEOPLE else [1, 2] * 11 + [3], recordings=2)
    values, event, passing = release(data, asked, BUDGET, random=seeded(1))
    names = [attribute.name for attribute in asked.attributes]
    for attribute in asked.attributes:
        category = values[attribute.name, "category"]
        assert category.shape == (trials,)
        assert 0 <= category.min() <= category.max() < attribute.categories
    for subset in asked.subsets():
        assert (*(names[a] for a in subset), "noisy") in values
    assert passing.trials == trials
    assert 0 <= passing.passed <= trials
    assert event == calibrate(asked, BUDGET)


def test_nobodys_data_make_as_many_records() -> None:
    """No one has a complete row: all records are the model's, and nothing fails."""
    empty = replace(study([3] * PEOPLE), values=np.full((3 * PEOPLE, 3), np.nan))
    values, _, passing = release(empty, randomized(), BUDGET, random=seeded(2))
    assert categories_of(values).shape == (2000, 3)
    assert (passing.passed, passing.copies) == (0, 0)


# --- seeds and model come from different people


@pytest.mark.parametrize("people", [PEOPLE, PEOPLE - 1])
def test_seeds_are_half_of_the_people_and_the_model_is_that_of_the_others(people: int, watch: Watch) -> None:
    asked = randomized(**SIGNED, people=people)
    data = signed([1, 2, 5] * (people // 3) + [4] * (people % 3))
    values, _, passing = release(data, asked, BUDGET, random=seeded(3))
    (fit,), (seeds,) = watch.fits, watch.sets
    modelled, seed = set(fit.people.tolist()), set(seeds.records[:, 0].tolist())
    assert set(fit.records[:, 0].tolist()) == modelled
    assert not modelled & seed
    assert modelled | seed == set(range(people))
    assert (len(seed), len(modelled)) == (asked.seeds, asked.modelled) == (people // 2, people - people // 2)
    assert len(seeds.records) == len(seed)  # one record each
    assert seeds.people is None  # so that to count records is to count people
    # the candidates were made from them, each from the one that is named
    (call,) = watch.calls
    np.testing.assert_array_equal(call.candidates[:, 0], seeds.records[call.seeds, 0])
    # and copies are those of anyone's record, for the curator
    everyone = set(map(tuple, coded_records(data, asked)[0].tolist()))
    assert passing.copies == sum(tuple(row) in everyone for row in categories_of(values).tolist()) > 0


def test_all_rows_of_the_others_make_the_model_and_no_row_of_a_seeds_person(watch: Watch) -> None:
    asked, data = randomized(**SIGNED), signed([3, 1, 7, 2] * 6)
    values, _, _ = release(data, asked, BUDGET, random=seeded(4))
    (fit,) = watch.fits
    people, records = collect(data, asked).whole()
    own = np.isin(people, np.unique(fit.people))
    np.testing.assert_array_equal(fit.records, records[own])
    np.testing.assert_array_equal(fit.people, people[own])
    # and whoever has the published counts has the model
    counts = {(a,): values[name, "noisy"] for a, name in enumerate(NAMES)}
    network = fitted_network(
        counts, asked.categories, tree=False, per_task=False, order=asked.order, people=asked.modelled
    )
    for table, published in zip(fit.model.marginals, network.tables, strict=True):
        np.testing.assert_array_equal(table, published)


def test_what_the_seeds_people_have_changes_nothing_in_the_counts(watch: Watch) -> None:
    """Neither their noised counts nor the model: a person is in one part alone."""
    asked, data = randomized(**SIGNED), signed([2] * PEOPLE)
    before, _, _ = release(data, asked, BUDGET, random=seeded(5))
    of_seed = ~np.isin(data.person, watch.fits[0].people)
    changed = data.values.copy()
    changed[of_seed] = BOUNDS[:, 1]
    after, _, _ = release(replace(data, values=changed), asked, BUDGET, random=seeded(5))
    for name in NAMES:
        np.testing.assert_array_equal(before[name, "noisy"], after[name, "noisy"])
    np.testing.assert_array_equal(watch.whole[0], watch.whole[1])


@pytest.mark.thorough
def test_the_division_is_uniform_and_looks_at_no_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Under one seed the same people whatever their data; under many, everyone and every pair as often."""
    divisions = []

    def divided(number: int, data: FeatureData) -> list[int]:
        seen: list[Integers] = []

        def noting(records: Integers, people: Integers, *given: Any, random: Any) -> Any:
            seen.append(np.unique(people))
            return fit_model(records, people, *given, random=random)

        monkeypatch.setattr(module, "fit_model", noting)
        release(data, randomized(trials=1, rows=1), BUDGET, random=seeded(number))
        return seen[0].tolist()

    one, other = study([2] * PEOPLE), study([9, 1] * (PEOPLE // 2), seed=1)
    for number in range(600):
        divisions.append(divided(number, one))
        if number < 20:
            assert divided(number, other) == divisions[-1]
    together = np.zeros((PEOPLE, PEOPLE))
    for modelled in divisions:
        assert len(modelled) == PEOPLE // 2
        together[np.ix_(modelled, modelled)] += 1
    assert p_of(np.diag(together), np.ones(PEOPLE)) > ALARM
    apart = together[np.triu_indices(PEOPLE, 1)]
    assert p_of(apart, np.ones(apart.size)) > ALARM


def test_a_persons_one_record_is_any_of_their_own_with_equal_chance() -> None:
    people = np.array([4, 0, 4, 7, 4, 0, 4])
    owners, random = Owners(people), seeded(6)
    rows = np.array([owners.sampled_rows(random) for _ in range(6000)])
    np.testing.assert_array_equal(people[rows], np.tile([0, 4, 7], (6000, 1)))
    of_row = np.bincount(rows.ravel(), minlength=7)
    assert p_of(of_row[people == 4], np.ones(4)) > ALARM
    assert p_of(of_row[people == 0], np.ones(2)) > ALARM
    pairs = np.zeros((7, 7))
    np.add.at(pairs, (rows[:, 0], rows[:, 1]), 1)
    assert p_of(pairs[pairs > 0], np.ones(8)) > ALARM  # one person's record tells nothing of another's


def test_a_person_with_a_thousand_rows_counts_once(watch: Watch) -> None:
    """A thousand copies of one record pass no test: there is one of them among the seeds."""
    data = study([1000] + [1] * (PEOPLE - 1))
    release(data, randomized(), BUDGET, random=seeded(7))
    assert len(watch.sets[0].records) == PEOPLE // 2
    assert watch.all("plausible").max() <= PEOPLE // 2


# --- what passes


@pytest.mark.parametrize(
    "changed", [{}, {"gamma": 1.3}, {"dependence": "tree"}, {"epsilon0": 0.3}, {"k": 2}, {"k": 9}], ids=told
)
def test_a_record_from_a_seed_has_passed_by_definition_and_the_others_are_the_models(
    changed: dict[str, Any], watch: Watch
) -> None:
    asked, data = randomized(**changed), study([1, 3, 2] * 8)
    random = Watched.for_tests(8)
    values, _, passing = release(data, asked, BUDGET, random=random)
    assert asked.epsilon0 is not None
    test = RandomizedTest(asked.k, asked.gamma, asked.epsilon0, 2000, PEOPLE // 2)
    (call,), (seeds,), (model_alone,), (noise,) = watch.calls, watch.sets, watch.whole, watch.noise
    assert (noise.scale, noise.shape) == (laplace_scale(asked.epsilon0, sensitivity=1), 2000)
    assert call.gamma == asked.gamma
    (asks,) = (d.drawn > 0 for d in random.drawn if (d.bound, d.size) == (test.substitution, 2000))

    @functools.cache
    def plausible(y: tuple[int, ...], seed: int) -> int:
        return plausible_records(seeds.model, y, seed, seeds.records, asked.gamma)

    published = categories_of(values)
    from_seed = 0
    for trial, (y, seed) in enumerate(zip(call.candidates.tolist(), call.seeds.tolist(), strict=True)):
        passes = asks[trial] and plausible(tuple(y), seed) >= asked.k + noise.drawn[trial]
        assert published[trial].tolist() == (y if passes else model_alone[trial].tolist())
        from_seed += bool(passes)
    everyone = set(map(tuple, coded_records(data, asked)[0].tolist()))
    copies = sum(tuple(row) in everyone for row in published.tolist())
    assert passing == Passing(2000, from_seed, copies)
    assert 0 < from_seed < 2000


def test_the_models_own_record_of_a_trial_owes_nothing_to_its_seed(watch: Watch) -> None:
    """Where k is out of reach, all records are the model's: seeds and Ω leave no trace in them."""
    asked = randomized(k=10**6, rows=20_000, trials=20_000)
    values, _, passing = release(study([3] * PEOPLE), asked, BUDGET, random=seeded(9))
    assert passing.passed == 0
    published = categories_of(values)
    np.testing.assert_array_equal(published, watch.whole[0])
    joint = np.einsum("i,j,k->ijk", *watch.fits[0].model.marginals).ravel()
    observed = np.bincount(np.ravel_multi_index(published.T, (4, 4, 4)), minlength=64)
    assert p_of(observed, joint) > ALARM
    assert p_of(observed, np.roll(joint, 16)) < ALARM  # the control
    call, seeds = watch.calls[0], watch.sets[0]
    same = (published[:, 0] == seeds.records[call.seeds, 0]).mean()
    by_chance = (np.bincount(seeds.records[call.seeds, 0], minlength=4) / 20_000) @ watch.fits[
        0
    ].model.marginals[0]
    assert abs(same - by_chance) < 7 * 0.5 / np.sqrt(20_000)


def test_each_trial_has_its_own_noise_seed_and_chance(watch: Watch) -> None:
    asked = randomized(rows=20_000, trials=20_000, epsilon0=0.7)
    release(study([2] * PEOPLE), asked, BUDGET, random=seeded(10))
    (noise,), (call,) = watch.noise, watch.calls
    q = np.exp(-0.7)
    expected = (1 - q) / (1 + q) * q ** np.abs(np.arange(-6, 7))
    observed = np.bincount(np.clip(noise.drawn, -7, 7) + 7, minlength=15)[1:-1]
    assert p_of(observed, expected) > ALARM
    assert p_of(observed, expected**1.1) < ALARM  # the control
    of_seed = np.bincount(call.seeds, minlength=PEOPLE // 2)
    assert p_of(of_seed, np.ones(PEOPLE // 2)) > ALARM
    assert abs(np.corrcoef(noise.drawn, call.seeds)[0, 1]) < 7 / np.sqrt(20_000)
    assert abs(np.corrcoef(noise.drawn[1:], noise.drawn[:-1])[0, 1]) < 7 / np.sqrt(20_000)


# --- what must not show


@pytest.mark.parametrize("absent", [0, 1, 6, 11, 12])
def test_a_person_without_a_complete_row_is_drawn_like_the_others_and_never_passes(
    absent: int, watch: Watch
) -> None:
    """Each of the seeds' people is every twelfth trial's, with or without a record; without, it is the model's."""
    asked, data = randomized(**SIGNED, rows=8000, trials=8000, k=2), signed([3] * PEOPLE)
    release(data, asked, BUDGET, random=seeded(11))
    people = np.setdiff1d(np.arange(PEOPLE), watch.fits[0].people)  # the division looks at no one
    for list_ in (watch.sets, watch.calls, watch.whole):
        list_.clear()
    values = data.values.copy()
    values[np.isin(data.person, people[:absent]), 1] = np.nan
    random = Watched.for_tests(11)
    released, _, passing = release(replace(data, values=values), asked, BUDGET, random=random)
    (drawn,) = (d.drawn for d in random.drawn if (d.bound, d.size) == (PEOPLE // 2, 8000))
    assert p_of(np.bincount(drawn, minlength=PEOPLE // 2), np.ones(PEOPLE // 2)) > ALARM
    published, alone = categories_of(released), watch.whole[0]
    of_trial = people[drawn]
    without = np.isin(of_trial, people[:absent])
    np.testing.assert_array_equal(published[without], alone[without])
    if absent == PEOPLE // 2:
        assert all(len(call.candidates) == 0 for call in watch.calls)
        assert passing.passed == 0
        return
    # candidates are made in the other trials, each of the trial's own person
    (call,), (seeds,) = watch.calls, watch.sets
    np.testing.assert_array_equal(seeds.records[:, 0], people[absent:])
    np.testing.assert_array_equal(seeds.records[call.seeds, 0], of_trial[~without])
    changed = (published[~without] != alone[~without]).any(axis=1)
    np.testing.assert_array_equal(published[~without][changed], call.candidates[changed])
    assert changed.sum() <= passing.passed <= len(call.candidates)


def always_passing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        candidates, "discrete_laplace", lambda _scale, shape, **_: np.full(shape, -(10**6), dtype=np.int64)
    )


@pytest.mark.parametrize(("k", "epsilon0", "m"), [(40, 0.1, 2), (15, 0.1, 5), (100, 0.02, 1), (4, 1.0, 64)])
def test_one_trial_in_m_does_not_ask(
    k: int, epsilon0: float, m: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even if every candidate passed: so that who never passes is hidden among those that were not asked."""
    asked = randomized(k=k, epsilon0=epsilon0, rows=8000, trials=8000)
    assert RandomizedTest(k, 4.0, epsilon0, 8000, PEOPLE // 2).substitution == m
    always_passing(monkeypatch)
    _, _, passing = release(study([2] * PEOPLE), asked, BUDGET, random=seeded(13))
    if m == 1:
        assert passing.passed == 0
        return
    counts = [passing.passed, 8000 - passing.passed]
    assert p_of(counts, [m - 1, 1]) > ALARM
    if m < 64:
        assert p_of(counts, [m, 1]) < ALARM  # the control
    else:
        assert p_of(counts, [m / 2 - 1, 1]) < ALARM


# --- what it costs


def test_the_event_is_of_disjoint_people_and_of_all_trials() -> None:
    asked = randomized(trials=50, rows=50)
    for noise, kind in (("laplace", DiscreteLaplace), ("gaussian", RoundedGaussian)):
        event = calibrate(replace(asked, noise=noise), BUDGET)
        assert isinstance(event, Disjoint)
        fit, test = event.events
        assert isinstance(fit, kind)
        assert fit.count == 12
        assert test == RandomizedTest(4, 4.0, 1.0, 50, PEOPLE // 2)
    assert isinstance(fit, RoundedGaussian)
    assert fit.sensitivity == pytest.approx(np.sqrt(6) * HALF_RANGE, rel=1e-12)
    # the modelled people have the whole budget, as if there were no others
    alone = calibrate(randomized(threshold="fixed", epsilon0=None), BUDGET)
    assert flatten(alone)[0] == flatten(calibrate(asked, BUDGET))[0]


def test_the_test_is_randomized_wherever_the_data_is_looked_at_after_the_fit() -> None:
    """Also if nothing is kept of a seed; but not where a model of noised counts is all there is."""
    whole = {"resampled": (3,)}
    for changed in (whole, {"attributes": binned(1, 4, 4)}, {"model": "marginals", "fit": "exact", **whole}):
        asked = randomized(**changed)
        assert asked.randomized
        assert isinstance(calibrate(asked, BUDGET), Disjoint)
    alone = randomized(model="marginals", **whole)
    assert not alone.randomized
    assert (alone.seeds, alone.modelled) == (PEOPLE, PEOPLE)
    assert isinstance(calibrate(alone, BUDGET), DiscreteLaplace)


PAYABLE = {"k": 60, "epsilon0": 0.5, "trials": 20, "rows": 20, "people": 300}


@pytest.mark.usefixtures("paid")
@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
def test_a_test_that_costs_no_more_than_its_budget_is_released_within_it(noise: str) -> None:
    asked = randomized(**PAYABLE, noise=noise)
    test = RandomizedTest(60, 4.0, 0.5, 20, 150)
    cost = compose([test], delta=1e-4)
    assert isinstance(cost, ApproxDP)
    budget = Budget(epsilon=cost.epsilon, delta=1e-4)
    values, event, _ = release(study([1] * 300), asked, budget, random=seeded(15))
    assert len(values["a", "category"]) == 20
    total = compose([event], delta=1e-4)
    assert isinstance(total, ApproxDP)
    assert total.epsilon <= cost.epsilon * (1 + 2e-4)


@pytest.mark.usefixtures("paid")
def test_a_test_that_costs_more_than_its_budget_is_refused_before_anything_is_drawn() -> None:
    asked = randomized(**PAYABLE)
    cost = compose([RandomizedTest(60, 4.0, 0.5, 20, 150)], delta=1e-4)
    assert isinstance(cost, ApproxDP)

    class Forbidden(SecureRandom):
        def words(self, count: int) -> NDArray[np.uint64]:
            pytest.fail(f"drew {count} words")

    budget = Budget(epsilon=cost.epsilon * 0.99, delta=1e-4)
    with refused(PolicyError, "test-exceeds-budget") as caught:
        release(study([1] * 300), asked, budget, random=Forbidden())
    assert caught.value.exit_code == 4
    assert figures(caught.value.problem) == [20]
    assert caught.value.found == str(cost)
    assert figures(caught.value.expected)[0] == pytest.approx(budget.epsilon, rel=1e-5)
    assert "`trials`" in caught.value.remedy


@pytest.mark.usefixtures("paid")
@pytest.mark.parametrize(("delta", "code"), [(0.0, "test-needs-delta"), (1e-30, "test-exceeds-budget")])
def test_a_test_that_costs_more_delta_than_there_is_is_refused(delta: float, code: str) -> None:
    with refused(PolicyError, code):
        calibrate(randomized(**PAYABLE), Budget(epsilon=1e6, delta=delta))
