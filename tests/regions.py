"""Single changed bytes of a bundle, by what the bytes are for: as they are, and behind a seal that was renewed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import numpy as np
from layouts import Layout
from mutants import sealed

from synthrelease.bundle import examination
from synthrelease.bundle.layout import USER_BLOCK, sealed_digest
from synthrelease.bundle.strict_hdf5.bundle_file import BundleFile

SAME = "nothing: the content is the same"
"""Of the last key of an index of chunks, which HDF5 leaves at the first or moves behind the last: both are read alike."""


class _InMemory(BundleFile):
    """Bytes as a bundle's file."""

    def __init__(self, path: str | Path, raw: bytes | bytearray) -> None:
        self.path, self.size, self._raw = Path(path), len(raw), bytes(raw)

    def close(self) -> None:
        """There is nothing to close."""

    def read(self, place: int, number: int) -> bytes:
        return self._raw[place : place + number]


def what(region: str) -> str:
    """Return what a region is, without of which object."""
    return region.split(" of ", maxsplit=1)[0]


def undetected(layout: Layout, *, step: int = 1) -> list[int]:
    """Return the places of bytes whose change by one bit the seal does not notice. Each place, or every so many, is tried with one bit."""
    found = []
    body = layout.raw[USER_BLOCK:]
    stated = sealed_digest(layout.raw[:USER_BLOCK])
    block = bytearray(layout.raw[:USER_BLOCK])
    for place in range(USER_BLOCK):
        block[place] ^= 1 << place % 8
        if sealed_digest(bytes(block)) == stated:
            found.append(place)
        block[place] ^= 1 << place % 8
    # The state of SHA-256 before each kibibyte, so that a byte costs what is behind it.
    state, changed = hashlib.sha256(), bytearray(body)
    for start in range(0, len(body), 1024):
        for place in range(start, min(start + 1024, len(body)), step):
            changed[place] ^= 1 << place % 8
            rest = state.copy()
            rest.update(memoryview(changed)[start:])
            if rest.hexdigest() == stated:
                found.append(USER_BLOCK + place)
            changed[place] ^= 1 << place % 8
        state.update(body[start : start + 1024])
    return found


def refusals(layout: Layout, *, step: int = 1) -> Iterator[tuple[str, str]]:
    """Yield, for every byte that is no packed value, what it is for and what refuses its change behind a new seal."""
    for region in layout.anatomy.regions[1:]:
        if region.structure.kind == "values":
            continue
        for place in range(region.start, region.stop, step):
            raw = bytearray(layout.raw)
            raw[place] ^= 1 << place % 8
            yield (
                what(str(region.structure)),
                _code(sealed(bytes(raw[USER_BLOCK:]), marked=layout.marked), layout),
            )


def _code(raw: bytes, layout: Layout) -> str:
    with patch.object(examination, "BundleFile", lambda path: _InMemory(path, raw)):
        found = examination.examine("r.h5", allow_test_seed=layout.marked)
    if found.findings:
        return " ".join(sorted({one.code for one in found.findings}))
    file = _InMemory("r.h5", raw)
    same = file.manifest() == layout.manifest and all(
        np.array_equal(file.array(path), array) for path, array in layout.arrays.items()
    )
    return SAME if same else "accepted"
