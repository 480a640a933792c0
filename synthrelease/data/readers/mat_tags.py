"""The tags of a MATLAB file, walked before any library reads it.

A file that nests thousands of cells overflows the library's stack, one that declares billions of elements takes all memory, and one
whose elements are of other types than they should be makes it read beyond its tables: the walk holds a few numbers, unpacks by blocks and keeps nothing. Level 5 MAT-File Format, The MathWorks, chapter 1.
"""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Callable
from typing import BinaryIO

_MATRIX, _PACKED = 14, 15
_CELL, _STRUCT, _OBJECT, _CHARACTERS, _SPARSE, _FUNCTION, _OPAQUE = 1, 2, 3, 4, 5, 16, 17
_LAST, _COMPLEX = 17, 1 << 11
_WIDTHS = {1: 1, 2: 1, 3: 2, 4: 2, 5: 4, 6: 4, 7: 4, 9: 8, 12: 8, 13: 8}  # bytes of a number, by its type
_LETTERS = {1, 2, 3, 4, 16, 17, 18}
_DEEPEST = 64
_LARGEST = 1 << 31  # bytes of one variable: the format's own limit
_BLOCK = 1 << 16


def check_tags(file: BinaryIO, unpacked: Callable[[int], None] = lambda _: None) -> None:
    """Walk over all elements of a file of level 5, from its beginning.

    Args:
        file: the file.
        unpacked: called with the number of bytes that were unpacked, now and then; it may raise.

    Raises:
        ValueError: an element is cut off, longer than the one it is in, nested too deeply, or declares more than it holds.
    """
    head = file.read(128)
    if len(head) < 128 or head[126:] not in (b"IM", b"MI"):
        raise ValueError("no head")
    order = "<" if head[126:] == b"IM" else ">"
    while tag := file.read(8):
        kind, size = _unpacked(f"{order}II", tag)
        if kind == _PACKED:
            _Walk(order, _unpacking(file, size, unpacked)).all()
        elif kind == _MATRIX:
            _Walk(order, file.read).variable(kind, size)
        else:
            raise ValueError("no variable")


def _unpacking(file: BinaryIO, size: int, unpacked: Callable[[int], None]) -> Callable[[int], bytes]:
    """A function that reads what is packed in the next bytes of a file."""
    stream = zlib.decompressobj()
    left, buffer, done = size, b"", 0

    def read(number: int) -> bytes:
        nonlocal left, buffer, done
        while len(buffer) < number:
            packed = stream.unconsumed_tail
            if not packed:
                packed = file.read(min(left, _BLOCK))
                left -= len(packed)
            more = stream.decompress(packed, _BLOCK)
            if not more and not packed:
                if left or not stream.eof:
                    raise ValueError("cut off")
                break
            buffer += more
            done += len(more)
            unpacked(done)
        out, buffer = buffer[:number], buffer[number:]
        return out

    return read


