"""When a test of plausible deniability is empty."""

from __future__ import annotations

from collections.abc import Sequence


def is_vacuous(*, categories: Sequence[int], order: Sequence[int], resampled: Sequence[int], k: int) -> bool:
    """Whether no candidate can fail the test, whatever the data (given at least k people).

    So it is for k = 1, and where the longest prefix that is kept of a seed has one possible value only: then every
    person is an equally plausible seed.

    Args:
        categories: number of categories of each attribute.
        order: σ, the attributes from first kept to last drawn.
        resampled: Ω, the allowed numbers of drawn attributes.
        k: plausible seeds asked for.
    """
    kept = order[: len(order) - min(resampled)]
    return k == 1 or all(categories[a] == 1 for a in kept)
