"""The cosine transform between a grid and a box of low frequencies, by matrices and fast: both are SciPy's."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy.fft import dctn, idctn

from synthrelease.numerics import cosine_transform, small_products
from synthrelease.numerics.cosine_transform import LONGEST_OF_MATRICES, box_of, cells_of

LONG = LONGEST_OF_MATRICES
BOXES = [
    ((30, 40), 2),
    ((31, 17), 2),
    ((2, 2), 2),
    ((7, 8, 9), 2),
    ((5, 30, 40), 2),
    ((2, 3, 4, 5), 2),
    ((5, 6), 3),
    ((5, 6), 1),
    ((LONG, 3), 2),
    ((3, LONG), 2),
    ((LONG + 1, 3), 2),
    ((3, LONG + 1), 2),
    ((LONG, LONG), 2),
    ((LONG + 1, LONG + 1), 2),
    ((1, 9), 2),
    ((9, 1), 2),
    ((1, 5, 6), 2),
    ((12,), 2),
]
every_box = pytest.mark.parametrize(("box", "finer"), BOXES, ids=str)


def made(box: tuple[int, ...], finer: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(box)
    return rng.normal(size=tuple(finer * side for side in box)), rng.normal(size=box)


def padded(box: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    return np.pad(box, [(0, long - short) for short, long in zip(box.shape, shape, strict=True)])


@every_box
def test_both_ways_are_those_of_scipy(box: tuple[int, ...], finer: int) -> None:
    cells, low = made(box, finer)
    before = cells.copy(), low.copy()
    forth, back = box_of(cells, box), cells_of(low, cells.shape)
    assert forth.shape == box
    assert back.shape == cells.shape
    np.testing.assert_allclose(
        forth, dctn(cells, norm="ortho")[tuple(slice(k) for k in box)], rtol=0, atol=1e-13
    )
    np.testing.assert_allclose(back, idctn(padded(low, cells.shape), norm="ortho"), rtol=0, atol=1e-13)
    np.testing.assert_array_equal(cells, before[0])
    np.testing.assert_array_equal(low, before[1])


@every_box
def test_one_is_the_transpose_of_the_other_and_undoes_it(box: tuple[int, ...], finer: int) -> None:
    cells, low = made(box, finer)
    assert (box_of(cells, box) * low).sum() == pytest.approx(
        (cells * cells_of(low, cells.shape)).sum(), abs=1e-10
    )
    np.testing.assert_allclose(box_of(cells_of(low, cells.shape), box), low, rtol=0, atol=1e-13)


@every_box
def test_several_at_once_are_each_by_itself(box: tuple[int, ...], finer: int) -> None:
    rng = np.random.default_rng(3)
    cells, low = (np.stack([factor * one for factor in rng.normal(size=5)]) for one in made(box, finer))
    forth, back = box_of(cells, box), cells_of(low, cells.shape[1:])
    for number in range(5):
        np.testing.assert_allclose(forth[number], box_of(cells[number], box), rtol=0, atol=1e-13)
        np.testing.assert_allclose(back[number], cells_of(low[number], cells.shape[1:]), rtol=0, atol=1e-13)
        one = slice(number, number + 1)
        np.testing.assert_array_equal(box_of(cells[one], box), forth[one])
        np.testing.assert_array_equal(cells_of(low[one], cells.shape[1:]), back[one])


@pytest.mark.parametrize("box", [(LONG - 1, 4), (LONG, 4), (4, 5, 6), (30, 40)], ids=str)
def test_on_either_side_of_the_crossover_the_other_way_says_the_same(
    box: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    cells, low = made(box, 2)
    by_matrices = box_of(cells, box), cells_of(low, cells.shape)
    monkeypatch.setattr(cosine_transform, "LONGEST_OF_MATRICES", max(box) - 1)
    monkeypatch.setattr(cosine_transform, "product", None)
    fast = box_of(cells, box), cells_of(low, cells.shape)
    for one, other in zip(by_matrices, fast, strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-13)


@pytest.mark.parametrize("box", [box for box, _ in BOXES], ids=str)
def test_the_way_is_the_stated_one(box: tuple[int, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_arguments: Any, **_more: Any) -> None:
        raise AssertionError("the other way was taken")

    by_matrices = len(box) > 1 and all(1 < side <= LONG for side in box)
    for name in ("dctn", "idctn") if by_matrices else ("product",):
        monkeypatch.setattr(cosine_transform, name, never)
    cells, low = made(box, 2)
    box_of(cells, box)
    cells_of(low, cells.shape)


@pytest.mark.parametrize("box", [(30, 40), (24, 30, 40), (LONG, LONG), (2, LONG), (LONG, 2)], ids=str)
def test_no_product_is_large_enough_for_threads_nor_one_with_a_vector(
    box: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[int, int, int]] = []

    class Watched:
        empty = staticmethod(np.empty)

        @staticmethod
        def matmul(left: np.ndarray, right: np.ndarray, **out: np.ndarray) -> np.ndarray:
            seen.append((*left.shape, right.shape[1]))
            return np.matmul(left, right, **out)

    monkeypatch.setattr(small_products, "np", Watched)
    cells, low = made(box, 2)
    box_of(cells, box)
    cells_of(low, cells.shape)
    assert len(seen) >= 2 * len(box)
    assert max(math.prod(sides) for sides in seen) <= 1 << 18
    assert min(min(sides) for sides in seen) >= 2


def test_tables_are_shared_and_cannot_be_written() -> None:
    forth, back = cosine_transform._matrices(5, 10)
    assert cosine_transform._matrices(5, 10)[0] is forth
    for one, other in pairwise((forth, back.T, forth)):
        np.testing.assert_array_equal(one, other)
    for table in (forth, back):
        with pytest.raises(ValueError, match="read-only"):
            table[0, 0] = 1.0
