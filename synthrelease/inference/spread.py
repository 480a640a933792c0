"""How much participants differ: what an interval about a population needs, and a release seldom has."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from synthrelease.errors import ArgumentError

Numbers = NDArray[np.float64]

BOUND = "bound"
POPULATION, PARTICIPANTS = "population", "participants"
SAMPLE = "Participants are a random sample of the population, and their mean is about normal."
KNOWN = np.inf  # degrees of freedom of what is known exactly


@dataclass(frozen=True)
class Spread:
    """The standard deviation between participants of their own value, which the analyst knows from elsewhere.

    Attributes:
        deviation: in the unit of the estimate, a number or an array of the estimate's shape.
        source: where it comes from, such as a pilot study or a paper; it stands among the assumptions.
        people: how many participants it was estimated from; None if it is taken as exact.
        correlation: between the values of one participant, shape (m, m) for m values of a curve or map; None if unknown.

    Example:
        >>> Spread(0.4, "a pilot of 30 participants", people=30).deviation
        0.4
    """

    deviation: ArrayLike
    source: str
    people: int | None = None
    correlation: ArrayLike | None = None

    def __post_init__(self) -> None:
        """Check the numbers.

        Raises:
            ArgumentError: negative or not finite, no source, or too few people.
        """
        deviation = np.asarray(self.deviation, dtype=np.float64)
        if not (np.isfinite(deviation).all() and (deviation >= 0).all()):
            raise ArgumentError(
                "bad-spread",
                "a standard deviation is negative or not finite",
                where="Spread().deviation",
                expected="numbers of 0 and more, in the unit of the estimate",
                remedy="give the standard deviation between participants, not of the mean",
            )
        if not self.source.strip():
            raise ArgumentError(
                "no-source",
                "the standard deviation has no source",
                where="Spread().source",
                expected="a few words, such as 'a pilot of 30 participants'",
                remedy="say where the number comes from",
            )
        if self.people is not None and self.people < 2:
            raise ArgumentError(
                "bad-spread",
                "nothing varies among fewer than two participants",
                where="Spread().people",
                found=str(self.people),
                expected="2 or more, or None",
                remedy="give how many participants the standard deviation was estimated from",
            )


@dataclass(frozen=True)
class PersonVariance:
    """The variance between participants as a function of their mean θ: constant + linear·θ + square·θ², each of shape (m,).

    A bound depends on θ: numbers from a to b with the mean θ have a variance of at most (θ − a)(b − θ) (Bhatia & Davis 2000).
    """

    constant: Numbers
    linear: Numbers
    square: Numbers
    freedom: Numbers  # degrees of freedom of the variance
    is_bound: bool
    assumptions: tuple[str, ...]
    correlation: Numbers | None = None

    @classmethod
    def none(cls, count: int) -> PersonVariance:
        """Return that of the participants themselves, who are no sample."""
        return cls.of(
            np.zeros(count),
            KNOWN,
            "The estimate is about the participants of the release, not about a population.",
        )

    @classmethod
    def of(cls, variance: Numbers, freedom: ArrayLike, *assumptions: str) -> PersonVariance:
        """Return a variance that does not depend on the mean."""
        zero = np.zeros(variance.shape)
        known = np.broadcast_to(np.asarray(freedom, dtype=np.float64), variance.shape)
        return cls(variance, zero, zero, known, False, assumptions)

    @classmethod
    def between(cls, low: Numbers, high: Numbers) -> PersonVariance:
        """Return the largest variance of numbers from low to high."""
        words = "The spread between participants is not known: the interval is conservative, as wide as the public bounds allow."
        return cls(
            -low * high, low + high, -np.ones(low.shape), np.full(low.shape, KNOWN), True, (SAMPLE, words)
        )

    @classmethod
    def given(cls, spread: Spread, count: int) -> PersonVariance:
        """Return what the analyst knows.

        Raises:
            ArgumentError: arrays of another shape.
        """
        deviation = np.asarray(spread.deviation, dtype=np.float64)
        if deviation.size not in {1, count}:
            raise _bad_shape("deviation", str(deviation.shape), f"a number, or {count} of them")
        variance = np.broadcast_to(deviation.reshape(-1) ** 2, (count,))
        freedom = KNOWN if spread.people is None else spread.people - 1.0
        result = cls.of(
            variance,
            freedom,
            SAMPLE,
            f"The standard deviation between participants is that of {spread.source.strip()}.",
        )
        if spread.correlation is None:
            return result
        correlation = np.asarray(spread.correlation, dtype=np.float64)
        if correlation.shape != (count, count):
            raise _bad_shape("correlation", str(correlation.shape), f"({count}, {count})")
        return replace(result, correlation=correlation)

    def at(self, theta: Numbers) -> Numbers:
        """Return the variance at a mean, shape (m,), never negative."""
        return np.maximum(self.constant + self.linear * theta + self.square * theta**2, 0.0)

    def most(self, low: Numbers, high: Numbers) -> Numbers:
        """Return the largest variance at means from low to high, shape (m,)."""
        vertex = np.where(
            self.square < 0, -self.linear / np.where(self.square < 0, 2 * self.square, 1.0), low
        )
        places = (low, high, np.clip(vertex, low, high))
        most: Numbers = np.maximum.reduce([self.at(place) for place in places])
        return most

    def take(self, rows: NDArray[np.int64]) -> PersonVariance:
        """Return that of some of the values."""
        correlation = None if self.correlation is None else self.correlation[np.ix_(rows, rows)]
        fields = {name: getattr(self, name)[rows] for name in ("constant", "linear", "square", "freedom")}
        return replace(self, **fields, correlation=correlation)


def person_variance(
    spread: Spread | str | None,
    target: str,
    *,
    limits: tuple[Numbers, Numbers],
    released: Callable[[], PersonVariance] | None = None,
    remedy: str = "",
) -> PersonVariance:
    """Return the variance between participants that an interval is to count.

    Args:
        spread: what the analyst gives, "bound", or None for a released variance.
        target: "population" or "participants".
        limits: the public bounds of a participant's value, shape (m,) each.
        released: the variance that the release has, if any.
        remedy: what else can be done without one.

    Raises:
        ArgumentError: there is no spread, or no such target.
    """
    count = len(limits[0])
    if target not in {POPULATION, PARTICIPANTS}:
        raise ArgumentError(
            "bad-target",
            "there is no such target",
            where="target",
            found=str(target),
            expected=f"'{POPULATION}' or '{PARTICIPANTS}'",
            remedy=f"write '{PARTICIPANTS}' for the exact value of those who took part",
        )
    if target == PARTICIPANTS:
        return PersonVariance.none(count)
    if isinstance(spread, Spread):
        return PersonVariance.given(spread, count)
    if spread == BOUND:
        return PersonVariance.between(*limits)
    if spread is None and released is not None:
        return released()
    raise ArgumentError(
        "no-spread",
        "how much participants differ was not released" if spread is None else "that is no spread",
        where="spread",
        found="no variance statistic" if spread is None else type(spread).__name__,
        expected="Spread(deviation, source), 'bound' for a conservative interval, or target='participants'",
        remedy=f"give the standard deviation between participants from elsewhere{remedy}",
    )


def joined(assumptions: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Return sentences, each once, in their order."""
    return tuple(dict.fromkeys(sentence for several in assumptions for sentence in several))


def _bad_shape(field: str, found: str, expected: str) -> ArgumentError:
    return ArgumentError(
        "bad-spread",
        "the spread has another shape than the estimate",
        where=f"Spread().{field}",
        found=found,
        expected=expected,
        remedy="give one number for all values, or one for each",
    )
