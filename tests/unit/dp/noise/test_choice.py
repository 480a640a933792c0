"""`private_choice`: its law to forty digits, by walking through every order and every coin it could toss.

Two oracles, both in multi-precision: the law by every order in turn, as the algorithm reads, and the integral
p_r·∫ Π(1 − t·p_s) dt of the docstring. The code is walked through storey by storey: the coins of one are in the hands of the
test, which takes both ways at each toss; they are themselves walked through a storey below, and the lowest word by word.
"""

from __future__ import annotations

import itertools
import math
import re
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from goldens import figures
from hypothesis import given
from hypothesis import strategies as st
from mpmath import MPContext
from refusals import bad_argument

from synthrelease.dp.noise import SecureRandom, choice, private_choice

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Words = NDArray[np.uint64]

_mp = MPContext()
_mp.dps = 50

EXACT = _mp.mpf(10) ** -40
TOP = 2**64 - 1


# --- oracles


def acceptance(utilities: Sequence[int], *, rate: Fraction) -> list[Any]:
    """p_r = exp(−rate·(u_max − u_r))."""
    best = max(utilities)
    scaled = [rate * (best - u) for u in utilities]
    return [exp_minus(x) for x in scaled]


def law(utilities: Sequence[int], *, rate: Fraction) -> list[Any]:
    """p_r·∫₀¹ Π_{s≠r} (1 − t·p_s) dt, the polynomial integrated term by term."""
    p = acceptance(utilities, rate=rate)
    found = []
    for r, own in enumerate(p):
        polynomial = [_mp.mpf(1)]
        for s, other in enumerate(p):
            if s != r:
                longer = [*polynomial, _mp.mpf(0)]
                polynomial = [a - other * b for a, b in zip(longer, [0, *polynomial], strict=True)]
        found.append(own * sum(a / (power + 1) for power, a in enumerate(polynomial)))
    return found


def law_by_orders(utilities: Sequence[int], *, rate: Fraction) -> list[Any]:
    """As the algorithm reads: in each order, the first that is taken."""
    p = acceptance(utilities, rate=rate)
    found = [_mp.mpf(0) for _ in p]
    orders = list(itertools.permutations(range(len(p))))
    for order in orders:
        none_yet = _mp.mpf(1)
        for r in order:
            found[r] += none_yet * p[r] / len(orders)
            none_yet *= 1 - p[r]
    return found


def rate_of(epsilon: float, sensitivity: int) -> Fraction:
    return Fraction(epsilon) / (2 * sensitivity)


class InOrder(SecureRandom):
    """Gives the order it was made for, and no word."""

    def __init__(self, order: Sequence[int] = ()) -> None:
        super().__init__()
        self.order = order

    def permutation(self, count: int) -> NDArray[np.int64]:
        assert count == len(self.order)
        return np.array(self.order)

    def words(self, count: int) -> Words:
        assert count == 0, f"{count} words asked for"
        return np.empty(0, dtype=np.uint64)


class Planned(SecureRandom):
    """Words written down beforehand; it fails when they run out."""

    def __init__(self, *plan: int) -> None:
        super().__init__()
        self.plan = list(plan)

    def words(self, count: int) -> Words:
        assert count <= len(self.plan), f"{count} words asked for, {len(self.plan)} left"
        taken, self.plan = self.plan[:count], self.plan[count:]
        return np.array(taken, dtype=np.uint64)


class TooUnlikelyError(Exception):
    """A path of less probability than is looked at."""


class Coins:
    """Tosses that follow `path` and then always happen; what they did, and how probable it was."""

    def __init__(self, path: tuple[bool, ...], chance: Callable[..., Any], cut: float) -> None:
        self.path, self.chance, self.cut = path, chance, cut
        self.taken: list[bool] = []
        self.other_ways: list[tuple[bool, ...]] = []
        self.weight = _mp.mpf(1)

    def toss(self, *about: Any) -> bool:
        chance = self.chance(*about[:-1])  # the last is the generator
        assert 0 <= chance <= 1
        happens = self.path[len(self.taken)] if len(self.taken) < len(self.path) else chance > 0
        if len(self.taken) >= len(self.path) and 0 < chance < 1:
            self.other_ways.append((*self.taken, False))
        self.taken.append(happens)
        self.weight *= chance if happens else 1 - chance
        if self.weight < self.cut:
            raise TooUnlikelyError
        return happens


