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
from dataclasses import replace
from typing import Any, NamedTuple

from synthrelease.bundle.layout import HDF5_BEGINS, USER_BLOCK, chunk_shape, is_compact
from synthrelease.bundle.strict_hdf5.anatomy import Anatomy, Region, StoredDataset, Structure
from synthrelease.bundle.strict_hdf5.byte_claims import ByteClaims
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
_SMALL_BYTES = 4096  # bytes below which no ratio is asked for
_LEAST_CHUNK_BYTES = 8 + 4  # bytes: the shortest deflate stream, and a checksum; libraries crash on less
_MOST_NIL, _MOST_NIL_BYTES = 8, 512  # of messages that say nothing, in one header: the library leaves a few
_COMPACT_MESSAGES = {  # messages of a dataset in its header, and their flags
    Message.DATASPACE: 0,
    Message.DATATYPE: CONSTANT,
    Message.FILL_VALUE: CONSTANT,
    Message.LAYOUT: 0,
}
_CHUNKED_MESSAGES = {**_COMPACT_MESSAGES, Message.PIPELINE: CONSTANT}
_PIECE_BYTES = 1 << 20  # bytes of a gap that are looked at at a time
_NAME = re.compile(rb"(?!\.+\Z)[A-Za-z0-9%._~-]+")  # what `layout.group_name` writes


def dissect(read: Callable[[int, int], bytes], size: int) -> Anatomy:
    """Return what the HDF5 behind a text block consists of.

    Args:
        read: gives (place, number) bytes of the file.
        size: of the file in bytes.

    Raises:
        BundleError: it is not HDF5 as a bundle is.
    """
    claims = ByteClaims(read, size)
    dissection = _Dissection(claims)
    gaps = claims.gaps()
    # A file can be large and hold nothing.
    empty = [*gaps, *claims.heap_gaps]
    if 2 * sum(gap.stop - gap.start for gap in empty) > size:
        refuse("mostly-gaps", "more than half of the file is nothing", f"byte {empty[0].start}")
    for gap in empty:
        if not _is_empty(read, gap):
            refuse("unclaimed-bytes", "bytes that no part of a bundle accounts for", f"byte {gap.start}")
    regions = sorted([*claims.regions, *gaps], key=lambda region: region.start)
    return Anatomy(dissection.groups, dissection.datasets, tuple(regions))


def gaps(read: Callable[[int, int], bytes], size: int) -> list[Region]:
    """Return what nothing is kept in: the library leaves it when it moves a list of names to a larger place, and behind references.

    Args:
        read: gives (place, number) bytes of the file.
        size: of the file in bytes.

    Raises:
        BundleError: it is not HDF5 as a bundle is.
    """
    claims = ByteClaims(read, size)
    _Dissection(claims)
    return [*claims.gaps(), *claims.heap_gaps]


def _is_empty(read: Callable[[int, int], bytes], gap: Region) -> bool:
    pieces = (read(at, min(_PIECE_BYTES, gap.stop - at)) for at in range(gap.start, gap.stop, _PIECE_BYTES))
    return not any(piece.strip(b"\0") for piece in pieces)


def _description(attributes: dict[str, Any], path: str) -> dict[str, Any]:
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


class _HeaderMessage(NamedTuple):
    """A message of an object's header; `place` is that of its body in the file."""

    kind: int
    flags: int
    body: bytes
    place: int


