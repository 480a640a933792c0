"""How far one person can move each kind of integer vector: exact, from public parameters alone.

The mechanisms bound every contribution so that these hold, the contract tests attack them, and `verify`
computes them again from the manifest. L1 sensitivities are integers; L2 sensitivities are returned squared,
an integer too, and `rounding.root_up` takes the root. Each is proved in the note of its mechanism, `kinds/*/*.proof.md`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from synthrelease.dp.guarantee import Neighbours
from synthrelease.dp.rounding import root_up
from synthrelease.numerics.signal_form import LPA, ChunkGroup, SignalForm
from synthrelease.numerics.steps import HALF_RANGE


@dataclass(frozen=True)
class Sensitivity:
    """L1 sensitivity and *squared* L2 sensitivity of an integer vector, in steps."""

    l1: int
    l2_squared: int

    @property
    def l2(self) -> float:
        """The L2 sensitivity, rounded up."""
        return root_up(self.l2_squared)

    def plus(self, other: Sensitivity) -> Sensitivity:
        """Return the sensitivity of two vectors side by side."""
        return Sensitivity(self.l1 + other.l1, self.l2_squared + other.l2_squared)

    def times(self, count: int) -> Sensitivity:
        """Return the sensitivity of `count` such vectors side by side."""
        return Sensitivity(self.l1 * count, self.l2_squared * count)

    def or_more(self, other: Sensitivity) -> Sensitivity:
        """Return the larger of each norm: the sensitivity if one person may move the vector either way."""
        return Sensitivity(max(self.l1, other.l1), max(self.l2_squared, other.l2_squared))


def gaze_maps(
    *,
    cells: int,
    cap: int,
    max_samples: int | None,
    stimuli: int,
    max_stimuli: int,
    assignment_public: bool,
    neighbours: Neighbours,
) -> Sensitivity:
    """Return the sensitivity of all gaze maps of a person, stacked over the stimuli.

    A person counts at most m = `cap` per cell and T = `max_samples` per stimulus, on at most M of S stimuli.
    One map weighs at most a₁ = min(T, mr) in L1 and a₂² = min(qm² + s², m²r) in squared L2 norm, where
    T = qm + s. Two maps of one stimulus differ by at most min(mr, 2a₁) and min(m²r, 2a₂²): counts are not
    negative. Under replace-one M maps may leave and M others come, at least 2M − S of them in place; all change in place
    if the assignment is public and M = S, for otherwise a person's label decides on which M they count. (Liu et al. 2019
    is the case T = ∞, M = 1.)

    Args:
        cells: r, cells (pixels) of one map.
        cap: m, the largest count per cell.
        max_samples: T, the most samples per stimulus, or None for no bound.
        stimuli: S, how many stimuli are published.
        max_stimuli: M, on how many of them a person may count.
        assignment_public: whether who saw which stimulus is public, hence equal in neighbouring datasets.
        neighbours: the neighbouring relation.
    """
    l1, l2 = cap * cells, cap * cap * cells
    if max_samples is not None:
        whole, remainder = divmod(max_samples, cap)
        l1, l2 = min(l1, max_samples), min(l2, whole * cap * cap + remainder * remainder)
    most = min(max_stimuli, stimuli)
    if neighbours is Neighbours.ADD_REMOVE_ONE:
        return Sensitivity(l1, l2).times(most)
    moved_l1, moved_l2 = min(cap * cells, 2 * l1), min(cap * cap * cells, 2 * l2)
    in_place = most if assignment_public and most == stimuli else max(0, 2 * most - stimuli)
    apart = 2 * (most - in_place)
    return Sensitivity(in_place * moved_l1 + apart * l1, in_place * moved_l2 + apart * l2)


def excess_over_cap(*, max_samples: int, cap: int, max_stimuli: int, neighbours: Neighbours) -> int:
    """Return the squared L2 sensitivity of D, what a cap cuts away of the sum of all people's gaze maps.

    A person's excess is not negative and sums to at most T − m on each of M stimuli, most in one cell: its squared norm
    is at most M·(T − m)². Of two people, squared distances of vectors that are not negative are at most the sum.
    """
    of_a_person = max_stimuli * max(max_samples - cap, 0) ** 2
    return of_a_person if neighbours is Neighbours.ADD_REMOVE_ONE else 2 * of_a_person


def boxed_series(*, steps: int, bound: int, neighbours: Neighbours) -> Sensitivity:
    """Return the sensitivity of `steps` integers that lie in [−B, B] each, B = `bound` (LPA)."""
    width = _width(bound, neighbours)
    return Sensitivity(steps * width, steps * width * width)


def clipped_coefficients(*, count: int, radius: int, neighbours: Neighbours) -> Sensitivity:
    """Return the sensitivity of K = `count` integers in an L2 ball of radius C (FPA).

    Δ₂ = 2C under replace-one, and Δ₁ ≤ ⌊√K·Δ₂⌋ by Cauchy–Schwarz: the norm is of integers, so the floor of
    the bound is a bound. (Rastogi & Nath 2010, corrected; Bozkir et al. 2021, Eq. 8–12.)
    """
    width = _width(radius, neighbours)
    return Sensitivity(math.isqrt(count * width * width), width * width)


def signal(form: SignalForm, *, radii: Sequence[int], neighbours: Neighbours) -> Sensitivity:
    """Return the sensitivity of one series of a person: of all its chunks side by side, which all change.

    Args:
        form: how the series becomes integers.
        radii: what the coefficients of each of the form's parts are clipped to, in steps; the largest step for lpa.
        neighbours: the neighbouring relation.
    """
    total = Sensitivity(0, 0)
    for part, radius in zip(form.parts, radii, strict=True):
        total = total.plus(_chunk(part, radius, neighbours).times(part.chunks))
    return total


def signal_chunk(form: SignalForm, *, radii: Sequence[int], neighbours: Neighbours) -> Sensitivity:
    """Return the sensitivity of one chunk of one series, the rest of the person staying as it is: of the widest.

    Arguments as `signal`. A chunk of lpa is one step.
    """
    if form.mechanism == LPA:
        return boxed_series(steps=1, bound=radii[0], neighbours=neighbours)
    chunks = [_chunk(part, radius, neighbours) for part, radius in zip(form.parts, radii, strict=True)]
    return Sensitivity(max(chunk.l1 for chunk in chunks), max(chunk.l2_squared for chunk in chunks))


def _chunk(part: ChunkGroup, radius: int, neighbours: Neighbours) -> Sensitivity:
    if part.frequencies is None:
        return boxed_series(steps=part.length, bound=radius, neighbours=neighbours)
    return clipped_coefficients(count=part.count, radius=radius, neighbours=neighbours)


def spectral_maps(
    *, coefficients: int, radius: int, stimuli: int, max_stimuli: int, joint: bool, neighbours: Neighbours
) -> Sensitivity:
    """Return the sensitivity of a person's coefficients over all stimuli, clipped at once or on each by itself.

    Clipped jointly, the stacked vector lies in one ball of radius R: Δ₂ = 2R under replace-one. Clipped on each of at
    most M stimuli: Δ₂² = M·(2R)², attained in place; if M maps leave and M others come it is 2M·R², which is less.
    """
    if joint:
        return clipped_coefficients(count=stimuli * coefficients, radius=radius, neighbours=neighbours)
    single_map = clipped_coefficients(count=coefficients, radius=radius, neighbours=neighbours)
    return single_map.times(min(max_stimuli, stimuli))


def shares(*, total: int, neighbours: Neighbours) -> Sensitivity:
    """Return the sensitivity of a person's histogram of not negative integers that sum to at most W = `total`."""
    if neighbours is Neighbours.ADD_REMOVE_ONE:
        return Sensitivity(total, total * total)
    return Sensitivity(2 * total, 2 * total * total)


