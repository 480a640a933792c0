"""Reading a bundle: a small, read-only object over the checked file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from synthrelease.bundle.bundle_file import BundleFile
from synthrelease.bundle.items import items_of
from synthrelease.bundle.layout import dataset_path, digest
from synthrelease.bundle.verification import refuse_no_bundle, verify
from synthrelease.errors import ArgumentError, BundleError, no_such
from synthrelease.kinds.dataset import Role
from synthrelease.kinds.records.public import RecordsParameters
from synthrelease.mechanisms.records.model import SeededModel
from synthrelease.privacy.event import from_json


class Output(Mapping[str, NDArray[Any]]):
    """The datasets of one output by their path below it, such as "1001/heatmap"; read, and compared with their digests, when asked for."""

    def __init__(self, path: Path, name: str, members: dict[str, str], digests: dict[str, str]) -> None:
        self.name = name
        self._path, self._members, self._digests = path, members, digests

    def __getitem__(self, key: str) -> NDArray[Any]:
        if key not in self._members:
            raise no_such(f"array in '{self.name}'", key, self._members)
        path = self._members[key]
        with BundleFile(self._path) as file:
            array = file.array(path)
        if digest(array) != self._digests[path]:
            raise BundleError(
                "values-changed",
                "the values are not those that the manifest lists",
                where=f"{self._path}: {path}",
                remedy="get the file again from its source, and run: synthrelease verify",
            )
        return array

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}: {len(self)} datasets>"


class Bundle:
    """A bundle that passed `verify --quick`.

    Attributes:
        path: the file.
        manifest: the privacy manifest.
        names: names of the outputs.
    """

    def __init__(self, path: Path, manifest: dict[str, Any]) -> None:
        self.path = path
        self.manifest = manifest
        self.names = tuple(output["name"] for output in manifest["outputs"])

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {str(self.path)!r}: {', '.join(self.names)}>"

    def __getitem__(self, name: str) -> Output:
        for output in self.manifest["outputs"]:
            if output["name"] == name:
                start = len(dataset_path(name)) + 1
                try:
                    paths = [item.path for item in items_of(output)]
                except (ValueError, ArithmeticError):
                    raise BundleError(
                        "contradicting-parameters",
                        f"the parameters of '{name}' contradict each other",
                        where=str(self.path),
                        remedy="run: synthrelease verify",
                    ) from None
                members = {path[start:]: path for path in paths}
                return Output(self.path, name, members, self.manifest["digests"])
        raise no_such("output", name, self.names)

    def model(self, name: str) -> SeededModel:
        """Return the model of a records output with a DP fit: whoever has its noised counts may draw more records.

        Its attributes are numbered as in the manifest (`mechanism.parameters.attributes`).

        Raises:
            KeyError: no such output.
            ArgumentError: the output is no records, or its model was fitted exactly and is not in the bundle.
        """
        entry = next((output for output in self.manifest["outputs"] if output["name"] == name), None)
        if entry is None:
            raise no_such("output", name, self.names)
        if entry["kind"] != "records" or entry["mechanism"]["parameters"]["fit"] != "dp":
            raise ArgumentError(
                "no-released-model",
                f"'{name}' has no model that anybody may use",
                where=str(self.path),
                expected='records with fit = "dp"',
                remedy="name such an output; the models of others are not in the bundle",
            )
        noisy = [item for item in items_of(entry) if item.dataset.role is Role.NOISY]
        start = len(dataset_path(name)) + 1
        return noisy_model(entry, {item.dataset.path: self[name][item.path[start:]] for item in noisy})


def open_bundle(path: str | Path, *, allow_test_seed: bool = False) -> Bundle:
    """Open a bundle for reading.

    Args:
        path: the file.
        allow_test_seed: read a bundle although its noise can be repeated.

    Raises:
        BundleError: `verify --quick` finds a fault.
        InputError: there is no such file.
        MachineError: it may not be read.
    """
    result = refuse_no_bundle(path, verify(path, quick=True, allow_test_seed=allow_test_seed))
    if not result.ok or result.manifest is None:
        raise BundleError(
            "bundle-invalid",
            "the file is not a bundle to rely on",
            where=str(path),
            found="; ".join(map(str, result.findings)),
            remedy=result.remedy,
        )
    return Bundle(Path(path), result.manifest)


def noisy_model(output: dict[str, Any], arrays: Mapping[str, NDArray[Any]]) -> SeededModel:
    """Return the model that records were drawn from.

    Args:
        output: an entry of the manifest's `outputs`, records with a DP fit.
        arrays: its noisy joint counts by the paths of their datasets, integers, each of the shape of its attributes' numbers of categories.
    """
    parameters = RecordsParameters.from_entry(output["mechanism"])
    network = parameters.network(arrays, from_json(output["event"]))
    return SeededModel(network.tables, network.order, list(parameters.resampled), network.parents)
