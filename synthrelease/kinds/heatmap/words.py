"""Heatmaps: the sentences of what a manifest states by codes."""

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
