"""Whether two releases carry the same noise: subtracting them would then leave the exact difference of their data.

Standardised integers z/s and z′/s′ of two releases, s and s′ the stated scales, differ by c + W: c is what the data make of it,
whatever they are, and W the difference of two independent standard noises, but for rounding. W is symmetric and unimodal,
so that for every c and every t ≥ 0 (Anderson 1955)

    P(|c + W| ≤ t) ≤ P(|W| ≤ t) = p(t).

Places are independent, so the number of places where the integers come as near as t is stochastically at most binomial with
p(t), whatever the data. More than that refutes that the noise was drawn anew. One-sided: data that differ by more than the noise hide
that it is the same, and few places show little. The old release may decide what is published in the new one as long as it is not by
its noise.

* Gaussian and Gaussian: W ~ N(0, 2), of twice the variance of one; p(t) = erf(t/2).
* Laplace and Laplace: P(|W| > t) = (1 + t/2)·e⁻ᵗ.
* One of each: given the one the other is noise about some number; p(t) is at most either's own, erf(t/√2) or 1 − e⁻ᵗ.

The same random words make noise of another scale in proportion, and of another distribution in the same order; so z/s is compared
and not z. Rounding: a rounded Gaussian is within ½ step of a Gaussian, and a discrete Laplace of a Laplace
within 1 step (both have one sign, and its magnitude is ⌊E + c⌋, E exponential, 0 < c ≤ ½). p is taken at t plus what that may make in z/s.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from synthrelease.dp.event import Noise, RoundedGaussian

_SIGNIFICANCE = 1e-12  # of the whole test on independent noise
_NEARNESS = np.concatenate([[0.0], 2.0 ** np.arange(-40, 2)])  # t, in scales
_ORDERS = 2  # ways in which two releases are compared place by place
_BLOCK = 1 << 18  # integers looked at at a time
_FLOAT_CARE = 2.0**-51  # relative: what dividing by two scales may err by, twice over

Pairs = Iterable[tuple[NDArray[Any], NDArray[Any]]]


@dataclass(frozen=True)
class Likeness:
    """What two releases of one output look like, compared place by place."""

    places: int  # pairs of integers that were compared
    equal: int
    repeated: bool  # whether they cannot carry noise that was drawn independently
    telling: bool  # whether so many places of such noise would have shown it, had the data been the same


def likeness(pairs: Pairs, old: Noise, new: Noise) -> Likeness:
    """Compare the noisy integers of two releases, place by place.

    Args:
        pairs: arrays of one size each, of the old release and of the new one, compared place by place without looking at them.
        old: the noise that the old release states.
        new: that of the new one.

    Returns:
        Counts and verdicts; `repeated` with a probability below 10⁻¹² if the noise was drawn independently.
    """
    places, equal = 0, 0
    near = np.zeros(len(_NEARNESS), dtype=np.int64)
    for old_integers, new_integers in pairs:
        before, after = old_integers.reshape(-1), new_integers.reshape(-1)
        for start in range(0, before.size, _BLOCK):
            block = slice(start, start + _BLOCK)
            places += before[block].size
            equal += int((before[block] == after[block]).sum())
            near += _near(_distances(before[block], after[block], old, new))
    if places == 0:
        return Likeness(0, 0, repeated=False, telling=False)
    rounding = _rounding(old) + _rounding(new)
    most_probable = np.array([_probability(t + rounding, old, new) for t in _NEARNESS])
    level = _SIGNIFICANCE / (len(_NEARNESS) * _ORDERS)
    repeated = bool(np.any(binom.sf(near - 1, places, most_probable) < level))
    return Likeness(places, equal, repeated, _is_telling(places, most_probable[0], level))


def is_no_chance(noise: Noise) -> bool:
    """Return whether integers that are all the same in two releases must have been drawn once.

    Given one release, each integer of the other is the same with a probability of at most P(noise = 0), the largest of all.

    Args:
        noise: that of either release, with the number of integers it was drawn for.
    """
    if isinstance(noise, RoundedGaussian):
        same = math.erf(0.5 / (noise.scale * math.sqrt(2)))
    else:
        same = math.tanh(0.5 / noise.scale)
    return _is_telling(noise.count, same, _SIGNIFICANCE)


def pairs_in_order(old: Iterable[NDArray[Any]], new: Iterable[NDArray[Any]]) -> Iterator[tuple[Any, Any]]:
    """Yield the integers of two releases one after the other, as many as both have, whatever arrays they come in.

    So the same random words are found at different places where a release has more, or larger, arrays than the other.
    """
    old_arrays, new_arrays = (filter(len, (array.reshape(-1) for array in arrays)) for arrays in (old, new))
    before: NDArray[Any] | None = next(old_arrays, None)
    after: NDArray[Any] | None = next(new_arrays, None)
    while before is not None and after is not None:
        size = min(before.size, after.size)
        yield before[:size], after[:size]
        before = before[size:] if before.size > size else next(old_arrays, None)
        after = after[size:] if after.size > size else next(new_arrays, None)


def _distances(before: NDArray[Any], after: NDArray[Any], old: Noise, new: Noise) -> NDArray[np.float64]:
    """|z/s − z′/s′|, never less than it is."""
    if old.scale == new.scale:  # exact
        steps: NDArray[np.float64] = (before.astype(np.int64) - after.astype(np.int64)).astype(np.float64)
        with np.errstate(over="ignore"):
            return np.abs(steps) / old.scale
    with np.errstate(
        over="ignore", invalid="ignore"
    ):  # an untrusted scale may be next to nothing: no place is near then
        scaled_before, scaled_after = before / old.scale, after / new.scale
        apart: NDArray[np.float64] = np.abs(scaled_before - scaled_after) + _FLOAT_CARE * (
            np.abs(scaled_before) + np.abs(scaled_after)
        )
    return apart


def _near(distances: NDArray[np.float64]) -> NDArray[np.int64]:
    """How many distances are at most each t."""
    first = np.searchsorted(_NEARNESS, distances)
    return np.cumsum(np.bincount(first, minlength=len(_NEARNESS) + 1)[: len(_NEARNESS)])


def _is_telling(places: int, probability: float, level: float) -> bool:
    """Whether integers that are all the same would have been too much."""
    return places * math.log(max(probability, sys.float_info.min)) < math.log(level)


def _rounding(noise: Noise) -> float:
    return (0.5 if isinstance(noise, RoundedGaussian) else 1.0) / noise.scale


def _probability(t: float, old: Noise, new: Noise) -> float:
    """p(t), or a bound of it."""
    gaussians = isinstance(old, RoundedGaussian) + isinstance(new, RoundedGaussian)
    if gaussians == 2:
        return math.erf(t / 2)
    if gaussians == 0:
        return -math.expm1(-t) - t / 2 * math.exp(-t)
    return min(math.erf(t / math.sqrt(2)), -math.expm1(-t))
