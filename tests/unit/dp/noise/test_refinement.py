"""The multi-precision decision, executed: words that land on a boundary, and an oracle of its own.

A word of the source is t·2 + sign. The sample's magnitude is max{j : u ≤ tail(j)}, where the infinitely many
bits of u begin with those of t. The oracle below knows the tails to 2⁻⁶⁰⁰ by formulas other than the
library's (a series instead of erfc, integer powers instead of exp) and decides in integers.
"""

from __future__ import annotations

import math
import os
import random as standard_random
import signal
import threading
import warnings
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import MPContext
from scipy.special import ndtri

from synthrelease.dp.noise import discrete_laplace, refinement, rounded, rounded_gaussian
from synthrelease.dp.noise.refinement import gaussian_tail, laplace_tail, resolve

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

TOP = 2**64 - 1
SCALES = [0.3, 1.0, 17.5, 1e3, 1e5]

_PRECISION = 800
_mp = MPContext()
_mp.prec = _PRECISION


class Planned:
    """A source whose words are written down beforehand; it fails when they run out."""

    def __init__(self, *plan: int) -> None:
        self.plan = list(plan)
        self.asked: list[int] = []

    def words(self, count: int) -> NDArray[np.uint64]:
        assert count <= len(self.plan), f"{count} words asked for, {len(self.plan)} left"
        self.asked.append(count)
        taken, self.plan = self.plan[:count], self.plan[count:]
        return np.array(taken, dtype=np.uint64)


# --- the oracle


@cache
def gaussian_upper(scale: float, j: int) -> Any:
    """P(N(0, 1) ≥ (j − ½)/σ) = ½ − φ(x)·Σ x^(2n+1)/(2n+1)!!, all terms positive."""
    x = (_mp.mpf(j) - _mp.mpf("0.5")) / _mp.mpf(scale)
    if x > 40:
        return _mp.mpf(0)  # below 2⁻¹¹⁰⁰, and nothing here compares with less than 2⁻⁵⁰⁰
    term = total = int(_mp.floor(_mp.ldexp(x, _PRECISION)))  # fixed point: four times as fast
    square, odd = int(_mp.floor(_mp.ldexp(x * x, _PRECISION))), 1
    while term:
        odd += 2
        term = (term * square >> _PRECISION) // odd
        total += term
    return _mp.mpf("0.5") - _mp.exp(-x * x / 2) / _mp.sqrt(2 * _mp.pi) * _mp.ldexp(total, -_PRECISION)


@cache
def laplace_upper(scale: float, j: int) -> Any:
    """Sum over |k| ≥ j of the probabilities (1 − q)/(1 + q)·q^|k|."""
    q = _mp.exp(-1 / _mp.mpf(scale))
    return 2 * _mp.power(q, j) * (1 - q) / (1 + q) / (1 - q)


@dataclass(frozen=True)
class Law:
    """One sampler with what is needed to judge it; u = t·2^-bits."""

    sample: Callable[..., NDArray[np.int64]]
    tail: Callable[[float], Callable[[int, int], Any]]
    upper: Callable[[float, int], Any]
    bits: int

    def boundary(self, scale: float, j: int, words: int) -> list[int]:
        """Digits of tail(j): the t it lies in, then `words` 64-bit words that lead ever closer to it."""
        digits = int(_mp.floor(_mp.ldexp(self.upper(scale, j), self.bits + 64 * words)))
        following = [digits >> 64 * place & TOP for place in reversed(range(words))]
        return [digits >> 64 * words, *following]

    def is_right(self, scale: float, u: int, bits: int, magnitude: int) -> bool:
        """Whether all of [u, u + 1]·2^-bits has this magnitude."""
        not_beyond = u >= _mp.ldexp(self.upper(scale, magnitude + 1), bits)
        return not_beyond and (magnitude == 0 or u + 1 <= _mp.ldexp(self.upper(scale, magnitude), bits))

    def magnitude(self, scale: float, u: int, bits: int) -> int | None:
        """The one magnitude of [u, u + 1]·2^-bits by bisection from scratch; None if there are several."""

        def largest(point: int) -> int:
            low, high = 0, int(64 * scale) + 64 if bits < 70 else int(512 * scale) + 512
            while high - low > 1:
                middle = (low + high) // 2
                if point <= _mp.ldexp(self.upper(scale, middle), bits):
                    low = middle
                else:
                    high = middle
            return low

        least, most = largest(u + 1), largest(u)
        return least if least == most else None

    def some_boundaries(self, scale: float, least: float) -> list[int]:
        """Magnitudes j ≥ 1 whose tail is near 0.49, 0.3, 0.1, … down to `least`."""
        found = {1}
        for probability in (0.49, 0.3, 0.1, 1e-2, 1e-3, 1e-6, 1e-10, 1e-14, 2.0**-58):
            if probability >= least:
                j = self.magnitude(scale, int(probability * 2**256), 256)
                found |= {max(1, j or 1), (j or 0) + 1}
        return sorted(j for j in found if self.upper(scale, j) > _mp.ldexp(1, 2 - self.bits))

    def draw(self, scale: float, *plan: int) -> int:
        """Draw one sample from this plan, which must be used up."""
        source = Planned(*plan)
        drawn = self.sample(scale, 1, random=source)
        assert source.plan == [], f"{len(source.plan)} words of the plan were not needed"
        return int(drawn[0])


