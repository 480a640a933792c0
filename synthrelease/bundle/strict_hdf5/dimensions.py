"""Which dimension scales stand along the axes of a bundle's datasets, by references in a heap (HDF5 File Format Specification 3.0, III.E)."""

from __future__ import annotations

import itertools
import operator
import struct
from typing import Any

from synthrelease.bundle.layout import USER_BLOCK
from synthrelease.bundle.strict_hdf5.anatomy import Region, Structure
from synthrelease.bundle.strict_hdf5.byte_claims import ByteClaims
from synthrelease.bundle.strict_hdf5.messages import DIMENSION_LIST, REFERENCE_LIST, Reference, expect, refuse

# Of a collection of references; one that is larger than the least is more than half full.
_HEAP_BYTES, _MOST_HEAP_BYTES = 1 << 12, 1 << 16
_REFERENCE_BYTES = 16 + 8  # of a reference in it, with what stands before each


class Dimensions:
    """Datasets and scales refer to each other: a dataset to its scales by a heap, a scale to its datasets by their headers.

    Args:
        claims: of the file's bytes.
    """

    def __init__(self, claims: ByteClaims) -> None:
        self._claims = claims
        self._header_of: dict[str, int] = {}  # of datasets
        self._scale_references: dict[str, tuple[Reference, ...]] = {}  # in a heap, of the scale of each axis
        self._stated_users: dict[str, tuple[Reference, ...]] = {}  # of scales: headers and axes

    def add(self, path: str, header: int, attributes: dict[str, Any]) -> None:
        """Add a dataset, and take its references out of its attributes."""
        self._header_of[path] = header
        self._scale_references[path] = attributes.pop(DIMENSION_LIST, ())
        self._stated_users[path] = attributes.pop(REFERENCE_LIST, ())

    def scales(self) -> dict[str, tuple[str, ...]]:
        """Return the scales of the axes of every dataset, by path.

        Raises:
            BundleError: a reference leads nowhere, or a scale does not name in its turn what it stands along.
        """
        headers = self._referenced()
        paths = {header: path for path, header in self._header_of.items()}
        users: dict[str, list[Reference]] = {path: [] for path in self._header_of}
        scales_of: dict[str, tuple[str, ...]] = {}
        for path, header in sorted(self._header_of.items(), key=operator.itemgetter(1)):
            scales = []
            for axis, place in enumerate(self._scale_references[path]):
                scale = paths.get(headers[place])
                if scale is None:
                    refuse("other-form", "an axis has no dimension scale", path)
                scales.append(scale)
                users[scale].append(Reference(header, axis))
            scales_of[path] = tuple(scales)
        for path, stated in self._stated_users.items():
            expect(stated, tuple(users[path]), f"the dimensions of {path}")
        return scales_of

    def _referenced(self) -> dict[Reference, int]:
        """The headers that all references lead to; each stands in a heap, and nothing else."""
        places = list(itertools.chain.from_iterable(self._scale_references.values()))
        if len(set(places)) < len(places):
            refuse("other-form", "two axes share a reference", "references")
        headers: dict[Reference, int] = {}
        for heap in sorted({place.address for place in places}):
            headers |= self._heap_headers(heap)
        if set(headers) != set(places):
            refuse("other-form", "references that no axis has, or that lead nowhere", "references")
        return headers

    def _heap_headers(self, heap: int) -> dict[Reference, int]:
        structure = Structure("references")
        head = self._claims.peek(heap, 16, structure)
        (size,) = struct.unpack_from("<Q", head, 8)
        if size > _MOST_HEAP_BYTES:  # before it is read
            refuse("too-large", "too large", structure)
        block = self._claims.take(heap, max(size, _HEAP_BYTES), structure)
        expect(head, struct.pack("<4sB3xQ", b"GCOL", 1, len(block)), structure)
        headers: dict[Reference, int] = {}
        at = 16
        while at + _REFERENCE_BYTES <= len(block) and any(block[at : at + 2]):
            number = len(headers) + 1
            (header,) = struct.unpack_from("<Q", block, at + 16)
            expect(block[at : at + 24], struct.pack("<HH4xQQ", number, 0, 8, header), structure)
            headers[Reference(heap, number)] = header
            at += _REFERENCE_BYTES
        if len(block) > max(_HEAP_BYTES, 2 * at):
            refuse("mostly-gaps", "more than half of a heap is nothing", structure)
        if len(block) - at >= 16:
            expect(block[at : at + 16], struct.pack("<HH4xQ", 0, 0, len(block) - at), structure)
            at += 16
        self._claims.heap_gaps.append(
            Region(USER_BLOCK + heap + at, USER_BLOCK + heap + len(block), Structure("gap"))
        )
        return headers
