"""What (ε, δ) leaves an attacker on membership, and whether a measured attack exceeds it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from synthrelease.evaluation.attacks.intervals import Rate, coins_rate
from synthrelease.evaluation.attacks.windows import Numbers
from synthrelease.evaluation.json_form import JsonForm


def largest_tpr(fpr: NDArray[np.float64] | float, *, epsilon: float, delta: float) -> Numbers:
    """Return the largest true-positive rate that any test of membership has against (ε, δ)-differential privacy.

        TPR ≤ min(1, e^ε·FPR + δ, 1 − e^(−ε)·(1 − δ − FPR))

    Args:
        fpr: false-positive rates, within [0, 1].
        epsilon: ε ≥ 0, of the neighbouring relation under which a member is exchanged for a non-member.
        delta: δ in [0, 1].

    Raises:
        ValueError: an argument is out of range.

    Source: Kairouz, Oh & Viswanath 2015, https://arxiv.org/abs/1311.0776, Theorem 2.1.
    """
    rates = np.asarray(fpr, dtype=np.float64)
    if not (epsilon >= 0 and 0 <= delta <= 1 and ((rates >= 0) & (rates <= 1)).all()):
        raise ValueError(
            f"Expected epsilon >= 0, delta and fpr in [0, 1], found {epsilon}, {delta} and {fpr}"
        )
    steep = math.exp(min(epsilon, 700.0)) * rates + delta
    flat = 1 - math.exp(-epsilon) * (1 - delta - rates)
    return np.clip(np.minimum(steep, flat), 0.0, 1.0)


@dataclass(frozen=True)
class GuaranteeCheck(JsonForm):
    """A guarantee of (ε, δ), compared with a measured attack."""

    epsilon: float  # guaranteed ε
    delta: float  # guaranteed δ
    tpr: Rate  # true-positive rate measured, with its interval
    fpr: Rate  # false-positive rate measured, with its interval
    bound: float  # the largest TPR that the guarantee allows at the *upper* end of the FPR
    violated: bool  # whether the lower end of the TPR is above it

    def __str__(self) -> str:
        relation = "exceeds" if self.violated else "does not exceed"
        return (
            f"TPR {self.tpr} at FPR {self.fpr} {relation} the {self.bound:.2g} that ε = {self.epsilon:g}, "
            f"δ = {self.delta:.2g} leaves"
        )


def check_guarantee(
    inside: Numbers, outside: Numbers, *, epsilon: float, delta: float, significance: float = 0.01
) -> GuaranteeCheck:
    """Return whether an attack does better than (ε, δ) allows; if the guarantee holds, "violated" has at most probability `significance`.

    The first half of the trials picks a threshold, the second half is measured there: exact intervals, of which both hold at
    once. Either side may be wrong: that a person was in, or that they were not (then the roles of the rates are exchanged).

    Args:
        inside: scores of trials with the person in the data, more is likelier in, shape (I,). Trials must be independent:
            one person of each release, not several of one.
        outside: scores of trials without, shape (O,).
        epsilon: guaranteed ε.
        delta: guaranteed δ.
        significance: declared before looking.

    Raises:
        ValueError: fewer than two trials of a kind, a score that is nan, or an argument is out of range.
    """
    if min(len(inside), len(outside)) < 2 or np.isnan(np.concatenate([inside, outside])).any():
        raise ValueError("Expected two trials of a kind at least, with scores, to compare with a guarantee")
    pick_in, test_in = inside[::2], inside[1::2]
    pick_out, test_out = outside[::2], outside[1::2]
    side = _clearest_excess(pick_in, pick_out, epsilon=epsilon, delta=delta)
    tpr, fpr = _rates(side, test_in, test_out, significance)
    bound = float(largest_tpr(fpr.high, epsilon=epsilon, delta=delta))
    return GuaranteeCheck(epsilon, delta, tpr, fpr, bound, tpr.low > bound)


class _Threshold(NamedTuple):
    sign: int
    threshold: float


def _rates(side: _Threshold, inside: Numbers, outside: Numbers, significance: float) -> tuple[Rate, Rate]:
    """What is called right of the one kind, and wrongly of the other."""
    if side.sign > 0:
        right, wrong = inside >= side.threshold, outside >= side.threshold
    else:
        right, wrong = outside <= side.threshold, inside <= side.threshold
    tpr, fpr = (
        coins_rate(float(hits.mean()), hits.size, method="exact", confidence=1 - significance)
        for hits in (right, wrong)
    )
    return tpr, fpr


def _clearest_excess(inside: Numbers, outside: Numbers, *, epsilon: float, delta: float) -> _Threshold:
    """The side that seems to exceed the bound most clearly; however it is chosen, the other half of the trials decides."""
    thresholds = np.unique(np.concatenate([inside, outside]))
    above_in, above_out, below_in, below_out = (
        _share(scores, thresholds, above=above) for above in (True, False) for scores in (inside, outside)
    )
    best = []
    for sign, right, wrong, sizes in (
        (1, above_in, above_out, (len(inside), len(outside))),
        (-1, below_out, below_in, (len(outside), len(inside))),
    ):
        bound = largest_tpr(wrong, epsilon=epsilon, delta=delta)
        higher = largest_tpr(np.minimum(wrong + _doubt(wrong, sizes[1]), 1), epsilon=epsilon, delta=delta)
        excess = (right - bound) / (_doubt(right, sizes[0]) + higher - bound)
        excess[wrong > 0.5] = -np.inf  # the other side sees these
        best.append((float(excess.max()), _Threshold(sign, float(thresholds[excess.argmax()]))))
    return max(best)[1]


def _share(scores: Numbers, thresholds: Numbers, *, above: bool) -> Numbers:
    """Proportion of scores at each threshold, and above or below."""
    ordered = np.sort(scores)
    if above:
        return 1 - np.searchsorted(ordered, thresholds, side="left") / scores.size
    return np.searchsorted(ordered, thresholds, side="right") / scores.size


def _doubt(share: Numbers, count: int) -> Numbers:
    """About a standard deviation."""
    return np.sqrt((share * (1 - share) + 1 / count) / count)
