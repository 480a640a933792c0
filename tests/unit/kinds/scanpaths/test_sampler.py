"""Scanpaths from whole-numbered weights: places by their weights, displacements and turns as the tables say, the same numbers for the same draws."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from synthrelease.kinds.scanpaths import sampler
from synthrelease.kinds.scanpaths.blocks import CLASSES, ORDER, SACCADES, TURNS
from synthrelease.kinds.scanpaths.geometry import COLUMNS, geometry, levels, rows_of
from synthrelease.kinds.scanpaths.sampler import DRAWS, LOG_STEPS, Tables, in_log_steps, picked
from synthrelease.numerics.public_draws import PublicDraws

GEOMETRY = geometry(0.75, 0.15)
ROWS = GEOMETRY.rows


def tables(stimuli: int = 2) -> Tables:
    """Everything even."""
    even = np.zeros((stimuli, ROWS, COLUMNS), dtype=np.int16)
    return Tables(
        GEOMETRY,
        even,
        np.zeros(SACCADES.cells[0] * SACCADES.cells[1], dtype=np.int16),
        even,
        np.zeros(TURNS.cells[0] * TURNS.cells[1], dtype=np.int16),
        np.zeros((len(CLASSES), *ORDER.cells), dtype=np.int16),
        np.zeros(even.shape, dtype=np.uint8),
    )


def drawn(
    known: Tables, count: int = 400, fixations: int = 6, stimulus: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    uniform = PublicDraws(5).uniform((count, fixations, DRAWS))
    return known.draw(np.full(count, stimulus), np.full(count, fixations), uniform)


def test_places_are_picked_by_their_weights() -> None:
    logs = np.full((1, 2, 3), -10_000, dtype=np.int16)
    logs[0, 0, 1], logs[0, 1, 2] = 0, -LOG_STEPS  # twice as likely
    count = 3000
    row, column = picked(np.repeat(logs, count, axis=0), (np.arange(count) + 0.5) / count)
    assert {(int(r), int(c)) for r, c in zip(row, column, strict=True)} == {(0, 1), (1, 2)}
    assert (row == 0).mean() == pytest.approx(2 / 3, abs=1e-3)


@pytest.mark.parametrize("uniform", [0.0, 1.0])
def test_the_ends_of_uniform_numbers_pick_a_place(uniform: float) -> None:
    logs = np.full((1, 2, 3), -10_000, dtype=np.int16)
    logs[0, 1, 0] = 0
    assert [int(one[0]) for one in picked(logs, np.array([uniform]))] == [1, 0]


def test_weights_are_whole_powers_that_no_machine_rounds_otherwise() -> None:
    """Far from halves, where a last bit would decide."""
    exact = [
        2 ** Fraction(30 - k // LOG_STEPS) * Fraction(2.0 ** (-(k % LOG_STEPS) / LOG_STEPS))
        for k in range(1920)
    ]
    assert min(abs(float(one % 1) - 0.5) for one in exact) > 1e-6
    assert sampler._WEIGHTS.tolist() == [*(round(one) for one in exact), 0]


def test_even_tables_draw_even_places() -> None:
    x, y = drawn(tables())
    assert np.abs(np.histogram(x, 4, (0, 1))[0] / x.size - 0.25).max() < 0.03
    assert np.abs(np.histogram(y, 4, (0, 1))[0] / y.size - 0.25).max() < 0.03


def test_a_kernel_decides_on_amplitudes() -> None:
    """Only the shortest third of amplitude bins."""
    kernel = np.full(SACCADES.cells, -3000, dtype=np.int16)
    kernel[:8] = 0
    x, y = drawn(replace(tables(), kernel=kernel.ravel()))
    amplitude = np.hypot(np.diff(x, axis=1), np.diff(y, axis=1) * 0.75)
    bins = GEOMETRY.saccade_bins(amplitude, np.zeros_like(amplitude)) // SACCADES.cells[1]
    assert (bins < 9).mean() > 0.99


def test_turns_decide_on_the_angle_after_the_last_saccade() -> None:
    """Only the sharpest turns: scanpaths go to and fro."""
    turns = np.full(TURNS.cells, -3000, dtype=np.int16)
    turns[:, -3:] = 0
    x, y = drawn(replace(tables(), turns=turns.ravel()))
    across, down = np.diff(x, axis=1), np.diff(y, axis=1) * 0.75
    cosine = (across[:, 1:] * across[:, :-1] + down[:, 1:] * down[:, :-1]) / (
        np.hypot(across, down)[:, 1:] * np.hypot(across, down)[:, :-1]
    )
    assert np.median(cosine) < -0.8


def test_order_decides_on_levels_by_the_number_of_the_fixation() -> None:
    """The left half of the screen has the lowest level, and only the first two fixations may be there."""
    level = np.zeros((2, ROWS, COLUMNS), dtype=np.uint8)
    level[:, :, COLUMNS // 2 :] = 11
    order = np.zeros((len(CLASSES), *ORDER.cells), dtype=np.int16)
    order[:2, 11] = order[2:, 0] = -3000
    x, _ = drawn(replace(tables(), order=order, levels=level))
    assert (x[:, :2] < 0.5).all()
    assert (x[:, 2:] >= 0.5).all()


def test_scanpaths_do_not_depend_on_how_many_are_drawn_together() -> None:
    uniform = PublicDraws(1).uniform((600, 5, DRAWS))
    counts = 1 + np.arange(600) % 5
    stimulus = np.arange(600) % 2
    known = tables()
    all_of_them = known.draw(stimulus, counts, uniform)
    some = known.draw(stimulus[500:], counts[500:], uniform[500:])
    for one, other in zip(some, all_of_them, strict=True):
        np.testing.assert_array_equal(one, other[500:])
    assert (np.isfinite(all_of_them[0]).sum(axis=1) == counts).all()


def test_levels_are_even_for_places_drawn_from_the_map() -> None:
    density = np.random.default_rng(1).gamma(0.5, 1.0, (30, 40))
    density /= density.sum()
    level = levels(density)
    share, _ = np.histogram(level, 5, (0, 1), weights=density)
    assert np.abs(share - 0.2).max() < 0.01
    assert level.flat[density.argmax()] == level.max()


def test_log_steps_are_relative_to_the_largest() -> None:
    assert in_log_steps(np.array([8.0, 4.0, 1.0, 0.0])).tolist() == [0, -64, -192, -1920]


@pytest.mark.parametrize(("proportions", "rows"), [(0.75, 60), (0.5625, 44), (2.2, 160), (0.1, 20)])
def test_cells_are_nearly_square(proportions: float, rows: int) -> None:
    assert rows_of(proportions) == rows


@pytest.mark.parametrize("apart", [(0, 1), (3, -5), (0, 0), (-20, 30)])
def test_bins_of_displacements_are_averages_over_places_in_cells(apart: tuple[int, int]) -> None:
    """Over 25 of them, one by one."""
    share = np.zeros(384)
    for i in range(5):
        for j in range(5):
            y = (apart[0] + (i - 2) / 5) / ROWS * 0.75
            x = (apart[1] + (j - 2) / 5) / COLUMNS
            direction = np.arctan2(y, x) / (2 * np.pi) % 1.0
            share[GEOMETRY.saccade_bins(np.array([np.hypot(x, y)]), np.array([direction]))] += 1 / 25
    place = (apart[0] + ROWS - 1) * (2 * COLUMNS - 1) + apart[1] + COLUMNS - 1
    known = GEOMETRY.displacements.shares[[place]].toarray()[0]
    assert np.abs(known - share).sum() < 0.1  # one place on an edge may be rounded into either bin
