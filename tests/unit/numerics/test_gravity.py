"""Gravity models: marginals and displacements are as asked, and known chains are found again."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from synthrelease.numerics.gravity import Displacements, fitted

ROWS, COLUMNS = 6, 8
BINS = 5


def near_and_far() -> Displacements:
    """Bins of the larger of both distances, at most 4."""
    down, across = np.meshgrid(np.arange(1 - ROWS, ROWS), np.arange(1 - COLUMNS, COLUMNS), indexing="ij")
    bins = np.minimum(np.maximum(np.abs(down), np.abs(across)), BINS - 1).ravel()
    shares = sparse.csr_array((np.ones(bins.size), (np.arange(bins.size), bins)), shape=(bins.size, BINS))
    return Displacements(ROWS, COLUMNS, shares)


NEAR = near_and_far()


def some_maps(seed: int, count: int = 3) -> np.ndarray:
    maps = np.random.default_rng(seed).uniform(0.2, 3.0, (count, ROWS, COLUMNS))
    return np.asarray(maps / maps.sum(axis=(1, 2), keepdims=True))


def joint(kernel: np.ndarray, attraction: np.ndarray, one: np.ndarray) -> np.ndarray:
    """P(x, x′) by definition, shape (cells, cells)."""
    place = np.indices((ROWS, COLUMNS)).reshape(2, -1)
    apart = np.maximum(*np.abs(place[:, :, None] - place[:, None, :]))
    weight = kernel[np.minimum(apart, BINS - 1)] * attraction.ravel()
    return np.asarray(one.ravel()[:, None] * weight / weight.sum(axis=1, keepdims=True))


def binned(pairs: np.ndarray) -> np.ndarray:
    place = np.indices((ROWS, COLUMNS)).reshape(2, -1)
    apart = np.minimum(np.maximum(*np.abs(place[:, :, None] - place[:, None, :])), BINS - 1)
    return np.bincount(apart.ravel(), pairs.ravel(), BINS)


@pytest.mark.parametrize("asked", [(0.1, 0.4, 0.3, 0.15, 0.05), (0.05, 0.1, 0.15, 0.2, 0.5)])
def test_marginals_are_the_maps_and_displacements_what_is_asked(asked: tuple[float, ...]) -> None:
    maps = some_maps(1)
    model = fitted(maps, np.array(asked), NEAR)
    chains = [joint(model.kernel, beta, one) for beta, one in zip(model.attraction, maps, strict=True)]
    for chain, one in zip(chains, maps, strict=True):
        np.testing.assert_allclose(chain.sum(axis=0), one.ravel(), rtol=2e-3)
    assert np.abs(binned(np.mean(chains, axis=0)) - asked).sum() / 2 < 2e-3
    assert model.missed < 2e-3


def test_a_known_chain_is_found_again() -> None:
    """κ is found up to a constant, as maps and displacements are those of a gravity model."""
    maps, kernel = some_maps(2, 1), np.array([0.2, 2.0, 1.0, 0.5, 0.3])
    attraction = np.ones((ROWS, COLUMNS))
    for _ in range(500):  # Sinkhorn's iterations, with all pairs of cells written out
        chain = joint(kernel, attraction, maps[0])
        attraction = attraction * maps[0] / chain.sum(axis=0).reshape(ROWS, COLUMNS)
    model = fitted(maps, binned(joint(kernel, attraction, maps[0])), NEAR)
    np.testing.assert_allclose(model.kernel / model.kernel[1], kernel / kernel[1], rtol=0.02)


def test_displacements_have_a_direction() -> None:
    """Bins of displacements to the left, along the column, and to the right: nearly all go to the right."""
    across = np.tile(np.sign(np.arange(1 - COLUMNS, COLUMNS)) + 1, 2 * ROWS - 1)
    shares = sparse.csr_array(
        (np.ones(across.size), (np.arange(across.size), across)), shape=(across.size, 3)
    )
    sided = Displacements(ROWS, COLUMNS, shares)
    place = np.indices((ROWS, COLUMNS)).reshape(2, -1)[1]
    bins = np.sign(place - place[:, None]) + 1  # from the row's cell to the column's
    drift = np.exp(0.3 * (place - place[:, None]))
    chain = drift * np.array([0.2, 1.0, 3.0])[bins]
    chain /= chain.sum()
    one, other = (chain.sum(axis=side).reshape(ROWS, COLUMNS) for side in (1, 0))
    maps = ((one + other) / 2)[None]
    asked = np.array([0.35, 0.15, 0.5])
    model = fitted(maps, asked, sided, iterations=200)
    weight = model.kernel[bins] * model.attraction.ravel()
    joint_of = maps[0].ravel()[:, None] * weight / weight.sum(axis=1, keepdims=True)
    found = np.bincount(bins.ravel(), joint_of.ravel(), 3)
    np.testing.assert_allclose(found, asked, atol=0.02)


def test_what_no_two_cells_are_apart_by_gets_nothing() -> None:
    shares = sparse.csr_array(
        (np.ones(NEAR.pairs.size), (np.arange(NEAR.pairs.size), np.zeros(NEAR.pairs.size, dtype=int))),
        shape=(NEAR.pairs.size, 2),
    )
    only_one = Displacements(ROWS, COLUMNS, shares)
    np.testing.assert_array_equal(only_one.feasible(np.array([0.5, 0.5])), [1.0, 0.0])


@pytest.mark.parametrize("peak", [1.0, 1e6])
def test_a_flat_map_and_a_single_peak_have_finite_models(peak: float) -> None:
    maps = np.ones((1, ROWS, COLUMNS))
    maps[0, 2, 3] = peak
    maps /= maps.sum()
    model = fitted(maps, np.array([0.1, 0.4, 0.3, 0.15, 0.05]), NEAR)
    assert np.isfinite(model.attraction).all()
    assert (model.attraction > 0).all()
    assert (model.kernel > 0).all()


def test_the_share_of_pairs_is_counted() -> None:
    place = np.indices((ROWS, COLUMNS)).reshape(2, -1)
    apart = np.minimum(np.maximum(*np.abs(place[:, :, None] - place[:, None, :])), BINS - 1)
    np.testing.assert_allclose(NEAR.of_pairs, np.bincount(apart.ravel(), minlength=BINS) / apart.size)