class _Walk:
    """One variable's elements, one after the other; `read` gives its next bytes."""

    def __init__(self, order: str, read: Callable[[int], bytes]) -> None:
        self._order, self._read = order, read
        self._at = self._small = 0

    def all(self) -> None:
        """Walk over what is packed: one variable, and nothing behind it."""
        self.variable(*_unpacked(f"{self._order}II", self._read(8)))
        if self._read(1):
            raise ValueError("more than a variable")

    def variable(self, kind: int, size: int) -> None:
        """Walk over a variable whose tag was read."""
        if kind != _MATRIX or not 0 < size <= _LARGEST:
            raise ValueError("no variable")
        self._matrix(size, 0)

    def _matrix(self, end: int, depth: int) -> None:
        """An array up to its end: flags, sizes, name, and what its class asks for."""
        if depth > _DEEPEST:
            raise ValueError("nested too deeply")
        flags = _unpacked(f"{self._order}II", self._short(end, {6}, 8))[0]
        kind = flags & 0xFF
        if not _CELL <= kind <= _LAST:
            raise ValueError("no class")
        if kind == _OPAQUE:  # has no sizes
            for _ in range(3):
                self._short(end, {1, 2, 16}, 1 << 16)
            self._arrays(end, depth, 1)
            return
        sizes = self._numbers(self._short(end, {5}, 128))
        count = math.prod(sizes)
        if len(sizes) < 2 or min(sizes) < 0 or count > end - self._at:
            raise ValueError("more declared than there is")
        self._short(end, {1, 2, 16}, 64)  # the name
        self._body(end, depth, flags, count)
        if self._at != end:
            raise ValueError("more than an array")

    def _body(self, end: int, depth: int, flags: int, count: int) -> None:
        """What stands behind the name of an array."""
        kind = flags & 0xFF
        if kind in (_CELL, _STRUCT, _OBJECT):
            self._elements(end, depth, kind, count)
        elif kind == _CHARACTERS:
            self._skip(self._tag(end, _LETTERS)[1], end)
        elif kind == _FUNCTION:
            self._arrays(end, depth, 1)
        else:
            parts = (2 if kind == _SPARSE else 0) + (2 if flags & _COMPLEX else 1)
            for _ in range(parts):
                own, size = self._tag(end, set(_WIDTHS))
                if kind != _SPARSE and size != count * _WIDTHS[own]:
                    raise ValueError("another number of values than declared")
                self._skip(size, end)

    def _elements(self, end: int, depth: int, kind: int, count: int) -> None:
        """Arrays in an array: one for each cell, or for each field of each struct."""
        if kind == _OBJECT:
            self._short(end, {1}, 64)  # its class
        if kind != _CELL:
            length = self._numbers(self._short(end, {5}, 4))
            if len(length) != 1 or not 0 < length[0] <= 4096:
                raise ValueError("no names of fields")
            names = len(self._short(end, {1}, 1 << 24))
            if names % length[0]:
                raise ValueError("no names of fields")
            count *= names // length[0]
        self._arrays(end, depth, count)

    def _arrays(self, end: int, depth: int, count: int) -> None:
        if count * 8 > end - self._at:
            raise ValueError("more declared than there is")
        for _ in range(count):
            _, size = self._tag(end, {_MATRIX})
            if size:
                self._matrix(self._at + size, depth + 1)

    def _tag(self, end: int, kinds: set[int]) -> tuple[int, int]:
        """The kind and the size of the next element; four bytes may stand in the tag itself, which is then not over."""
        if end - self._at < 8:
            raise ValueError("cut off")
        first = self._take(4)
        kind = _unpacked(f"{self._order}I", first)[0]
        self._small = kind >> 16
        if self._small:
            kind, size = kind & 0xFFFF, self._small
        else:
            size = _unpacked(f"{self._order}I", self._take(4))[0]
        if kind not in kinds or self._small > 4 or (self._small and kind == _MATRIX):
            raise ValueError("another type than there should be")
        if self._at + size > end:
            raise ValueError("longer than what it is in")
        return kind, size

    def _short(self, end: int, kinds: set[int], most: int) -> bytes:
        """The content of the next element."""
        _, size = self._tag(end, kinds)
        if size > most:
            raise ValueError("too long")
        content = self._take(size)
        self._pad(size, end)
        return content

    def _numbers(self, content: bytes) -> tuple[int, ...]:
        return _unpacked(f"{self._order}{len(content) // 4}i", content)

    def _skip(self, size: int, end: int) -> None:
        left = size
        while left:
            left -= len(self._take(min(left, _BLOCK)))
        self._pad(size, end)

    def _pad(self, size: int, end: int) -> None:
        self._take(4 - size if self._small else min(-size % 8, end - self._at))

    def _take(self, number: int) -> bytes:
        taken = self._read(number)
        if len(taken) != number:
            raise ValueError("cut off")
        self._at += number
        return taken


def _unpacked(form: str, data: bytes) -> tuple[int, ...]:
    if len(data) != struct.calcsize(form):
        raise ValueError("cut off")
    return struct.unpack(form, data)
