"""A bundle of another version is refused, with a sentence that says which it is and which are known; quickly, too."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from forging import forge
from goldens import figures

from synthrelease.bundle import reseal, verify
from synthrelease.bundle.layout import FIRST_WORDS, USER_BLOCK

GOLDEN = Path(__file__).parents[2] / "golden" / "bundles"


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    path = tmp_path / "r.h5"
    shutil.copyfile(GOLDEN / "unknown-number.h5", path)
    return path


def with_attribute(path: Path, group: str, name: str, value: Any) -> None:
    with h5py.File(path, "r+") as file:
        del file[group].attrs[name]
        file[group].attrs[name] = value
    reseal(path)


def of_format(path: Path, version: Any) -> None:
    with_attribute(path, "/", "format_version", version)


def of_encoding(path: Path, version: Any) -> None:
    with_attribute(path, "/outputs/areas", "encoding_version", version)


def of_manifest(path: Path, version: Any) -> None:
    forge(path, lambda manifest: manifest.update(manifest_version=version))


def check_told(path: Path, code: str, versions: list[int]) -> None:
    """Assert that there is one finding, which names these versions and no other number."""
    for quick in (True, False):
        (finding,) = verify(path, quick=quick).findings
        assert finding.code == code
        assert figures(finding.message) == versions, finding


PLACES: dict[str, tuple[Callable[[Path, Any], None], str]] = {
    "format": (of_format, "structure"),
    "encoding": (of_encoding, "structure"),
    "manifest": (of_manifest, "manifest"),
}


@pytest.mark.parametrize("version", [2, 17, 2**62])
@pytest.mark.parametrize("place", PLACES)
def test_a_later_version_is_named_with_the_one_that_is_known(copied: Path, place: str, version: int) -> None:
    change, code = PLACES[place]
    change(copied, np.int64(version) if place != "manifest" else version)
    check_told(copied, code, [version, 1])


@pytest.mark.parametrize("version", [0, -1, -(2**63)])
@pytest.mark.parametrize("place", PLACES)
def test_a_version_that_there_never_was_is_none(copied: Path, place: str, version: int) -> None:
    change, code = PLACES[place]
    change(copied, np.int64(version) if place != "manifest" else version)
    check_told(copied, code, [1])


@pytest.mark.parametrize("version", ["1", 1.0, True, None, [1], 10**30 + 0.5])
def test_a_version_of_a_manifest_is_an_integer(copied: Path, version: Any) -> None:
    of_manifest(copied, version)
    check_told(copied, "manifest", [1])


def test_a_manifest_without_a_version(copied: Path) -> None:
    forge(copied, lambda manifest: manifest.pop("manifest_version"))
    check_told(copied, "manifest", [1])


@pytest.mark.parametrize("version", [1.0, np.int32(1), np.uint64(1), np.array([1]), b"two"])
@pytest.mark.parametrize("place", ["format", "encoding"])
def test_a_version_of_another_type_is_refused(copied: Path, place: str, version: Any) -> None:
    PLACES[place][0](copied, version)
    (finding,) = verify(copied, quick=True).findings
    assert finding.code == "structure"
    assert figures(finding.message) in ([], [1])


def stating(copied: Path, stated: bytes) -> bytes:
    """The bytes of a bundle, of which the first line states another version."""
    raw, line = copied.read_bytes(), FIRST_WORDS + b"1\n"
    assert raw.startswith(line)
    return raw.replace(line, FIRST_WORDS + stated + b"\n", 1)


@pytest.mark.parametrize("stated", [b"2", b"17", b"999999999"])
def test_a_text_block_of_a_later_version(copied: Path, stated: bytes) -> None:
    """Of it nothing else is known, not even its size: nothing behind its first line is looked at."""
    copied.write_bytes(stating(copied, stated)[:USER_BLOCK] + b"something else altogether")
    check_told(copied, "checksum", [int(stated), 1])


@pytest.mark.parametrize("stated", [b"0", b"-1", b"01", b"1.0", b"1000000000", b"", b"two", b" 2", b"2 "])
def test_a_text_block_of_no_version(copied: Path, stated: bytes) -> None:
    copied.write_bytes(stating(copied, stated))
    check_told(copied, "checksum", [])


def test_a_whole_number_stands_in_a_manifest_in_one_way(copied: Path) -> None:
    """65536.0 is no other way to write the constant 65536."""

    def change(manifest: dict[str, Any]) -> None:
        parameters = next(o for o in manifest["outputs"] if o["name"] == "spectral")["mechanism"][
            "parameters"
        ]
        assert parameters["radius_grid_units"] == 65536
        parameters["radius_grid_units"] = 65536.0

    forge(copied, change)
    assert {finding.code for finding in verify(copied).findings} == {"manifest"}
