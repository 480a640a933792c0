"""What the pages of a Parquet file come to in memory, by their own heads: the foot may say anything, and a kilobyte of lists or of one text may be gigabytes.

Only heads are read (Apache Parquet's `parquet.thrift`, in Thrift's compact protocol); the values are the library's.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO

_MAGIC, _END_BYTES = b"PAR1", 8
_MOST_DEPTH = 32  # of lists and structures in each other
_HEAD_BYTES = 1 << 12  # of a page, with its statistics; read again if it is longer
_MOST_HEAD_BYTES = 1 << 24
_PAGE_BYTES = 1 << 12  # that a page costs whatever is in it
_CELL_BYTES, _TEXT_BYTES = 8, 16  # of a value; of a text besides its letters
_BYTES, _FIXED = 6, 7  # physical types
Struct = dict[int, Any]


def unpacked_bytes(file: BinaryIO, most: int) -> int:
    """Return what all pages come to, in bytes, or more than `most` as soon as that is known.

    Raises:
        Exception: whatever is wrong with the file.
    """
    size = file.seek(-_END_BYTES, 2) + _END_BYTES
    end = file.read(_END_BYTES)
    foot = int.from_bytes(end[:4], "little")
    if end[4:] != _MAGIC or foot > size - _END_BYTES:
        raise ValueError
    file.seek(size - _END_BYTES - foot)
    about = _Compact(file.read(foot)).struct()
    widths = _widths(about[2])
    total = 0
    for group in about.get(4, ()):
        for chunk, width in zip(group[1], widths, strict=True):
            for page in _pages(file, chunk[3]):
                letters: int = page[2]
                values: int = max(page[kind][1] for kind in (5, 7, 8) if kind in page)
                if min(letters, values) < 0:
                    raise ValueError
                total += _PAGE_BYTES + letters + width * values
                if total > most:
                    return total
    return total


def _widths(schema: list[Struct]) -> list[int]:
    """The bytes of a value of each column, which are the schema's leaves in their order."""
    widths, open_groups = [], list[int]()
    for element in schema:
        while open_groups and not open_groups[-1]:
            open_groups.pop()
        if open_groups:
            open_groups[-1] -= 1
        if children := element.get(5, 0):
            open_groups.append(children)
        elif (kind := element.get(1)) is not None:  # else a group of nothing
            widths.append(
                element[2] + _TEXT_BYTES if kind == _FIXED else _TEXT_BYTES if kind == _BYTES else _CELL_BYTES
            )
        if len(open_groups) > _MOST_DEPTH:
            raise ValueError
    return widths


def _pages(file: BinaryIO, chunk: Struct) -> Iterator[Struct]:
    """The heads of a column's pages."""
    start: int = chunk[11] if 11 in chunk else chunk[9]
    end = start + chunk[7]
    while start < end:
        file.seek(start)
        size = _HEAD_BYTES
        while True:
            head = _Compact(file.read(size))
            try:
                page = head.struct()
                break
            except IndexError:
                if size > _MOST_HEAD_BYTES:
                    raise
                size <<= 4
                file.seek(start)
        yield page
        start += head.place + page[3]
        if page[3] < 0:
            raise ValueError


class _Compact:
    """Thrift's compact protocol: structures as values by the numbers of their fields."""

    def __init__(self, data: bytes) -> None:
        self.data, self.place = data, 0

    def struct(self, depth: int = 0) -> Struct:
        """Return the structure that begins here; IndexError if the bytes end before it."""
        if depth > _MOST_DEPTH:
            raise ValueError
        fields: Struct = {}
        number = 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self._zigzag()
            fields[number] = self._value(head & 15, depth)
        return fields

    def _value(self, kind: int, depth: int) -> Any:  # noqa: PLR0911  a kind each
        match kind:
            case 1 | 2:  # of a field; in lists they have a byte of their own
                return kind == 1
            case 3:
                return self._byte()
            case 4 | 5 | 6:
                return self._zigzag()
            case 7:
                return self._skip(8)
            case 8:
                return self._skip(self._varint())
            case 9 | 10:
                return self._list(depth)
            case 12:
                return self.struct(depth + 1)
        raise ValueError

    def _list(self, depth: int) -> list[Any]:
        head = self._byte()
        count = head >> 4 if head >> 4 < 15 else self._varint()
        kind = head & 15
        if count > len(self.data) - self.place:
            raise IndexError
        return [self._byte() if kind in (1, 2) else self._value(kind, depth) for _ in range(count)]

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

    def _skip(self, size: int) -> None:
        self.place += size
        if self.place > len(self.data):
            raise IndexError
