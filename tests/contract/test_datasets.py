"""What every dataset of every kind has to keep, seen on the golden bundles."""

from collections import Counter
from pathlib import Path

import h5py
import numpy as np
from forging import read_manifest

from synthrelease.bundle.items import items_of

BUNDLES = sorted((Path(__file__).parents[1] / "golden/bundles").glob("*.h5"))


def test_values_are_the_same_if_they_are_derived_in_pieces():
    """`verify` reads large datasets by rows, each piece with the number of its first row."""
    seen = Counter()
    for bundle in BUNDLES:
        with h5py.File(bundle) as file:
            for output in read_manifest(bundle)["outputs"]:
                items = items_of(output)
                paths = {(item.dataset.path, item.index): item.path for item in items}
                for item in items:
                    dataset = item.dataset
                    if not dataset.by_rows or dataset.derive is None:
                        continue
                    rows = [file[paths[source.path, item.index]][()] for source in dataset.sources]
                    middle, end = len(rows[0]) // 3, len(rows[0])
                    whole, *pieces = (
                        dataset.derive((*item.index, piece), *(one[piece] for one in rows))
                        for piece in (slice(0, end), slice(0, middle), slice(middle, end))
                    )
                    np.testing.assert_array_equal(np.concatenate(pieces), whole)
                    seen[output["kind"]] += 0 < middle
    assert seen["records"]
    assert seen["signals"]
