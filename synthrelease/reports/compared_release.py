"""One of two releases that are compared: what its manifest says of each output, and noisy integers that are read when they are needed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from synthrelease.bundle.items import StoredOutput
from synthrelease.bundle.layout import dataset_path
from synthrelease.dp.event import Noise, noise_of
from synthrelease.dp.event import from_json as event_from_json
from synthrelease.dp.guarantee import Guarantee
from synthrelease.dp.guarantee import from_json as guarantee_from_json
from synthrelease.errors import BundleError
from synthrelease.kinds.dataset import Dataset, Role


class Release(Protocol):
    """What is compared: a `Bundle`, or something like it."""

    manifest: dict[str, Any]

    def __getitem__(self, name: str, /) -> Mapping[str, ArrayLike]:
        """Return the datasets of an output by their paths below it, each compared with its digest where it is read."""
        ...


@dataclass(frozen=True)
class ComparedRelease:
    """One of the two releases, its entries by the names of outputs."""

    file: str
    release: Release
    outputs: dict[str, dict[str, Any]]
    guarantees: dict[str, Guarantee]
    noises: dict[str, Noise | None]
    digests: dict[str, dict[str, str]]  # by path, of each output; under "" those that belong to none

    @classmethod
    def of(cls, file: str, release: Release) -> Self:
        """Return a release, its entries sorted by outputs.

        Args:
            file: the name of its file, for errors.
            release: it.

        Raises:
            BundleError: its manifest contradicts itself.
        """
        manifest = release.manifest
        outputs = outputs_by_name(manifest)
        if len(outputs) < len(manifest["outputs"]):
            raise _contradiction("output-named-twice", "two outputs have one name", file)
        try:
            guarantee_from_json(manifest["privacy"]["guarantee"])
            guarantees = {name: guarantee_from_json(output["guarantee"]) for name, output in outputs.items()}
            noises = {name: noise_of(event_from_json(output["event"])) for name, output in outputs.items()}
        except (KeyError, TypeError, ValueError, ArithmeticError):
            problem = "an event or a guarantee contradicts itself"
            raise _contradiction("contradicts-itself", problem, file) from None
        digests: dict[str, dict[str, str]] = {name: {} for name in ("", *outputs)}
        for path, sha256 in manifest["digests"].items():
            name = next((part for part in path.split("/")[2:3] if part in outputs), "")
            inside = name and path.startswith(f"{dataset_path(name)}/")
            digests[name if inside else ""][path] = sha256
        return cls(file, release, outputs, guarantees, noises, digests)

    def stored(self, name: str) -> StoredOutput:
        """Return what an output has.

        Raises:
            BundleError: it has another number of datasets than its parameters call for.
        """
        try:
            stored = StoredOutput(self.outputs[name])
            # Before they are listed: a manifest can call for any number of them in a few words.
            number = stored.hdf5_dataset_count
        except (KeyError, TypeError, ValueError, ArithmeticError):
            problem = "its parameters contradict themselves"
            raise _contradiction("contradicts-itself", problem, f"{self.file}, {name}") from None
        if number != len(self.digests[name]):
            problem = "another number of datasets than the parameters call for"
            raise _contradiction("wrong-dataset-count", problem, f"{self.file}, {name}")
        return stored

    def paths(self, name: str, *, noisy: bool) -> set[str]:
        """Return the paths of an output's datasets that were drawn, or only of those that carry noise."""
        stored = self.stored(name)
        drawn = [dataset for dataset in stored.datasets if dataset.derive is None]
        return {stored.path(dataset) for dataset in drawn if not noisy or dataset.role is Role.NOISY}

    def noisy(self, name: str) -> dict[str, NoisyDataset]:
        """Return the noisy datasets of an output by path, in their order."""
        for path in self.paths(name, noisy=True):
            if path not in self.digests[name]:
                problem = "the manifest has no digest of a dataset"
                raise _contradiction("digest-missing", problem, f"{self.file}, {path}")
        arrays, where = self.release[name], f"{self.file}, {dataset_path(name)}"
        return {
            dataset.path: NoisyDataset(dataset, arrays, f"{where}/{dataset.path}")
            for dataset in self.stored(name).datasets
            if dataset.role is Role.NOISY
        }


@dataclass(frozen=True)
class NoisyDataset:
    """Noisy integers of an output, which are not read yet."""

    dataset: Dataset
    arrays: Mapping[str, ArrayLike]  # of the output
    where: str  # it stands

    @property
    def labels(self) -> list[list[Any]]:
        """What the axes have that number its items."""
        return [list(axis.coordinates) for axis in self.dataset.axes[: self.dataset.items]]

    def read(self) -> NDArray[Any]:
        """Return them.

        Raises:
            BundleError: they are not what the parameters call for.
        """
        array = np.asarray(self.arrays[self.dataset.path])
        if array.dtype.kind != "i":
            raise _contradiction("not-integers", "noisy values are no integers", self.where)
        if array.shape != self.dataset.shape:
            problem = "noisy values of another shape than the parameters call for"
            raise _contradiction("wrong-shape", problem, self.where)
        return array


def _contradiction(code: str, problem: str, where: str) -> BundleError:
    return BundleError(code, problem, where=where, remedy="run: synthrelease verify")


def outputs_by_name(manifest: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the entries of outputs by their names."""
    return {output["name"]: output for output in manifest["outputs"]}
