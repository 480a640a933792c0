"""What `maths.exact_product` claims, in Python's integers."""

from __future__ import annotations

import math
from collections.abc import Sequence

from numpy.typing import NDArray


def slow_product(series: Sequence[int], rows: NDArray, *, bound: int) -> list[int]:
    """Every row rounded to integers, times the series, cut toward zero."""
    bits = 52 - bound.bit_length() - math.isqrt(2 * len(series)).bit_length()
    found = []
    for row in rows.tolist():
        total = sum(x * round(math.ldexp(c, bits)) for x, c in zip(series, row, strict=True))
        found.append((abs(total) >> bits) * (1 if total >= 0 else -1))
    return found
