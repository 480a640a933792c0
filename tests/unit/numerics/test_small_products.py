"""Products in pieces: NumPy's, whatever the pieces, none of which is large, or a vector."""

from __future__ import annotations

import math

import numpy as np
import pytest

from synthrelease.numerics import small_products
from synthrelease.numerics.small_products import MOST_AT_ONCE, product

SHAPES = [
    (2, 12, 11),
    (7, 12, 11),
    (101, 12, 300),
    (64, 64, 64),
    (64, 64, 65),
    (2160, 40, 3840),
    (9, 2048, 99),
]


@pytest.mark.parametrize("most", [200, 1000, 1 << 14, MOST_AT_ONCE, 1 << 40])
@pytest.mark.parametrize("shape", SHAPES[:5], ids=str)
def test_pieces_of_any_size_make_the_whole(
    most: int, shape: tuple[int, int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    rows, inner, columns = shape
    rng = np.random.default_rng(0)
    monkeypatch.setattr(small_products, "MOST_AT_ONCE", most)
    left, right = rng.normal(size=(rows, inner)), rng.normal(size=(inner, columns))
    for a, b in ((left, right), (left.T.copy().T, right), (left, right.T.copy().T)):
        np.testing.assert_allclose(product(a, b), left @ right, rtol=0, atol=1e-13 * inner)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_no_piece_is_large_or_a_vector(shape: tuple[int, int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[int, int, int]] = []

    class Watched:
        empty = staticmethod(np.empty)

        @staticmethod
        def matmul(left: np.ndarray, right: np.ndarray, **out: np.ndarray) -> np.ndarray:
            seen.append((*left.shape, right.shape[1]))
            return np.matmul(left, right, **out)

    monkeypatch.setattr(small_products, "np", Watched)
    rows, inner, columns = shape
    product(np.ones((rows, inner)), np.ones((inner, columns)))
    assert sum(math.prod(sides) for sides in seen) == math.prod(shape)
    assert max(math.prod(sides) for sides in seen) <= 1 << 18
    assert min(min(sides) for sides in seen) >= 2
    assert len(seen) <= 2 + 2.5 * math.prod(shape) / (1 << 18)  # nor much smaller than need be
