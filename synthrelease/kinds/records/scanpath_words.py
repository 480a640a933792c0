"""Scanpaths with plausible deniability: the sentences of what a manifest states by codes, and what a report says of them (`records.proof.md`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from synthrelease.number_words import grouped, participants, several

if TYPE_CHECKING:
    from synthrelease.kinds.records.public_scanpaths import ScanpathRecordsParameters

SENTENCES = {
    # What is done after the draw.
    "even-in-token": "scanpaths: places and durations are even within the cell and the class of each fixation, drawn with a public seed",
    # Caveats.
    "scanpaths-not-participants": "synthetic scanpaths are not participants', and as many on a stimulus are published as the plan says, however many people saw it",
    "source-probability-per-stimulus": "each participant enters the test with one trial for each stimulus: of each scanpath by itself, if all viewers of its stimulus "
    "are equally likely to be its source beforehand, an attacker who has all data identifies the source with a probability of at most γ/(γ + k − 1) = {probability:.2g}",
    "cells-kept": "of a participant's trial the cells of up to {kept:several first fixation} are kept, on a grid of {columns} × {rows}; further fixations, all durations and the number of "
    "fixations beyond these are drawn from the model",
    "viewers-private": "who saw which stimulus is private: of a stimulus that fewer than k participants saw no scanpath can pass the test",
    "trials-cut": "fixations after the first {fixations} of a trial do not count",
    "scanpaths-exchangeable": "trials are exchangeable: none has a person's label or belongs to another trial, and a mixed model of them means nothing",
    "chained": "the place of a drawn fixation depends on the stimulus and on the fixation before it alone; durations, and where a trial ends, on how many fixations there were before",
}

OF_TRIALS = ("scanpaths-not-participants", "scanpaths-exchangeable")  # what every file of trials says


def summary(p: ScanpathRecordsParameters) -> str:
    """Return what is released."""
    stimuli = several(len(p.stimuli), "stimulus", "stimuli")
    return (
        f"{several(p.scanpaths, 'synthetic scanpath')} on each of {stimuli}, generated from data of {participants(p.people)}. Scanpaths are not participants': "
        "do not test hypotheses on them."
    )


def procedure(p: ScanpathRecordsParameters) -> str:
    """Return what is done to the data, before and with the noise."""
    counted = "noisy counts" if p.fit == "dp" else "exact counts of the private data"
    fewest, most = p.kept[0], p.kept[-1]
    number = grouped(most) if fewest == most else f"{fewest} to {most}"
    return (
        f"A trial is coded as the cell of each fixation ({p.tokens.columns} × {p.tokens.rows} cells) and its duration in {several(p.tokens.classes, 'class', 'classes')}. Every scanpath starts "
        f"as a copy of a real trial, its source. The cells of its first {number} fixations are kept; all others, all durations and when it ends are drawn from a model of {counted}. The scanpath is "
        "released if enough other participants' trials of the stimulus could have been its source."
    )


def biases(p: ScanpathRecordsParameters) -> list[str]:
    """Return what draws the released values away from the data."""
    across = p.screen.width_px / p.tokens.columns
    return [
        f"places are even within cells {across:.0f} px wide, and durations within their classes: nothing finer is in them.",
        "candidates that few participants could have made are left out: scanpaths that begin where most look are published more often.",
        "all participants have one model: differences between people are averaged.",
    ]


def expectation(p: ScanpathRecordsParameters) -> str:
    """Return how few people share what is kept, from public numbers."""
    kept, cells, people = p.kept[-1], p.tokens.cells, p.viewing
    shared = f"{people} participants / {cells}^{kept} = {people / cells**kept:.2g} would share the cells that are kept if places were even"
    return (
        f"{shared}; in 76 % of trials of 15 people on photographs 5 share the first of 12 cells, in 38 % the first two, in 14 % three: few participants share more than one or two coarse "
        "fixations"
    )


READING = "Scanpaths show the shape of the data: do not test hypotheses on them, and do not compare people by them. Plausible deniability does not bound what they reveal about single participants."
