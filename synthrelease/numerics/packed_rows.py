"""Rows of category numbers as a few 64-bit words each, which sort and compare as the rows do, column by column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synthrelease.numerics.blocks import in_blocks
from synthrelease.numerics.runs import sorted_keys
from synthrelease.numerics.small_products import product

Word = NDArray[np.uint64]

_BLOCK, _TAKEN = 1 << 12, 1 << 16  # rows packed at once, and put in another order
_WORD_BITS = 52  # of a word, so that a matrix product in 64-bit floats packs it exactly
_DIGIT_BITS = 32  # of a digit of numbers that are too large for a word
_FLOAT_BITS, _FLOAT_BIAS = np.uint64(52), 1023


@dataclass(frozen=True)
class PackedRows:
    """Rows as words.

    Attributes:
        words: the first word of each row, the second, …, shape (N,) each.
        known: before which column a row has its first value above that column's largest, shape (N,).
    """

    words: tuple[Word, ...]
    known: NDArray[np.int64]

    def __len__(self) -> int:
        """Return N."""
        return self.words[0].size

    def at(self, rows: NDArray[np.integer] | slice) -> PackedRows:
        """Return some rows."""
        return PackedRows(tuple(word[rows] for word in self.words), self.known[rows])


@dataclass(frozen=True)
class _Digit:
    """A column's number, or so many bits of it."""

    place: int  # of the column among those that are packed
    column: int
    shift: int  # bits of the number below it
    bits: int


