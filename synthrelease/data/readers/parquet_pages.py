"""What the pages of a Parquet file come to in memory, by their own heads: the foot may say anything, and a kilobyte of lists or of one text may be gigabytes.

Only foot and heads are read (Apache Parquet's `parquet.thrift`, in Thrift's compact protocol), and of them what is counted; the values are the library's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO, NamedTuple

MOST_FOOT_BYTES, MOST_CHUNKS = 1 << 23, 100_000  # a chunk takes about 100 bytes of the foot
_MAGIC, _END_BYTES = b"PAR1", 8
_MOST_DEPTH = 32  # of lists and structures in each other
_HEAD_BYTES = 1 << 12  # of a page, with its statistics; read again if it is longer
_MOST_HEAD_BYTES, _MOST_PAGES = 1 << 20, 1 << 18  # a page has up to a megabyte, or 20 000 values
_PAGE_BYTES = 1 << 12  # that a page costs whatever is in it
_CELL_BYTES, _TEXT_BYTES = 8, 16  # of a value, and of each list that it is in; of a text besides its letters
_BYTES, _FIXED = 6, 7  # physical types
_SIZES = {1: 0, 2: 0, 3: 1, 7: 8}  # of values by their kinds: true and false as fields, a byte, a number
Struct = dict[int, Any]
Wanted = Mapping[int, "Wanted"]  # the numbers of the fields that are kept, and what is kept of each
_FOOT: Wanted = {2: {1: {}, 2: {}, 4: {}, 5: {}}, 4: {1: {3: {7: {}, 9: {}, 11: {}}}}}
_PAGE: Wanted = {2: {}, 3: {}, 5: {1: {}}, 7: {1: {}}, 8: {1: {}}}


class Chunk(NamedTuple):
    """A column's values in a group of rows."""

    start: int  # place of the first page
    end: int
    width: int  # bytes of a value in memory


class TooLargeFootError(Exception):
    """The foot is larger, or lists more, than is read."""


def read_foot(file: BinaryIO) -> dict[str, list[Chunk]]:
    """Return where the pages of each column are, by the name of the column.

    Raises:
        TooLargeFootError: it is.
        Exception: whatever is wrong with the file.
    """
    size = file.seek(-_END_BYTES, 2) + _END_BYTES
    end = file.read(_END_BYTES)
    foot = int.from_bytes(end[:4], "little")
    if end[4:] != _MAGIC or foot > size - _END_BYTES:
        raise ValueError
    if foot > MOST_FOOT_BYTES:
        raise TooLargeFootError
    file.seek(size - _END_BYTES - foot)
    about = _Compact(file.read(foot)).struct(_FOOT)
    leaves = list(_leaves(about[2]))
    chunks: dict[str, list[Chunk]] = {name: [] for name, _ in leaves}
    for group in about.get(4, ()):
        for chunk, (name, width) in zip(group[1], leaves, strict=True):
            pages = chunk[3]
            start: int = pages[11] if 11 in pages else pages[9]
            chunks[name].append(Chunk(start, start + pages[7], width))
    return chunks


def unpacked_bytes(file: BinaryIO, chunks: list[Chunk], most: int) -> int:
    """Return what the pages of chunks come to, in bytes, or more than `most` as soon as that is known.

    Raises:
        Exception: whatever is wrong with the file.
    """
    total, pages_left, heads_left = 0, _MOST_PAGES, file.seek(0, 2)  # no two pages share a head
    for chunk in chunks:
        for page, head_bytes in _pages(file, chunk):
            letters: int = page[2]
            values: int = max(page[kind][1] for kind in (5, 7, 8) if kind in page)
            pages_left, heads_left = pages_left - 1, heads_left - head_bytes
            if min(letters, values, pages_left, heads_left) < 0:
                raise ValueError
            total += _PAGE_BYTES + letters + chunk.width * values
            if total > most:
                return total
    return total


