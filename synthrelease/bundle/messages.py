"""Messages of HDF5 object headers, each in the one form that a bundle gives it (HDF5 File Format Specification 3.0, IV.A.2)."""

from __future__ import annotations

import re
import struct
from enum import IntEnum
from typing import Any, NoReturn

import numpy as np

from synthrelease.errors import BundleError


class Message(IntEnum):
    """Types of messages."""

    NIL = 0x0
    DATASPACE = 0x1
    DATATYPE = 0x3
    FILL_VALUE = 0x5
    LAYOUT = 0x8
    PIPELINE = 0xB
    ATTRIBUTE = 0xC
    CONTINUATION = 0x10
    SYMBOL_TABLE = 0x11


CONSTANT = 1  # flag of a message that may not change


def _integer_type(size: int, *, signed: bool) -> bytes:
    """A whole little-endian number of `size` bytes (IV.A.2.d)."""
    return struct.pack("<BBHIHH", 0x10, 8 * signed, 0, size, 0, 8 * size).ljust(16, b"\0")


def _float_type(size: int, exponent_bits: int) -> bytes:
    """An IEEE 754 little-endian number of `size` bytes."""
    bits = 8 * size
    mantissa = bits - exponent_bits - 1
    return struct.pack(
        "<BBBBIHHBBBBI",
        0x11,
        0x20,  # the leading bit of the mantissa is not stored
        bits - 1,
        0,
        size,
        0,
        bits,
        mantissa,
        exponent_bits,
        0,
        mantissa,
        2 ** (exponent_bits - 1) - 1,
    ).ljust(24, b"\0")


_TYPES: dict[np.dtype[Any], bytes] = {
    np.dtype("u1"): _integer_type(1, signed=False),
    np.dtype("i1"): _integer_type(1, signed=True),
    np.dtype("<i2"): _integer_type(2, signed=True),
    np.dtype("<i4"): _integer_type(4, signed=True),
    np.dtype("<i8"): _integer_type(8, signed=True),
    np.dtype("<f4"): _float_type(4, 8),
    np.dtype("<f8"): _float_type(8, 11),
}
TYPE_OF = {encoded: kind for kind, encoded in _TYPES.items()}
FILL_VALUE = bytes([2, 3, 2, 1, 0, 0, 0, 0])  # zero, never written out: every chunk is
COMPACT_FILL_VALUE = bytes([2, 1, 2, 1, 0, 0, 0, 0])


def pipeline_of(itemsize: int) -> bytes:
    """Shuffle, deflate at level 4, Fletcher-32 (IV.A.2.l)."""
    head = struct.pack("<BB6x", 1, 3)
    shuffle = struct.pack("<HHHH8sI4x", 2, 8, 1, 1, b"shuffle", itemsize)
    deflate = struct.pack("<HHHH8sI4x", 1, 8, 1, 1, b"deflate", 4)
    return head + shuffle + deflate + struct.pack("<HHHH16s", 3, 16, 0, 0, b"fletcher32")


def attribute_of(body: bytes, path: str) -> tuple[str, int | bytes]:
    """Return name and value of an attribute: a string of its own length, or a 64-bit integer (IV.A.2.m)."""
    what = f"an attribute of {path}"
    if len(body) < 8:
        refuse("cut-off", "is cut off", what)
    name_size, type_size = struct.unpack_from("<2xHH", body)
    name = body[8 : 8 + name_size - 1] if name_size else b""
    at = 8 + padded(name_size)
    kind = body[at : at + padded(type_size)]
    if not re.fullmatch(rb"[a-z_]+", name) or len(kind) < 8:
        refuse("other-form", "is not as a bundle writes it", what)
    value: int | bytes
    if kind == _TYPES[np.dtype("<i8")][:16]:
        raw = body[at + 24 : at + 32].ljust(8, b"\0")
        (value,), type_size = struct.unpack("<q", raw), 12
    else:
        (length,) = struct.unpack_from("<I", kind, 4)
        raw = body[at + 16 : at + 16 + length]
        value, type_size = raw, 8
        kind = struct.pack("<BBHI", 0x13, 1, 0, length)
        if len(raw) != length or not re.fullmatch(rb"[\x21-\x7e]+", raw):
            refuse("other-form", "is not a string of its own length", what)
    expected = (
        struct.pack("<BxHHH", 1, len(name) + 1, type_size, 8)
        + name.ljust(padded(len(name) + 1), b"\0")
        + kind
        + struct.pack("<BB6x", 1, 0)
        + raw
    )
    expect(body, expected.ljust(padded(len(expected)), b"\0"), what)
    return name.decode("ascii"), value


def padded(size: int) -> int:
    """Return a size rounded up to whole words of eight bytes."""
    return size + -size % 8


def expect(found: object, expected: object, what: object) -> None:
    """Raise BundleError unless two things are equal."""
    if found != expected:
        refuse("other-form", "is not as a bundle writes it", what)


def refuse(code: str, problem: str, where: object) -> NoReturn:
    """Raise BundleError."""
    raise BundleError(code, problem, where=str(where))
