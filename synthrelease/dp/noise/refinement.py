"""The multi-precision decision behind a certified inversion: which integer do more random bits lead to?"""

from __future__ import annotations

import os
import threading
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from synthrelease.dp.noise.entropy import WordSource

    # (j, bits) -> the upper-tail probability P(|noise| ≥ j) for j ≥ 1, computed with so many bits
    Tail = Callable[[int, int], Any]

_GUARD_BITS = 64  # kept once for deciding, and once for what the functions lose: log₂ of 2x², x below 10⁷
_lock = threading.Lock()  # threads share the context, which keeps its working precision


def _forked() -> None:
    global _lock  # noqa: PLW0603  the parent's may have been held, by a thread that does not exist here
    _lock = threading.Lock()
    _context.cache_clear()


if hasattr(os, "register_at_fork"):  # a system without it has no forks
    os.register_at_fork(after_in_child=_forked)


def resolve(t: int, bits: int, guess: int, tail: Tail, random: WordSource) -> int:
    """Return the magnitude max{j : u ≤ tail(j)} for u = t·2^-bits plus random bits still to be drawn.

    Bits are appended, 64 at a time, until the whole bracket [t, t+1]·2^-bits lies between two neighbouring
    tails. The bits that are there are kept: only so is the result distributed as intended.

    Args:
        t: the bits of u drawn so far, as an integer.
        bits: how many they are.
        guess: where to begin to look, any integer ≥ 0.
        tail: decreasing tail probabilities, tail(0) = ∞.
        random: source of the bits to append.
    """
    with _lock:
        return _resolve(t, bits, guess, tail, random)


def reaches(j: int, t: int, bits: int, tail: Tail, random: WordSource) -> bool:
    """Return whether the magnitude is at least j, that is, u ≤ tail(j), where nothing else is in doubt; as `resolve`.

    Args:
        j: the boundary.
        t: the bits of u drawn so far, as an integer.
        bits: how many they are.
        tail: decreasing tail probabilities.
        random: source of the bits to append.
    """
    with _lock:
        while (decided := j <= 0 or _at_least(j, t, bits, tail)) is None:
            t = (t << 64) | int(random.words(1)[0])
            bits += 64
        return decided


def _resolve(t: int, bits: int, guess: int, tail: Tail, random: WordSource) -> int:
    while True:

        @cache
        def reached(j: int, t: int = t, bits: int = bits) -> bool | None:
            return j <= 0 or _at_least(j, t, bits, tail)

        guess = _last_reached(reached, guess)
        if reached(guess + 1) is False:
            return guess
        t = (t << 64) | int(random.words(1)[0])
        bits += 64


def _last_reached(reached: Callable[[int], bool | None], guess: int) -> int:
    """Return the largest j that is surely reached, by steps that double and then halve."""
    step = 1
    if reached(guess):
        low = guess
        while reached(low + step):
            low, step = low + step, 2 * step
        high = low + step
    else:
        high = guess
        while not reached(high - step):
            high, step = high - step, 2 * step
        low = max(high - step, 0)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if reached(middle) else (low, middle)
    return low


def _at_least(j: int, t: int, bits: int, tail: Tail) -> bool | None:
    """Whether u ≤ tail(j) for every u of the bracket (True), for none (False), or undecided (None)."""
    mp = _context()
    precision = bits + 2 * _GUARD_BITS
    boundary = tail(j, precision)
    with mp.workprec(precision):
        scaled = mp.ldexp(boundary, bits)
        error = mp.ldexp(scaled, _GUARD_BITS - precision)
        if t + 1 <= scaled - error:
            return True
        if t >= scaled + error:
            return False
    return None


def gaussian_tail(sigma: float) -> Tail:
    """Upper tail of the half of a rounded Gaussian that a sign bit leaves: Q((j − ½)/σ) ≤ ½."""

    @cache
    def width(bits: int) -> Any:
        mp = _context()
        with mp.workprec(bits):
            return mp.mpf(sigma) * mp.sqrt(2)

    def tail(j: int, bits: int) -> Any:
        mp = _context()
        with mp.workprec(bits):
            return mp.erfc((mp.mpf(j) - 0.5) / width(bits)) / 2

    return tail


def laplace_tail(scale: float) -> Tail:
    """Upper tail of the magnitude of discrete Laplace noise: 2qʲ/(1 + q), q = exp(−1/b)."""

    @cache
    def factor(bits: int) -> Any:
        mp = _context()
        with mp.workprec(bits):
            return 2 / (1 + mp.exp(-1 / mp.mpf(scale)))

    def tail(j: int, bits: int) -> Any:
        mp = _context()
        with mp.workprec(bits):
            return factor(bits) * mp.exp(-mp.mpf(j) / mp.mpf(scale))

    return tail


@cache
def _context() -> Any:
    from mpmath import MPContext  # noqa: PLC0415  slow to import, and almost never needed

    return MPContext()
