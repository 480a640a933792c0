"""Parquet files that no library writes: feet and heads of pages of any size, groups of one row that share their pages, which are empty, lists in lists."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np

COLUMNS = ("who", "image", "x", "y")
Fields = dict[int, "int | bytes | Fields | list[Fields]"]


def varint(number: int) -> bytes:
    """A number as Thrift has it: seven bits a byte."""
    out = b""
    while number > 127:
        out, number = out + bytes([number & 127 | 128]), number >> 7
    return out + bytes([number])


def thrift(fields: Fields) -> bytes:
    """A structure in the compact protocol; a number is of 64 bits, and every field says its whole number."""
    out = b""
    for name, value in fields.items():
        kind, body = _value(value)
        out += bytes([kind]) + varint(name << 1) + body
    return out + b"\0"


def _value(value: int | bytes | Fields | list[Fields]) -> tuple[int, bytes]:
    match value:
        case bool():
            return 1 if value else 2, b""
        case int():
            return 6, varint(value << 1)
        case bytes():
            return 8, varint(len(value)) + value
        case list():
            return 9, b"\xfc" + varint(len(value)) + b"".join(map(thrift, value))
    return 12, thrift(value)


def page(statistics: int = 0) -> bytes:
    """The head of an empty page, with so many bytes in its statistics."""
    return thrift({1: 0, 2: 0, 3: 0, 5: {1: 0, 2: 0, 3: 3, 4: 3, 5: {1: bytes(statistics)}}})


def write(path: Path, pages: bytes, *, groups: int, more: bytes = b"") -> Path:
    """Write a file that says it has a row in each group; all columns have the same pages, and the foot may have unknown fields."""
    schema: list[Fields] = [{4: b"schema", 5: len(COLUMNS)}]
    schema += [{1: 5, 3: 0, 4: name.encode()} for name in COLUMNS]
    chunks = b"".join(
        thrift({2: 4, 3: {1: 5, 2: [], 3: [], 4: 0, 5: 1, 6: len(pages), 7: len(pages), 9: 4}})
        for _ in COLUMNS
    )
    group = b"\x09\x02\xfc" + varint(len(COLUMNS)) + chunks + thrift({2: 0, 3: 1})
    head = thrift({1: 1, 2: schema, 3: groups})[:-1]
    foot = head + b"\x09\x08\xfc" + varint(groups) + group * groups + more + b"\0"
    path.write_bytes(b"PAR1" + pages + foot + struct.pack("<I", len(foot)) + b"PAR1")
    return path


def empty_structures(count: int) -> bytes:
    """An unknown field of a foot: so many structures of nothing."""
    return b"\x09" + varint(99 << 1) + b"\xfc" + varint(count) + bytes(count)


def lists_in_lists(path: Path, count: int, *, depth: int = 15) -> Path:
    """Write a sound table with a cell of so many numbers, each in lists of its own."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    more = pa.array(np.zeros(count, np.int8))
    for _ in range(depth - 1):
        more = pa.ListArray.from_arrays(pa.array(np.arange(count + 1, dtype=np.int32)), more)
    more = pa.ListArray.from_arrays(pa.array([0, count], pa.int32()), more)
    pq.write_table(pa.table({"who": ["p"], "image": ["a"], "x": [1.0], "y": [1.0], "more": more}), path)
    return path
