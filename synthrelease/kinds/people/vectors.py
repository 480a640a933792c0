"""A person's three vectors, each a function of that person's rows alone, bit for bit.

Sums over rows are sums of integers, which are exact in any order; what is divided and multiplied afterwards is so element by element
(`people.proof.md`, 1).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synthrelease.kinds.people.form import (
    BETWEEN,
    BETWEEN_PAIRS,
    CONTRASTS,
    KEPT,
    LAG,
    MEAN,
    ROTATED,
    SCORE_STEPS,
    SLOPE,
    WITHIN,
    WITHIN_PAIRS,
    PeopleForm,
    contrast_weights,
    rotated,
)
from synthrelease.numerics.log_density import cosines
from synthrelease.numerics.runs import runs

Integers = NDArray[np.int64]
Numbers = NDArray[np.float64]

LEVELS = 1 << 16  # equal parts of a feature's public range, in which a value is known
MISSING = -1  # in the place of a level
_CELLS = 1 << 10  # of a range, in which cosines are taken to be constant
_COSINE_STEPS = 1 << 16  # of one: coefficients of a person are sums of integers


@dataclass(frozen=True)
class Windows:
    """Windows of some people: those of a person together, and of a condition in the order of time; whole numbers, dimensionless."""

    person: Integers  # 0 … people − 1, increasing, shape (N,)
    condition: Integers  # shape (N,)
    people: int


def first_windows(person: Integers, recording: Integers, most: int) -> Integers:
    """Return the rows that count, by person, then recording, then time: the first so many of each person in a recording, shape (M,).

    Args:
        person: of each row, shape (N,).
        recording: of each row; rows of a recording are in the order of time, shape (N,).
        most: how many count.
    """
    order = np.lexsort((recording, person))  # stable
    if not order.size:
        return order
    first, rows = runs(person[order] * (int(recording.max()) + 1) + recording[order])
    rank = np.arange(order.size) - np.repeat(first, rows)
    return order[rank < most]


def coefficients(windows: Windows, levels: Integers, form: PeopleForm) -> tuple[Numbers, NDArray[np.bool_]]:
    """Return the dimensionless mean cosine coefficients of each person's values, shape (people, F, K), and where there are any, shape (people, F).

    Args:
        windows: whose they are.
        levels: of their values, `MISSING` where there is none, shape (N, F).
        form: of the vectors.
    """
    table = np.rint(cosines(form.cosines, _CELLS) * _COSINE_STEPS).T
    result = np.zeros((windows.people, form.features, form.cosines))
    number = np.zeros((windows.people, form.features), dtype=np.int64)
    for f in range(form.features):
        here = levels[:, f] != MISSING
        if here.any():
            first, counts = runs(windows.person[here])
            people = windows.person[here][first]
            # Whole numbers whose sums are below 2⁵³: exact in any order of addition.
            result[people, f] = np.add.reduceat(table[levels[here, f] // (LEVELS // _CELLS)], first)
            number[people, f] = counts
    return result / (np.maximum(number, 1) * _COSINE_STEPS)[..., None], number > 0


def dependence(windows: Windows, scores: Integers, present: NDArray[np.bool_], form: PeopleForm) -> Numbers:
    """Return the third vector of each person, shape (people, size): squares and products of scores.

    Args:
        windows: whose they are.
        scores: in steps, 0 where there is none, shape (N, F).
        present: where there is one, shape (N, F).
        form: of the vectors.
    """
    shape = (windows.people, form.features)
    mean = np.zeros(shape)
    within, lag = np.zeros((*shape, form.features)), np.zeros(shape)
    level = np.zeros((windows.people, form.conditions, form.features))
    first = np.searchsorted(windows.person, np.arange(windows.people + 1))
    for i in range(windows.people):
        mine = slice(first[i], first[i + 1])
        if first[i] < first[i + 1]:
            person = _Moments(scores[mine], present[mine], windows.condition[mine], form.conditions)
            mean[i], within[i], lag[i], level[i] = person.mean, person.within, person.lag, person.levels
    one, other = form.pairs
    weights = contrast_weights(form.conditions)
    contrasts = np.zeros((windows.people, form.conditions - 1, form.features))
    for c in range(form.conditions):  # one after the other: in the same order for every person
        contrasts += level[:, c, None, :] * weights[c, :, None]
    blocks = {
        BETWEEN_PAIRS: np.sqrt(2) * mean[:, one] * mean[:, other],
        WITHIN_PAIRS: np.sqrt(2) * within[:, one, other],
        CONTRASTS: contrasts.reshape(windows.people, -1),
        KEPT: np.ones((windows.people, 1)),
    }
    of_features = {
        BETWEEN: mean**2,
        WITHIN: np.einsum("nff->nf", within),
        LAG: lag,
        SLOPE: np.add.reduce(contrasts**2, axis=1) / form.conditions,
    }
    for name in ROTATED:
        turned = rotated(of_features[name])
        blocks |= {name + MEAN: turned[:, :1], name: turned[:, 1:]}
    return form.joined(blocks)


class _Moments:
    """Means and products of one person's scores, where both factors are there."""

    def __init__(
        self, scores: Integers, present: NDArray[np.bool_], condition: Integers, conditions: int
    ) -> None:
        steps, here = scores.astype(np.float64), present.astype(np.float64)
        number = here.sum(axis=0)
        self._mean_steps = steps.sum(axis=0) / np.maximum(number, 1)
        self.mean = self._mean_steps / SCORE_STEPS
        self.within = self._products(steps, here, steps, here)
        after = condition[1:] == condition[:-1]
        both = here[1:] * here[:-1] * after[:, None]
        earlier, later = steps[:-1] * both, steps[1:] * both
        pairs = both.sum(axis=0)
        # Sums of integers, then Σ(z − m)(z′ − m) = Σzz′ − m·Σ(z + z′) + pairs·m².
        m = self._mean_steps
        moments = (earlier * later).sum(axis=0) - m * (earlier + later).sum(axis=0) + pairs * m * m
        self.lag = moments / np.maximum(pairs, 1) / SCORE_STEPS**2
        self.levels = np.zeros((conditions, len(number)))
        for c in range(conditions):
            rows = condition == c
            count = here[rows].sum(axis=0)
            of_condition = steps[rows].sum(axis=0) / np.maximum(count, 1)
            self.levels[c] = np.where(count > 0, of_condition - m, 0.0) / SCORE_STEPS

    def _products(self, one: Numbers, has_one: Numbers, other: Numbers, has_other: Numbers) -> Numbers:
        """Means of products of residuals: Σ(z − m)(z′ − m′) = Σzz′ − m·Σz′ − m′·Σz + N·mm′, every sum one of integers."""
        m = self._mean_steps
        together = has_one.T @ has_other
        sums = one.T @ has_other  # of z where z′ is there, too
        moments = (
            one.T @ other - sums * m[None, :] - (m[None, :] * sums).T + together * m[:, None] * m[None, :]
        )
        return np.asarray(moments / np.maximum(together, 1) / SCORE_STEPS**2)
