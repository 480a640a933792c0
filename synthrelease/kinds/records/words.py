"""Synthetic records: the sentences of what a manifest states by codes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from synthrelease.number_words import grouped, participants, several

if TYPE_CHECKING:
    from synthrelease.kinds.records.public import RecordsParameters

SENTENCES = {
    # Why the sensitivity is what it is.
    "divided-joint-counts": "a participant divides {half_range} grid units among the cells of each of {sets:several set} of jointly counted "
    "attributes",
    # What is done after the draw.
    "uniform-in-bin": "value: uniform within the bin of its category",
    "nearest-histograms": "model: the histograms of the fitted participants that are closest to the noisy counts, with a prior of one participant in each",
    "tree-of-information": "dependence: the tree of largest mutual information in the noisy counts (Chow–Liu)",
    # Caveats.
    "rows-without-task": "rows without a task are excluded",
    "incomplete-rows": "rows with a missing value are excluded",
    "substituted": "each record is a candidate that passed, or one drawn from the model in its place; which of the two is not stated. Source "
    "records come from {seeds} of {people} participants, one each, and the model is fitted to the others",
    "drawn-from-noisy-counts": "drawn from noisy counts and nothing else: differentially private",
    "independent": "drawn attributes are independent",
    "independent-given-task": "drawn attributes are independent given the task",
    "criterion": "plausible deniability is a criterion, not differential privacy; which records passed is itself information",
    "source-probability": "each participant enters the test with one record: of each record by itself, if all participants are equally likely to be its source "
    "beforehand, an attacker who has all data identifies the source with a probability of at most γ/(γ + k − 1) = {probability:.2g}",
    "source-probability-per-task": "each participant enters the test with one record for each task: of each record by itself, if all participants are equally "
    "likely to be its source beforehand, an attacker who has all data identifies the source with a probability of at most γ/(γ + k − 1) = {probability:.2g}",
    "k-counts-records": "k counts records: similar rows of one person are enough to pass the test",
    "vacuous": "vacuous: the test cannot fail, so it does not protect anyone",
    "task-alone-kept": "if only the task label is kept, hardly any record can fail the test",
    "copies-left-out": "records that equal a real one were left out: the absence of a record can reveal that someone has it",
    "noisy-model-with-sources": "the model's counts carry noise, but the records start from real ones: not differentially private",
    "exact-model": "the model was fitted exactly (without noise): its own statistics carry no guarantee",
}


def summary(p: RecordsParameters) -> str:
    """Return what is released."""
    records, attributes = several(p.rows, "synthetic record"), several(len(p.attributes), "attribute")
    return f"{records} with {attributes}, generated from data of {participants(p.people)}."


def procedure(p: RecordsParameters) -> str:
    """Return what is done to the data, before and with the noise."""
    counted = "noisy counts" if p.fit == "dp" else "exact counts of the private data"
    linked = (
        "in which each attribute depends on one other"
        if p.dependence == "tree"
        else "with independent attributes"
    )
    model = f"a model of {counted} {linked}"
    if not p.has_sources:
        return f"Every record is drawn from {model}."
    fewest, most = min(p.resampled), max(p.resampled)
    number = grouped(most) if fewest == most else f"{fewest} to {most}"
    test = _TESTS[p.threshold or "fixed"]
    return (
        f"Every record starts as a copy of a real one, its source record. The last {number} of {len(p.attributes)} attributes are resampled from {model}; "
        f"the others are kept. {test}"
    )


_TESTS = {
    "fixed": "The record is released if enough other records could have been its source.",
    "randomized": "The record is released if a noisy count shows that enough other records could have been its source; otherwise a record drawn "
    "from the model takes its place.",
}


def noise_subject(p: RecordsParameters) -> str:
    """Return what carries noise, as the beginning of a sentence."""
    sources = " Neither do the source records." if p.has_sources else ""
    return f"The records themselves carry no noise.{sources} The model follows from integer counts with"


def biases(p: RecordsParameters) -> list[str]:
    """Return what draws the released values away from the data."""
    one_by_one = "attributes are drawn independently: dependence between them is weakened or lost."
    by_pairs = "each attribute depends on one other: other dependence is weakened or lost."
    return [
        "synthetic records are not participants: their number is unrelated to the number of participants, and one may equal a real record.",
        one_by_one if p.dependence == "independent" else by_pairs,
    ]


READING = (
    "The figures show the synthetic records. Their distance to the real data cannot be computed from the bundle. Plausible deniability does not "
    "bound what they reveal about single participants; differential privacy does."
)
