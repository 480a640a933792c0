"""The foot and the page heads of a Parquet file, walked before any library reads it.

A foot that places a column beyond the file makes the library panic, and a page that declares more than it holds makes it ask for all memory there is, which ends the process:
the walk finds both, and reads no value. Both are written in Thrift's compact protocol. Apache Parquet format 2.10, `parquet.thrift`.
"""

from __future__ import annotations

import os
import struct
from typing import Any, BinaryIO

MAGIC = b"PAR1"
_DEEPEST = 16  # structs in each other; the format's own are six
_LONGEST_HEAD = 1 << 16  # bytes of a page's head; statistics of texts are in it
_LARGEST_PAGE = 1 << 31  # bytes: the format's own limit
_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _STRUCT = 1, 2, 3, 7, 8, 9, 10, 12
_DATA, _INDEX, _DICTIONARY, _DATA_2 = 0, 1, 2, 3  # kinds of pages
_HEADS = {_DATA: 5, _DICTIONARY: 7, _DATA_2: 8}  # the field of a page's head that tells about its values
_REPEATED = 2
_TYPES, _CODECS = 8, 8  # how many of them there are
Fields = dict[int, Any]


def check_tags(file: BinaryIO) -> int:
    """Walk over the foot of a file, and over the heads of all pages that it names; return how many cells it has.

    Raises:
        ValueError: something is cut off, beyond its place, or of other sizes than declared.
    """
    size = file.seek(0, os.SEEK_END)
    tail = _taken(file, max(size - 8, 0), 8)
    length = struct.unpack("<I", tail[:4])[0]
    end = size - 8 - length  # of the pages
    if tail[4:] != MAGIC or end < 4 or _taken(file, 0, 4) != MAGIC:
        raise ValueError("no Parquet")
    foot = _Compact(_taken(file, end, length)).struct()
    flat = _flat_columns(_structs(foot, 2))
    rows = cells = 0
    for group in _structs(foot, 4):
        own = _number(group, 3)
        rows += own
        for chunk in _structs(group, 1):
            if 1 in chunk:
                raise ValueError("values in another file")
            about = _struct(chunk, 3)
            if str(about.get(3)) in flat and _number(about, 5) != own:
                raise ValueError("another number of values than of rows")
            _check_pages(file, about, end)
            cells += _number(about, 5)
    if rows != _number(foot, 3):
        raise ValueError("another number of rows than declared")
    return cells


def _flat_columns(schema: list[Fields]) -> set[str]:
    """Paths, as text, of columns at the top that have one value a row: they are not repeated, and hold no others."""
    return {str([one.get(4)]) for one in schema[1:] if one.get(3) != _REPEATED and not one.get(5)}


def _check_pages(file: BinaryIO, about: Fields, end: int) -> None:
    """Walk over the pages of a column, from head to head; they must hold its values."""
    if _number(about, 1) >= _TYPES or _number(about, 4) >= _CODECS:
        raise ValueError("no type, or no codec")
    declared = _number(about, 5)
    if not declared:  # of a column without values some writers give no place
        return
    data = at = _number(about, 9)
    if about.get(11):  # some writers say 0 for no dictionary
        at = _number(about, 11)
    stop = at + _number(about, 7)
    if not 4 <= at <= data <= stop <= end:
        raise ValueError("a column beyond the file")
    values = 0
    while at < stop and values < declared:
        compact = _Compact(_taken(file, at, min(_LONGEST_HEAD, stop - at)))
        head = compact.struct()
        kind = _number(head, 1)
        if kind not in (*_HEADS, _INDEX) or _number(head, 2) > _LARGEST_PAGE:
            raise ValueError("no page")
        if kind in _HEADS:
            own = _number(_struct(head, _HEADS[kind]), 1)
            values += 0 if kind == _DICTIONARY else own
        at += compact.at + _number(head, 3)
    if at > stop or values != declared:
        raise ValueError("other pages than declared")


def _taken(file: BinaryIO, at: int, number: int) -> bytes:
    file.seek(at)
    taken = file.read(number)
    if len(taken) != number:
        raise ValueError("cut off")
    return taken


def _number(fields: Fields, key: int) -> int:
    value = fields.get(key)
    if not isinstance(value, int) or value < 0:
        raise ValueError("no size")
    return value


def _struct(fields: Fields, key: int) -> Fields:
    value = fields.get(key)
    if not isinstance(value, dict):
        raise ValueError("no struct")  # noqa: TRY004  as all that is wrong with a file
    return value


def _structs(fields: Fields, key: int) -> list[Fields]:
    value = fields.get(key)
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        raise ValueError("no list of structs")
    return value


class _Compact:
    """Values in Thrift's compact protocol, one after the other; `at` is where the next begins."""

    def __init__(self, data: bytes) -> None:
        self._data, self.at = data, 0

    def struct(self, depth: int = 0) -> Fields:
        """Read a struct: values by the numbers of their fields."""
        if depth > _DEEPEST:
            raise ValueError("nested too deeply")
        fields: Fields = {}
        number = 0
        while head := self._byte():
            kind, step = head & 15, head >> 4
            number = number + step if step else self._whole()
            fields[number] = kind == _TRUE if kind in (_TRUE, _FALSE) else self._value(kind, depth)
        return fields

    def _value(self, kind: int, depth: int) -> Any:
        if kind in (_TRUE, _FALSE, _BYTE):
            return self._byte()
        if kind in (4, 5, 6):
            return self._whole()
        if kind == _DOUBLE:
            return self._bytes(8)
        if kind == _BINARY:
            return self._bytes(self._varint())
        if kind in (_LIST, _SET):
            return self._many(depth)
        if kind == _STRUCT:
            return self.struct(depth + 1)
        raise ValueError("no type that the format has")

    def _many(self, depth: int) -> list[Any]:
        head = self._byte()
        size = head >> 4 if head >> 4 < 15 else self._varint()
        return [self._value(head & 15, depth) for _ in range(size)]  # each takes a byte at least

    def _byte(self) -> int:
        if self.at >= len(self._data):
            raise ValueError("cut off")
        self.at += 1
        return self._data[self.at - 1]

    def _bytes(self, number: int) -> bytes:
        if number > len(self._data) - self.at:
            raise ValueError("cut off")
        self.at += number
        return self._data[self.at - number : self.at]

    def _varint(self) -> int:
        value = 0
        for shift in range(0, 64, 7):
            byte = self._byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
        raise ValueError("no number")

    def _whole(self) -> int:
        value = self._varint()
        return (value >> 1) ^ -(value & 1)
