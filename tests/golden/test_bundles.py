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
from tiers import params

import synthrelease
from synthrelease.bundle.items import StoredOutput
from synthrelease.bundle.layout import MANIFEST
from synthrelease.kinds.registry import SHIPPED

BUNDLES = Path(__file__).parent / "bundles"
FILES = sorted(BUNDLES.glob("*.h5"))
SEEDED = "seeded.TEST-SEED.h5"
COSTLY = "scanpaths"  # of which both chains are fitted again
CLIPPINGS = ("joint", "per-stimulus")

each = pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)


def manifest_of(path: Path) -> dict[str, Any]:
    with h5py.File(path) as file:
        found: dict[str, Any] = json.loads(file[MANIFEST][()].tobytes())
    return found


def test_no_bundle_was_changed_added_or_taken_away() -> None:
    stated = dict(line.split("  ")[::-1] for line in (BUNDLES / "SHA256SUMS").read_text().splitlines())
    assert {path.name: sha256(path.read_bytes()).hexdigest() for path in FILES} == stated
    plans = {path.stem for path in (BUNDLES.parent / "plans").glob("*.toml")}
    assert {path.name.partition(".")[0] for path in FILES} == plans


@each
def test_each_states_its_versions(path: Path) -> None:
    manifest = manifest_of(path)
    assert manifest["manifest_version"] == 1
    assert path.read_bytes().startswith(b"synthrelease bundle 1\n")
    with h5py.File(path) as file:
        assert file.attrs["format_version"] == 1
        for output in manifest["outputs"]:
            assert file[f"/outputs/{output['name']}"].attrs["encoding_version"] == 1


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, id=path.name, marks=[pytest.mark.thorough] * path.name.startswith(COSTLY))
        for path in FILES
    ],
)
@pytest.mark.parametrize("quick", params([True, False], quick=[False]))
def test_a_golden_bundle_verifies(path: Path, quick: object) -> None:
    result = synthrelease.verify(path, quick=bool(quick), allow_test_seed=path.name == SEEDED)
    assert result.findings == []
    assert result.ok
    if path.name == SEEDED:
        codes = {finding.code for finding in synthrelease.verify(path, quick=bool(quick)).findings}
        assert codes == {"test-seed"}


@each
def test_every_dataset_is_what_the_library_reads(path: Path) -> None:
    bundle = synthrelease.open_bundle(path, allow_test_seed=path.name == SEEDED)
    assert bundle.manifest == manifest_of(path)
    read = set()
    with h5py.File(path) as file:
        for output in bundle.manifest["outputs"]:
            stored, arrays = StoredOutput(output), bundle[output["name"]]
            assert list(arrays) == [dataset.path for dataset in stored.datasets]
            for dataset in stored.datasets:
                seen, array = file[stored.path(dataset)][()], np.asarray(arrays[dataset.path][()])
                assert (array.dtype, array.shape) == (seen.dtype, seen.shape)
                assert array.tobytes() == seen.tobytes()
                read.add(stored.path(dataset))
                for axis in dataset.axes:
                    scale = f"/outputs/{output['name']}/{axis.place}"
                    assert file[scale][()].tobytes() == axis.values.tobytes()
                    read.add(scale)
    assert read == set(bundle.manifest["digests"])


def test_the_bundles_hold_what_there_is() -> None:
    """Every kind, mechanism, variant of it, type of values, and form of the file."""
    manifests = [manifest_of(path) for path in FILES]
    outputs = [output for manifest in manifests for output in manifest["outputs"]]

    def variants(kind: str, *keys: str) -> set[tuple[Any, ...]]:
        mechanisms = [output["mechanism"] for output in outputs if output["kind"] == kind]
        return {(one["name"], *(one["parameters"].get(key) for key in keys)) for one in mechanisms}

    assert variants("heatmap", "clipping", "prior", "calibration", "weight") == {
        ("spectral", "joint", "none", None, "samples"),
        *(("spectral", clipping, "maps", None, "samples") for clipping in CLIPPINGS),
        ("spectral", "joint", "centre", None, "samples"),
        ("spectral", "joint", "centre", None, "duration"),
        ("spectral", "per-stimulus", "none", None, "samples"),
        ("gaussian", None, None, "exact", None),
        ("gaussian", None, None, "liu2019", None),
        ("laplace", None, None, "exact", None),
    }
    assert variants("areas", "transitions") == {("laplace", True), ("laplace", False), ("gaussian", False)}
    assert variants("signals", "query", "baseline") == {
        *{("spectral", "mean", baseline) for baseline in ("none", "person", "recording", "start")},
        *{(name, "mean", None) for name in ("lpa", "fpa", "cfpa")},
        ("dcfpa", "each", None),
    }
    assert variants("records", "fit", "dependence", "threshold") == {
        ("marginals", "dp", "tree", None),
        ("marginals", "dp", "independent", None),
        ("seeded", "dp", "tree", "randomized"),
        ("seeded", "dp", "independent", "fixed"),
        ("seeded", "exact", "independent", "fixed"),
        *{("deniable", fit, "chain", "fixed") for fit in ("dp", "exact")},
    }
    assert variants("statistics") == {
        ("discrete_laplace",),
        ("rounded_gaussian",),
        ("exponential",),
        ("fixations_rounded_gaussian",),
        ("fixations_discrete_laplace",),
        ("fixations_exponential",),
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


def test_every_mechanism_of_every_kind_is_in_a_bundle() -> None:
    outputs = [output for path in FILES for output in manifest_of(path)["outputs"]]
    stated = {(output["kind"], output["mechanism"]["name"]) for output in outputs}
    assert stated == {(kind.name, mechanism) for kind in SHIPPED for mechanism in kind.mechanisms}


def test_maps_are_still_and_moving() -> None:
    outputs = [output for path in FILES for output in manifest_of(path)["outputs"]]
    maps = [one["mechanism"]["parameters"] for one in outputs if one["mechanism"]["name"] == "spectral"]
    maps = [one for one in maps if "blur_px" in one]
    assert {one["frames"] is None for one in maps} == {True, False}
    assert {one["prior"] for one in maps} == {"centre", "none", "maps"}


def test_the_bundles_have_every_form_of_dataset() -> None:
    types, ranks, chunks, names, texts = set(), set(), set(), set(), set()
    for path in FILES:
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
    assert ranks == {1, 2, 3, 4}
    assert any("%3A" in name for name in names)
    assert "a/b" in texts
