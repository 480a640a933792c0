"""The forms that a bundle can be exported in. To add one: a file with a function `write`, and a line here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from synthrelease.extras import FIGURES

if TYPE_CHECKING:
    from synthrelease.exports.task import ExportTask


@dataclass(frozen=True)
class Format:
    """A form of export."""

    description: str  # what it is, in a few words
    module: str  # of this package; its `write` takes a `ExportTask`, and returns what the curator should know
    libraries: tuple[str, ...] = ()  # of extras that it needs

    @property
    def write(self) -> Callable[[ExportTask], Sequence[str]]:
        """The function that writes it, imported when it is used: libraries behind it may be slow to load."""
        write: Callable[[ExportTask], Sequence[str]] = import_module(
            f"synthrelease.exports.{self.module}"
        ).write
        return write


FORMATS = {
    "csv": Format("tables as CSV, with a README and the manifest", "csv"),
    "parquet": Format("the same tables as Parquet", "parquet"),
    "frictionless": Format("tables as CSV, described by a Data Package", "frictionless"),
    "bids": Format("tables as a derivative dataset of BIDS", "bids"),
    "croissant": Format(
        "tables as CSV, described for machine-learning tools (MLCommons Croissant)", "croissant"
    ),
    "datacite": Format("metadata of the bundle, for registering a DOI", "datacite"),
    "dp-registry": Format(
        "a draft entry for the registry of differential privacy deployments", "dp_registry"
    ),
    "png": Format("a figure of every heatmap and every mean signal", "png", FIGURES),
}
