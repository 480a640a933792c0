"""Files made to harm whoever reads them: each is refused within seconds, and no other file is opened."""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import h5py
import pytest
from fork_server import SECONDS, Examine, Outcome, outcomes
from hostile import CORPUS, HONEST, MANIFESTS, continued_in_itself, seal
from layouts import layout
from refusals import refused
from tiers import params

import synthrelease
from synthrelease.bundle import verify
from synthrelease.bundle.examination import examine
from synthrelease.bundle.finding import Verification
from synthrelease.bundle.layout import USER_BLOCK
from synthrelease.bundle.strict_hdf5.anatomy import Structure
from synthrelease.bundle.strict_hdf5.bundle_file import BundleFile
from synthrelease.errors import BundleError, InputError

NAMES = list(CORPUS)


@pytest.fixture(scope="module")
def here(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Outcome]:
    """What becomes of each, of those asked about, in a child that can open no file once it has this one."""
    folder = tmp_path_factory.mktemp("hostile")
    asked = {item.callspec.params.get("name") for item in request.session.items if hasattr(item, "callspec")}
    numbers = [number for number, name in enumerate(NAMES) if name in asked]

    def work(number: int, _: Path, examine: Examine) -> tuple[Verification, None]:
        own = folder / str(number)
        own.mkdir()
        CORPUS[NAMES[number]](own / "r.h5")
        return examine(own / "r.h5"), None

    layout("series")  # built once, and not in every child
    for name in ("maps", "each", "records", "seeded", "statistics", "moods", "signed"):
        layout(name)
    return {NAMES[one.number]: one for one in outcomes(work, numbers, batch=10)}


@pytest.mark.parametrize("name", params(NAMES, quick=NAMES[::6]))
def test_it_is_refused_and_nothing_else_is_opened(here: dict[str, Outcome], name: str) -> None:
    outcome = here[name]
    assert (outcome.result, outcome.opened) == ("refused", ())
    assert outcome.seconds < SECONDS


@pytest.mark.parametrize("name", params(NAMES, quick=NAMES[::10]))
def test_verify_refuses_it_and_does_not_die_of_it(tmp_path: Path, name: str) -> None:
    CORPUS[name](tmp_path / "r.h5")
    found = verify(tmp_path / "r.h5").findings
    assert found
    assert "limits" not in {one.code for one in found}


@pytest.mark.parametrize("name", NAMES[::7])
def test_it_cannot_be_opened(tmp_path: Path, name: str) -> None:
    CORPUS[name](tmp_path / "r.h5")
    if verify(tmp_path / "r.h5", quick=True).ok:
        return  # what only all its values refute
    codes = {
        BundleError: {"bundle-invalid"},
        InputError: {"path-is-folder", "not-a-regular-file", "not-a-bundle"},
    }
    with pytest.raises((BundleError, InputError)) as refusal:
        synthrelease.open_bundle(tmp_path / "r.h5")
    assert refusal.value.code in codes[type(refusal.value)]
    assert refusal.value.where == str(tmp_path / "r.h5")


@pytest.mark.quick(but=["a million keys"])
@pytest.mark.parametrize("name", list(MANIFESTS))
def test_findings_repeat_nothing_of_a_manifest_that_is_none(tmp_path: Path, name: str) -> None:
    """Whoever reads the findings does so in a terminal."""
    MANIFESTS[name](tmp_path / "r.h5")
    for finding in verify(tmp_path / "r.h5").findings:
        assert str(finding).replace("⁶", "").isprintable()
        assert len(finding.message) < 300
        assert "xxxx" not in finding.message
        assert "\\ud" not in finding.message


# --- files that change while they are read


def during(change: Callable[[], object], path: Path) -> set[str]:
    """What is found if something happens once the seal was checked, and before values are read."""

    @contextmanager
    def touching() -> Iterator[None]:
        change()
        yield

    return {one.code for one in examine(path, touching=touching).findings}


@pytest.fixture
def honest(tmp_path: Path) -> Path:
    (tmp_path / "r.h5").write_bytes(layout("maps").raw)
    return tmp_path / "r.h5"


def test_a_file_that_is_not_touched(honest: Path) -> None:
    assert during(lambda: None, honest) == set()


@pytest.mark.parametrize("size", [0, 100, USER_BLOCK, 2000, 50_000, -1])
def test_a_file_that_is_cut_while_it_is_verified(honest: Path, size: int) -> None:
    size %= len(layout("maps").raw)
    (found,) = during(lambda: os.truncate(honest, size), honest)
    assert found in ("structure", "manifest")  # the manifest's values are the last