class Packing:
    """How rows are packed: in as few bits for each column as its largest value needs.

    Args:
        highest: the largest value of each column, shape (m,).
        columns: those that are packed, first to last; at least one.
    """

    def __init__(self, highest: NDArray[np.integer], columns: Sequence[int]) -> None:
        self._highest, self._columns = highest.astype(np.uint64), list(columns)
        self._words: list[list[tuple[_Digit, int]]] = []  # digits of each word, and the bits below each
        room = 0
        for digit in self._digits():
            if digit.bits > room:
                self._words.append([])
                room = _WORD_BITS
            room -= digit.bits
            self._words[-1].append((digit, room))
        self._weights = np.zeros((len(highest), len(self._words)))
        for number, word in enumerate(self._words):
            for digit, below in word:
                self._weights[digit.column, number] = 2.0**below
        # Of each word, the column that differs if a bit is the highest one that does.
        self._column_of_bit = np.zeros((len(self._words), _WORD_BITS), dtype=np.int64)
        for number, word in enumerate(self._words):
            for digit, below in word:
                self._column_of_bit[number, below : below + digit.bits] = digit.place

    def _digits(self) -> list[_Digit]:
        digits = []
        for place, column in enumerate(self._columns):
            bits = max(1, int(self._highest[column]).bit_length())
            if bits <= _WORD_BITS:
                digits.append(_Digit(place, column, 0, bits))
            else:
                shifts = range(0, bits, _DIGIT_BITS)
                digits += [_Digit(place, column, shift, _DIGIT_BITS) for shift in reversed(shifts)]
        return digits

    @property
    def length(self) -> int:
        """How many columns are packed."""
        return len(self._columns)

    def packed(self, rows: NDArray[np.integer], *, threads: int = 1) -> PackedRows:
        """Return rows of numbers ≥ 0, shape (N, m), as words; a value above the largest of its column counts as that one."""
        words = np.empty((len(self._words), len(rows)), dtype=np.uint64)
        known = np.full(len(rows), self.length, dtype=np.int64)

        def pack(here: slice) -> None:
            block, known[here] = self._within(rows[here])
            words[:, here] = self._of_block(block)

        in_blocks(len(rows), _BLOCK, pack, threads=threads)
        return PackedRows(tuple(words), known)

    def _within(self, block: NDArray[np.integer]) -> tuple[NDArray[np.integer], NDArray[np.int64] | int]:
        """Rows without values above the largest of their columns, and before which of the packed columns each had its first."""
        above_any = block.max(axis=0).astype(np.uint64) > self._highest
        if not above_any[self._columns].any():
            return block, self.length
        # A type that cannot hold the largest has no value above it.
        most = np.minimum(self._highest, np.uint64(np.iinfo(block.dtype).max)).astype(block.dtype)
        above = block[:, self._columns] > most[self._columns]
        return np.minimum(block, most), np.where(above.any(axis=1), above.argmax(axis=1), self.length)

    def _of_block(self, block: NDArray[np.integer]) -> NDArray[np.float64]:
        """The words of some rows, shape (words, rows): Σ number·2^shift, exact in 64-bit floats."""
        if not any(digit.shift for word in self._words for digit, _ in word):
            return product(block.astype(np.float64), self._weights).T
        out = np.zeros((len(self._words), len(block)))
        for number, word in enumerate(self._words):
            for digit, below in word:
                part = block[:, digit.column].astype(np.uint64) >> np.uint64(digit.shift)
                out[number] += (part & np.uint64(2**digit.bits - 1)) * 2.0**below
        return out

    def order(self, rows: PackedRows, *, threads: int = 1) -> NDArray[np.int64]:
        """Return the permutation that sorts rows, those alike in any order."""
        order, keys = self._by_first_bits(rows.words[0], threads=threads)
        alike = np.zeros(len(rows) + 1, dtype=np.bool_)
        np.equal(keys[1:], keys[:-1], out=alike[1:-1])
        tied = np.flatnonzero(alike[1:] | alike[:-1])
        if tied.size:
            some = order[tied]
            order[tied] = some[np.lexsort((*(word[some] for word in rows.words[::-1]), keys[tied]))]
        return order

    def ordered(self, rows: PackedRows, order: NDArray[np.int64], *, threads: int) -> PackedRows:
        """Return rows in another order."""
        words = tuple(np.empty_like(word) for word in rows.words)
        known = np.empty_like(rows.known)

        def take(here: slice) -> None:
            for out, one in zip((*words, known), (*rows.words, rows.known), strict=True):
                np.take(one, order[here], out=out[here], mode="clip")

        in_blocks(len(rows), _TAKEN, take, threads=threads)
        return PackedRows(words, known)

    def near_order(self, rows: NDArray[np.integer], *, threads: int = 1) -> NDArray[np.int64]:
        """Return a permutation that brings rows together that begin alike."""
        first = np.empty(len(rows), dtype=np.uint64)

        def pack(here: slice) -> None:
            first[here] = self._of_block(self._within(rows[here])[0])[0]

        in_blocks(len(rows), _BLOCK, pack, threads=threads)
        return self._by_first_bits(first, threads=threads)[0]

    def _by_first_bits(self, first: Word, *, threads: int) -> tuple[NDArray[np.int64], Word]:
        """The permutation that sorts rows by the highest bits of their first words, and these bits, sorted."""
        index_bits = max(1, (first.size - 1).bit_length())
        unused = min(below for _, below in self._words[0])
        # The highest bits of a row's word above the row's number: sorted by themselves, they need no second array.
        keys = first >> np.uint64(max(unused, _WORD_BITS + index_bits - 64))
        keys <<= np.uint64(index_bits)
        keys |= np.arange(first.size, dtype=np.uint64)
        keys = sorted_keys(keys, threads=threads)
        order = (keys & np.uint64((1 << index_bits) - 1)).astype(np.int64)
        keys >>= np.uint64(index_bits)
        return order, keys

    def shared(
        self, rows: PackedRows, places: NDArray[np.integer] | slice, others: PackedRows
    ) -> NDArray[np.int64]:
        """Return how many columns the rows at some places have in common with others before the first in which they differ, shape (N,)."""
        lengths = np.full(len(others), self.length, dtype=np.int64)
        rest: NDArray[np.int64] | None = None  # pairs whose words so far are alike; None for all
        for number, (one, other) in enumerate(zip(rows.words, others.words, strict=True)):
            # Most differ in their first word: of the others no more is fetched.
            if rest is None:
                bits = one[places] ^ other
            else:
                bits = (one[places][rest] if isinstance(places, slice) else one[places[rest]]) ^ other[rest]
            # Below 2⁵³, the exponent of a number as a float is its highest bit.
            exponent = (bits.astype(np.float64).view(np.uint64) >> _FLOAT_BITS).astype(np.int64) - _FLOAT_BIAS
            columns = self._column_of_bit[number].take(exponent, mode="clip")
            differ = bits != 0
            if rest is None:
                np.copyto(lengths, columns, where=differ)
                rest = np.flatnonzero(~differ)
            else:
                lengths[rest[differ]] = columns[differ]
                rest = rest[~differ]
            if not rest.size:
                break
        return np.minimum(lengths, others.known, out=lengths)
