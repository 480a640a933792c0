"""The values of a bundle that was verified: its file opened once, whatever is read of it compared with its digest."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

from numpy.typing import NDArray

from synthrelease.bundle.bundle_file import BundleFile
from synthrelease.bundle.layout import ValuesDigest, dataset_path, digest
from synthrelease.errors import BundleError


class Released:
    """A verified bundle, open for reading until `close` or the end of a `with`.

    Attributes:
        manifest: the manifest that was verified; values of another file do not have its digests.

    Args:
        path: the file.
        manifest: as above.

    Raises:
        BundleError: the file cannot be read any more.
    """

    def __init__(self, path: Path, manifest: dict[str, Any]) -> None:
        self.path, self.manifest = path, manifest
        try:
            self._file = BundleFile(path)
        except OSError:
            raise BundleError("cannot-read", "the file cannot be read any more", where=str(path)) from None

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def values(self, output: str, *labels: str) -> NDArray[Any]:
        """Return a dataset of an output, such as `values("attention", "1001", "heatmap")`.

        Raises:
            BundleError: it is not that of the manifest: the file was changed after it was verified.
        """
        path = dataset_path(output, *labels)
        array = self._file.array(path)
        self._compare(path, digest(array))
        return array

    def blocks(self, output: str, *labels: str) -> Iterator[NDArray[Any]]:
        """Yield a dataset some rows at a time, for those that may be larger than memory.

        Raises:
            BundleError: as `values`, after the last rows.
        """
        path = dataset_path(output, *labels)
        dataset = self._file.anatomy.datasets[path]
        state = ValuesDigest(dataset.dtype, dataset.shape)
        for block in self._file.blocks(path):
            state.add(block)
            yield block
        self._compare(path, state.hexdigest())

    def _compare(self, path: str, found: str) -> None:
        if found != self.manifest["digests"][path]:
            raise BundleError(
                "values-changed",
                "the values are not those that the manifest lists",
                where=f"{self.path}: {path}",
                remedy="get the file again from its source, and run: synthrelease verify",
            )
