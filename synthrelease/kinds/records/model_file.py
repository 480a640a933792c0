"""A model in a file of its own: JSON, with what its categories mean.

A model of exact counts reveals statistics of real people: keep it as private as the data. One of noisy counts may be
published; a bundle holds it already (`Bundle.model`). No mathematics: a form.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from synthrelease.data.attribute import Attribute
from synthrelease.errors import DataError
from synthrelease.files.reading import content_of
from synthrelease.kinds.records.model import SeededModel

_MOST_BYTES = 1 << 26
_FORMAT = "synthrelease model 1"
_KEYS = {"format", "attributes", "order", "resampled", "parents", "tables"}


def save_model(path: str | Path, model: SeededModel, attributes: Sequence[Attribute]) -> None:
    """Write a model and its attributes; every probability comes back bit for bit.

    Raises:
        ValueError: the attributes are not those of the model's tables.
    """
    form = {
        "format": _FORMAT,
        "attributes": [attribute.to_json() for attribute in attributes],
        "order": list(model.order),
        "resampled": list(model.resampled),
        "parents": [list(parents) for parents in model.parents],
        "tables": [table.tolist() for table in model.marginals],
    }
    _model(form)
    Path(path).write_text(json.dumps(form, ensure_ascii=False, allow_nan=False) + "\n", encoding="utf-8")


def load_model(path: str | Path) -> tuple[SeededModel, tuple[Attribute, ...]]:
    """Read a model and its attributes.

    Raises:
        DataError: the file is no model, or is not there.
        MachineError: it may not be read.
    """
    raw = content_of(Path(path), DataError, "model", most_bytes=_MOST_BYTES)
    try:
        return _model(json.loads(raw))
    except (KeyError, TypeError, ValueError, IndexError, OverflowError, RecursionError) as error:
        raise DataError(
            "not-a-model",
            "the file is no model",
            where=str(path),
            found=type(error).__name__,
            expected=f"JSON of the format '{_FORMAT}', as save_model writes it",
            remedy="write it anew, by save_model",
        ) from None


def _model(form: dict[str, Any]) -> tuple[SeededModel, tuple[Attribute, ...]]:
    if form["format"] != _FORMAT or set(form) != _KEYS:
        raise ValueError(f"Expected the format {_FORMAT}, found another")
    attributes = tuple(Attribute.from_json(attribute) for attribute in form["attributes"])
    if len({attribute.name for attribute in attributes}) != len(attributes):
        raise ValueError("Expected every attribute once")
    tables = [np.array(table) for table in form["tables"]]
    if any(table.dtype.kind not in "if" for table in tables):
        raise TypeError("Expected tables of numbers")
    numbers = [*form["order"], *form["resampled"], *(b for parents in form["parents"] for b in parents)]
    if any(type(number) is not int for number in numbers):
        raise TypeError("Expected whole numbers for attributes")
    if [table.shape[-1:] for table in tables] != [(attribute.categories,) for attribute in attributes]:
        raise ValueError("Expected a table of each attribute's categories, found others")
    return SeededModel(tables, form["order"], form["resampled"], form["parents"]), attributes
