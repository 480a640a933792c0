"""What is read of HDF5 by hand is what its library reads, and nothing else is taken for a bundle's."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused

from synthrelease.bundle import writer
from synthrelease.bundle.content import Content, output_attributes, root_attributes
from synthrelease.bundle.layout import USER_BLOCK, chunk_shape
from synthrelease.bundle.strict_hdf5.anatomy import Anatomy, Form, Region, Structure
from synthrelease.bundle.strict_hdf5.bundle_file import BundleFile, _fletcher32
from synthrelease.bundle.strict_hdf5.dissection import dissect
from synthrelease.bundle.strict_hdf5.library import disagreements
from synthrelease.errors import BundleError

Arrays = Mapping[str, np.ndarray]
KINDS = ["u1", "i1", "<i2", "<i4", "<i8", "<f4", "<f8", "S1", "S7"]


def written(path: Path, arrays: Arrays, kinds: Mapping[str, str] | None = None) -> Path:
    forms = {name: Form(dtype=array.dtype, shape=array.shape) for name, array in arrays.items()}
    kinds = kinds or {"/outputs/maps": "heatmap"}
    return described(path, arrays, forms, kinds)


def described(
    path: Path,
    arrays: Arrays,
    forms: Mapping[str, Form],
    kinds: Mapping[str, str] | None = None,
) -> Path:
    """A bundle of datasets that say something of themselves."""
    groups = {"/": root_attributes(), "/outputs": {}}
    groups |= {name: output_attributes(kind) for name, kind in (kinds or {}).items()}
    content = Content(groups, forms, [(name, arrays[name]) for name in forms])
    return _written(path, content, lambda digests: {"digests": digests})


def _written(path: Path, content: Content, manifest: Callable[[dict[str, str]], dict[str, Any]]) -> Path:
    path.touch()
    writer.write_bundle(path, content, completed=manifest, test_seed=False)
    return path


def padded_manifest(path: Path, letters: int) -> Path:
    """A bundle of nothing but a manifest, which has so many letters and sixteen."""
    content = Content({"/": root_attributes(), "/outputs": {}}, {}, [])
    return _written(path, content, lambda _: {"pad": "y" * letters})


def of_bytes(raw: bytes | bytearray) -> Anatomy:
    return dissect(lambda place, number: bytes(raw[place : place + number]), len(raw))


def regions_of(raw: bytes | bytearray, kind: str, path: str = "") -> list[Region]:
    return [one for one in of_bytes(raw).regions if one.structure == (kind, path)]


def check(path: Path, arrays: Arrays) -> None:
    """Whatever is asked of the file by hand and of the library is the same."""
    with BundleFile(path) as file:
        anatomy = file.anatomy
        assert disagreements(file) == []
        assert set(anatomy.datasets) == {*arrays, "/manifest"}
        for name, array in arrays.items():
            found = file.array(name)
            assert (found.dtype, found.shape, found.tobytes()) == (array.dtype, array.shape, array.tobytes())
            assert b"".join(piece.tobytes() for piece in file.pieces(name)) == array.tobytes()
        assert anatomy.regions[0].start == 0
        assert anatomy.regions[-1].stop == file.size
        for one, other in zip(anatomy.regions, anatomy.regions[1:], strict=False):
            assert one.stop == other.start
    with h5py.File(path) as seen:
        for name, array in arrays.items():
            assert seen[name][()].tobytes() == array.tobytes()


LABELS = st.text("abzAZ09%_~-.", min_size=1, max_size=40).filter(lambda name: set(name) != {"."})
ARRAYS = st.tuples(
    st.sampled_from(KINDS), st.lists(st.integers(1, 9), min_size=1, max_size=4), st.integers(0, 2**32)
)


@given(contents=st.dictionaries(st.tuples(LABELS, LABELS), ARRAYS, max_size=40))
def test_whatever_is_written_is_read_alike(
    tmp_path_factory: pytest.TempPathFactory, contents: dict[tuple[str, str], tuple[str, list[int], int]]
) -> None:
    arrays = {}
    for labels, (kind, shape, seed) in contents.items():
        numbers = np.random.default_rng(seed).integers(0, 100, shape)
        arrays["/".join(["/outputs/maps", *labels])] = numbers.astype(kind)
    check(written(tmp_path_factory.mktemp("any") / "r.h5", arrays), arrays)


@pytest.mark.parametrize("count", [1, 8, 9, 16, 17, 129, 600])
def test_groups_of_many_names(tmp_path: Path, count: int) -> None:
    """Names are kept in nodes of 8, these in trees of nodes of 32; lists of names are moved as they grow."""
    rng = np.random.default_rng(count)
    names = {f"{rng.integers(10**9)}{'x' * int(rng.integers(0, 60))}" for _ in range(count)}
    arrays = {f"/outputs/maps/{name}": np.array([number]) for number, name in enumerate(names)}
    check(written(tmp_path / "r.h5", arrays), arrays)


@pytest.mark.parametrize("count", [1, 2, 8, 9, 40])
def test_many_outputs(tmp_path: Path, count: int) -> None:
    arrays = {f"/outputs/o{number}/x": np.array([number]) for number in range(count)}
    kinds = {f"/outputs/o{number}": "statistics" for number in range(count)}
    path = written(tmp_path / "r.h5", arrays, kinds)
    check(path, arrays)
    with BundleFile(path) as file:
        attributes = {"encoding_type": b"statistics", "encoding_version": 1}
        assert {name: file.anatomy.groups[name] for name in kinds} == dict.fromkeys(kinds, attributes)


@pytest.mark.quick("0-1", "0-2", "131072-2")
@pytest.mark.parametrize(
    ("columns", "rows"),
    [*((0, rows) for rows in (1, 2, 64, 65, 97, 129, 200)), *((1 << 17, rows) for rows in (1, 2, 65, 129))],
)
def test_datasets_of_many_chunks(tmp_path: Path, rows: int, columns: int) -> None:
    """The index of chunks has nodes of 64; the last chunk is only partly filled."""
    shape = (rows, columns) if columns else ((rows << 17) - 5,)
    array = np.zeros(shape, dtype=np.int64)
    array[:: max(1, len(array) // 7)] = 3
    assert chunk_shape(shape, 8)[0] < shape[0] or rows == 1
    arrays = {"/outputs/maps/x": array}
    check(written(tmp_path / "r.h5", arrays), arrays)


@pytest.mark.parametrize(
    ("shape", "chunk"),
    [
        ((3, 70_000), (1, 70_000)),  # 560 kB each: one axis is cut
        ((2, 400, 400), (1, 327, 400)),  # 1.28 MB each
        ((2, 3, 4, 40_000), (1, 1, 3, 40_000)),
        ((3, 200_000), (1, 131_072)),  # rows of more than a mebibyte
    ],
)
def test_datasets_of_many_items_hold_their_values_in_order(
    tmp_path: Path, shape: tuple[int, ...], chunk: tuple[int, ...]
) -> None:
    array = np.arange(np.prod(shape), dtype=np.int64).reshape(shape)
    arrays = {"/outputs/maps/x": array}
    path = written(tmp_path / "r.h5", arrays)
    check(path, arrays)
    with BundleFile(path) as file:
        assert file.anatomy.datasets["/outputs/maps/x"].chunk == chunk


TEXTS = {"role": "estimate", "units": "px", "long_name": "relative fixation density (1 = uniform)"}


@pytest.mark.quick("1", "60")
@pytest.mark.parametrize("number", [1, 60, 200, 600])
def test_axes_and_texts_are_read_alike(tmp_path: Path, number: int) -> None:
    """References are kept in heaps of 4096 bytes, of 169 each."""
    arrays: dict[str, np.ndarray] = {"/outputs/maps/y": np.array([0.5, 1.5]), "/outputs/maps/x": np.arange(3)}
    forms = {path: Form(dtype=a.dtype, shape=a.shape, axis=path[-1]) for path, a in arrays.items()}
    for name in (f"/outputs/maps/d{n}" for n in range(number)):
        arrays[name] = np.ones((2, 3, 2), dtype=np.float32)
        scales = ("/outputs/maps/y", "/outputs/maps/x", "/outputs/maps/y")
        forms[name] = Form(dtype=np.dtype("<f4"), shape=(2, 3, 2), scales=scales, attributes=TEXTS)
    path = described(tmp_path / "r.h5", arrays, forms, {"/outputs/maps": "heatmap"})
    check(path, arrays)
    with BundleFile(path) as file:
        assert {name: file.anatomy.datasets[name].form for name in forms} == forms
        heaps = [one for one in file.anatomy.regions if one.structure.kind == "references"]
        assert len(heaps) == -(-3 * number // 169)


# --- what is not a bundle's


SMALL = {
    "/outputs/maps/a/noisy": np.arange(12, dtype=np.int32).reshape(3, 4),
    "/outputs/maps/b": np.linspace(0, 1, 300),
}


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return written(tmp_path_factory.mktemp("small") / "r.h5", SMALL).read_bytes()


@pytest.mark.thorough
def test_every_changed_bit_of_structure_is_refused_or_changes_what_is_told(small: bytes) -> None:
    """Names and attributes are content, which the manifest decides on; nothing else has two forms."""
    whole = of_bytes(small)
    told = 0
    for region in whole.regions:
        if region.structure.kind in ("text-block", "values"):
            continue
        for place in range(region.start, region.stop):
            for bit in (0, 3, 7):
                changed = bytearray(small)
                changed[place] ^= 1 << bit
                try:
                    other = of_bytes(changed)
                except BundleError:
                    continue
                assert (other.groups, other.datasets) != (whole.groups, whole.datasets), region
                told += 1
    assert told > 30


@pytest.mark.thorough
def test_every_changed_byte_of_packed_values_is_refused_and_of_others_another_value(
    small: bytes, tmp_path: Path
) -> None:
    for region in of_bytes(small).regions:
        if region.structure.kind != "values":
            continue
        name = region.structure.path
        if name == "/manifest":
            continue
        compact = name == "/outputs/maps/a/noisy"
        for place in range(region.start, region.stop, 1 if compact else 7):
            (tmp_path / "r.h5").write_bytes(small[:place] + bytes([small[place] ^ 0x55]) + small[place + 1 :])
            with BundleFile(tmp_path / "r.h5") as file:
                if compact:
                    assert (file.array(name) != SMALL[name]).sum() == 1
                    continue
                with pytest.raises(BundleError):
                    file.array(name)


@pytest.mark.parametrize("cut", [1, 2, 100, 1000, -513, -600])
def test_whatever_is_cut_off_is_missed(small: bytes, cut: int) -> None:
    with pytest.raises(BundleError):
        of_bytes(small[:-cut])


def test_bytes_behind_the_end(small: bytes) -> None:
    with pytest.raises(BundleError):
        of_bytes(small + b"\0")
    longer = bytearray(small + bytes(8))  # and the end moved to where they end
    struct.pack_into("<Q", longer, USER_BLOCK + 40, len(longer))
    with refused(BundleError, "bytes-behind-end", where=str(len(small))):
        of_bytes(longer)


def test_every_structure_may_be_used_once(small: bytes) -> None:
    """Every address in the file in the place of every other: cycles, objects that share bytes, objects elsewhere."""
    starts = [region.start - USER_BLOCK for region in of_bytes(small).regions[1:]]
    places = [
        place
        for region in of_bytes(small).regions[1:]
        if region.structure.kind != "values"
        for place in range(region.start, region.stop - 7, 8)
        if struct.unpack_from("<Q", small, place)[0] in starts and any(small[place : place + 8])
    ]
    assert len(places) > 20
    for place in places[::2]:
        for start in starts[::2]:
            changed = bytearray(small)
            struct.pack_into("<Q", changed, place, start)
            if bytes(changed) != small:
                with pytest.raises(BundleError):
                    of_bytes(changed)


@pytest.mark.parametrize("names", [b"ba", b"aa", b"bb"])
def test_names_stand_in_their_order_and_once(tmp_path: Path, names: bytes) -> None:
    arrays = {f"/outputs/maps/{name}": np.arange(3) for name in "ab"}
    raw = bytearray(written(tmp_path / "r.h5", arrays).read_bytes())
    heap = regions_of(raw, "names", "/outputs/maps")[0]
    places = [raw.index(b"\0" + old, heap.start) + 1 for old in (b"a\0", b"b\0")]
    for place, new in zip(places, names, strict=True):
        raw[place] = new
    with refused(BundleError, "index-unordered", where="/outputs/maps"):
        of_bytes(raw)


def test_no_name_stands_beside_those_that_are_used(tmp_path: Path) -> None:
    """It could be anyone's."""
    raw = bytearray(written(tmp_path / "r.h5", {"/outputs/maps/a": np.arange(3)}).read_bytes())
    heads = regions_of(raw, "names", "/outputs/maps")
    head = min(heads, key=lambda one: one.stop - one.start).start
    size, free, place = struct.unpack_from("<8xQQQ", raw, head)
    names = place + USER_BLOCK
    assert free != 1
    assert size - free >= 24
    struct.pack_into("<Q", raw, head + 16, free + 8)
    raw[names + free : names + size] = b"patient\0" + struct.pack("<QQ", 1, size - free - 8).ljust(
        size - free - 8, b"\0"
    )
    with refused(BundleError, "unused-name", where="/outputs/maps"):
        of_bytes(raw)


