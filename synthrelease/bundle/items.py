"""What an output's datasets are called in a bundle, what they are there, and in which order their values stand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from synthrelease.bundle.layout import dataset_path
from synthrelease.bundle.strict_hdf5.anatomy import Form
from synthrelease.dp.event import from_json
from synthrelease.kinds.dataset import Array, Axis, Dataset, in_order
from synthrelease.kinds.parameters import Parameters
from synthrelease.kinds.registry import parameters_of
from synthrelease.kinds.values import Values


@dataclass(frozen=True)
class Item:
    """An item of a dataset, and the HDF5 dataset that it stands in, after the items before it."""

    dataset: Dataset
    index: tuple[int, ...]
    path: str


@dataclass(frozen=True)
class OutputDataset:
    """An HDF5 dataset of a bundle as an output calls for it: of an output's dataset, of one item of it, or of an axis."""

    path: str
    types: tuple[np.dtype[Any], ...]
    shape: tuple[int, ...]
    axis: Axis | None = None
    scales: tuple[str, ...] = ()
    attributes: Mapping[str, str] | None = None

    def form(self, dtype: np.dtype[Any]) -> Form:
        """Return what it is, of one of the types that it may have."""
        name = "" if self.axis is None else self.axis.name
        return Form(
            dtype=dtype, shape=self.shape, axis=name, scales=self.scales, attributes=self.attributes or {}
        )

    def fault(self, actual: Form) -> str | None:
        """Return what is wrong with a dataset's form, if anything: before a value is read."""
        if actual.dtype not in self.types or actual.shape != self.shape:
            return f"expected {' or '.join(map(str, self.types))} of shape {self.shape}"
        if actual != self.form(actual.dtype):
            return "the axes, or what the dataset says of itself, are not those that the parameters call for"
        return None


class StoredOutput:
    """An output's datasets as a bundle has them.

    Args:
        output: its entry in the manifest.
    """

    def __init__(self, output: Mapping[str, Any]) -> None:
        self.name = output["name"]
        self.parameters: Parameters = parameters_of(output)
        self.event = from_json(output["event"])

    @property
    def hdf5_dataset_count(self) -> int:
        """How many HDF5 datasets there are, in little time even if a few words call for any number of them."""
        return self.parameters.dataset_count(self.event)

    @cached_property
    def datasets(self) -> list[Dataset]:
        """What the output is declared to have."""
        return list(self.parameters.datasets(self.event))

    def dataset(self, path: str) -> Dataset:
        """Return the dataset of a path below the output."""
        return self._by_path[path]

    @cached_property
    def _by_path(self) -> dict[str, Dataset]:
        return {dataset.path: dataset for dataset in self.datasets}

    def path(self, dataset: Dataset) -> str:
        """Return which HDF5 dataset a dataset's items stand in."""
        return dataset_path(self.name, dataset.path)

    def items(self) -> list[Item]:
        """Return all items, sources before what follows."""
        paths = {dataset.path: self.path(dataset) for dataset in self.datasets}
        return [Item(dataset, index, paths[dataset.path]) for dataset, index in in_order(self.datasets)]

    @cached_property
    def hdf5_datasets(self) -> list[OutputDataset]:
        """What is called for: the coordinates of axes, each before it is referred to, and the datasets."""
        return list(self._hdf5_datasets())

    def _hdf5_datasets(self) -> Iterator[OutputDataset]:
        axes: dict[str, Axis] = {}
        for dataset in self.datasets:
            for axis in dataset.axes:
                if axis.place not in axes:
                    axes[axis.place] = axis
                    yield self._coordinates(axis)
            scales = tuple(dataset_path(self.name, axis.place) for axis in dataset.axes)
            units = {"units": dataset.unit} if dataset.unit else {}
            attributes = {"role": str(dataset.role), "long_name": dataset.quantity, **units}
            yield OutputDataset(
                self.path(dataset), dataset.types, dataset.shape, scales=scales, attributes=attributes
            )

    def _coordinates(self, axis: Axis) -> OutputDataset:
        units = {"units": axis.unit} if axis.unit else {}
        return OutputDataset(
            dataset_path(self.name, axis.place), (axis.dtype,), (len(axis),), axis, (), units
        )

    def values(self, drawn: Mapping[str, Array]) -> Iterator[tuple[str, Array]]:
        """Yield path and values of every item, derived as it is asked for.

        Args:
            drawn: the datasets that follow from nothing, by path.
        """
        for dataset, _, values in Values(self.parameters, self.event, drawn):
            yield self.path(dataset), values
