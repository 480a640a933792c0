"""Heatmaps and signals of a release as datasets of xarray."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from synthrelease.bundle import Bundle
from synthrelease.errors import ArgumentError, no_such
from synthrelease.exports.frames import missing
from synthrelease.exports.map_tables import value_name, value_words
from synthrelease.exports.promised import title
from synthrelease.exports.signal_tables import course_words
from synthrelease.exports.tables import promise_sentence
from synthrelease.exports.units import unit_of
from synthrelease.report.released import Released

if TYPE_CHECKING:
    import xarray as xr

_Variables = dict[str, tuple[Sequence[str], NDArray[Any], dict[str, str]]]
_SPREAD = "standard deviation of the error"


def dataset_of(bundle: Bundle, name: str) -> xr.Dataset:
    """Return heatmaps or signals with their coordinates: `ReadableBundle.to_xarray`."""
    output = next((one for one in bundle.manifest["outputs"] if one["name"] == name), None)
    if output is None:
        raise no_such("output", name, bundle.names)
    if output["kind"] not in ("heatmap", "signals"):
        raise ArgumentError(
            "no-dimensions",
            f"'{name}' has no dimensions for xarray",
            where=str(bundle.path),
            found=output["kind"],
            expected="heatmaps or signals",
            remedy=f'write bundle.to_pandas("{name}")',
        )
    try:
        import xarray as xr  # noqa: PLC0415  an extra
    except ImportError:
        raise missing("xarray") from None
    promise = promise_sentence(bundle.manifest, output)
    with Released(bundle.path, bundle.manifest) as released:
        variables, coordinates = (_maps if output["kind"] == "heatmap" else _signals)(released, output)
    told = {"guarantee": promise}
    data = {key: (dims, values, {**attrs, **told}) for key, (dims, values, attrs) in variables.items()}
    release = bundle.manifest["release"]
    about = {"title": title(bundle.manifest), "release": f"{release['name']} {release['version']}", **told}
    return xr.Dataset(data, coordinates, about)


def _maps(released: Released, output: dict[str, Any]) -> tuple[_Variables, dict[str, Any]]:
    p = output["mechanism"]["parameters"]
    over_time = p.get("window") is not None
    dims = ("stimulus", *(("frame",) if over_time else ()), "y", "x")
    pixels = {"units": "px"}
    width, height = p["screen"]["width_px"], p["screen"]["height_px"]
    coordinates: dict[str, Any] = {
        "stimulus": ("stimulus", np.array(p["stimuli"], dtype=object)),
        "y": ("y", (np.arange(p["rows"]) + 0.5) * (height / p["rows"]), pixels),
        "x": ("x", (np.arange(p["columns"]) + 0.5) * (width / p["columns"]), pixels),
    }
    if over_time:
        start, end = p["window"]
        edges = np.linspace(start, end, p["frames"] + 1)
        coordinates["frame"] = ("frame", np.arange(p["frames"]))
        coordinates["time_from"], coordinates["time_to"] = ("frame", edges[:-1]), ("frame", edges[1:])
    read = {value_name(output): ("heatmap", {"long_name": value_words(output)})}
    if output["mechanism"]["name"] == "spectral":
        read["uncertainty"] = ("uncertainty", {"long_name": _SPREAD})
    variables: _Variables = {
        key: (dims, np.stack([released.values(output["name"], one, path) for one in p["stimuli"]]), attrs)
        for key, (path, attrs) in read.items()
    }
    if output["mechanism"]["name"] == "spectral":
        masses = np.stack([released.values(output["name"], one, "mass") for one in p["stimuli"]])
        for place, key in enumerate(("mass", "mass_error")):
            variables[key] = (("stimulus",), masses[:, place], {"units": "people"})
    return variables, coordinates


def _signals(released: Released, output: dict[str, Any]) -> tuple[_Variables, dict[str, Any]]:
    p = output["mechanism"]["parameters"]
    features = [one["name"] for one in p["features"]]

    def stacked(what: str) -> NDArray[Any]:
        return np.stack(
            [
                np.stack([released.values(output["name"], recording, one, what) for one in features])
                for recording in p["recordings"]
            ]
        )

    values = stacked("values")
    series = ("series",) if values.ndim > 3 else ()
    coordinates: dict[str, Any] = {
        "recording": ("recording", np.array(p["recordings"], dtype=object)),
        "feature": ("feature", np.array(features, dtype=object)),
        "unit": ("feature", np.array([unit_of(one) for one in features], dtype=object)),
        "low": ("feature", np.array([one["low"] for one in p["features"]], dtype=float)),
        "high": ("feature", np.array([one["high"] for one in p["features"]], dtype=float)),
        "step": ("step", np.arange(p["length"]), {"units": "steps"}),
    }
    if series:
        coordinates["series"] = ("series", np.arange(1, values.shape[2] + 1))
    dims = ("recording", "feature", *series, "step")
    variables: _Variables = {"value": (dims, values, {"long_name": course_words(output)})}
    if output["noise"] is not None:
        spread = stacked("uncertainty")
        variables["uncertainty"] = (("recording", "feature", "step"), spread, {"long_name": _SPREAD})
    return variables, coordinates