def walked(
    work: Callable[[], int | bool],
    monkeypatch: pytest.MonkeyPatch,
    coin: str,
    chance: Callable[..., Any],
    cut: float = 0.0,
) -> tuple[dict[int, Any], Any]:
    """The law of what `work` returns, every toss of the function `coin` taken both ways; and the probability left out."""
    found: dict[int, Any] = {}
    left_out = _mp.mpf(0)
    pending: list[tuple[bool, ...]] = [()]
    while pending:
        coins = Coins(pending.pop(), chance, cut)
        with monkeypatch.context() as patch:
            patch.setattr(choice, coin, coins.toss)
            try:
                result = int(work())
            except TooUnlikelyError:
                left_out += coins.weight
            else:
                found[result] = found.get(result, 0) + coins.weight
        pending.extend(coins.other_ways)
    assert abs(sum(found.values()) + left_out - 1) < EXACT
    return found, left_out


def exp_minus(x: Fraction) -> Any:
    return _mp.exp(-_mp.mpf(x.numerator) / x.denominator)


def ratio(numerator: int, denominator: int) -> Any:
    return _mp.mpf(numerator) / denominator


def code_law(
    utilities: Sequence[int],
    *,
    sensitivity: int,
    epsilon: float,
    monkeypatch: pytest.MonkeyPatch,
    deep: bool = False,
) -> tuple[list[Any], Any]:
    """The law of `private_choice` over all orders: by its coins of exp(−x), or, `deep`, by theirs; and what was left out."""
    coin, chance, cut = ("_happens", ratio, 1e-7) if deep else ("_happens_exp", exp_minus, 0.0)
    total, left_out = [_mp.mpf(0)] * len(utilities), _mp.mpf(0)
    orders = list(itertools.permutations(range(len(utilities))))
    for order in orders:

        def choose(order: tuple[int, ...] = order) -> int:
            return private_choice(utilities, sensitivity=sensitivity, epsilon=epsilon, random=InOrder(order))

        found, missing = walked(choose, monkeypatch, coin, chance, cut)
        for number, weight in found.items():
            total[number] += weight / len(orders)
        left_out += missing / len(orders)
    return total, left_out


# --- exact coins


@pytest.mark.parametrize("bound", [1, 2, 3, 4, 5, 7, 8, 12, 100, 256])
def test_small_bounds_take_each_integer_from_one_word_in_the_top_bits(bound: int) -> None:
    bits = (bound - 1).bit_length()
    for value in range(2**bits):
        for below in (0, 2 ** (64 - bits) - 1):  # the other bits do not matter
            word = (value << (64 - bits)) + below
            random = Planned(word, 0)
            drawn = choice._below(bound, random)
            if bits == 0:
                assert (drawn, len(random.plan)) == (0, 2)  # nothing to decide, nothing drawn
            elif value < bound:
                assert (drawn, len(random.plan)) == (value, 1)
            else:
                assert (drawn, len(random.plan)) == (0, 0)  # rejected, drawn again


