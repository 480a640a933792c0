"""The forms that a bundle can be exported in. To add one: a file with a function `write`, and a line here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from synthrelease.errors import ArgumentError
from synthrelease.exports.options import ExportOptions
from synthrelease.extras import FIGURES

if TYPE_CHECKING:
    from synthrelease.exports.task import ExportTask


@dataclass(frozen=True)
class Format:
    """A form of export."""

    description: str  # what it is, in a few words
    purpose: str  # who needs it, or what it is for
    module: str  # of this package; its `write` takes a `ExportTask`, and returns what the curator should know
    libraries: tuple[str, ...] = ()  # of extras that it needs
    options: tuple[str, ...] = ()  # of `ExportOptions`, that it takes
    is_of_gaze: bool = False  # whether it is about synthetic trials of gaze only

    @property
    def write(self) -> Callable[[ExportTask], Sequence[str]]:
        """The function that writes it, imported when it is used: libraries behind it may be slow to load."""
        write: Callable[[ExportTask], Sequence[str]] = import_module(
            f"synthrelease.exports.{self.module}"
        ).write
        return write


_RENDERED = ("hz", "px_per_degree", "blinks_per_minute")
FORMATS = {
    "csv": Format(
        "tables as CSV, with a README and the manifest",
        "analysts, with any program",
        "csv",
        options=("one_file_per",),
    ),
    "parquet": Format("the same tables as Parquet", "analysts, with Python or R", "parquet"),
    "frictionless": Format(
        "tables as CSV, described by a Data Package",
        "programs that check or read Data Packages",
        "frictionless",
    ),
    "bids": Format(
        "tables as a derivative dataset of BIDS",
        "archives and tools of neuroscience",
        "bids",
        options=_RENDERED,
    ),
    "croissant": Format(
        "tables as CSV, described for machine-learning tools (MLCommons Croissant)",
        "Hugging Face and Kaggle",
        "croissant",
    ),
    "datacite": Format(
        "metadata of the bundle, for registering a DOI",
        "the form of Zenodo, OSF or another archive",
        "datacite",
    ),
    "dp-registry": Format(
        "a draft entry for the registry of differential privacy deployments",
        "the public list of such releases",
        "dp_registry",
    ),
    "png": Format(
        "a figure of every heatmap and every mean signal",
        "papers and slides",
        "png",
        FIGURES,
        options=("stimuli",),
    ),
    "samples": Format(
        "gaze samples of synthetic scanpaths as CSV",
        "programs that read raw gaze",
        "samples",
        options=_RENDERED,
        is_of_gaze=True,
    ),
    "pymovements": Format(
        "events of synthetic scanpaths as pymovements reads them",
        "analyses with pymovements",
        "pymovements_events",
        is_of_gaze=True,
    ),
}


def forms_with(option: str) -> list[str]:
    """Return the names of the forms that take an option."""
    return [name for name, form in FORMATS.items() if option in form.options]


def refuse_options(form: str, options: ExportOptions) -> None:
    """Refuse options that a form does not take.

    Raises:
        ArgumentError: one of them was asked for.
    """
    for option in options.given:
        if option not in FORMATS[form].options:
            raise ArgumentError(
                "option-not-for-this-form",
                f"the form {form} does not take {option}",
                where=f"export().{option}",
                expected=f"the form {' or '.join(forms_with(option))}",
                remedy="leave it out, or export to another form",
            )
