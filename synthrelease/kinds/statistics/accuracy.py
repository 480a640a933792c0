"""How far statistics will be from the exact ones, in words and tables: expected error, scale, deviation, exact interval, Chebyshev."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from synthrelease.dp.error_bounds import INTERVAL, chebyshev_reach, reach
from synthrelease.dp.event import DiscreteLaplace, Event, Noise, PrivateChoice, flatten
from synthrelease.dp.guarantee import Neighbours
from synthrelease.kinds.expectation import Expectation, people_needed
from synthrelease.kinds.statistics.expected import name_in_words
from synthrelease.kinds.statistics.noisy import NOISY_STATISTICS
from synthrelease.kinds.statistics.public import StatisticsParameters
from synthrelease.number_words import short
from synthrelease.numerics.statistics import COUNT, VARIANCE

_GOOD = 0.05  # of what the bounds allow: the expected error of a useful statistic


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
    units = (
        unit
        for name in p.noisy
        for feature in p.features
        for unit in NOISY_STATISTICS[name].noise_units(feature.name, p.unit(feature))
    )
    yield from dict.fromkeys(units)  # some are the same for all features


def prediction(
    p: StatisticsParameters,
    event: Event,
    people: int | None,
    *,
    neighbours: Neighbours,
) -> tuple[str, str]:
    """Return the error to expect of every statistic, as a percentage of what the bounds leave it, and how many people make it good.

    Args:
        p: the public parameters.
        event: what is done.
        people: n, if it is public.
        neighbours: the neighbouring relation.
    """
    sentences = []
    if people is not None:
        by_name = dict(
            zip(p.statistics, map(_of_one, _by_statistic(p, event, people, neighbours)), strict=True)
        )
        where = "" if p.by is None else f" in a group of {p.people_in_group(people):.3g}"
        of_each = "; ".join(f"{name_in_words(name)} {words}" for name, words in by_name.items())
        sentences.append(f"mean error, as a share of what the bounds allow{where}: {of_each}")
    if p.quantiles:
        epsilon = min(leaf.epsilon for leaf in flatten(event) if isinstance(leaf, PrivateChoice))
        worst = p.rank_error(epsilon, neighbours, probability=INTERVAL)
        sentences.append(
            "quantiles, whatever the data: the error of their rank is practically unlimited (its bound is more than all participants)"
            if people is not None and worst >= people
            else f"quantiles, whatever the data: an interval of a {p.quantile_steps}th of the bounds whose rank is within {worst:.3g} "
            f"participants of the target with probability {INTERVAL:g} at least (McKenna & Sheldon 2020)"
        )
    return "; ".join(sentences), ", ".join(_needed(p, event, neighbours))


def _by_statistic(
    p: StatisticsParameters, event: Event, people: float, neighbours: Neighbours
) -> list[list[Expectation]]:
    """What is expected of each statistic, of all features."""
    expected = p.expected(event, people, neighbours)
    each = len(p.features)
    return [list(expected[start : start + each]) for start in range(0, len(expected), each)]


def _of_one(features: list[Expectation]) -> str:
    """The error to expect of a statistic, at best and at worst over features and shapes, next to a guess without data."""
    best, worst, guess = (
        100 * choose(getattr(expected, key) / expected.scale for expected in features)
        for choose, key in ((min, "best"), (max, "worst"), (min, "without_data"))
    )
    ends = dict.fromkeys(short(share, 2) for share in (best, worst))
    return f"{' to '.join(ends)} % (no data: {short(guess, 2)} %)"


def _needed(p: StatisticsParameters, event: Event, neighbours: Neighbours) -> Iterator[str]:
    """How many participants make the expected error of each statistic small, in the same words for all of them."""
    one_feature = replace(p, features=p.features[:1])
    for name in p.statistics:
        if name == COUNT:
            continue  # it is no better with more of them
        alone = replace(one_feature, statistics=(name,))

        def is_good(people: int, alone: StatisticsParameters = alone) -> bool:
            if people == 1 and VARIANCE in alone.statistics:
                return False  # one has none, which noise that is cut comes near to
            in_all = people / alone.people_in_group(1)
            (expected,) = alone.expected(event, in_all, neighbours)
            return expected.worst <= _GOOD * expected.scale

        enough = people_needed(is_good)
        group = " in a group" if p.by is not None else ""
        number = "more than there are" if enough is None else enough
        yield f"{number}{group} for a mean error of {100 * _GOOD:g} % ({name_in_words(name)})"
