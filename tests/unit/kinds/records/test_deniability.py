"""Privacy Test 1 against an oracle straight from its definition, in exact fractions.

The oracle knows nothing of prefixes, tries, logarithms or intervals of lengths: for every record d it adds up
Pr{y = M(d)} over ω, finds i by comparing with powers of a rational γ, and counts. The results must be equal.
"""

from __future__ import annotations

import functools
import itertools
import math
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import bad_argument

from synthrelease.kinds.records import deniability as module
from synthrelease.kinds.records.deniability import DeniabilityResult, SeedSet, deniability_test
from synthrelease.kinds.records.model import Model, SeededModel
from synthrelease.numerics import packed_rows, prefix_trie

if TYPE_CHECKING:
    from numpy.typing import NDArray

GAMMAS = [Fraction(6, 5), Fraction(2), Fraction(4), Fraction(10)]
gammas = pytest.mark.parametrize("gamma", GAMMAS, ids=str)

Row = tuple[int, ...]
Conditional = Callable[[Row, int], Fraction]  # Pr of an attribute of y given its parents in y


# --- the oracle


def probability(
    y: Row, d: Row, order: Sequence[int], resampled: Sequence[int], conditional: Conditional
) -> Fraction:
    """Pr{y = M(d)}: ω uniform on Ω; the first m − ω attributes of d are kept, the last ω are drawn."""
    total = Fraction(0)
    for omega in set(resampled):
        kept, drawn = order[: len(order) - omega], order[len(order) - omega :]
        if all(y[a] == d[a] for a in kept):
            total += math.prod((conditional(y, a) for a in drawn), start=Fraction(1))
    return total / len(set(resampled))


@functools.cache
def interval(p: Fraction, gamma: Fraction) -> int | None:
    """The only integer i ≥ 0 with γ^(−i−1) < p ≤ γ^(−i); None where p = 0."""
    if p == 0:
        return None
    assert p <= 1
    i, below = 0, 1 / gamma
    while p <= below:
        i, below = i + 1, below / gamma
    # A billionth above a power counts as the power, the package's rule for floats; other tests are about that.
    depth = math.log(p.denominator) - math.log(p.numerator)
    assert p / below - 1 > 2e-9 * max(depth, math.log(gamma)), "choose numbers further from powers of γ"
    return i


@dataclass(frozen=True)
class Scene:
    """A model, records, the person of each, candidates and the row each was made from."""

    order: Row
    resampled: Row
    conditional: Conditional
    model: Model
    records: list[Row]
    people: list[int]
    candidates: list[Row]
    seeds: list[int]

    def expected(self, gamma: Fraction, *, by_person: bool) -> list[int]:
        """k′ of every candidate, by the definition."""
        counts = []
        for y, seed in zip(self.candidates, self.seeds, strict=True):
            of_record = [
                interval(probability(y, d, self.order, self.resampled, self.conditional), gamma)
                for d in self.records
            ]
            own = of_record[seed]
            plausible = [n for n, i in enumerate(of_record) if own is not None and i == own]
            counts.append(len({self.people[n] for n in plausible} if by_person else plausible))
        return counts

    def found(self, gamma: Fraction | float, *, by_person: bool, k: int = 1) -> DeniabilityResult:
        """What the package says."""
        m = len(self.order)
        return deniability_test(
            self.model,
            as_array(self.candidates, m),
            np.array(self.seeds, dtype=np.int64),
            as_array(self.records, m),
            people=np.array(self.people) if by_person else None,
            k=k,
            gamma=float(gamma),
        )

    def check(self, gamma: Fraction, ks: Sequence[int] = (1, 2, 3, 5)) -> None:
        """Both counts, and the verdict for some k, equal the oracle's."""
        for by_person in (False, True):
            expected = self.expected(gamma, by_person=by_person)
            for k in ks:
                result = self.found(gamma, by_person=by_person, k=k)
                assert result.plausible.tolist() == expected
                assert result.passed.tolist() == [count >= k for count in expected]


def as_array(rows: Sequence[Row], columns: int) -> NDArray[np.int64]:
    return np.array(rows, dtype=np.int64).reshape(len(rows), columns)


def independent(marginals: Sequence[Sequence[Fraction]]) -> Conditional:
    return lambda y, a: marginals[a][y[a]]


def seeded(
    marginals: Sequence[Sequence[Fraction]], order: Sequence[int], resampled: Sequence[int]
) -> SeededModel:
    return SeededModel([[float(p) for p in row] for row in marginals], order, resampled)