def test_no_attribute_stands_twice(tmp_path: Path) -> None:
    """One of them would be read, and the other could say anything."""
    path = written(tmp_path / "r.h5", {"/outputs/maps/a": np.arange(3)})
    with h5py.File(path, "r+") as file:
        file["/outputs/maps"].attrs.create("encoding_typf", np.bytes_("anything"))
    raw = path.read_bytes()
    with refused(BundleError, "other-form", where="/outputs/maps"):  # of a name that no attribute has
        of_bytes(raw)
    with refused(BundleError, "attribute-twice", where="/outputs/maps"):
        of_bytes(raw.replace(b"encoding_typf", b"encoding_type"))


@pytest.mark.parametrize(
    ("shape", "chunk"),
    [
        ((2, 30, 40), (2, 15, 40)),  # a small dataset, which is one chunk
        ((2, 30, 40), (1, 15, 20)),
        ((2, 400, 400), (1, 327, 200)),  # a large one, of which the second axis is cut
        ((2, 400, 400), (2, 163, 400)),
        ((2, 400, 400), (1, 328, 400)),  # a row more than a mebibyte has
        ((2, 400, 400), (1, 1, 400)),
    ],
)
def test_one_axis_is_cut_and_at_one_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shape: tuple[int, ...], chunk: tuple[int, ...]
) -> None:
    """Or chunks could be put in orders that say something, and would not hold the values in theirs."""

    class Otherwise(writer._DatasetWriter):
        def _create(self, file: h5py.File, path: str) -> h5py.Dataset:
            if path != "/manifest":
                self._chunk = chunk
            return super()._create(file, path)

        def add(self, values: np.ndarray) -> None:
            if self._shape != shape:
                return super().add(values)
            self._dataset[...] = values
            return None

        def hexdigest(self) -> str:
            return super().hexdigest() if self._shape != shape else ""

    monkeypatch.setattr(writer, "_DatasetWriter", Otherwise)
    monkeypatch.setattr(writer, "clear_gaps", lambda _: None)
    array = np.arange(np.prod(shape), dtype=np.int64).reshape(shape)
    path = written(tmp_path / "r.h5", {"/outputs/maps/x": array})
    with h5py.File(path) as file:
        assert file["/outputs/maps/x"].chunks == chunk
        assert np.array_equal(file["/outputs/maps/x"][()], array)
    with BundleFile(path) as file, refused(BundleError, "other-form", where="/outputs/maps/x"):
        _ = file.anatomy


