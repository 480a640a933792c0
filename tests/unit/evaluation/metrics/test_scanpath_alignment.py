"""Alignments of two scanpaths against all alignments there are."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from synthrelease.evaluation.metrics.scanpath_alignment import Path, multi_match, scan_match

SIZE = (800, 600)


def paths(seed: int, *lengths: int) -> list[Path]:
    random = np.random.default_rng(seed)
    return [
        Path(random.uniform(0, 800, n), random.uniform(0, 600, n), random.uniform(60, 240, n))
        for n in lengths
    ]


def walks(rows: int, columns: int) -> Iterator[list[tuple[int, int]]]:
    """Every way from the first cell to the last one, by steps right, down or both."""
    if (rows, columns) == (1, 1):
        yield [(0, 0)]
        return
    for down, across in ((1, 0), (0, 1), (1, 1)):
        if rows > down and columns > across:
            for walk in walks(rows - down, columns - across):
                yield [*walk, (rows - 1, columns - 1)]


@pytest.mark.parametrize("seed", range(6))
def test_multimatch_pairs_saccades_along_the_best_of_all_walks(seed: int) -> None:
    one, other = paths(seed, 3 + seed % 3, 5)
    saccades = [np.column_stack([np.diff(path.x_px), np.diff(path.y_px)]) for path in (one, other)]
    apart = np.linalg.norm(saccades[0][:, None] - saccades[1], axis=-1)
    best = min(walks(*apart.shape), key=lambda walk: sum(apart[cell] for cell in walk))
    i, j = np.array(best).T
    angle = [np.arctan2(some[:, 1], some[:, 0]) for some in saccades]
    turned = np.abs(np.angle(np.exp(1j * (angle[0][i] - angle[1][j]))))
    length = [np.linalg.norm(some, axis=1) for some in saccades]
    moved = np.hypot(one.x_px[i] - other.x_px[j], one.y_px[i] - other.y_px[j])
    durations = np.stack([one.duration_ms[i], other.duration_ms[j]])
    expected = [
        np.median(apart[i, j]) / 2000,
        np.median(turned) / np.pi,
        np.median(np.abs(length[0][i] - length[1][j])) / 1000,
        np.median(moved) / 1000,
        np.median(np.ptp(durations, axis=0) / durations.max(axis=0)),
    ]
    np.testing.assert_allclose(1 - np.array(multi_match(one, other, SIZE)), expected, atol=1e-12)


def test_a_scanpath_matches_itself() -> None:
    (path,) = paths(0, 7)
    assert multi_match(path, path, SIZE) == pytest.approx([1] * 5)
    assert scan_match(path, path, SIZE) == pytest.approx(1)


def test_multimatch_needs_two_saccades() -> None:
    one, other = paths(0, 2, 5)
    with pytest.raises(ValueError, match="3 fixations"):
        multi_match(one, other, SIZE)


@pytest.mark.parametrize("seed", range(4))
def test_scanmatch_is_the_best_of_all_alignments(seed: int) -> None:
    """Of two strings of one letter each fixation: those that are skipped cost nothing."""
    one, other = (replace(path, duration_ms=np.full(path.x_px.size, 100.0)) for path in paths(seed, 4, 5))
    column = [np.floor(path.x_px / 800 * 12) / 12 for path in (one, other)]
    row = [np.floor(path.y_px / 600 * 9) / 9 * 0.75 for path in (one, other)]
    alike = 1 - np.hypot(*(np.subtract.outer(*places) for places in (column, row))) / (2 * 0.1685)
    best = max(
        sum(alike[pair] for pair in zip(some, others, strict=True))
        for size in range(5)
        for some in itertools.combinations(range(4), size)
        for others in itertools.combinations(range(5), size)
    )
    assert scan_match(one, other, SIZE) == pytest.approx(best / 5)


def test_scanmatch_counts_time_and_order() -> None:
    path = Path(np.array([100.0, 700.0]), np.array([300.0, 300.0]), np.array([100.0, 300.0]))
    backwards = Path(*(values[::-1] for values in (path.x_px, path.y_px, path.duration_ms)))
    short = replace(path, duration_ms=np.array([100.0, 100.0]))
    assert scan_match(path, backwards, SIZE) == pytest.approx(3 / 4)
    assert scan_match(path, short, SIZE) == pytest.approx(2 / 4)