def scene(
    marginals: Sequence[Sequence[Fraction]],
    resampled: Sequence[int],
    records: Sequence[Row],
    candidates: Sequence[Row],
    seeds: Sequence[int],
    *,
    order: Sequence[int] | None = None,
    people: Sequence[int] | None = None,
) -> Scene:
    order = range(len(marginals)) if order is None else order
    return Scene(
        tuple(order),
        tuple(resampled),
        independent(marginals),
        seeded(marginals, order, resampled),
        list(records),
        list(range(len(records)) if people is None else people),
        list(candidates),
        list(seeds),
    )


class Chain:
    """Every attribute depends on the two that stand before it in the order; some categories never occur."""

    def __init__(
        self, sizes: Sequence[int], order: Sequence[int], resampled: Sequence[int], seed: int
    ) -> None:
        self.order = tuple(order)
        self.resampled = tuple(resampled)
        draw = random.Random(seed)
        self.tables: dict[tuple[int, Row], list[Fraction]] = {}
        for position, a in enumerate(self.order):
            for parents in itertools.product(
                *(range(sizes[b]) for b in self.order[max(position - 2, 0) : position])
            ):
                weights = [draw.choice([0, 1, 1, 2, 4]) for _ in range(sizes[a])]
                weights[draw.randrange(sizes[a])] += 1
                self.tables[a, parents] = [Fraction(w, sum(weights)) for w in weights]

    def exact(self, y: Row, a: int) -> Fraction:
        position = self.order.index(a)
        parents = tuple(y[b] for b in self.order[max(position - 2, 0) : position])
        return self.tables[a, parents][y[a]]

    def log_conditional(self, candidates: NDArray[np.int64]) -> NDArray[np.float64]:
        exact = [[float(self.exact(tuple(y), a)) for a in range(len(y))] for y in candidates.tolist()]
        with np.errstate(divide="ignore"):
            return np.log(np.array(exact).reshape(candidates.shape))


# --- scenes of Hypothesis's making

DYADIC = {
    1: [(1,)],
    2: [(1, 1), (2, 0)],
    3: [(2, 1, 1), (1, 1, 0), (4, 0, 0)],
    4: [(1, 1, 1, 1), (4, 2, 1, 1), (2, 1, 1, 0), (4, 4, 0, 0), (2, 2, 2, 2)],
}
PEOPLE = [0, 1, 2, -1, 7, -(2**40), 2**62]


@st.composite
def marginals_of(draw: st.DrawFn, size: int) -> list[Fraction]:
    """Powers of ½, so that products and sums meet powers of γ = 2 and 4; or small whole weights, with zeros."""
    weights = draw(
        st.one_of(
            st.sampled_from(DYADIC[size]).flatmap(st.permutations),
            st.lists(st.integers(0, 6), min_size=size, max_size=size).filter(any),
        )
    )
    return [Fraction(w, sum(weights)) for w in weights]


@st.composite
def scenes(draw: st.DrawFn, *, chain: bool = False) -> Scene:
    """Records that share prefixes, are repeated and belong to few people; candidates of every kind."""
    m = draw(st.integers(1, 6))
    sizes = draw(st.lists(st.integers(1, 4), min_size=m, max_size=m))
    order = tuple(draw(st.permutations(range(m))))
    resampled = tuple(draw(st.sets(st.integers(1, m), min_size=1)))

    def row(code: int) -> Row:
        values = []
        for size in sizes:
            code, value = divmod(code, size)
            values.append(value)
        return tuple(values)

    any_row = st.integers(0, math.prod(sizes) - 1).map(row)
    records = [draw(any_row)]

    def beside() -> Row:
        """A row that shares some attributes at the front of the order with a record, perhaps all."""
        near, other = draw(st.sampled_from(records)), draw(any_row)
        kept = order[: draw(st.integers(0, m))]
        return tuple(near[a] if a in kept else other[a] for a in range(m))

    records.extend(beside() for _ in range(draw(st.integers(0, 9))))
    people = draw(st.lists(st.sampled_from(PEOPLE), min_size=len(records), max_size=len(records)))
    candidates = [beside() for _ in range(draw(st.integers(1, 5)))]
    seeds = [draw(st.integers(0, len(records) - 1)) for _ in candidates]
    if chain:
        dependent = Chain(sizes, order, resampled, draw(st.integers(0, 10**6)))
        return Scene(order, resampled, dependent.exact, dependent, records, people, candidates, seeds)
    marginals = [draw(marginals_of(size)) for size in sizes]
    return scene(marginals, resampled, records, candidates, seeds, order=order, people=people)


@gammas
@given(drawn=scenes())
def test_plausible_seeds_are_those_of_the_definition(gamma: Fraction, drawn: Scene) -> None:
    drawn.check(gamma)


@gammas
@given(drawn=scenes(chain=True))
def test_plausible_seeds_of_dependent_attributes_are_those_of_the_definition(
    gamma: Fraction, drawn: Scene
) -> None:
    assert not isinstance(drawn.model, SeededModel)
    drawn.check(gamma)


