"""Finding out what every byte of a bundle is for, before the HDF5 library touches the file.

A bundle's HDF5 is a small part of the format: groups with symbol tables, datasets in chunks, as every HDF5 library has
read them since 1.6.3 (HDF5 File Format Specification, version 3.0; sections are given by number). This reader knows
that part and nothing else, so that whatever could be wrong with a file is refused here, in Python, where a wrong number is
an error and no crash. Every structure must have the one form that a bundle gives it and claims its bytes; in the end every
byte is claimed once. There is no room for anything else: no foreign message, no deleted object, no slack.
"""

from __future__ import annotations

import itertools
import math
import re
import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from synthrelease.bundle.layout import HDF5_BEGINS, USER_BLOCK, chunk_shape, is_compact
from synthrelease.bundle.strict_hdf5.anatomy import Anatomy, Region, StoredDataset, Structure
from synthrelease.bundle.strict_hdf5.dimensions import Dimensions
from synthrelease.bundle.strict_hdf5.messages import (
    COMPACT_FILL_VALUE,
    CONSTANT,
    DATASET_ATTRIBUTES,
    FILL_VALUE,
    GROUP_ATTRIBUTES,
    Message,
    attribute_of,
    expect,
    padded,
    pipeline_of,
    refuse,
    shape_of,
    type_of,
)
from synthrelease.bundle.strict_hdf5.tree import NOWHERE, Tree, leaves

_LEAF_K, _GROUP_K, _CHUNK_K = 4, 16, 32  # half of the most entries of a node: of names, of a group, of chunks
_DEEPEST = 8
_MOST_DATASET_BYTES = 1 << 40
_LARGEST_RATIO = 1100  # of logical to stored bytes: deflate cannot do better, a bomb must
_SMALL = 4096  # bytes below which no ratio is asked for
_LEAST_CHUNK = 8 + 4  # bytes: the shortest deflate stream, and a checksum; libraries crash on less
_MOST_NIL, _MOST_NIL_BYTES = 8, 512  # of messages that say nothing, in one header: the library leaves a few
_COMPACT = {  # messages of a dataset in its header, and their flags
    Message.DATASPACE: 0,
    Message.DATATYPE: CONSTANT,
    Message.FILL_VALUE: CONSTANT,
    Message.LAYOUT: 0,
}
_IN_CHUNKS = {**_COMPACT, Message.PIPELINE: CONSTANT}
_PIECE = 1 << 20  # bytes of a gap that are looked at at a time
_NAME = re.compile(rb"(?!\.+\Z)[A-Za-z0-9%._~-]+")  # what `layout.group_name` writes


def dissect(read: Callable[[int, int], bytes], size: int) -> Anatomy:
    """Return what the HDF5 behind a text block consists of.

    Args:
        read: gives (place, number) bytes of the file.
        size: of the file in bytes.

    Raises:
        BundleError: it is not HDF5 as a bundle is.
    """
    dissection = _Dissection(read, size)
    gaps = dissection.gaps()
    # A file can be large and hold nothing.
    empty = [*gaps, *dissection.rooms]
    if 2 * sum(gap.stop - gap.start for gap in empty) > size:
        refuse("mostly-gaps", "more than half of the file is nothing", f"byte {empty[0].start}")
    for gap in empty:
        if not _is_empty(read, gap):
            refuse("unclaimed-bytes", "bytes that no part of a bundle accounts for", f"byte {gap.start}")
    regions = sorted([*dissection.regions, *gaps], key=lambda region: region.start)
    return Anatomy(dissection.groups, dissection.datasets, tuple(regions))


def gaps(read: Callable[[int, int], bytes], size: int) -> list[Region]:
    """Return what nothing is kept in: the library leaves it when it moves a list of names to a larger place, and behind references.

    Args:
        read: gives (place, number) bytes of the file.
        size: of the file in bytes.

    Raises:
        BundleError: it is not HDF5 as a bundle is.
    """
    dissection = _Dissection(read, size)
    return [*dissection.gaps(), *dissection.rooms]


