"""How far the rank of a privately chosen quantile may miss its target: known without any data.

Permute-and-flip errs no more than the exponential mechanism, whose weights bound the error (McKenna & Sheldon 2020).
"""

from __future__ import annotations

import math
from fractions import Fraction

from synthrelease.dp.guarantee import Neighbours
from synthrelease.dp.sensitivity import quantile_utility


def rank_error(
    p: Fraction, *, epsilon: float, steps: int, moving: bool, neighbours: Neighbours, probability: float
) -> float:
    """Return how many people, with at least so much probability, the rank of what is chosen misses its target by at most.

    P(gap ≥ g) ≤ (K − 1)·exp(−ε·g/(2Δ)), where a gap in utility of b (p = a/b) is one person.

    Args:
        p: of the quantile, above 0 and below 1.
        epsilon: of the choice. Dimensionless.
        steps: K, how many intervals there are to choose from.
        moving: whether there are more groups than a person counts in.
        neighbours: the neighbouring relation.
        probability: of a miss that is no larger, below 1.
    """
    if steps == 1:
        return 0.0
    delta = quantile_utility(p, moving=moving, neighbours=neighbours)
    return 2 * delta / epsilon * math.log((steps - 1) / (1 - probability)) / p.denominator
