"""Tools that know the catalogues' formats, and what documents say of guarantees."""

from __future__ import annotations

import importlib.util
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

SIGNS = {"ε": "epsilon", "δ": "delta", "ρ": "rho", "μ": "mu", "k": "k", "γ": "gamma"}
NUMBER = r"(?:^|[ (])([εδρμkγ]) = ([0-9.]+(?:e[+-]?[0-9]+)?)"


def tool(name: str) -> Path:
    """Return the folder of a package; skips where it is missing, unless it must be there."""
    found = importlib.util.find_spec(name)
    if found is None or not found.submodule_search_locations:
        if os.environ.get("SYNTHRELEASE_TEST_EXTRAS") == "required":
            pytest.fail(f"{name} is missing, and this machine must have it")
        pytest.skip(f"{name} is missing")
    return Path(found.submodule_search_locations[0])


def datacite_faults(document: dict[str, Any]) -> list[str]:
    """Return what the newest schema of DataCite that the package `datacite` ships, 4.5, has against a document."""
    from jsonschema import Draft201909Validator

    schema = json.loads((tool("datacite") / "schemas" / "datacite-v4.5.json").read_text())
    return [error.message for error in Draft201909Validator(schema).iter_errors(document)]


def numbers_in(text: str) -> dict[str, float]:
    """Return the parameters of a guarantee that a sentence tells, by the manifest's names for them."""
    found = re.findall(NUMBER, text)
    assert len({sign for sign, _ in found}) == len(found), text
    return {SIGNS[sign]: float(number) for sign, number in found}


def numbers_of(guarantee: dict[str, Any]) -> dict[str, float]:
    """Return the parameters that a guarantee of a manifest has."""
    return {key: guarantee[key] for key in SIGNS.values() if key in guarantee}


def texts_of(document: Any) -> list[str]:
    """Return every text of a document, keys aside, line by line."""
    if isinstance(document, str):
        return document.split("\n")
    inner = (
        document.values() if isinstance(document, dict) else document if isinstance(document, list) else ()
    )
    return [text for one in inner for text in texts_of(one)]


def validate_with_mlcroissant(path: Path) -> Any:
    """Return the `Dataset` of a Croissant file; ValidationError if the validator refuses it."""
    tool("mlcroissant")
    import mlcroissant

    return mlcroissant.Dataset(path)
