"""Heatmaps: the sentences of what a manifest states by codes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from synthrelease.number_words import participants, several, short

if TYPE_CHECKING:
    from synthrelease.kinds.heatmap.public import HeatmapParameters, SpectralParameters
    from synthrelease.kinds.heatmap.public_cells import CellParameters

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
    "most-probable-map-of-centre-bias": "heatmap: of all maps the most probable one, given the coefficients divided by normalization and weight, the "
    "known noise, and a log-normal prior around the centre bias of public data; blurred with σ = {blur_px:g} px",
    "most-probable-map": "heatmap: of all maps the most probable one, given the coefficients divided by normalization and weight, the known "
    "noise, and a log-normal prior around a uniform map; blurred with σ = {blur_px:g} px",
    "most-probable-map-of-public-maps": "heatmap: of all maps the most probable one, given the coefficients divided by normalization and weight, the "
    "known noise, and a log-normal prior between the centre bias and a public map of the stimulus; how far public maps are believed, and how far maps may be "
    "from them, follows from all noisy coefficients; blurred with σ = {blur_px:g} px",
    "map-uncertainty-at-peaks": "uncertainty: the exact map is within twice that at about 99 % of the cells of photographs: from the known noise, the "
    "variance of the prior, clipping and errors in the height of peaks, as simulated on public data",
    "map-uncertainty-about-public-maps": "uncertainty: the exact map is within twice that at about 98 % of the cells of photographs, if the public maps are of the "
    "stimuli: from the known noise, how far maps stray from public ones, clipping and errors in the height of peaks, as simulated on public data",
    "counts-per-person": "heatmap: noisy counts divided by the number of participants, blurred with σ = {blur_px:g} px",
    "counts-blurred": "heatmap: noisy counts, blurred with σ = {blur_px:g} px",
    # Caveats.
    "centre-bias": "low signal-to-noise areas revert to the centre-bias prior: read the map together with its uncertainty",
    "public-maps": "low signal-to-noise areas revert to the public map of the stimulus, which shows nothing of the participants: read the map together with "
    "its uncertainty and with the public map",
    "cap-was-chosen": "the cap was chosen by DP selection from a public list, for a small squared error before the blur",
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
    weight, verb = ("time", "becomes") if p.weight == "duration" else ("samples", "become")
    return (
        f"Each participant's {weight} on a stimulus {verb} one map, and all participants have the same weight. The map is reduced to the low cosine "
        f"frequencies that a blur of σ = {short(p.blur_px)} px leaves visible. They are clipped and summed, and noise is added. The heatmap is computed "
        "from the noisy frequencies and nothing else."
    )


def cell_procedure(p: CellParameters) -> str:
    """Return what is done to the data, before and with the noise."""
    limit = p.max_samples_per_stimulus
    most = "" if limit is None else f", and {several(limit, 'sample')} per stimulus"
    return (
        f"Samples are counted in {p.columns} × {p.rows} cells, at most {p.cap} of one participant in a cell{most}. The counts are summed "
        f"over participants, noise is added to every cell, and the sums are blurred with σ = {short(p.blur_px)} px."
    )


def spectral_biases(p: SpectralParameters) -> list[str]:
    """Return what draws the released values away from the data."""
    drawn = {
        "centre": [
            "maps are shrunk towards a public centre-bias prior of photographs where the signal-to-noise ratio is low."
        ],
        "maps": [
            "maps are shrunk towards public maps of the stimuli where the signal-to-noise ratio is low: a hot spot may be of the public map alone."
        ],
    }
    limited = "each participant's map is clipped to a public norm, and those beyond it count less."
    return [*drawn.get(p.prior, []), limited, _PEAKS]


# Measured on 20 photographs at ε = 8, 3, 1, 0.5 (docs/evidence/utility.md).
_PEAKS = (
    "heights of peaks are uncertain in both directions: noise flattens them (on photographs, maps that correlate with the exact one by 0.96, "
    "0.89, 0.68 and 0.53 had 93, 92, 42 and 21 % of the height of its highest peak, on average), and an uncertain normalization raises or lowers all of "
    "them together. The uncertainty covers both."
)
_COVERED = "On photographs the exact map was within two uncertainties at 99 % of the cells, and at its highest peak in 97 % of the maps."
# docs/evidence/utility.md
_ABOUT_PUBLIC_MAPS = (
    "On photographs the exact map was within two uncertainties at 98 to 99 % of the cells, and at its highest peak in 84 to 100 % of the maps. From public maps of "
    "other photographs, it was so at 93 to 98 % of the cells, and at its highest peak in 10 to 96 % of the maps: where there are few participants, a wrong public map shows."
)


def spectral_reading(p: SpectralParameters) -> list[str]:
    """Return how often the exact map is within the uncertainty, where that was measured."""
    return [_ABOUT_PUBLIC_MAPS] if p.has_public_maps else [_COVERED]


def cell_reading(p: CellParameters, within: int) -> str:
    """Return the noise in the unit of the map, from what it keeps within in 95 of 100 releases, in counts."""
    unit = "counts per participant" if p.people else "counts"
    return (
        f"Before the blur, the noise of every cell is ± {short(within / (p.people or 1))} {unit} (95 %, each cell separately). The blur averages "
        "part of it out. Values below zero are noise, and are drawn as zero."
    )
