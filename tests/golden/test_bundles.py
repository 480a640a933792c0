"""What was published stays readable: the bundles of `bundles` verify for ever, by every later version of this program.

`scripts/make_golden_bundles.py` wrote them, each once. None is ever written again or taken away: if one of these tests fails,
the program is wrong. Their digests stand in `bundles/SHA256SUMS`, too, so that none changes by accident.
"""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

import synthrelease
from synthrelease.bundle.layout import MANIFEST

BUNDLES = Path(__file__).parent / "bundles"
FILES = sorted(BUNDLES.glob("*.h5"))
SEEDED = {"seeded.TEST-SEED.h5"}

each = pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)


def manifest_of(path: Path) -> dict[str, Any]:
    with h5py.File(path) as file:
        found: dict[str, Any] = json.loads(file[MANIFEST][()].tobytes())
    return found


def test_no_bundle_was_changed_added_or_taken_away() -> None:
    stated = dict(line.split("  ")[::-1] for line in (BUNDLES / "SHA256SUMS").read_text().splitlines())
    assert {path.name: sha256(path.read_bytes()).hexdigest() for path in FILES} == stated
    assert {path.name for path in FILES} >= SEEDED | {
        f"{name}.h5"
        for name in ("areas", "heatmaps", "records", "signals", "statistics", "unknown-number", "unprotected")
    }


@pytest.mark.slow("composes a choice with Gaussian noise")
@each
@pytest.mark.parametrize("quick", [True, False])
def test_a_golden_bundle_verifies(path: Path, quick: object) -> None:
    result = synthrelease.verify(path, quick=bool(quick), allow_test_seed=path.name in SEEDED)
    assert result.findings == []
    assert result.ok
    if path.name in SEEDED:
        codes = {finding.code for finding in synthrelease.verify(path, quick=bool(quick)).findings}
        assert codes == {"test-seed"}


@each
def test_every_dataset_is_what_the_library_reads(path: Path) -> None:
    bundle = synthrelease.open_bundle(path, allow_test_seed=path.name in SEEDED)
    assert bundle.manifest == manifest_of(path)
    read = set()
    with h5py.File(path) as file:
        for name in bundle.names:
            for key, array in bundle[name].items():
                seen = file[f"/outputs/{name}/{key}"][()]
                assert (array.dtype, array.shape) == (seen.dtype, seen.shape)
                assert array.tobytes() == seen.tobytes()
                read.add(f"/outputs/{name}/{key}")
    assert read == set(bundle.manifest["digests"])


def test_the_bundles_hold_what_there_is() -> None:
    """Every kind, mechanism, variant of it, type of values, and form of the file that version 1 has."""
    manifests = [manifest_of(path) for path in FILES]
    outputs = [output for manifest in manifests for output in manifest["outputs"]]

    def told(kind: str, *keys: str) -> set[tuple[Any, ...]]:
        own = [output["mechanism"] for output in outputs if output["kind"] == kind]
        return {(one["name"], *(one["parameters"].get(key) for key in keys)) for one in own}

    assert told("heatmap", "clipping", "prior", "calibration", "weight") == {
        ("spectral", "joint", "centre", None, "samples"),
        ("spectral", "joint", "centre", None, "duration"),
        ("spectral", "per-stimulus", "none", None, "samples"),
        ("gaussian", None, None, "exact", None),
        ("gaussian", None, None, "liu2019", None),
        ("laplace", None, None, "exact", None),
    }
    assert told("areas", "transitions") == {("laplace", True), ("laplace", False), ("gaussian", False)}
    assert told("signals", "query", "calibration", "baseline") == {
        *{("spectral", "mean", None, baseline) for baseline in ("none", "person", "recording", "start")},
        *{(name, "mean", "exact", None) for name in ("lpa", "fpa", "cfpa")},
        ("dcfpa", "each", "exact", None),
        ("dcfpa", "each", "bozkir2021", None),
    }
    assert told("records", "fit", "dependence", "threshold") == {
        ("marginals", "dp", "tree", None),
        ("marginals", "dp", "independent", None),
        ("seeded", "dp", "tree", "randomized"),
        ("seeded", "dp", "independent", "fixed"),
        ("seeded", "exact", "independent", "fixed"),
    }
    assert told("statistics") == {("discrete_laplace",), ("rounded_gaussian",), ("exponential",)}
    statistics = {
        name
        for output in outputs
        if output["kind"] == "statistics"
        for name in output["mechanism"]["parameters"]["statistics"]
    }
    assert statistics >= {"count", "sum", "mean", "variance", "histogram", "quantile:0.5"}
    assert any(output["mechanism"]["parameters"].get("caps") for output in outputs)
    assert any(output["mechanism"]["parameters"].get("candidates") for output in outputs)
    assert {manifest["privacy"]["neighbours"] for manifest in manifests} == {"replace-one", "add-remove-one"}
    assert {manifest["randomness"]["test_seed"] for manifest in manifests} == {True, False}
    assert {manifest["ledger"] is None for manifest in manifests} == {True, False}


def test_the_bundles_have_every_form_of_dataset() -> None:
    types, ranks, chunks, names = set(), set(), set(), set()
    for path in FILES:
        with h5py.File(path) as file:
            for name in [MANIFEST, *manifest_of(path)["digests"]]:
                types.add(file[name].dtype)
                ranks.add(file[name].ndim)
                chunks.add(0 if file[name].chunks is None else file[name].id.get_num_chunks())
                names.add(name)
    assert types == {np.dtype(kind) for kind in ("u1", "i1", "<i2", "<i4", "<i8", "<f4", "<f8")}
    assert ranks == {1, 2, 3}
    assert {0, 1} < chunks
    assert any("%2F" in name for name in names)