def area_shares(*, stimuli: int, max_stimuli: int, transitions: bool, neighbours: Neighbours) -> Sensitivity:
    """Return the sensitivity of a person's dwell shares, and transition shares if there are any, over all stimuli.

    On each of at most M of S stimuli a person divides W = `HALF_RANGE` shares among areas, and W among transitions.
    Replaced, j stimuli may stay, M − j leave and M − j others come: j·2W + 2(M − j)·W = M·2W in L1, and likewise M·2W² in
    squared L2, whatever j. So it makes no difference whether the assignment is public.
    """
    vectors = min(max_stimuli, stimuli) * (2 if transitions else 1)
    return shares(total=HALF_RANGE, neighbours=neighbours).times(vectors)


def joint_counts(*, sets: int, neighbours: Neighbours) -> Sensitivity:
    """Return the sensitivity of the joint counts of so many sets of attributes, a person dividing H shares in each."""
    return shares(total=HALF_RANGE, neighbours=neighbours).times(sets)


def quantile_utility(p: Fraction, *, moving: bool, neighbours: Neighbours) -> int:
    """Return Δ, how far one person moves the utility of a quantile's candidate: `kinds.statistics.quantiles.utilities`.

    With p = a/b, who comes or goes moves it by max(a, b − a), who goes from one interval to another by b. If people may
    leave one group and come to another, one of twice that or b, whichever is larger: two such choices then count as one.

    Args:
        p: of the quantile, above 0 and below 1.
        moving: whether there are more groups than a person counts in.
        neighbours: the neighbouring relation.
    """
    come_or_go = max(p.numerator, p.denominator - p.numerator)
    if neighbours is Neighbours.ADD_REMOVE_ONE:
        return come_or_go
    return max(p.denominator, 2 * come_or_go) if moving else p.denominator


def _width(radius: int, neighbours: Neighbours) -> int:
    return radius if neighbours is Neighbours.ADD_REMOVE_ONE else 2 * radius
