"""Reading a bundle: a small, read-only object over the checked file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from synthrelease.bundle.finding import Verification
from synthrelease.bundle.output_tree import Output, Tree
from synthrelease.bundle.stored_values import StoredValues
from synthrelease.bundle.verification import refuse_no_bundle, verify
from synthrelease.dp.event import from_json
from synthrelease.dp.guarantee import REPEATABLE, Guarantee, NoGuarantee
from synthrelease.dp.guarantee import from_json as guarantee_from_json
from synthrelease.errors import ArgumentError, BundleError, no_such
from synthrelease.kinds.registry import kind_of


class Bundle(Tree):
    """A bundle that passed `verify --quick`: a mapping of its outputs, in which paths lead on, as in HDF5.

    `bundle["heatmaps"]["heatmap"]` and `bundle["heatmaps/heatmap"]` are a `LazyDataset`; `bundle["heatmaps/1005/heatmap"]` is the item
    of a stimulus. The file is opened when values are asked for, and closed by `close` or the end of a `with`; then names, shapes and the
    manifest stay. Several threads may read.

    Attributes:
        path: the file.
        manifest: the privacy manifest.
        names: names of the outputs.
        stored: what reads the values.
        output_type: what an output is returned as.
    """

    output_type: ClassVar[type[Output]] = Output

    def __init__(self, path: Path, manifest: dict[str, Any]) -> None:
        self.path = path
        self.manifest = manifest
        self.names = tuple(output["name"] for output in manifest["outputs"])
        self.stored = StoredValues(path, manifest)

    def close(self) -> None:
        """Close the file: values cannot be read any more."""
        self.stored.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.path, self.manifest)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {str(self.path)!r}: {', '.join(self.names)}>"

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def __getitem__(self, key: str) -> Any:
        """Return an output by its name, or what a path leads to in one; KeyError, which lists the names, if that is nothing."""
        name, slash, rest = key.partition("/") if isinstance(key, str) else ("", "", "")
        if name not in self.names:
            raise no_such("output", key, self.names)
        return self._output(name)[rest] if slash else self._output(name)

    def find(self, path: str) -> Any:
        """Return an output, or what a path leads to in one; None if that is nothing."""
        name, slash, rest = path.partition("/")
        if name not in self.names:
            return None
        return self._output(name).find(rest) if slash else self._output(name)

    @property
    def guarantee(self) -> Guarantee:
        """What the whole release guarantees; printed, in the field's notation: `ε = 3, δ = 1e-06 per person (replace-one)`.

        `NoGuarantee`, which says why, with a test seed or if an output is not differentially private: then that of the others
        together is `manifest["privacy"]["guarantee"]`. `bundle["heatmaps"].guarantee` is that of one output by itself.
        """
        privacy = self.manifest["privacy"]
        total, covered = guarantee_from_json(privacy["guarantee"]), privacy["composition"]["outputs"]
        others = "; ".join(f"{name}: {self[name].guarantee}" for name in self.names if name not in covered)
        if not others or self.manifest["randomness"]["test_seed"]:
            return self._unless_seeded(total)
        together = f"; {', '.join(covered)} together: {total}" if covered else ""
        reason = f"not all outputs are differentially private ({others}){together}"
        return NoGuarantee(reason=reason, neighbours=total.neighbours)

    def verify(self, public_key: str | Path | None = None) -> Verification:
        """Check the file in full, as `synthrelease verify`: every digest, value and claimed guarantee.

        Args:
            public_key: a file with the key that must have signed it.

        Returns:
            What was found; a test seed is no fault of a bundle that was opened with `allow_test_seed`.

        Raises:
            BundleError: another bundle is at the path than the one that was opened.
            InputError: the file is not there any more.
            KeyFileError: the file of the public key cannot be read, or is none.
        """
        allowed = self.manifest["randomness"]["test_seed"]
        result = refuse_no_bundle(self.path, verify(self.path, public_key, allow_test_seed=allowed))
        if result.manifest is not None and result.manifest != self.manifest:
            raise BundleError(
                "bundle-replaced",
                "the file is not the one that was opened",
                where=str(self.path),
                remedy="open it again",
            )
        return result

    def model(self, name: str) -> Any:
        """Return the model of an output: you may draw more from it, at no cost of privacy.

        Of records with a DP fit it is a `SeededModel`, whose attributes are numbered as in the manifest (`mechanism.parameters.attributes`); of people a
        `ReleasedPopulation`.

        Raises:
            KeyError: no such output.
            ArgumentError: the output has no model, or it was fitted exactly and is not in the bundle.
            BundleError: nothing can be drawn from its values, which opening it does not look at.
        """
        entry = next((output for output in self.manifest["outputs"] if output["name"] == name), None)
        if entry is None:
            raise no_such("output", name, self.names)
        arrays = _Arrays(self.stored, self[name])
        try:
            with np.errstate(all="ignore"):  # numbers overflow only in forged files
                model = kind_of(entry).model(entry["mechanism"], from_json(entry["event"]), arrays)
        except (ArithmeticError, LookupError, ValueError):
            raise BundleError(
                "impossible-values",
                f"nothing can be drawn from the values of '{name}'",
                where=str(self.path),
                remedy="do not use this file, and run: synthrelease verify",
            ) from None
        if model is None:
            raise ArgumentError(
                "no-released-model",
                f"'{name}' has no model that can be used",
                where=str(self.path),
                expected='people, or records with fit = "dp"',
                remedy="name such an output; the models of others are not in the bundle",
            )
        return model

    def _unless_seeded(self, guarantee: Guarantee) -> Guarantee:
        if self.manifest["randomness"]["test_seed"]:
            return NoGuarantee(reason=REPEATABLE, neighbours=guarantee.neighbours)
        return guarantee

    def _output(self, name: str) -> Output:
        entry = next(output for output in self.manifest["outputs"] if output["name"] == name)
        guarantee = self._unless_seeded(guarantee_from_json(entry["guarantee"]))
        return self.output_type(self.stored, name, guarantee)


class _Arrays(Mapping[str, NDArray[Any]]):
    """The datasets of an output as arrays that are read when they are asked for."""

    def __init__(self, stored: StoredValues, output: Output) -> None:
        self._stored, self._output = stored, output

    def __getitem__(self, path: str) -> NDArray[Any]:
        return self._stored.array(self._output.name, path)

    def __iter__(self) -> Iterator[str]:
        return iter(self._output)

    def __len__(self) -> int:
        return len(self._output)


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