@pytest.mark.parametrize(
    ("shape", "other"),
    [((3,), (0,)), ((3,), (2**31,)), ((2, 3), (2**20, 2**21)), ((2, 3), (2, 2**62))],
    ids=["nothing", "a long side", "two terabytes", "beyond 64 bits"],
)
def test_a_dataset_is_of_a_size_that_can_be(
    tmp_path: Path, shape: tuple[int, ...], other: tuple[int, ...]
) -> None:
    raw = bytearray(
        written(tmp_path / "r.h5", {"/outputs/maps/a": np.ones(shape, dtype=np.int8)}).read_bytes()
    )
    header = regions_of(raw, "header", "/outputs/maps/a")[0]
    sides = struct.pack(f"<{2 * len(shape)}Q", *shape, *shape)
    place = raw.index(sides, header.start)
    raw[place : place + len(sides)] = struct.pack(f"<{2 * len(shape)}Q", *other, *other)
    with refused(BundleError, "too-large", where="/outputs/maps/a"):
        of_bytes(raw)


def test_a_header_says_something(tmp_path: Path) -> None:
    raw = bytearray(written(tmp_path / "r.h5", {"/outputs/maps/a": np.ones(3)}).read_bytes())
    regions = of_bytes(raw).regions
    header = regions_of(raw, "header", "/outputs/maps/a")[0]
    pointer = raw.index(struct.pack("<Q", header.start - USER_BLOCK))
    for one in regions:
        if one.structure in {header.structure, Structure("values", "/outputs/maps/a")}:
            raw[one.start : one.stop] = bytes(one.stop - one.start)
    struct.pack_into("<Q", raw, pointer, len(raw) - USER_BLOCK)
    raw += struct.pack("<BBHII4x", 1, 0, 0, 1, 0)
    struct.pack_into("<Q", raw, USER_BLOCK + 40, len(raw))
    with refused(BundleError, "message-count", where="/outputs/maps/a"):
        of_bytes(raw)


