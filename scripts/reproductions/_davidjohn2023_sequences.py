"""Plausible deniability of whole scanpaths: how many people could have been the source of the sequence, not of one event?

Pr{y = M(d)} = Π_t [(1 − λ)·K(y_t − d_t) + λ·p(y_t | y_{t−1})], on cells of the screen: with probability 1 − λ a fixation is near the source's t-th one (K a Gaussian
around it), else it follows from a chain that all people share. What a person's scanpath is too short for has K = 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from reproductions._davidjohn2023_data import PX_PER_DEG, SIZE_PX, Integers, Numbers, Rectangle
from reproductions._davidjohn2023_events import intervals
from reproductions._davidjohn2023_mechanisms import SAMPLES_HZ
from synthrelease.kinds.scanpaths.blocks import SACCADES
from synthrelease.kinds.scanpaths.chain import first_order
from synthrelease.kinds.scanpaths.coordinates import STEPS
from synthrelease.kinds.scanpaths.fixations import Fixations
from synthrelease.kinds.scanpaths.geometry import geometry
from synthrelease.kinds.scanpaths.sampler import LOG_STEPS
from synthrelease.numerics.blur import blurred
from synthrelease.numerics.public_draws import PublicDraws

BLUR_PX = 12.0
_FLAT = 0.15  # of the coordinates that saccades are counted in
_LEAST = 1e-6  # of a map's cell, so that a chain can go everywhere


@dataclass(frozen=True)
class Chain:
    """Gravity model of people's fixations without noise: the favourable case, as others' fixations are as probable as they can be."""

    maps: Numbers  # shape (S, rows, columns), of sum 1 each
    kernel: Numbers  # of displacements, shape (2·rows − 1, 2·columns − 1)
    attraction: Numbers  # shape (S, rows, columns)

    def next(self, stimulus: Integers, row: Integers, column: Integers) -> Numbers:
        """Return the probability of every cell after a cell, shape (N, rows, columns)."""
        rows, columns = self.maps.shape[1:]
        windows = sliding_window_view(self.kernel, (rows, columns))
        weight = windows[rows - 1 - row, columns - 1 - column] * self.attraction[stimulus]
        return weight / weight.sum(axis=(1, 2), keepdims=True)


def chain_of(fixations: Fixations) -> Chain:
    """Return the chain of people's fixations on stimuli that are numbered from 0."""
    cells = geometry(fixations.proportions, _FLAT)
    stimuli = int(fixations.stimulus.max()) + 1
    row, column = fixations.y * cells.rows // STEPS, fixations.x * cells.columns // STEPS
    place = (fixations.stimulus * cells.rows + row) * cells.columns + column
    weight = 1 / fixations.counts[fixations.trial]
    counts = np.bincount(place, weight, stimuli * cells.cells).reshape(stimuli, cells.rows, cells.columns)
    size = int(SIZE_PX[0]), int(SIZE_PX[1])
    maps = np.stack([blurred(one, blur_px=BLUR_PX, screen_px=size) for one in counts])
    maps = np.maximum(maps / maps.sum(axis=(1, 2), keepdims=True), _LEAST)
    maps /= maps.sum(axis=(1, 2), keepdims=True)
    per_saccade = 1 / (fixations.counts[fixations.trial[fixations.saccades]] - 1)
    bins = cells.saccade_bins(fixations.amplitude, fixations.direction)
    saccades = np.bincount(bins, per_saccade, math.prod(SACCADES.cells))
    model = first_order(maps, saccades / saccades.sum(), cells)
    kernel, attraction = (2.0 ** (logs / LOG_STEPS) for logs in (model.kernel, model.attraction))
    return Chain(maps, cells.displacements.kernel(kernel), attraction)


def near(trials: Rectangle, sigma_deg: float, *, of_centre: bool) -> tuple[Numbers, Numbers]:
    """Return K of every fixation along each axis, shapes (T, L, columns) and (T, L, rows), 0 after a trial's last fixation.

    Args:
        trials: the sources.
        sigma_deg: of K, in degrees.
        of_centre: of t samples: σ/√t.
    """
    samples = np.maximum(1.0, np.rint(trials.duration_ms / 1000 * SAMPLES_HZ))
    sigma_px = PX_PER_DEG * sigma_deg / (np.sqrt(samples) if of_centre else np.ones_like(samples))
    cells = geometry(float(SIZE_PX[1] / SIZE_PX[0]), _FLAT)
    out = []
    for axis, count in enumerate((cells.columns, cells.rows)):
        middles = (np.arange(count) + 0.5) / count * SIZE_PX[axis]
        apart = (middles - np.nan_to_num(trials.places_px[..., axis, None])) / sigma_px[..., None]
        weight = np.exp(-0.5 * (apart**2 - (apart**2).min(axis=-1, keepdims=True)))
        weight /= weight.sum(axis=-1, keepdims=True)
        out.append(np.where(np.isfinite(trials.places_px[..., :1]), weight, 0.0))
    return out[0], out[1]


def sequence_test(
    trials: Rectangle,
    chain: Chain,
    kernels: tuple[Numbers, Numbers],
    draws: PublicDraws,
    *,
    share: float,
    gamma: float,
) -> Integers:
    """Return how many people could have been the source of a sequence drawn from each trial, its own person included, shape (T,).

    Args:
        trials: of all people on all stimuli: person by person, each in the order of stimuli.
        chain: what people share.
        kernels: see `near`.
        draws: one draw of each trial.
        share: λ.
        gamma: γ > 1.
    """
    people, stimuli = int(trials.person.max()) + 1, len(chain.maps)
    across, down = kernels
    of_stimulus = (
        np.arange(people) * stimuli + trials.stimulus[:, None]
    )  # the trials of all people on each one's stimulus
    row, column = np.zeros_like(trials.counts), np.zeros_like(trials.counts)
    log_probability = np.zeros((trials.counts.size, people))
    for step in range(across.shape[1]):
        on = np.flatnonzero(trials.counts > step)
        here = trials.stimulus[on]
        shared = chain.next(here, row[on], column[on]) if step else chain.maps[here]
        mixed = (1 - share) * down[on, step, :, None] * across[on, step, None, :] + share * shared
        row[on], column[on] = _drawn(mixed, draws.uniform(on.size))
        sources = of_stimulus[on]
        at = (row[on, None], column[on, None])
        own = down[sources, step, at[0]] * across[sources, step, at[1]]
        by_chain = shared[np.arange(on.size), row[on], column[on]][:, None]
        with np.errstate(divide="ignore"):
            log_probability[on] += np.log((1 - share) * own + share * by_chain)
    finite = np.isfinite(log_probability)
    number = intervals(np.where(finite, np.minimum(log_probability, 0.0), 0.0), gamma)
    own_number = number[np.arange(trials.counts.size), trials.person]
    return ((number == own_number[:, None]) & finite).sum(axis=1)


def _drawn(weights: Numbers, uniform: Numbers) -> tuple[Integers, Integers]:
    """One cell of each table, as row and column."""
    cumulated = np.cumsum(weights.reshape(len(weights), -1), axis=1)
    place = (cumulated < (uniform * cumulated[:, -1])[:, None]).sum(axis=1)
    place = np.minimum(place, cumulated.shape[1] - 1)
    return np.divmod(place, weights.shape[2])