@pytest.mark.parametrize(
    "bound", [2**62, 2**62 + 1, 2**63 + 1, 2**64 - 1, 2**64, 2**64 + 1, 3**50, 2**128, 2**128 + 1, 7**900]
)
def test_large_bounds_take_as_many_words_as_they_need_and_reject_from_the_bound_on(bound: int) -> None:
    bits = (bound - 1).bit_length()
    count = -(-bits // 64)

    def words_of(value: int) -> list[int]:
        whole = value << (64 * count - bits)
        return [whole >> (64 * (count - 1 - i)) & TOP for i in range(count)]

    for value in (0, 1, bound // 3, bound - 2, bound - 1):
        random = Planned(*words_of(value))
        assert choice._below(bound, random) == value
        assert random.plan == []
    for value in {bound, 2**bits - 1} - {bound - 1, 2**bits}:
        random = Planned(*words_of(value), *words_of(bound - 1))
        assert choice._below(bound, random) == bound - 1
        assert random.plan == []


def test_something_happens_for_as_many_words_as_it_should() -> None:
    for denominator in range(1, 17):
        bits = (denominator - 1).bit_length()
        for numerator in range(denominator + 1):
            words = [value << (64 - bits) & TOP for value in range(denominator)]
            seen = sum(choice._happens(numerator, denominator, Planned(word)) for word in words)
            assert seen == numerator


FRACTIONS = [
    Fraction(0),
    Fraction(1, 3),
    Fraction(0.1),
    Fraction(1),
    Fraction(1 + 2**-52),
    Fraction(7, 5),
    Fraction(2),
    Fraction(29, 4),
    Fraction(1, 2**1074),
    Fraction(2**200 + 1, 2**201),
    Fraction(20) + Fraction(5e-324),
]


@pytest.mark.parametrize("x", [x for x in FRACTIONS if x <= 1], ids=float)
def test_a_coin_up_to_one_by_all_its_tosses(x: Fraction, monkeypatch: pytest.MonkeyPatch) -> None:
    def flip() -> bool:
        return choice._happens_exp_of_fraction(x.numerator, x.denominator, InOrder())

    found, left_out = walked(flip, monkeypatch, "_happens", ratio, cut=1e-45)
    assert left_out < EXACT
    assert abs(found[1] - exp_minus(x)) < EXACT
    if x == 0:
        assert found == {1: 1}


@pytest.mark.parametrize("x", FRACTIONS, ids=float)
def test_a_coin_of_exp_minus_x_by_all_its_coins_up_to_one(
    x: Fraction, monkeypatch: pytest.MonkeyPatch
) -> None:
    def chance(numerator: int, denominator: int) -> Any:
        assert 0 <= numerator <= denominator
        return exp_minus(Fraction(numerator, denominator))

    def flip() -> bool:
        return choice._happens_exp(x, InOrder())

    found, _ = walked(flip, monkeypatch, "_happens_exp_of_fraction", chance)
    assert abs(found[1] - exp_minus(x)) < EXACT


@pytest.mark.parametrize("whole", [10**3, 10**9, 2**64, 10**100])
def test_a_hopeless_coin_is_given_up_at_once(whole: int) -> None:
    """On average after 1.6 rounds of 1.6 tosses and more: 400 of them need no 10 000 tosses of 2 words at most."""
    counted = 0

    class Counting(SecureRandom):
        def words(self, count: int) -> Words:
            nonlocal counted
            counted += 1
            assert counted < 10_000
            return super().words(count)

    random = Counting.for_tests(1)
    assert not any(choice._happens_exp(Fraction(whole) + Fraction(1, 3), random) for _ in range(400))


# --- the law

EQUAL = [[5], [0, 0], [-3, -3, -3], [7, 7, 7, 7]]
LISTS = [[0, 1], [1, 0], [0, 3, 1], [4, 4, 1], [2, 5, 5], [-9, -8, -7], [0, 1, 2, 3], [6, 0, 6, 5]]


@pytest.mark.parametrize("utilities", [*EQUAL, *LISTS, [0, 1, 1, 2, 3], [9, 0, 4, 4, 8, 9]], ids=str)
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 20.0])
def test_both_oracles_have_the_same_law(utilities: list[int], epsilon: float) -> None:
    rate = rate_of(epsilon, 1)
    one, other = law(utilities, rate=rate), law_by_orders(utilities, rate=rate)
    assert all(abs(a - b) < EXACT for a, b in zip(one, other, strict=True))
    assert abs(sum(one) - 1) < EXACT


