"""Attributes: numbered categories of values and labels, what stands for a missing one, and the way back."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kstest

from synthrelease.data.attribute import Attribute
from synthrelease.numerics import binning
from synthrelease.numerics.binning import public_fractions, spread_within

PUPIL = Attribute("pupil_mm", 6, None, 2.0, 8.0)
GAPPY = Attribute("pupil_mm", 7, None, 2.0, 8.0, missing=True)
GROUP = Attribute("group", 3, ("control", "patient", "other"))
UNTOLD = Attribute("group", 4, ("control", "patient", "other"), missing=True)
ALL = {"bins": PUPIL, "bins and missing": GAPPY, "labels": GROUP, "labels and missing": UNTOLD}
every = pytest.mark.parametrize("attribute", ALL.values(), ids=ALL.keys())


@st.composite
def binned(draw: st.DrawFn) -> Attribute:
    low = draw(st.floats(-1e6, 1e6))
    bins, missing = draw(st.integers(1, 40)), draw(st.booleans())
    high = low + draw(st.floats(1e-3, 1e6))
    return Attribute("a", bins + missing, None, low, high, missing)


# --- values


@given(attribute=binned(), data=st.data())
def test_a_value_lies_between_the_edges_of_its_category(attribute: Attribute, data: st.DataObject) -> None:
    assert attribute.low is not None
    assert attribute.high is not None
    bins = attribute.categories - attribute.missing
    column = np.array(data.draw(st.lists(st.floats(attribute.low, attribute.high), min_size=1, max_size=20)))
    edges, found = attribute.edges, attribute.encoded(column)
    assert (edges.size, edges[0], edges[-1]) == (bins + 1, attribute.low, attribute.high)
    np.testing.assert_allclose(np.diff(edges), (attribute.high - attribute.low) / bins, rtol=1e-4)
    assert found.dtype == attribute.number_type
    assert (found >= 0).all()
    assert (found < bins).all()
    assert (edges[found] <= column).all()
    assert ((column < edges[found + 1]) | (found == bins - 1)).all()


def test_a_value_on_an_edge_belongs_to_the_bin_above_and_the_last_one_to_the_last() -> None:
    assert PUPIL.edges.tolist() == [2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]
    column = np.array([2.0, 2.999, 3.0, 6.999, 7.0, 8.0])
    assert PUPIL.encoded(column).tolist() == GAPPY.encoded(column).tolist() == [0, 0, 1, 4, 5, 5]


@pytest.mark.parametrize(("attribute", "code"), [(PUPIL, -1), (GAPPY, 6)])
def test_a_missing_value_has_a_category_of_its_own_or_none(attribute: Attribute, code: int) -> None:
    column = np.array([math.nan, 2.5, math.nan, 8.0])
    assert attribute.encoded(column).tolist() == [code, 0, code, 5]


@given(attribute=binned(), data=st.data())
def test_values_of_categories_lie_in_them_and_a_missing_one_has_none(
    attribute: Attribute, data: st.DataObject
) -> None:
    """The way there and back: no bin is confused with another, and least of all with what is missing."""
    some = st.lists(st.integers(0, attribute.categories - 1), min_size=1, max_size=30)
    categories = np.array(data.draw(some), dtype=np.int32)
    values = attribute.values(categories)
    absent = attribute.missing & (categories == attribute.categories - 1)
    np.testing.assert_array_equal(np.isnan(values), absent)
    np.testing.assert_array_equal(attribute.encoded(values), categories)
    there = values[~absent]
    assert (there >= attribute.edges[0]).all()
    assert (there < attribute.edges[-1]).all()


def test_values_spread_evenly_over_their_bins_and_anyone_can_compute_them() -> None:
    """Fractions from the attribute's name and the row's number: nothing can be hidden in them."""
    categories = np.random.default_rng(0).integers(0, 6, 5000)
    values = PUPIL.values(categories)
    within = values - PUPIL.edges[categories]
    assert kstest(within, "uniform").pvalue > 1e-9
    assert kstest(within**1.2, "uniform").pvalue < 1e-9  # the control
    np.testing.assert_allclose(within, public_fractions("pupil_mm", 5000), rtol=0, atol=1e-14)
    np.testing.assert_array_equal(PUPIL.values(categories), values)
    # a missing value takes a row's number as any other: the values after it stay
    holes = np.where(np.arange(5000) % 3 == 0, 6, categories)
    np.testing.assert_array_equal(GAPPY.values(holes)[holes < 6], values[holes < 6])
    other = dataclasses.replace(PUPIL, name="pupil_px").values(categories)
    assert abs(np.corrcoef(within, other - PUPIL.edges[categories])[0, 1]) < 7 / math.sqrt(5000)


def test_fractions_are_those_of_splitmix64_in_however_many_blocks() -> None:
    """In Python's own integers, by the published constants (Steele, Lea & Flood 2014)."""
    rows, mask = 2 * binning._BLOCK + 5, 2**64 - 1
    found = public_fractions("pupil_mm", rows)
    offset = int.from_bytes(hashlib.sha256(b"pupil_mm").digest()[:8], "little")
    for row in (0, 1, binning._BLOCK - 1, binning._BLOCK, rows - 1):
        z = ((row + 1) * 0x9E3779B97F4A7C15 + offset) & mask
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        assert found[row] == ((z ^ (z >> 31)) >> 11) / 2**53
    categories = np.random.default_rng(3).integers(0, 7, rows).astype(np.int8)
    together = GAPPY.values(categories)
    inside = spread_within(np.minimum(categories, 5).astype(np.int64), GAPPY.edges, found)
    np.testing.assert_array_equal(together, np.where(categories < 6, inside, np.nan))


