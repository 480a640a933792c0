"""How well a score separates members from others, above all at low rates of false alarms."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from synthrelease.evaluation.attacks.windows import Flags, Numbers


class OperatingPoint(NamedTuple):
    """A threshold: people who score above it are taken for members."""

    threshold: float  # the least at which no larger proportion of non-members is above
    tpr: float  # proportion of members above it
    fpr: float  # proportion of non-members above it, at most the requested one


def area_under_curve(inside: Numbers, outside: Numbers) -> float:
    """Return the probability that a member scores above a non-member, ties counted half.

    Args:
        inside: scores of members, shape (I,).
        outside: scores of non-members, shape (O,).
    """
    ordered = np.sort(outside)
    below = np.searchsorted(ordered, inside, side="left")
    up_to = np.searchsorted(ordered, inside, side="right")
    return float((below + up_to).mean() / (2 * len(outside)))


def at_false_positive_rate(inside: Numbers, outside: Numbers, fpr: float) -> OperatingPoint:
    """Return the threshold that at most a share `fpr` of the non-members exceeds, and what it finds.

    Of O non-members ⌊fpr·O⌋ may be above it: with fewer than 1/fpr of them none.
    """
    if not 0 <= fpr < 1:
        raise ValueError(f"Expected 0 <= fpr < 1, found fpr={fpr}")
    allowed = math.floor(fpr * len(outside) + 1e-9)
    threshold = float(np.sort(outside)[::-1][allowed])
    return OperatingPoint(threshold, float((inside > threshold).mean()), float((outside > threshold).mean()))


def randomized_tpr(inside: Numbers, outside: Numbers, fpr: float) -> float:
    """Return the proportion of members that the best test finds at exactly a share `fpr` of false alarms: at the threshold, who is a member is guessed at random.

    That is the test of Neyman and Pearson. Where many have the same score, a threshold by itself would find no one.
    """
    if not 0 < fpr < 1:
        raise ValueError(f"Expected 0 < fpr < 1, found fpr={fpr}")
    ordered = np.sort(outside)[::-1]
    threshold = ordered[math.ceil(fpr * len(outside)) - 1]
    above, equal = float((outside > threshold).mean()), float((outside == threshold).mean())
    part = (fpr - above) / equal
    return float((inside > threshold).mean() + part * (inside == threshold).mean())


def balanced_accuracy(scores: Numbers, members: Flags, threshold: float) -> float:
    """Return the mean of the shares that are right, of members and of non-members; a score at the threshold counts half."""
    called = (scores > threshold) + 0.5 * (scores == threshold)
    return float((called[members].mean() + 1 - called[~members].mean()) / 2)
