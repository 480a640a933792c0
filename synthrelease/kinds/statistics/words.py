"""Statistics: the sentences of what a manifest states by codes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from synthrelease.number_words import grouped, listed, participants, several

if TYPE_CHECKING:
    from synthrelease.kinds.statistics.public import StatisticsParameters
    from synthrelease.kinds.statistics.public_fixations import FixationParameters

SENTENCES = {
    # Why the sensitivity is what it is.
    "aggregates-l1": "each participant contributes one value per statistic of {features:several feature}, at most {reach} grid units in L1; "
    "all statistics are one integer vector",
    "aggregates-l2": "each participant contributes one value per statistic of {features:several feature}, at most {reach:.6g} grid units in "
    "L2; all statistics are one integer vector",
    "grouped-aggregates-l1": "each participant contributes one value per statistic of {features:several feature}, in {most_groups} of "
    "{groups:several group}, at most {reach} grid units in L1; all statistics are one integer vector",
    "grouped-aggregates-l2": "each participant contributes one value per statistic of {features:several feature}, in {most_groups} of "
    "{groups:several group}, at most {reach:.6g} grid units in L2; all statistics are one integer vector",
    # What is done to the noisy integers and the choices.
    "value-in-units": "value: noisy grid units as participants, or in the feature's unit",
    "noise-interval": "interval: contains the value without noise with probability {probability:g}; it covers noise only, and each value separately",
    "histograms-not-clipped": "histograms are not clipped to positive proportions",
    "quotients-cut": "quotients of noisy sums and a noisy count (at least one participant) are clipped to the range that the bounds allow",
    "variances-cut": "variances are clipped to the range that the bounds allow",
    "middle-of-interval": "quantiles: the middle of the interval that was chosen",
    "quantile-interval": "interval of a quantile: holds the exact value with probability {probability:g} at least, for participants whose values are like "
    "one of four public distributions",
    # Caveats.
    "one-aggregate": "each participant contributes one value per statistic: the mean (or the proportions) of their rows",
    "one-aggregate-in-groups": "each participant contributes one value per statistic in each group that they count in: the mean (or the "
    "proportions) of their rows",
    "most-groups": "a participant counts in at most {most_groups} of the groups, those with most rows",
    "fixations": "a fixation is a row with a position on the screen and a duration above 0; durations are in the unit of the input's column; a trial without "
    "fixations has the count 0 and no mean duration",
    "one-trial": "each participant contributes one value per statistic on each stimulus that they count on: that of their trial, which is all of their rows of the "
    "stimulus",
    "mean-of-trials": "each participant contributes one value per statistic: the mean (or the proportions) of their trials, which are their rows of one stimulus each",
    "most-stimuli": "a participant counts on at most {most_stimuli} of the stimuli; their own label, which no one else's data may decide, says on which",
    "absent-as-centre": "{statistic}s: participants without a value are imputed with the midpoint of the bounds",
    "rank-by-chance": "a quantile misses its rank by chance; the size of the error in the feature's unit depends on the data, which are private, so "
    "there is no interval",
    "quantile-interval-of-shapes": "the intervals of quantiles suppose that participants' values are spread over the bounds, or normal with a standard "
    "deviation of a twelfth of their width; around a gap between values a quantile can be further off",
    "everyone-in-every-group": "the plan declares that every participant is in every group, so the public number of participants is the divisor; the guarantee "
    "does not depend on the declaration, the values do",
}

FIXATIONS = "On each stimulus, the fixations of each participant are counted, and their durations are averaged or added up, as one trial."


def summary(p: StatisticsParameters) -> str:
    """Return what is released."""
    by = "" if p.groups is None else f" in {several(len(p.groups), 'group')}"
    return f"Statistics of {listed([feature.shown_name for feature in p.features])} over {participants(p.people)}{by}."


def fixation_summary(p: FixationParameters) -> str:
    """Return what is released of fixations."""
    features = listed([feature.name for feature in p.features])
    stimuli = several(len(p.stimuli), "stimulus", "stimuli")
    on = f"on average over {stimuli}" if p.groups is None else f"on {stimuli}"
    return f"Statistics of {features} over {participants(p.people)}, {on}."


def procedure(p: StatisticsParameters) -> str:
    """Return what is done to the data, before and with the noise."""
    once = f"Each participant contributes one value per statistic: the mean of their {p.row_noun}"
    sums = f"{once}, clipped to public bounds. Sums and counts are noisy." if p.noisy else f"{once}."
    if not p.quantiles:
        return sums
    return (
        f"{sums} A quantile is chosen by DP selection (permute-and-flip) among {grouped(p.quantile_steps)} public intervals: those close to the true "
        "rank are more likely."
    )


def rank_reading(within: float, people: int | None, *, has_interval: bool) -> str:
    """Return by how many of so many participants a quantile misses its rank at most, and whether there is an interval in its unit."""
    if people is not None and within >= people:
        sentence = "A quantile misses its rank by chance, and the error is practically unlimited: its 95 % bound is more than all participants."
    else:
        most = f"{math.ceil(10 * within) / 10:g}"  # no less than it is
        sentence = f"A quantile misses its rank by chance: in at least 95 % of releases by at most {most} participants, for each quantile separately."
    if not has_interval:
        return f"{sentence} The size of this error in the feature's unit depends on the data, which are private, so there is no interval."
    return (
        f"{sentence} The interval is what this error comes to in the feature's unit if participants' values are spread over the bounds, or normal "
        "around an eighth, the middle or seven eighths of their width; around a gap between values a quantile can be further off."
    )