@pytest.mark.parametrize("utilities", [*EQUAL, *LISTS], ids=str)
@pytest.mark.parametrize(
    ("epsilon", "sensitivity"), [(1.0, 1), (0.1, 1), (0.6, 3), (8.0, 1), (1.0, 10**12), (1.0, 3**99)]
)
def test_every_order_and_every_coin_together_have_the_stated_law(
    utilities: list[int], epsilon: float, sensitivity: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    found, _ = code_law(utilities, sensitivity=sensitivity, epsilon=epsilon, monkeypatch=monkeypatch)
    exact = law_by_orders(utilities, rate=rate_of(epsilon, sensitivity))
    assert all(abs(own - p) < EXACT for own, p in zip(found, exact, strict=True))


@pytest.mark.parametrize("utilities", [[0, 1], [1, 0, 1], [0, 3, 1]], ids=str)
def test_every_order_and_every_single_toss_together_have_it_too(
    utilities: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    found, left_out = code_law(utilities, sensitivity=1, epsilon=1.0, monkeypatch=monkeypatch, deep=True)
    assert left_out < 1e-5
    exact = law_by_orders(utilities, rate=rate_of(1.0, 1))
    assert all(abs(own - p) <= left_out + EXACT for own, p in zip(found, exact, strict=True))


def test_control_the_walk_tells_a_wrong_scale_from_the_right_one(monkeypatch: pytest.MonkeyPatch) -> None:
    found, _ = code_law([0, 2, 3], sensitivity=1, epsilon=1.0, monkeypatch=monkeypatch)
    for factor in (Fraction(1001, 1000), Fraction(999, 1000)):
        wrong = law_by_orders([0, 2, 3], rate=rate_of(1.0, 1) * factor)
        assert max(abs(own - p) for own, p in zip(found, wrong, strict=True)) > 1e-5


def test_epsilon_is_the_fraction_of_its_float_and_not_a_rounded_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """All denominators of the tosses are multiples of that of ε·gap/(2Δ), which is 2⁵⁵·2·3 for 0.1 and Δ = 3."""
    seen = set()

    def toss(numerator: int, denominator: int, random: object) -> bool:  # noqa: ARG001
        seen.add(Fraction(numerator, denominator))
        return False

    monkeypatch.setattr(choice, "_happens", toss)
    private_choice([0, 1], sensitivity=3, epsilon=0.1, random=InOrder([0, 1]))
    assert seen == {Fraction(0.1) / 6}
    assert Fraction(0.1) != Fraction(1, 10)


def test_a_choice_by_hand_word_by_word() -> None:
    """Keys 2, 3, 1: the third comes first. Gap 1 at ε = 1: x = ½, tosses of 1/2, 1/4, 1/6, …"""
    half = 2**63
    # third: 1/2 does not happen at once, so the number of rounds is 1, odd: taken.
    assert private_choice([0, 1, 0], sensitivity=1, epsilon=1.0, random=Planned(2, 3, 1, half)) == 2
    # third: 1/2 happens, 1/4 does not: 2 rounds, not taken; then the first: 1/2, 1/4, not 1/6 (words 6 and 7 rejected): taken.
    words = [0, 2**62, 0, 0, 6 << 61, 7 << 61, 1 << 61]
    assert private_choice([0, 1, 0], sensitivity=1, epsilon=1.0, random=Planned(2, 3, 1, *words)) == 0
    # both are passed over: the best is taken for certain, and needs no word.
    words = [0, 2**62, 0, 2**62]
    assert private_choice([0, 1, 0], sensitivity=1, epsilon=1.0, random=Planned(2, 3, 1, *words)) == 1


# --- the guarantee

EPSILON = 0.75
GRID = list(itertools.product(range(4), repeat=3))
MOVES = list(itertools.product((-1, 0, 1), repeat=3))


def largest_ratio(rate: Fraction, *, sensitivity: int = 1) -> Any:
    """Of the probabilities of one candidate on neighbouring utilities, over the grid and all moves."""
    laws = {
        u: law(u, rate=rate)
        for u in {tuple(a + sensitivity * b for a, b in zip(u, m, strict=True)) for u in GRID for m in MOVES}
        | set(GRID)
    }
    return max(
        a / b
        for u in GRID
        for m in MOVES
        for a, b in zip(
            laws[u], laws[tuple(a + sensitivity * b for a, b in zip(u, m, strict=True))], strict=True
        )
    )


@pytest.mark.parametrize("sensitivity", [1, 2])
def test_no_neighbour_changes_a_probability_by_more_than_e_to_the_epsilon(sensitivity: int) -> None:
    """And one does by just that: 0 against 1 becomes 1 against 0 of two that matter, so nothing is wasted."""
    most = largest_ratio(rate_of(EPSILON, sensitivity), sensitivity=sensitivity)
    assert most <= _mp.exp(EPSILON) * (1 + EXACT)
    assert most > _mp.exp(EPSILON) * 0.9


def test_two_candidates_far_apart_attain_the_bound() -> None:
    one, other = (law([0, gap], rate=rate_of(EPSILON, 1))[0] for gap in (4, 6))
    assert abs(one / other - _mp.exp(EPSILON)) < EXACT


def test_control_without_the_factor_two_the_bound_is_broken() -> None:
    assert largest_ratio(2 * rate_of(EPSILON, 1)) > _mp.exp(EPSILON) * 1.5


def test_neighbours_by_the_code_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = [([0, 4], [1, 3]), ([1, 0, 1], [0, 1, 0]), ([2, 1, 0], [1, 2, 1]), ([3, 3, 0], [2, 2, 1])]
    for pair in pairs:
        one, other = (code_law(u, sensitivity=1, epsilon=EPSILON, monkeypatch=monkeypatch)[0] for u in pair)
        for a, b in zip(one, other, strict=True):
            assert max(a / b, b / a) <= _mp.exp(EPSILON) * (1 + EXACT)


@pytest.mark.parametrize("utilities", [*LISTS, [0, *[-1] * 9], [0, *[-5] * 30]], ids=str)
@pytest.mark.parametrize("epsilon", [0.2, 1.0, 5.0])
def test_the_error_keeps_its_stated_bounds_and_is_not_above_the_exponential_mechanisms(
    utilities: list[int], epsilon: float
) -> None:
    rate = rate_of(epsilon, 1)
    best, m = max(utilities), len(utilities)
    exact = law(utilities, rate=rate)
    weights = acceptance(utilities, rate=rate)
    mean = sum(p * (best - u) for u, p in zip(utilities, exact, strict=True))
    assert mean <= sum(_mp.mpf(1) / i for i in range(1, m)) * rate.denominator / rate.numerator
    for gap in {best - u for u in utilities} - {0}:
        beyond = sum(p for u, p in zip(utilities, exact, strict=True) if best - u >= gap)
        assert beyond <= (m - 1) * _mp.exp(-_mp.mpf(rate.numerator) / rate.denominator * gap)
    by_weights = sum(w * (best - u) for u, w in zip(utilities, weights, strict=True)) / sum(weights)
    assert mean <= by_weights * (1 + _mp.mpf(10) ** -30)


# --- what it takes


def test_one_candidate_is_chosen() -> None:
    assert private_choice([-7], sensitivity=1, epsilon=1e-9, random=InOrder([0])) == 0


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))), ids=str)
def test_of_equals_the_first_to_come_is_chosen_without_any_toss(order: tuple[int, ...]) -> None:
    assert private_choice([4, 4, 4], sensitivity=1, epsilon=1.0, random=InOrder(order)) == order[0]