GAUSSIAN = Law(rounded_gaussian, gaussian_tail, gaussian_upper, 64)
LAPLACE = Law(discrete_laplace, laplace_tail, laplace_upper, 63)
laws = pytest.mark.parametrize("law", [GAUSSIAN, LAPLACE], ids=["gaussian", "laplace"])
scales = pytest.mark.parametrize("scale", SCALES)


def test_the_oracle_agrees_with_the_textbook() -> None:
    for scale in (0.05, *SCALES):
        for multiple in (0.1, 0.5, 1, 2, 3, 5, 8, 12):
            j = max(1, round(multiple * scale))
            x = (_mp.mpf(j) - 0.5) / _mp.mpf(scale)
            assert abs(gaussian_upper(scale, j) - _mp.erfc(x / _mp.sqrt(2)) / 2) < _mp.ldexp(1, -600)
    # P(|k| ≥ j) + Σ_{|k| < j} P(k) = 1
    for scale, j in ((0.3, 1), (0.3, 4), (1.0, 7), (17.5, 100)):
        q = _mp.exp(-1 / _mp.mpf(scale))
        inside = (1 - q) / (1 + q) * (1 + 2 * sum(q**k for k in range(1, j)))
        assert abs(laplace_upper(scale, j) + inside - 1) < _mp.ldexp(1, -600)


@laws
def test_the_oracle_finds_what_it_accepts_and_refuses_its_neighbours(law: Law) -> None:
    words = standard_random.Random(0)
    for scale in SCALES:
        for u in (words.getrandbits(law.bits - 1) for _ in range(10)):
            found = law.magnitude(scale, u, law.bits)
            assert found is not None
            assert law.is_right(scale, u, law.bits, found)
            assert not law.is_right(scale, u, law.bits, found + 1)
            assert found == 0 or not law.is_right(scale, u, law.bits, found - 1)
        t = law.boundary(scale, 1, 1)[0]
        assert law.magnitude(scale, t, law.bits) is None
        assert not law.is_right(scale, t, law.bits, 0)
        assert not law.is_right(scale, t, law.bits, 1)


# --- the tails


@laws
@scales
@pytest.mark.parametrize("bits", [128, 192, 512])
def test_the_tails_are_as_precise_as_the_decision_assumes(law: Law, scale: float, bits: int) -> None:
    tail = law.tail(scale)
    for j in law.some_boundaries(scale, 0.0):
        exact = law.upper(scale, j)
        error = _mp.mpf(tail(j, bits)) / exact - 1
        assert abs(error) < _mp.ldexp(1, 14 - bits)  # the decision allows 2^(16 − bits)


@laws
@scales
def test_the_tails_decrease(law: Law, scale: float) -> None:
    tail = law.tail(scale)
    for j in law.some_boundaries(scale, 0.0):
        assert tail(j, 192) > tail(j + 1, 192) > 0


# --- one boundary, both outcomes


@laws
@scales
def test_on_a_boundary_the_appended_word_decides(law: Law, scale: float) -> None:
    js = law.some_boundaries(scale, 0.0)
    assert js
    for j in js:
        t, word = law.boundary(scale, j, 1)
        for sign in (0, 1):
            first = t << 1 | sign
            beyond, short = law.draw(scale, first, word - 1), law.draw(scale, first, word + 1)
            assert (beyond, short) == ((-j, 1 - j) if sign else (j, j - 1))


