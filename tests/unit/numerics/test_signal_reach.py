"""How far series reach: what frequencies leave out of them, and their differences, against every corner of the box."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from slow_signals import H, corners, followed, full, some_series

from synthrelease.numerics.fourier import basis, coefficient_count
from synthrelease.numerics.signal_form import CFPA, DCFPA, FPA, SignalForm, _of_differences

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

FORMS = [
    SignalForm(FPA, 9, frequencies=3),
    SignalForm(FPA, 10, frequencies=6),
    SignalForm(CFPA, 24, 8, 3),
    SignalForm(CFPA, 21, 8, 5),
    SignalForm(DCFPA, 21, 8, 5),
    SignalForm(DCFPA, 9, 4, 1),
]


# --- what frequencies leave out


def over_time(form: SignalForm, integers: Numbers, k: int) -> Numbers:
    """What the lowest k frequencies leave out of every step of series that the form has at full band: the whole less what is kept."""
    fewer, kept, start = replace(form, frequencies=k), [], 0
    for part, few in zip(form.parts, fewer.parts, strict=True):
        for _ in range(part.chunks):
            kept.append(integers[:, start : start + few.count])
            start += part.count
    return form.series(integers) - fewer.series(np.concatenate(kept, axis=1))


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_what_is_left_out_is_the_whole_less_what_is_kept(form: SignalForm) -> None:
    whole = full(form)
    integers = whole.integers(some_series(form.length), clipped=False)
    for k in range(1, (form.chunk or form.length) // 2 + 2):
        found, expected = whole.left_out(integers, k), over_time(whole, integers, k)
        assert found.dtype == np.int64
        if form.mechanism == DCFPA:  # over time; cut toward zero
            assert np.abs(found - expected).max() < 1.01
            assert (np.abs(found) <= np.abs(expected) + 0.01).all()
        else:  # coefficients, which have the norm of the series
            norms = (np.linalg.norm(one, axis=1) for one in (found, expected))
            np.testing.assert_allclose(*norms, atol=1e-8 * H)
    assert not whole.left_out(integers, (form.chunk or form.length) // 2 + 1).any()


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_what_is_left_out_of_a_series_depends_on_no_other(form: SignalForm) -> None:
    whole = full(form)
    integers = whole.integers(some_series(form.length, people=30), clipped=False)
    together = whole.left_out(integers, 1)
    for one, alone in zip(together, integers, strict=True):
        np.testing.assert_array_equal(one, whole.left_out(alone[None], 1)[0])


@pytest.mark.parametrize(
    ("mechanism", "length", "chunk"),
    [
        (mechanism, length, chunk)
        for mechanism in (FPA, CFPA, DCFPA)
        for length, chunk in ((1, 1), (2, 2), (5, 5), (8, 8), (11, 11), (9, 4), (12, 5), (12, 3))
        if mechanism != FPA or chunk == length
    ],
)
def test_no_corner_leaves_out_more_than_the_reach_and_some_leave_out_much_of_it(
    mechanism: str, length: int, chunk: int
) -> None:
    form = full(SignalForm(mechanism, length, None if mechanism == FPA else chunk, 1))
    integers = form.integers(corners(length), clipped=False)
    inside = form.integers(some_series(length, people=100), clipped=False)
    for k in range(1, chunk // 2 + 2):
        reach = form.left_out_reach(k)
        longest = np.linalg.norm(form.left_out(integers, k), axis=1).max()
        assert longest <= reach
        assert np.linalg.norm(form.left_out(inside, k), axis=1).max() <= reach
        assert longest >= 0.8 * reach or coefficient_count(chunk, k) == chunk


@pytest.mark.parametrize("mechanism", [FPA, DCFPA])
@pytest.mark.parametrize("length", [8, 9, 12])
def test_the_reach_of_what_is_left_out_counts_how_integers_were_cut(mechanism: str, length: int) -> None:
    """Beside H·√L·‖M‖₂ or H·√(Σ_t ‖M_t‖₁²), M what is left out of a series whose coefficients are no integers."""
    form = full(SignalForm(mechanism, length, length if mechanism == DCFPA else None, 1))
    series = some_series(length, people=400)
    integers = form.integers(series, clipped=False)
    ones = np.diff(np.eye(length), axis=1, prepend=0.0) if mechanism == DCFPA else np.eye(length)
    for k in range(1, length // 2 + 1):
        left = over_time(form, ones @ basis(length, length // 2 + 1).T, k)
        plain = H * min(math.sqrt(length) * np.linalg.norm(left, 2), np.linalg.norm(np.abs(left).sum(axis=0)))
        cut = np.linalg.norm(over_time(form, integers, k) - series @ left, axis=1).max()
        assert 0.1 < cut < form.left_out_reach(k) - plain < 40 * cut
    assert form.left_out_reach(length // 2 + 1) == 0.0


# --- how far differences reach


def reach(length: int, frequencies: int, limit: int | None = None) -> int:
    return SignalForm(DCFPA, length, length, frequencies, limit).parts[0].radius


@pytest.mark.parametrize("length", range(1, 13))
def test_no_corner_is_longer_than_differences_reach(length: int) -> None:
    """‖BDx‖ is convex: what no corner of the box exceeds, no series does."""
    x = corners(length)
    inside = some_series(length, people=100)
    for k in range(1, length // 2 + 2):
        rows = basis(length, k)
        for series in (x, inside):
            coefficients = np.diff(series, axis=1, prepend=0) @ rows.T
            longest = float(np.linalg.norm(coefficients, axis=1).max())
            assert longest <= reach(length, k) * (1 + 1e-12)
        at_corners = np.linalg.norm(np.diff(x, axis=1, prepend=0) @ rows.T, axis=1).max()
        assert at_corners >= 0.8 * (reach(length, k) - 1)
        np.testing.assert_allclose(
            x @ _of_differences(length, k).T, np.diff(x, axis=1, prepend=0) @ rows.T, atol=1e-7
        )


@pytest.mark.parametrize("length", [1, 2, 3, 8, 9, 12, 32, 64, 127])
def test_at_full_band_the_alternating_series_attains_the_reach(length: int) -> None:
    k = length // 2 + 1
    alternating = H * np.where(np.arange(length) % 2, -1.0, 1.0)
    coefficients = basis(length, k) @ np.diff(alternating, prepend=0.0)
    longest = H * math.sqrt(4 * length - 3)
    assert np.linalg.norm(coefficients) == pytest.approx(longest, rel=1e-9)
    assert reach(length, k) == math.isqrt(H * H * (4 * length - 3) - 1) + 1


@pytest.mark.parametrize("length", [2, 5, 8, 12, 32])
@pytest.mark.parametrize("limit", [1, 100, 3000, H, 2 * H])
def test_under_a_limit_the_reach_is_that_of_the_largest_changes_and_attained(length: int, limit: int) -> None:
    """From −H up by b and down again."""
    k = length // 2 + 1
    series = np.where(np.arange(length) % 2, -H + limit, -H)
    form = SignalForm(DCFPA, length, length, k, limit)
    np.testing.assert_array_equal(followed(series[None], form)[0], series)
    coefficients = basis(length, k) @ np.diff(series, prepend=0).astype(np.float64)
    squared = H * H + (length - 1) * limit**2
    assert np.linalg.norm(coefficients) == pytest.approx(math.sqrt(squared), rel=1e-9)
    assert reach(length, k, limit) == math.isqrt(squared - 1) + 1
    (found,) = form.integers(series[None])
    assert np.linalg.norm(found) >= math.sqrt(squared) - 1.001 * math.sqrt(length)


@pytest.mark.parametrize("limit", [50, 3000, 40_000])
def test_no_series_under_a_limit_is_longer_than_the_reach(limit: int) -> None:
    for length, k in itertools.product((4, 9), (1, 2, 3)):
        form = SignalForm(DCFPA, length, length, k, limit)
        series = np.concatenate([corners(length), some_series(length, people=100)])
        changes = np.diff(followed(series, form), axis=1, prepend=0)
        longest = np.linalg.norm(changes @ basis(length, k).T, axis=1).max()
        assert longest <= reach(length, k, limit) * (1 + 1e-12)


def test_a_chunk_too_long_for_its_own_matrix_is_given_the_plainer_bound() -> None:
    plain = math.isqrt(H * H * (4 * 4096 - 3) - 1) + 1
    assert reach(4096, 1000) == plain
    assert reach(4096, 4) < plain / 10
