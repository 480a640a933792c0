"""The model of records: what is kept and drawn, from which table, and which integers mean which category.

Distributions are tested under fixed seeds: a chance below 1e-9 would fail, and a control shows that a wrong
distribution does.
"""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from invented_records import ALARM, exact_probability, p_of, seeded
from refusals import bad_argument

from synthrelease.dp.noise import SecureRandom
from synthrelease.kinds.records import model as module
from synthrelease.kinds.records.model import SeededModel, _drawn, _integer_limits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


MARGINALS = ([0.5, 0.3, 0.2], [0.25, 0.75], [0.1, 0.2, 0.3, 0.4], [0.6, 0.4])
ORDER = (2, 0, 3, 1)

# A tree with a common parent: 1 and 3 depend on 0, and 3 on 1 besides; 2 depends on 3 alone.
PARENTS = ((), (0,), (3,), (0, 1))
TABLES = (
    [0.3, 0.7],
    [[0.2, 0.5, 0.3], [0.6, 0.0, 0.4]],
    [[0.1, 0.2, 0.7], [0.5, 0.25, 0.25]],
    [[[0.9, 0.1], [0.2, 0.8], [0.5, 0.5]], [[0.4, 0.6], [0.5, 0.5], [1.0, 0.0]]],
)
SIZES = (2, 3, 3, 2)
TREE_ORDER = (0, 1, 3, 2)


def dependent(resampled: Sequence[int] = (1, 2, 4), tables: Any = TABLES) -> SeededModel:
    return SeededModel(tables, TREE_ORDER, resampled, PARENTS)


# --- independent attributes


@pytest.mark.parametrize("omega", [1, 2, 3, 4])
def test_the_first_attributes_in_order_are_the_seed_and_the_others_are_drawn(omega: int) -> None:
    model = SeededModel(MARGINALS, ORDER, (omega,))
    seeds = np.random.default_rng(0).integers(0, [3, 2, 4, 2], (20_000, 4))
    before = seeds.copy()
    candidates = model.sample(seeds, seeded(omega))
    np.testing.assert_array_equal(seeds, before)
    assert candidates.shape == seeds.shape
    assert candidates.dtype == np.int64
    kept, drawn = ORDER[: 4 - omega], ORDER[4 - omega :]
    np.testing.assert_array_equal(candidates[:, kept], seeds[:, kept])
    for a in drawn:
        size = len(MARGINALS[a])
        observed = np.bincount(candidates[:, a], minlength=size)
        assert p_of(observed, MARGINALS[a]) > ALARM
        assert p_of(observed, [1 / size] * size) < ALARM  # the control: other marginals
        for value in range(size):  # whatever the seed's own value was
            of_seed = np.bincount(candidates[seeds[:, a] == value, a], minlength=size)
            assert p_of(of_seed, MARGINALS[a]) > ALARM


@pytest.mark.parametrize("resampled", [(1,), (4,), (1, 2), (2, 4), (1, 3, 4), (1, 2, 3, 4)])
def test_omega_is_uniform_on_its_set(resampled: tuple[int, ...]) -> None:
    """Seeds of a category that is never drawn show how many attributes were."""
    never_zero = [[0.0, *p] for p in MARGINALS]
    model = SeededModel(never_zero, ORDER, resampled)
    candidates = model.sample(np.zeros((30_000, 4), dtype=np.int64), seeded(7))
    drawn = (candidates > 0)[:, ORDER]
    np.testing.assert_array_equal(drawn, np.sort(drawn, axis=1))  # kept first, drawn last
    observed = np.bincount(drawn.sum(axis=1), minlength=5)
    assert set(np.flatnonzero(observed).tolist()) == set(resampled)
    if len(resampled) > 1:
        assert p_of(observed, [1.0 if w in resampled else 0.0 for w in range(5)]) > ALARM
        weighted = [float(w) if w in resampled else 0.0 for w in range(5)]
        assert p_of(observed, weighted) < ALARM  # the control: ω in proportion to itself