@given(drawn=scenes(), data=st.data())
def test_the_order_of_records_and_candidates_and_the_names_of_people_mean_nothing(
    drawn: Scene, data: st.DataObject
) -> None:
    rows = data.draw(st.permutations(range(len(drawn.records))))
    asked = data.draw(st.permutations(range(len(drawn.candidates))))
    renamed = dict(zip(PEOPLE, data.draw(st.permutations(PEOPLE)), strict=True))
    again = Scene(
        drawn.order,
        drawn.resampled,
        drawn.conditional,
        drawn.model,
        [drawn.records[n] for n in rows],
        [renamed[drawn.people[n]] for n in rows],
        [drawn.candidates[c] for c in asked],
        [rows.index(drawn.seeds[c]) for c in asked],
    )
    for by_person in (False, True):
        before = drawn.found(2, by_person=by_person).plausible
        np.testing.assert_array_equal(again.found(2, by_person=by_person).plausible, before[asked])


@given(drawn=scenes())
def test_a_candidate_is_judged_by_itself(drawn: Scene) -> None:
    together = drawn.found(2, by_person=True).plausible.tolist()
    for candidate, seed, expected in zip(drawn.candidates, drawn.seeds, together, strict=True):
        alone = Scene(
            drawn.order,
            drawn.resampled,
            drawn.conditional,
            drawn.model,
            drawn.records,
            drawn.people,
            [candidate],
            [seed],
        )
        assert alone.found(2, by_person=True).plausible.tolist() == [expected]


@given(drawn=scenes(), gamma=st.sampled_from(GAMMAS))
def test_counting_people_never_exceeds_counting_records(drawn: Scene, gamma: Fraction) -> None:
    by_person = drawn.found(gamma, by_person=True).plausible
    by_record = drawn.found(gamma, by_person=False).plausible
    assert (by_person <= by_record).all()
    assert ((by_person == 0) == (by_record == 0)).all()
    drawn.people[:] = range(100, 100 + len(drawn.records))  # now everyone has one record
    np.testing.assert_array_equal(drawn.found(gamma, by_person=True).plausible, by_record)


# --- the oracle itself, and scenes made by hand


def test_the_oracle_gives_every_record_a_distribution() -> None:
    marginals = [
        [Fraction(1, 3), Fraction(2, 3)],
        [Fraction(1, 2), Fraction(0), Fraction(1, 2)],
        [Fraction(1)],
    ]
    sizes = [range(len(p)) for p in marginals]
    dependent = Chain([2, 3, 1], (2, 0, 1), (1, 2, 3), 5)
    for order in itertools.permutations(range(3)):
        for resampled in [(1,), (3,), (1, 3), (1, 2, 3)]:
            for d in itertools.product(*sizes):
                total = sum(
                    probability(y, d, order, resampled, independent(marginals))
                    for y in itertools.product(*sizes)
                )
                assert total == 1
    for d in itertools.product(*sizes):
        total = sum(
            probability(y, d, (2, 0, 1), (1, 2, 3), dependent.exact) for y in itertools.product(*sizes)
        )
        assert total == 1


def test_the_oracle_of_intervals_is_half_open() -> None:
    for gamma in GAMMAS:
        assert interval(Fraction(1), gamma) == 0
        assert interval(Fraction(0), gamma) is None
        for i in (1, 2, 9):
            assert interval(gamma**-i, gamma) == i
            assert interval(gamma**-i * Fraction(99, 100), gamma) == i
            assert interval(gamma**-i * Fraction(101, 100), gamma) == i - 1


@pytest.mark.parametrize("gamma", [Fraction(2), Fraction(4)], ids=str)
@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1), (1, 2, 0)])
def test_every_candidate_seed_and_omega_where_probabilities_are_powers_of_gamma(
    order: Row, gamma: Fraction
) -> None:
    """All records, all candidates, all seeds, all Ω; most probabilities are exact powers of γ."""
    halves = [Fraction(1, 2), Fraction(1, 4), Fraction(1, 8), Fraction(1, 8)]
    marginals = [halves[:2] + halves[1:2], [Fraction(1, 2)] * 2, [Fraction(1), Fraction(0)]]
    records = list(itertools.product(range(3), range(2), range(2)))
    pairs = list(itertools.product(range(len(records)), repeat=2))
    people = [n % 5 for n in range(len(records))]
    powers = 0
    for resampled in [(1,), (2,), (3,), (1, 2), (1, 3), (2, 3), (1, 2, 3)]:
        table = [
            [interval(probability(y, d, order, resampled, independent(marginals)), gamma) for d in records]
            for y in records
        ]
        powers += sum(
            probability(y, d, order, resampled, independent(marginals)) == gamma**-i
            for y, row in zip(records, table, strict=True)
            for d, i in zip(records, row, strict=True)
            if i is not None
        )
        drawn = scene(
            marginals,
            resampled,
            records,
            [records[y] for y, _ in pairs],
            [seed for _, seed in pairs],
            order=order,
            people=people,
        )
        for by_person in (False, True):
            expected = []
            for y, seed in pairs:
                own = table[y][seed]
                inside = [n for n, i in enumerate(table[y]) if own is not None and i == own]
                expected.append(len({people[n] for n in inside} if by_person else inside))
            assert drawn.found(gamma, by_person=by_person).plausible.tolist() == expected
    assert powers > 100


