"""The correlation over time of a released signal with the exact one to expect, from public parameters, for any noise and n.

Series are taken to be like windowed pupil and eyelid features (`STRAY` and `_MEAN_SHARE`, measured on ier2023_vr_pupil): own
series stray little around their mean, and a mean signal has a part of their power that falls with the square of the
frequency. Elsewhere it is an orientation. The formulas are those of linear estimates (`signals.proof.md`, `spectral.proof.md`).
"""

from __future__ import annotations

import functools
import math

import numpy as np
from numpy.typing import NDArray
from scipy.fft import idct

from synthrelease.kinds.expectation import CORRELATION, Expectation
from synthrelease.numerics.signal_form import SignalForm
from synthrelease.numerics.spectral_signals import (
    LEVEL_WEIGHTS,
    NO_BASELINE,
    RADIUS,
    SpectralSignalForm,
)
from synthrelease.numerics.steps import HALF_RANGE

STRAY = 0.1  # of half the bounds' width: how far a series strays from its own mean
_MEAN_SHARE = 0.03  # of that power is in the mean of people's series: less than was measured, of features with wide bounds
# Of half the bounds' width: how far people's and recordings' levels stray.
_PERSON_LEVEL, _RECORDING_LEVEL = 0.5, 0.05
# Mean signals to try, and their steps in all: of long ones a few are enough.
_COURSES, _COURSE_STEPS = 64, 1 << 20
SHAPE_SHOWS = 0.3  # of correlation: below, less than a tenth of the course over time is explained


def expected(correlation: float) -> tuple[Expectation, ...]:
    """Return a correlation next to that of a flat line."""
    return (
        Expectation(
            "course over time",
            CORRELATION,
            correlation,
            correlation,
            0.0,
            margin=SHAPE_SHOWS,
            higher_is_better=True,
        ),
    )


def spectral_correlation(form: SpectralSignalForm, *, deviation: float, people: float) -> float:
    """Return √(Σ gP/ΣP), g = P/(P + N) up to the highest cosine, for noise of a standard deviation in steps."""
    level = LEVEL_WEIGHTS.get(form.baseline, 0.0)
    level *= _PERSON_LEVEL if form.baseline == NO_BASELINE else _RECORDING_LEVEL
    # A person's norm before clipping, as a share of what they are clipped to: half of that is the constants.
    retained = min(1.0, (((STRAY**2 + level**2) / form.clip**2) + 0.25) ** -0.5)
    unit = RADIUS / (form.clip * math.sqrt(form.length * form.series)) * retained * people
    power = power_of_means(form.length)
    shown = power[: form.cosines - 1 + form.lowest]
    kept = shown**2 / (shown + (deviation / unit) ** 2)
    return math.sqrt(float(kept.sum() / power.sum()))


def coefficient_correlation(form: SignalForm, *, deviation: float, people: float) -> float:
    """Return xᵀy/√(xᵀx·(yᵀy + N)): of mean signals x, y is what the frequencies show, N the noise of all steps."""
    exact, cross, shown = courses(form)
    added = float(((deviation / (HALF_RANGE * people) * form.spread) ** 2).sum())
    return max(0.0, cross / math.sqrt(exact * (shown + added)))


def own_correlation(form: SignalForm, *, deviation: float) -> float:
    """Return 1/√(1 + N/S) of a person's own series, of variance S, that carries the noise of a whole person, N on average over its steps."""
    noise = float(((deviation / HALF_RANGE * form.spread) ** 2).mean())
    return 1 / math.sqrt(1 + noise / STRAY**2)


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