class _Dissection:
    """All groups and datasets of a file.

    Args:
        claims: of the file's bytes; in the end all structures have theirs.
    """

    def __init__(self, claims: ByteClaims) -> None:
        self.groups: dict[str, dict[str, int | bytes]] = {}
        self.datasets: dict[str, StoredDataset] = {}
        self._claims = claims
        self._dimensions = Dimensions(claims)
        tree, heap, header = self._superblock()
        self._group("/", header, tree, heap, depth=0)
        for path, scales in self._dimensions.scales().items():
            self.datasets[path] = replace(self.datasets[path], scales=scales)

    def _superblock(self) -> tuple[int, int, int]:
        """Return where the root's names are indexed, where they stand, and its header (II.A, version 0)."""
        block = self._claims.take(0, 96, Structure("superblock"))
        (header,) = struct.unpack_from("<Q", block, 64)
        tree, heap = struct.unpack_from("<QQ", block, 80)
        expected = (
            HDF5_BEGINS
            + bytes([0, 0, 0, 0, 0, 8, 8, 0])
            + struct.pack("<HHI", _LEAF_K, _GROUP_K, 0)
            + struct.pack("<QQQQ", USER_BLOCK, NOWHERE, self._claims.size, NOWHERE)
            + struct.pack("<QQIIQQ", 0, header, 1, 0, tree, heap)
        )
        expect(block, expected, "superblock")
        return tree, heap, header

    def _group(self, path: str, header: int, tree: int, heap: int, *, depth: int) -> None:
        if depth > _DEEPEST:
            refuse("too-deep", "groups lie too deep", path)
        messages = self._messages(header, path)
        symbol_tables = [
            (message.flags, message.body) for message in messages if message.kind == Message.SYMBOL_TABLE
        ]
        expect(symbol_tables, [(0, struct.pack("<QQ", tree, heap))], path)
        attributes: dict[str, Any] = {}
        for message in messages:
            if message.kind == Message.SYMBOL_TABLE:
                continue
            expect(message.kind, Message.ATTRIBUTE, path)
            self._add_attribute(attributes, message, path)
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

    def _messages(self, address: int, path: str) -> list[_HeaderMessage]:
        """Return an object's messages (IV.A.1.a)."""
        structure = Structure("header", path)
        prefix = self._claims.take(address, 16, structure)
        number, size = struct.unpack("<2xH4xI4x", prefix)
        expect(prefix, struct.pack("<BBHII4x", 1, 0, number, 1, size), structure)
        blocks = [(address + 16, size)]
        messages: list[_HeaderMessage] = []
        count = 0
        for start, length in blocks:
            block = self._claims.take(start, length, structure)
            at = 0
            while at < length:
                if at + 8 > length:
                    refuse("cut-off", "a message is cut off", structure)
                kind, size, flags = struct.unpack_from("<HHB", block, at)
                body = block[at + 8 : at + 8 + size]
                if size % 8 or len(body) != size or block[at + 5 : at + 8] != bytes(3):
                    refuse("other-form", "a message is not as a bundle writes it", structure)
                count += 1
                if kind == Message.CONTINUATION:
                    expect((len(body), flags), (16, 0), structure)
                    blocks.append(struct.unpack("<QQ", body))
                else:
                    messages.append(_HeaderMessage(kind, flags, body, USER_BLOCK + start + at + 8))
                at += 8 + size
        if count != number or not messages:
            refuse("message-count", "another number of messages than it states", structure)
        return messages

    def _names(self, address: int, path: str) -> dict[int, bytes]:
        """Return the names of a group's members by their place in its heap, which holds nothing else (III.D)."""
        structure = Structure("names", path)
        head = self._claims.take(address, 32, structure)
        size, free, place = struct.unpack("<8xQQQ", head)
        expect(head, struct.pack("<4sBxxxQQQ", b"HEAP", 0, size, free, place), structure)
        heap = self._claims.take(place, size, structure)
        used = size if free == 1 else free  # 1: nothing is free
        if used > size or heap[:8] != bytes(8):
            refuse("other-form", "names are not as a bundle writes them", structure)
        if free != 1:
            expect(heap[used:], struct.pack("<QQ", 1, size - used).ljust(size - used, b"\0"), structure)
        names: dict[int, bytes] = {}
        at = 8
        while at < used:
            name = heap[at : max(heap.find(b"\0", at), at)]
            after = at + padded(len(name) + 1)
            if not _NAME.fullmatch(name) or heap[at:after] != name.ljust(after - at, b"\0"):
                refuse("other-form", "a name is not as a bundle writes it", structure)
            names[at] = name
            at = after
        if at != used:
            refuse("other-form", "names are not as a bundle writes them", structure)
        return names

    def _entries(
        self, tree: int, names: dict[int, bytes], path: str
    ) -> Iterator[tuple[int, int, int, bytes]]:
        """Yield the entries of a group in the order of their names, each name once (III.A.1, III.B, III.C)."""
        structure = Structure("index", path)
        last = 0  # where the greatest name so far stands
        entries = 0
        for child, before, after in leaves(self._claims.take, tree, Tree(0, 8, _GROUP_K), structure):
            if int.from_bytes(before, "little") != last:
                refuse("index-unordered", "the index is out of order", structure)
            node = self._claims.take(child, 8 + 2 * _LEAF_K * 40, structure)
            (number,) = struct.unpack_from("<H", node, 6)
            expect(node[:8], struct.pack("<4sBxH", b"SNOD", 1, number), structure)
            if not 1 <= number <= 2 * _LEAF_K or any(node[8 + 40 * number :]):
                refuse("other-form", "the index is not as a bundle writes it", structure)
            for entry in range(number):
                offset, address, cached, reserved, scratch = struct.unpack_from(
                    "<QQII16s", node, 8 + 40 * entry
                )
                if offset not in names or reserved or (last and names[offset] <= names[last]):
                    refuse("index-unordered", "the index is out of order", structure)
                last = offset
                entries += 1
                yield offset, address, cached, scratch
            if int.from_bytes(after, "little") != last:
                refuse("index-unordered", "the index is out of order", structure)
        if entries != len(names):
            refuse("unused-name", "a name that nothing has", structure)

    def _dataset(self, path: str, header: int) -> None:
        structure = Structure("header", path)
        messages, attributes = self._dataset_messages(header, path)
        fill, layout = messages[Message.FILL_VALUE].body, messages[Message.LAYOUT]
        pipeline = [message.body for kind, message in messages.items() if kind == Message.PIPELINE]
        dtype = type_of(messages[Message.DATATYPE].body, path)
        shape = shape_of(messages[Message.DATASPACE].body, path)
        logical = math.prod(shape) * dtype.itemsize
        if not all(1 <= side < 2**31 for side in shape) or logical > _MOST_DATASET_BYTES:
            refuse("too-large", "too large", path)
        self._dimensions.add(path, header, attributes)
        form = {"dtype": dtype, "shape": shape, **_description(attributes, path)}
        if is_compact(shape, dtype.itemsize):
            expect((fill, pipeline), (COMPACT_FILL_VALUE, []), structure)
            self.datasets[path] = StoredDataset(
                **form, chunk=shape, chunks=(self._compact_values(layout, logical, path),)
            )
            return
        expect((fill, pipeline), (FILL_VALUE, [pipeline_of(dtype.itemsize)]), structure)
        chunk = chunk_shape(shape, dtype.itemsize)
        if len(layout.body) < 11:
            refuse("cut-off", "is cut off", Structure("chunks", path))
        (tree,) = struct.unpack_from("<Q", layout.body, 3)
        head = struct.pack(f"<BBBQ{len(shape) + 1}I", 3, 2, len(shape) + 1, tree, *chunk, dtype.itemsize)
        expect(layout.body, head.ljust(padded(len(head)), b"\0"), Structure("chunks", path))
        chunks = tuple(self._chunks(tree, shape, chunk, dtype.itemsize, path))
        if logical > _SMALL_BYTES and logical > _LARGEST_RATIO * sum(size for _, size in chunks):
            refuse("larger-than-stored", "far larger than what is stored of it", path)
        self.datasets[path] = StoredDataset(**form, chunk=chunk, chunks=chunks)

    def _dataset_messages(self, header: int, path: str) -> tuple[dict[int, _HeaderMessage], dict[str, Any]]:
        """Return the messages of a dataset by type, in whatever order the library has them, and its attributes."""
        structure = Structure("header", path)
        messages: dict[int, _HeaderMessage] = {}
        attributes: dict[str, Any] = {}
        nil_bytes: list[int] = []
        for message in self._messages(header, path):
            if message.kind == Message.NIL:  # what a block of a header has too much room for
                expect((message.flags, message.body), (0, bytes(len(message.body))), structure)
                nil_bytes.append(len(message.body))
            elif message.kind == Message.ATTRIBUTE:
                self._add_attribute(attributes, message, path)
            elif message.kind in messages:
                refuse("other-form", "is not as a bundle writes it", structure)
            else:
                messages[message.kind] = message
        if len(nil_bytes) > _MOST_NIL or sum(nil_bytes) > _MOST_NIL_BYTES:
            refuse("mostly-gaps", "a header has too much room", structure)
        if {kind: message.flags for kind, message in messages.items()} not in (
            _COMPACT_MESSAGES,
            _CHUNKED_MESSAGES,
        ):
            refuse("other-form", "is not as a bundle writes it", structure)
        return messages, attributes

    def _compact_values(self, layout: _HeaderMessage, size: int, path: str) -> tuple[int, int]:
        """Return place and size of the values that stand in a header (IV.A.2.i, class 0)."""
        head = struct.pack("<BBH", 3, 0, size) + layout.body[4 : 4 + size]
        expect(layout.body, head.ljust(padded(4 + size), b"\0"), Structure("header", path))
        place = layout.place + 4
        self._claims.carve(place, size, Structure("values", path))
        return place, size

    def _chunks(
        self, tree: int, shape: Sequence[int], chunk: Sequence[int], itemsize: int, path: str
    ) -> Iterator[tuple[int, int]]:
        """Yield place and size of the chunks, in order (III.A.1: keys of size, mask, place in the dataset)."""
        structure = Structure("chunk-index", path)
        rank = len(shape)
        unpacked_bytes = math.prod(chunk) * itemsize
        # No deflate makes more bytes of it, and a hole in a file can be.
        most_bytes = unpacked_bytes + unpacked_bytes // 8 + 64
        chunks_per_axis = [-(-side // part) for side, part in zip(shape, chunk, strict=True)]
        entries = leaves(self._claims.take, tree, Tree(1, 8 + 8 * (rank + 1), _CHUNK_K), structure)
        if len(entries) != math.prod(chunks_per_axis):
            refuse("chunk-count", "another number of chunks than its shape has", path)
        end = (1,) * (rank + 1)  # of the index, in chunks
        for (address, before, _), place in zip(
            entries, itertools.product(*map(range, chunks_per_axis)), strict=True
        ):
            (size,) = struct.unpack_from("<I", before)
            starts = (number * part for number, part in zip(place, chunk, strict=True))
            expect(before, struct.pack(f"<II{rank + 1}Q", size, 0, *starts, 0), structure)
            if size < _LEAST_CHUNK_BYTES:
                refuse("chunk-too-small", "a chunk is too small to hold anything", path)
            if size > most_bytes:
                refuse("chunk-too-large", "a chunk is larger than its values", path)
            if (*place, 0) >= end:  # so the library moves it as chunks are added
                end = (*(number + 1 for number in place), 1)
            yield self._claims.claim(address, size, Structure("values", path)), size
        ends = (number * part for number, part in zip(end, (*chunk, itemsize), strict=True))
        expect(entries[-1][2], struct.pack(f"<II{rank + 1}Q", 0, 0, *ends), structure)

    def _add_attribute(self, attributes: dict[str, Any], message: _HeaderMessage, path: str) -> None:
        """Add a text, a number or references to the attributes of an object."""
        expect(message.flags, 0, path)
        name, value = attribute_of(message.body, path)
        if name in attributes:
            refuse("attribute-twice", "an attribute stands twice", path)
        attributes[name] = value
