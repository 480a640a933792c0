"""The contract of a randomized deniability test: the exact distribution of what is published, and who can tell.

On small universes everything is enumerated: which seed is drawn, which record is made of it, how many plausible
seeds it has, what the noise on the threshold does. P and P′ of neighbouring datasets are then known, and with them
the hockey-stick divergence Σ max(P − e^ε·P′, 0), which must not exceed δ in either direction, for the (ε, δ) of every
t (Bindschaedler et al. 2017, Theorem 1). Controls take one of the conditions away and must break the guarantee. At
last Monte Carlo shows that `release` has the enumerated distribution.

Nothing of the mechanism is used to enumerate it: neither its count of plausible seeds nor its models.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pytest
from invented_records import calibrate, release
from scipy.stats import binom, chi2
from wanted import Records

from synthrelease.data.attribute import Attribute
from synthrelease.data.features import FeatureData
from synthrelease.dp import accounting
from synthrelease.dp.budget import Budget
from synthrelease.dp.deniability import trial_cost
from synthrelease.dp.event import DiscreteLaplace, Disjoint, RandomizedTest, RoundedGaussian
from synthrelease.dp.guarantee import ApproxDP, Neighbours
from synthrelease.dp.noise import SecureRandom
from synthrelease.kinds.records import mechanism as module
from synthrelease.numerics.network import fitted_network
from synthrelease.numerics.steps import HALF_RANGE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray
    from variants.people import Silence

    Integers = NDArray[np.int64]
    Numbers = NDArray[np.float64]

ALARM = 1e-9
CARE = 1e-13  # of sums of some hundred floating-point numbers that sum to 1


# --- the enumeration


@dataclass(frozen=True, eq=False)
class World:
    """All records there can be, and the model that candidates are drawn from.

    Attributes:
        tables: of each attribute, its probabilities; axes: its parents, then itself.
        parents: of each attribute; attributes stand in the order in which they are kept.
        drawn: Ω.
    """

    tables: tuple[Numbers, ...]
    parents: tuple[tuple[int, ...], ...]
    drawn: tuple[int, ...]

    @cached_property
    def universe(self) -> Integers:
        return np.array(list(np.ndindex(*(table.shape[-1] for table in self.tables))))

    @cached_property
    def conditional(self) -> Numbers:
        """Pr of each attribute of each record given its parents, shape (U, m)."""
        columns = [(*self.parents[a], a) for a in range(len(self.tables))]
        return np.stack(
            [t[tuple(self.universe[:, c].T)] for t, c in zip(self.tables, columns, strict=True)], axis=1
        )

    @cached_property
    def model(self) -> Numbers:
        """q: Pr of each record if nothing is kept, shape (U,)."""
        return self.conditional.prod(axis=1)

    @cached_property
    def made(self) -> Numbers:
        """Pr{y = M(d)} of every record y from every record d, shape (U, U)."""
        m = len(self.tables)
        out = np.zeros((len(self.universe),) * 2)
        for omega in self.drawn:
            kept = self.universe[:, : m - omega]
            same = (kept[:, None] == kept[None]).all(axis=2)
            out += same * self.conditional[:, m - omega :].prod(axis=1) / len(self.drawn)
        return out

    def plausible(self, seeds: Integers, gamma: float) -> Integers:
        """k′ of every record y made from every record d, shape (U, U), by the definition.

        Args:
            seeds: how many people have each record, shape (U,).
            gamma: γ.
        """
        with np.errstate(divide="ignore"):
            ratio = np.where(self.made > 0, -np.log(self.made) / math.log(gamma), -1.0)
        interval = np.floor(ratio + 1e-9 * np.maximum(ratio, 1.0))  # at p = γ^(−i) rounding must not decide
        same = (interval[:, None] == interval[None]) & (self.made[None] > 0)
        return np.einsum("day,a->dy", same, seeds)


def at_most(k: Integers | int, epsilon0: float) -> Numbers:
    """P(Z ≤ k) of discrete Laplace noise of scale 1/ε₀."""
    k, q = np.asarray(k, dtype=np.float64), math.exp(-epsilon0)
    return np.where(k < 0, q ** np.maximum(-k, 0), 1 + q - q ** np.maximum(k + 1, 0)) / (1 + q)


def passing(world: World, seeds: Integers, test: RandomizedTest, *, epsilon0: float | None = None) -> Numbers:
    """P(a candidate passes and is y), shape (U,); `seeds` of `test.seeds` people have each record, the rest have none."""
    plausible = world.plausible(seeds, test.gamma)
    passes = at_most(plausible - test.k, epsilon0 or test.epsilon0)
    return (seeds[:, None] / test.seeds * world.made * passes).sum(axis=0)


def published(
    world: World,
    seeds: Integers,
    test: RandomizedTest,
    *,
    epsilon0: float | None = None,
    substitution: float | None = None,
) -> Numbers:
    """P(y) of one trial with rejections hidden, shape (U,)."""
    passes = passing(world, seeds, test, epsilon0=epsilon0)
    unasked = 1 / (substitution or test.substitution)
    return unasked * world.model + (1 - unasked) * (passes + (1 - passes.sum()) * world.model)


def with_rejections(world: World, seeds: Integers, test: RandomizedTest) -> Numbers:
    """P(y) and at last P(nothing) of one trial of the test as it was published, shape (U + 1,)."""
    passes = passing(world, seeds, test)
    return np.append(passes, 1 - passes.sum())


def divergence(one: Numbers, other: Numbers, epsilon: float) -> float:
    """The least δ for ε, in the worse of both directions."""
    return max(float(np.maximum(p - math.exp(epsilon) * q, 0).sum()) for p, q in ((one, other), (other, one)))


def broken(
    one: Numbers, other: Numbers, test: RandomizedTest, cost: Callable[..., tuple[float, float]] = trial_cost
) -> list[int]:
    """The t whose (ε, δ) does not hold."""
    costs = {t: cost(test, t) for t in range(1, test.k)}
    return [t for t, (epsilon, delta) in costs.items() if divergence(one, other, epsilon) > delta + CARE]


# --- people


def people_and_neighbours(world: World, base: Integers) -> Iterator[tuple[Integers, Integers]]:
    """All pairs of neighbours that share the people of `base`: the last one has any record, or none."""
    eye = np.eye(len(world.universe), dtype=np.int64)
    last = [np.zeros_like(base), *eye]
    yield from ((base + one, base + other) for one, other in itertools.combinations(last, 2))


def worlds(number: int) -> Iterator[tuple[World, RandomizedTest, Integers]]:
    """Worlds of two or three attributes, with a test and all people but one."""
    generator = np.random.default_rng(20170801)
    for n in itertools.islice(itertools.cycle((2, 3, 5, 12, 40, 300)), number):
        sizes = generator.integers(2, 4, int(generator.integers(2, 4)))
        # A tree, or a tree in each category of the first attribute: rare categories and common ones.
        parents: list[tuple[int, ...]] = [(), (0,) if generator.random() < 0.5 else (), (0, 1)]
        shapes = [[*(sizes[b] for b in parents[a]), sizes[a]] for a in range(len(sizes))]
        spread = float(generator.choice([0.1, 0.5, 5.0]))
        weights = [generator.gamma(spread, size=shape) + 1e-6 for shape in shapes]
        tables = tuple(w / w.sum(axis=-1, keepdims=True) for w in weights)
        drawn = sorted({int(w) for w in generator.integers(1, len(sizes) + 1, 2)})
        world = World(tables, tuple(parents[: len(sizes)]), tuple(drawn))
        test = RandomizedTest(
            k=int(generator.integers(2, min(n, 30) + 1)),
            gamma=float(generator.choice([1.1, 1.5, 2.0, 4.0])),
            epsilon0=float(generator.choice([0.05, 0.3, 1.0, 2.0])),
            trials=1,
            seeds=n,
        )
        alike = generator.dirichlet(np.full(len(world.universe) + 1, 0.2))
        yield world, test, generator.multinomial(n - 1, alike)[:-1]


def keeper(*, rare: float = 0.5) -> World:
    """Two attributes of two values each: the first is kept; the model draws its value 0 with probability `rare`."""
    return World((np.array([rare, 1 - rare]), np.array([0.5, 0.5])), ((), ()), (1,))


# Of a record (kept, drawn) only what is kept matters.
ALIKE, ODD = np.array([1, 0, 0, 0]), np.array([0, 0, 1, 0])


# --- the guarantee


def test_whoever_is_replaced_one_trial_keeps_its_guarantee_for_every_t() -> None:
    checked = 0
    for world, test, base in worlds(48):
        known: dict[bytes, Numbers] = {}
        for pair in people_and_neighbours(world, base):
            for seeds in pair:
                if seeds.tobytes() not in known:
                    known[seeds.tobytes()] = published(world, seeds, test)
            one, other = (known[seeds.tobytes()] for seeds in pair)
            assert broken(one, other, test) == [], (test, world, *pair)
            checked += 1
    assert checked > 2000


def crowds() -> Iterator[tuple[Numbers, Numbers, RandomizedTest]]:
    """P and P′ where a crowd of c people, or c + 1, share what hardly any draw of the model would have.

    The last one is alike in part of what may be kept, so that theirs are the more probable candidates; or in all of it.
    """
    kept = World(
        (np.array([1e-9, 1 - 1e-9]), np.array([0.45, 0.55]), np.array([0.5, 0.5])), ((),) * 3, (1, 2)
    )
    others, alike, elsewhere = (np.eye(8, dtype=np.int64)[i] for i in (2, 0, 4))
    for n, epsilon0, gamma in itertools.product((2, 8, 25), (0.1, 0.5, 2.0), (1.1, 2.0, 4.0)):
        for k, c in itertools.product({2, n // 2 + 1, n}, {0, 1, n // 4, n // 2, n - 1}):
            test = RandomizedTest(k, gamma, epsilon0, 1, n)
            for crowd, last in itertools.product((others, alike), repeat=2):
                one, other = (published(kept, c * crowd + d, test) for d in (last, elsewhere))
                yield one, other, test


def test_the_guarantee_is_kept_by_crowds_that_are_just_large_enough() -> None:
    assert [test for one, other, test in crowds() if broken(one, other, test)] == []


@pytest.mark.parametrize(
    ("name", "cost"),
    [
        ("less ε₀", lambda test, t: (trial_cost(test, t)[0] - 0.2 * test.epsilon0, trial_cost(test, t)[1])),
        ("no γ", lambda test, t: (test.epsilon0, trial_cost(test, t)[1])),
        (
            "γ/t squared",
            lambda test, t: (test.epsilon0 + math.log1p(test.gamma / t**2), trial_cost(test, t)[1]),
        ),
        (
            "δ of t − 1",
            lambda test, t: (trial_cost(test, t)[0], trial_cost(test, t)[1] * math.exp(-test.epsilon0)),
        ),
    ],
)
def test_control_a_cheaper_guarantee_is_broken_by_them(
    name: str, cost: Callable[..., tuple[float, float]]
) -> None:
    assert sum(bool(broken(one, other, test, cost)) for one, other, test in crowds()) > 3, name


def test_several_trials_keep_the_guarantee_that_the_accounting_makes() -> None:
    """P and P′ of all trials at once, against the composition of their (ε, δ)."""
    world = keeper(rare=0.05)
    for trials, k, epsilon0 in itertools.product((1, 2, 7), (4, 20), (0.5, 2.0)):
        test = RandomizedTest(k, 2.0, epsilon0, trials, seeds=30)
        one, other = (published(world, s, test) for s in (29 * ALIKE, 28 * ALIKE + ODD))
        together = [one, other]
        for _ in range(trials - 1):
            together = [np.outer(p, q).ravel() for p, q in zip(together, (one, other), strict=True)]
        claims = [accounting.compose([test], delta=delta) for delta in (1e-6, 1e-3, 0.05, 0.4)]
        made = [claim for claim in claims if isinstance(claim, ApproxDP)]
        assert made or epsilon0 * k < 5, test  # too little for several trials
        for claim in made:
            assert divergence(*together, claim.epsilon) <= claim.delta + CARE, (test, claim)


@pytest.mark.quick("30")
@pytest.mark.parametrize("trials", [30, 300])
def test_many_trials_keep_the_guarantee_that_the_accounting_makes(trials: int) -> None:
    """How many records are of the rare kind that only the crowd makes: binomial under P and P′."""
    world, counts = keeper(rare=1e-6), np.arange(trials + 1)
    for k, epsilon0 in itertools.product((30, 60), (0.3, 1.0)):
        test = RandomizedTest(k, 1.5, epsilon0, trials, seeds=60)
        for crowd in (k - 1, k + 5, 2 * k // 3):
            pair = [
                published(world, c * ALIKE + (60 - c) * ODD, test)[:2].sum()
                for c in (crowd, crowd + 1)
                if c <= 60
            ]
            if len(pair) < 2:
                continue
            one, other = (binom.pmf(counts, trials, p) for p in pair)
            for delta in (1e-8, 1e-4, 0.1):
                claim = accounting.compose([test], delta=delta)
                if isinstance(claim, ApproxDP):
                    assert divergence(one, other, claim.epsilon) <= claim.delta + CARE, (test, claim)


def test_the_distributions_enumerated_are_distributions() -> None:
    for world, test, base in worlds(12):
        for seeds in (base, base + ALIKE.sum() * np.eye(len(base), dtype=np.int64)[0]):
            for outcome in (published(world, seeds, test), with_rejections(world, seeds, test)):
                assert outcome.min() >= -CARE
                assert outcome.sum() == pytest.approx(1, abs=CARE)
        assert world.made.sum(axis=1) == pytest.approx(1, abs=CARE)
        assert world.plausible(base, test.gamma).max() <= base.sum()


def test_the_noise_enumerated_is_discrete_laplace() -> None:
    k = np.arange(-60, 61)
    for epsilon0 in (0.3, 1.0, 4.0):
        probabilities = math.tanh(epsilon0 / 2) * np.exp(-np.abs(k) * epsilon0)
        below = np.cumsum(probabilities) + math.exp(-61 * epsilon0) / (1 + math.exp(-epsilon0))
        np.testing.assert_allclose(at_most(k, epsilon0), below, rtol=0, atol=1e-14)


# --- controls: without one of the conditions there is no such guarantee


def test_control_with_visible_rejections_an_outlier_is_noticed() -> None:
    """A correction of the literature: the test as published has δ ≥ 1/n, whatever its threshold and noise.

    1000 people, all alike: a candidate has 1000 plausible seeds and passes, but for a chance of 10⁻¹⁹⁶. Now one of them
    is unlike all others: with probability 1/1000 it is their turn, the candidate has one plausible seed and
    fails. That nothing is published has told that there is an outlier.
    """
    world, n = keeper(), 1000
    test = RandomizedTest(k=100, gamma=4.0, epsilon0=0.5, trials=1, seeds=n)
    epsilon, delta = trial_cost(test, 75)
    assert epsilon == pytest.approx(0.5520, abs=1e-4)
    assert delta == pytest.approx(3.73e-6, rel=1e-3)
    without, outlier = n * ALIKE, (n - 1) * ALIKE + ODD
    nothing, nothing_with_outlier = (with_rejections(world, s, test)[-1] for s in (without, outlier))
    assert nothing < 1e-15
    assert nothing_with_outlier == pytest.approx(1 / n, rel=1e-9)
    assert nothing_with_outlier > 250 * (math.exp(epsilon) * nothing + delta)
    # The same in closed form, without enumerating anything.
    q = math.exp(-0.5)
    assert q ** (n - 100 + 1) / (1 + q) < 1e-195
    assert nothing_with_outlier == pytest.approx(1 / n * (1 - q**99 / (1 + q)), rel=1e-9)


@pytest.mark.parametrize("k", [50, 100, 400])
@pytest.mark.parametrize("epsilon0", [0.2, 0.5, 2.0])
def test_control_no_threshold_and_no_noise_make_rejections_visible_safely(k: int, epsilon0: float) -> None:
    world, n = keeper(), 1000
    test = RandomizedTest(k, 4.0, epsilon0, 1, n)
    pair = n * ALIKE, (n - 1) * ALIKE + ODD
    seen = [with_rejections(world, seeds, test) for seeds in pair]
    guaranteed = [t for t in range(1, k) if trial_cost(test, t)[1] < 0.98 / n]
    assert guaranteed
    assert set(guaranteed) <= set(broken(*seen, test))
    hidden = [published(world, seeds, test) for seeds in pair]
    assert broken(*hidden, test) == []


@pytest.mark.parametrize("rarer", [2, 10, 1000])
def test_control_substitution_that_is_too_rare_does_not_hide_the_outlier(rarer: int) -> None:
    """What the model alone would hardly ever publish tells that someone's candidate failed."""
    world, n = keeper(), 1000
    test = RandomizedTest(k=100, gamma=4.0, epsilon0=0.5, trials=1, seeds=n)
    pair = n * ALIKE, (n - 1) * ALIKE + ODD
    rare = [published(world, seeds, test, substitution=rarer * test.substitution) for seeds in pair]
    assert 75 in broken(*rare, test)
    epsilon, delta = trial_cost(test, 75)
    assert divergence(*rare, epsilon) > 50 * delta
    assert broken(*(published(world, seeds, test) for seeds in pair), test) == []