def test_candidates_of_a_seed_have_the_distribution_that_is_tested() -> None:
    """The joint distribution over all 48 records: what the deniability test takes Pr{y = M(d)} to be."""
    d = (1, 0, 2, 1)
    everything = list(itertools.product(*(range(len(p)) for p in MARGINALS)))
    model = SeededModel(MARGINALS, ORDER, (1, 2, 4))
    candidates = model.sample(np.array([d] * 60_000), seeded(11))
    observed = np.bincount(np.ravel_multi_index(candidates.T, (3, 2, 4, 2)), minlength=48)
    assert p_of(observed, [float(exact_probability(model, y, d)) for y in everything]) > ALARM
    for wrong in (
        SeededModel(MARGINALS, ORDER, (1, 2, 3)),
        SeededModel(MARGINALS, ORDER, (1, 2, 3, 4)),
        SeededModel(MARGINALS, (2, 0, 1, 3), (1, 2, 4)),
        SeededModel([[0.45, 0.35, 0.2], *MARGINALS[1:]], ORDER, (1, 2, 4)),
    ):
        expected = np.array([float(exact_probability(wrong, y, d)) for y in everything])
        assert observed[expected == 0].any() or p_of(observed, expected) < ALARM


# --- attributes with parents


@pytest.mark.parametrize("d", [(0, 1, 2, 0), (1, 2, 0, 0)])
def test_candidates_of_a_seed_follow_the_tables_given_their_own_parents(d: tuple[int, ...]) -> None:
    """Parents that were kept, and parents that were drawn before: over all 36 records, for Ω = {1, 2, 4}."""
    model = dependent()
    everything = list(itertools.product(*map(range, SIZES)))
    candidates = model.sample(np.array([d] * 60_000), seeded(21))
    observed = np.bincount(np.ravel_multi_index(candidates.T, SIZES), minlength=36)
    expected = [float(exact_probability(model, y, d)) for y in everything]
    assert sum(expected) == pytest.approx(1.0, abs=1e-12)
    assert p_of(observed, expected) > ALARM
    others = [
        ([[0.3, 0.4, 0.3], TABLES[1][1]], 1),  # one row of one table
        ([TABLES[2][1], TABLES[2][0]], 2),  # the parent's categories the wrong way round
        (np.full((2, 3, 2), 0.5), 3),  # no dependence
    ]
    for table, a in others:
        wrong = dependent(tables=[*TABLES[:a], table, *TABLES[a + 1 :]])
        unexpected = np.array([float(exact_probability(wrong, y, d)) for y in everything])
        assert observed[unexpected == 0].any() or p_of(observed, unexpected) < ALARM


def test_each_attribute_is_drawn_from_the_row_of_its_own_parents_whatever_the_seed() -> None:
    """All of 40 000 records drawn whole: every row of every table by itself, and Ω has no say in it."""
    seeds = np.random.default_rng(1).integers(0, SIZES, (40_000, 4))
    drawn = dependent((1,)).whole.sample(seeds, seeded(22))
    for a, own in enumerate(PARENTS):
        table = np.array(TABLES[a])
        for above in itertools.product(*(range(SIZES[b]) for b in own)):
            here = (drawn[:, own] == above).all(axis=1)
            observed = np.bincount(drawn[here, a], minlength=SIZES[a])
            if here.sum() < 500:
                continue
            assert p_of(observed, table[above]) > ALARM
            for value in range(SIZES[a]):
                of_seed = np.bincount(drawn[here & (seeds[:, a] == value), a], minlength=SIZES[a])
                assert p_of(of_seed, table[above]) > ALARM
        if own:
            mean = np.bincount(drawn[:, a], minlength=SIZES[a]) / len(drawn)
            row = np.bincount(drawn[(drawn[:, own[-1]] == 0), a], minlength=SIZES[a])
            assert p_of(row, mean) < ALARM  # the control: the attribute's marginal is not its row


