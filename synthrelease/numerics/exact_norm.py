"""The squared norm of integers, exactly, at the speed of arrays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_BITS = 21  # of a limb: products of two, 2²⁰ of which are added up, stay below 2⁶³
_BLOCK = 1 << 20
_SUMMED, _SUMMED_BITS = 6, 31


def squared_norm(integers: NDArray[np.int64]) -> int:
    """Return Σ z² over all entries, of any shape and any size that 64 bits hold, as an integer of any size."""
    flat, total = integers.reshape(-1), 0
    for start in range(0, flat.size, _BLOCK):
        limbs = _limbs(flat[start : start + _BLOCK])
        total += sum(
            int(np.dot(first, second)) << _BITS * (i + j)
            for i, first in enumerate(limbs)
            for j, second in enumerate(limbs)
        )
    return total


def to_limbs(number: int) -> NDArray[np.int64]:
    """Return a number below 2¹⁸⁶ as integers of 31 bits that add up over billions of such numbers, shape (6,)."""
    return np.array(
        [number >> _SUMMED_BITS * i & (1 << _SUMMED_BITS) - 1 for i in range(_SUMMED)], dtype=np.int64
    )


def from_limbs(limbs: NDArray[np.int64]) -> int:
    """Return the number, or the sum of numbers, that `to_limbs` made integers of, shape (6,)."""
    return sum(int(limb) << _SUMMED_BITS * i for i, limb in enumerate(limbs))


def _limbs(block: NDArray[np.int64]) -> tuple[NDArray[np.int64], ...]:
    """Z = a + b·2²¹ + c·2⁴², a and b from 0, c with the sign; no more of them than there must be."""
    if block.size and int(block.min()) > -(2**_BITS) and int(block.max()) < 2**_BITS:
        return (block,)
    mask = (1 << _BITS) - 1
    return block & mask, block >> _BITS & mask, block >> 2 * _BITS
