"""Tools that know the catalogues' formats, and what documents say of guarantees."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path
from typing import Any

SIGNS = {"ε": "epsilon", "δ": "delta", "ρ": "rho", "μ": "mu", "k": "k", "γ": "gamma"}
NUMBER = r"(?:^|[ (])([εδρμkγ]) = ([0-9.]+(?:e[+-]?[0-9]+)?)"


def folder_of(name: str) -> Path:
    """Return the folder of a package, which need not be importable."""
    found = importlib.util.find_spec(name)
    assert found is not None
    assert found.submodule_search_locations
    return Path(found.submodule_search_locations[0])


def datacite_faults(document: dict[str, Any]) -> list[str]:
    """Return the places where a document breaks the newest schema of DataCite that the package `datacite` ships, 4.5."""
    from jsonschema import Draft201909Validator

    schema = json.loads((folder_of("datacite") / "schemas" / "datacite-v4.5.json").read_text())
    return [error.json_path for error in Draft201909Validator(schema).iter_errors(document)]


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
    import mlcroissant

    return mlcroissant.Dataset(path)
