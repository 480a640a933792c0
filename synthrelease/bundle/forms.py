"""The public forms that a manifest's parameters describe: how contributions became integers, and integers what is shown."""

from __future__ import annotations

from typing import Any

from synthrelease.maths.signal_form import SignalForm
from synthrelease.maths.spectral import SpectralForm
from synthrelease.maths.spectral_signals import SpectralSignalForm


def spectral_form(parameters: dict[str, Any]) -> SpectralForm:
    """Return the form of spectral heatmaps with these parameters."""
    p, screen, window = parameters, parameters["screen"], parameters["window"]
    blurs: tuple[float, ...] = (p["blur_px"] / screen["height_px"], p["blur_px"] / screen["width_px"])
    cells: tuple[int, ...] = (p["rows"], p["columns"])
    if window is not None:
        blurs = (p["blur_time"] / (window[1] - window[0]), *blurs)
        cells = (p["frames"], *cells)
    return SpectralForm(blurs, cells, p["exponent"], p["clip"], p["prior"])


def signal_form(mechanism: dict[str, Any]) -> SignalForm:
    """Return the form of signals by lpa, fpa, cfpa or dcfpa, from the manifest's `mechanism`."""
    p = mechanism["parameters"]
    return SignalForm(
        mechanism["name"], p["length"], p["chunk"], p["coefficients"], p["max_change_steps"], p["clip"]
    )


def spectral_signal_form(parameters: dict[str, Any]) -> SpectralSignalForm:
    """Return the form of spectral signals with these parameters."""
    p = parameters
    series = len(p["features"]) * len(p["recordings"])
    return SpectralSignalForm(
        p["length"], series, p["cosines"], p["baseline"], p["baseline_steps"], p["clip"]
    )
