"""Proportions that each participant divides: dwell shares of areas, and histograms of features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from synthrelease.inference.estimate import LEVEL, Estimate, SampledPeople, checked_level
from synthrelease.inference.means import people_of
from synthrelease.inference.place import chosen, place_of
from synthrelease.inference.quotient import Quotient
from synthrelease.inference.released import NoisyIntegers, released
from synthrelease.inference.spread import POPULATION, PersonVariance, Spread, joined, person_variance
from synthrelease.kinds.areas.public import DWELL, AreasParameters
from synthrelease.kinds.statistics.public import StatisticsParameters
from synthrelease.numerics.statistics import HISTOGRAM
from synthrelease.numerics.steps import HALF_RANGE

if TYPE_CHECKING:
    from synthrelease.arrays import ArrayRelease
    from synthrelease.bundle.reading import Bundle

Numbers = NDArray[np.float64]

_BY_NUMBER = "Every participant divides one whole: those without a usable row, all places alike."
_BY_SUM = "Proportions are of those who have a usable row; their number is private, and counted with noise."


def proportions(
    release: Bundle | ArrayRelease,
    output: str | None = None,
    *,
    stimulus: str | None = None,
    feature: str | None = None,
    group: str | None = None,
    spread: Spread | str | None = None,
    target: str = POPULATION,
    level: float = LEVEL,
    allow_test_seed: bool = False,
) -> Estimate:
    """Return mean proportions over participants, each with their own: of looking by area, or of values by bin of a histogram.

    Args:
        release: a bundle, or what `arrays.areas` or `arrays.statistics` returned.
        output: the name of an areas or statistics output of the bundle; None if it has one output.
        stimulus: of areas; None if there is one.
        feature: of a histogram; None if there is one.
        group: of a histogram, where the output has groups.
        spread: the standard deviation of a proportion between participants, a number or one for each, as a `Spread`; or "bound" for a conservative
            interval: it counts p(1 − p), which is right if each participant has all or nothing in a place.
        target: "population", or "participants" for the exact mean of those who took part: then only the noise counts.
        level: of the intervals.
        allow_test_seed: accept noise that can be repeated.

    Returns:
        An `Estimate` by `area` or `bin`: not shrunk, not projected, so that single proportions may be below 0.

    Raises:
        ArgumentError: there are no such proportions, or there is no spread.

    Source: `synthrelease/inference/inference.proof.md`.

    Example:
        >>> import numpy as np
        >>> from synthrelease import arrays, inference
        >>> pupil = arrays.statistics(
        ...     person=np.arange(200),
        ...     values={"pupil_mm": np.linspace(2, 7, 200)},
        ...     bounds={"pupil_mm": (1.5, 8.0)},
        ...     statistics=["histogram"],
        ...     bins=4,
        ...     epsilon=2.0,
        ... )
        >>> inference.proportions(pupil, spread="bound").at(bin=0).shape
        ()
    """
    found = released(release, output, allow_test_seed=allow_test_seed)
    places: Mapping[str, Sequence[Any]]
    if isinstance(found.parameters, AreasParameters):
        number, present, viewers = _areas(found.parameters, stimulus)
        integers = found.integers(f"{DWELL}/noisy", (number, present))
        people, whose = viewers, SampledPeople(found.people)
        what = f"proportions of looking on {found.parameters.stimuli[number]}"
        places = {
            "area": [area.name for area, there in zip(found.parameters.areas, present, strict=True) if there]
        }
    else:
        p = found.parameters_as(
            StatisticsParameters, "proportions", "an output of kind areas, or statistics with histogram"
        )
        place, unit = place_of(found, HISTOGRAM, feature, group)
        integers = found.integers(f"{HISTOGRAM}/noisy", place)
        people, whose = unit.divisor, people_of(found, p, group)
        what = f"proportions of {p.features[place[-1]].name}" + ("" if group is None else f", {group}")
        places = {"bin": range(integers.count)}
    limits = (np.zeros(integers.count), np.ones(integers.count))
    variance = person_variance(spread, target, limits=limits)
    quotient = (
        _by_sum(integers, variance) if people is None else _by_number(integers, float(people), variance)
    )
    return Estimate(
        what,
        places,
        checked_level(level),
        target,
        joined([(_BY_SUM if people is None else _BY_NUMBER,), variance.assumptions]),
        quotient,
        (whose,),
    )


def _areas(p: AreasParameters, stimulus: str | None) -> tuple[int, NDArray[np.bool_], int | None]:
    """The number of a stimulus, which areas it has, and how many participants count there, if that is public."""
    number = chosen("stimulus", stimulus, p.stimuli)
    return number, p.present(number), None if p.viewers is None else max(p.viewers[number], 1)


def _by_number(integers: NoisyIntegers, people: float, variance: PersonVariance) -> Quotient:
    """Proportions of a public number of participants, moved along their sum, which is 1: that takes out the noise there."""
    count = integers.count
    above, offset = np.eye(count) - 1 / count, np.full(count, 1 / count)
    return _shares(integers, above, offset, variance, people=people, below=None)


def _by_sum(integers: NoisyIntegers, variance: PersonVariance) -> Quotient:
    """Proportions of a private number of participants: divided by their own sum."""
    count = integers.count
    return _shares(
        integers, np.eye(count), np.zeros(count), variance, people=None, below=np.full(count, 1 / HALF_RANGE)
    )


def _shares(
    integers: NoisyIntegers,
    above: Numbers,
    offset: Numbers,
    variance: PersonVariance,
    *,
    people: float | None,
    below: Numbers | None,
) -> Quotient:
    return Quotient(
        integers=integers,
        above=above / HALF_RANGE,
        offset=offset,
        people=people,
        below=below,
        limits=(np.zeros(integers.count), np.ones(integers.count)),
        variance=variance,
        is_share=True,
    )