def _leaves(schema: list[Struct]) -> Iterator[tuple[str, int]]:
    """The schema's leaves in their order, which are columns or, of what is nested, parts of one: the column's name, and the bytes of a value."""
    open_groups = list[int]()
    name = ""
    for element in schema:
        while open_groups and not open_groups[-1]:
            open_groups.pop()
        if open_groups:
            open_groups[-1] -= 1
        if len(open_groups) == 1:
            name = element[4].decode()
        if children := element.get(5, 0):
            open_groups.append(children)
        elif (kind := element.get(1)) is not None:  # else a group of nothing
            own = (
                element[2] + _TEXT_BYTES if kind == _FIXED else _TEXT_BYTES if kind == _BYTES else _CELL_BYTES
            )
            yield name, own + _CELL_BYTES * (len(open_groups) - 1)
        if len(open_groups) > _MOST_DEPTH:
            raise ValueError


def _pages(file: BinaryIO, chunk: Chunk) -> Iterator[tuple[Struct, int]]:
    """The heads of a chunk's pages, and their bytes."""
    start = chunk.start
    while start < chunk.end:
        file.seek(start)
        size = _HEAD_BYTES
        while True:
            head = _Compact(file.read(size))
            try:
                page = head.struct(_PAGE)
                break
            except IndexError:
                if size >= _MOST_HEAD_BYTES:
                    raise
                size <<= 4
                file.seek(start)
        yield page, head.place
        start += head.place + page[3]
        if page[3] < 0:
            raise ValueError


class _Compact:
    """Thrift's compact protocol: structures as values by the numbers of their fields; what is not wanted is passed over."""

    def __init__(self, data: bytes) -> None:
        self.data, self.place, self.listed = data, 0, 0

    def struct(self, wanted: Wanted, depth: int = 0) -> Struct:
        """Return the structure that begins here; IndexError if the bytes end before it."""
        fields: Struct = {}
        number = 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self._zigzag()
            if number in wanted:
                fields[number] = self._value(head & 15, wanted[number], depth + 1)
            else:
                self._pass(head & 15, depth + 1)
        return fields

    def _value(self, kind: int, wanted: Wanted, depth: int) -> Any:
        if depth > _MOST_DEPTH:
            raise ValueError
        match kind:
            case 4 | 5 | 6:
                return self._zigzag()
            case 8:
                start = self._skip(self._varint())
                return self.data[start : self.place]
            case 9:
                kind, count = self._list_head()
                self.listed += count
                if self.listed > MOST_CHUNKS:
                    raise TooLargeFootError
                return [self._value(kind, wanted, depth + 1) for _ in range(count)]
            case 12:
                return self.struct(wanted, depth)
        raise ValueError

    def _pass(self, kind: int, depth: int) -> None:  # noqa: C901  a kind each
        """Pass over a value."""
        if depth > _MOST_DEPTH:
            raise ValueError
        if kind in (4, 5, 6):
            while self.data[self.place] > 127:
                self.place += 1
            self.place += 1
        elif kind == 8:
            self._skip(self._varint())
        elif kind == 12:
            while head := self._byte():
                if not head >> 4:
                    self._varint()
                self._pass(head & 15, depth + 1)
        elif kind in (9, 10):
            kind, count = self._list_head()
            if kind in (1, 2):  # in lists they have a byte of their own
                self._skip(count)
            for _ in range(count if kind > 2 else 0):
                self._pass(kind, depth + 1)
        elif kind in _SIZES:
            self._skip(_SIZES[kind])
        else:
            raise ValueError

    def _list_head(self) -> tuple[int, int]:
        """The kind of a list's elements, and how many there are."""
        head = self._byte()
        count = head >> 4 if head >> 4 < 15 else self._varint()
        if count > len(self.data) - self.place:
            raise IndexError
        return head & 15, count

    def _byte(self) -> int:
        self.place += 1
        return self.data[self.place - 1]

    def _varint(self) -> int:
        value = shift = 0
        while (byte := self._byte()) & 128:
            value |= (byte & 127) << shift
            shift += 7
            if shift > 63:
                raise ValueError
        return value | byte << shift

    def _zigzag(self) -> int:
        value = self._varint()
        return value >> 1 ^ -(value & 1)

    def _skip(self, size: int) -> int:
        """Pass over bytes, and return where they begin."""
        start = self.place
        self.place += size
        if self.place > len(self.data):
            raise IndexError
        return start
