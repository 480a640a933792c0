"""How far released values are expected to be from the exact ones, next to a guess without data: from public parameters alone."""

from __future__ import annotations

import bisect
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from synthrelease.number_words import listed

# Measures of how far released values are from the exact ones.
ERROR = "error"  # the mean distance, in the unit of what is released
MAP_CORRELATION = "CC"  # of maps, over their cells
CORRELATION = "correlation"  # of courses over time
VARIATION = "total variation"  # of distributions
UNKNOWN = "unknown"  # the share of what is unknown without data that stays so
# Of people, up to about all there are: expected errors are known to about a tenth, so three digits say enough.
_NUMBERS = [*range(1, 1000), *(digits * 10**tens for tens in range(1, 8) for digits in range(100, 1000))]
_MOST_NAMED = 12


@dataclass(frozen=True)
class Expectation:
    """What to expect of one kind of released value.

    How good a release becomes may depend on the data. `best` and `worst` are for the kindest and the least kind of some public
    shapes that data may have; they are equal where the data do not matter.
    """

    subject: str  # what is released: "mean of pupil_mm"
    measure: str  # what is expected of it, in words: "error", "CC"
    best: float
    worst: float
    without_data: float  # the same measure of a guess from public facts
    scale: float = 1.0  # what the public bounds leave the value, in its unit
    margin: float = 0.0  # by how much a useful release is better than the guess, in the measure
    higher_is_better: bool = False

    @property
    def _is_known(self) -> bool:
        """Whether it could be computed: not of bounds or noise near the largest numbers there are."""
        return all(map(math.isfinite, (self.best, self.worst, self.without_data)))

    @property
    def is_useless(self) -> bool:
        """Whether it is no better than the guess, whatever the data is like."""
        return self._is_known and not self._beats_guess(self.best)

    @property
    def is_doubtful(self) -> bool:
        """Whether it may be no better than the guess."""
        return self._is_known and not self._beats_guess(self.worst)

    def _beats_guess(self, value: float) -> bool:
        sign = 1 if self.higher_is_better else -1
        return sign * (value - self.without_data) > self.margin


def no_better(expectations: Iterable[Expectation]) -> list[str]:
    """Return a sentence that names what is expected to be no better than a guess without data; none if there is nothing."""
    every = list(expectations)
    subjects = [expected.subject for expected in every if expected.is_useless]
    if not subjects:
        return []
    are_all = len(subjects) == len(every) > _MOST_NAMED
    words = f"all of its {len(every)} statistics" if are_all else listed(subjects, most=_MOST_NAMED)
    return [f"expected to be no better than a guess without data: {words}"]


def people_needed(is_good: Callable[[int], bool]) -> int | None:
    """Return the least number of people of three digits that is enough, None if that is beyond all people.

    Args:
        is_good: whether so many are enough, and then all larger numbers.
    """
    first = bisect.bisect_left(_NUMBERS, True, key=is_good)
    return _NUMBERS[first] if first < len(_NUMBERS) else None