def test_an_index_is_of_one_height(tmp_path: Path) -> None:
    arrays = {f"/outputs/maps/{number}": np.arange(3) for number in range(600)}
    raw = written(tmp_path / "r.h5", arrays).read_bytes()
    nodes = [one.start for one in of_bytes(raw).regions if raw[one.start : one.start + 4] == b"TREE"]
    heights = [raw[node + 5] for node in nodes]
    assert {0, 1} <= set(heights)
    for node, height in zip(nodes, heights, strict=True):
        for other in {0, 1, 2, 3} - {height}:
            changed = bytearray(raw)
            changed[node + 5] = other
            with pytest.raises(BundleError):
                of_bytes(changed)


def test_no_two_parts_share_bytes(tmp_path: Path) -> None:
    """Even if what is shared makes up for a gap elsewhere, so that as many bytes are claimed as there are."""
    random = np.random.default_rng(3)
    arrays = {f"/outputs/maps/{name}": random.integers(0, 2**31, 1000) for name in "ab"}
    raw = bytearray(written(tmp_path / "r.h5", arrays).read_bytes())
    found = of_bytes(raw)
    ((place, size),), ((other, _),) = (found.datasets[path].chunks for path in arrays)
    (index,) = regions_of(raw, "chunk-index", "/outputs/maps/a")
    pointer = index.start + 24 + 8 + 8 * 2  # behind the first key, of size and mask and two numbers
    assert struct.unpack_from("<Q", raw, pointer) == (place - USER_BLOCK,)
    struct.pack_into("<Q", raw, pointer, other + 8 - USER_BLOCK)
    raw[place : place + size] = bytes(size)
    with refused(BundleError, "shared-bytes", where=str(other + 8)):
        of_bytes(raw)


