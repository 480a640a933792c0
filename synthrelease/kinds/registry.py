"""Kinds and their mechanisms by name: the only list."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from synthrelease.kinds.areas.public import AreasParameters
from synthrelease.kinds.heatmap.public import CellParameters, SpectralParameters
from synthrelease.kinds.parameters import Parameters
from synthrelease.kinds.records.public import RecordsParameters
from synthrelease.kinds.signals.public import (
    CoefficientParameters,
    PublishedParameters,
    SpectralSignalParameters,
)
from synthrelease.kinds.statistics.public import StatisticsParameters

_MECHANISMS: dict[tuple[str, str], type[Parameters]] = {
    ("heatmap", "spectral"): SpectralParameters,
    **{("heatmap", name): CellParameters for name in ("gaussian", "laplace")},
    **{("areas", name): AreasParameters for name in ("gaussian", "laplace")},
    ("signals", "spectral"): SpectralSignalParameters,
    **{("signals", name): CoefficientParameters for name in ("lpa", "fpa", "cfpa", "dcfpa")},
    **{("signals", f"bozkir2021 {name}"): PublishedParameters for name in ("lpa", "fpa", "cfpa", "dcfpa")},
    **{
        ("statistics", name): StatisticsParameters
        for name in ("discrete_laplace", "rounded_gaussian", "exponential")
    },
    **{("records", name): RecordsParameters for name in ("marginals", "seeded")},
}


def parameters_of(output: Mapping[str, Any]) -> Parameters:
    """Return the public parameters of an output.

    Args:
        output: an entry of a manifest's `outputs`.

    Raises:
        ValueError: its parameters have not the form of its mechanism's.
        KeyError: there is no such mechanism.
    """
    mechanism = output["mechanism"]
    name = mechanism["name"]
    if mechanism["parameters"].get("calibration") == "bozkir2021":
        name = f"bozkir2021 {name}"
    return _MECHANISMS[output["kind"], name].from_entry(mechanism)


def input_kinds() -> dict[str, str]:
    """Return which kind of input every kind of output is made of."""
    return {kind: parameters.input_kind for (kind, _), parameters in _MECHANISMS.items()}


def listed_nouns() -> dict[str, str]:
    """Return what the public list of the input of every kind of output is a list of."""
    return {kind: parameters.listed for (kind, _), parameters in _MECHANISMS.items()}
