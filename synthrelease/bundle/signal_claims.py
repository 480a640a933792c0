"""What follows from the parameters of a signals output: its sensitivity, for a person and for less, and its bounds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synthrelease.bundle.forms import signal_form, spectral_signal_form
from synthrelease.maths.signal_form import CHUNKED, LPA
from synthrelease.maths.spectral_signals import RADIUS
from synthrelease.privacy.event import BOZKIR2021_EVENT, DiscreteLaplace, Event, RoundedGaussian
from synthrelease.privacy.guarantee import Neighbours, Unit
from synthrelease.privacy.sensitivity import Sensitivity, clipped_coefficients, signal, signal_chunk

SPECTRAL = "spectral"


def sensitivity(mechanism: dict[str, Any], neighbours: Neighbours) -> Sensitivity:
    """Return the sensitivity of all series of a person together."""
    p = mechanism["parameters"]
    if mechanism["name"] == SPECTRAL:
        form = spectral_signal_form(p)
        return clipped_coefficients(count=form.series * form.count, radius=RADIUS, neighbours=neighbours)
    one = signal(signal_form(mechanism), radii=p["bound_steps"], neighbours=neighbours)
    return one.times(len(p["features"]) * len(p["recordings"]))


def narrower(mechanism: dict[str, Any], neighbours: Neighbours) -> list[tuple[Unit, Sensitivity]]:
    """Return the sensitivity for changes of less than a person, the rest of the person staying as it is.

    From the narrowest on, without those that are the next wider one. None for spectral signals: all of a person is clipped
    together, so that a change of little may change all.
    """
    p, name = mechanism["parameters"], mechanism["name"]
    if name == SPECTRAL or p["calibration"] != "exact":
        return []
    form = signal_form(mechanism)
    one = signal(form, radii=p["bound_steps"], neighbours=neighbours)
    recording = one.times(len(p["features"]))
    least = Unit.STEP if name == LPA else Unit.CHUNK
    units = [
        (least, signal_chunk(form, radii=p["bound_steps"], neighbours=neighbours)),
        (Unit.SERIES, one),
        (Unit.RECORDING, recording),
        (Unit.PERSON, recording.times(len(p["recordings"]))),
    ]
    wider = [sensitivity for _, sensitivity in units[1:]]
    return [unit for unit, next_wider in zip(units[:-1], wider, strict=True) if unit[1] != next_wider]


def largest(mechanism: dict[str, Any], people: int) -> int:
    """Return a bound of every integer before noise."""
    p = mechanism["parameters"]
    bound: int = RADIUS if mechanism["name"] == SPECTRAL else max(p["bound_steps"])
    return bound * (1 if p["query"] == "each" else people)


def of_high_frequency(mechanism: dict[str, Any]) -> NDArray[np.bool_]:
    """Return which integers of a series are of the upper half of its frequencies: there people's mean has least to say.

    Shape (K,); all of them for lpa.
    """
    if mechanism["name"] == SPECTRAL:
        count = spectral_signal_form(mechanism["parameters"]).count
        return np.arange(count) >= count // 2
    form = signal_form(mechanism)
    least = 0 if form.mechanism == LPA else 1
    return np.concatenate(
        [np.tile(np.arange(part.count) >= least * (part.count // 2), part.chunks) for part in form.parts]
    )


def faults(
    mechanism: dict[str, Any], event: Event, noise: RoundedGaussian | DiscreteLaplace | None
) -> Iterator[tuple[str, str]]:
    """Yield (code, fault) where name, parameters, event and noise contradict each other.

    Args:
        mechanism: the manifest's entry.
        event: what was done.
        noise: the noise in it.
    """
    p, name = mechanism["parameters"], mechanism["name"]
    published = p.get("calibration") == "bozkir2021"
    if published != (event == BOZKIR2021_EVENT):
        yield (
            "guarantee",
            "what the paper calibrates protects nobody, for the reason that is known, and nothing else does not",
        )
    elif not published and (noise is None or (name == SPECTRAL and not isinstance(noise, RoundedGaussian))):
        yield "noise", "the mechanism's name is not that of its noise"
    if published:
        yield from _published_faults(p, name)
        return
    try:
        if name == SPECTRAL:
            if p["constant_steps"] != spectral_signal_form(p).constant:
                yield "sensitivity", "the constant does not follow from the number of series"
            return
        form = signal_form(mechanism)
        if p["candidates"]:
            replace(form, frequencies=max(p["candidates"]))
        radii = [part.radius for part in form.parts]
    except ValueError:
        yield "manifest", "the parameters of the signals contradict each other"
        return
    # An eigenvalue errs by far less than the bound that follows from it is rounded up: equal on every machine.
    if p["bound_steps"] != radii:
        yield "sensitivity", "the bounds of a series do not follow from its form"


def _published_faults(p: dict[str, Any], name: str) -> Iterator[tuple[str, str]]:
    if (p["chunk"] is not None) != (name in CHUNKED) or (p["chunk"] or 0) > p["length"]:
        yield "manifest", "chunks belong to cfpa and dcfpa, and are no longer than the series"
    if (p["coefficients"] is None) != (name == LPA):
        yield "manifest", "coefficients belong to all but lpa"
