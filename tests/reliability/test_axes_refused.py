"""Axes, references, attributes, labels, heaps and chunks, forged and sealed anew; each is refused.

The corpus of hostile files has most of what breaks the structure; here it is opened as well as verified.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from forging import codes, forge_carefully, put_forms, put_values, told
from hostile import CORPUS, seal
from layouts import layout
from refusals import refused

import synthrelease
from synthrelease.bundle.examination import examine
from synthrelease.bundle.layout import USER_BLOCK
from synthrelease.bundle.strict_hdf5.anatomy import Form
from synthrelease.errors import BundleError

STILL, VISITS = "/outputs/still", "/outputs/visits"
STRUCTURAL = [
    "an axis without a reference",
    "an axis with two scales",
    "an axis that refers to nothing",
    "an axis that refers to a group",
    "an axis that refers to its dataset",
    "a scale of itself",
    "a scale that stands along nothing",
    "a scale that leaves a dataset out",
    "a scale that names a dataset twice",
    "a scale that names datasets in another order",
    "a scale that names another axis",
    "a scale that names what it does not stand along",
    "an attribute of a dataset that there is not",
    "a role with words behind its end",
    "a name of a scale with words behind its end",
    "labels in ASCII",
    "labels that end with a zero",
    "a heap whose references begin with the second",
    "a reference that is counted",
    "two references to one scale",
    "words in a heap",
    "a reference too many",
]


@pytest.fixture(scope="module", autouse=True)
def _honest() -> None:
    """They are built before anything of the writer is exchanged."""
    layout("maps")
    layout("areas")


@pytest.fixture
def maps(tmp_path: Path) -> Path:
    (tmp_path / "r.h5").write_bytes(layout("maps").raw)
    return tmp_path / "r.h5"


@pytest.fixture
def areas(tmp_path: Path) -> Path:
    (tmp_path / "r.h5").write_bytes(layout("areas").raw)
    return tmp_path / "r.h5"


def places(path: Path) -> set[tuple[str, str]]:
    return {(one.code, one.where) for one in examine(path, allow_test_seed=True).findings}


@pytest.mark.parametrize("name", STRUCTURAL)
def test_open_bundle_refuses_what_breaks_the_structure(tmp_path: Path, name: str) -> None:
    CORPUS[name](tmp_path / "r.h5")
    assert codes(tmp_path / "r.h5") == {"structure"}
    with refused(BundleError, "bundle-invalid", where=tmp_path / "r.h5"):
        synthrelease.open_bundle(tmp_path / "r.h5")


# --- axes and attributes


def along(*scales: str) -> Callable[[Form], Form]:
    return lambda form: replace(form, scales=scales)


def attributes(*without: str, **values: str) -> Callable[[Form], Form]:
    def change(form: Form) -> Form:
        kept = {name: value for name, value in form.attributes.items() if name not in without}
        return replace(form, attributes={**kept, **values})

    return change


def test_scales_that_are_alike_are_not_exchanged(areas: Path) -> None:
    """Areas that were left and areas that were looked at next have the same labels, and are as many."""
    path = f"{VISITS}/transitions/shares"
    scales = (f"{VISITS}/stimulus", f"{VISITS}/to_area", f"{VISITS}/from_area")
    assert sorted(layout("areas").anatomy.datasets[path].scales) == sorted(scales)
    put_forms(areas, {path: along(*scales)})
    assert places(areas) == {("derived", path)}


def test_an_axis_lies_along_no_other_scale_of_its_labels(areas: Path) -> None:
    path = f"{VISITS}/dwell/shares"
    put_forms(areas, {path: along(f"{VISITS}/stimulus", f"{VISITS}/from_area")})
    assert places(areas) == {("derived", path)}


@pytest.mark.parametrize(
    ("place", "change"),
    [
        ("heatmap", attributes("role")),
        ("heatmap", attributes("long_name")),
        ("heatmap", attributes(role="uncertainty")),
        ("heatmap", attributes(units="px")),
        ("heatmap", attributes(long_name="relative fixation density (1 = uniform) ")),
        ("normalization", attributes("units")),
        ("normalization", attributes(units="person")),
        ("y_px", attributes("units")),
        ("y_px", attributes(units="mm")),
        ("y_px", attributes(role="coordinate")),
        ("x_px", lambda form: replace(form, axis="y_px")),
        ("noisy", lambda form: replace(form, axis="noisy")),
    ],
)
def test_datasets_say_of_themselves_what_the_parameters_call_for(
    maps: Path, place: str, change: Callable[[Form], Form]
) -> None:
    put_forms(maps, {f"{STILL}/{place}": change})
    assert places(maps) == {("derived", f"{STILL}/{place}")}


# --- labels and coordinates


@pytest.mark.parametrize(
    "change",
    [
        lambda labels: labels[::-1],
        lambda labels: labels[[0, 0]],
        lambda labels: labels[:1],
        lambda labels: labels[[0, 1, 1]],
        np.char.upper,
        lambda labels: np.array([b"%2E" + labels[0][3:], labels[1]]),
        lambda labels: labels.astype(f"S{labels.itemsize + 1}"),
    ],
    ids=["reordered", "duplicated", "fewer", "more", "changed", "quoted", "with room"],
)
def test_labels_are_those_of_the_manifest(maps: Path, change: Callable[[Any], Any]) -> None:
    put_values(maps, {f"{STILL}/stimulus": change})
    assert places(maps) == {("derived", f"{STILL}/stimulus")}


def test_labels_that_stand_twice_with_all_that_follows(maps: Path) -> None:
    """Of two maps of one label no one knows which is which."""
    forge_carefully(maps, told("still", stimuli=["garden", "garden"]))
    assert "manifest" in codes(maps)


@pytest.mark.parametrize(
    ("axis", "change"),
    [
        ("y_px", lambda y: y + (y[1] - y[0]) / 2),
        ("y_px", lambda y: y - (y[1] - y[0]) / 2),
        ("y_px", lambda y: y[::-1]),
        ("y_px", lambda y: y.astype(np.float32)),
        ("y_px", lambda y: np.rint(y).astype(np.int32)),
        ("y_px", lambda y: np.append(y[:-1], np.nextafter(y[-1], 0))),
        ("coefficient", lambda numbers: numbers + 1),
        ("coefficient", lambda numbers: numbers[::-1]),
    ],
    ids=[
        "upper edges",
        "lower edges",
        "upside down",
        "fewer digits",
        "whole pixels",
        "a last bit",
        "from 1",
        "backwards",
    ],
)
def test_coordinates_are_the_middles_of_cells_and_numbers_from_0(
    maps: Path, axis: str, change: Callable[[Any], Any]
) -> None:
    put_values(maps, {f"{STILL}/{axis}": change})
    assert places(maps) == {("derived", f"{STILL}/{axis}")}


# --- values that stand elsewhere


def test_a_map_that_is_transposed_together_with_its_axes(maps: Path) -> None:
    path = f"{STILL}/heatmap"
    put_values(maps, {path: lambda values: values.transpose(0, 2, 1)})
    put_forms(maps, {path: along(f"{STILL}/stimulus", f"{STILL}/x_px", f"{STILL}/y_px")})
    assert places(maps) == {("derived", path)}


@pytest.mark.parametrize("path", [f"{VISITS}/transitions/shares", f"{VISITS}/transitions/noisy"])
def test_moves_that_are_transposed(areas: Path, path: str) -> None:
    """They are as many in either direction, so that the shape is none the wiser."""
    put_values(areas, {path: lambda values: values.transpose(0, 2, 1)})
    assert places(areas) == {("derived", f"{VISITS}/transitions/shares")}


@pytest.mark.parametrize("path", [f"{STILL}/heatmap", f"{STILL}/noisy", f"{STILL}/normalization"])
def test_items_in_another_order(maps: Path, path: str) -> None:
    """The map of one stimulus under the label of the other."""
    put_values(maps, {path: lambda values: values[::-1]})
    assert "derived" in codes(maps)


# --- the heap


def test_every_byte_of_a_heap_is_accounted_for(maps: Path) -> None:
    """Of its head, of the references and what stands before them, and of the room behind them."""
    raw = layout("maps").raw
    heaps = [one for one in layout("maps").anatomy.regions if one.structure.kind == "references"]
    assert heaps
    for heap in heaps:
        for place in [
            *range(heap.start, heap.start + 88, 3),
            *range(heap.start + 88, heap.stop, 211),
            heap.stop - 1,
        ]:
            body = bytearray(raw[USER_BLOCK:])
            body[place - USER_BLOCK] ^= 1
            seal(maps, bytes(body))
            assert codes(maps) == {"structure"}, place - heap.start
