"""What mean signals will be worth, from public parameters: the correlation over time with the exact one, for any budget and n.

Series are taken to be like windowed pupil and eyelid features (`_STRAY` and `_MEAN_SHARE`, measured on ier2023_vr_pupil): own
series stray little around their mean, and a mean signal has a part of their power that falls with the square of the
frequency. Elsewhere it is an orientation.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.fft import idct

from synthrelease.maths.expected_quality import people_needed
from synthrelease.maths.signal_form import SignalForm
from synthrelease.maths.spectral_signals import LEVEL_WEIGHTS, NO_BASELINE, RADIUS
from synthrelease.maths.steps import HALF_RANGE
from synthrelease.mechanisms import signals, spectral_signals
from synthrelease.mechanisms.signals import MEAN, SignalParameters
from synthrelease.mechanisms.spectral_signals import SpectralSignalParameters
from synthrelease.privacy.budget import GAUSSIAN, LAPLACE, Budget
from synthrelease.privacy.event import Event

# Of half the bounds' width: how far a series strays from its own mean, and how far people's and recordings' levels do.
_STRAY, _PERSON_LEVEL, _RECORDING_LEVEL = 0.1, 0.5, 0.05
_MEAN_SHARE = 0.03  # of that power is in the mean of people's series: less than was measured, of features with wide bounds
_EPSILONS = (0.5, 1.0, 3.0)
_PEOPLE = (24, 100, 300, 1000, 3000, 10_000)
# Mean signals to try, and their steps in all: of long ones a few are enough.
_COURSES, _COURSE_STEPS = 64, 1 << 20
_GOOD = 0.9  # a correlation at which the course over time is the right one

Parameters = SignalParameters | SpectralSignalParameters


@dataclass(frozen=True)
class Quality:
    """What to expect of a signals output, and of the same output by other mechanisms.

    Attributes:
        mechanisms: the parameters of each by name.
        own: the name of the plan's.
    """

    mechanisms: Mapping[str, Parameters]
    own: str

    def prediction(self, budget: Budget, people: int) -> tuple[str, str]:
        """Return the correlation to expect, and the people that a good signal takes."""
        own = self.mechanisms[self.own]
        if isinstance(own, SignalParameters) and own.query != MEAN:
            deviation = signals.calibrate(own, budget).standard_deviation
            share = 100 * deviation * float(own.form.spread.max()) / (2 * HALF_RANGE)
            return (
                f"each step ± {share:.3g} % of the feature's bounds, in everybody's series",
                "no number of people helps: each series carries the noise of a whole person",
            )
        at = partial(self.correlation, own, budget)
        needed = people_needed(at, _GOOD)
        return (
            f"correlation {at(people):.2f} over time with the exact mean signal, for pupils and eyelids",
            f"{'more than there are' if needed is None else needed} for a correlation of {_GOOD:g}",
        )

    def comparison(self, budget: Budget) -> list[list[str]]:
        """Return a table, its head first: the correlation against ε and people, for every mechanism; empty for "each"."""
        own = self.mechanisms[self.own]
        if isinstance(own, SignalParameters) and own.query != MEAN:
            return []
        epsilons = sorted({*_EPSILONS, float(f"{budget.epsilon:.3g}")})
        out = [["expected correlation", "ε", *(f"n={n}" for n in _PEOPLE)]]
        for name, parameters in self.mechanisms.items():
            one = parameters if name == self.own else _with_noise(parameters, budget)
            if one is None:
                continue  # it could promise nothing
            label = name if isinstance(one, SpectralSignalParameters) else f"{name}, {one.noise}"
            for epsilon in epsilons:
                cells = [self.correlation(one, Budget(epsilon, budget.delta), n) for n in _PEOPLE]
                out.append([label, f"{epsilon:g}", *(f"{cell:.2f}" for cell in cells)])
        return out

    @staticmethod
    def correlation(parameters: Parameters, budget: Budget, people: float) -> float:
        """Return the correlation to expect of one mechanism with so many people."""
        if isinstance(parameters, SpectralSignalParameters):
            return _of_spectral(parameters, budget, people)
        return _of_noised(parameters, budget, people)


def _with_noise(parameters: Parameters, budget: Budget) -> Parameters | None:
    """With the noise that the budget allows, Gaussian if any."""
    if isinstance(parameters, SpectralSignalParameters):
        return parameters if budget.delta > 0 else None
    return replace(parameters, noise=GAUSSIAN if budget.delta > 0 else LAPLACE)


def _power(length: int) -> NDArray[np.float64]:
    """Of a mean signal's cosines 1 … n − 1, in half widths of the bounds."""
    shape = np.arange(1, length, dtype=np.float64) ** -2.0
    return np.asarray(_MEAN_SHARE * _STRAY**2 * length * shape / shape.sum())