@laws
@scales
def test_on_a_boundary_every_appended_word_leads_where_the_oracle_says(law: Law, scale: float) -> None:
    words = standard_random.Random(1)
    for j in law.some_boundaries(scale, 1e-14):
        t, word = law.boundary(scale, j, 1)
        assert law.magnitude(scale, t, law.bits) is None
        seen = set()
        ends = [0, 1, word // 2, word - 2, word + 2, (word + TOP) // 2, TOP - 1, TOP]
        for appended in ends + [words.getrandbits(64) for _ in range(4)]:
            expected = law.magnitude(scale, t << 64 | appended, law.bits + 64)
            assert expected is not None
            assert law.draw(scale, t << 1, appended) == expected
            assert law.draw(scale, t << 1 | 1, appended) == -expected
            seen.add(expected)
        assert {j - 1, j} <= seen


@laws
@scales
@pytest.mark.parametrize("refinements", [2, 3, 5])
def test_appended_words_that_straddle_again_are_refined_again(
    law: Law, scale: float, refinements: int
) -> None:
    for j in law.some_boundaries(scale, 1e-10):
        t, *words, last = law.boundary(scale, j, refinements)
        assert len(words) == refinements - 1
        for sign in (0, 1):
            first = t << 1 | sign
            beyond = law.draw(scale, first, *words, last - 1)
            short = law.draw(scale, first, *words, last + 1)
            assert (beyond, short) == ((-j, 1 - j) if sign else (j, j - 1))
        u, bits = t, law.bits
        for word in words:
            u, bits = u << 64 | word, bits + 64
            assert law.magnitude(scale, u, bits) is None


@laws
@scales
def test_the_bits_already_drawn_are_kept(law: Law, scale: float) -> None:
    """A sample of zero appended bits is that of u = t·2^-bits itself, not of new bits."""
    for j in law.some_boundaries(scale, 1e-10):
        t = law.boundary(scale, j, 0)[0]
        assert law.draw(scale, t << 1, 0) == j  # u = t·2^-bits is the side of the boundary farther out
        assert law.draw(scale, t << 1, TOP) == j - 1


# --- the extreme tail


@laws
@scales
def test_below_the_last_bit_the_appended_words_decide(law: Law, scale: float) -> None:
    appended = [2**63, 2**63 - 2**55, 2**63 + 2**55]
    if scale < 100:  # far from the guess the search goes step by step
        appended += [1, 2, 2**20, TOP]
    for word in appended:
        expected = law.magnitude(scale, word, law.bits + 64)
        plan = [word]
        while expected is None:  # t = 0 and so few bits that they straddle as well
            plan.append(2**63 + 12345)
            u = sum(part << 64 * place for place, part in enumerate(reversed(plan)))
            expected = law.magnitude(scale, u, law.bits + 64 * len(plan))
        assert law.draw(scale, 0, *plan) == expected
        assert law.draw(scale, 1, *plan) == -expected


@laws
@pytest.mark.parametrize("scale", [0.3, 1.0, 17.5])
def test_zero_words_in_a_row_are_refined_until_there_is_a_bit(law: Law, scale: float) -> None:
    for zeros in (1, 2, 3):
        bits = law.bits + 64 * (zeros + 1)
        word = 2**63 + 3
        expected = law.magnitude(scale, word, bits)
        assert expected is not None
        assert law.draw(scale, 0, *[0] * zeros, word) == expected
        assert expected > (9 if law is GAUSSIAN else 40) * scale


@laws
@pytest.mark.parametrize("scale", [1e-6, 0.01, 0.05, 0.1])
def test_a_tiny_scale_reaches_one_only_where_it_may(law: Law, scale: float) -> None:
    assert law.draw(scale, TOP) == 0
    word = 2**50
    expected = law.magnitude(scale, word, law.bits + 64)
    assert law.draw(scale, 0, word) == expected


@laws
@pytest.mark.parametrize("t", [1, 2, 3, 5, 100, 10**6, 10**9])
@pytest.mark.parametrize("where", [1e-6, 0.25, 0.75, 1 - 1e-6])
def test_a_boundary_anywhere_in_a_wide_bracket_is_found(law: Law, t: int, where: float) -> None:
    """In the extreme tail the bracket of one word is far wider than the error of the functions.

    The scale is chosen so that the boundary of j lies at the given fraction of the bracket [t, t + 1].
    """
    u = _mp.ldexp(t + _mp.mpf(where), -law.bits)
    j = 3
    if law is GAUSSIAN:
        x = -_mp.mpf(float(ndtri(float(u))))
        for _ in range(6):  # Newton, from 1e-15 to full precision
            density = _mp.exp(-x * x / 2) / _mp.sqrt(2 * _mp.pi)
            x += (_mp.erfc(x / _mp.sqrt(2)) / 2 - u) / density
        scale = float((j - _mp.mpf("0.5")) / x)
    else:
        scale = float(-j / _mp.log(u))
        for _ in range(60):  # the factor 2/(1 + q) depends on the scale as well
            scale = float(j / (_mp.log(2 / (1 + _mp.exp(-1 / _mp.mpf(scale)))) - _mp.log(u)))
    inside, word = law.boundary(scale, j, 1)
    assert inside == t
    assert abs(word / 2**64 - where) < 1e-4
    assert law.draw(scale, t << 1, word - 1) == j
    assert law.draw(scale, t << 1, word + 1) == j - 1
    assert law.draw(scale, t << 1, 0) == j
    assert law.draw(scale, t << 1, TOP) == j - 1


# --- no boundary, no more than one word


@laws
@scales
def test_away_from_boundaries_one_word_makes_one_sample(law: Law, scale: float) -> None:
    words = np.random.default_rng(2).integers(0, 2**64, 20_000, dtype=np.uint64)
    source = Planned(*words.tolist())
    drawn = law.sample(scale, words.size, random=source)
    assert drawn.shape == words.shape
    assert source.plan == []
    assert sum(source.asked) == words.size


@laws
@scales
def test_next_to_a_boundary_no_word_is_appended_and_the_side_is_right(law: Law, scale: float) -> None:
    for j in law.some_boundaries(scale, 1e-10):
        t = law.boundary(scale, j, 0)[0]
        for distance in (1, 2, 3, 10, 1000):
            # tail(j) lies in [t, t + 1]: less u is farther out
            if t - distance > 0:
                outer = law.magnitude(scale, t - distance, law.bits)
                assert law.draw(scale, t - distance << 1) == outer == j
            if t + distance < 2**63:
                inner = law.magnitude(scale, t + distance, law.bits)
                assert law.draw(scale, t + distance << 1) == inner == j - 1


@laws
@pytest.mark.parametrize("refined", [False, True])
def test_samples_keep_their_places_beyond_the_first_block(law: Law, *, refined: bool) -> None:
    scale, count, place = 17.5, 70_000, 40_001
    words = np.random.default_rng(3).integers(0, 2**64, count, dtype=np.uint64)
    t, appended = law.boundary(scale, 5, 1)
    words[place] = t << 1 | 1

    class Blocks:
        """The words in order; what is asked for singly is the appended word."""

        position = 0
        singles = 0

        def words(self, number: int) -> NDArray[np.uint64]:
            if number == 1:
                self.singles += 1
                return np.array([appended - 1 if refined else appended + 1], dtype=np.uint64)
            taken = words[self.position : self.position + number]
            self.position += number
            return taken

    source = Blocks()
    drawn = law.sample(scale, (7, 10_000), random=source).ravel()
    assert (source.position, source.singles) == (count, 1)
    assert drawn[place] == (-5 if refined else -4)
    for other in (0, 1, 32_767, 32_768, place - 1, place + 1, 65_535, 65_536, count - 1):
        assert drawn[other] == law.draw(scale, int(words[other]))


# --- the oracle on thousands of words


def adversarial_words(law: Law, scale: float, words: standard_random.Random) -> list[int]:
    """Numbers t: random ones, extremes, branch points of the inverse, and the neighbourhood of boundaries."""
    half = 2 ** (law.bits - 1) if law is GAUSSIAN else 2**law.bits
    found = [words.getrandbits(63) for _ in range(150)]
    # In the far tail of a huge scale one bracket holds millions of integers, tried one by one: left out.
    found += [words.getrandbits(63) >> words.randrange(48 if scale <= 1e5 else 8) for _ in range(100)]
    if scale <= 1e5:
        found += [words.getrandbits(13) + 2 for _ in range(5)]
    found += [half - 1, half - 2, half - 3, half // 2, half // 4]
    for branch in (math.exp(-2), math.exp(-32) if scale <= 1e5 else 0.25):
        found += [int(branch * 2**law.bits) + step for step in (-5000, -1, 0, 1, 5000)]
    for _ in range(40):
        u = 2.0 ** -words.uniform(1, 24 if scale <= 1e5 else 6)
        j = int(-scale * (ndtri(u) if law is GAUSSIAN else math.log(u)))  # some boundary, whichever
        t = law.boundary(scale, max(j, 1), 0)[0]
        found += [t + step for step in (-4000, -17, -3, -2, -1, 0, 1, 2, 3, 17, 4000)]
    return [t for t in found if 0 < t < 2**63]


@laws
@pytest.mark.parametrize("scale", [0.15, *SCALES, 2.0**31 + 0.7, 2.0**40])
def test_thousands_of_words_against_the_oracle(law: Law, scale: float) -> None:
    words = standard_random.Random(int(scale * 100) + law.bits)
    straddling = 0
    for t in adversarial_words(law, scale, words):
        sign = words.getrandbits(1)
        appended = [words.getrandbits(64) for _ in range(4)]
        source = Planned(t << 1 | sign, *appended)
        drawn = int(law.sample(scale, 1, random=source)[0])
        used = sum(source.asked) - 1
        u, bits = t, law.bits
        # Words are appended as long as they are needed, and no longer.
        for number, word in enumerate([*appended[:used], None]):
            right = law.is_right(scale, u, bits, abs(drawn))
            assert right == (number == used), f"t={t}, {drawn} drawn with {used} appended words"
            if word is not None:
                u, bits = u << 64 | word, bits + 64
        assert drawn == 0 or (drawn < 0) == bool(sign)
        straddling += used > 0
    assert straddling >= 20


@given(
    law=st.sampled_from([GAUSSIAN, LAPLACE]),
    exponent=st.floats(-4, 16),
    multiple=st.floats(0, 4),
    step=st.integers(-3, 3),
    sign=st.integers(0, 1),
    appended=st.integers(0, TOP),
)
def test_any_scale_and_any_boundary_against_the_oracle(
    *, law: Law, exponent: float, multiple: float, step: int, sign: int, appended: int
) -> None:
    scale = 2.0**exponent
    t = law.boundary(scale, max(1, round(multiple * scale)), 0)[0] + step
    if not 0 < t < 2**63:
        return
    source = Planned(t << 1 | sign, appended)
    drawn = int(law.sample(scale, 1, random=source)[0])
    if sum(source.asked) == 1:
        assert law.is_right(scale, t, law.bits, abs(drawn))
    else:
        assert law.magnitude(scale, t, law.bits) is None
        assert law.is_right(scale, t << 64 | appended, law.bits + 64, abs(drawn))
    assert drawn == 0 or (drawn < 0) == bool(sign)


# --- resolve by itself


@laws
@pytest.mark.parametrize("scale", [0.3, 1.0, 17.5, 1e3])
def test_the_guess_changes_neither_the_result_nor_the_words_used(law: Law, scale: float) -> None:
    for j in law.some_boundaries(scale, 1e-6):
        t, word = law.boundary(scale, j, 1)
        for guess in {0 if j < 100 else j - 50, j - 1, j, j + 1, j + 2, j + 50}:
            for appended, expected in ((word - 1, j), (word + 1, j - 1)):
                source = Planned(appended, 99)
                assert resolve(t, law.bits, guess, law.tail(scale), source) == expected
                assert source.plan == [99]
            source = Planned(99)
            assert resolve(t - 1, law.bits, guess, law.tail(scale), source) == j
            assert source.plan == [99]


@laws
def test_a_bracket_is_beyond_a_boundary_or_short_of_it_or_neither(law: Law) -> None:
    tail = law.tail(17.5)
    for j in (1, 2, 10, 40):
        t = law.boundary(17.5, j, 0)[0]
        assert refinement._at_least(j, t - 1, law.bits, tail) is True
        assert refinement._at_least(j, t, law.bits, tail) is None
        assert refinement._at_least(j, t + 1, law.bits, tail) is False


@pytest.mark.parametrize(
    ("offset", "below", "above"),
    [
        (0.0, None, None),
        (2.0**-70, None, None),  # closer than 3·2⁶⁰·2^(64 − 192), the error allowed for the tail
        (-(2.0**-70), None, None),
        (2.0**-40, True, None),
        (-(2.0**-40), None, False),
    ],
)
def test_a_boundary_nearer_to_an_end_than_the_tail_is_known_is_undecided(
    *, offset: float, below: bool | None, above: bool | None
) -> None:
    """The boundary lies `offset` above t: in the bracket above t, or in the one below, or too near to tell."""
    mp = refinement._context()
    t = 3 * 2**60

    def tail(_: int, bits: int) -> Any:
        with mp.workprec(bits):
            return mp.ldexp(mp.mpf(t) + offset, -64)

    assert refinement._at_least(1, t - 1, 64, tail) is below
    assert refinement._at_least(1, t, 64, tail) is above


@laws
def test_the_decision_leaves_the_precision_of_mpmath_alone(law: Law) -> None:
    import mpmath

    before = mpmath.mp.prec
    t, *words = law.boundary(1.0, 1, 3)
    law.draw(1.0, t << 1, *words[:-1], words[-1] + 1)
    assert mpmath.mp.prec == before


def test_two_threads_that_refine_at_once_do_not_spoil_each_others_precision() -> None:
    """Thread B computes its tail after thread A, which began earlier, has set the old precision again."""
    scale, j = 1000.0, 1500
    t, word = GAUSSIAN.boundary(scale, j, 1)
    for distance, expected in ((-6, j), (6, j - 1)):  # a few units of 2⁻¹²⁸ from the boundary, on either side
        assert refine_beside_another_thread(scale, (t << 64 | word) + distance, j - 1) == expected


def refine_beside_another_thread(scale: float, u: int, guess: int) -> int:
    refinement._context().prec = 53
    began = {"a": threading.Event(), "b": threading.Event()}
    a_ended = threading.Event()
    found: list[int] = []

    def slow_tail(own: str, await_this: threading.Event) -> Callable[[int, int], Any]:
        def tail(j: int, bits: int) -> Any:
            mp = refinement._context()
            with mp.workprec(bits):
                began[own].set()
                await_this.wait(0.1)  # in vain where decisions exclude each other, which is right as well
                return mp.erfc((mp.mpf(j) - 0.5) / (mp.mpf(scale) * mp.sqrt(2))) / 2

        return tail

    def a() -> None:
        resolve(2**62, 64, 674, slow_tail("a", began["b"]), Planned())
        a_ended.set()

    def b() -> None:
        began["a"].wait()
        found.append(resolve(u, 128, guess, slow_tail("b", a_ended), Planned()))

    threads = [threading.Thread(target=work) for work in (a, b)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found[0]


def test_a_fork_during_another_threads_decision_does_not_stop_the_child() -> None:
    begun, forked = threading.Event(), threading.Event()
    exact = gaussian_tail(17.5)

    def slow_tail(j: int, bits: int) -> Any:
        begun.set()
        forked.wait(10)
        return exact(j, bits)

    thread = threading.Thread(target=lambda: resolve(2**62, 64, 12, slow_tail, Planned()))
    thread.start()
    begun.wait()
    t, word = GAUSSIAN.boundary(17.5, 5, 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # a fork beside threads: that is the test
        child = os.fork()
    if child == 0:
        status = 1
        try:
            signal.alarm(5)  # a child that waits for the lock is killed
            status = int(GAUSSIAN.draw(17.5, t << 1, word - 1) != 5)
        finally:
            os._exit(status)
    forked.set()
    thread.join()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_the_samplers_call_the_decision_only_where_it_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A million words at σ = 1: the float bracket decides all but some 1e-6 of them."""
    calls = []
    monkeypatch.setattr(rounded, "resolve", lambda t, bits, guess, *_: calls.append((t, bits)) or guess)
    words = np.random.default_rng(4).integers(0, 2**64, 1_000_000, dtype=np.uint64)

    class Fixed:
        position = 0

        def words(self, count: int) -> NDArray[np.uint64]:
            self.position += count
            return words[self.position - count : self.position]

    for law in (GAUSSIAN, LAPLACE):
        law.sample(1.0, words.size, random=Fixed())
    assert len(calls) <= 1