def test_blocks_of_candidates_are_drawn_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    model = dependent()
    seeds = np.random.default_rng(2).integers(0, SIZES, (20_000, 4))
    seeds[:, 1] = np.where(seeds[:, 0] == 1, 0, seeds[:, 1])
    monkeypatch.setattr(module, "_BLOCK", 7)
    candidates = model.sample(seeds[:4000], seeded(23))
    expected = np.zeros(36)
    for d, times in zip(*np.unique(seeds[:4000], axis=0, return_counts=True), strict=True):
        expected += times * np.array(
            [float(exact_probability(model, y, d.tolist())) for y in itertools.product(*map(range, SIZES))]
        )
    observed = np.bincount(np.ravel_multi_index(candidates.T, SIZES), minlength=36)
    assert p_of(observed, expected) > ALARM
    assert model.sample(seeds[:0], seeded()).shape == (0, 4)


def test_whole_is_the_same_distribution_with_nothing_kept() -> None:
    model = dependent((1,))
    whole = model.whole
    assert (whole.resampled, whole.order, whole.parents) == ((4,), model.order, model.parents)
    for one, other in zip(whole.marginals, model.marginals, strict=True):
        np.testing.assert_array_equal(one, other)
    assert model.resampled == (1,)
    for d in ((0, 0, 0, 0), (1, 2, 2, 1)):
        ys = list(itertools.product(*map(range, SIZES)))
        assert [exact_probability(whole, y, d) for y in ys] == [
            exact_probability(whole, y, (0, 1, 0, 1)) for y in ys
        ]


def test_log_conditionals_are_those_of_the_marginals() -> None:
    model = SeededModel([[0.5, 0.5, 0.0], [0.25, 0.75]], (1, 0), (1,))
    found = model.log_conditional(np.array([[0, 1], [2, 0]]))
    np.testing.assert_allclose(found, [[np.log(0.5), np.log(0.75)], [-np.inf, np.log(0.25)]])


def test_log_conditionals_are_those_of_the_parents_in_the_candidate() -> None:
    model = dependent()
    everything = np.array(list(itertools.product(*map(range, SIZES))))
    found = model.log_conditional(everything)
    assert found.shape == everything.shape
    with np.errstate(divide="ignore"):
        for y, row in zip(everything.tolist(), found, strict=True):
            p = [np.array(TABLES[a])[(*(y[b] for b in own), y[a])] for a, own in enumerate(PARENTS)]
            np.testing.assert_array_equal(row, np.log(p))
    for kind in (np.int32, np.uint8):
        np.testing.assert_array_equal(model.log_conditional(everything.astype(kind)), found)


# --- integers in place of probabilities

