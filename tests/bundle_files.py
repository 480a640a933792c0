"""Bundles of every kind of output as files, and what is in them by path."""

import numpy as np
from layouts import Layout, layout

from synthrelease.bundle import Bundle, open_bundle


def written(folder, name) -> tuple[Bundle, Layout]:
    """Write one of the layouts, and open it."""
    whole = layout(name)
    path = folder / "release.h5"
    path.write_bytes(whole.raw)
    return open_bundle(path, allow_test_seed=True), whole


def of(whole, output, *labels):
    """A dataset of a layout."""
    from synthrelease.bundle.layout import dataset_path

    return np.asarray(whole.arrays[dataset_path(output, *labels)])


def entry(whole, name):
    """The entry of an output in the manifest."""
    return next(one for one in whole.manifest["outputs"] if one["name"] == name)
