"""Synthetic records: the sentences of what a manifest states by codes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from synthrelease.number_words import grouped, participants, several

if TYPE_CHECKING:
    from synthrelease.kinds.records.public import RecordsParameters

SENTENCES = {
    # Why the sensitivity is what it is.
    "divided-joint-counts": "a person divides {half_range} grid units among the cells of each of {sets:several set} of jointly counted "
    "attributes",
    # What is done after the draw.
    "uniform-in-bin": "value: uniform within the bin of its category",
    "nearest-histograms": "model: nearest histograms of the fitted people to the noisy counts, a prior of one person in each",
    "tree-of-information": "dependence: the tree of largest mutual information in the noisy counts",
    # Caveats.
    "rows-without-task": "rows without a task take no part",
    "incomplete-rows": "rows with a missing value take no part",
    "substituted": "each record is a candidate that passed, or in its place one of the model alone, and which is not stated; source records "
    "are of {seeds} of {people} people, one each, and the model is that of the others",
    "drawn-from-noisy-counts": "drawn from noisy counts alone: differentially private",
    "independent": "drawn attributes are independent",
    "independent-given-task": "drawn attributes are independent given the task",
    "criterion": "plausible deniability is a criterion, not differential privacy; which records passed is itself information",
    "source-probability": "each person enters the test with one record: an attacker who has all data can name a record's source with a "
    "probability of at most γ/(γ + k − 1) = {probability:.2g}",
    "source-probability-per-task": "each person enters the test with one record for each task: an attacker who has all data can name a "
    "record's source with a probability of at most γ/(γ + k − 1) = {probability:.2g}",
    "k-counts-records": "k counts records: one person's similar rows can pass the test alone",
    "vacuous": "vacuous: the test cannot fail, and protects no more than no test",
    "task-alone-kept": "where nothing but the task label is kept, hardly any record can fail the test",
    "copies-left-out": "records that equal a real one were left out: that one never appears can reveal that someone has it",
    "noisy-model-with-sources": "the model's counts carry noise, but the records start from real ones: not differentially private",
    "exact-model": "the model was fitted exactly: its own statistics carry no guarantee",
}


def summary(p: RecordsParameters) -> str:
    """Return what is released."""
    records, attributes = several(p.rows, "synthetic record"), several(len(p.attributes), "attribute")
    return f"{records} of {attributes}, made from data of {participants(p.people)}."


def procedure(p: RecordsParameters) -> str:
    """Return what is done to the data, before and with the noise."""
    counted = "counts with noise" if p.fit == "dp" else "exact counts of the private data"
    linked = "each depending on one other" if p.dependence == "tree" else "independent of each other"
    model = f"a model of {counted}, attributes {linked}"
    if p.name == "marginals":
        return f"Every record is drawn from {model}."
    fewest, most = min(p.resampled), max(p.resampled)
    number = grouped(most) if fewest == most else f"{fewest} to {most}"
    test = _TESTS[p.threshold or "fixed"]
    return (
        f"Every record begins as a real one, its source record. The last {number} of {len(p.attributes)} attributes are drawn anew from {model}; "
        f"the others are kept as they were. {test}"
    )


_TESTS = {
    "fixed": "It is published if enough others could have been its source.",
    "randomized": "It is published if, counted with noise, enough others could have been its source; if not, one of the model alone takes "
    "its place.",
}


def noise_subject(p: RecordsParameters) -> str:
    """Return what carries noise, as the beginning of a sentence."""
    sources = " The source records carry none." if p.name == "seeded" else ""
    return f"The records themselves carry no noise.{sources} The counts that the model follows from are integers with"


def biases(p: RecordsParameters) -> list[str]:
    """Return what draws the released values away from the data."""
    one_by_one = "attributes are drawn one by one: dependence among them is weakened or lost."
    by_pairs = "attributes are drawn each depending on one other: other dependence is weakened or lost."
    return [
        "synthetic records are not people: their number says nothing of how many people there are, and one may equal a real record.",
        one_by_one if p.dependence == "independent" else by_pairs,
    ]


READING = (
    "The pictures are of the synthetic records. How near they come to the real data cannot be seen from the bundle, and what they share with single "
    "people is bounded by the guarantee alone."
)
