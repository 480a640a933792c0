"""What was published stays readable: the bundles of `bundles` verify for ever, by every later version of this program.

`scripts/make_golden_bundles.py` wrote them, each once. None is ever written again or taken away: if one of these tests fails,
the program is wrong. Their digests stand in `bundles/SHA256SUMS`, too, so that none changes by accident.
"""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import fields
from hashlib import sha256
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from tiers import params

import synthrelease
from synthrelease.bundle.items import StoredOutput
from synthrelease.bundle.layout import MANIFEST
from synthrelease.data.attribute import Attribute
from synthrelease.kinds.parameters import Feature
from synthrelease.kinds.registry import SHIPPED

BUNDLES = Path(__file__).parent / "bundles"
FILES = sorted(BUNDLES.glob("*.h5"))
SEEDED = {"seeded.TEST-SEED.h5", "seeded-format-2.TEST-SEED.h5"}
PLANS = ("areas", "heatmaps", "records", "signals", "statistics", "unknown-number", "unprotected")
LATER_PLANS = (
    "estimates",
    "people",
    "public-maps",
    "scanpaths",
    "deniable-scanpaths",
)  # of what format 2 may state since the first ones
COSTLY = "scanpaths"  # of which both chains are fitted again
CLIPPINGS = ("joint", "per-stimulus")
VERSIONS = (1, 2)  # of the format

each = pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
each_version = pytest.mark.parametrize("version", VERSIONS)


def version_of(path: Path) -> int:
    with h5py.File(path) as file:
        return int(file.attrs["format_version"])


def files_of(version: int) -> list[Path]:
    return [path for path in FILES if version_of(path) == version]


def manifest_of(path: Path) -> dict[str, Any]:
    with h5py.File(path) as file:
        found: dict[str, Any] = json.loads(file[MANIFEST][()].tobytes())
    return found


def test_no_bundle_was_changed_added_or_taken_away() -> None:
    stated = dict(line.split("  ")[::-1] for line in (BUNDLES / "SHA256SUMS").read_text().splitlines())
    assert {path.name: sha256(path.read_bytes()).hexdigest() for path in FILES} == stated
    assert {path.name for path in files_of(1)} == {"seeded.TEST-SEED.h5", *(f"{name}.h5" for name in PLANS)}
    others = {f"{name}-format-2.h5" for name in (*PLANS, *LATER_PLANS)}
    assert {path.name for path in files_of(2)} == {"seeded-format-2.TEST-SEED.h5", *others}


@each
def test_each_states_its_versions(path: Path) -> None:
    manifest, version = manifest_of(path), version_of(path)
    assert manifest["manifest_version"] == {1: 1, 2: 3}[version]
    assert path.read_bytes().startswith(f"synthrelease bundle {version}".encode())
    with h5py.File(path) as file:
        for output in manifest["outputs"]:
            assert file[f"/outputs/{output['name']}"].attrs["encoding_version"] == version


@pytest.mark.slow("composes a choice with Gaussian noise")
@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, id=path.name, marks=[pytest.mark.thorough] * path.name.startswith(COSTLY))
        for path in FILES
    ],
)
@pytest.mark.parametrize("quick", params([True, False], quick=[False]))
def test_a_golden_bundle_verifies(path: Path, quick: object) -> None:
    result = synthrelease.verify(path, quick=bool(quick), allow_test_seed=path.name in SEEDED)
    assert result.findings == []
    assert result.ok
    if path.name in SEEDED:
        codes = {finding.code for finding in synthrelease.verify(path, quick=bool(quick)).findings}
        assert codes == {"test-seed"}


@each
def test_every_dataset_is_what_the_library_reads(path: Path) -> None:
    bundle, version = synthrelease.open_bundle(path, allow_test_seed=path.name in SEEDED), version_of(path)
    assert bundle.manifest == manifest_of(path)
    read = set()
    with h5py.File(path) as file:
        for output in bundle.manifest["outputs"]:
            stored, arrays = StoredOutput(output, version), bundle[output["name"]]
            assert list(arrays) == [dataset.path for dataset in stored.datasets]
            for dataset in stored.datasets:
                for index in dataset.indices() if version == 1 else [()]:
                    seen = file[stored.path(dataset, index)][()]
                    array = np.asarray(arrays[dataset.path][index])
                    assert (array.dtype, array.size) == (seen.dtype, seen.size)
                    assert version == 1 or array.shape == seen.shape
                    assert array.tobytes() == seen.tobytes()
                    read.add(stored.path(dataset, index))
                for axis in dataset.axes if version > 1 else ():
                    scale = f"/outputs/{output['name']}/{axis.place}"
                    assert file[scale][()].tobytes() == axis.values.tobytes()
                    read.add(scale)
    assert read == set(bundle.manifest["digests"])


