"""Messages of HDF5 object headers, each in the one form that a bundle gives it (HDF5 File Format Specification 3.0, IV.A.2)."""

from __future__ import annotations

import re
import struct
from enum import IntEnum
from typing import Any, NamedTuple, NoReturn

import numpy as np

from synthrelease.bundle.strict_hdf5.anatomy import Structure
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


_MOST_AXES = 8
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
_TYPE_OF = {encoded: kind for kind, encoded in _TYPES.items()}
_TEXT_BYTES = 1 << 12  # of a label, at most
FILL_VALUE = bytes([2, 3, 2, 1, 0, 0, 0, 0])  # zero, never written out: every chunk is
COMPACT_FILL_VALUE = bytes([2, 1, 2, 1, 0, 0, 0, 0])


def pipeline_of(itemsize: int) -> bytes:
    """Shuffle, deflate at level 4, Fletcher-32 (IV.A.2.l)."""
    head = struct.pack("<BB6x", 1, 3)
    shuffle = struct.pack("<HHHH8sI4x", 2, 8, 1, 1, b"shuffle", itemsize)
    deflate = struct.pack("<HHHH8sI4x", 1, 8, 1, 1, b"deflate", 4)
    return head + shuffle + deflate + struct.pack("<HHHH16s", 3, 16, 0, 0, b"fletcher32")


def type_of(encoded: bytes, path: str) -> np.dtype[Any]:
    """Return the type of a dataset's values: whole numbers, floating-point numbers, or texts in UTF-8 of one length (IV.A.2.d)."""
    if encoded in _TYPE_OF:
        return _TYPE_OF[encoded]
    (size,) = struct.unpack_from("<I", encoded.ljust(8, b"\0"), 4)
    if not 1 <= size <= _TEXT_BYTES or encoded != struct.pack("<BBHI", 0x13, 0x11, 0, size):
        refuse(
            "bad-dtype",
            "a type that is none of those of a bundle: little-endian numbers, and texts of one length",
            path,
        )
    return np.dtype(f"S{size}")


DIMENSION_LIST, REFERENCE_LIST = "DIMENSION_LIST", "REFERENCE_LIST"
DATASET_ATTRIBUTES = ("CLASS", "NAME", "role", "long_name", "units", DIMENSION_LIST, REFERENCE_LIST)
NUMBERS = ("format_version", "encoding_version")
GROUP_ATTRIBUTES = ("format", "encoding_type", *NUMBERS)
_REFERENCE = struct.pack("<BBHI", 0x17, 0, 0, 8)  # to an object
_SEQUENCE = struct.pack("<BBHI", 0x19, 0, 0, 16) + _REFERENCE  # of references, in a heap
_PAIR = (  # of a reference to a dataset, and the number of an axis
    struct.pack("<BBHI", 0x16, 2, 0, 16)
    + struct.pack("<8sI28x", b"dataset", 0)
    + _REFERENCE
    + struct.pack("<16sI28x", b"dimension", 8)
    + _integer_type(4, signed=True)[:12]
)


class Reference(NamedTuple):
    """A place that an attribute refers to: a heap and a number in it; or a dataset's header and one of its axes."""

    address: int
    number: int


def attribute_of(body: bytes, path: str) -> tuple[str, int | bytes | tuple[Reference, ...]]:
    """Return name and value of an attribute: a 64-bit integer, a text of its own length, or references (IV.A.2.m)."""
    where = f"an attribute of {path}"
    if len(body) < 8:
        refuse("cut-off", "is cut off", where)
    name_size, type_size = struct.unpack_from("<2xHH", body)
    raw_name = body[8 : 8 + name_size - 1] if name_size else b""
    name = raw_name.decode("ascii", "replace")
    if name not in {*GROUP_ATTRIBUTES, *DATASET_ATTRIBUTES}:
        refuse("other-form", "is not as a bundle writes it", where)
    at = 8 + padded(name_size)
    kind = body[at : at + padded(type_size)]
    value: int | bytes | tuple[Reference, ...]
    if name in {DIMENSION_LIST, REFERENCE_LIST}:
        value, kind, type_size, space, raw = _references_of(name, body[at + len(kind) :], where)
    elif name in NUMBERS:
        kind = _TYPES[np.dtype("<i8")][:16]
        raw = body[at + 24 : at + 32].ljust(8, b"\0")
        (value,), type_size, space = struct.unpack("<q", raw), 12, _SCALAR
    else:
        (length,) = struct.unpack_from("<I", kind.ljust(8, b"\0"), 4)
        raw = body[at + 16 : at + 16 + length]
        ends_with_zero = name in {"CLASS", "NAME"}  # as HDF5 wants these
        value, type_size, space = raw[: length - ends_with_zero], 8, _SCALAR
        kind = struct.pack("<BBHI", 0x13, 0 if ends_with_zero else 1, 0, length)
        if len(raw) != length or any(raw[len(value) :]) or not re.fullmatch(rb"[\x20-\x7e]+", value):
            refuse("other-form", "is not a text of its own length", where)
    expected = (
        struct.pack("<BxHHH", 1, len(raw_name) + 1, type_size, len(space))
        + raw_name.ljust(padded(len(raw_name) + 1), b"\0")
        + kind
        + space
        + raw
    )
    expect(body, expected.ljust(padded(len(expected)), b"\0"), where)
    return name, value


_SCALAR = struct.pack("<BB6x", 1, 0)


def _references_of(
    name: str, body: bytes, where: str
) -> tuple[tuple[Reference, ...], bytes, int, bytes, bytes]:
    """Return references, and the type, its size, the dataspace and the bytes that they should have."""
    (number,) = struct.unpack_from("<8xQ", body.ljust(16, b"\0"))
    raw = body[24 : 24 + 16 * number]
    if not number or len(raw) != 16 * number:
        refuse("cut-off", "is cut off", where)
    space = struct.pack("<BBB5xQQ", 1, 1, 1, number, number)
    if name == REFERENCE_LIST:
        pairs = tuple(Reference(*pair) for pair in struct.iter_unpack("<Qi4x", raw))
        again = b"".join(struct.pack("<Qi4x", *pair) for pair in pairs)
        return pairs, _PAIR.ljust(padded(len(_PAIR)), b"\0"), len(_PAIR), space, again
    places = tuple(Reference(*place) for place in struct.iter_unpack("<4xQI", raw))
    again = b"".join(struct.pack("<IQI", 1, *place) for place in places)
    return places, _SEQUENCE, len(_SEQUENCE), space, again


def padded(size: int) -> int:
    """Return a size rounded up to whole words of eight bytes."""
    return size + -size % 8


def expect(actual: object, expected: object, where: object) -> None:
    """Raise BundleError unless two things are equal."""
    if actual != expected:
        refuse("other-form", "is not as a bundle writes it", where)


def refuse(code: str, problem: str, where: object) -> NoReturn:
    """Raise BundleError."""
    raise BundleError(code, problem, where=str(where))


def shape_of(space: bytes, path: str) -> tuple[int, ...]:
    """Return the shape that a dataspace states (IV.A.2.b)."""
    rank = len(space) // 16
    if len(space) != 8 + 16 * rank or not 1 <= rank <= _MOST_AXES:
        refuse("bad-shape", "a shape that no dataset of a bundle has", path)
    shape: tuple[int, ...] = struct.unpack_from(f"<{rank}Q", space, 8)
    expect(space, struct.pack(f"<BBB5x{2 * rank}Q", 1, rank, 1, *shape, *shape), Structure("header", path))
    return shape