@gammas
def test_many_records_of_many_attributes_agree_too(gamma: Fraction) -> None:
    """Twelve attributes, prefixes shared to every depth, Ω of five sizes, people with many records each."""
    rng = np.random.default_rng(7)
    m = 12
    sizes = [2, 4, 3, 4, 2, 2, 4, 3, 2, 4, 4, 2]
    marginals = []
    for size in sizes:
        weights = rng.integers(1, 9, size).tolist()
        marginals.append([Fraction(w, sum(weights)) for w in weights])
    order = rng.permutation(m).tolist()
    rows = [rng.integers(0, sizes)]
    for _ in range(69):
        near = rows[rng.integers(len(rows))].copy()
        later = order[rng.integers(1, m + 1) :]
        near[later] = rng.integers(0, sizes)[later]
        rows.append(near)
    seeds = rng.integers(0, 70, 25)
    candidates = []
    for seed in seeds:
        y = rows[seed].copy()
        later = order[m - rng.choice([1, 2, 5, 9, 12]) :]
        y[later] = rng.integers(0, sizes)[later]
        candidates.append(tuple(y.tolist()))
    scene(
        marginals,
        (1, 2, 5, 9, 12),
        [tuple(row.tolist()) for row in rows],
        candidates,
        seeds.tolist(),
        order=order,
        people=rng.integers(-3, 4, 70).tolist(),
    ).check(gamma, ks=(3,))


def random_scene(draw: random.Random, tally: Counter[str]) -> Scene:
    """A scene of ten candidates: of independent attributes, or along a tree; of every kind that the tally counts."""
    m = draw.randint(1, 6)
    sizes = [draw.randint(1, 5) for _ in range(m)]
    order = draw.sample(range(m), m)
    resampled = draw.sample(range(1, m + 1), draw.choice([1, 1, 2, 3]) if m > 2 else 1)
    parents: list[Row] = [()] * m
    if draw.random() < 0.5:
        for position, a in enumerate(order[1:], start=1):
            parents[a] = tuple(draw.sample(order[:position], draw.randint(0, min(position, 2))))

    def probabilities(size: int) -> list[Fraction]:
        if draw.random() < 0.5 and size in DYADIC:
            weights = draw.sample(draw.choice(DYADIC[size]), size)
        else:
            weights = [draw.choice([0, 1, 1, 2, 3, 5]) for _ in range(size)]
            weights[draw.randrange(size)] += 1
        return [Fraction(w, sum(weights)) for w in weights]

    tables = [
        {
            above: probabilities(sizes[a])
            for above in itertools.product(*(range(sizes[b]) for b in parents[a]))
        }
        for a in range(m)
    ]

    def conditional(y: Row, a: int) -> Fraction:
        return tables[a][tuple(y[b] for b in parents[a])][y[a]]

    def as_table(a: int) -> NDArray[np.float64]:
        flat = [float(p) for row in tables[a].values() for p in row]
        return np.array(flat).reshape([*(sizes[b] for b in parents[a]), sizes[a]])

    model = SeededModel([as_table(a) for a in range(m)], order, resampled, parents)
    records = [tuple(draw.randrange(size) for size in sizes)]

    def beside(near: Row) -> Row:
        kept = order[: draw.randint(0, m)]
        return tuple(near[a] if a in kept else draw.randrange(sizes[a]) for a in range(m))

    while len(records) < draw.randint(1, 14):
        records.append(beside(draw.choice(records)))
    people = [draw.randrange(-2, 3) for _ in records]
    seeds = [draw.randrange(len(records)) for _ in range(10)]
    candidates = [beside(records[draw.choice([seed, draw.randrange(len(records))])]) for seed in seeds]
    tally[f"{m} attributes"] += 10
    tally["Ω of several"] += 10 * (len(resampled) > 1)
    tally["parents"] += 10 * any(parents)
    tally["repeated records"] += 10 * (len(set(records)) < len(records))
    tally["several records of a person"] += 10 * (len(set(people)) < len(people))
    tally["a category only"] += 10 * (1 in sizes)
    tally["equal to a record"] += sum(y in records for y in candidates)
    tally["never drawn"] += sum(any(conditional(y, a) == 0 for a in range(m)) for y in candidates)
    return Scene(tuple(order), tuple(resampled), conditional, model, records, people, candidates, seeds)


