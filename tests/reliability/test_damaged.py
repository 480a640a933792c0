"""Damaged, truncated and foreign files: a finding each, never an exception."""

import os
import struct
from dataclasses import replace

import h5py
import numpy as np
import pytest
from forging import put_forms, put_values
from refusals import refused

import synthrelease
from synthrelease.bundle import reseal, verify, writer
from synthrelease.bundle.layout import user_block
from synthrelease.bundle.strict_hdf5.anatomy import Form
from synthrelease.bundle.strict_hdf5.bundle_file import BundleFile
from synthrelease.errors import BundleError


def codes(path):
    return {finding.code for finding in verify(path).findings}


@pytest.mark.thorough
def test_one_byte_changed_anywhere_is_found(bundle, bundle_bytes):
    rng = np.random.default_rng(7)
    places = {0, 100, 511, 512, 513, len(bundle_bytes) - 1, *rng.integers(0, len(bundle_bytes), 400).tolist()}
    for place in sorted(places):
        changed = bytearray(bundle_bytes)
        changed[place] ^= 1 + int(rng.integers(0, 255))
        bundle.write_bytes(changed)
        assert codes(bundle) == {"checksum"}, place


@pytest.mark.parametrize("keep", [0, 1, 100, 511, 512, 513, 1000, -1])
def test_truncated(bundle, bundle_bytes, keep):
    bundle.write_bytes(bundle_bytes[:keep])
    assert codes(bundle) == {"checksum"}


def test_bytes_appended(bundle, bundle_bytes):
    bundle.write_bytes(bundle_bytes + b"\0")
    assert codes(bundle) == {"checksum"}


@pytest.mark.parametrize("content", [b"", b"hello", b"\0" * 5000, b"PK\x03\x04" + b"x" * 1000])
def test_something_else_entirely(tmp_path, content):
    path = tmp_path / "x.h5"
    path.write_bytes(content)
    assert codes(path) == {"checksum"}


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
    file["/outputs/again"] = file["/outputs/maps"]


def hard_link_to_a_dataset(file):
    file["/outputs/maps/again"] = file["/outputs/maps/heatmap"]


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
        hard_link_to_a_dataset,
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
    with refused(BundleError, "bundle-invalid", where=bundle):
        synthrelease.open_bundle(bundle)


def resealed(path, body):
    path.write_bytes(user_block(bytes(body), test_seed=False) + bytes(body))
    return path


@pytest.mark.parametrize("size", [0, 1, 4, 2**31])
def test_a_chunk_of_a_size_that_crashes_the_library_is_refused_unread(bundle, size):
    with h5py.File(bundle) as file:
        chunk = file["/manifest"].id.get_chunk_info(0)
    body = bytearray(bundle.read_bytes()[512:])
    key = struct.pack("<II", chunk.size, 0) + bytes(
        8 * 2
    )  # of the chunk index: size, mask, offsets; then the address
    places = [
        at
        for at in range(len(body))
        if body.startswith(key, at)
        and struct.unpack_from("<Q", body, at + len(key))[0] in (chunk.byte_offset, chunk.byte_offset - 512)
    ]
    assert len(places) == 1
    struct.pack_into("<I", body, places[0], size)
    resealed(bundle, body)
    assert codes(bundle) == {"structure"}
    with (
        BundleFile(bundle) as file,
        refused(BundleError, "chunk-too-large" if size == 2**31 else "chunk-too-small", where="/manifest"),
    ):
        _ = file.anatomy


def rewrite_manifest(path, change):
    with h5py.File(path, "r+") as file:
        raw = change(file["/manifest"][()].tobytes())
        del file["/manifest"]
        writer.store(file, "/manifest", np.frombuffer(raw, dtype=np.uint8))
    return resealed(path, path.read_bytes()[512:])


@pytest.mark.parametrize(
    "change",
    [
        lambda raw: raw + b" " * 5000,
        lambda raw: raw.replace(b'  "privacy"', b' "privacy"'),
        lambda raw: raw.replace(b"small", b"\\u0073mall"),
        lambda raw: raw.replace(b"A small invented study", b"\\u001b[2JVerified"),
        lambda raw: raw.replace(b"A small invented study", b"\\ud800"),
    ],
)
def test_a_manifest_has_one_form_and_no_characters_that_steer_a_terminal(bundle, change):
    assert codes(rewrite_manifest(bundle, change)) <= {"structure", "manifest"}
    assert not verify(bundle).ok


def hidden_behind_nul(file):
    group = file["/outputs/maps"]
    del group.attrs["encoding_type"]
    kind = h5py.h5t.C_S1.copy()
    kind.set_size(100)
    created = h5py.h5a.create(group.id, b"encoding_type", kind, h5py.h5s.create(h5py.h5s.SCALAR))
    created.write(np.array(b"heatmap\0" + b"secret " * 10, dtype="S100"), mtype=kind)


def larger_chunks(file):
    values = file["/outputs/maps/noisy"][()]
    del file["/outputs/maps/noisy"]
    file.create_dataset("/outputs/maps/noisy", data=values, maxshape=(None, None, None), chunks=(2, 64, 64))


