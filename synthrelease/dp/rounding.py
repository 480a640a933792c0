"""Rounding in one direction: no guarantee is stated better than it is. No mathematics: floats and fractions are compared exactly."""

from __future__ import annotations

import math
from fractions import Fraction


def round_up(value: float, digits: int) -> float:
    """Return the least number of `digits` significant digits that is not below `value` ≥ 0."""
    if value == 0:
        return 0.0
    shift = digits - 1 - math.floor(math.log10(value))
    unit = Fraction(10) ** -shift
    # 0.1 is a hair above the decimal, and yet written 0.1.
    below = float(math.floor(Fraction(value) / unit) * unit)
    return below if below >= value else float(math.ceil(Fraction(value) / unit) * unit)


def float_up(value: Fraction) -> float:
    """Return the least floating-point number that is not below a number."""
    near = float(value)
    return near if Fraction(near) >= value else math.nextafter(near, math.inf)


def float_down(value: Fraction) -> float:
    """Return the largest floating-point number that is not above a number."""
    near = float(value)
    return near if Fraction(near) <= value else math.nextafter(near, -math.inf)


def root_up(squared: Fraction | int) -> float:
    """Return √squared as the least floating-point number that is not below it."""
    half = (squared.numerator.bit_length() - squared.denominator.bit_length()) // 2
    # Of a number near 1: in floating point a small square would be 0, and from there it is a long way.
    root = math.ldexp(math.sqrt(squared / Fraction(4) ** half), half)
    while Fraction(root) ** 2 < squared:
        root = math.nextafter(root, math.inf)
    return root