def test_the_order_is_that_of_the_generator() -> None:
    random = SecureRandom.for_tests(3)
    seen = {private_choice([1] * 5, sensitivity=1, epsilon=1.0, random=random) for _ in range(500)}
    assert seen == set(range(5))  # each is missing with probability 0.8^500 = 3e-49


@pytest.mark.parametrize("gap", [10**9, 2**63, 10**40, 10**400])
def test_across_huge_gaps_the_best_is_chosen_and_soon(gap: int) -> None:
    random = SecureRandom.for_tests(4)
    for epsilon in (1e-3, 1.0, 1e300):
        for utilities in ([0, gap, 0], [-gap, 0, -gap - 1], [gap - 10**6, gap, 0]):
            for _ in range(20):
                assert private_choice(utilities, sensitivity=1, epsilon=epsilon, random=random) == 1


def test_at_the_ends_of_64_bits_nothing_wraps() -> None:
    ends = np.array([np.iinfo(np.int64).min, np.iinfo(np.int64).max, 0])
    random = SecureRandom.for_tests(5)
    assert {private_choice(ends, sensitivity=1, epsilon=1.0, random=random) for _ in range(50)} == {1}
    unsigned = np.array([0, 2**64 - 1], dtype=np.uint64)
    assert {private_choice(unsigned, sensitivity=1, epsilon=1.0, random=random) for _ in range(50)} == {1}


