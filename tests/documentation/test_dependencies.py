"""CONTRIBUTING.md lists the dependencies that pyproject.toml asks for, with the licences that the installed packages state."""

import importlib.metadata
import re
import tomllib

import pytest
from documented import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
_SPDX = {  # how older metadata call licences
    "MIT License": {"MIT"},
    "Apache 2.0": {"Apache-2.0"},
    "Apache Software License": {"Apache-2.0"},
    "BSD License": {"BSD-2-Clause", "BSD-3-Clause"},
    "Python Software Foundation License": {"PSF-2.0"},
}
SILENT = {"axe-playwright-python", "mlcroissant"}  # say nothing in their metadata; their repositories do


def rows():
    """Yield (extra, package, earliest version, licence, reason) of the section's tables; those that are always there have no extra."""
    section = re.split(
        r"^## ",
        (ROOT / "CONTRIBUTING.md").read_text("utf-8").split("\n## Dependencies\n")[1],
        flags=re.MULTILINE,
    )[0]
    for line in section.splitlines():
        if not line.startswith("| ") or line.startswith("| package"):
            continue
        name, *rest = (cell.strip() for cell in line.strip("|").split("|"))
        yield (rest[0], name, *rest[1:]) if len(rest) == 4 else ("", name, *rest)


def asked_for():
    """Yield (extra, package, earliest version) of pyproject.toml."""
    groups = {"": PROJECT["dependencies"], **PROJECT["optional-dependencies"]}
    for extra, wanted in groups.items():
        for one in wanted:
            name, _, version = one.partition(">=")
            if not name.startswith("synthrelease"):
                yield extra, name.split("[")[0], version


def stated(name):
    """Return the licences that an installed package states."""
    about = importlib.metadata.metadata(name)
    if about.get("License-Expression"):
        return set(re.split(r" AND | OR ", about["License-Expression"]))
    named = [one.split(" :: ")[-1] for one in about.get_all("Classifier", []) if one.startswith("License")]
    texts = named or re.split(r" AND | OR ", about.get("License") or "")
    return {spdx for text in texts for spdx in _SPDX.get(text, {text})} - {""}


def test_page_and_pyproject_agree():
    assert sorted(row[:3] for row in rows()) == sorted(asked_for())


def test_each_has_a_reason():
    assert all(len(reason) >= 5 for *_, reason in rows())


@pytest.mark.parametrize(
    ("name", "licence"), [(row[1], row[3]) for row in rows() if row[0] not in ("bench", "study")]
)
def test_licences_are_those_that_packages_state(name, licence):
    told = stated(name)
    assert licence in told or (not told and name in SILENT)
