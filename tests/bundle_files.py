"""Bundles of every kind of output as files, what is in them by path, and the sections of a README about one."""

import re

import numpy as np
from layouts import Layout, layout

from synthrelease.bundle import Bundle, open_bundle
from synthrelease.bundle.items import StoredOutput
from synthrelease.bundle.layout import dataset_path


def written(folder, name) -> tuple[Bundle, Layout]:
    """Write one of the layouts, and open it."""
    whole = layout(name)
    path = folder / "release.h5"
    path.write_bytes(whole.raw)
    return open_bundle(path, allow_test_seed=True), whole


def of(whole, output, path, *labels):
    """A dataset of a layout by its path below the output; of it what is at labels along its first axes."""
    array = np.asarray(whole.arrays[dataset_path(output, path)])
    axes = StoredOutput(entry(whole, output)).dataset(path).axes
    for axis, label in zip(axes, labels, strict=False):
        array = array[list(axis.coordinates).index(label)]
    return array


def entry(whole, name):
    """The entry of an output in the manifest."""
    return next(one for one in whole.manifest["outputs"] if one["name"] == name)


def sections(readme):
    """The sections of a README, from below the title to how it is checked, each on one line.

    They are what the export is, what is guaranteed, what is not protected, warnings if there are any, what is in it, and how to check it.
    """
    _, *parts = re.split(r"(?:\A|\n)[^\n]+\n-+\n\n", readme)
    return [" ".join(part.split()) for part in parts]
