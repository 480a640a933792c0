"""Outputs of a release as datasets of xarray: axes are dimensions, with their coordinates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import numpy as np

from synthrelease.bundle import Bundle
from synthrelease.dp.event import from_json
from synthrelease.errors import MachineError, no_such
from synthrelease.exports.guarantee_text import title
from synthrelease.exports.tables import guarantee_sentence
from synthrelease.kinds.dataset import Axis, Dataset
from synthrelease.kinds.registry import parameters_of
from synthrelease.report.families import families_of
from synthrelease.report.released import Released
from synthrelease.units import unit_of

if TYPE_CHECKING:
    import xarray as xr


def dataset_of(bundle: Bundle, name: str) -> xr.Dataset:
    """Return the published values of an output with their coordinates: `ReadableBundle.to_xarray`."""
    output = next((one for one in bundle.manifest["outputs"] if one["name"] == name), None)
    if output is None:
        raise no_such("output", name, bundle.names)
    try:
        import xarray as xr  # noqa: PLC0415  an extra
    except ImportError:
        raise missing_library("xarray") from None
    parameters = parameters_of(output)
    about = {"guarantee": guarantee_sentence(bundle.manifest, output)}
    variables: dict[str, Any] = {}
    coordinates: dict[str, Any] = {}
    with Released(bundle.path, bundle.manifest) as released:
        shown = families_of(parameters.datasets(from_json(output["event"])))
        datasets = [
            *(dataset for family in shown.of_values for dataset in family.datasets),
            *shown.records,
            *shown.counts,
        ]
        dimensions = _distinct({axis.place: axis.name for dataset in datasets for axis in dataset.axes})
        names = _distinct(
            {dataset.path: _variable(dataset) for dataset in datasets}, taken=dimensions.values()
        )
        for dataset in datasets:
            along = [dimensions[axis.place] for axis in dataset.axes]
            coordinates |= {
                name: _coordinate(name, axis) for name, axis in zip(along, dataset.axes, strict=True)
            }
            values = released.array(name, dataset.path)
            attributes = {
                "long_name": dataset.quantity,
                **about,
                **({"units": dataset.unit} if dataset.unit else {}),
            }
            variables[names[dataset.path]] = (along, _decoded(dataset, values), attributes)
    features = parameters.bounded
    if features and "feature" in coordinates:
        for key, each in {
            "unit": np.array([unit_of(one.name) for one in features], dtype=object),
            "low": np.array([one.low for one in features], dtype=np.float64),
            "high": np.array([one.high for one in features], dtype=np.float64),
        }.items():
            coordinates[key] = ("feature", each)
    release = bundle.manifest["release"]
    attributes = {
        "title": title(bundle.manifest),
        "release": f"{release['name']} {release['version']}",
        **about,
    }
    return xr.Dataset(variables, coordinates, attributes)


def missing_library(library: str) -> MachineError:
    """Return what is said where a library of an extra is not there."""
    return MachineError(
        "extra-missing", f"{library} is not installed", remedy=f"pip install 'synthrelease[{library}]'"
    )


def _variable(dataset: Dataset) -> str:
    return unquote(dataset.path).replace("/", "_")


def _distinct(wanted: Mapping[str, str], taken: Iterable[str] = ()) -> dict[str, str]:
    """Names by what they are of, no two alike: `a/b` and `a_b` are both called `a_b` otherwise."""
    names: dict[str, str] = {}
    for key, name in wanted.items():
        while name in names.values() or name in taken:
            name += "_"  # noqa: PLW2901
        names[key] = name
    return names


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
