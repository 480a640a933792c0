"""What every dataset of every kind has to keep, seen on the golden bundles."""

from collections import Counter
from pathlib import Path

import h5py
import numpy as np
from forging import read_manifest

from synthrelease.bundle.items import StoredOutput

BUNDLES = sorted((Path(__file__).parents[1] / "golden/bundles").glob("*.h5"))


def test_values_are_the_same_if_they_are_derived_in_pieces():
    """`verify` reads large datasets by rows, each piece with the number of its first row."""
    seen = Counter()
    for bundle in BUNDLES:
        with h5py.File(bundle) as file:
            for output in read_manifest(bundle)["outputs"]:
                stored = StoredOutput(output)
                for item in stored.items():
                    dataset = item.dataset
                    if not dataset.by_rows or dataset.derive is None:
                        continue
                    sources = [
                        file[stored.path(stored.dataset(source.path))][() if source.whole else item.index]
                        for source in dataset.sources
                    ]
                    end = len(file[stored.path(dataset)][item.index])
                    middle = end // 3
                    whole, *pieces = (
                        dataset.derive(
                            (*item.index, piece),
                            *(
                                one if source.whole else one[piece]
                                for source, one in zip(dataset.sources, sources, strict=True)
                            ),
                        )
                        for piece in (slice(0, end), slice(0, middle), slice(middle, end))
                    )
                    np.testing.assert_array_equal(np.concatenate(pieces), whole)
                    seen[output["kind"]] += middle > 0
    assert all(seen[kind] for kind in ("records", "signals", "people"))