@pytest.mark.thorough
def test_ten_thousand_random_candidates_agree() -> None:
    tally: Counter[str] = Counter()
    for number in range(1000):
        draw = random.Random(number)
        drawn = random_scene(draw, tally)
        gamma, k = draw.choice(GAMMAS), draw.choice([1, 2, 3, 5])
        for by_person in (False, True):
            expected = drawn.expected(gamma, by_person=by_person)
            found = drawn.found(gamma, by_person=by_person, k=k)
            assert found.plausible.tolist() == expected, number
            assert found.passed.tolist() == [count >= k for count in expected], number
            tally[f"{by_person=}, passed"] += int(found.passed.sum())
        tally[f"{k=}"] += 10
        tally[f"γ = {gamma}"] += 10
        tally["no seed at all"] += expected.count(0)
        for y, seed in zip(drawn.candidates, drawn.seeds, strict=True):
            p = probability(y, drawn.records[seed], drawn.order, drawn.resampled, drawn.conditional)
            tally["a power of γ"] += p > 0 and p == gamma ** -(interval(p, gamma) or 0)
    assert sum(tally[f"γ = {gamma}"] for gamma in GAMMAS) == 10_000
    assert len(tally) == 25
    assert min(tally.values()) >= 300, tally


def test_probabilities_far_below_the_smallest_float_are_told_apart() -> None:
    """Three hundred attributes of four values: Pr{y = M(d)} is 10⁻¹⁸⁰ and, with Ω = {100, 200, 300}, less."""
    m, rng = 300, np.random.default_rng(1)
    marginals = [[Fraction(1, 1024), Fraction(1023, 1024)]] * m
    y = np.zeros(m, dtype=np.int64)
    records = []
    for shared in [300, 300, 250, 200, 199, 150, 100, 99, 50, 0, 0, 0]:
        d = y.copy()
        d[shared : shared + 1] = 1
        d[shared + 1 :] = rng.integers(0, 2, max(m - shared - 1, 0))
        records.append(tuple(d.tolist()))
    seeds = [0, 2, 4, 7, 9]
    drawn = scene(marginals, (100, 200, 300), records, [tuple(y.tolist())] * 5, seeds)
    assert drawn.found(10, by_person=False).plausible.tolist() == [4, 4, 3, 5, 5]
    drawn.check(Fraction(10), ks=(4,))


# --- what is counted

HALF = Fraction(1, 2)
COINS = [[HALF, HALF]] * 3


def test_the_seed_and_its_person_are_among_the_plausible() -> None:
    alone = scene(COINS, (1,), [(0, 0, 0), (1, 1, 1)], [(0, 0, 1)], [0], people=[5, 6])
    for by_person in (False, True):
        assert alone.found(2, by_person=by_person).plausible.tolist() == [1]


def test_repeated_records_count_as_often_as_they_occur_and_their_person_once() -> None:
    records = [(0, 0, 0)] * 4 + [(0, 0, 1)] * 2 + [(1, 0, 0)]
    drawn = scene(COINS, (1,), records, [(0, 0, 1), (1, 0, 0)], [0, 6], people=[1, 1, 1, 2, 2, 2, 3])
    assert drawn.found(2, by_person=False).plausible.tolist() == [6, 1]
    assert drawn.found(2, by_person=True).plausible.tolist() == [2, 1]


def test_a_person_with_records_inside_and_beyond_the_interval_still_counts() -> None:
    """Distinct people between two nodes are not a difference of distinct people.

    Person 1 has one record at every depth, so person 1 is in the outer and the inner node; the seed, of person
    2, lies between them. distinct(outer) − distinct(inner) would be 1.
    """
    records = [(0, 0, 0), (0, 0, 1), (0, 1, 0), (0, 1, 1)]
    drawn = scene(COINS, (1, 2), records, [(0, 0, 0)], [2], people=[1, 1, 1, 2])
    # L ≥ 2: ½(½ + ¼) = 3/8, interval 1 of γ = 2; L = 1: ½·¼ = 1/8, interval 3
    assert drawn.found(2, by_person=True).plausible.tolist() == [2]
    drawn.check(Fraction(2))


