"""Clipping to a ball: the bound holds in integers, and no one's row depends on another's."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from synthrelease.numerics.ball import clip_to_ball

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Integers = NDArray[np.int64]

HAIR = Fraction(1, 10**11)


def squared(row: list[int]) -> int:
    """Σ z² in Python's integers."""
    return sum(z * z for z in row)


@st.composite
def batches(draw: st.DrawFn) -> tuple[Integers, int]:
    """Rows of one magnitude or another, and a radius near their norms, at them, or anywhere."""
    columns = draw(st.integers(1, 6))
    magnitude = draw(st.sampled_from([3, 100, 2**15, 2**20, 2**29]))
    row = st.lists(st.integers(-magnitude, magnitude), min_size=columns, max_size=columns)
    rows = draw(st.lists(row, min_size=1, max_size=6))
    norm = math.isqrt(squared(rows[0]))
    radius = draw(
        st.one_of(
            st.integers(0, 2 * magnitude),
            st.integers(-1, 2).map(lambda more: max(norm + more, 0)),
            st.integers(1, 50).map(lambda part: norm // part),
        )
    )
    return np.array(rows, dtype=np.int64), radius


@given(batch=batches())
@example(batch=(np.array([[3, 4], [6, 8], [30, 40]]), 5))  # multiples of a lattice point on the sphere
@example(batch=(np.array([[2**30, 0], [0, -(2**30)], [2**29, 2**29]]), 2**29))
@example(
    batch=(np.array([[49 * 119, 49 * 120]]), 169)
)  # 119² + 120² = 169²: the float factor may be too large
def test_every_row_lies_in_the_ball_exactly(batch: tuple[Integers, int]) -> None:
    vectors, radius = batch
    clipped = clip_to_ball(vectors, radius)
    assert clipped.dtype == np.int64
    assert clipped.shape == vectors.shape
    assert all(squared(row) <= radius * radius for row in clipped.tolist())


@pytest.mark.thorough
def test_lattice_points_on_the_sphere_are_reached_and_never_passed() -> None:
    """Multiples of Pythagorean vectors: exact division lands on the sphere, an ulp more lands outside."""
    triples = [(m * m - n * n, 2 * m * n, m * m + n * n) for m in range(2, 60) for n in range(1, m)]
    for factor in (2, 3, 7, 10, 49, 1001):
        for radius in {c for _, _, c in triples}:
            rows = np.array([(a * factor, -b * factor) for a, b, c in triples if c == radius])
            clipped = clip_to_ball(rows, radius)
            assert all(squared(row) <= radius * radius for row in clipped.tolist())
            assert np.abs(clipped * factor - rows).max() <= factor  # at most a step short


@pytest.mark.parametrize(
    ("p", "times"),
    [(2**15, 1), (2**15, 2), (2**15 - 2, 2), (30_000, 2), (44_720, 1), (2**13, 3), (2**13, 31)],
)
def test_what_the_float_factor_leaves_outside_is_brought_in(p: int, times: int) -> None:
    """p² + (p²/2 − 1)² = (p²/2)² + 1: so little outside that the factor rounds to the lattice point itself."""
    q, radius = p * p // 2 - 1, p * p // 2
    point = np.array([p, -q])
    assert squared(point.tolist()) == radius**2 + 1
    clipped = clip_to_ball(times * point[None], radius)[0]
    assert squared(clipped.tolist()) <= radius**2
    assert np.abs(point - clipped).max() <= 1  # and no further in than a step


def test_the_control_the_float_factor_alone_leaves_a_point_outside() -> None:
    point = np.array([2**15, 2**29 - 1])
    factor = 2**29 / np.sqrt(np.float64(squared(point.tolist())))
    assert squared(np.trunc(point * factor).astype(int).tolist()) > 2**58


@given(batch=batches())
def test_entries_shrink_toward_zero_in_proportion(batch: tuple[Integers, int]) -> None:
    vectors, radius = batch
    for before, after in zip(vectors.tolist(), clip_to_ball(vectors, radius).tolist(), strict=True):
        size = squared(before)
        for z, c in zip(before, after, strict=True):
            assert abs(c) <= abs(z)
            assert c * z >= 0
            if size > radius * radius:
                # cut, not rounded: |z|·C/‖z‖ − 1 < |c| ≤ |z|·C/‖z‖, but for the last bits of the float factor
                ideal = Fraction(z * z * radius * radius, size)
                assert c * c <= ideal * (1 + HAIR)
                assert (abs(c) + 1) ** 2 > ideal * (1 - HAIR)


@given(batch=batches())
def test_a_row_inside_is_untouched(batch: tuple[Integers, int]) -> None:
    vectors, radius = batch
    for before, after in zip(vectors.tolist(), clip_to_ball(vectors, radius).tolist(), strict=True):
        if squared(before) <= radius * radius:
            assert after == before


@given(batch=batches(), data=st.data())
def test_rows_are_independent(batch: tuple[Integers, int], data: st.DataObject) -> None:
    vectors, radius = batch
    together = clip_to_ball(vectors, radius)
    for number, row in enumerate(vectors):
        np.testing.assert_array_equal(clip_to_ball(row[None], radius)[0], together[number])
    order = data.draw(st.permutations(range(len(vectors))))
    np.testing.assert_array_equal(clip_to_ball(vectors[order], radius), together[order])


def test_rows_are_independent_in_large_batches() -> None:
    rng = np.random.default_rng(0)
    vectors = rng.integers(-(2**20), 2**20, (500, 37))
    together = clip_to_ball(vectors, 2**21)
    for size in (1, 2, 7, 64, 499):
        parts = [clip_to_ball(vectors[at : at + size], 2**21) for at in range(0, 500, size)]
        np.testing.assert_array_equal(np.concatenate(parts), together)


@given(batch=batches())
def test_clipping_twice_is_clipping_once(batch: tuple[Integers, int]) -> None:
    vectors, radius = batch
    once = clip_to_ball(vectors, radius)
    np.testing.assert_array_equal(clip_to_ball(once, radius), once)


def test_the_argument_is_left_alone_and_the_result_is_no_view_of_it() -> None:
    vectors = np.array([[30, 40], [1, 1]])
    clipped = clip_to_ball(vectors, 5)
    assert vectors.tolist() == [[30, 40], [1, 1]]
    clipped[1, 1] = 9
    assert vectors[1, 1] == 1


def test_a_ball_without_extent_leaves_only_zero() -> None:
    rows = np.array([[0, 0, 0], [1, 0, 0], [-5, 3, 2], [2**30, 0, 0]])
    assert not clip_to_ball(rows, 0).any()


@pytest.mark.parametrize("shape", [(0, 4), (3, 0), (0, 0)])
def test_nothing_is_clipped_to_nothing(shape: tuple[int, int]) -> None:
    assert clip_to_ball(np.zeros(shape, dtype=np.int64), 3).shape == shape


@pytest.mark.parametrize(
    ("rows", "radius"),
    [
        ([[2**31]], 5),
        ([[-(2**31)]], 5),
        ([[2**30] * 4], 5),
        ([[0, 0], [2**31, 0]], 5),
        ([[2**62, 1]], 5),
        ([[2**63 - 1]], 5),
        ([[-(2**63) + 1]], 5),
        ([[1]], 2**31),
        ([[1]], 2**40),
    ],
)
def test_squares_that_could_leave_64_bits_are_refused(rows: list[list[int]], radius: int) -> None:
    with pytest.raises(OverflowError, match=r"\b64\b"):
        clip_to_ball(np.array(rows, dtype=np.int64), radius)


@pytest.mark.parametrize("owner", [None, np.array([0, 0, 1])])
def test_whether_it_is_refused_hangs_on_norms_and_not_on_one_large_entry_beside_many(
    owner: Integers | None,
) -> None:
    """A person all of whose series are at their bounds has one large coefficient: no one may be refused for it."""
    vectors = np.zeros((3, 1 << 16), dtype=np.int64)
    vectors[:, 0] = 2**28, 5, 7
    large, *others = clip_to_ball(vectors, 2**20, owner)[:, 0].tolist()
    assert 2**20 - 1 <= large <= 2**20
    assert others == [5 if owner is None else 0, 7]


@pytest.mark.parametrize("row", [[-(2**63)], [-(2**63), 5]])
def test_the_least_integer_is_refused_like_its_neighbour(row: list[int]) -> None:
    with pytest.raises(OverflowError, match=r"\b64\b"):
        clip_to_ball(np.array([row], dtype=np.int64), 10)


@pytest.mark.parametrize(
    ("row", "radius"), [([2**31 - 1], 5), ([2**30 - 1] * 4, 2**31 - 1), ([2**30, -(2**30)], 2**30)]
)
def test_just_below_64_bits_the_bound_still_holds(row: list[int], radius: int) -> None:
    clipped = clip_to_ball(np.array([row], dtype=np.int64), radius).tolist()[0]
    assert squared(clipped) <= radius * radius
    assert squared([abs(z) + 1 for z in clipped]) > radius * radius
