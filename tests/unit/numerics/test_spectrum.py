"""Cosine coefficients of points: those of the definition, exact in any company, the same at any resolution."""

from __future__ import annotations

import math
import tracemalloc
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.fft import dctn
from scipy.integrate import quad
from tiers import few

from synthrelease.numerics import spectrum
from synthrelease.numerics.spectrum import (
    LARGEST_BAND,
    POSITIONS,
    WEIGHT,
    Band,
    band,
    cosines,
    middles,
    point_coefficients,
    positions,
    rendered,
)

SQUARE, CUBE = band((0.3, 0.2), 1e-3), band((0.5, 0.4, 0.3), 1e-3)


def by_definition(places: np.ndarray, weights: np.ndarray, frequencies: Band) -> np.ndarray:
    """Σ w·Π c_k(s)/W at the middles of positions."""
    middle = (places + 0.5) / POSITIONS
    out = np.zeros(frequencies.count)
    for number, ks in enumerate(frequencies.frequencies.T):
        product = np.ones(places.shape[1])
        for k, s in zip(ks, middle, strict=True):
            product *= math.sqrt(2) * np.cos(math.pi * k * s) if k else 1.0
        out[number] = (weights * product).sum() / WEIGHT
    return out


def test_the_800_by_600_screen_with_24_px_has_952_frequencies_and_the_constant() -> None:
    assert band((24 / 600, 24 / 800), 1e-3).count == 953


def test_a_band_holds_what_the_blur_leaves_over_and_nothing_else() -> None:
    for frequencies, blurs in ((SQUARE, (0.3, 0.2)), (CUBE, (0.5, 0.4, 0.3))):
        left = {
            ks: math.exp(-0.5 * math.pi**2 * sum((k * b) ** 2 for k, b in zip(ks, blurs, strict=True)))
            for ks in np.ndindex(*(9,) * len(blurs))
        }
        kept = {
            tuple(int(k) for k in ks): h
            for ks, h in zip(frequencies.frequencies.T, frequencies.attenuation, strict=True)
        }
        assert kept == pytest.approx({ks: h for ks, h in left.items() if h >= 1e-3})
        assert tuple(frequencies.frequencies[:, 0]) == (0,) * len(blurs)


def test_the_band_depends_on_the_blur_relative_to_the_screen_alone() -> None:
    small, large = band((24 / 600, 24 / 800), 1e-3), band((96 / 2400, 96 / 3200), 1e-3)
    np.testing.assert_array_equal(small.frequencies, large.frequencies)


@pytest.mark.parametrize("blurs", [(0.0, 0.1), (1e-9, 0.1), (1e-4, 0.9), (1e-3, 1e-3), (1e-300, 1e-300)])
def test_a_blur_that_leaves_too_much_is_refused_before_memory_is_taken(blurs: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match=str(LARGEST_BAND)):
        band(blurs, 1e-3)


def test_cosines_are_orthonormal() -> None:
    for one in range(4):
        for other in range(4):
            product = quad(
                lambda s, a=one, b=other: cosines(4, np.array([s]))[0, a] * cosines(4, np.array([s]))[0, b],
                0,
                1,
            )
            assert product[0] == pytest.approx(float(one == other), abs=1e-12)


@pytest.mark.parametrize("frequencies", [SQUARE, CUBE], ids=["square", "cube"])
def test_coefficients_are_those_of_the_definition(frequencies: Band) -> None:
    rng = np.random.default_rng(0)
    places = rng.integers(0, POSITIONS, (len(frequencies.box), 50))
    weights = rng.multinomial(WEIGHT, np.full(50, 1 / 50))
    found = point_coefficients(places, weights, frequencies)
    np.testing.assert_allclose(
        found, by_definition(places, weights, frequencies), atol=3e-3 if len(places) > 2 else 1e-4
    )
    assert found[0] == 1.0


@few
@given(seed=st.integers(0, 10**6), size=st.integers(1, 200))
def test_no_order_of_points_changes_a_bit(seed: int, size: int) -> None:
    rng = np.random.default_rng(seed)
    for frequencies in (SQUARE, CUBE):
        places = rng.integers(0, POSITIONS, (len(frequencies.box), size))
        weights = rng.multinomial(WEIGHT, rng.dirichlet(np.ones(size)))
        one = point_coefficients(places, weights, frequencies)
        turn = rng.permutation(size)
        np.testing.assert_array_equal(one, point_coefficients(places[:, turn], weights[turn], frequencies))