def narrow_integers(file):
    values = file["/outputs/maps/noisy"][()]
    del file["/outputs/maps/noisy"]
    kind = h5py.h5t.NATIVE_INT64.copy()
    kind.set_precision(32)
    space = h5py.h5s.create_simple(values.shape)
    created = h5py.h5d.create(file["/outputs/maps"].id, b"noisy", kind, space)
    created.write(space, space, values.astype(np.int64))


@pytest.mark.parametrize("change", [hidden_behind_nul, larger_chunks, narrow_integers])
def test_room_where_something_could_be_hidden(bundle, change):
    with h5py.File(bundle, "r+") as file:
        change(file)
    assert codes(resealed(bundle, bundle.read_bytes()[512:])) == {"structure"}


@pytest.mark.parametrize("group", ["/outputs", "/outputs/summary/mean", "/outputs/seeded/category"])
def test_attributes_of_no_group_can_carry_anything(bundle, group):
    """In the form that a bundle's own attributes have: bytes, behind a new seal."""
    with h5py.File(bundle, "r+") as file:
        file[group].attrs["encoding_type"] = np.bytes_(b"left-handed")
    reseal(bundle)
    assert ("structure", group) in {(finding.code, finding.where) for finding in verify(bundle).findings}


@pytest.mark.parametrize(
    ("name", "code"), [("patient 17 was left-handed", "structure"), ("patient17", "unlisted")]
)
def test_names_of_empty_groups_cannot_carry_anything(bundle, name, code):
    with h5py.File(bundle, "r+") as file:
        file.create_group(f"/outputs/maps/{name}")
    reseal(bundle)
    assert codes(bundle) == {code}


@pytest.mark.parametrize("role", ["estimate", "left-handed", "x" * 60_000])
@pytest.mark.parametrize("name", ["role", "units", "long_name"])
@pytest.mark.parametrize("path", ["/outputs/maps/noisy", "/outputs/maps/x_px", "/outputs/maps/stimulus"])
@pytest.mark.quick
def test_attributes_of_datasets_cannot_carry_anything(bundle, path, name, role):
    """In the form that a bundle's own attributes have."""
    put_forms(bundle, {path: lambda form: replace(form, attributes={**form.attributes, name: role})})
    assert {(finding.code, finding.where) for finding in verify(bundle).findings} == {("derived", path)}


@pytest.mark.parametrize(
    "described",
    [
        {"attributes": {"units": "left-handed"}},
        {"attributes": {"long_name": "left-handed"}},
        {"axis": "left-handed"},
    ],
)
def test_attributes_of_the_manifest_cannot_carry_anything(bundle, monkeypatch, described):
    def store(file, path, array):
        form = Form(dtype=array.dtype, shape=array.shape, **described)
        writer._DatasetWriter(file, path, form).add(array)

    monkeypatch.setattr(writer, "store", store)
    reseal(bundle)
    assert b"left-handed" in bundle.read_bytes()
    assert ("structure", "/manifest") in {
        (finding.code, finding.where) for finding in verify(bundle).findings
    }


@pytest.mark.parametrize(
    ("path", "change"),
    [
        ("/outputs/maps/stimulus", lambda labels: labels[::-1]),
        ("/outputs/maps/stimulus", lambda labels: labels.astype("S40")),
        ("/outputs/maps/stimulus", lambda labels: np.array([labels[0], b"ward17"])),
        ("/outputs/maps/x_px", lambda pixels: np.nextafter(pixels, 0)),
        ("/outputs/signals/step", lambda steps: steps + 1),
        ("/outputs/signals/step", lambda steps: steps.astype(np.int64)),
        ("/outputs/signals/step", lambda steps: steps[:-1]),
        ("/outputs/summary/bound", lambda labels: labels[::-1]),
    ],
)
def test_coordinates_cannot_carry_anything(bundle, path, change):
    put_values(bundle, {path: change})
    assert {(finding.code, finding.where) for finding in verify(bundle).findings} == {("derived", path)}


@pytest.mark.parametrize(
    ("path", "scales"),
    [
        ("/outputs/maps/heatmap", ()),
        ("/outputs/maps/heatmap", ("stimulus", "x_px", "y_px")),
        ("/outputs/maps/heatmap", ("stimulus", "y_px")),
        ("/outputs/maps/noisy", ("stimulus", "stimulus", "stimulus")),
        ("/outputs/signals/values", ("feature", "recording", "step")),
        ("/outputs/signals/step", ("coefficient",)),
    ],
)
def test_datasets_lie_along_the_axes_that_they_have(bundle, path, scales):
    below = path.rpartition("/")[0]
    put_forms(bundle, {path: lambda form: replace(form, scales=tuple(f"{below}/{one}" for one in scales))})
    assert {(finding.code, finding.where) for finding in verify(bundle).findings} == {("derived", path)}


def test_low_bits_of_derived_values_cannot_carry_anything(bundle):
    with h5py.File(bundle, "r+") as file:
        values = file["/outputs/maps/heatmap"][()]
        file["/outputs/maps/heatmap"][...] = values * (1 + 1e-6)
    reseal(bundle)
    assert codes(bundle) == {"derived"}


def test_a_pipe_is_refused_and_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.h5")
    assert codes(tmp_path / "pipe.h5") == {"unreadable"}
