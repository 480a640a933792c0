"""Bundles changed at random and sealed anew: each is refused, or has the same content; nothing crashes, hangs or opens a file.

`scripts/stress files` makes more of them, and examines a failing one again by its number.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from fork_server import Outcome
from layouts import GOLDEN, NAMES, Layout, layout, read
from lies import LIES, Lie
from mutants import KINDS, mutant, sealed
from regions import SAME, refusals, undetected
from tiers import params
from trial import SEED, broken, tried

from synthrelease.bundle import verify
from synthrelease.bundle.examination import examine
from synthrelease.bundle.finding import Finding
from synthrelease.bundle.items import StoredOutput
from synthrelease.bundle.layout import SIGNATURE, USER_BLOCK
from synthrelease.bundle.strict_hdf5.anatomy import Structure

MOST_BYTES = 1 << 16  # of which each is changed
NUMBERS = [pytest.param(200, id="some"), pytest.param(500, id="many", marks=pytest.mark.thorough)]


@pytest.fixture(scope="module", params=NUMBERS)
def outcomes(request: pytest.FixtureRequest) -> list[Outcome]:
    return list(tried(range(request.param), seed=SEED))


@pytest.mark.parametrize("name", NAMES)
def test_the_layouts_are_bundles(tmp_path: Path, name: str) -> None:
    (tmp_path / "r.h5").write_bytes(layout(name).raw)
    assert verify(tmp_path / "r.h5", allow_test_seed=layout(name).marked).ok


@pytest.mark.parametrize("name", NAMES)
def test_the_number_of_datasets_is_known_before_they_are_listed(name: str) -> None:
    """Or a few words of a manifest could call for any number of them."""
    whole = layout(name)
    stored = [StoredOutput(entry) for entry in whole.manifest["outputs"]]
    called_for = [one.path for output in stored for one in output.hdf5_datasets]
    assert sorted(called_for) == sorted(path for path in whole.arrays if path != SIGNATURE)
    assert [output.hdf5_dataset_count for output in stored] == [
        len(output.hdf5_datasets) for output in stored
    ]


def test_mutants_are_refused_or_have_the_same_content(outcomes: list[Outcome]) -> None:
    assert [line for outcome in outcomes for line in broken(outcome)] == []


def test_mutants_are_of_every_kind_and_layout_and_refused_for_many_reasons(outcomes: list[Outcome]) -> None:
    """The checks behind the seal are what is tested: each has something to refuse."""
    told = [outcome.told for outcome in outcomes]
    assert {(one["layout"]) for one in told} == set(NAMES)
    assert {one["kind"] for one in told} == set(KINDS)
    found = Counter(code for outcome in outcomes for code in outcome.codes)
    due = {
        "structure",
        "manifest",
        "derived",
        "digest",
        "guarantee",
        "sensitivity",
        "noise",
        "unlisted",
        "missing",
    }
    if len(outcomes) > 1000:  # the first of these is number 616
        due.add("test-seed")
    assert set(found) >= due
    assert "checksum" not in found
    assert sum(outcome.result == "refused" for outcome in outcomes) > 0.8 * len(outcomes)


@pytest.mark.parametrize("number", params(range(40), quick=range(0, 40, 2)))
def test_what_is_found_in_a_process_of_its_own_is_the_same(tmp_path: Path, number: int) -> None:
    path = tmp_path / "r.h5"
    path.write_bytes(mutant(number, seed=SEED).raw)
    here, there = examine(path, allow_test_seed=True), verify(path, allow_test_seed=True)
    assert here.findings == there.findings or [one.code for one in there.findings] == ["limits"]


def test_a_mutant_is_the_same_whoever_makes_it() -> None:
    assert [mutant(number, seed=3).raw for number in (5, 11)] == [
        mutant(number, seed=3).raw for number in (5, 11)
    ]
    assert mutant(5, seed=3).raw != mutant(5, seed=4).raw


@pytest.mark.quick("heatmaps.h5", "statistics.h5")
@pytest.mark.parametrize("bundle", GOLDEN, ids=lambda path: path.name)
def test_every_changed_byte_of_a_golden_bundle_is_detected(bundle: Path) -> None:
    """Of all its bytes, or of a large one's every seventh, each changed in one bit; what it was for is known."""
    layout = read(bundle)
    assert undetected(layout, step=1 if len(layout.raw) < MOST_BYTES else 7) == []


def test_every_changed_byte_of_a_new_bundle_is_detected() -> None:
    assert undetected(layout("areas")) == []


@pytest.mark.quick("areas")
@pytest.mark.parametrize("name", ["seeded", "areas"])
def test_every_changed_byte_of_structure_is_refused_behind_a_new_seal(name: str) -> None:
    """Or the content is the same: of a dataset of one row, HDF5 has two ways to write the end of its index."""
    found = list(refusals(layout(name), step=7))
    assert [region for region, code in found if code == "accepted"] == []
    assert {region for region, code in found if code == SAME} <= {str(Structure("chunk-index"))}


@pytest.mark.parametrize("part", range(20))
def test_a_changed_byte_is_detected_by_verify_itself(tmp_path: Path, part: int) -> None:
    raw = bytearray(layout("seeded").raw)
    raw[part * len(raw) // 20] ^= 1
    (tmp_path / "r.h5").write_bytes(raw)
    assert {one.code for one in verify(tmp_path / "r.h5").findings} == {"checksum"}


@pytest.mark.parametrize("lie", LIES, ids=lambda lie: lie.what)
def test_lies(tmp_path: Path, lie: Lie) -> None:
    assert lie.code in {one.code for one in _findings(lie, tmp_path / "r.h5")}


def test_there_are_many_lies() -> None:
    assert len({lie.what for lie in LIES}) == len(LIES) > 80


def _findings(lie: Lie, path: Path) -> list[Finding]:
    path.write_bytes(layout(lie.layout).raw)
    lie.tell(path)
    return examine(path, allow_test_seed=True).findings


def test_what_is_sealed_anew_passes_the_seal(tmp_path: Path) -> None:
    for name, marked in (("areas", True), ("statistics", False)):
        original: Layout = layout(name)
        raw = sealed(original.raw[USER_BLOCK:], marked=marked)
        (tmp_path / "r.h5").write_bytes(raw)
        assert (tmp_path / "r.h5").read_bytes() == original.raw
