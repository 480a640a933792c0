"""Signals: the sentences of what a manifest states by codes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from synthrelease.number_words import listed, participants, several, short

if TYPE_CHECKING:
    from synthrelease.kinds.signals.public import CoefficientParameters, SpectralSignalParameters
    from synthrelease.kinds.signals.public_series import SignalParameters

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
    # What is done to the noisy integers.
    "means-in-units": "values: divided by the number of participants, in the feature's unit",
    "means-transformed-back": "values: divided by the number of participants, transformed back, in the feature's unit",
    "means-added-up": "values: divided by the number of participants, transformed back, added up from the start of each chunk, in the "
    "feature's unit",
    "series-in-units": "values: in the feature's unit",
    "series-transformed-back": "values: transformed back, in the feature's unit",
    "series-added-up": "values: transformed back, added up from the start of each chunk, in the feature's unit",
    "noise-uncertainty": "uncertainty: standard deviation of the noise at each time step; the error of leaving out frequencies is not included",
    "normalization": "normalization: how many participants' series are left after clipping, from the noisy constants",
    "means-shrunk": "values: divided by normalization, all but the level shrunk according to the known noise, in the feature's unit",
    "error-uncertainty": "uncertainty: standard deviation of the error from noise, shrinking and normalization, against the mean of clipped "
    "series",
    # Caveats.
    "completed-by-last": "series are cut to {length} time steps, or forward-filled with their last value; gaps hold the value before them, of "
    "the same person",
    "completed-by-centre": "series are cut to {length} time steps, or padded with the midpoint of the bounds; gaps hold the value before "
    "them, of the same person",
    "noise-of-a-person": "each series carries the noise of a whole person; the order of participants is random",
    "change-from-person": "values are changes from each person's own mean over all their recordings of the feature",
    "change-from-recording": "values are changes from each person's own mean over the recording",
    "change-from-start": "values are changes from each person's own mean over the first time steps of the recording",
    "clipped-series": "participants with larger deviations are down-weighted by norm clipping",
}


def summary(p: SignalParameters) -> str:
    """Return what is released."""
    subject = "Each participant's own noisy series" if p.is_each else "The mean time series"
    length, number = several(p.length, "time step"), len(p.recordings)
    recordings = f", in {several(number, 'recording')}" if number > 1 else ""
    step = "" if p.step_s is None else f" of {short(p.step_s)} s"
    names = listed([feature.shown_name for feature in p.features])
    return f"{subject} of {names} over {length}{step}, of {participants(p.people)}{recordings}."


def spectral_procedure(p: SpectralSignalParameters) -> str:
    """Return what is done to the data, before and with the noise."""
    return (
        f"Each participant's time series is reduced to its {several(p.cosines, 'lowest cosine coefficient')}, clipped and summed, and noise is "
        "added. The mean series is computed from the noisy coefficients and nothing else."
    )


def coefficient_procedure(p: CoefficientParameters) -> str:
    """Return what is done to the data, before and with the noise."""
    kept = several(p.coefficients or 0, "frequency", "frequencies")
    chunks = "" if p.chunk is None else f", in chunks of {several(p.chunk, 'time step')}"
    done = {
        "lpa": "Noise is added to every time step",
        "fpa": f"Of each series {kept} are kept, and noise is added to them",
        "cfpa": f"Of each series {kept} are kept{chunks}, and noise is added to them",
        "dcfpa": f"Of the changes from time step to time step {kept} are kept{chunks}, and noise is added to them",
    }[p.name]
    over = "for each participant" if p.is_each else "after summing over participants"
    return f"{done}, {over}. Values are clipped to public bounds first."


def biases(p: SignalParameters) -> list[str]:
    """Return what draws the released values away from the data."""
    return [
        "values beyond the public bounds are clipped to the bounds.",
        f"series are cut or padded to {several(p.length, 'time step')}.",
    ]


NOISE_OF_EACH = (
    "Each series must hide its participant, so it carries the full noise, which a mean would average over participants. A single series is mostly "
    "noise; analyse many of them together."
)