def test_substitution_is_as_rare_as_it_may_be() -> None:
    """P′/P = 1 + M/n of what only the outlier's failing publishes: e^ε for the t of least ε, and hardly less."""
    for n, k, epsilon0, gamma in ((50, 10, 0.5, 4.0), (1000, 100, 0.5, 4.0), (1000, 2, 1.0, 1.5)):
        test = RandomizedTest(k, gamma, epsilon0, 1, n)
        least, _ = trial_cost(test, k - 1)
        assert math.log1p(test.substitution / n) <= least < math.log1p((test.substitution + 2) / n)


def test_control_one_person_with_most_of_the_rows_breaks_the_guarantee() -> None:
    """1000 of 1040 rows as seeds, each counted: the log-ratio is 3.90 where ε = 0.68 is claimed."""
    world = keeper(rare=0.001)
    test = RandomizedTest(k=40, gamma=5.5, epsilon0=0.1, trials=1, seeds=1040)
    epsilon, delta = trial_cost(test, 7)
    assert epsilon == pytest.approx(0.68, abs=0.005)
    assert delta < 0.04
    owned, elsewhere = 1040 * ALIKE, 40 * ALIKE + 1000 * ODD
    one, other = (passing(world, rows, test)[0] for rows in (owned, elsewhere))
    assert math.log(one / other) == pytest.approx(3.90, abs=0.005)
    by_row = [published(world, rows, test) for rows in (owned, elsewhere)]
    assert divergence(*by_row, epsilon) > 0.9 > 20 * delta
    # Of the same people each with one row, as the mechanism asks, no one can tell.
    one_each = replace(test, seeds=41)
    by_person = [published(world, seeds, one_each) for seeds in (41 * ALIKE, 40 * ALIKE + ODD)]
    assert broken(*by_person, one_each) == []


