"""The items of an output's datasets, and where in a bundle each stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from synthrelease.bundle.format_1 import labels_of, shape_of
from synthrelease.bundle.layout import dataset_path
from synthrelease.kinds.dataset import Dataset, in_order
from synthrelease.kinds.registry import parameters_of
from synthrelease.privacy.event import from_json


@dataclass(frozen=True)
class Item:
    """An item of a dataset, as a bundle has it."""

    dataset: Dataset
    index: tuple[int, ...]
    path: str  # of the HDF5 dataset
    shape: tuple[int, ...]

    def form_fault(self, dtype: Any, shape: tuple[int, ...]) -> str | None:
        """Return what is wrong with type and shape, if anything: before a value is read."""
        if dtype in self.dataset.types and shape == self.shape:
            return None
        return f"expected {' or '.join(map(str, self.dataset.types))} of shape {self.shape}"


def datasets_of(output: dict[str, Any]) -> list[Dataset]:
    """Return the datasets that an output's entry in the manifest calls for."""
    return list(parameters_of(output).datasets(from_json(output["event"])))


def items_of(output: dict[str, Any]) -> list[Item]:
    """Return the items that an output's entry in the manifest calls for, sources before what follows."""
    parameters = parameters_of(output)
    return [
        Item(
            dataset,
            index,
            dataset_path(output["name"], *labels_of(parameters, dataset, index)),
            shape_of(parameters, dataset),
        )
        for dataset, index in in_order(list(parameters.datasets(from_json(output["event"]))))
    ]


def item_count(output: dict[str, Any]) -> int:
    """Return how many items `items_of` would list, without listing them: a manifest may be from anyone."""
    return parameters_of(output).item_count(from_json(output["event"]))
