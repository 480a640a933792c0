"""What scanpaths are compared with: simpler chains from the same release, and transitions of a grid as trajectories are usually released."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from synthrelease.dp.calibration import gaussian_sigma
from synthrelease.evaluation.metrics.judged_scanpaths import Judged, fixations_of
from synthrelease.kinds.dataset import Array
from synthrelease.kinds.scanpaths.chain_fits import DRAWN_BY, released_tables
from synthrelease.kinds.scanpaths.coordinates import STEPS
from synthrelease.kinds.scanpaths.drawing import ScanpathModel
from synthrelease.kinds.scanpaths.fixations import Fixations
from synthrelease.kinds.scanpaths.public import ScanpathParameters
from synthrelease.kinds.scanpaths.sampler import in_log_steps
from synthrelease.kinds.values import Values

Numbers = NDArray[np.float64]

COLUMNS, ROWS = 8, 6
_NORM = 0.3  # of a trial's vector, times the root of the number of trials: what a person is clipped to
_LEAST = 1e-300


def model_of(values: Values, p: ScanpathParameters) -> ScanpathModel:
    """Return the model that a release's scanpaths are drawn from."""
    return released_tables(p.shown, {path: values.array(path) for path in DRAWN_BY})


def independent(values: Values, p: ScanpathParameters) -> Judged:
    """Return fixations drawn from the released maps, each for itself; numbers and durations are those of the release."""
    return _drawn(_simple(values, p, kernel=np.ones(values.array("saccades/density").size)), p)


def density_times_kernel(values: Values, p: ScanpathParameters) -> Judged:
    """Return fixations drawn by the released map times how often saccades are so long and go there, as many models of gaze do."""
    saccades = values.array("saccades/density").astype(np.float64).ravel()
    of_pairs = p.geometry.displacements.of_pairs
    possible = of_pairs > _LEAST
    kernel = np.where(possible, saccades / np.where(possible, of_pairs, 1.0), 0.0)
    return _drawn(_simple(values, p, kernel=kernel), p)


def _simple(values: Values, p: ScanpathParameters, *, kernel: Numbers) -> ScanpathModel:
    """A chain whose attraction is the map itself, without turns or order."""
    model = model_of(values, p)
    maps = np.stack([in_log_steps(one) for one in values.array("density").astype(np.float64)])
    tables = replace(
        model.tables,
        start=maps,
        kernel=in_log_steps(kernel),
        attraction=maps,
        turns=np.zeros_like(model.tables.turns),
        order=np.zeros_like(model.tables.order),
    )
    return replace(model, tables=tables)


def _drawn(model: ScanpathModel, p: ScanpathParameters) -> Judged:
    drawn = [model.numbered(number, 0, p.scanpaths, seed=p.sampling_seed) for number in range(len(p.stimuli))]
    return Judged(fixations_of(np.stack(drawn), p.screen), p)


def grid_chain(
    people: Fixations,
    timing: Mapping[tuple[int, int], Array],
    p: ScanpathParameters,
    *,
    epsilon: float,
    delta: float,
    seed: int,
) -> Judged:
    """Return scanpaths by noisy transitions between 8 × 6 cells and first cells, in the manner of DPT, AdaTrace and PrivTrace, but for whole people.

    Each person's trials add 1/length for the first cell and for each transition, stimulus by stimulus; all of a person's counts are clipped to one norm. Noise is
    Gaussian, in floating point: for comparison only. Negative counts are cut so that the (noisy) total stays. Numbers and durations of fixations come at no cost.

    Args:
        people: their fixations.
        timing: durations of the fixations of scanpaths, in ms, by scanpath and stimulus.
        p: of the release that it is compared with.
        epsilon: ε; infinite for none.
        delta: δ.
        seed: of noise and scanpaths.
    """
    random = np.random.default_rng(seed)
    stimuli, cells = len(p.stimuli), COLUMNS * ROWS
    norm = np.sqrt(stimuli) * _NORM
    total = np.zeros((stimuli, cells + 1, cells))
    cell = people.y * ROWS // STEPS * COLUMNS + people.x * COLUMNS // STEPS
    weight = 1.0 / people.counts[people.trial]
    for person in np.unique(people.person):
        mine = np.flatnonzero(people.person == person)
        vector = np.zeros_like(total)
        first = mine[people.ordinal[mine] == 0]
        later = mine[people.ordinal[mine] > 0]
        np.add.at(vector, (people.stimulus[first], cells, cell[first]), weight[first])
        np.add.at(vector, (people.stimulus[later], cell[later - 1], cell[later]), weight[later])
        total += vector * (min(1.0, norm / np.linalg.norm(vector)) if np.isfinite(epsilon) else 1.0)
    if np.isfinite(epsilon):
        sigma = gaussian_sigma(epsilon, delta, sensitivity=2 * norm)
        total += random.normal(0, sigma, total.shape)
    chains = np.stack([_cut(one) for one in total])
    return Judged(_walked(chains, timing, people.proportions, random), p)


def _cut(counts: Numbers) -> Numbers:
    """Counts that are not negative, of the same total: the nearest ones."""
    falling = np.sort(counts.ravel())[::-1]
    asked = max(float(counts.sum()), 1e-3)
    excess = (np.cumsum(falling) - asked) / np.arange(1, falling.size + 1)
    last = np.flatnonzero(falling > excess)[-1]
    return np.maximum(counts - excess[last], 0.0) + 1e-6


def _walked(
    chains: Numbers, timing: Mapping[tuple[int, int], Array], proportions: float, random: np.random.Generator
) -> Fixations:
    cells = COLUMNS * ROWS
    rows: list[tuple[int, int, int, int, int]] = []
    for (scanpath, stimulus), durations in timing.items():
        chain, here = chains[stimulus], cells
        for duration in durations:
            share = chain[here] / chain[here].sum()
            here = int(random.choice(cells, p=share))
            x, y = random.random(2)
            rows.append(
                (
                    scanpath,
                    stimulus,
                    int((here % COLUMNS + x) / COLUMNS * STEPS),
                    int((here // COLUMNS + y) / ROWS * STEPS),
                    round(1000 * float(duration)),
                )
            )
    person, stimulus, x, y, duration = np.array(rows, dtype=np.int64).T
    return Fixations(person, stimulus, x, y, duration, int(person.max()) + 1, proportions)


def timing_of(scanpaths: Judged) -> dict[tuple[int, int], Array]:
    """Return durations of scanpaths' fixations in ms, by scanpath and stimulus, in order."""
    f = scanpaths.fixations
    return {
        (int(f.person[first]), int(f.stimulus[first])): f.duration_us[first : first + count] / 1000
        for first, count in zip(f.first, f.counts, strict=True)
    }
