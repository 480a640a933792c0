"""Outputs of a release as datasets of xarray: axes are dimensions, with their coordinates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import numpy as np

from synthrelease.bundle import Bundle
from synthrelease.errors import MachineError
from synthrelease.exports.sources import about_release, source_of
from synthrelease.exports.table import OutputSource, free_name
from synthrelease.kinds.dataset import Axis, Dataset
from synthrelease.kinds.parameters import Feature
from synthrelease.reports.families import families_of

if TYPE_CHECKING:
    import xarray as xr


def tree_of(bundle: Bundle) -> xr.DataTree:
    """Return all outputs of a bundle: `ReadableBundle.to_xarray` without a name."""
    _require_xarray()
    import xarray as xr  # noqa: PLC0415  an extra

    root = xr.Dataset(attrs=_stated(about_release(bundle.manifest)))
    return xr.DataTree.from_dict(
        {"/": root, **{name: dataset_of(source_of(bundle, name)) for name in bundle.names}}
    )


def dataset_of(source: OutputSource) -> xr.Dataset:
    """Return the published values of an output with their coordinates: `ReadableBundle.to_xarray`."""
    _require_xarray()
    import xarray as xr  # noqa: PLC0415  an extra

    about = {"guarantee": source.guarantee}
    families = families_of(source.datasets)
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
    for dataset in datasets:
        axes = {dimensions[axis.place]: axis for axis in dataset.axes}
        coordinates |= {dimension: _coordinate(dimension, axis) for dimension, axis in axes.items()}
        unit = {"units": dataset.unit} if dataset.unit else {}
        variables[names[dataset.path]] = (
            list(axes),
            _decoded(dataset, source.array(dataset)),
            {"long_name": dataset.quantity, **about, **unit},
        )
    if "feature" in coordinates:
        coordinates |= _feature_coordinates(source.parameters.bounded)
    return xr.Dataset(variables, coordinates, _stated({**source.about, **about}))


def _require_xarray() -> None:
    try:
        import xarray  # noqa: F401, PLC0415  an extra
    except ImportError:
        raise missing_library("xarray") from None


def _stated(about: Mapping[str, str]) -> dict[str, str]:
    """Attributes with a value: NetCDF has no empty texts."""
    return {key: text for key, text in about.items() if text}


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
