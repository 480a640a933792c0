"""Rényi divergence of one fixed order α > 1: what it is of noise, and which ε follows from it at a δ.

    D_α(P‖Q) = ln E_Q[(dP/dQ)^α] / (α − 1)

All is computed in decimal numbers of 60 digits, whose logarithms are correctly rounded, and rounded up at the end: machines agree
to the last digit, which the choice of an order must not depend on. `filter.proof.md` has the proofs.
"""

from __future__ import annotations

import functools
from collections import Counter
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext
from fractions import Fraction

from synthrelease.dp.accounting import Parts

_DIGITS = Context(prec=60, Emax=MAX_EMAX, Emin=MIN_EMIN)
_CARE = Decimal("1e-50")  # more than 60 digits can lose, which is added
# 1 + 2^e·(8 + i)/8, from 1.06 to two millions: eight for each doubling of α − 1. Orders of accounts are of these, and are chosen
# from them again whenever a ledger is read: another list would be another composition of what was paid for.
ORDERS = tuple(1 + 2.0**e * (8 + i) / 8 for e in range(-4, 21) for i in range(8))


def gaussian_divergence(mu_squared: Fraction, order: float) -> Fraction:
    """Return that of Gaussian noise, α·μ²/2 with μ = Δ₂/σ (Mironov 2017, Proposition 7)."""
    return Fraction(order) * mu_squared / 2


@functools.lru_cache(maxsize=4096)
def pure_divergence(epsilon: Fraction, order: float) -> Fraction:
    """Return the largest that pure ε-differential privacy allows, that of randomized response; rounded up, at most ε.

    ε − ln((1 + e^(−ε)) / (1 + e^(−(2α−1)ε))) / (α − 1)
    """
    with localcontext(_DIGITS):
        e, a = Decimal(epsilon.numerator) / epsilon.denominator, Decimal(order)
        correction = (1 + (-e).exp()).ln() - (1 + (-(2 * a - 1) * e).exp()).ln()
        return min(Fraction(e - correction / (a - 1) + _CARE * (1 + e)), epsilon)


def divergence(parts: Parts, order: float) -> Fraction:
    """Return that of events together: divergences of one order add up. What is opaque has none and is left out."""
    pure = Counter(parts.pure).items()
    return gaussian_divergence(parts.mu_squared, order) + sum(
        (times * pure_divergence(epsilon, order) for epsilon, times in pure), Fraction(0)
    )


@functools.lru_cache(maxsize=4096)
def conversion(order: float, delta: Fraction) -> Fraction:
    """Return c: a divergence of R means ε = c + R at δ, 0 < δ < 1; rounded up.

    c = ln(1 − 1/α) − ln(δα)/(α − 1)          (Canonne, Kamath & Steinke 2020, Proposition 12)
    """
    with localcontext(_DIGITS):
        a, d = Decimal(order), Decimal(delta.numerator) / delta.denominator
        return Fraction((1 - 1 / a).ln() - (d * a).ln() / (a - 1) + _CARE)


@functools.lru_cache(maxsize=256)
def best_order(parts: Parts, epsilon: float, delta: Fraction) -> float:
    """Return the order at which (ε, δ) has room for most releases like this one: largest (ε − c(α))/R_α.

    Where no order leaves room for anything, the one that leaves most to a larger ε.
    """
    room = {order: Fraction(epsilon) - conversion(order, delta) for order in ORDERS}
    if max(room.values()) <= 0:
        return max(ORDERS, key=room.__getitem__)
    wide = [order for order in ORDERS if room[order] > 0]
    return max(wide, key=lambda order: room[order] / divergence(parts, order))
