"""A private choice from a public list, exact: permute-and-flip (McKenna & Sheldon 2020, Algorithm 1).

Candidates are visited in random order, and r is taken with probability p_r = exp(−ε·(u_max − u_r)/(2Δ)); a
best one is taken for certain when its turn comes. In multi-precision and without a single floating-point number
(Canonne, Kamath & Steinke 2020, Algorithm 1).

*Law.* Let each candidate's turn come at a uniform time t: those before it have been taken with probability t·p_s each, so

    P(r) = p_r·∫₀¹ Π_{s≠r} (1 − t·p_s) dt.

*Privacy.* The same integral (t = exp(−ε·(v − u_max)/(2Δ))) is P(r has the highest u_r + E_r = v), with independent
exponential E of mean 2Δ/ε. Fix the others' E: r is highest if and only if E_r ≥ max_{s≠r}(u_s + E_s) − u_r. One person
moves that threshold c by 2Δ at most, and P(E_r ≥ c) = min(1, exp(−ε·c/(2Δ))) by a factor e^ε at most. ∎

*Error.* The gap u_max − u_r of the chosen r is at most its E_r: with m candidates P(gap ≥ g) ≤ (m − 1)·exp(−ε·g/(2Δ)) for
g > 0, and its mean is at most (1 + 1/2 + … + 1/(m − 1))·2Δ/ε. It is never more than the exponential mechanism's (the paper).
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from synthrelease.dp.noise.entropy import SecureRandom, WordSource


def private_choice(
    utilities: Sequence[int] | NDArray[np.int64], *, sensitivity: int, epsilon: float, random: SecureRandom
) -> int:
    """Return the number of a candidate of high utility, chosen with pure ε-differential privacy.

    The list of candidates is public, and so is its length; utilities are private. The event is
    `PrivateChoice(epsilon, len(utilities))`.

    Args:
        utilities: one integer of any size per candidate, higher is better, shape (candidates,).
        sensitivity: Δ ≥ 1, the most by which one person moves any one of them, up or down, under the release's relation.
        epsilon: ε > 0, taken as the fraction that its float is.
        random: where order and decisions come from.

    Raises:
        TypeError: utilities or sensitivity are no integers.
        ValueError: there is no candidate, or Δ or ε is out of range.
    """
    integers = _integers(utilities)
    if (delta := operator.index(sensitivity)) < 1:
        raise ValueError(f"Expected sensitivity >= 1, found sensitivity={sensitivity}")
    if not 0 < epsilon < math.inf:
        raise ValueError(f"Expected 0 < epsilon < inf, found epsilon={epsilon}")
    rate = Fraction(epsilon) / (2 * delta)
    best = max(integers)
    # How long this takes depends on the utilities, as rejection does: no one outside may clock it.
    for number in random.permutation(len(integers)).tolist():
        if _happens_exp(rate * (best - integers[number]), random):
            return int(number)
    raise AssertionError("the best candidate is taken when its turn comes")


def _integers(utilities: Sequence[int] | NDArray[np.int64]) -> list[int]:
    try:
        integers = [operator.index(utility) for utility in utilities]
    except TypeError:
        # They are private: no message quotes one.
        raise TypeError("Expected utilities that are integers, found others") from None
    if not integers:
        raise ValueError("Expected utilities of one candidate at least, found none")
    return integers


def _happens_exp(x: Fraction, random: WordSource) -> bool:
    """True with probability exp(−x), x ≥ 0: exp(−1) for each whole part, until one fails, and then the rest."""
    whole = x.numerator // x.denominator
    for _ in range(whole):  # after 1.6 rounds on average it has failed, however large x is
        if not _happens_exp_of_fraction(1, 1, random):
            return False
    return _happens_exp_of_fraction(x.numerator - whole * x.denominator, x.denominator, random)


def _happens_exp_of_fraction(numerator: int, denominator: int, random: WordSource) -> bool:
    """True with probability exp(−x), 0 ≤ x ≤ 1: the number of rounds K, P(K > k) = x^k/k!, is odd."""
    rounds = 1
    while _happens(numerator, denominator * rounds, random):
        rounds += 1
    return rounds % 2 == 1


def _happens(numerator: int, denominator: int, random: WordSource) -> bool:
    """True with probability numerator/denominator, from 0 to 1."""
    return _below(denominator, random) < numerator


def _below(bound: int, random: WordSource) -> int:
    """Return a uniform integer from 0 to `bound` − 1, of any size, by rejection."""
    bits = (bound - 1).bit_length()
    count = -(-bits // 64)
    while True:
        value = 0
        for word in random.words(count).tolist():
            value = value << 64 | word
        value >>= 64 * count - bits
        if value < bound:
            return value
