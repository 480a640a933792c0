"""Heatmaps: the sentences of what a manifest states by codes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from synthrelease.number_words import participants, several, short

if TYPE_CHECKING:
    from synthrelease.kinds.heatmap.public import CellParameters, HeatmapParameters, SpectralParameters

SENTENCES = {
    # Why the sensitivity is what it is.
    "ball-of-a-map": "the {coefficients} weighted coefficients of a person's map are clipped to a ball of {radius} grid units",
    "ball-of-all-maps": "the {coefficients} weighted coefficients of a person's map, on all {stimuli} stimuli together, are clipped to "
    "a ball of {radius} grid units",
    "ball-on-each-stimulus": "the {coefficients} weighted coefficients of a person's map on each stimulus are clipped to a ball of "
    "{radius} grid units, and a person counts on at most {most_stimuli} of {stimuli} stimuli",
    "capped-counts": "a person counts at most {cap} per cell and {most_samples} samples per stimulus, on at most {most_stimuli} of "
    "{stimuli} stimuli; all maps are one integer vector",
    "capped-counts-any-samples": "a person counts at most {cap} per cell, however many their samples, on at most {most_stimuli} of "
    "{stimuli} stimuli; all maps are one integer vector",
    "chosen-cap": "a person counts at most the chosen cap per cell and {most_samples} samples per stimulus, on at most {most_stimuli} of "
    "{stimuli} stimuli; all maps are one integer vector",
    # What is done to the noisy integers.
    "normalization-by-viewers": "normalization: how many participants' maps are left after clipping, from the public numbers of viewers "
    "and the noisy constants",
    "normalization": "normalization: how many participants' maps are left after clipping, from the noisy constants",
    "map-shrunk-to-centre-bias": "heatmap: coefficients divided by normalization and weight, shrunk towards the centre bias of public data "
    "as the known noise calls for, then the nearest map that is nowhere negative, blurred with σ = {blur_px:g} px",
    "map-shrunk-to-even": "heatmap: coefficients divided by normalization and weight, shrunk towards an even map as the known noise calls "
    "for, then the nearest map that is nowhere negative, blurred with σ = {blur_px:g} px",
    "map-uncertainty": "uncertainty: standard deviation of the heatmap's error before negative values are ruled out",
    "counts-per-person": "heatmap: noisy counts divided by the number of participants, blurred with σ = {blur_px:g} px",
    "counts-blurred": "heatmap: noisy counts, blurred with σ = {blur_px:g} px",
    # Caveats.
    "centre-bias": "where noise drowns the data a map looks like the centre bias of photographs: read it with its uncertainty",
    "cap-was-chosen": "the cap was chosen privately from a public list, for a small squared error before the blur",
}


def summary(p: HeatmapParameters) -> str:
    """Return what is released."""
    frames = getattr(p, "frames", None)
    moving = "" if frames is None else f", over time in {frames} frames"
    return (
        f"Where {participants(p.people)} looked on {several(len(p.stimuli), 'stimulus', 'stimuli')}{moving}."
    )


def spectral_procedure(p: SpectralParameters) -> str:
    """Return what is done to the data, before and with the noise."""
    weight = "time" if p.weight == "duration" else "samples"
    return (
        f"Each participant's {weight} on a stimulus become one map, and all participants weigh the same. Of the map only the low frequencies "
        f"are kept that a blur of σ = {short(p.blur_px)} px leaves visible, and their size is limited. These are added up over "
        "participants, noise is added, and the map is computed from the noisy frequencies alone."
    )


def cell_procedure(p: CellParameters) -> str:
    """Return what is done to the data, before and with the noise."""
    limit = p.max_samples_per_stimulus
    most = "" if limit is None else f", and {several(limit, 'sample')} per stimulus"
    return (
        f"Samples are counted in {p.columns} × {p.rows} cells, at most {p.cap} of one participant in a cell{most}. The counts are added up "
        f"over participants, noise is added to every cell, and the sums are blurred with σ = {short(p.blur_px)} px."
    )


def spectral_biases(p: SpectralParameters) -> list[str]:
    """Return what draws the released values away from the data."""
    drawn = "maps are drawn towards the centre bias of photographs, which is public, as far as noise drowns the data."
    limited = "what one participant adds is limited to a public size, and those beyond it count less."
    return [drawn, limited] if p.prior == "centre" else [limited]


def cell_reading(p: CellParameters, deviation: float) -> str:
    """Return how noise shows, of a standard deviation in counts."""
    unit = "counts per participant" if p.people else "counts"
    return (
        f"Before the blur, the noise of every cell has a standard deviation of {short(deviation / (p.people or 1))} {unit}. The blur averages "
        "it in part. What is below zero is noise, and is drawn as nothing."
    )
