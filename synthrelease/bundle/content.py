"""What a bundle holds besides its manifest: of a release that is to be written, and of a bundle that is there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from synthrelease.bundle.items import OutputDataset, StoredOutput
from synthrelease.bundle.layout import FORMAT, FORMAT_VERSION, OUTPUTS, dataset_path
from synthrelease.bundle.strict_hdf5.anatomy import Form
from synthrelease.bundle.strict_hdf5.bundle_file import BundleFile
from synthrelease.kinds.dataset import Array

Attributes = Mapping[str, int | bytes]
Piece = tuple[str, NDArray[Any]]  # path of a dataset, and its next values


@dataclass(frozen=True)
class Content:
    """What a bundle is to hold besides its manifest."""

    groups: Mapping[str, Attributes]  # by path, the root among them
    forms: Mapping[str, Form]  # of datasets, by path, dimension scales before what has them
    values: Iterable[Piece]  # of every dataset in their order; of several datasets in any order


def root_attributes() -> Attributes:
    """Return the attributes of the root of a bundle."""
    return {"format": FORMAT.encode("ascii"), "format_version": FORMAT_VERSION}


def output_attributes(kind: str) -> Attributes:
    """Return the attributes of an output's group."""
    return {"encoding_type": kind.encode("ascii"), "encoding_version": FORMAT_VERSION}


def released_content(
    outputs: Sequence[Mapping[str, Any]], drawn: Mapping[str, Mapping[str, Array]]
) -> Content:
    """Return the content of a release; what follows from the drawn datasets is derived as it is asked for.

    Args:
        outputs: entries of the manifest.
        drawn: of every output, by its name, the datasets that follow from nothing, by path.
    """
    groups: dict[str, Attributes] = {"/": root_attributes(), OUTPUTS: {}}
    forms: dict[str, Form] = {}
    written = [StoredOutput(output) for output in outputs]
    scales = []
    for output, stored in zip(outputs, written, strict=True):
        groups[dataset_path(stored.name)] = output_attributes(output["kind"])
        types = {
            stored.path(dataset): drawn[stored.name][dataset.path].dtype
            for dataset in stored.datasets
            if dataset.derive is None
        }
        for dataset in stored.hdf5_datasets:
            forms[dataset.path] = dataset.form(types.get(dataset.path, dataset.types[0]))
            if dataset.axis is not None:
                scales.append(dataset)
    return Content(groups, forms, _values(scales, written, drawn))


def _values(
    scales: Sequence[OutputDataset], outputs: Sequence[StoredOutput], drawn: Mapping[str, Mapping[str, Array]]
) -> Iterator[Piece]:
    for scale in scales:
        assert scale.axis is not None
        yield scale.path, scale.axis.values
    for output in outputs:
        yield from output.values(drawn[output.name])


def content_of(file: BundleFile) -> Content:
    """Return the content of a bundle."""
    datasets = file.anatomy.datasets
    scales_first = sorted(file.dataset_paths(), key=lambda path: not datasets[path].axis)
    values = ((path, piece) for path in file.dataset_paths() for piece in file.pieces(path))
    return Content(file.anatomy.groups, {path: datasets[path].form for path in scales_first}, values)
