"""The tags of a MATLAB file, looked at before SciPy reads it: a wrong type ends the process there, a wrong size takes all memory.

Of 3000 files of which one byte was changed, 54 ended the process. Level 5 MAT-File Format, The MathWorks, chapter 1.
"""

from __future__ import annotations

import math
import os
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from synthrelease.data.readers.unpacking import FREELY_BYTES, WHOLE_TIMES, refuse_unpacked

_MATRIX, _PACKED = 14, 15
_CELL, _STRUCT, _OBJECT, _CHARACTERS, _SPARSE, _FUNCTION, _OPAQUE = 1, 2, 3, 4, 5, 16, 17
_COMPLEX = 1 << 11
_BEFORE_ARRAYS = {_CELL: 0, _STRUCT: 2, _OBJECT: 3, _FUNCTION: 0, _OPAQUE: 3}  # elements behind the name
_WIDTHS = {1: 1, 2: 1, 3: 2, 4: 2, 5: 4, 6: 4, 7: 4, 9: 8, 12: 8, 13: 8}  # bytes of a number, by its type
_LETTERS = {1, 2, 3, 4, 16, 17, 18}
_Element = tuple[int, memoryview]


def check_tags(path: Path, file: BinaryIO) -> None:
    """Look at all elements of a file of level 5.

    Raises:
        DataError: it unpacks to far too much.
        Exception: whatever else is wrong with it.
    """
    head, size = file.read(128), os.fstat(file.fileno()).st_size
    order = {b"IM": "<", b"MI": ">"}[head[126:]]
    while tag := file.read(8):
        kind, length = struct.unpack(f"{order}II", tag)
        content = file.read(length)
        if kind == _PACKED:
            stream = zlib.decompressobj()
            content = stream.decompress(content, FREELY_BYTES + WHOLE_TIMES * size + 1)
            refuse_unpacked(path, packed_bytes=size, unpacked_bytes=len(content), times=WHOLE_TIMES)
        else:
            content = tag + content
        [(kind, body)] = _elements(memoryview(content), order)
        _check(kind == _MATRIX)
        _check_array(body, order)


def _check(right: bool) -> None:  # noqa: FBT001
    if not right:
        raise ValueError


def _elements(data: memoryview, order: str) -> Iterator[_Element]:
    """Types and contents of the elements that follow each other."""
    position = 0
    while position < len(data):
        kind, size = struct.unpack_from(f"{order}II", data, position)
        position += 8
        if kind >> 16:  # four bytes at most, in the tag itself
            kind, size, position = kind & 0xFFFF, kind >> 16, position - 4
            end = position + 4
        else:
            end = position + size + -size % 8
        _check(position + size <= len(data))
        yield kind, data[position : position + size]
        position = end


def _check_array(data: memoryview, order: str) -> None:
    """An array: its flags, sizes and name, and what its class asks for; of thousands in each other Python's own stack ends this."""
    if not data:  # an empty cell
        return
    (kind, flags), *elements = _elements(data, order)
    _check((kind, len(flags)) == (6, 8))
    flag = struct.unpack(f"{order}I", flags[:4])[0]
    array_class, count = flag & 0xFF, 1
    if array_class != _OPAQUE:
        (kind, sizes), (named, _), *elements = elements
        lengths = _numbers(sizes, order)
        _check(kind == 5 and named in (1, 2, 16) and len(lengths) >= 2 and min(lengths) >= 0)
        count = math.prod(lengths)
        _check(count <= len(data) or array_class == _SPARSE)
    if array_class in _BEFORE_ARRAYS:
        _check_nested(array_class, count, elements, order)
    elif array_class == _CHARACTERS:
        _check([kind in _LETTERS for kind, _ in elements] == [True])
    else:
        _check(len(elements) == (2 if array_class == _SPARSE else 0) + (2 if flag & _COMPLEX else 1))
        for kind, values in elements:
            _check(kind in _WIDTHS and (array_class == _SPARSE or len(values) == count * _WIDTHS[kind]))


def _check_nested(array_class: int, count: int, elements: list[_Element], order: str) -> None:
    before, arrays = elements[: _BEFORE_ARRAYS[array_class]], elements[_BEFORE_ARRAYS[array_class] :]
    if array_class in (_STRUCT, _OBJECT):
        (_, length), (_, names) = before[-2:]
        (longest,) = _numbers(length, order)
        count *= len(names) // longest
    _check(len(arrays) == (1 if array_class in (_FUNCTION, _OPAQUE) else count))
    for _, array in arrays:
        _check_array(array, order)


def _numbers(content: memoryview, order: str) -> tuple[int, ...]:
    return struct.unpack(f"{order}{len(content) // 4}i", content)
