"""Expected utility of mean signals, from public parameters: the correlation over time with the exact one, for any budget and n.

Series are taken to be like windowed pupil and eyelid features (`STRAY` and `_MEAN_SHARE`, measured on ier2023_vr_pupil): own
series stray little around their mean, and a mean signal has a part of their power that falls with the square of the
frequency. Elsewhere it is an orientation.
"""

from __future__ import annotations

import functools
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.fft import idct

from synthrelease.dp.budget import Budget
from synthrelease.dp.event import Event
from synthrelease.kinds.mechanism import Mechanism, P
from synthrelease.numerics.expected_quality import people_needed
from synthrelease.numerics.signal_form import SignalForm
from synthrelease.numerics.steps import HALF_RANGE

STRAY = 0.1  # of half the bounds' width: how far a series strays from its own mean
_MEAN_SHARE = 0.03  # of that power is in the mean of people's series: less than was measured, of features with wide bounds
_EPSILONS = (0.5, 1.0, 3.0)
_PEOPLE = (24, 100, 300, 1000, 3000, 10_000)
# Mean signals to try, and their steps in all: of long ones a few are enough.
_COURSES, _COURSE_STEPS = 64, 1 << 20
_GOOD = 0.9  # a correlation at which the course over time is the right one


@dataclass(frozen=True, kw_only=True)
class MeanSignals(Mechanism[P]):
    """A signals output, and what to expect of it."""

    mechanisms: Mapping[str, MeanSignals[Any]] | None = None  # that it could be made by, besides its own

    @abstractmethod
    def correlation(self, budget: Budget, people: float) -> float:
        """Return the correlation over time to expect with the exact mean signal."""

    @abstractmethod
    def with_noise_for(self, budget: Budget) -> MeanSignals[P] | None:
        """Return the mechanism with the noise that a budget allows, Gaussian if any; None if it has no guarantee then."""

    @property
    @abstractmethod
    def label(self) -> str:
        """What a table of several mechanisms calls it."""

    def prediction(
        self,
        event: Event,  # noqa: ARG002  for others
        budget: Budget | None,
        people: int | None,
    ) -> tuple[str, str]:
        """Return the correlation to expect, and the people that a good signal takes."""
        assert budget is not None
        assert people is not None  # these outputs need replace-one
        needed = people_needed(functools.partial(self.correlation, budget), _GOOD)
        return (
            f"correlation {self.correlation(budget, people):.2f} over time with the exact mean signal, for pupils and eyelids",
            f"{'more than there are' if needed is None else needed} for a correlation of {_GOOD:g}",
        )

    def comparison(self, budget: Budget | None) -> list[list[str]]:
        """Return a table, its head first: the correlation against ε and people, for every mechanism."""
        assert budget is not None
        epsilons = sorted({*_EPSILONS, float(f"{budget.epsilon:.3g}")})
        out = [["expected correlation", "ε", *(f"n={n}" for n in _PEOPLE)]]
        for name, mechanism in (self.mechanisms or {}).items():
            variant = self if name == self.parameters.name else mechanism.with_noise_for(budget)
            if variant is None:
                continue
            for epsilon in epsilons:
                cells = [variant.correlation(Budget(epsilon, budget.delta), n) for n in _PEOPLE]
                out.append([variant.label, f"{epsilon:g}", *(f"{cell:.2f}" for cell in cells)])
        return out


def power_of_means(length: int) -> NDArray[np.float64]:
    """Return that of a mean signal's cosines 1 … n − 1, shape (n − 1,), in the unit of half widths of the bounds, squared."""
    shape = np.arange(1, length, dtype=np.float64) ** -2.0
    return np.asarray(_MEAN_SHARE * STRAY**2 * length * shape / shape.sum())


@functools.lru_cache(maxsize=64)
def courses(form: SignalForm) -> tuple[float, float, float]:
    """Means of xᵀx, xᵀy and yᵀy over mean signals x without level, and what becomes of each by `form` without noise.

    For one of them by itself it would depend on how its cosines meet at the ends of chunks.
    """
    count = max(1, min(_COURSES, _COURSE_STEPS // form.length))
    numbers = np.arange(1, form.length) ** 2 % 10_007  # squares: their angles are as good as random
    signs = np.sign(np.cos(np.outer(np.arange(1, count + 1), numbers)))
    courses = np.pad(np.sqrt(power_of_means(form.length)) * signs, ((0, 0), (1, 0)))
    exact = idct(courses, norm="ortho", axis=1)
    steps = np.rint(HALF_RANGE * exact).astype(np.int64)
    shown = form.series(form.integers(steps, clipped=False)) / HALF_RANGE
    shown -= shown.mean(axis=1, keepdims=True)
    means = [float((a * b).sum()) / count for a, b in ((exact, exact), (exact, shown), (shown, shown))]
    return means[0], means[1], means[2]