@each_version
def test_the_bundles_hold_what_there_is(version: int) -> None:
    """Every kind, mechanism, variant of it, type of values, and form of the file that a version has."""
    manifests = [manifest_of(path) for path in files_of(version)]
    outputs = [output for manifest in manifests for output in manifest["outputs"]]

    def variants(kind: str, *keys: str) -> set[tuple[Any, ...]]:
        mechanisms = [output["mechanism"] for output in outputs if output["kind"] == kind]
        return {(one["name"], *(one["parameters"].get(key) for key in keys)) for one in mechanisms}

    later = version > 1
    assert variants("heatmap", "clipping", "prior", "calibration", "weight") == {
        *({("spectral", "joint", "none", None, "samples")} if later else set()),
        *({("spectral", clipping, "maps", None, "samples") for clipping in CLIPPINGS} if later else set()),
        ("spectral", "joint", "centre", None, "samples"),
        ("spectral", "joint", "centre", None, "duration"),
        ("spectral", "per-stimulus", "none", None, "samples"),
        ("gaussian", None, None, "exact", None),
        ("gaussian", None, None, "liu2019", None),
        ("laplace", None, None, "exact", None),
    }
    assert variants("areas", "transitions") == {("laplace", True), ("laplace", False), ("gaussian", False)}
    assert variants("signals", "query", "calibration", "baseline") == {
        *{("spectral", "mean", None, baseline) for baseline in ("none", "person", "recording", "start")},
        *{(name, "mean", "exact", None) for name in ("lpa", "fpa", "cfpa")},
        ("dcfpa", "each", "exact", None),
        ("dcfpa", "each", "bozkir2021", None),
    }
    assert variants("records", "fit", "dependence", "threshold") == {
        ("marginals", "dp", "tree", None),
        ("marginals", "dp", "independent", None),
        ("seeded", "dp", "tree", "randomized"),
        ("seeded", "dp", "independent", "fixed"),
        ("seeded", "exact", "independent", "fixed"),
        *({("deniable", fit, "chain", "fixed") for fit in ("dp", "exact")} if later else set()),
    }
    fixations = {("fixations_rounded_gaussian",)} if later else set()
    assert variants("statistics") == {
        ("discrete_laplace",),
        ("rounded_gaussian",),
        ("exponential",),
        *fixations,
    }
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


def test_the_bundles_state_every_parameter_that_was_added_later() -> None:
    """And some do not state it: what is new calls for a bundle of a further plan, and changes none."""

    def added(form: type) -> set[str]:
        return {field.name for field in fields(form) if field.metadata.get("optional")}

    outputs = [output for path in files_of(2) for output in manifest_of(path)["outputs"]]
    seen = defaultdict(list)
    for output in outputs:
        parameters = output["mechanism"]["parameters"]
        seen[output["kind"]].append(parameters)
        seen["feature"] += parameters["features"] if output["kind"] in {"signals", "statistics"} else []
        seen["attribute"] += parameters.get("attributes", [])
    expected = {(form.kind, name) for kind in SHIPPED for form in kind.parameters for name in added(form)}
    expected |= {(entry, name) for entry in ("feature", "attribute") for name in ("unit", "title")}
    assert added(Feature) == added(Attribute) == {"unit", "title"}
    for of, name in sorted(expected):
        assert {name in entry for entry in seen[of]} == {True, False}, (of, name)


@pytest.mark.parametrize("estimate", ["log-normal", None])
def test_maps_of_each_estimate_are_there_still_and_moving(estimate: str | None) -> None:
    outputs = [output for path in files_of(2) for output in manifest_of(path)["outputs"]]
    maps = [one["mechanism"]["parameters"] for one in outputs if one["mechanism"]["name"] == "spectral"]
    maps = [one for one in maps if "blur_px" in one and one.get("estimate") == estimate]
    assert {one["frames"] is None for one in maps} == {True, False}
    assert {one["prior"] for one in maps} == {"centre", "none", *(["maps"] if estimate else [])}


@each_version
def test_the_bundles_have_every_form_of_dataset(version: int) -> None:
    types, ranks, chunks, names, texts = set(), set(), set(), set(), set()
    for path in files_of(version):
        with h5py.File(path) as file:
            for name in [MANIFEST, *manifest_of(path)["digests"]]:
                dataset = file[name]
                if dataset.dtype.kind == "S":
                    texts |= {label.decode("utf-8") for label in dataset[()]}
                else:
                    types.add(dataset.dtype)
                ranks.add(dataset.ndim)
                chunks.add(0 if dataset.chunks is None else dataset.id.get_num_chunks())
                names.add(name)
    assert types == {np.dtype(kind) for kind in ("u1", "i1", "<i2", "<i4", "<i8", "<f4", "<f8")}
    assert {0, 1} < chunks
    if version == 1:
        assert ranks == {1, 2, 3}
        assert any("%2F" in name for name in names)
        assert not texts
    else:
        assert ranks == {1, 2, 3, 4}
        assert any("%3A" in name for name in names)
        assert "a/b" in texts
