"""Where chunks lie is told by HDF5's library in one of two ways, by version; nothing else is taken for them."""

from types import SimpleNamespace

import numpy as np
import pytest

from synthrelease.bundle.anatomy import StoredDataset
from synthrelease.bundle.layout import USER_BLOCK
from synthrelease.bundle.library import _has_chunks

STORED = StoredDataset(np.dtype("u1"), (3,), (2,), ((2000, 20), (3000, 21)))


def seen(*chunks):
    def chunk_iter(tell):
        for offset, size in chunks:
            tell(SimpleNamespace(byte_offset=offset, size=size))

    return SimpleNamespace(chunk_iter=chunk_iter)


@pytest.mark.parametrize(
    ("shifts", "is_it"),
    [
        ((0, 0), True),
        ((USER_BLOCK, USER_BLOCK), True),
        ((0, USER_BLOCK), False),
        ((1, 1), False),
        ((-USER_BLOCK, -USER_BLOCK), False),
    ],
)
def test_places_count_from_the_file_or_from_hdf5(shifts, is_it):
    chunks = [(place - shift, size) for (place, size), shift in zip(STORED.chunks, shifts, strict=True)]
    assert _has_chunks(seen(*chunks), STORED) == is_it
    assert not _has_chunks(seen(*chunks[:1]), STORED)
    assert not _has_chunks(seen(*((place, size + 1) for place, size in chunks)), STORED)
