"""How far statistics will be from the true ones, from public parameters only: scale, deviation, exact interval, Chebyshev."""

from __future__ import annotations

import math
from collections.abc import Iterator

from synthrelease.dp.error_bounds import INTERVAL, beyond, chebyshev, chebyshev_reach, reach
from synthrelease.dp.event import DiscreteLaplace, Noise
from synthrelease.dp.guarantee import Neighbours
from synthrelease.kinds.statistics.noisy import NOISY_STATISTICS
from synthrelease.kinds.statistics.public import StatisticsParameters
from synthrelease.numerics.statistics import COUNT, HISTOGRAM, MEAN, PERSON_STEPS
from synthrelease.numerics.steps import HALF_RANGE

_GOOD = 0.05  # of the bounds' width, or of all ranks, at 95 %
_HALF = 0.5  # of the bounds' width, or of all people, on either side: the interval is no narrower than what is possible
_DEVIATIONS = 2.0  # of the lecture notes' example


def errors_table(p: StatisticsParameters, noise: Noise) -> list[list[str]]:
    """Return a table, its head first: of every statistic the noise in its unit, and how far it reaches.

    Of quotients it is the noise of what is divided, to be divided by the people that are counted; the bundle's intervals
    know the noise of the count too.
    """
    scale = "scale b" if isinstance(noise, DiscreteLaplace) else "scale σ"
    level = f"{100 * INTERVAL:g} %"
    rows = [["noise of", scale, "std. dev.", f"{level}: within", "Chebyshev"]]
    exact_reach, chebyshev_bound = reach(noise), chebyshev_reach(noise)
    for quantity, step in _units(p):
        numbers = (noise.scale, noise.standard_deviation, exact_reach, chebyshev_bound)
        rows.append([quantity, *(f"{number * step:.4g}" for number in numbers)])
    return rows


def _units(p: StatisticsParameters) -> Iterator[tuple[str, float]]:
    """What carries noise, and the size of a step of it."""
    divisor = None if p.has_quotients else p.people
    units = (
        unit
        for name in p.noisy
        for feature in p.features
        for unit in NOISY_STATISTICS[name].noise_units(feature.name, feature.bounds, divisor)
    )
    yield from dict.fromkeys(units)  # some are the same for all features


def prediction(
    p: StatisticsParameters,
    noise: Noise | None,
    epsilon: float,
    people: int | None,
    *,
    neighbours: Neighbours,
) -> tuple[str, str]:
    """Return what to expect, and how many people make it good.

    Args:
        p: the public parameters.
        noise: of all noisy statistics, if there are any.
        epsilon: of every choice of a quantile.
        people: n, if it is public.
        neighbours: the neighbouring relation.
    """
    sentences, needed = [], []
    if noise is not None:
        sentences.append(_noise_words(p, noise, people))
        means = math.ceil(reach(noise) / PERSON_STEPS / _GOOD)
        needed.append(f"{means}{_in_group(p)} for means ± {100 * _GOOD:g} %")
    if p.quantiles:
        worst = p.rank_error(epsilon, neighbours, probability=INTERVAL)
        sentences.append(
            f"quantiles: an interval of a {p.quantile_steps}th of the bounds whose rank is within {worst:.3g} participants of the "
            f"target with probability {INTERVAL:g} at least (McKenna & Sheldon 2020)"
        )
        needed.append(f"{math.ceil(worst / _GOOD)}{_in_group(p)} for ranks ± {100 * _GOOD:g} %")
    return "; ".join(sentences), ", ".join(needed)


def _in_group(p: StatisticsParameters) -> str:
    return " in a group" if p.by is not None else ""


def _noise_words(p: StatisticsParameters, noise: Noise, people: int | None) -> str:
    within = reach(noise)
    mean = within / PERSON_STEPS
    parts = [f"counts ± {mean:.3g} participants"] if COUNT in p.noisy else []
    if people is not None:
        size = people if p.by is None else people * p.max_groups_per_person / len(p.groups or [1])
        off = {MEAN: mean / size, HISTOGRAM: within / HALF_RANGE / size}
        words = {
            MEAN: f"means ± {100 * off[MEAN]:.3g} % of the bounds",
            HISTOGRAM: f"histograms ± {off[HISTOGRAM]:.3g}",
        }
        where = "" if p.by is None else f" in a group of {size:.3g}"
        empty = ": NO MORE THAN IS KNOWN WITHOUT DATA"
        parts += [
            f"{words[name]}{where}{empty if off[name] >= _HALF else ''}" for name in words if name in p.noisy
        ]
    error = f"95 %: {', '.join(parts) or f'sums as if {mean:.3g} participants were others'}"
    exact = beyond(noise, deviations=_DEVIATIONS)
    return (
        f"{error}; noise of {_DEVIATIONS:g} standard deviations or more with probability {exact:.3g}, "
        f"by Chebyshev {chebyshev(deviations=_DEVIATIONS):g} at most"
    )
