"""Means of features, of all participants or of groups, from the integers of a statistics output."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from synthrelease.errors import ArgumentError
from synthrelease.inference.estimate import LEVEL, Estimate, SampledPeople, checked_level
from synthrelease.inference.place import place_of
from synthrelease.inference.quotient import Quotient
from synthrelease.inference.released import Released, released
from synthrelease.inference.spread import POPULATION, SAMPLE, PersonVariance, Spread, joined, person_variance
from synthrelease.kinds.statistics.public import StatisticsParameters
from synthrelease.numerics.statistics import MEAN, VARIANCE, StatisticUnit
from synthrelease.numerics.steps import HALF_RANGE

if TYPE_CHECKING:
    from synthrelease.arrays import ArrayRelease
    from synthrelease.bundle.reading import Bundle

Numbers = NDArray[np.float64]

_LEAST = 1e-3  # of the largest variance: standard deviations of a thirtieth of half the bounds' width


def mean(
    release: Bundle | ArrayRelease,
    output: str | None = None,
    *,
    feature: str | None = None,
    group: str | None = None,
    people: int | None = None,
    spread: Spread | str | None = None,
    target: str = POPULATION,
    level: float = LEVEL,
    allow_test_seed: bool = False,
) -> Estimate:
    """Return the mean of a feature over participants, each with their own mean, and its interval.

    Args:
        release: a bundle, or what `arrays.statistics` or `arrays.fixation_statistics` returned.
        output: the name of a statistics output of the bundle; None if it has one output.
        feature: its name; None if there is one.
        group: its label, where the output has groups (`by`).
        people: how many participants have a value there, if you know it from elsewhere, such as the group's size in the study's design; None to take it
            from the release, where it may be private and noisy.
        spread: the standard deviation between participants: None for the released statistic "variance", a `Spread` that you know from
            elsewhere, or "bound" for a conservative interval.
        target: "population", or "participants" for the exact mean of those who took part: then only the noise counts.
        level: of the interval.
        allow_test_seed: accept noise that can be repeated.

    Returns:
        An `Estimate` in the unit of the feature.

    Raises:
        ArgumentError: no mean or variance was released, or an argument names nothing.

    Source: `synthrelease/inference/inference.proof.md`.

    Example:
        >>> import numpy as np
        >>> from synthrelease import arrays, inference
        >>> pupil = arrays.statistics(
        ...     person=np.arange(200),
        ...     values={"pupil_mm": 3.5 + 0.4 * np.sin(np.arange(200))},
        ...     bounds={"pupil_mm": (1.5, 8.0)},
        ...     statistics=["mean", "variance"],
        ...     epsilon=2.0,
        ... )
        >>> estimate = inference.mean(pupil)
        >>> bool(estimate.low < estimate.estimate < estimate.high)
        True
    """
    found = released(release, output, allow_test_seed=allow_test_seed)
    p = found.parameters_as(
        StatisticsParameters, "mean", "an output of kind statistics with the statistic mean"
    )
    place, unit = place_of(found, MEAN, feature, group)
    low, high = (np.array([end]) for end in unit.bounds)
    half, centre = (unit.bounds[1] - unit.bounds[0]) / 2, sum(unit.bounds) / 2
    variance = person_variance(
        spread,
        target,
        limits=(low, high),
        released=(lambda: _released_variance(found, place, unit)) if VARIANCE in p.noisy else None,
        remedy=', or release "variance" next to "mean"',
    )
    integers = found.integers(f"{MEAN}/noisy", place)
    known = unit.divisor if people is None else _checked(people)
    quotient = Quotient(
        integers=integers,
        above=half / HALF_RANGE * np.eye(1, integers.count),
        offset=np.array([centre]),
        people=None if known is None else float(known),
        below=np.eye(1, 2, 1)[0] / HALF_RANGE if known is None else None,
        limits=(low, high),
        variance=variance,
    )
    name = p.features[place[-1]].name + ("" if group is None else f", {group}")
    return Estimate(
        f"mean of {name}",
        {},
        checked_level(level),
        target,
        joined([_assumptions(unit, people), variance.assumptions]),
        quotient,
        (people_of(found, p, group),),
    )


def people_of(found: Released, parameters: StatisticsParameters, group: str | None) -> SampledPeople:
    """Return whose values an estimate is of: groups are of different people if each counts in one only."""
    if parameters.max_groups_per_person > 1:
        return SampledPeople(found.people)
    return SampledPeople(found.people, parameters.by, group)


def _checked(people: int) -> int:
    """A number of participants.

    Raises:
        ArgumentError: it is none.
    """
    if not isinstance(people, int) or people < 1:
        raise ArgumentError(
            "bad-people",
            "that is no number of participants",
            where="people",
            expected="a whole number, at least 1",
            remedy="give how many participants have a value, or leave it out",
        )
    return people


def _assumptions(unit: StatisticUnit, people: int | None) -> Sequence[str]:
    """What the mean is of."""
    if people is not None:
        return (
            "Values are clipped to the public bounds.",
            f"{people} participants have a value, as the analyst says.",
        )
    if unit.divisor is None:
        return ("Values are clipped to the public bounds; those with a value count.",)
    return ("Values are clipped to the public bounds; a participant without a value counts as their middle.",)


def _released_variance(found: Released, place: tuple[int, ...], unit: StatisticUnit) -> PersonVariance:
    """The variance between participants from its own noisy moments, with how well it is known.

    In half widths of the bounds: v = q − μ² + the noise's variance in μ (whose square would be too large by that), which lies between 0 and 1 − μ²; its error is about
    normal. The expectation of v on that range is never 0, which noise may well make v itself.
    """
    noisy = found.integers(f"{VARIANCE}/noisy", place)
    z, s = noisy.values, noisy.deviation
    if z.size == 3:  # mean, count and square
        people = max(z[1] / HALF_RANGE, 1.0)
        whole = people * HALF_RANGE
        m, q = np.clip(z[0] / whole, -1, 1), np.clip((z[2] / whole + 1) / 2, 0, 1)
        gradient = np.array([-2 * m, 2 * m**2 - (2 * q - 1) / 2, 0.5]) / whole
    else:
        people = float(unit.divisor or 1)
        whole = people * HALF_RANGE
        m, q = np.clip(z[0] / whole, -1, 1), np.clip(z[1] / (2 * whole), 0, 1)
        gradient = np.array([-2 * m, 0.5]) / whole
    error = s * float(np.sqrt((gradient**2).sum()))
    raw = q - m**2 + (s / whole) ** 2 * people / max(people - 1, 1.0)
    v, uncertainty = _between(float(raw), error, 1.0)
    drawn = 2 * v**2 / max(people - 1, 1.0)  # of normal values
    freedom = max(2 * v**2 / (uncertainty**2 + drawn), 1.0)
    half = (unit.bounds[1] - unit.bounds[0]) / 2
    corrected = v * people / max(people - 1, 1.0)
    return PersonVariance.of(
        np.array([corrected * half**2]),
        freedom,
        SAMPLE,
        "The spread between participants is the released variance, whose own noise is counted.",
    )


def _between(raw: float, error: float, most: float) -> tuple[float, float]:
    """Mean and standard deviation of a variance up to `most` of which a normal measurement is known; before it, every order of magnitude is as likely."""
    grid = np.geomspace(_LEAST * most, most, 400)
    if error < _LEAST * most:
        return float(np.clip(raw, grid[0], most)), error
    exponent = -0.5 * ((grid - raw) / error) ** 2
    weight = np.exp(exponent - exponent.max())
    weight /= weight.sum()
    value = float(weight @ grid)
    return value, float(np.sqrt(weight @ (grid - value) ** 2))
