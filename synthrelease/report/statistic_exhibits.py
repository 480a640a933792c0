"""What a page shows of statistics: every value with the interval that stands beside it in the bundle."""

from __future__ import annotations

import math
from typing import Any

from synthrelease.kinds.parameters import Feature
from synthrelease.kinds.statistics.public import StatisticsParameters
from synthrelease.maths.statistics import HISTOGRAM, MEDIAN, quantile
from synthrelease.number_words import short
from synthrelease.privacy.event import PrivateChoice, flatten, from_json
from synthrelease.privacy.guarantee import Neighbours
from synthrelease.report.exhibits import Cell, Exhibit, Histogram, Shown, Table
from synthrelease.report.histograms import histogram
from synthrelease.report.released import Released

_ROWS = 60  # of a table


def statistic_exhibits(released: Released, output: dict[str, Any], most: int) -> Shown:
    """Return the statistics of an output: a table of at most 60 numbers, and `most` histograms."""
    p, name = output["mechanism"]["parameters"], output["name"]
    parameters = StatisticsParameters.from_entry(output["mechanism"])
    places = [place for place, _ in parameters.places]
    within = _rank_error(output, Neighbours(released.manifest["privacy"]["neighbours"]))
    single = [(what, place) for what in p["statistics"] if what != HISTOGRAM for place in places]
    drawn = [(place, feature) for place, feature in parameters.places if HISTOGRAM in p["statistics"]]
    exhibits: list[Exhibit] = []
    if single:
        rows = [
            (_called(what, place), tuple(map(Cell, _told(released, name, what, place, within))))
            for what, place in single[:_ROWS]
        ]
        head = ("statistic", "value", "95 % interval of the noise")
        exhibits.append(Table("Values", head, tuple(rows)))
    shares = output["mechanism"]["public_inputs"]["people"] is not None and p["groups"] is None
    exhibits += [
        _histogram(released, name, place, f, "shares" if shares else "people") for place, f in drawn[:most]
    ]
    left = max(0, len(single) - _ROWS) + max(0, len(drawn) - most)
    return Shown(tuple(exhibits), tuple(_words(p, within)), left, "value")


def _rank_error(output: dict[str, Any], neighbours: Neighbours) -> str:
    """In how many people of its target the rank of every quantile is; empty where there is none."""
    made = [one for one in flatten(from_json(output["event"])) if isinstance(one, PrivateChoice)]
    if not made:
        return ""
    least = min(one.epsilon for one in made)
    parameters = StatisticsParameters.from_entry(output["mechanism"])
    people = parameters.rank_error(least, neighbours, probability=0.95)
    return f"{math.ceil(10 * people) / 10:g}"  # no less than it is


def _words(p: dict[str, Any], within: str) -> list[str]:
    out = []
    if any(quantile(what) is None for what in p["statistics"]):
        out.append(
            "In 95 of 100 releases the value without noise lies in the interval, each by itself. That is about noise alone, "
            "and not about which people took part. Noise can carry a value beyond what is possible."
        )
    if within:
        out.append(
            f"A quantile misses its rank by chance: in 95 of 100 releases or more by {within} people at most, each by itself. "
            "How far that is in the feature's unit is private, so it has no interval."
        )
    return out


def _called(what: str, place: tuple[str, ...]) -> str:
    share = quantile(what)
    told = what if share is None else "median" if what == MEDIAN else f"{float(share):g} quantile"
    *group, feature = place
    return f"{told} of {feature}" + (f", {group[0]}" if group else "")


def _told(released: Released, name: str, what: str, place: tuple[str, ...], within: str) -> tuple[str, str]:
    value = short(float(released.values(name, what, *place, "value")[0]))
    if quantile(what) is not None:
        return value, f"none; rank within {within} people"
    low, high = released.values(name, what, *place, "interval")[0].tolist()
    return value, f"{short(low)} to {short(high)}"


def _histogram(
    released: Released, name: str, place: tuple[str, ...], feature: Feature, unit: str
) -> Histogram:
    values = released.values(name, HISTOGRAM, *place, "value")
    ends = released.values(name, HISTOGRAM, *place, "interval")
    title, low, high = _called(HISTOGRAM, place), short(feature.low), short(feature.high)
    told = "; ".join(f"{short(v)} ({short(a)} to {short(b)})" for v, (a, b) in zip(values, ends, strict=True))
    alt = f"Histogram in {unit} of {feature.name} from {low} to {high}, {len(values)} bins"
    alt = f"{alt}: {told}." if len(values) <= 12 else f"{alt}, the highest {short(float(values.max()))}."
    note = f"Bars: {unit}, from {short(float(values.min()))} to {short(float(values.max()))}. Whiskers: 95 % interval of the noise."
    return histogram(values, title=title, low=low, high=high, alt=alt, note=note, intervals=ends)
