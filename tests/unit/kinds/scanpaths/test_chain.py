"""Chains of released maps and densities: simulated scanpaths have what is asked, and turns and order come with the correction only."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from synthrelease.kinds.scanpaths.blocks import BLOCKS, CLASSES, ORDER, SACCADES, TURNS
from synthrelease.kinds.scanpaths.chain import Asked, first_order, tables
from synthrelease.kinds.scanpaths.densities import learnt_of_all, starts_on_screen
from synthrelease.kinds.scanpaths.dynamics_prior import dynamics_prior
from synthrelease.kinds.scanpaths.geometry import COLUMNS, geometry
from synthrelease.kinds.scanpaths.sampler import DRAWS, Tables
from synthrelease.kinds.scanpaths.trials import TrialForm, TrialModel
from synthrelease.numerics.public_draws import PublicDraws

PRIOR = dynamics_prior(0.15)
GEOMETRY = geometry(0.75, 0.15)


def maps() -> np.ndarray:
    """Two maps of three hot spots each."""
    y, x = ((np.arange(cells) + 0.5) / cells for cells in (GEOMETRY.rows, COLUMNS))
    out = []
    for spots in (((0.3, 0.3), (0.5, 0.7), (0.7, 0.4)), ((0.4, 0.6), (0.6, 0.3), (0.5, 0.5))):
        density = np.full((y.size, x.size), 0.3)
        for down, across in spots:
            density += 8 * np.exp(-0.5 * (((y[:, None] - down) / 0.08) ** 2 + ((x - across) / 0.06) ** 2))
        out.append(density / density.sum())
    return np.array(out)


@cache
def asked() -> Asked:
    """What is expected without data, and sharper turns than in public data."""
    learnt = learnt_of_all(PRIOR.means, np.full(PRIOR.means.shape, 1e6), PRIOR.means)
    known = PRIOR.coordinates
    form = TrialForm(3.0, known["rate_per_s"], known["fixated_share"], known["duration_ms"])
    trials = TrialModel(form, learnt["trials"].density.reshape(40, 40), learnt["durations"].density[0])
    turns = learnt["turns"].density[0].reshape(TURNS.cells) * np.linspace(0.3, 3.0, TURNS.cells[1])
    return Asked(
        maps(),
        learnt["saccades"].density[0],
        (turns / turns.sum()).ravel(),
        learnt["order"].density,
        starts_on_screen(
            learnt["starts"].density[0], known["first_x"], known["first_y"], (GEOMETRY.rows, COLUMNS)
        ),
        trials,
    )


@cache
def fitted() -> Tables:
    return tables(asked(), first_order(asked().maps, asked().saccades, GEOMETRY), GEOMETRY)


def drawn(known: Tables, stimulus: int = 0, count: int = 1500) -> tuple[np.ndarray, np.ndarray]:
    random = PublicDraws(9)
    counts, _ = asked().trials.draw(random.uniform(count))
    uniform = random.uniform((count, int(counts.max()), DRAWS))
    return known.draw(np.full(count, stimulus), counts, uniform)


def share_of(bins: np.ndarray, weight: np.ndarray, size: int) -> np.ndarray:
    counted = np.bincount(bins, weight, size)
    return np.asarray(counted / counted.sum())


def moves(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    across, down = np.diff(x, axis=1), np.diff(y, axis=1) * 0.75
    return np.hypot(across, down), np.arctan2(down, across) / (2 * np.pi) % 1.0


def turn_shares(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    amplitude, direction = moves(x, y)
    there = np.isfinite(amplitude[:, 1:])
    turned = np.abs((np.diff(direction, axis=1) + 0.5) % 1.0 - 0.5)[there] * 2
    ratio = (amplitude[:, 1:] / (amplitude[:, 1:] + amplitude[:, :-1]))[there]
    weight = (1 / np.maximum(there.sum(axis=1), 1))[:, None] * there
    return share_of(GEOMETRY.turn_bins(ratio, turned), weight[there], asked().turns.size)


def distance(one: np.ndarray, other: np.ndarray) -> float:
    return float(np.abs(one - other).sum() / 2)


@pytest.mark.thorough
def test_scanpaths_dwell_where_the_map_says() -> None:
    for stimulus, one in enumerate(asked().maps):
        x, y = drawn(fitted(), stimulus)
        there = np.isfinite(x)
        coarse = np.histogram2d(y[there], x[there], (6, 8), ((0, 1), (0, 1)))[0]
        expected = one.reshape(6, GEOMETRY.rows // 6, 8, COLUMNS // 8).sum(axis=(1, 3))
        assert distance(coarse / coarse.sum(), expected) < 0.08


@pytest.mark.thorough
def test_saccades_are_those_that_are_asked_for() -> None:
    x, y = drawn(fitted())
    amplitude, direction = moves(x, y)
    there = np.isfinite(amplitude)
    weight = (1 / np.maximum(there.sum(axis=1), 1))[:, None] * there
    share = share_of(
        GEOMETRY.saccade_bins(amplitude[there], direction[there]), weight[there], asked().saccades.size
    )
    by_amplitude = [one.reshape(SACCADES.cells).sum(axis=1) for one in (share, asked().saccades)]
    assert distance(*by_amplitude) < 0.12


def test_turns_come_with_the_correction() -> None:
    first = first_order(asked().maps, asked().saccades, GEOMETRY)
    plain = replace(
        fitted(),
        kernel=first.kernel,
        attraction=first.attraction,
        turns=np.zeros(asked().turns.size, dtype=np.int16),
        order=np.zeros((len(CLASSES), *ORDER.cells), dtype=np.int16),
    )
    before, after = (distance(turn_shares(*drawn(known)), asked().turns) for known in (plain, fitted()))
    assert after < 0.6 * before


def test_the_same_release_has_the_same_chain() -> None:
    again = tables(asked(), first_order(asked().maps, asked().saccades, GEOMETRY), GEOMETRY)
    for name in ("start", "kernel", "attraction", "turns", "order", "levels"):
        np.testing.assert_array_equal(getattr(again, name), getattr(fitted(), name))


def test_starts_are_where_the_density_has_them() -> None:
    """Even on the coordinates, which is where first fixations of public data were."""
    cells = np.full(1200, 1 / 1200)
    known = PRIOR.coordinates
    on_screen = starts_on_screen(cells, known["first_x"], known["first_y"], (GEOMETRY.rows, COLUMNS))
    assert on_screen.sum() == pytest.approx(1)
    middle = on_screen[20:40, 27:53].sum()
    assert middle > 0.5  # first fixations are near the middle
    across = np.cumsum(on_screen.sum(axis=0))
    expected = known["first_x"].steps(np.arange(1, COLUMNS) / COLUMNS) / 8192
    np.testing.assert_allclose(across[:-1], expected, atol=1e-6)


@pytest.mark.parametrize("block", BLOCKS, ids=[block.name for block in BLOCKS])
def test_functions_of_a_block_are_orthonormal_on_its_cells(block: object) -> None:
    functions = block.at_cells()  # type: ignore[attr-defined]
    products = functions.T @ functions / len(functions)
    assert np.abs(products - np.eye(len(products))).max() < 0.35 if len(functions) < 20 else 0.01