def test_records_nearer_to_the_candidate_than_the_seed_may_be_implausible() -> None:
    """A longer common prefix makes a record more probable, and too probable is not plausible either."""
    records = [(0, 0, 0), (0, 1, 0), (1, 1, 1)]
    drawn = scene(COINS, (1, 2, 3), records, [(0, 0, 0)] * 3, [0, 1, 2])
    assert drawn.found(Fraction(6, 5), by_person=False).plausible.tolist() == [1, 1, 1]
    # ⅓(½ + ¼ + ⅛) = 7/24, ⅓(¼ + ⅛) = 1/8, ⅓·⅛ = 1/24 in (1/10, 1], (1/10, 1], (1/100, 1/10]
    assert drawn.found(10, by_person=False).plausible.tolist() == [2, 2, 1]


def test_the_windows_of_one_person_do_not_protect_each_other() -> None:
    rng = np.random.default_rng(0)
    windows = [(3, 1, 2, *rng.integers(0, 4, 3).tolist()) for _ in range(1000)]
    others = [(number % 3, 3, 0, 0, 0, 0) for number in range(40)]
    quarter = [[Fraction(1, 4)] * 4] * 6
    people = [17] * 1000 + list(range(100, 140))
    drawn = scene(quarter, (3,), windows + others, [(3, 1, 2, 0, 0, 0)], [5], people=people)
    by_record = drawn.found(4, by_person=False, k=2)
    assert (by_record.plausible.tolist(), by_record.passed.tolist()) == ([1000], [True])
    by_person = drawn.found(4, by_person=True, k=2)
    assert (by_person.plausible.tolist(), by_person.passed.tolist()) == ([1], [False])


@pytest.mark.parametrize("omega", [1, 2, 3])
def test_a_hundred_nearly_equal_records_of_one_person_pass_as_records_and_not_as_a_person(omega: int) -> None:
    """k = 50: each of them makes the others plausible, and all of them are one."""
    rng = np.random.default_rng(omega)
    near = [(2, 1, 0, 3, *rng.integers(0, 4, omega).tolist()) for _ in range(100)]
    others = [tuple(rng.integers(0, 4, 4 + omega).tolist()) for _ in range(49)]
    even = [[Fraction(1, 4)] * 4] * (4 + omega)
    seeds = rng.integers(0, 100, 30).tolist()
    candidates = [(*near[seed][:4], *rng.integers(0, 4, omega).tolist()) for seed in seeds]
    drawn = scene(even, (omega,), near + others, candidates, seeds, people=[7] * 100 + list(range(100, 149)))
    by_record, by_person = (drawn.found(4, by_person=by, k=50) for by in (False, True))
    assert by_record.passed.all()
    assert (by_record.plausible >= 100).all()
    assert not by_person.passed.any()
    assert (by_person.plausible - 1 == by_record.plausible - 100).all()
    assert drawn.found(4, by_person=True, k=1).passed.all()


def test_a_candidate_that_its_seed_cannot_produce_has_no_plausible_seed() -> None:
    marginals = [[Fraction(1), Fraction(0)], [HALF, HALF], [HALF, HALF]]
    records = [(0, 0, 0), (0, 1, 0), (1, 0, 0)]
    drawn = scene(marginals, (1, 2), records, [(0, 0, 0), (0, 0, 0), (1, 1, 1)], [0, 2, 2])
    # the second does not share the first attribute with its seed; the third does: 3/8 and 1/8 for the first
    assert drawn.found(10, by_person=False).plausible.tolist() == [2, 0, 1]
    assert drawn.found(10, by_person=False).passed.tolist() == [True, False, True]
    never = scene(marginals, (3,), records, [(1, 0, 0), (0, 0, 0)], [2, 2])
    # with nothing kept, a category of probability zero is drawn from no seed, be it the seed's own
    assert never.found(4, by_person=False).plausible.tolist() == [0, 3]


# --- γ


@given(drawn=scenes(), k=st.integers(1, 8))
def test_the_marginals_model_passes_exactly_when_there_are_k_people(drawn: Scene, k: int) -> None:
    m = len(drawn.order)
    marginals = [[Fraction(1, 4)] * 4] * m
    blank = scene(
        marginals, (m,), drawn.records, drawn.candidates, drawn.seeds, order=drawn.order, people=drawn.people
    )
    people, records = len(set(drawn.people)), len(drawn.records)
    for gamma in (1.001, 4.0, 1e6):
        for by_person, count in ((True, people), (False, records)):
            result = blank.found(gamma, by_person=by_person, k=k)
            assert set(result.plausible.tolist()) == {count}
            assert set(result.passed.tolist()) == {count >= k}


