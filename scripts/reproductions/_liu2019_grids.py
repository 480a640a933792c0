"""Heatmaps of the real people on grids from coarse to fine (Liu et al. 2019, footnote 7)."""

from __future__ import annotations

from collections.abc import Iterator

import made
import numpy as np
from numpy.typing import NDArray

from reproductions._liu2019_cap import best_cap, expected_mse
from reproductions._liu2019_curves import BLUR_PX, SCREEN_PX, good_delta
from reproductions._tracker import SCREEN, gaze_counts, paths
from synthrelease.data.gaze import GazeData
from synthrelease.dp.budget import Budget
from synthrelease.dp.noise import SecureRandom
from synthrelease.dp.noise.addition import add_noise
from synthrelease.errors import PolicyError
from synthrelease.evaluation.metrics import correlation
from synthrelease.kinds.heatmap.cells import CellHeatmap
from synthrelease.kinds.heatmap.public_cells import LIU2019
from synthrelease.numerics import derived
from synthrelease.numerics.gaze_caps import excess_norms

MOUSE_T = 200  # samples of a person that count: public
PAPERS, EXACT, BOUNDED = "Gaussian, Theorem 3.4", "Gaussian, exact", f"Gaussian, exact, T = {MOUSE_T}"


def grid_points(
    gaze: GazeData,
    columns: int,
    truth: NDArray[np.float64],
    *,
    epsilon: float,
    draws: int,
    random: SecureRandom,
) -> Iterator[tuple[str, tuple[int, float, float]]]:
    """Yield, for each mechanism that is not refused, its cap by Algorithm 1, and mean and deviation of its CC."""
    people = gaze.people
    rows, budget = columns * 3 // 4, Budget(epsilon, good_delta(people))
    pixel, count, _ = gaze_counts(paths(gaze), rows=rows, columns=columns)
    caps = range(1, int(count.max()) + 1)
    norms = excess_norms(pixel, count, caps)
    for name, max_samples, calibration in (
        (PAPERS, None, LIU2019),
        (EXACT, None, "exact"),
        (BOUNDED, MOUSE_T, "exact"),
    ):
        of_cap = [
            cell_heatmap(rows, columns, people, cap=m, max_samples=max_samples, calibration=calibration)
            for m in caps
        ]
        try:
            sigmas = np.array([one.calibrated_noise(budget).scale for one in of_cap]) / people
        except PolicyError:
            continue
        cap = best_cap(caps, expected_mse(norms, sigmas, people=people, pixels=rows * columns))
        chosen = of_cap[cap - 1]
        event, total = chosen.calibrated_noise(budget), chosen.exact(chosen.collect(gaze))["noisy"][0]
        own = random.spawn(name, str(columns), str(epsilon))
        found = []
        for _ in range(draws):
            noisy = add_noise(total, event, largest=people * cap, random=own)
            found.append(correlation(on_common_grid(blurred(noisy, people)), truth))
        yield name, (cap, float(np.mean(found)), float(np.std(found)))


def cell_heatmap(
    rows: int, columns: int, people: int, *, cap: int, max_samples: int | None, calibration: str
) -> CellHeatmap:
    """One heatmap with Gaussian noise under replace-one."""
    return made.cells(
        stimuli=1,
        rows=rows,
        columns=columns,
        cap=cap,
        max_samples=max_samples,
        max_stimuli=1,
        assignment_public=True,
        calibration=calibration,
        blur_px=BLUR_PX,
        people=people,
        screen=SCREEN,
    )


def blurred(total: NDArray[np.integer], people: int) -> NDArray[np.float64]:
    """The heatmap that the product would show."""
    return derived.heatmap(total, people=people, blur_px=BLUR_PX, screen_px=SCREEN_PX)


def on_common_grid(cells: NDArray[np.float64]) -> NDArray[np.float64]:
    """The map on 200×150 cells: of 4×4 px, far below the blur."""
    rows, columns = cells.shape
    if columns <= 200:
        return np.repeat(np.repeat(cells, 150 // rows, axis=0), 200 // columns, axis=1)
    return cells.reshape(150, rows // 150, 200, columns // 200).mean(axis=(1, 3))