@pytest.mark.parametrize("factor", [2, 4])
def test_control_with_too_little_noise_on_the_threshold_the_guarantee_breaks(factor: int) -> None:
    """20 people who are just enough, and 19 who are not, or not quite."""
    world = keeper(rare=0.001)
    test = RandomizedTest(k=20, gamma=1.5, epsilon0=0.5, trials=1, seeds=20)
    pair = 20 * ALIKE, 19 * ALIKE + ODD
    quiet = [published(world, seeds, test, epsilon0=factor * 0.5) for seeds in pair]
    assert len(broken(*quiet, test)) >= 5
    assert broken(*(published(world, seeds, test) for seeds in pair), test) == []


# --- what `release` publishes


PEOPLE, SEEDS = 25, 12


def attributes() -> tuple[Attribute, ...]:
    return (
        Attribute("hand", 2, ("left", "right")),
        Attribute("size", 3, None, 0.0, 1.0, missing=True),
        Attribute("mood", 2, ("calm", "tense")),
    )


def parameters(**changes: object) -> Records:
    return Records(
        **{
            "model": "seeded",
            "fit": "dp",
            "attributes": attributes(),
            "dependence": "tree",
            "order": (0, 1, 2),
            "resampled": (1, 2),
            "threshold": "randomized",
            "k": 6,
            "gamma": 2.0,
            "epsilon0": 0.3,
            "counted": "person",
            "rows": 400_000,
            "trials": 400_000,
            "neighbours": Neighbours.REPLACE_ONE,
            "people": PEOPLE,
        }
        | changes
    )


