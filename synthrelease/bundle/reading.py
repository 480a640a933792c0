"""Reading a bundle: a small, read-only object over the checked file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synthrelease.bundle.items import StoredOutput
from synthrelease.bundle.layout import digest
from synthrelease.bundle.manifest import FORMAT_OF
from synthrelease.bundle.strict_hdf5.bundle_file import BundleFile
from synthrelease.bundle.verification import refuse_no_bundle, verify
from synthrelease.dp.event import from_json
from synthrelease.errors import ArgumentError, BundleError, no_such
from synthrelease.kinds.registry import kind_of


class Output(Mapping[str, NDArray[Any]]):
    """The datasets of one output by their path below it, such as "heatmap"; read, and compared with their digests, when asked for.

    Of bundles of format 1, where every item of a dataset stands by itself, they are put together.
    """

    def __init__(self, path: Path, stored: StoredOutput, digests: Mapping[str, str]) -> None:
        self.name = stored.name
        self._path, self._stored, self._digests = path, stored, digests
        self._datasets = {dataset.path: dataset for dataset in stored.datasets}

    def __getitem__(self, key: str) -> NDArray[Any]:
        if key not in self._datasets:
            raise no_such(f"array in '{self.name}'", key, self._datasets)
        dataset = self._datasets[key]
        with BundleFile(self._path) as file:
            if self._stored.version > 1:
                return self._checked(file, self._stored.path(dataset))
            items = [self._checked(file, self._stored.path(dataset, index)) for index in dataset.indices()]
            return np.stack(items).reshape(dataset.shape)

    def _checked(self, file: BundleFile, path: str) -> NDArray[Any]:
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
        return iter(self._datasets)

    def __len__(self) -> int:
        return len(self._datasets)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}: {', '.join(self)}>"


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
                try:
                    stored = StoredOutput(output, FORMAT_OF[self.manifest["manifest_version"]])
                    return Output(self.path, stored, self.manifest["digests"])
                except (ValueError, ArithmeticError):
                    raise BundleError(
                        "contradicting-parameters",
                        f"the parameters of '{name}' contradict each other",
                        where=str(self.path),
                        remedy="run: synthrelease verify",
                    ) from None
        raise no_such("output", name, self.names)

    def model(self, name: str) -> Any:
        """Return the model of an output: you may draw more from it, at no cost of privacy.

        Of records with a DP fit it is a `SeededModel`, whose attributes are numbered as in the manifest (`mechanism.parameters.attributes`); of people a
        `ReleasedPopulation`.

        Raises:
            KeyError: no such output.
            ArgumentError: the output has no model, or it was fitted exactly and is not in the bundle.
        """
        entry = next((output for output in self.manifest["outputs"] if output["name"] == name), None)
        if entry is None:
            raise no_such("output", name, self.names)
        model = kind_of(entry).model(entry["mechanism"], from_json(entry["event"]), self[name])
        if model is None:
            raise ArgumentError(
                "no-released-model",
                f"'{name}' has no model that can be used",
                where=str(self.path),
                expected='people, or records with fit = "dp"',
                remedy="name such an output; the models of others are not in the bundle",
            )
        return model


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