def _is_empty(read: Callable[[int, int], bytes], gap: Region) -> bool:
    pieces = (read(at, min(_PIECE, gap.stop - at)) for at in range(gap.start, gap.stop, _PIECE))
    return not any(piece.strip(b"\0") for piece in pieces)


def _described(attributes: dict[str, Any], path: str) -> dict[str, Any]:
    """What a dataset's attributes say of it."""
    expect(set(attributes) - set(DATASET_ATTRIBUTES), set(), path)
    texts = {name: value.decode("ascii") for name, value in attributes.items()}
    axis = ""
    if "CLASS" in texts:
        expect(texts.pop("CLASS"), "DIMENSION_SCALE", path)
        axis = texts.pop("NAME", "")
        if not axis:
            refuse("other-form", "a dimension scale without a name", path)
    return {"axis": axis, "attributes": texts}


class _Found(NamedTuple):
    """A message of an object's header; `place` is that of its body in the file."""

    kind: int
    flags: int
    body: bytes
    place: int


@dataclass
class _Dissection:
    read: Callable[[int, int], bytes]
    size: int
    regions: list[Region] = field(default_factory=list)
    groups: dict[str, dict[str, int | bytes]] = field(default_factory=dict)
    datasets: dict[str, StoredDataset] = field(default_factory=dict)
    rooms: list[Region] = field(default_factory=list)  # of structures, that nothing is kept in

    def __post_init__(self) -> None:
        self._dimensions = Dimensions(self._take, self._read_at, self.rooms)
        self._begun: set[int] = set()
        self._unclaimed = self.size - USER_BLOCK

    def gaps(self) -> list[Region]:
        """Find all regions, and return what is between them."""
        self.regions.append(Region(0, USER_BLOCK, Structure("text-block")))
        tree, heap, header = self._superblock()
        self._group("/", header, tree, heap, depth=0)
        for path, scales in self._dimensions.scales().items():
            self.datasets[path] = replace(self.datasets[path], scales=scales)
        self.regions.sort(key=lambda region: region.start)
        end, gaps = 0, []
        for region in self.regions:
            if region.start < end:
                refuse("shared-bytes", "bytes that belong to two parts", f"byte {region.start}")
            if region.start > end:
                gaps.append(Region(end, region.start, Structure("gap")))
            end = region.stop
        if end != self.size:
            refuse("bytes-behind-end", "bytes behind the end", f"byte {end}")
        return gaps

    # Bytes. Addresses of HDF5 count from the end of the text block.

    def _claim(self, address: int, size: int, part: Structure) -> int:
        """Claim bytes for one structure, and return their place in the file."""
        start = address + USER_BLOCK
        if address < 0 or start + size > self.size:
            refuse("beyond-end", "lies beyond the end of the file", part)
        self._unclaimed -= size
        if start in self._begun or self._unclaimed < 0:  # so that no cycle is followed
            refuse("shared-bytes", "shares its bytes with something else", part)
        self._begun.add(start)
        self.regions.append(Region(start, start + size, part))
        return start

    def _take(self, address: int, size: int, part: Structure) -> bytes:
        taken = self.read(self._claim(address, size, part), size)
        if len(taken) != size:
            refuse("cannot-read", "cannot be read", part)
        return taken

    # Structures, from the root on.

    def _superblock(self) -> tuple[int, int, int]:
        """Return where the root's names are indexed, where they stand, and its header (II.A, version 0)."""
        block = self._take(0, 96, Structure("superblock"))
        (header,) = struct.unpack_from("<Q", block, 64)
        tree, heap = struct.unpack_from("<QQ", block, 80)
        expected = (
            HDF5_BEGINS
            + bytes([0, 0, 0, 0, 0, 8, 8, 0])
            + struct.pack("<HHI", _LEAF_K, _GROUP_K, 0)
            + struct.pack("<QQQQ", USER_BLOCK, NOWHERE, self.size, NOWHERE)
            + struct.pack("<QQIIQQ", 0, header, 1, 0, tree, heap)
        )
        expect(block, expected, "superblock")
        return tree, heap, header

    def _group(self, path: str, header: int, tree: int, heap: int, *, depth: int) -> None:
        if depth > _DEEPEST:
            refuse("too-deep", "groups lie too deep", path)
        messages = self._messages(header, path)
        tables = [(one.flags, one.body) for one in messages if one.kind == Message.SYMBOL_TABLE]
        expect(tables, [(0, struct.pack("<QQ", tree, heap))], path)
        attributes: dict[str, Any] = {}
        for one in messages:
            if one.kind == Message.SYMBOL_TABLE:
                continue
            expect(one.kind, Message.ATTRIBUTE, path)
            self._add_attribute(attributes, one, path)
        expect(set(attributes) - set(GROUP_ATTRIBUTES), set(), path)
        self.groups[path] = attributes
        names = self._names(heap, path)
        for offset, address, cached, scratch in self._entries(tree, names, path):
            below = f"{path.rstrip('/')}/{names[offset].decode('ascii')}"
            if cached == 1:
                self._group(below, address, *struct.unpack("<QQ", scratch), depth=depth + 1)
            else:
                expect((cached, scratch), (0, bytes(16)), below)
                self._dataset(below, address)

    def _messages(self, address: int, path: str) -> list[_Found]:
        """Return an object's messages (IV.A.1.a)."""
        what = Structure("header", path)
        prefix = self._take(address, 16, what)
        number, size = struct.unpack("<2xH4xI4x", prefix)
        expect(prefix, struct.pack("<BBHII4x", 1, 0, number, 1, size), what)
        blocks = [(address + 16, size)]
        messages: list[_Found] = []
        count = 0
        for start, length in blocks:
            block = self._take(start, length, what)
            at = 0
            while at < length:
                if at + 8 > length:
                    refuse("cut-off", "a message is cut off", what)
                kind, size, flags = struct.unpack_from("<HHB", block, at)
                body = block[at + 8 : at + 8 + size]
                if size % 8 or len(body) != size or block[at + 5 : at + 8] != bytes(3):
                    refuse("other-form", "a message is not as a bundle writes it", what)
                count += 1
                if kind == Message.CONTINUATION:
                    expect((len(body), flags), (16, 0), what)
                    blocks.append(struct.unpack("<QQ", body))
                else:
                    messages.append(_Found(kind, flags, body, USER_BLOCK + start + at + 8))
                at += 8 + size
        if count != number or not messages:
            refuse("message-count", "another number of messages than it states", what)
        return messages

    def _names(self, address: int, path: str) -> dict[int, bytes]:
        """Return the names of a group's members by their place in its heap, which holds nothing else (III.D)."""
        what = Structure("names", path)
        head = self._take(address, 32, what)
        size, free, place = struct.unpack("<8xQQQ", head)
        expect(head, struct.pack("<4sBxxxQQQ", b"HEAP", 0, size, free, place), what)
        heap = self._take(place, size, what)
        used = size if free == 1 else free  # 1: nothing is free
        if used > size or heap[:8] != bytes(8):
            refuse("other-form", "names are not as a bundle writes them", what)
        if free != 1:
            expect(heap[used:], struct.pack("<QQ", 1, size - used).ljust(size - used, b"\0"), what)
        names: dict[int, bytes] = {}
        at = 8
        while at < used:
            name = heap[at : max(heap.find(b"\0", at), at)]
            after = at + padded(len(name) + 1)
            if not _NAME.fullmatch(name) or heap[at:after] != name.ljust(after - at, b"\0"):
                refuse("other-form", "a name is not as a bundle writes it", what)
            names[at] = name
            at = after
        if at != used:
            refuse("other-form", "names are not as a bundle writes them", what)
        return names

    def _entries(
        self, tree: int, names: dict[int, bytes], path: str
    ) -> Iterator[tuple[int, int, int, bytes]]:
        """Yield the entries of a group in the order of their names, each name once (III.A.1, III.B, III.C)."""
        what = Structure("index", path)
        last = 0  # where the greatest name so far stands
        seen = 0
        for child, before, after in leaves(self._take, tree, Tree(0, 8, _GROUP_K), what):
            if int.from_bytes(before, "little") != last:
                refuse("index-unordered", "the index is out of order", what)
            node = self._take(child, 8 + 2 * _LEAF_K * 40, what)
            (number,) = struct.unpack_from("<H", node, 6)
            expect(node[:8], struct.pack("<4sBxH", b"SNOD", 1, number), what)
            if not 1 <= number <= 2 * _LEAF_K or any(node[8 + 40 * number :]):
                refuse("other-form", "the index is not as a bundle writes it", what)
            for entry in range(number):
                offset, address, cached, reserved, scratch = struct.unpack_from(
                    "<QQII16s", node, 8 + 40 * entry
                )
                if offset not in names or reserved or (last and names[offset] <= names[last]):
                    refuse("index-unordered", "the index is out of order", what)
                last = offset
                seen += 1
                yield offset, address, cached, scratch
            if int.from_bytes(after, "little") != last:
                refuse("index-unordered", "the index is out of order", what)
        if seen != len(names):
            refuse("unused-name", "a name that nothing has", what)

    def _dataset(self, path: str, header: int) -> None:
        what = Structure("header", path)
        parts, attributes = self._parts(header, path)
        fill, layout = parts[Message.FILL_VALUE].body, parts[Message.LAYOUT]
        pipeline = [one.body for kind, one in parts.items() if kind == Message.PIPELINE]
        dtype, shape = (
            type_of(parts[Message.DATATYPE].body, path),
            shape_of(parts[Message.DATASPACE].body, path),
        )
        logical = math.prod(shape) * dtype.itemsize
        if not all(1 <= side < 2**31 for side in shape) or logical > _MOST_DATASET_BYTES:
            refuse("too-large", "too large", path)
        self._dimensions.add(path, header, attributes)
        form = {"dtype": dtype, "shape": shape, **_described(attributes, path)}
        if is_compact(shape, dtype.itemsize):
            expect((fill, pipeline), (COMPACT_FILL_VALUE, []), what)
            self.datasets[path] = StoredDataset(
                **form, chunk=shape, chunks=(self._inside(layout, logical, path),)
            )
            return
        expect((fill, pipeline), (FILL_VALUE, [pipeline_of(dtype.itemsize)]), what)
        chunk = chunk_shape(shape, dtype.itemsize, self._format_version)
        if len(layout.body) < 11:
            refuse("cut-off", "is cut off", Structure("chunks", path))
        (tree,) = struct.unpack_from("<Q", layout.body, 3)
        head = struct.pack(f"<BBBQ{len(shape) + 1}I", 3, 2, len(shape) + 1, tree, *chunk, dtype.itemsize)
        expect(layout.body, head.ljust(padded(len(head)), b"\0"), Structure("chunks", path))
        chunks = tuple(self._chunks(tree, shape, chunk, dtype.itemsize, path))
        if logical > _SMALL and logical > _LARGEST_RATIO * sum(size for _, size in chunks):
            refuse("larger-than-stored", "far larger than what is stored of it", path)
        self.datasets[path] = StoredDataset(**form, chunk=chunk, chunks=chunks)

    def _parts(self, header: int, path: str) -> tuple[dict[int, _Found], dict[str, Any]]:
        """Return the messages of a dataset by type, in whatever order the library has them, and its attributes."""
        what = Structure("header", path)
        parts: dict[int, _Found] = {}
        attributes: dict[str, Any] = {}
        empty: list[int] = []
        for one in self._messages(header, path):
            if one.kind == Message.NIL:  # what a block of a header has too much room for
                expect((one.flags, one.body), (0, bytes(len(one.body))), what)
                empty.append(len(one.body))
            elif one.kind == Message.ATTRIBUTE:
                self._add_attribute(attributes, one, path)
            elif one.kind in parts:
                refuse("other-form", "is not as a bundle writes it", what)
            else:
                parts[one.kind] = one
        if len(empty) > _MOST_NIL or sum(empty) > _MOST_NIL_BYTES:
            refuse("mostly-gaps", "a header has too much room", what)
        if {kind: one.flags for kind, one in parts.items()} not in (_COMPACT, _IN_CHUNKS):
            refuse("other-form", "is not as a bundle writes it", what)
        return parts, attributes

    def _inside(self, layout: _Found, size: int, path: str) -> tuple[int, int]:
        """Return place and size of the values that stand in a header (IV.A.2.i, class 0)."""
        head = struct.pack("<BBH", 3, 0, size) + layout.body[4 : 4 + size]
        expect(layout.body, head.ljust(padded(4 + size), b"\0"), Structure("header", path))
        place = layout.place + 4
        number = len(self.regions) - 1
        while not self.regions[number].start <= place < self.regions[number].stop:
            number -= 1  # one of the last, as the header was read just now
        around = self.regions[number]
        self.regions[number : number + 1] = [
            Region(around.start, place, around.part),
            Region(place, place + size, Structure("values", path)),
            Region(place + size, around.stop, around.part),
        ]
        return place, size

    def _chunks(
        self, tree: int, shape: Sequence[int], chunk: Sequence[int], itemsize: int, path: str
    ) -> Iterator[tuple[int, int]]:
        """Yield place and size of the chunks, in order (III.A.1: keys of size, mask, place in the dataset)."""
        what = Structure("chunk-index", path)
        rank = len(shape)
        unpacked = math.prod(chunk) * itemsize
        # No deflate makes more bytes of it, and a hole in a file can be.
        most = unpacked + unpacked // 8 + 64
        numbers = [-(-side // part) for side, part in zip(shape, chunk, strict=True)]
        found = leaves(self._take, tree, Tree(1, 8 + 8 * (rank + 1), _CHUNK_K), what)
        if len(found) != math.prod(numbers):
            refuse("chunk-count", "another number of chunks than its shape has", path)
        end = (1,) * (rank + 1)  # of the index, in chunks
        for (address, before, _), place in zip(found, itertools.product(*map(range, numbers)), strict=True):
            (size,) = struct.unpack_from("<I", before)
            starts = (number * part for number, part in zip(place, chunk, strict=True))
            expect(before, struct.pack(f"<II{rank + 1}Q", size, 0, *starts, 0), what)
            if size < _LEAST_CHUNK:
                refuse("chunk-too-small", "a chunk is too small to hold anything", path)
            if size > most:
                refuse("chunk-too-large", "a chunk is larger than its values", path)
            if (*place, 0) >= end:  # so the library moves it as chunks are added
                end = (*(number + 1 for number in place), 1)
            yield self._claim(address, size, Structure("values", path)), size
        ends = (number * part for number, part in zip(end, (*chunk, itemsize), strict=True))
        expect(found[-1][2], struct.pack(f"<II{rank + 1}Q", 0, 0, *ends), what)

    # Attributes.

    @property
    def _format_version(self) -> int:
        version = self.groups["/"].get("format_version")
        return version if isinstance(version, int) else 0

    def _add_attribute(self, attributes: dict[str, Any], message: _Found, path: str) -> None:
        """Add a text, a number or references to the attributes of an object."""
        expect(message.flags, 0, path)
        name, value = attribute_of(message.body, path)
        if name in attributes:
            refuse("attribute-twice", "an attribute stands twice", path)
        attributes[name] = value

    def _read_at(self, address: int, number: int) -> bytes:
        if address + USER_BLOCK + number > self.size:
            refuse("beyond-end", "lies beyond the end of the file", "references")
        return self.read(address + USER_BLOCK, number).ljust(number, b"\0")