def _of_spectral(parameters: SpectralSignalParameters, budget: Budget, people: float) -> float:
    """√(Σ gP/ΣP), g = P/(P + N) up to the highest cosine."""
    form, noise = parameters.form, spectral_signals.calibrate(parameters, budget).standard_deviation
    level = LEVEL_WEIGHTS.get(form.baseline, 0.0)
    level *= _PERSON_LEVEL if form.baseline == NO_BASELINE else _RECORDING_LEVEL
    # A person's norm before clipping, as a share of what they are clipped to: half of that is the constants.
    left = min(1.0, (((_STRAY**2 + level**2) / form.clip**2) + 0.25) ** -0.5)
    unit = RADIUS / (form.clip * math.sqrt(form.length * form.series)) * left * people
    power = _power(form.length)
    shown = power[: form.cosines - 1 + form.lowest]
    kept = shown**2 / (shown + (noise / unit) ** 2)
    return math.sqrt(float(kept.sum() / power.sum()))


def _of_noised(parameters: SignalParameters, budget: Budget, people: float) -> float:
    """xᵀy/√(xᵀx·(yᵀy + N)): of mean signals x, y is what the frequencies show, N the noise of all steps."""
    noise = signals.calibrate(parameters, budget).standard_deviation / (HALF_RANGE * people)
    exact, both, shown = _courses(parameters.form)
    added = float(((noise * parameters.form.spread) ** 2).sum())
    return max(0.0, both / math.sqrt(exact * (shown + added)))


@functools.lru_cache(maxsize=64)
def _courses(form: SignalForm) -> tuple[float, float, float]:
    """Means of xᵀx, xᵀy and yᵀy over mean signals x without level, and what becomes of each by `form` without noise.

    Of one of them alone it would hang on how its cosines meet at the ends of chunks.
    """
    count = max(1, min(_COURSES, _COURSE_STEPS // form.length))
    numbers = np.arange(1, form.length) ** 2 % 10_007  # squares: their angles are as good as random
    signs = np.sign(np.cos(np.outer(np.arange(1, count + 1), numbers)))
    courses = np.pad(np.sqrt(_power(form.length)) * signs, ((0, 0), (1, 0)))
    exact = idct(courses, norm="ortho", axis=1)
    steps = np.rint(HALF_RANGE * exact).astype(np.int64)
    shown = form.series(form.integers(steps, clipped=False)) / HALF_RANGE
    shown -= shown.mean(axis=1, keepdims=True)
    means = [float((a * b).sum()) / count for a, b in ((exact, exact), (exact, shown), (shown, shown))]
    return means[0], means[1], means[2]


class PredictedSignals:
    """A signals output that tells what to expect of it."""

    quality: Quality

    def prediction(
        self,
        event: Event,  # noqa: ARG002  for others
        budget: Budget | None,
        people: int | None,
    ) -> tuple[str, str]:
        """Return the error to expect, and the people that a good signal takes."""
        assert budget is not None
        assert people is not None  # these outputs need replace-one
        return self.quality.prediction(budget, people)

    def comparison(self, budget: Budget | None) -> list[list[str]]:
        """Return the table of what to expect of every mechanism."""
        assert budget is not None
        return self.quality.comparison(budget)