def test_no_more_is_read_than_there_is(tmp_path: Path) -> None:
    """Parts of a header that begin 24 bytes apart and all end together: each byte would be read thousands of times."""
    raw = bytearray(written(tmp_path / "r.h5", {"/outputs/maps/a": np.arange(9)}).read_bytes())
    header = regions_of(raw, "header", "/outputs/maps")[0].start
    start, number = len(raw) - USER_BLOCK, 2000
    parts = [(start + 24 * k, 24 * (number - k)) for k in range(number)]
    struct.pack_into("<HHB3xQQ", raw, header + 16, 0x10, 16, 0, *parts[0])
    for part in [*parts[1:], (start, 24)]:
        raw += struct.pack("<HHB3xQQ", 0x10, 16, 0, *part)
    struct.pack_into("<Q", raw, USER_BLOCK + 40, len(raw))
    amount = 0

    def read(place: int, size: int) -> bytes:
        nonlocal amount
        amount += size
        return bytes(raw[place : place + size])

    with refused(BundleError, "shared-bytes", where="/outputs/maps"):
        dissect(read, len(raw))
    assert amount <= len(raw)


def test_gaps_hold_nothing_and_are_small(tmp_path: Path) -> None:
    arrays = {f"/outputs/maps/{'x' * 30}{number}": np.array([number]) for number in range(300)}
    raw = written(tmp_path / "r.h5", arrays).read_bytes()
    gaps = regions_of(raw, "gap")
    assert gaps
    for gap in gaps:
        changed = bytearray(raw)
        changed[gap.stop - 1] = 1
        with refused(BundleError, "unclaimed-bytes", where=str(gap.start)):
            of_bytes(changed)
    assert sum(gap.stop - gap.start for gap in gaps) < len(raw) / 10


