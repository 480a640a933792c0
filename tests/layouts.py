"""Small bundles of every kind of output: what mutants and lies are made of.

Each is of few outputs and few rows, and of one kind of noise: composition of unlike noises would take seconds.
"""

from __future__ import annotations

import functools
import re
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from invented_study import (
    write_areas_study,
    write_heatmaps_study,
    write_records_study,
    write_signals_study,
    write_statistics_study,
)
from numpy.typing import NDArray
from signed import CURATOR

import synthrelease
from synthrelease.bundle.content import Attributes
from synthrelease.bundle.disclosure import due_warnings
from synthrelease.bundle.layout import MANIFEST
from synthrelease.bundle.resealing import reseal
from synthrelease.bundle.signing.sign import sign
from synthrelease.bundle.strict_hdf5.anatomy import Anatomy
from synthrelease.bundle.strict_hdf5.bundle_file import BundleFile

GOLDEN = sorted((Path(__file__).parent / "golden" / "bundles").glob("*.h5"))
PIXELS = """
[[outputs]]
name = "pixels"
kind = "heatmap"
input = "unassigned"
mechanism = "gaussian"
width_px = 8
height_px = 6
max_samples_per_stimulus = 8
blur_px = 6
epsilon = 1
"""
STEPS = """
[[outputs]]
name = "steps"
kind = "signals"
input = "pupils"
mechanism = "lpa"
length = 12
epsilon = 8
"""
LEDGER = {
    "dataset_id": "5" * 32,
    "entry": "7" * 64,
    "delta": 1e-4,
    "spent_before": 3.0,
    "spent_here": 50.0,
    "spent_after": 53.0,
}


@dataclass(frozen=True)
class Layout:
    """A bundle and what is in it.

    Attributes:
        name: of the layout.
        raw: all bytes.
        marked: whether the text block says that the noise came from a test seed.
        manifest: the manifest.
        anatomy: what every byte is for.
        groups: attributes of the groups by path, the root's among them.
        arrays: datasets by path, without the manifest.
    """

    name: str
    raw: bytes
    marked: bool
    manifest: dict[str, Any]
    anatomy: Anatomy
    groups: Mapping[str, Attributes]
    arrays: Mapping[str, NDArray[Any]]


def _kept(plan: Path, *names: str, more: str = "", **changes: str) -> Path:
    """Leave some outputs of a plan, and change values by their key wherever they stand."""
    head, *outputs = (plan.read_text() + more).split("[[outputs]]")
    outputs = [one for one in outputs if one.split('"')[1] in names]
    assert len(outputs) == len(names)
    text = "[[outputs]]".join([head, *outputs])
    for key, value in changes.items():
        text = re.sub(rf"(?m)^{key} = .*$", f"{key} = {value}", text)
    plan.write_text(text)
    return plan


def _maps(folder: Path) -> Path:
    return _kept(write_heatmaps_study(folder), "still", "moving", "pixels", more=PIXELS, frames="2")


def _series(folder: Path) -> Path:
    plan = _kept(
        write_signals_study(folder),
        "course",
        "after",
        "chunks",
        length="24",
        coefficients="4",
        baseline_steps="4",
    )
    plan.write_text(plan.read_text().replace("candidates = [1, 2, 4]\n", ""))
    return plan


def _each(folder: Path) -> Path:
    return _kept(write_signals_study(folder, people=8), "changes", "steps", more=STEPS)


def _records(folder: Path) -> Path:
    return _kept(write_records_study(folder), "tree", "kept", "exact", rows="40")


def _seeded(folder: Path) -> Path:
    return _kept(write_records_study(folder), "randomized", rows="40")


def _statistics(folder: Path) -> Path:
    return _kept(write_statistics_study(folder), "all", "chosen", bins="3")


def _moods(folder: Path) -> Path:
    return _kept(write_statistics_study(folder, neighbours="add-remove-one"), "moods", bins="3")


def _areas(folder: Path) -> Path:
    return _kept(write_areas_study(folder), "visits")


STUDIES: dict[str, Callable[[Path], Path]] = {
    "maps": _maps,
    "series": _series,
    "each": _each,
    "records": _records,
    "seeded": _seeded,
    "statistics": _statistics,
    "moods": _moods,
    "areas": _areas,
    "signed": _moods,
}
NAMES = tuple(STUDIES)
_MARKED = ("areas",)  # the others are told as if the operating system's noise were in them
_PAID = ("maps", "statistics")


@functools.cache
def layout(name: str) -> Layout:
    """Return a bundle that verifies, built once; the same each time, but for the versions of what it was built with."""
    with tempfile.TemporaryDirectory() as folder:
        path = synthrelease.build(STUDIES[name](Path(folder)), Path(folder) / "r.h5", test_seed=5).path
        if name not in _MARKED:
            tell_as_real(path, ledger=LEDGER if name in _PAID else None)
        if name == "signed":
            sign(path, CURATOR)
        return read(path, name)


def tell_as_real(path: Path, *, ledger: Mapping[str, Any] | None) -> None:
    """What no reader can notice of a test seed is none: the marks are taken away, and a ledger is charged."""
    with BundleFile(path) as file:
        manifest = file.manifest()
    manifest["randomness"] = {"source": "operating system, AES-256-CTR", "test_seed": False}
    manifest["ledger"] = ledger
    manifest["warnings"] = [one.to_json() for one in due_warnings(manifest)]
    path.write_bytes(path.read_bytes().replace(b"TEST SEED", b"TEST.SEED", 1))
    reseal(path, manifest)


def read(path: Path, name: str = "") -> Layout:
    """Return what is in a file."""
    with BundleFile(path) as file:
        anatomy = file.anatomy
        arrays = {one: file.array(one) for one in anatomy.datasets if one != MANIFEST}
        return Layout(
            name,
            path.read_bytes(),
            b"TEST SEED" in file.text_block,
            file.manifest(),
            anatomy,
            anatomy.groups,
            {one: np.array(array) for one, array in arrays.items()},
        )
