"""Synthetic people: the sentences of what a manifest states by codes, and what a report says of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from synthrelease.number_words import participants, several, short

if TYPE_CHECKING:
    from synthrelease.kinds.people.public import PeopleParameters

MARGINALS_USEFUL, USEFUL_BESIDE_PILOT = 0.6, 0.7  # of what is unknown without data, what may stay so at most
DEPENDENCE_IS_PRIOR = 0.5  # the same of dependence

SENTENCES = {
    # Why the sensitivity is what it is.
    "three-clipped-vectors": "each participant contributes three vectors of {numbers} numbers in all, whose squares add up to at most "
    "{radius}² grid units; later vectors are chosen by what earlier ones released",
    # What is done to the noisy sums.
    "marginals-by-evidence": "marginal distributions: the smooth densities that the noisy cosine coefficients of two rounds call for, averaged over how smooth "
    "they are",
    "dependence-shrunk": "dependence: noisy means of squares and products of standardized values, shrunk towards those of people in general, the more, the more noise they "
    "carry",
    "beside-pilot": "the pilot: marginal distributions are averaged also with densities near the pilot's, as far as the noisy coefficients speak for it, and dependence is shrunk towards the pilot's in place "
    "of people in general",
    "contrasts-unshrunk": "contrasts of conditions: noisy means, divided by what clipping leaves of each participant's vector, not shrunk, with the standard error of noise, sampling and clipping",
    "people-from-seed": "synthetic people: drawn from these distributions with a public seed",
    # Caveats.
    "not-participants": "synthetic people are not participants: no synthetic person corresponds to a real one",
    "no-tests-on-people": "tests and confidence intervals computed from synthetic people are not valid: use the released contrasts and their standard errors",
    "most-windows": "at most {windows:several window} of a participant in a recording count, the first ones",
    "pilot": "the release starts from a pilot, a public table of {people} other people: it must not have a participant of the data, whom it would give away",
    "dependence-is-prior": "dependence is mostly assumed: of correlations, contrasts and differences between people hardly anything could be learnt at this budget",
}


def summary(p: PeopleParameters) -> str:
    """Return what is released."""
    features = several(len(p.features), "feature")
    windows = several(p.windows, "window")
    recordings = several(len(p.recordings), "recording")
    return f"{several(p.synthetic_people, 'synthetic person', 'synthetic people')} with {windows} of {features} in {recordings}, generated from data of {participants(p.people)}. They are not participants: do not test hypotheses on them."


def procedure(p: PeopleParameters) -> str:
    """Return what is done to the data, before and with the noise."""
    return (
        f"Each participant contributes, in three rounds, the distribution of their own values (twice) and how their values depend on one another. Each round's "
        f"contributions are clipped and summed over participants, and noise is added. From the noisy sums follow marginal distributions, correlations, "
        f"differences between people and effects of conditions; from these, {several(p.synthetic_people, 'synthetic person', 'synthetic people')} are drawn."
    )


def biases(p: PeopleParameters) -> list[str]:
    """Return what draws the released values away from the data."""
    return [
        "distributions are smoothed, and their details below a twentieth of the public bounds are lost.",
        "all people have the same dependence: kinds of people, and people who vary more than others, are averaged.",
        f"correlations and effects are shrunk: {short(100 * p.design.dependence_risk, 2)} % of what is unknown of them without data is expected to stay so.",
    ]


READING = (
    "Contrasts are differences from the first recording in standard deviations of the feature, whose tails are cut at three of them; ± is about 95 % of their error (noise, sampling and "
    "clipping), for each separately. Synthetic people show the shape of the data: do not test hypotheses on them."
)