def test_half_of_a_file_may_be_nothing_and_no_more(tmp_path: Path) -> None:
    small = padded_manifest(tmp_path / "r.h5", 5000).read_bytes()
    found = of_bytes(small)
    place, size = found.datasets["/manifest"].chunks[-1]
    assert place + size == len(small)
    index = regions_of(small, "chunk-index", "/manifest")[0]
    pointer = small.index(struct.pack("<Q", place - USER_BLOCK), index.start)
    left = sum(one.stop - one.start for one in regions_of(small, "gap"))

    def moved(by: int) -> bytes:
        changed = bytearray(small[:place] + bytes(by) + small[place:])
        struct.pack_into("<Q", changed, pointer, place + by - USER_BLOCK)
        struct.pack_into("<Q", changed, USER_BLOCK + 40, len(changed))
        return bytes(changed)

    half = len(small) - 2 * left
    assert of_bytes(moved(half)).datasets["/manifest"].chunks[-1] == (place + half, size)
    with refused(BundleError, "mostly-gaps"):
        of_bytes(moved(half + 1))


@pytest.mark.thorough
def test_nothing_is_left_of_names_that_were_written_before_they_moved(tmp_path: Path) -> None:
    """The library writes a group's list of names when it has seen enough else, and leaves it where it was when it grows."""
    arrays = {f"/outputs/maps/{number}": np.arange(60) for number in range(4000)}
    last = {f"/outputs/more/{'x' * 100}": np.arange(600)}
    kinds = dict.fromkeys(["/outputs/maps", "/outputs/more", "/outputs/none"], "heatmap")
    raw = written(tmp_path / "r.h5", {**arrays, **last}, kinds).read_bytes()
    assert any(gap.start < 10_000 for gap in regions_of(raw, "gap"))


# --- values


def packed(planes: bytes, *, behind: bytes = b"", inside: bytes = b"") -> bytes:
    """What a chunk's filters make of shuffled bytes, with something behind the stream or inside it."""
    stream = zlib.compressobj(4)
    whole = stream.compress(planes) + inside + stream.flush() + behind
    return whole + _fletcher32(whole).to_bytes(4, "little")


def with_manifest_chunk(raw: bytes, chunk: bytes, path: Path) -> BundleFile:
    """The file with another chunk in the place of the manifest's last one, with which it ends."""
    chunks = of_bytes(raw).datasets["/manifest"].chunks
    place, size = chunks[-1]
    assert place + size == len(raw)
    changed = bytearray(raw[:place] + chunk)
    struct.pack_into("<Q", changed, USER_BLOCK + 40, len(changed))
    index = regions_of(raw, "chunk-index", "/manifest")[0]
    key = index.start + 24 + 32 * (len(chunks) - 1)
    assert struct.unpack_from("<I", changed, key) == (size,)
    struct.pack_into("<I", changed, key, len(chunk))
    path.write_bytes(changed)
    return BundleFile(path)


TEXT = b"x" * 5000


@pytest.mark.parametrize(
    ("values", "fine", "other", "code"),
    [
        (5000, 12, 11, "chunk-too-small"),  # a stream and its checksum
        (5000, 5000 + 625 + 64, 5690, "chunk-too-large"),  # deflate makes no more of noise
        (20_900, 19, 18, "larger-than-stored"),  # nor less of nothing
    ],
)
def test_chunks_are_of_a_size_that_their_values_can_have(
    tmp_path: Path, values: int, fine: int, other: int, code: str
) -> None:
    path = padded_manifest(tmp_path / "r.h5", values - 16)
    raw = path.read_bytes()
    with with_manifest_chunk(raw, b"x" * fine, path) as file:
        assert file.anatomy.datasets["/manifest"].chunks[-1][1] == fine
    with with_manifest_chunk(raw, b"x" * other, path) as file, refused(BundleError, code):
        _ = file.anatomy


