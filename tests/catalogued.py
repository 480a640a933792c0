"""Tools that know the catalogues' formats, and what documents say of guarantees."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
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


def validate_with_frictionless(folder: Path) -> tuple[int, dict[str, list[str]], list[Any]]:
    """Let the real command line validate a package, and return its exit code, what it says of each table, and of the whole."""
    script = "from frictionless.__main__ import console; console()"
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", script, "validate", "datapackage.json", "--json"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    report = json.loads(done.stdout)
    found = {task["name"]: [error["type"] for error in task["errors"]] for task in report["tasks"]}
    return done.returncode, found, report["errors"]


def bids_issues(folder: Path) -> list[tuple[str, str]]:
    """Return severity and code of what the validator of BIDS says of a dataset."""
    done = subprocess.run(
        ["bids-validator-deno", "--json", str(folder)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    return [(issue["severity"], issue["code"]) for issue in json.loads(done.stdout)["issues"]["issues"]]