@given(drawn=scenes(), omega=st.integers(1, 6))
def test_with_fixed_omega_gamma_is_inert_and_the_prefix_group_is_counted(drawn: Scene, omega: int) -> None:
    m = len(drawn.order)
    omega = min(omega, m)
    kept = drawn.order[: m - omega]
    marginals = [[Fraction(1, 2), Fraction(1, 4), Fraction(1, 8), Fraction(1, 8)]] * m
    fixed = scene(
        marginals,
        (omega,),
        drawn.records,
        drawn.candidates,
        drawn.seeds,
        order=drawn.order,
        people=drawn.people,
    )
    for by_person in (False, True):
        expected = []
        for y, seed in zip(drawn.candidates, drawn.seeds, strict=True):
            group = [n for n, d in enumerate(drawn.records) if all(d[a] == y[a] for a in kept)]
            group = group if seed in group else []
            expected.append(len({drawn.people[n] for n in group} if by_person else group))
        for gamma in (1 + 1e-9, 1.2, 2.0, 4.0, 1e6, 1e300):
            assert fixed.found(gamma, by_person=by_person).plausible.tolist() == expected


def test_the_larger_gamma_the_wider_the_interval_in_the_end() -> None:
    records = [(0, 0, 0), (0, 1, 0), (1, 1, 1)]
    drawn = scene(COINS, (1, 2, 3), records, [(0, 0, 0)] * 3, [0, 1, 2])
    assert drawn.found(1e6, by_person=False).plausible.tolist() == [3, 3, 3]
    assert drawn.found(1.0001, by_person=False).plausible.tolist() == [1, 1, 1]


@pytest.mark.parametrize(
    ("above", "plausible"), [(0.0, 2), (1e-12, 2), (1e-10, 2), (-1e-6, 2), (1e-6, 1), (1e-3, 1)]
)
def test_a_probability_a_billionth_above_a_power_counts_as_the_power(above: float, plausible: int) -> None:
    """The stated rule for ties. For y = (0, 0): ¾p₁ from near records, ¼p₁ from far ones, γ = 4.

    At p₁ = ⅓ the near ones are exactly at γ⁻¹, which belongs to the interval below: together with the far ones.
    """
    p = (1 + above) / 3
    model = SeededModel([[0.5, 0.5], [p, 1 - p]], (0, 1), (1, 2))
    result = deniability_test(
        model, np.array([[0, 0]]), np.array([0]), np.array([[0, 1], [1, 0]]), k=1, gamma=4.0
    )
    assert result.plausible.tolist() == [plausible]


# --- how the work is divided


@pytest.mark.quick("7-2")
@pytest.mark.parametrize(("block", "jobs"), [(1, 1), (1, 3), (2, 2), (7, 2), (1 << 15, 1), (1 << 15, 4)])
def test_neither_blocks_nor_threads_change_a_count(
    block: int, jobs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    tally: Counter[str] = Counter()
    scenes_ = [random_scene(random.Random(number), tally) for number in range(8)]
    expected = [drawn.found(2, by_person=by).plausible for drawn in scenes_ for by in (False, True)]
    monkeypatch.setattr(module, "_BLOCK", block)
    monkeypatch.setattr(prefix_trie, "_BLOCK", block)
    monkeypatch.setattr(packed_rows, "_BLOCK", block)
    found = []
    for drawn, by_person in itertools.product(scenes_, (False, True)):
        m = len(drawn.order)
        people = np.array(drawn.people) if by_person else None
        records, candidates = as_array(drawn.records, m), as_array(drawn.candidates, m)
        seeds = np.array(drawn.seeds)
        result = deniability_test(
            drawn.model, candidates, seeds, records, people=people, k=2, gamma=2.0, jobs=jobs
        )
        np.testing.assert_array_equal(result.passed, result.plausible >= 2)
        once = SeedSet(drawn.model, records, people, threads=jobs)
        for part in (slice(None), slice(3, 8), slice(0, 0)):  # asked again, of some
            again = once.plausible(candidates[part], seeds[part], gamma=2.0)
            np.testing.assert_array_equal(again, result.plausible[part])
        found.append(result.plausible)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)


# --- what is refused


