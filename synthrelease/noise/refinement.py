"""The multi-precision decision behind a certified inversion: which integer do more random bits lead to?"""

from __future__ import annotations

import threading
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from synthrelease.noise.entropy import WordSource

    # (j, bits) -> the upper-tail probability P(|noise| ≥ j) for j ≥ 1, correct to 2^-bits relatively
    Tail = Callable[[int, int], Any]

_GUARD_BITS = 64
_LOCK = threading.Lock()  # threads share the context, which keeps its working precision


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
    with _LOCK:
        return _resolve(t, bits, guess, tail, random)


def _resolve(t: int, bits: int, guess: int, tail: Tail, random: WordSource) -> int:
    j = guess
    while True:
        at_least_next = _at_least(j + 1, t, bits, tail)
        if at_least_next:
            j += 1
            continue
        at_least_this = _at_least(j, t, bits, tail) if j > 0 else True
        if at_least_this is False:
            j -= 1
            continue
        if at_least_next is False and at_least_this:
            return j
        t = (t << 64) | int(random.words(1)[0])
        bits += 64


def _at_least(j: int, t: int, bits: int, tail: Tail) -> bool | None:
    """Whether u ≤ tail(j) for every u of the bracket (True), for none (False), or undecided (None)."""
    mp = _context()
    precision = bits + _GUARD_BITS
    boundary = tail(j, precision)
    with mp.workprec(precision):
        scaled = mp.ldexp(boundary, bits)
        error = mp.ldexp(scaled, 16 - precision)  # 16 bits for the function's own rounding
        if t + 1 <= scaled - error:
            return True
        if t >= scaled + error:
            return False
    return None


def gaussian_tail(sigma: float) -> Tail:
    """Upper tail of the half of a rounded Gaussian that a sign bit leaves: Q((j − ½)/σ) ≤ ½."""

    def tail(j: int, bits: int) -> Any:
        mp = _context()
        with mp.workprec(bits):
            return mp.erfc((mp.mpf(j) - 0.5) / (mp.mpf(sigma) * mp.sqrt(2))) / 2

    return tail


def laplace_tail(scale: float) -> Tail:
    """Upper tail of the magnitude of discrete Laplace noise: 2qʲ/(1 + q), q = exp(−1/b)."""

    def tail(j: int, bits: int) -> Any:
        mp = _context()
        with mp.workprec(bits):
            q = mp.exp(-1 / mp.mpf(scale))
            return 2 * mp.exp(-mp.mpf(j) / mp.mpf(scale)) / (1 + q)

    return tail


@cache
def _context() -> Any:
    from mpmath import MPContext  # noqa: PLC0415  slow to import, and almost never needed

    return MPContext()
