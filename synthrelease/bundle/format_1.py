"""Where the items of datasets stand in a bundle of format 1, where each is a dataset of its own. Frozen: no other kinds will have it."""

from __future__ import annotations

from urllib.parse import unquote

from synthrelease.bundle.layout import dataset_path
from synthrelease.kinds.dataset import Dataset, quoted
from synthrelease.kinds.parameters import Parameters

_NAMES = {"noisy": "noised", "normalization": "mass"}


def path_of(output: str, parameters: Parameters, dataset: Dataset, index: tuple[int, ...]) -> str:
    """Return the path of an item's dataset, such as /outputs/attention/1001/noised."""
    return dataset_path(output, "/".join(map(quoted, labels_of(parameters, dataset, index))))


def labels_of(parameters: Parameters, dataset: Dataset, index: tuple[int, ...]) -> tuple[str, ...]:
    """Return the labels below the output of an item's dataset."""
    first, *others = map(unquote, dataset.path.split("/"))
    places = [str(axis.coordinates[number]) for axis, number in zip(dataset.axes, index, strict=False)]
    match parameters.kind:
        case "records":  # by attributes, and last what of them
            return (*others, _NAMES.get(first, first))
        case "statistics":  # by statistics, and last what of them
            return (first, *places, *(_NAMES.get(part, part) for part in others))
    return (*places, *(_NAMES.get(part, part) for part in (first, *others)))


def shape_of(parameters: Parameters, dataset: Dataset) -> tuple[int, ...]:
    """Return the shape of an item's dataset: a single number is a list of one."""
    if parameters.kind == "statistics" and not {axis.name for axis in dataset.axes} & {"integer", "bin"}:
        return (1, *dataset.item_shape)
    return dataset.item_shape
