"""Signals: the sentences of what a manifest states by codes."""

SENTENCES = {
    # Why the sensitivity is what it is.
    "bounded-steps": "each series: {length} time steps between public bounds; a person has {recordings:several recording} of "
    "{features:several feature}, all changed",
    "balls-of-coefficients": "each series: chunks of {lengths} time steps, {chunks} of them, of whose orthonormal Fourier coefficients "
    "{coefficients} are clipped to balls of {radii} grid units; a person has {recordings:several recording} of "
    "{features:several feature}, all changed",
    "balls-of-differences": "each series: chunks of {lengths} time steps, {chunks} of them, of whose differences {coefficients} orthonormal "
    "Fourier coefficients are clipped to balls of {radii} grid units; a person has {recordings:several recording} of "
    "{features:several feature}, all changed",
    "balls-of-chosen-coefficients": "each series: chunks of {lengths} time steps, {chunks} of them, of whose orthonormal Fourier "
    "coefficients the chosen number is clipped to a ball; a person has {recordings:several recording} of "
    "{features:several feature}, all changed",
    "balls-of-chosen-differences": "each series: chunks of {lengths} time steps, {chunks} of them, of whose differences the chosen number of "
    "orthonormal Fourier coefficients is clipped to a ball; a person has {recordings:several recording} of "
    "{features:several feature}, all changed",
    "ball-of-all-series": "a constant and {cosines:several coefficient} of each series of a person, {recordings:several recording} of "
    "{features:several feature} together, are clipped to a ball of {radius} grid units",
    "none": "no sensitivity follows from public parameters",
    # What is done to the noisy integers.
    "means-in-units": "values: divided by the number of participants, in the feature's unit",
    "means-transformed-back": "values: divided by the number of participants, transformed back, in the feature's unit",
    "means-added-up": "values: divided by the number of participants, transformed back, added up from the start of each chunk, in the "
    "feature's unit",
    "series-in-units": "values: in the feature's unit",
    "series-transformed-back": "values: transformed back, in the feature's unit",
    "series-added-up": "values: transformed back, added up from the start of each chunk, in the feature's unit",
    "noise-uncertainty": "uncertainty: standard deviation of the noise at each time step; what the frequencies leave out is not in it",
    "normalization": "normalization: how many participants' series are left after clipping, from the noisy constants",
    "means-shrunk": "values: divided by normalization, all but the level shrunk as the known noise calls for, in the feature's unit",
    "error-uncertainty": "uncertainty: standard deviation of the error from noise, shrinking and normalization, against the mean of clipped "
    "series",
    "published-series": "values: each participant's noisy series, in the feature's unit, in random order",
    # Caveats.
    "completed-by-last": "series are cut to {length} time steps, or forward-filled with their last value; gaps hold the value before them, of "
    "the same person",
    "completed-by-centre": "series are cut to {length} time steps, or completed by the centre of the bounds; gaps hold the value before "
    "them, of the same person",
    "noise-of-a-person": "each person's series carries the noise of a whole person: the order of people is random",
    "change-from-person": "values are changes from each person's own mean over all their recordings of the feature",
    "change-from-recording": "values are changes from each person's own mean over the recording",
    "change-from-start": "values are changes from each person's own mean over the first time steps of the recording",
    "clipped-series": "participants who stray more than others count less: their series were clipped to the same norm",
    "protects-no-one": "protects no one: sensitivities and numbers of coefficients are taken from the private data, and chunks of one person "
    "are counted as if they were of different people (Bozkir et al. 2021, for reproduction)",
}