class Stub:
    """A model that says what it is told to."""

    def __init__(self, order: Row = (0, 1), resampled: Row = (1,)) -> None:
        self.order, self.resampled = order, resampled

    def log_conditional(self, candidates: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.full(candidates.shape, -math.log(2))


def ask(
    *,
    model: Model | None = None,
    candidates: object = ((0, 0),),
    seeds: object = (0,),
    people: object = None,
    gamma: float = 2.0,
) -> DeniabilityResult:
    records = np.array([[0, 0], [1, 0], [0, 1]])
    return deniability_test(
        Stub() if model is None else model,
        np.array(candidates),
        np.array(seeds),
        records,
        people=None if people is None else np.array(people),
        k=1,
        gamma=gamma,
    )


def test_any_object_with_order_resampled_and_conditionals_will_do() -> None:
    assert ask().plausible.tolist() == [2]
    assert ask(model=Stub(order=(1, 0))).plausible.tolist() == [2]
    assert ask(model=Stub(resampled=(2, 2, 1)), gamma=10.0).plausible.tolist() == [3]


@pytest.mark.parametrize("gamma", [1.0, 0.5, 0.0, -2.0, math.nan])
def test_gamma_of_one_or_less_is_refused(gamma: float) -> None:
    with bad_argument(ValueError, f"gamma={gamma}"):
        ask(gamma=gamma)


@pytest.mark.parametrize("resampled", [(), (0,), (0, 1), (-1, 1), (3,), (1, 3)])
def test_omega_of_zero_or_more_than_all_attributes_is_refused(resampled: Row) -> None:
    with bad_argument(ValueError, "resampled", 1, 2, resampled):
        ask(model=Stub(resampled=resampled))
    with bad_argument(ValueError, "resampled", 1, 2, resampled):
        SeededModel([[0.5, 0.5]] * 2, (0, 1), resampled)


@pytest.mark.parametrize("candidates", [[0, 0], [[0]], [[0, 0, 0]], [[[0, 0]]]])
def test_candidates_of_another_shape_are_refused(candidates: object) -> None:
    with bad_argument(ValueError, "candidates", "(…, 2)"):
        ask(candidates=candidates)
    with bad_argument(ValueError, "records", "(…, 3)"):
        ask(model=Stub(order=(0, 1, 2)))


@pytest.mark.parametrize("candidates", [[[0, -1]], [[0.0, 1.0]], [[True, False]]])
def test_candidates_that_are_no_category_numbers_are_refused(candidates: object) -> None:
    with bad_argument(ValueError, "candidates", 0):
        ask(candidates=candidates)


@pytest.mark.parametrize("seeds", [[], [0, 1], [[0]], 0])
def test_as_many_seeds_as_candidates_are_needed(seeds: object) -> None:
    with bad_argument(ValueError, "seed_rows", "(1,)"):
        ask(seeds=seeds)


@pytest.mark.parametrize("row", [-1, 3, 10**9])
def test_a_seed_must_be_a_row_of_the_records(row: int) -> None:
    with bad_argument(ValueError, "seed_rows", "records"):
        ask(seeds=[row])


@pytest.mark.parametrize("people", [[], [1, 2], [1, 2, 3, 4], [[1, 2, 3]]])
def test_every_record_needs_its_person(people: object) -> None:
    with bad_argument(ValueError, "people", "(3,)"):
        ask(people=people)


def test_no_candidates_give_no_results() -> None:
    for people in (None, [1, 1, 2]):
        result = ask(candidates=np.empty((0, 2), dtype=np.int64), seeds=np.empty(0, int), people=people)
        assert (result.plausible.tolist(), result.passed.tolist()) == ([], [])


def test_the_arguments_are_left_alone() -> None:
    candidates, seeds = np.array([[0, 1]]), np.array([0])
    records, people = np.array([[0, 0], [0, 1]]), np.array([9, -9])
    before = [array.copy() for array in (candidates, seeds, records, people)]
    deniability_test(Stub(), candidates, seeds, records, people=people, k=1, gamma=2.0)
    for array, copy in zip((candidates, seeds, records, people), before, strict=True):
        np.testing.assert_array_equal(array, copy)


# --- what may be said of a record that passed


def posterior(y: Row, records: Sequence[Row], source: int, prior: Sequence[Fraction]) -> Fraction:
    """How likely the source is to an attacker who knows all records and the model, from one record."""
    marginals = [[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 2), Fraction(3, 10), Fraction(1, 5)]]
    weights = [
        belief * probability(y, d, (0, 1), (1, 2), independent(marginals))
        for belief, d in zip(prior, records, strict=True)
    ]
    return weights[source] / sum(weights)


@pytest.mark.parametrize("gamma", [Fraction(5), Fraction(20)], ids=str)
def test_the_bound_of_the_source_is_of_one_record_and_of_equally_likely_sources(gamma: Fraction) -> None:
    """γ/(γ + k − 1), of docs/explanation/deniability.md's example: for whoever believes otherwise beforehand, or compares records, it is no bound."""
    marginals = [[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 2), Fraction(3, 10), Fraction(1, 5)]]
    records = [(0, n % 3) for n in range(6)] + [(1, n) for n in range(2)]
    even = [Fraction(1, len(records))] * len(records)
    biased = []
    for y in itertools.product(range(2), range(3)):
        tried = scene(marginals, (1, 2), records, [y] * len(records), range(len(records)))
        for source, k in enumerate(tried.expected(gamma, by_person=True)):
            bound = gamma / (gamma + k - 1)
            assert posterior(y, records, source, even) <= bound
            suspected = [Fraction(9, 10) if n == source else Fraction(1, 70) for n in range(len(records))]
            biased.append(posterior(y, records, source, suspected) > bound)
    assert any(biased)