def test_only_differences_count_and_only_relative_to_the_sensitivity() -> None:
    def many(utilities: Sequence[int], sensitivity: int) -> list[int]:
        random = SecureRandom.for_tests(6)
        return [
            private_choice(utilities, sensitivity=sensitivity, epsilon=1.0, random=random) for _ in range(50)
        ]

    plain = many([0, 3, 4], 1)
    assert len(set(plain)) == 3
    assert many([10**50, 10**50 + 3, 10**50 + 4], 1) == plain
    assert many([0, 3 * 7**99, 4 * 7**99], 7**99) == plain
    assert many(np.array([-4, -1, 0]), 1) == plain


@pytest.mark.parametrize("epsilon", [5e-324, 1e-300, math.pi, 1.7976931348623157e308])
@pytest.mark.parametrize("sensitivity", [1, 3**200])
def test_denominators_of_any_size(epsilon: float, sensitivity: int) -> None:
    random = SecureRandom.for_tests(7)
    utilities = [0, sensitivity, 2 * sensitivity]
    seen = [
        private_choice(utilities, sensitivity=sensitivity, epsilon=epsilon, random=random) for _ in range(40)
    ]
    if epsilon > 1e300:
        assert set(seen) == {2}
    elif epsilon < 1e-200:
        assert set(seen) == {0, 1, 2}  # one is missing with probability 3·(2/3)^40 = 3e-7


@given(
    st.lists(st.integers(-(2**80), 2**80), min_size=1, max_size=8),
    st.integers(1, 2**80),
    st.floats(1e-9, 1e9),
    st.integers(0, 2**32),
)
def test_the_number_of_a_candidate_is_a_plain_int(
    utilities: list[int], sensitivity: int, epsilon: float, seed: int
) -> None:
    random = SecureRandom.for_tests(seed)
    number = private_choice(utilities, sensitivity=sensitivity, epsilon=epsilon, random=random)
    assert type(number) is int
    assert 0 <= number < len(utilities)


def test_a_seed_repeats_the_choice_and_the_list_is_left_as_it_was() -> None:
    utilities = np.arange(12)
    first, second = (
        [private_choice(utilities, sensitivity=2, epsilon=0.3, random=random) for _ in range(20)]
        for random in (SecureRandom.for_tests(8), SecureRandom.for_tests(8))
    )
    assert first == second
    assert utilities.tolist() == list(range(12))


@pytest.mark.parametrize("utilities", [[], (), np.array([], dtype=np.int64)], ids=repr)
def test_without_candidates_there_is_nothing_to_choose(utilities: Any) -> None:
    with bad_argument(ValueError, "utilities"):
        private_choice(utilities, sensitivity=1, epsilon=1.0, random=InOrder())


@pytest.mark.parametrize(
    "utilities",
    [
        [1.0, 2.0],
        [1, 271828.5],
        np.array([0.5]),
        ["271828"],
        [None],
        [[1, 2]],
        np.zeros((2, 2), np.int64),
        3,
        np.array(3),
        [math.nan],
        [Fraction(3)],
    ],
    ids=repr,
)
def test_utilities_are_integers_and_no_message_quotes_one(utilities: Any) -> None:
    with bad_argument(TypeError, "utilities") as raised:
        private_choice(utilities, sensitivity=1, epsilon=1.0, random=InOrder())
    text = str(raised.value)
    assert not figures(text)
    assert not {"nan", "None", "Fraction"} & set(re.findall(r"\w+", text))
    assert raised.value.__suppress_context__


@pytest.mark.parametrize("sensitivity", [0, -1, -(10**30)])
def test_a_sensitivity_is_positive(sensitivity: int) -> None:
    with bad_argument(ValueError, f"sensitivity={sensitivity}"):
        private_choice([1, 2], sensitivity=sensitivity, epsilon=1.0, random=InOrder())


@pytest.mark.parametrize("sensitivity", [1.0, 0.5, "1", None, Fraction(1, 2)])
def test_a_sensitivity_is_an_integer(sensitivity: Any) -> None:
    with pytest.raises(TypeError, match="integer"):
        private_choice([1, 2], sensitivity=sensitivity, epsilon=1.0, random=InOrder())


@pytest.mark.parametrize("epsilon", [0.0, -1.0, math.inf, -math.inf, math.nan, 0])
def test_an_epsilon_is_positive_and_finite(epsilon: float) -> None:
    with bad_argument(ValueError, f"epsilon={epsilon}"):
        private_choice([1, 2], sensitivity=1, epsilon=epsilon, random=InOrder())