def test_sums_are_exact_at_their_largest() -> None:
    """All mass in the corner, where every cosine is √2, in points of weight 1: partial sums of all sizes."""
    for frequencies in (SQUARE, CUBE):
        axes = len(frequencies.box)
        many = np.zeros((axes, WEIGHT), dtype=np.int64)
        alone = point_coefficients(many[:, :1], np.array([WEIGHT]), frequencies)
        np.testing.assert_array_equal(
            point_coefficients(many, np.ones(WEIGHT, dtype=np.int64), frequencies), alone
        )
        # A dyadic rational with the bits of the table: nothing was rounded.
        assert all(Fraction(float(c)).denominator <= 2**32 for c in alone)
        assert (np.abs(alone) <= 2 ** (axes / 2) + 1e-2).all()


def test_many_points_take_little_memory() -> None:
    places = np.zeros((3, 300_000), dtype=np.int64)
    tracemalloc.start()
    try:
        point_coefficients(places, np.ones(300_000, dtype=np.int64), CUBE)
        assert tracemalloc.get_traced_memory()[1] < 100e6
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "frequencies", [SQUARE, CUBE, band((0.04, 0.03), 1e-3)], ids=["square", "cube", "wide"]
)
def test_points_in_blocks_of_any_size_give_the_same_bits(
    frequencies: Band, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(3)
    places = rng.integers(0, POSITIONS, (len(frequencies.box), 700))
    weights = rng.multinomial(WEIGHT, rng.dirichlet(np.ones(700)))
    as_it_is = point_coefficients(places, weights, frequencies)
    for work, fewest, block in (
        (1, 1, 1),
        (1, 7, 1 << 20),
        (1 << 14, 1, 1 << 20),
        (1 << 22, 64, 1 << 22),
        (1 << 22, 1, 1 << 10),
    ):
        monkeypatch.setattr(spectrum, "_WORK", work)
        monkeypatch.setattr(spectrum, "_FEWEST", fewest)
        monkeypatch.setattr(spectrum, "_BLOCK", block)
        assert point_coefficients(places, weights, frequencies).tobytes() == as_it_is.tobytes()


@pytest.mark.parametrize(
    ("blurs", "rows"),
    [((0.04, 0.03), 436), ((0.15, 0.08, 0.06), 218), ((0.005, 0.005), 64), ((0.02, 0.004, 1.5), 59)],
)
def test_a_product_is_small_unless_its_points_are_few(
    blurs: tuple[float, ...], rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Multiply-adds are bounded, which keeps them on one thread; of large bands 64 points at least are worth a product."""
    seen = []

    class Watched:
        def __init__(self, count: int, bits: int) -> None:
            self.table = whole(count, bits)

        def take(self, place: np.ndarray, **how: Any) -> np.ndarray:
            seen.append(len(place))
            return self.table.take(place, **how)

    whole = spectrum._whole_cosines
    monkeypatch.setattr(spectrum, "_whole_cosines", Watched)
    frequencies = band(blurs, 1e-3)
    weights = np.full(1000, WEIGHT // 1000)
    point_coefficients(np.zeros((len(blurs), 1000), dtype=np.int64), weights, frequencies)
    assert max(seen) == rows
    assert rows <= 64 or rows * math.prod(frequencies.box) <= 1 << 19
    assert rows * math.prod(frequencies.box[:-1]) <= 1 << 20  # of memory


def test_positions_end_with_the_last() -> None:
    assert positions(np.array([0.0, 0.5, 1.0, np.nextafter(1, 0)])).tolist() == [
        0,
        POSITIONS // 2,
        POSITIONS - 1,
        POSITIONS - 1,
    ]


def test_rendering_is_the_inverse_of_the_transform() -> None:
    """A band-limited density on a grid: its coefficients by SciPy's DCT, and back."""
    rng = np.random.default_rng(1)
    coefficients = rng.normal(size=SQUARE.count)
    coefficients[0] = 1.0
    density = rendered(coefficients, SQUARE, (middles(30), middles(40)))
    again = dctn(density, norm="ortho") / math.sqrt(density.size)
    np.testing.assert_allclose(again[tuple(SQUARE.frequencies)], coefficients, atol=1e-12)
    assert density.mean() == pytest.approx(1.0)
    other = rng.normal(size=CUBE.count)
    shown = rendered(other, CUBE, (middles(7), middles(8), middles(9)))
    at = [middles(n)[2] for n in (7, 8, 9)]
    tables = [cosines(k, np.array([s]))[0] for k, s in zip(CUBE.box, at, strict=True)]
    point = sum(
        c * tables[0][w] * tables[1][u] * tables[2][v]
        for c, (w, u, v) in zip(other, CUBE.frequencies.T, strict=True)
    )
    assert shown[2, 2, 2] == pytest.approx(point)
