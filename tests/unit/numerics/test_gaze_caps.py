"""All caps at once against the paper's loop over dense maps, in Python integers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import bad_argument

from synthrelease.numerics.gaze_caps import excess_norms


def nonzero(maps):
    """The counts of dense maps, shape (people, pixels), that are not zero: which pixel, how many."""
    _, pixel = np.nonzero(maps)
    return pixel.astype(np.int64), maps[maps != 0].astype(np.int64)


def by_the_definition(maps, caps):
    return tuple(
        sum(sum(max(0, int(c) - m) for c in column) ** 2 for column in maps.T.tolist()) for m in caps
    )


@st.composite
def studies(draw):
    people, pixels = draw(st.integers(1, 6)), draw(st.integers(1, 8))
    counts = st.one_of(st.just(0), st.integers(0, 4), st.integers(0, 10**6))
    row = st.lists(counts, min_size=pixels, max_size=pixels)
    maps = np.array(draw(st.lists(row, min_size=people, max_size=people)), dtype=np.int64)
    caps = sorted(draw(st.sets(st.one_of(st.integers(0, 6), st.integers(0, 2 * 10**6)), max_size=8)))
    return maps, caps


@given(studies(), st.integers(0, 2**31))
def test_one_pass_gives_the_norms_of_dense_maps(study, seed):
    maps, caps = study
    pixel, count = nonzero(maps)
    order = np.random.default_rng(seed).permutation(len(pixel))
    numbering = np.random.default_rng(seed).permutation(2 * maps.shape[1])  # pixels have any numbers
    assert excess_norms(numbering[pixel][order], count[order], caps) == by_the_definition(maps, caps)


@given(studies())
def test_equal_counts_may_be_given_once_with_the_number_of_their_people(study):
    maps, caps = study
    pixel, count = nonzero(maps)
    pairs, people = np.unique(np.stack([pixel, count]), axis=1, return_counts=True)
    assert excess_norms(*pairs, caps, people=people) == by_the_definition(maps, caps)


def test_norms_written_out_by_hand():
    """Pixel 7 is looked at 3 and 1 times, pixel 2 five times: D_1 = (2, 4), D_2 = (1, 3), D_4 = (0, 1)."""
    pixel, count = np.array([7, 2, 7]), np.array([3, 5, 1])
    assert excess_norms(pixel, count, [0, 1, 2, 4, 5, 9]) == (16 + 25, 4 + 16, 1 + 9, 1, 0, 0)


def test_zero_counts_and_no_counts_cost_nothing():
    nothing = np.array([], dtype=np.int64)
    assert excess_norms(nothing, nothing, [1, 2]) == (0, 0)
    assert excess_norms(np.array([3, 4]), np.array([0, 2]), [0, 1]) == (4, 1)
    assert excess_norms(np.array([3]), np.array([2]), []) == ()


def test_norms_beyond_64_bits_are_exact():
    large = 2**61 - 1
    norms = excess_norms(np.array([0, 0, 5]), np.array([large, large, 3]), [1, large - 1])
    assert norms == ((2 * large - 2) ** 2 + 4, 4)
    assert norms[0] > 2**123


def test_a_sum_of_counts_beyond_64_bits_is_refused():
    with bad_argument(OverflowError, "2**63"):
        excess_norms(np.array([0, 1]), np.array([2**62, 2**62]), [1])
    assert excess_norms(np.array([0, 1]), np.array([2**62, 2**62 - 1]), [2**62 - 1]) == (1,)


@pytest.mark.parametrize(
    ("pixel", "count", "caps", "named"),
    [
        (np.array([1, 2]), np.array([1]), [1], ("(2,)", "(1,)")),
        (np.array([[1]]), np.array([[1]]), [1], ("(1, 1)",)),
        (np.array([1]), np.array([1.0]), [1], ("count", "float64")),
        (np.array([1], dtype=np.uint8), np.array([1]), [1], ("pixel", "uint8")),
        (np.array([1]), np.array([-1]), [1], ("count", 0)),
        (np.array([1]), np.array([1]), [2, 1], ("caps", "[2, 1]")),
        (np.array([1]), np.array([1]), [1, 1], ("caps", "[1, 1]")),
        (np.array([1]), np.array([1]), [-1, 1], ("caps", "[-1, 1]")),
    ],
)
def test_what_has_no_meaning_is_refused(pixel, count, caps, named):
    with bad_argument(ValueError, *named):
        excess_norms(pixel, count, caps)


@pytest.mark.parametrize("people", [[0, 1], [2**31, 1], [-1, 1]])
def test_a_number_of_people_that_cannot_be_is_refused(people):
    with bad_argument(ValueError, "people", "2**31"):
        excess_norms(np.array([1, 2]), np.array([1, 1]), [1], people=np.array(people))
