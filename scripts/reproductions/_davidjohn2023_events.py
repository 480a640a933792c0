"""The test of events of David-John, Butler & Jain 2023, as published: could other people's events have made these samples about as probably?

It asks of one event at a time. That each event of a sequence could be another person's does not make the sequence another person's.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from reproductions._davidjohn2023_data import PX_PER_DEG, Flags, Integers, Numbers, places_px
from reproductions._davidjohn2023_mechanisms import SIGMA_DEG, samples_of
from synthrelease.kinds.scanpaths.fixations import Fixations
from synthrelease.numerics.public_draws import PublicDraws

HALF_WIDTH_DEG = 0.01  # a sample's probability is that of ±0.01° around it, along each axis
NO_INTERVAL = -1
_BLOCK = 512  # events compared with all others at once


def intervals(log_probability: Numbers, gamma: float) -> Integers:
    """Return the only i ≥ 0 with γ^(−i−1) < p ≤ γ^(−i), of the same shape; `NO_INTERVAL` where there is none.

    At γ = 1 both ends are 1 for every i, and no probability is above 1 and at most 1.

    Args:
        log_probability: ln p ≤ 0.
        gamma: γ ≥ 1.
    """
    step = math.log(gamma)
    with np.errstate(divide="ignore", invalid="ignore"):
        number = np.floor(-log_probability / step)
    number = np.where(np.isfinite(number), number, 0.0)
    inside = (-(number + 1) * step < log_probability) & (log_probability <= -number * step)
    return np.where(inside, number, NO_INTERVAL).astype(np.int64)


def log_probability(count: Numbers, spread: Numbers, apart_deg: Numbers) -> Numbers:
    """Return ln Pr(samples | N(µ, σ)), a product over t samples and both axes, of the shape of its arguments together.

    The density times the width of ±0.01°, which differs from the difference of distribution functions by less than 10⁻³ in the logarithm of a sample within 3σ.

    Args:
        count: t.
        spread: squares of samples around their own mean, added up, in units of σ².
        apart_deg: of their mean from µ, along each axis, shape (…, 2).
    """
    constant = 2 * count * math.log(2 * HALF_WIDTH_DEG / (SIGMA_DEG * math.sqrt(2 * math.pi)))
    square = spread + count * (apart_deg**2).sum(axis=-1) / SIGMA_DEG**2
    return np.minimum(constant - square / 2, 0.0)


class Tested(NamedTuple):
    """What the test says of one draw of every event."""

    plausible: Integers  # other people with an event in the same interval, shape (N,)
    without_interval: Flags  # events whose probability lies in no interval, shape (N,)
    moved_deg: Numbers  # from the real centre to that of the samples, shape (N,)


def event_test(fixations: Fixations, draws: PublicDraws, gamma: float) -> Tested:
    """Return how many other people have an event, on any stimulus, for which one draw of an event's samples is about as probable.

    Args:
        fixations: events, each tested against all of them.
        draws: of the samples.
        gamma: γ ≥ 1.
    """
    count = samples_of(fixations)
    centres = places_px(fixations) / PX_PER_DEG
    mean = centres + SIGMA_DEG / np.sqrt(count)[:, None] * draws.normal(centres.shape)
    spread = _chi_square(2 * (count - 1), draws)  # of the samples around their mean, in units of σ²
    own = intervals(log_probability(count, spread, mean - centres), gamma)
    plausible = np.empty(own.size, dtype=np.int64)
    ends = np.append(np.flatnonzero(np.r_[True, np.diff(fixations.person) > 0]), own.size)
    for start in range(0, own.size, _BLOCK):
        some = slice(start, start + _BLOCK)
        apart = mean[some, None] - centres
        theirs = intervals(log_probability(count[some, None], spread[some, None], apart), gamma)
        alike = (theirs == own[some, None]) & (theirs != NO_INTERVAL)
        people = np.logical_or.reduceat(alike, ends[:-1], axis=1)
        people[fixations.person[ends[:-1]] == fixations.person[some, None]] = False
        plausible[some] = people.sum(axis=1)
    return Tested(plausible, own == NO_INTERVAL, np.hypot(*(mean - centres).T))


def _chi_square(degrees: Numbers, draws: PublicDraws) -> Numbers:
    out = np.zeros(degrees.size)
    for number in np.unique(degrees[degrees > 0]):
        here = degrees == number
        out[here] = draws.gamma(float(number) / 2, 2.0, int(here.sum()))
    return out


class Passing(NamedTuple):
    """Proportions of events, and how far they are moved."""

    without_interval: float
    first: dict[int, float]  # by k: that pass at the first draw
    later: dict[int, float]  # by k: that pass within all draws
    moved_deg: float  # on average at the first draw
    passing_moved_deg: float  # of those that pass with the smallest k; NaN of none


def passing(
    fixations: Fixations, draws: PublicDraws, *, gamma: float, ks: tuple[int, ...], redraws: int
) -> Passing:
    """Return how many events pass: k − 1 other people are plausible."""
    tests = [event_test(fixations, draws, gamma) for _ in range(redraws)]
    first, most = tests[0], np.max([one.plausible for one in tests], axis=0)
    passed = first.plausible >= min(ks) - 1
    return Passing(
        float(first.without_interval.mean()),
        {k: float((first.plausible >= k - 1).mean()) for k in ks},
        {k: float((most >= k - 1).mean()) for k in ks},
        float(first.moved_deg.mean()),
        float(first.moved_deg[passed].mean()) if passed.any() else math.nan,
    )
