"""Derived values as a bundle stores them: on a coarse public grid, so that next to nothing can be hidden in them.

A value that may err by a rounding of the last bit, on somebody else's machine, leaves room for a bit of one's own; near
zero floating-point numbers leave room for dozens. On a grid of 2⁻²² of the largest value, far coarser than what
machines differ by, nearly every value has one form only.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

_BLOCK = 1 << 14
_MINUS_ZERO = np.float32(-0.0).view(np.uint32)
_STEPS = 2.0**-22  # of the power of two above the largest magnitude: multiples of it are exact in 32 bits


def stored(exact: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return values rounded to their grid, as 32-bit floating-point numbers."""
    step = grid(exact)
    return (np.rint(exact / step) * step + 0.0).astype(np.float32)  # no −0: its sign would be room too


def is_stored_form(array: NDArray[np.float32], exact: NDArray[np.float64], *, care: float) -> bool:
    """Whether values are what `stored` makes of others of their shape, or could be on another machine.

    Args:
        array: the values.
        exact: those that they should come from, as this machine computes them.
        care: relative to the largest: what machines may differ by.
    """
    step, largest = grid(exact), float(np.abs(exact).max(initial=0.0))
    allowed = 0.5 + care * largest / step  # steps
    flat, own = array.reshape(-1), exact.reshape(-1)
    for start in range(0, flat.size, _BLOCK):  # by blocks that the processor's cache holds
        some = flat[start : start + _BLOCK]
        steps = np.divide(some, step, dtype=np.float64)  # exact: the step is a power of two
        whole, near = np.rint(steps) == steps, np.abs(steps - own[start : start + _BLOCK] / step) <= allowed
        if not (whole & near).all() or (some.view(np.uint32) == _MINUS_ZERO).any():
            return False
    return True


def grid(exact: NDArray[np.float64]) -> float:
    """Return the step of the grid of an array: 2⁻²² of the power of two that its largest magnitude stays below."""
    largest = float(np.abs(exact).max(initial=0.0))
    if not math.isfinite(largest):
        return math.nan
    return math.ldexp(_STEPS, max(math.frexp(largest)[1], -100))
