"""Derived values as a bundle stores them: on a coarse public grid, so that next to nothing can be hidden in them.

A value that may err by a rounding of the last bit, on another machine, leaves room for a bit of one's own; near
zero floating-point numbers leave room for dozens. On a grid of 2⁻²² of the largest value, far coarser than what
machines differ by, nearly every value has one form only.
"""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

_BLOCK = 1 << 14
_MINUS_ZERO = np.float32(-0.0).view(np.uint32)
_STEPS = 2.0**-22  # of the power of two above the largest magnitude: multiples of it are exact in 32 bits


def stored(exact: NDArray[np.float64], *, by_rows: bool = False) -> NDArray[np.float32]:
    """Return values rounded to their grid, as 32-bit floating-point numbers, of the same shape and unit.

    Args:
        exact: the values.
        by_rows: whether each row along the first axis has a grid of its own.
    """
    step = grid(exact, by_rows=by_rows).reshape(-1, *[1] * (exact.ndim - 1))
    return (np.rint(exact / step) * step + 0.0).astype(np.float32)  # no −0: its sign would be room too


def is_stored_form(
    array: NDArray[np.float32], exact: NDArray[np.float64], *, care: float, by_rows: bool = False
) -> bool:
    """Whether values are what `stored` makes of others of their shape, or could be on another machine.

    Args:
        array: the values.
        exact: those that they should come from, as this machine computes them.
        care: relative to the largest: what machines may differ by.
        by_rows: whether each row has a grid of its own.
    """
    # Where the largest is next to a power of two, another machine may have taken the grid beyond it.
    finer, coarser = (grid(exact * (1 + sign * care), by_rows=by_rows) for sign in (-1, 1))
    is_valid = _on_grid(array, exact, finer, care)
    if not is_valid.all() and (finer != coarser).any():
        is_valid |= _on_grid(array, exact, coarser, care)
    return bool(is_valid.all())


def stored_multiples(exact: NDArray[np.float64], steps: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return values rounded to multiples of public steps, as 32-bit floating-point numbers, of the same shape and unit.

    Args:
        exact: the values, shape (…, N).
        steps: along the last axis, in the unit of the values there, shape (N,).
    """
    return (np.rint(exact / steps) * steps + 0.0).astype(np.float32)


def are_stored_multiples(
    array: NDArray[np.float32], exact: NDArray[np.float64], steps: NDArray[np.float64], *, care: float
) -> bool:
    """Whether values are what `stored_multiples` makes of others of their shape, or could be on another machine.

    Args:
        array: the values, shape (…, N).
        exact: those that they should come from, as this machine computes them, shape (…, N).
        steps: along the last axis, in the unit of the values there, shape (N,).
        care: of the largest value, which is less than 2²² steps: what machines may differ by.
    """
    number = np.rint(array / steps)
    form = (number * steps + 0.0).astype(np.float32)
    is_same = array.view(np.uint32) == form.view(np.uint32)
    return bool((is_same & (np.abs(number - exact / steps) <= 0.5 + care / _STEPS)).all())


def _on_grid(
    array: NDArray[np.float32], exact: NDArray[np.float64], step: NDArray[np.float64], care: float
) -> NDArray[np.bool_]:
    """Whether the values of each row are near the exact ones and on its grid."""
    is_valid = np.ones(len(step), dtype=np.bool_)
    allowed = 0.5 + care / _STEPS  # steps: the largest magnitude is less than 2²² of them
    flat, expected = array.reshape(len(step), -1), exact.reshape(len(step), -1)
    rows = max(1, _BLOCK // max(flat.shape[1], 1))
    for first, start in itertools.product(range(0, len(flat), rows), range(0, flat.shape[1], _BLOCK)):
        block = slice(first, first + rows), slice(start, start + _BLOCK)
        values, steps_of = flat[block], step[block[0], None]
        steps = np.divide(values, steps_of, dtype=np.float64)  # exact: the step is a power of two
        alike = (np.rint(steps) == steps) & (np.abs(steps - expected[block] / steps_of) <= allowed)
        is_valid[block[0]] &= (alike & (values.view(np.uint32) != _MINUS_ZERO)).all(axis=1)
        if not is_valid.any():
            break
    return is_valid


def grid(exact: NDArray[np.float64], *, by_rows: bool = False) -> NDArray[np.float64]:
    """Return the step of the grid of an array, shape (1,), or of each of its rows, shape (N,).

    It is 2⁻²² of the power of two that the largest magnitude stays below, NaN if that is not finite.
    """
    flat = exact.reshape(len(exact) if by_rows else 1, -1)
    largest = np.maximum(flat.max(axis=1, initial=0.0), -flat.min(axis=1, initial=0.0))
    exponent = np.maximum(np.frexp(largest)[1], -100)
    return np.where(np.isfinite(largest), np.ldexp(_STEPS, exponent), np.nan)