def test_a_file_that_grows_while_it_is_verified(honest: Path) -> None:
    """What was there when it was opened is examined."""

    def grow() -> None:
        with honest.open("ab") as file:
            file.write(b"more")

    assert during(grow, honest) == set()
    assert {one.code for one in verify(honest).findings} == {"checksum"}


def test_a_file_that_is_replaced_while_it_is_verified(honest: Path) -> None:
    """It is the old one that was opened and that is examined to the end, whatever has its name now."""
    other = honest.with_name("other.h5")
    other.write_bytes(b"something else")
    assert during(lambda: other.replace(honest), honest) == set()
    assert {one.code for one in verify(honest).findings} == {"checksum"}


def test_values_that_are_changed_while_they_are_verified(honest: Path) -> None:
    """Digest and manifest were read, or are; whatever is read later is held against them."""
    (place, size), *_ = layout("maps").anatomy.datasets["/outputs/still/heatmap"].chunks

    def overwrite() -> None:
        with honest.open("r+b") as file:
            file.seek(place)
            file.write(bytes(size))

    assert during(overwrite, honest) == {"structure"}


def test_a_file_that_is_removed_while_it_is_verified(honest: Path) -> None:
    assert during(honest.unlink, honest) == set()


# --- sizes


def test_a_large_file_is_known_before_it_is_hashed(tmp_path: Path) -> None:
    """A tebibyte of holes takes a moment to write and half an hour to hash."""
    path = tmp_path / "r.h5"
    path.write_bytes(layout("maps").raw)
    os.truncate(path, 1 << 40)
    assert {one.code for one in verify(path).findings} == {"structure"}  # and within the test's life


def test_a_cycle_in_a_large_file_is_followed_once(tmp_path: Path) -> None:
    """Or a header that continues in itself would be read until it has filled a tebibyte."""
    path, body = tmp_path / "r.h5", bytearray(layout("maps").raw[USER_BLOCK:])
    continued_in_itself(body)
    struct.pack_into("<Q", body, 40, 1 << 40)
    seal(path, bytes(body))
    os.truncate(path, 1 << 40)
    assert [one.code for one in verify(path).findings] == ["structure"]
    with BundleFile(path) as file, refused(BundleError, "shared-bytes", where="/outputs/still"):
        _ = file.anatomy


@pytest.mark.parametrize("size", [1 << 20, 1 << 30])
def test_a_chunk_larger_than_its_values_is_refused(tmp_path: Path, size: int) -> None:
    """Or a hole could be called a chunk, and be hashed."""
    original = layout("maps")
    dataset = "/outputs/still/heatmap"
    body = bytearray(original.raw[USER_BLOCK:])
    index = next(
        one for one in original.anatomy.regions if one.structure == Structure("chunk-index", dataset)
    )
    rank = len(original.anatomy.datasets[dataset].shape)
    struct.pack_into("<I", body, index.start - USER_BLOCK + 24, size)
    struct.pack_into("<Q", body, index.start - USER_BLOCK + 24 + 8 * (rank + 2), len(body))
    struct.pack_into("<Q", body, 40, len(body) + USER_BLOCK + size)
    seal(tmp_path / "r.h5", bytes(body))
    os.truncate(tmp_path / "r.h5", USER_BLOCK + len(body) + size)
    if size < 1 << 30:
        seal(tmp_path / "r.h5", (tmp_path / "r.h5").read_bytes()[USER_BLOCK:])
    assert [one.code for one in verify(tmp_path / "r.h5").findings] == ["structure"]
    with BundleFile(tmp_path / "r.h5") as file, refused(BundleError, "chunk-too-large", where=dataset):
        _ = file.anatomy


def test_no_honest_file_holds_what_the_corpus_needs(tmp_path: Path) -> None:
    """The corpus is hostile for what was done to it: the bundle beneath is none."""
    (tmp_path / "r.h5").write_bytes(layout("maps").raw)
    assert verify(tmp_path / "r.h5").ok
    with h5py.File(tmp_path / "r.h5") as file:
        assert "outputs/still/noisy" in file


@pytest.mark.parametrize("name", list(HONEST))
def test_what_is_written_in_the_same_way_and_is_the_same_is_accepted(tmp_path: Path, name: str) -> None:
    HONEST[name](tmp_path / "r.h5")
    assert verify(tmp_path / "r.h5").findings == []