WHOLE = 2**62
AT_ENDS = np.array([0, 1, WHOLE // 2 - 1, WHOLE // 2, WHOLE - 2, WHOLE - 1], dtype=np.int64)


@st.composite
def probabilities(draw: st.DrawFn) -> NDArray[np.float64]:
    """A table of one to four rows that sum to 1 but for rounding; with zeros and very small numbers."""
    size, rows = draw(st.integers(1, 20)), draw(st.integers(1, 4))
    weight = st.one_of(st.just(0.0), st.floats(1e-25, 1.0), st.integers(1, 5).map(float))
    table = np.array(
        [
            draw(st.lists(weight, min_size=size, max_size=size).filter(lambda w: sum(w) > 1e-9))
            for _ in range(rows)
        ]
    )
    normal: NDArray[np.float64] = table / table.sum(axis=1, keepdims=True)
    return normal


@given(table=probabilities())
def test_the_integers_are_divided_in_proportion_and_none_is_left_over(table: NDArray[np.float64]) -> None:
    """Within 2⁻⁵³ of each other per category, and to the last integer in all: the exact law of what is drawn."""
    limits = _integer_limits(table)
    assert limits.dtype == np.int64
    assert (limits[:, -1] == WHOLE).all()
    shares = np.diff(limits, axis=1, prepend=0)
    assert (shares >= 0).all()
    assert (shares[table == 0] == 0).all()
    for row, share in zip(table.tolist(), shares.tolist(), strict=True):
        total = sum(map(Fraction, row))
        for p, n in zip(row, share, strict=True):
            assert abs(Fraction(n, WHOLE) - Fraction(p) / total) <= Fraction(len(row), 2**52)


def test_probabilities_that_sum_to_nearly_one_are_divided_in_proportion_too() -> None:
    for error in (-9e-10, -1e-15, 1e-15, 9e-10):
        limits = _integer_limits(np.array([0.25, 0.0, 0.25, 0.5]) * (1 + error))
        assert np.abs(limits - np.array([WHOLE // 4, WHOLE // 4, WHOLE // 2, WHOLE])).max() <= 2**11


@given(table=probabilities(), data=st.data())
def test_a_word_falls_where_a_search_puts_it(table: NDArray[np.float64], data: st.DataObject) -> None:
    """Bisection of all words at once is `searchsorted`, row by row, also at the very limits and beside them."""
    limits = _integer_limits(table)
    random_words = data.draw(st.lists(st.integers(0, WHOLE - 1), max_size=10))
    beside = np.clip(np.concatenate([limits.ravel() + shift for shift in (-1, 0, 1)]), 0, WHOLE - 1)
    words = np.concatenate([AT_ENDS, beside, np.array(random_words, dtype=np.int64)])
    for row, p in enumerate(table):
        found = _drawn(limits, (np.full(words.size, row),), words)
        np.testing.assert_array_equal(found, np.searchsorted(limits[row], words, side="right"))
        assert (p[found] > 0).all()
    rows = np.arange(words.size) % len(table)
    mixed = _drawn(limits, (rows,), words)
    expected = [np.searchsorted(limits[r], w, side="right") for r, w in zip(rows, words, strict=True)]
    np.testing.assert_array_equal(mixed, expected)


def test_one_row_without_parents_and_tables_with_two_are_searched_alike() -> None:
    for shape in ((5,), (2, 5), (2, 3, 5), (2, 3, 1), (3, 2)):
        rng = np.random.default_rng(len(shape))
        table = rng.random(shape)
        table /= table.sum(axis=-1, keepdims=True)
        limits = _integer_limits(table)
        words = rng.integers(0, WHOLE, 300)
        given_ = tuple(rng.integers(0, size, 300) for size in shape[:-1])
        expected = [
            np.searchsorted(limits[tuple(g[n] for g in given_)], words[n], side="right") for n in range(300)
        ]
        np.testing.assert_array_equal(_drawn(limits, given_, words), expected)


def test_every_number_of_categories_is_searched_to_its_end() -> None:
    """Around powers of two, where bisection has its corners."""
    for size in [*range(1, 35), 63, 64, 65, 127, 128, 129, 1000]:
        limits = _integer_limits(np.full(size, 1 / size))
        words = np.clip(np.concatenate([limits - 1, limits, [0]]), 0, WHOLE - 1)
        found = _drawn(limits, (), words)
        np.testing.assert_array_equal(found, np.searchsorted(limits, words, side="right"))
        assert set(found.tolist()) == set(range(size))


class Words(SecureRandom):
    """The smallest and the largest word by turns."""

    def words(self, count: int) -> NDArray[np.uint64]:
        return np.resize(np.array([0, 2**64 - 1], dtype=np.uint64), count)


@pytest.mark.parametrize(
    "p", [[0.0, 1.0, 0.0], [1.0, 0.0], [0.0, 0.0, 1.0], [0.3, 0.0, 0.7, 0.0], [1 / 3] * 3]
)
def test_a_category_of_probability_zero_is_never_drawn_whatever_the_word(p: list[float]) -> None:
    model = SeededModel([p], (0,), (1,))
    drawn = model.sample(np.zeros((4, 1), dtype=np.int64), Words())[:, 0]
    possible = np.flatnonzero(p)
    assert drawn.tolist() == [possible[0], possible[-1]] * 2


def test_a_category_of_probability_zero_given_its_parents_is_never_drawn_whatever_the_word() -> None:
    rows = [[0.0, 1.0, 0.0], [0.5, 0.5, 0.0], [0.0, 0.5, 0.5]]
    model = SeededModel([[1 / 3] * 3, rows], (0, 1), (1,), [(), (0,)])
    seeds = np.repeat([[0, 0], [1, 2], [2, 0]], 2, axis=0)
    assert model.sample(seeds, Words()).tolist() == [[0, 1], [0, 1], [1, 0], [1, 1], [2, 1], [2, 2]]


# --- what is refused

HALVES = [0.5, 0.5]
GIVEN = [HALVES, HALVES]


@pytest.mark.parametrize(
    ("marginals", "order", "resampled", "parents", "named"),
    [
        ([HALVES], (1,), (1,), None, ("order", "(1,)")),
        ([HALVES] * 2, (0, 0), (1,), None, ("order", 1, "(0, 0)")),
        ([HALVES] * 2, (0,), (1,), None, ("order", "(0,)")),
        ([HALVES] * 2, (0, 1, 2), (1,), None, ("order", "(0, 1, 2)")),
        ([HALVES] * 2, (0, 1), (), None, ("resampled", 1, 2, "()")),
        ([HALVES] * 2, (0, 1), (0, 1), None, ("resampled", 1, 2, "(0, 1)")),
        ([HALVES] * 2, (0, 1), (-1,), None, ("resampled", 1, 2, "(-1,)")),
        ([HALVES] * 2, (0, 1), (3,), None, ("resampled", 1, 2, "(3,)")),
        ([[0.5, 0.4]], (0,), (1,), None, ("marginals[0]", "probabilities")),
        ([[1.5, -0.5]], (0,), (1,), None, ("marginals[0]", "probabilities")),
        ([[0.5, float("nan")]], (0,), (1,), None, ("marginals[0]", "probabilities")),
        ([[float("inf"), 0.0]], (0,), (1,), None, ("marginals[0]", "probabilities")),
        ([[HALVES]], (0,), (1,), None, ("marginals[0]", "axis")),
        ([HALVES, GIVEN], (0, 1), (1,), [()], ("parents", 2, 1)),
        ([HALVES, GIVEN], (0, 1), (1,), [(), (), ()], ("parents", 2, 3)),
        ([HALVES, GIVEN], (1, 0), (1,), [(), (0,)], ("parents", 1, "(0,)")),
        ([HALVES, GIVEN], (0, 1), (1,), [(), (1,)], ("parents", 1, "(1,)")),
        ([HALVES, GIVEN], (0, 1), (1,), [(), (2,)], ("parents", 1, "(2,)")),
        ([HALVES, [GIVEN] * 2], (0, 1), (1,), [(), (0, 0)], ("parents", 1, "(0, 0)")),
        ([HALVES, HALVES], (0, 1), (1,), [(), (0,)], ("marginals[1]", "axis")),
        ([HALVES, GIVEN], (0, 1), (1,), [(), ()], ("marginals[1]", "axis")),
        ([HALVES, [HALVES] * 3], (0, 1), (1,), [(), (0,)], ("marginals[1]", "axis")),
        ([[1.0], GIVEN], (0, 1), (1,), [(), (0,)], ("marginals[1]", "axis")),
        ([HALVES, [HALVES, [0.5, 0.4]]], (0, 1), (1,), [(), (0,)], ("marginals[1]", "probabilities")),
        ([HALVES, [HALVES, [2.0, -1.0]]], (0, 1), (1,), [(), (0,)], ("marginals[1]", "probabilities")),
    ],
)
def test_a_model_without_meaning_is_refused(
    marginals: list[Any],
    order: tuple[int, ...],
    resampled: tuple[int, ...],
    parents: Any,
    named: tuple[object, ...],
) -> None:
    with bad_argument(ValueError, *named):
        SeededModel(marginals, order, resampled, parents)


def test_a_model_knows_its_arguments_as_values() -> None:
    model = SeededModel([HALVES, GIVEN], [0, 1], np.array([2, 1, 2]), [[], [0]])
    assert (model.order, model.resampled, model.parents) == ((0, 1), (1, 2), ((), (0,)))
    assert [table.dtype for table in model.marginals] == [np.float64] * 2
    assert SeededModel([HALVES] * 2, (0, 1), (1,)).parents == ((), ())
