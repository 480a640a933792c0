"""Synthetic scanpaths: the sentences of what a manifest states by codes, and what a report says of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from synthrelease.number_words import participants, several, short

if TYPE_CHECKING:
    from synthrelease.kinds.scanpaths.public import ScanpathParameters

SENTENCES = {
    # Why the sensitivity is what it is.
    "two-clipped-vectors": "each participant contributes two vectors, {coefficients} coefficients of their maps on all stimuli and {numbers} numbers of how "
    "their eyes move, whose squares add up to at most {radius}² grid units; what levels of the map fixations have is counted on the maps that the first one released",
    # What is done to the noisy sums.
    "dynamics-tilted": "saccades, turns, durations, numbers and starts of fixations: the public distributions of other people, tilted as far as the noisy means call for it",
    "gravity-chain": "chain: of all chains of fixations with the released maps and saccades the one nearest to independent draws, corrected by simulated scanpaths for turns and for the order "
    "of fixations",
    "scanpaths-from-seed": "scanpaths: drawn from that chain with a public seed",
    # Caveats.
    "not-participants": "synthetic scanpaths are not participants': no scanpath corresponds to a real one",
    "exchangeable-trials": "trials are exchangeable: there are no differences between people in them, and a mixed model of them means nothing",
    "order-on-the-stimulus": "what is looked at first and what later on a particular stimulus is hardly in them: only how order and density of the map hang together over all stimuli",
    "viewing-time": "fixations that begin after the viewing time of {seconds:g} s do not count",
}

OF_TRIALS = ("not-participants", "exchangeable-trials")  # what every file of trials says


def summary(p: ScanpathParameters) -> str:
    """Return what is released."""
    stimuli = several(len(p.stimuli), "stimulus", "stimuli")
    return (
        f"{several(p.scanpaths, 'synthetic scanpath')} on each of {stimuli}, generated from data of {participants(p.people)}, and where they looked. Scanpaths are not participants': "
        "do not test hypotheses on them."
    )


def procedure(p: ScanpathParameters) -> str:
    """Return what is done to the data, before and with the noise."""
    return (
        "Each participant contributes, in two rounds, the map of their fixations on each stimulus, and means of how their eyes move (amplitudes and directions of saccades, turns, durations, "
        "numbers of fixations, first fixations) over all their trials. Each round's contributions are clipped and summed over participants, and noise is added. From the noisy sums follow "
        f"maps and distributions, from these a chain of fixations, and from that {several(p.scanpaths, 'scanpath')} on each stimulus are drawn."
    )


def biases(p: ScanpathParameters) -> list[str]:
    """Return what draws the released values away from the data."""
    return [
        "distributions are shrunk towards those of other people in public data (free viewing of photographs), the more, the more noise they carry.",
        f"maps are blurred with a quarter of the blur of {short(p.blur_px)} px, and shrunk towards a public prior where the signal-to-noise ratio is low.",
        "all participants have the same dynamics: differences between people and between stimuli are averaged.",
    ]


READING = "Scanpaths show the shape of the data: do not test hypotheses on them, and do not compare people by them. Read the maps together with their uncertainty."