@pytest.mark.parametrize(("categories", "bits"), [(1, 8), (128, 8), (129, 16), (32768, 16), (32769, 32)])
@pytest.mark.parametrize("missing", [False, True])
def test_numbers_of_categories_are_of_the_smallest_type_with_room_for_all(
    categories: int, bits: int, *, missing: bool
) -> None:
    attribute = Attribute("a", categories + missing - missing * (categories > 1), None, 0.0, 1.0, missing)
    bins = attribute.categories - missing
    middles = np.append((np.arange(bins) + 0.5) / bins, [math.nan] * missing)
    found = attribute.encoded(middles)
    assert found.tolist() == list(range(bins)) + [bins] * missing
    assert found.dtype.itemsize * 8 == bits
    values = attribute.values(found)
    np.testing.assert_array_equal(np.isnan(values), np.isnan(middles))
    np.testing.assert_array_equal(attribute.encoded(values), found)


def test_values_of_nothing_are_nothing() -> None:
    nothing = np.empty(0, dtype=np.int64)
    assert PUPIL.encoded(np.empty(0)).tolist() == PUPIL.values(nothing).tolist() == []
    assert GROUP.encoded(nothing).tolist() == []


# --- labels


@pytest.mark.parametrize(("attribute", "code"), [(GROUP, -1), (UNTOLD, 3)])
def test_labels_are_their_numbers_and_a_missing_one_has_a_category_or_none(
    attribute: Attribute, code: int
) -> None:
    found = attribute.encoded(np.array([2, -1, 0, 1, -1]))
    assert found.tolist() == [2, code, 0, 1, code]
    assert found.dtype == attribute.number_type


@every
def test_the_argument_is_left_alone(attribute: Attribute) -> None:
    column = np.array([-1, 0, 2]) if attribute.labels else np.array([math.nan, 2.0, 8.0])
    before = column.copy()
    attribute.encoded(column)
    np.testing.assert_array_equal(column, before)


# --- the manifest's form


@every
def test_json_brings_an_attribute_back(attribute: Attribute) -> None:
    form = json.loads(json.dumps(attribute.to_json(), allow_nan=False))
    assert Attribute.from_json(form) == attribute
    assert set(form) == {"name", "categories", "labels", "low", "high", "missing", "unit", "title"}


@given(attribute=binned())
def test_json_brings_bounds_back_to_the_last_bit(attribute: Attribute) -> None:
    again = Attribute.from_json(json.loads(json.dumps(attribute.to_json())))
    assert again == attribute
    np.testing.assert_array_equal(again.edges, attribute.edges)


@every
@pytest.mark.parametrize("missing", ["name", "categories", "labels"])
def test_a_form_without_a_needed_field_is_refused(attribute: Attribute, missing: str) -> None:
    form = attribute.to_json()
    del form[missing]
    with pytest.raises((KeyError, TypeError)):
        Attribute.from_json(form)


@every
def test_a_form_with_an_unknown_field_is_refused(attribute: Attribute) -> None:
    with pytest.raises(TypeError, match="secret"):
        Attribute.from_json({**attribute.to_json(), "secret": 1})


@every
def test_an_attribute_is_frozen_and_a_value(attribute: Any) -> None:
    for field in dataclasses.fields(attribute):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(attribute, field.name, getattr(attribute, field.name))
    assert hash(dataclasses.replace(attribute)) == hash(attribute)
