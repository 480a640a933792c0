"""What HDF5's library sees is held against what was read by hand, and a difference is a finding."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from layouts import GOLDEN

from synthrelease.bundle import examination, structure_examination
from synthrelease.bundle.layout import USER_BLOCK
from synthrelease.bundle.strict_hdf5.anatomy import StoredDataset
from synthrelease.bundle.strict_hdf5.bundle_file import BundleFile
from synthrelease.bundle.strict_hdf5.library import _has_chunks, disagreements

(BUNDLE,) = (path for path in GOLDEN if path.name == "heatmaps.h5")
MAP, SCALE = "/outputs/joint/heatmap", "/outputs/joint/stimulus"

STORED = StoredDataset(dtype=np.dtype("u1"), shape=(3,), chunk=(2,), chunks=((2000, 20), (3000, 21)))


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


def with_one_changed(items, path, **changes):
    return {**items, path: replace(items[path], **changes)}


def without(items, path):
    return {name: item for name, item in items.items() if name != path}


def in_chunks(anatomy):
    return next(path for path, one in sorted(anatomy.datasets.items()) if not one.is_compact)


def inside(anatomy):
    return next(path for path, one in sorted(anatomy.datasets.items()) if one.is_compact)


OTHERWISE = {
    "a dataset less": lambda a: replace(a, datasets=without(a.datasets, inside(a))),
    "a dataset more": lambda a: replace(a, datasets={**a.datasets, "/outputs/x": a.datasets[inside(a)]}),
    "a group less": lambda a: replace(a, groups=without(a.groups, max(a.groups))),
    "a group that is a dataset": lambda a: replace(
        a, groups={**a.groups, inside(a): {}}, datasets=without(a.datasets, inside(a))
    ),
    "a dataset that is a group": lambda a: replace(
        a,
        groups=without(a.groups, max(a.groups)),
        datasets={**a.datasets, max(a.groups): a.datasets[inside(a)]},
    ),
    "another type": lambda a: replace(
        a, datasets=with_one_changed(a.datasets, in_chunks(a), dtype=np.dtype("<u8"))
    ),
    "another shape": lambda a: replace(a, datasets=with_one_changed(a.datasets, inside(a), shape=(1,))),
    "other chunks": lambda a: replace(
        a, datasets=with_one_changed(a.datasets, in_chunks(a), chunks=((4000, 20),))
    ),
    "another number of attributes": lambda a: replace(
        a, groups={**a.groups, "/": {"format": b"synthrelease"}}
    ),
}


def with_attributes(anatomy, path, **attributes):
    known = anatomy.datasets[path]
    changed = {name: value for name, value in {**known.attributes, **attributes}.items() if value}
    return replace(anatomy, datasets={**anatomy.datasets, path: replace(known, attributes=changed)})


def with_form(anatomy, path, **form):
    return replace(anatomy, datasets=with_one_changed(anatomy.datasets, path, **form))


DESCRIBED_OTHERWISE = {
    "an attribute less": lambda a: with_attributes(a, MAP, role=""),
    "an attribute more": lambda a: with_attributes(a, MAP, units="px"),
    "an attribute of another value": lambda a: with_attributes(a, MAP, role="noisy"),
    "an axis less": lambda a: with_form(a, MAP, scales=a.datasets[MAP].scales[:-1]),
    "axes in another order": lambda a: with_form(a, MAP, scales=a.datasets[MAP].scales[::-1]),
    "no axes": lambda a: with_form(a, MAP, scales=()),
    "a scale of another name": lambda a: with_form(a, SCALE, axis="recording"),
    "a scale that is none": lambda a: with_form(a, SCALE, axis=""),
    "a dataset that is a scale": lambda a: with_form(a, MAP, axis="stimulus"),
    "longer labels": lambda a: with_form(a, SCALE, dtype=np.dtype("S7")),
}


@pytest.mark.parametrize("what", OTHERWISE)
def test_whatever_the_library_sees_otherwise_is_told(what):
    with BundleFile(BUNDLE) as file:
        assert disagreements(file) == []
        file.anatomy = OTHERWISE[what](file.anatomy)
        assert disagreements(file)


@pytest.mark.parametrize("what", DESCRIBED_OTHERWISE)
def test_whatever_the_library_sees_otherwise_of_axes_and_attributes_is_told(what):
    with BundleFile(BUNDLE) as file:
        assert disagreements(file) == []
        file.anatomy = DESCRIBED_OTHERWISE[what](file.anatomy)
        assert disagreements(file)


def test_what_the_library_sees_otherwise_is_a_finding(monkeypatch):
    assert examination.examine(BUNDLE).ok
    monkeypatch.setattr(
        structure_examination, "disagreements", lambda _: ["/x: the HDF5 library sees another dataset"]
    )
    (finding,) = examination.examine(BUNDLE).findings
    assert finding.code == "structure"
