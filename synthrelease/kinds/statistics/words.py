"""Statistics: the sentences of what a manifest states by codes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from synthrelease.number_words import grouped, listed, participants, several

if TYPE_CHECKING:
    from synthrelease.kinds.statistics.public import StatisticsParameters

SENTENCES = {
    # Why the sensitivity is what it is.
    "aggregates-l1": "a person is one aggregate in every statistic of {features:several feature}, {reach} grid units in L1 at most; all of "
    "it is one integer vector",
    "aggregates-l2": "a person is one aggregate in every statistic of {features:several feature}, {reach:.6g} grid units in L2 at most; all "
    "of it is one integer vector",
    "grouped-aggregates-l1": "a person is one aggregate in every statistic of {features:several feature}, in {most_groups} of "
    "{groups:several group}, {reach} grid units in L1 at most; all of it is one integer vector",
    "grouped-aggregates-l2": "a person is one aggregate in every statistic of {features:several feature}, in {most_groups} of "
    "{groups:several group}, {reach:.6g} grid units in L2 at most; all of it is one integer vector",
    # What is done to the noisy integers and the choices.
    "value-in-units": "value: noisy grid units as participants, or in the feature's unit",
    "noise-interval": "interval: what the value can be if no noise exceeds what it keeps within with probability {probability:g}; noise "
    "alone, each value by itself",
    "histograms-not-clipped": "histograms are not clipped to positive proportions",
    "quotients-cut": "quotients of noisy sums and a noisy count, of one participant at least, are cut to what the bounds allow",
    "middle-of-interval": "quantiles: the middle of the interval that was chosen",
    # Caveats.
    "one-aggregate": "a person with several rows counts once, with the mean (or the proportions) of their values",
    "one-aggregate-in-groups": "a person with several rows counts once, with the mean (or the proportions) of their values, in each group "
    "that they count in",
    "most-groups": "a person counts in at most {most_groups} of the groups, those of most rows",
    "absent-as-centre": "in {statistic}s a participant without a value counts as the centre of the bounds",
    "rank-by-chance": "a quantile misses its rank by chance; how far in the feature's unit is private, so it has no interval",
}


def summary(p: StatisticsParameters) -> str:
    """Return what is released."""
    by = "" if p.groups is None else f" in {several(len(p.groups), 'group')}"
    return (
        f"Statistics of {listed([feature.name for feature in p.features])} over {participants(p.people)}{by}."
    )


def procedure(p: StatisticsParameters) -> str:
    """Return what is done to the data, before and with the noise."""
    once = "Each participant counts once, with the mean of their values"
    sums = f"{once}, limited to public bounds. Sums and counts carry noise." if p.noisy else f"{once}."
    if not p.quantiles:
        return sums
    return (
        f"{sums} A quantile is one of {grouped(p.quantile_steps)} public intervals, chosen at random so that those near the true rank are "
        "likelier."
    )


def rank_reading(people: float) -> str:
    """Return by how many people the rank of a quantile misses at most."""
    within = f"{math.ceil(10 * people) / 10:g}"  # no less than it is
    return (
        f"A quantile misses its rank by chance: in 95 of 100 releases or more by {within} people at most, each by itself. How far that is in the "
        "feature's unit is private, so it has no interval."
    )