def recorded(rows: Sequence[tuple[int, int, int, int]]) -> FeatureData:
    """Rows of (person, hand, size, mood); size 2 is missing."""
    table = np.array(rows, dtype=np.int64)
    size = np.where(table[:, 2] == 2, np.nan, table[:, 2] * 0.5 + 0.25)
    return FeatureData(
        features=("size",),
        bounds=np.array([[0.0, 1.0]]),
        recordings=("all",),
        people=PEOPLE,
        person=table[:, 0],
        recording=np.zeros(len(table), dtype=np.int64),
        values=size[:, None],
        categorical=("hand", "mood"),
        labels=table[:, [1, 3]],
    )


def some_rows() -> list[tuple[int, int, int, int]]:
    """Of the first 12 people, the seeds of `undivided`, 7 are alike in what may be kept, 4 in a part of it, 1 has no row."""
    seeds = [(0, 0)] * 7 + [(0, 1), (0, 2), (1, 0), (1, 2)]
    model = [(0, 0)] * 7 + [(0, 1), (1, 0), (1, 1), (1, 2), (1, 0), (0, 2)]
    rows = [(person, *kept, person % 2) for person, kept in enumerate(seeds)]
    return rows + [(person, *kept, person % 2) for person, kept in enumerate(model, start=SEEDS)]