@pytest.mark.parametrize(
    ("chunk", "is_fine"),
    [
        (packed(TEXT), True),
        (packed(TEXT, behind=b"patient 17"), False),
        (packed(TEXT, behind=b"\0"), False),
        (packed(TEXT + b"x"), False),
        (packed(TEXT[:-1]), False),
        (packed(TEXT * 1000), False),
        (packed(TEXT, inside=b"\xff" * 20), False),
        (packed(TEXT)[:-1] + b"\x55", False),
        (b"x" * 50, False),
        (b"x" * 50 + _fletcher32(b"x" * 50).to_bytes(4, "little"), False),
    ],
    ids=[
        "fine",
        "words behind",
        "a zero behind",
        "more",
        "less",
        "a bomb",
        "inside",
        "checksum",
        "noise",
        "summed noise",
    ],
)
def test_a_chunk_is_exactly_one_stream_of_its_values(tmp_path: Path, chunk: bytes, is_fine: object) -> None:
    path = padded_manifest(tmp_path / "r.h5", 5000 - 16)
    with BundleFile(path) as file:
        assert file.array("/manifest").size == 5000
    with with_manifest_chunk(path.read_bytes(), chunk, path) as file:
        if is_fine:
            assert file.array("/manifest").tobytes() == TEXT
        else:
            with pytest.raises(BundleError):
                file.array("/manifest")


@pytest.mark.parametrize("hidden", [b"", b"patient 17"])
def test_rows_beyond_the_end_of_a_dataset_hold_nothing(tmp_path: Path, hidden: bytes) -> None:
    """The last chunk is as large as the others; the library never shows what is in the rest of it."""
    path = padded_manifest(tmp_path / "r.h5", 1 << 20)
    with h5py.File(path) as file:
        rest = file["/manifest"][1 << 20 :].tobytes()
    chunk = packed((rest + hidden).ljust(1 << 20, b"\0"))
    with with_manifest_chunk(path.read_bytes(), chunk, path) as opened:
        if hidden:
            with refused(BundleError, "values-beyond-end", where="/manifest"):
                opened.array("/manifest")
        else:
            opened.array("/manifest")
    with h5py.File(path) as file:
        assert file["/manifest"][1 << 20 :].tobytes() == rest


@pytest.mark.parametrize("byte", [0, 1, 6, 7])
def test_no_byte_of_a_value_beyond_the_end_holds_anything(tmp_path: Path, byte: int) -> None:
    """Values of several bytes are kept byte by byte: the highest one has as much room as the lowest."""
    name, values = "/outputs/maps/1", np.arange(200_000)
    path = written(tmp_path / "r.h5", {name: values})
    with h5py.File(path, "r+") as file:
        (size,) = file[name].chunks
        start = len(values) // size * size
        whole = np.zeros((size, 8), dtype=np.uint8)
        whole[: len(values) - start] = values[start:, None].view(np.uint8)
        whole[-1, byte] = 17
        file[name].id.write_direct_chunk((start,), packed(whole.T.tobytes()))
    with path.open("r+b") as changed:
        writer.clear_gaps(changed)
    with BundleFile(path) as opened, refused(BundleError, "values-beyond-end", where=name):
        opened.array(name)


def test_checksums_are_those_of_the_library(tmp_path: Path) -> None:
    """Even and odd lengths, sums that are 0 modulo 65535, more words than are added up at a time."""
    rng = np.random.default_rng(2)
    pieces = [bytes(n) for n in (1, 2, 9)] + [b"\xff" * n for n in (2, 3, 64, 131071)]
    pieces += [rng.bytes(n) for n in (1, 2, 3, 17, 1000, (1 << 17) + 2, (1 << 18) + 3)]
    with h5py.File(tmp_path / "f.h5", "w") as file:
        for number, piece in enumerate(pieces):
            values = np.frombuffer(piece, dtype=np.uint8)
            dataset = file.create_dataset(str(number), data=values, chunks=values.shape, fletcher32=True)
            file.flush()
            _, stored = dataset.id.read_direct_chunk((0,))
            assert stored[:-4] == piece
            assert _fletcher32(piece) == int.from_bytes(stored[-4:], "little")
