"""Damaged, truncated and foreign files: a finding each, never an exception."""

import h5py
import numpy as np
import pytest

import synthrelease
from synthrelease.bundle import reseal, verify
from synthrelease.bundle.layout import user_block
from synthrelease.errors import BundleError


def codes(path):
    return {finding.code for finding in verify(path).findings}


def test_one_byte_changed_anywhere_is_found(bundle, bundle_bytes):
    rng = np.random.default_rng(7)
    places = {0, 100, 511, 512, 513, len(bundle_bytes) - 1, *rng.integers(0, len(bundle_bytes), 400).tolist()}
    for place in sorted(places):
        changed = bytearray(bundle_bytes)
        changed[place] ^= 1 + int(rng.integers(0, 255))
        bundle.write_bytes(changed)
        assert codes(bundle) == {"seal"}, place


@pytest.mark.parametrize("keep", [0, 1, 100, 511, 512, 513, 1000, -1])
def test_truncated(bundle, bundle_bytes, keep):
    bundle.write_bytes(bundle_bytes[:keep])
    assert codes(bundle) == {"seal"}


def test_bytes_appended(bundle, bundle_bytes):
    bundle.write_bytes(bundle_bytes + b"\0")
    assert codes(bundle) == {"seal"}


@pytest.mark.parametrize("content", [b"", b"hello", b"\0" * 5000, b"PK\x03\x04" + b"x" * 1000])
def test_something_else_entirely(tmp_path, content):
    path = tmp_path / "x.h5"
    path.write_bytes(content)
    assert codes(path) == {"seal"}


def test_sealed_but_not_hdf5(tmp_path):
    path = tmp_path / "x.h5"
    path.write_bytes(user_block(b"x" * 4000, test_seed=False) + b"x" * 4000)
    assert codes(path) == {"structure"}


def test_sealed_hdf5_that_is_no_bundle(tmp_path):
    path = tmp_path / "x.h5"
    with h5py.File(path, "w", userblock_size=512) as file:
        file["a"] = np.arange(3)
    body = path.read_bytes()[512:]
    path.write_bytes(user_block(body, test_seed=False) + body)
    assert codes(path) == {"structure"}


def test_missing_file_and_folder(tmp_path):
    assert codes(tmp_path / "nothing.h5") == {"unreadable"}
    assert codes(tmp_path) == {"unreadable"}


def change_file(path, change):
    with h5py.File(path, "r+") as file:
        change(file)
    reseal(path)


def soft_link(file):
    file["/outputs/maps/link"] = h5py.SoftLink("/manifest")


def external_link(file):
    file["/outputs/maps/link"] = h5py.ExternalLink("/etc/hostname", "/")


def hard_link_twice(file):
    file["/outputs/maps/again"] = file["/outputs/maps/garden"]


def cycle(file):
    file["/outputs/maps/up"] = file["/outputs"]


def variable_length_string(file):
    file.create_dataset("/outputs/maps/text", data=["canary"], dtype=h5py.string_dtype())


def compound(file):
    file["/outputs/maps/pairs"] = np.zeros(3, dtype=[("a", "i4"), ("b", "f8")])


def attribute(file):
    file["/outputs/maps"].attrs["note"] = "anything"


def root_attribute(file):
    file.attrs["note"] = 1


def named_type(file):
    file["/outputs/maps/type"] = np.dtype("i4")


def bomb(file):
    file.create_dataset("/outputs/maps/bomb", shape=(10**9,), dtype="i8", chunks=(10**6,), compression="gzip")


def foreign_filter(file):
    file.create_dataset("/outputs/maps/lzf", data=np.arange(9), chunks=(9,), compression="lzf")


def deep(file):
    file.create_group("/outputs/maps/" + "/".join("abcdefghij"))


@pytest.mark.parametrize(
    "change",
    [
        soft_link,
        external_link,
        hard_link_twice,
        cycle,
        variable_length_string,
        compound,
        attribute,
        root_attribute,
        named_type,
        foreign_filter,
        deep,
    ],
)
def test_structure_that_a_bundle_must_not_have(bundle, change):
    try:
        change_file(bundle, change)
    except (BundleError, OSError, ValueError, RuntimeError, TypeError, AttributeError):
        # `reseal` cannot digest it: seal it by hand.
        body = bundle.read_bytes()[512:]
        bundle.write_bytes(user_block(body, test_seed=False) + body)
    assert codes(bundle) == {"structure"}


def test_decompression_bomb_is_refused_unread(bundle):
    with h5py.File(bundle, "r+") as file:
        bomb(file)
    body = bundle.read_bytes()[512:]
    bundle.write_bytes(user_block(body, test_seed=False) + body)
    assert codes(bundle) == {"structure"}


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"[]",
        b"{",
        b'{"a": 1, "a": 2}',
        b'{"a": NaN}',
        b"\xff\xfe",
        b"[" * 100_000,
    ],
)
def test_manifest_that_is_not_strict_json(bundle, text):
    with h5py.File(bundle, "r+") as file:
        del file["/manifest"]
        file["/manifest"] = np.frombuffer(text, dtype=np.uint8)
    body = bundle.read_bytes()[512:]
    bundle.write_bytes(user_block(body, test_seed=False) + body)
    assert codes(bundle) <= {"structure", "manifest"}
    assert not verify(bundle).ok


def test_open_bundle_refuses_what_quick_verification_refuses(bundle, bundle_bytes):
    assert synthrelease.open_bundle(bundle).names == ("maps", "signals", "table", "summary", "seeded")
    bundle.write_bytes(bundle_bytes[:-1])
    with pytest.raises(BundleError, match="not a bundle to rely on"):
        synthrelease.open_bundle(bundle)