def undivided(seed: int) -> SecureRandom:
    """A generator that makes the first people the seeds: what they are does not matter to the test."""
    random = SecureRandom.for_tests(seed)
    random.permutation = np.arange  # type: ignore[method-assign]
    return random


def codes(values: dict[tuple[str, ...], NDArray[np.generic]]) -> Integers:
    """The number of each published record in the universe."""
    columns = [values[name, "category"] for name in ("hand", "size", "mood")]
    return np.ravel_multi_index(columns, (2, 3, 2))


def world_of(values: dict[tuple[str, ...], NDArray[np.generic]], p: Records) -> World:
    """The model that the noised counts call for: a function of what is published."""
    names = [attribute.name for attribute in p.attributes]
    counts = {subset: values[(*(names[a] for a in subset), "noisy")] for subset in p.subsets()}
    network = fitted_network(
        counts, p.categories, tree=True, per_task=False, order=p.order, people=PEOPLE - SEEDS
    )
    return World(network.tables, network.parents, p.resampled)


def fits(seen: Integers, expected: Numbers) -> bool:
    statistic = ((seen - seen.sum() * expected) ** 2 / (seen.sum() * expected)).sum()
    return float(chi2.sf(statistic, seen.size - 1)) > ALARM


@pytest.fixture
def free(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a test make so many trials that no one could pay for them."""
    monkeypatch.setattr(module, "_check_cost", lambda *_: None)


@pytest.mark.usefixtures("free")
@pytest.mark.parametrize("seed", [1, 2])
def test_a_release_has_the_enumerated_distribution(seed: int) -> None:
    p = parameters()
    values, event, _ = release(recorded(some_rows()), p, Budget(50.0), random=undivided(seed))
    test = event.events[1]
    world = world_of(values, p)
    seen = np.bincount(codes(values), minlength=len(world.universe))
    seeds = np.zeros(len(world.universe), dtype=np.int64)
    for person, *record in some_rows():
        if person < SEEDS:
            seeds[np.ravel_multi_index(record, (2, 3, 2))] += 1
    assert seeds.sum() == SEEDS - 1
    assert fits(seen, published(world, seeds, test))
    # What it is not, and would be if a line were forgotten.
    passes = passing(world, seeds, test)
    wrong = {
        "the model alone": world.model,
        "only what passed": passes / passes.sum(),
        "every trial asks": published(world, seeds, test, substitution=math.inf),
        "half of the trials that should do not ask": published(
            world, seeds, test, substitution=2 * test.substitution
        ),
        "less noise": published(world, seeds, test, epsilon0=0.45),
        "a fixed threshold": published(world, seeds, test, epsilon0=50.0),
        "another k": published(world, seeds, replace(test, k=7), substitution=test.substitution),
        "another γ": published(world, seeds, replace(test, gamma=8.0), substitution=test.substitution),
        "who has no row is not drawn": published(
            world, seeds, replace(test, seeds=SEEDS - 1), substitution=test.substitution
        ),
    }
    assert [name for name, expected in wrong.items() if fits(seen, expected)] == []


@pytest.mark.usefixtures("free")
def test_a_person_is_one_seed_however_many_rows_they_have() -> None:
    """Three people of two equal rows each are three plausible seeds and not six."""
    rows = [(person, 0, 0, n) for person in range(3) for n in (0, 1)]
    rows += [(person, 1, person % 3, 0) for person in range(SEEDS, PEOPLE)]
    for k, passes in ((5, False), (2, True)):
        p = parameters(k=k, epsilon0=20.0, resampled=(1,), rows=20_000, trials=20_000)
        values, _, passing = release(recorded(rows), p, Budget(50.0), random=undivided(4))
        world = world_of(values, p)
        seen = np.bincount(codes(values), minlength=len(world.universe))
        assert fits(seen, world.model) != passes
        assert (passing.passed > 0) == passes


@pytest.mark.usefixtures("free")
@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
def test_the_event_is_noise_and_test_on_disjoint_people(noise: str) -> None:
    p = parameters(noise=noise, rows=30, trials=30)
    values, event, _ = release(recorded(some_rows()), p, Budget(2.0, 1e-5), random=SecureRandom.for_tests(0))
    assert isinstance(event, Disjoint)
    added, test = event.events
    assert isinstance(added, DiscreteLaplace if noise == "laplace" else RoundedGaussian)
    assert added.count == sum(a.size for key, a in values.items() if key[-1] == "noisy") == 6 + 4 + 6
    sensitivity = 2 * 3 * HALF_RANGE if noise == "laplace" else math.sqrt(2 * 3) * HALF_RANGE
    assert added.sensitivity == pytest.approx(sensitivity, rel=1e-15)
    assert test == RandomizedTest(k=6, gamma=2.0, epsilon0=0.3, trials=30, seeds=SEEDS)
    assert event == calibrate(p, Budget(2.0, 1e-5))
    assert codes(values).size == 30


@pytest.mark.parametrize("epsilon", [1.0, 50.0])
def test_people_of_either_group_are_guaranteed_no_more_than_their_own_event_keeps(epsilon: float) -> None:
    """Whoever may be in either group pays for the dearer one: at times the noise, at times the test."""
    test = RandomizedTest(k=30, gamma=1.5, epsilon0=1.0, trials=5, seeds=40)
    alone = accounting.compose([test], delta=1e-4)
    noise = DiscreteLaplace(100, 100 / epsilon, 8)
    both = accounting.compose([Disjoint((noise, test))], delta=1e-4)
    assert isinstance(alone, ApproxDP)
    assert isinstance(both, ApproxDP)
    assert both.epsilon == pytest.approx(max(epsilon, alone.epsilon), rel=1e-3)
    assert both.epsilon >= max(epsilon, alone.epsilon)
    assert both.delta == 1e-4


@pytest.mark.usefixtures("free")
def test_seeds_and_model_are_divided_by_chance_alone(silence: Silence) -> None:
    """Without noise the counts show whom the model is of: 13 of 25 people, each of them half of the time."""
    p = parameters(rows=1, trials=1)
    data = recorded([(person, 0, 0, 0) for person in range(PEOPLE)])
    marked = np.zeros(PEOPLE)
    for turn in range(300):
        silence.permutation = SecureRandom.for_tests(turn).permutation  # type: ignore[method-assign]
        one = int(turn % PEOPLE)
        labels = data.labels.copy()
        labels[one] = 1
        values, _, _ = release(replace(data, labels=labels), p, Budget(2.0), random=silence)
        hand = values["hand", "size", "noisy"].sum(axis=1)
        assert hand.sum() == (PEOPLE - SEEDS) * HALF_RANGE
        marked[one] += hand[1] == HALF_RANGE
    share = (PEOPLE - SEEDS) / PEOPLE
    spread = 6.11 * math.sqrt(300 * share * (1 - share))
    assert abs(marked.sum() - 300 * share) < spread
    assert marked.min() > 0
    assert marked.max() < 300 / PEOPLE


@pytest.mark.usefixtures("free")
def test_noised_counts_owe_nothing_to_the_seeds() -> None:
    """Under the same division: other seeds, same counts and other records; other people of the model, other counts."""
    rows = some_rows()
    p = parameters(rows=500, trials=500)

    def released(changed: Sequence[int]) -> dict[tuple[str, ...], NDArray[np.generic]]:
        moved = [(i, 1 - h, s, m) if i in changed else (i, h, s, m) for i, h, s, m in rows]
        return release(recorded(moved), p, Budget(2.0), random=undivided(6))[0]

    before, seeds, model = released([]), released(range(SEEDS)), released(range(SEEDS, PEOPLE))
    for key in before:
        if key[-1] == "noisy":
            np.testing.assert_array_equal(before[key], seeds[key])
    assert (before["hand", "size", "noisy"] != model["hand", "size", "noisy"]).any()
    assert (codes(before) != codes(seeds)).any()
