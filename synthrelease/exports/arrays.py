"""Outputs of a release as datasets of xarray: axes are dimensions, with their coordinates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import numpy as np

from synthrelease.bundle import Bundle
from synthrelease.dp.event import from_json
from synthrelease.errors import MachineError, no_such
from synthrelease.exports.guarantee_text import guarantee_sentence, title
from synthrelease.exports.table import free_name
from synthrelease.kinds.dataset import Axis, Dataset
from synthrelease.kinds.parameters import Feature
from synthrelease.kinds.registry import parameters_of
from synthrelease.report.families import families_of
from synthrelease.report.released import Released

if TYPE_CHECKING:
    import xarray as xr


def dataset_of(bundle: Bundle, name: str) -> xr.Dataset:
    """Return the published values of an output with their coordinates: `ReadableBundle.to_xarray`."""
    output = next((entry for entry in bundle.manifest["outputs"] if entry["name"] == name), None)
    if output is None:
        raise no_such("output", name, bundle.names)
    try:
        import xarray as xr  # noqa: PLC0415  an extra
    except ImportError:
        raise missing_library("xarray") from None
    parameters = parameters_of(output)
    about = {"guarantee": guarantee_sentence(bundle.manifest, output)}
    families = families_of(parameters.datasets(from_json(output["event"])))
    datasets = [
        *(dataset for family in families.of_values for dataset in family.datasets),
        *families.records,
        *(family.values for family in families.tables),
        *families.counts,
    ]
    dimensions = _distinct({axis.place: axis.name for dataset in datasets for axis in dataset.axes})
    names = _distinct(
        {dataset.path: _variable_name(dataset) for dataset in datasets}, taken=dimensions.values()
    )
    variables: dict[str, Any] = {}
    coordinates: dict[str, Any] = {}
    with Released(bundle.path, bundle.manifest) as released:
        for dataset in datasets:
            axes = {dimensions[axis.place]: axis for axis in dataset.axes}
            coordinates |= {dimension: _coordinate(dimension, axis) for dimension, axis in axes.items()}
            unit = {"units": dataset.unit} if dataset.unit else {}
            variables[names[dataset.path]] = (
                list(axes),
                _decoded(dataset, released.array(name, dataset.path)),
                {"long_name": dataset.quantity, **about, **unit},
            )
    if "feature" in coordinates:
        coordinates |= _feature_coordinates(parameters.bounded)
    release = bundle.manifest["release"]
    attributes = {
        "title": title(bundle.manifest),
        "release": f"{release['name']} {release['version']}",
        **about,
    }
    return xr.Dataset(variables, coordinates, attributes)


def missing_library(library: str) -> MachineError:
    """Return the error of a library of an extra that is not installed."""
    return MachineError(
        "extra-missing", f"{library} is not installed", remedy=f"pip install 'synthrelease[{library}]'"
    )


def _variable_name(dataset: Dataset) -> str:
    return unquote(dataset.path).replace("/", "_")


def _distinct(preferred: Mapping[str, str], taken: Iterable[str] = ()) -> dict[str, str]:
    """Names by what they are of, no two alike: `a/b` and `a_b` are both called `a_b` otherwise."""
    names: dict[str, str] = {}
    for subject, name in preferred.items():
        names[subject] = free_name(name, {*names.values(), *taken})
    return names


def _feature_coordinates(features: Sequence[Feature]) -> dict[str, Any]:
    """The units and public bounds of features, next to their names."""
    if not features:
        return {}
    return {
        "unit": ("feature", np.array([feature.known_unit for feature in features], dtype=object)),
        "low": ("feature", np.array([feature.low for feature in features], dtype=np.float64)),
        "high": ("feature", np.array([feature.high for feature in features], dtype=np.float64)),
    }


def _coordinate(name: str, axis: Axis) -> tuple[Any, ...]:
    values = axis.values
    if values.dtype.kind == "S":
        values = np.array([str(label) for label in axis.coordinates], dtype=object)
    units = {"units": axis.unit} if axis.unit else {}
    return name, values, {**units, **({"long_name": axis.words.rstrip(".")} if axis.words else {})}


def _decoded(dataset: Dataset, values: Any) -> Any:
    """Labels in the place of their numbers, where they have any."""
    if dataset.codes is None or isinstance(dataset.codes.coordinates, np.ndarray):
        return values
    return np.array([str(label) for label in dataset.codes.coordinates], dtype=object)[values]
