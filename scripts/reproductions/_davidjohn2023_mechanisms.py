"""The three mechanisms of David-John, Butler & Jain 2023, on fixations: for comparison only, what they publish is not private.

OSIE has fixations and no samples. A fixation is t = duration × 100 Hz samples of N(µ, σ), σ = 0.5° for everyone; what is released of it is their centre.
Saccades' own samples, and so the C-VAE that draws them, are left out: they change no place, no duration and no order.
"""

from __future__ import annotations

import math

import numpy as np

from reproductions._davidjohn2023_data import (
    DIAGONAL_DEG,
    PX_PER_DEG,
    VIEWING_S,
    Numbers,
    Rectangle,
    fixations_at,
    moved,
    places_px,
)
from synthrelease.kinds.scanpaths.fixations import Fixations
from synthrelease.numerics.public_draws import PublicDraws

SAMPLES_HZ = 100  # of EHTask and DGaze
SIGMA_DEG = 0.5  # of a fixation's samples around its centre, along each axis
SKIP, THRESHOLD_DEG, TESTING = (
    5,
    1.0,
    2,
)  # Kaleido's t_skip in samples, l_thresh and h: 1/h of the budget is for tests
_LEAST_EPSILON = 1e-6  # where a window's budget is spent


def samples_of(fixations: Fixations) -> Numbers:
    """Return how many samples fixations have, one at least, shape (N,)."""
    return np.maximum(1.0, np.rint(fixations.duration_us / 1e6 * SAMPLES_HZ))


def event_synth_pd(fixations: Fixations, draws: PublicDraws) -> Fixations:
    """Return event-synth-PD's fixations: centres of t samples around each real centre; durations, number and order are the real ones.

    Without its test of events, which withholds some and moves none.
    """
    return _centres_of_samples(fixations, places_px(fixations), draws)


def k_same_synth(fixations: Fixations, draws: PublicDraws, *, k: int) -> Fixations:
    """Return k-same-synth's fixations: event by event the mean of a group's, and samples around it; durations, number and order are the real ones.

    On each stimulus people are divided into groups of k to 2k − 1 by lot. The mean of the e-th event is of those in the group who have one.
    """
    trials = Rectangle.of(fixations)
    stimuli = int(trials.stimulus.max()) + 1
    lots = draws.uniform((stimuli, fixations.people))
    rank = np.argsort(np.argsort(lots, axis=1), axis=1)[trials.stimulus, trials.person]
    groups = fixations.people // k
    group = trials.stimulus * groups + np.minimum(rank // k, groups - 1)
    there = np.isfinite(trials.places_px)
    total, count = (np.zeros((stimuli * groups, *there.shape[1:])) for _ in range(2))
    np.add.at(total, group, np.where(there, trials.places_px, 0.0))
    np.add.at(count, group, there)
    mean = (total / np.maximum(count, 1))[group]
    return _centres_of_samples(fixations, mean[fixations.trial, fixations.ordinal], draws)


def _centres_of_samples(fixations: Fixations, centres_px: Numbers, draws: PublicDraws) -> Fixations:
    spread = SIGMA_DEG * PX_PER_DEG / np.sqrt(samples_of(fixations))
    return moved(fixations, centres_px + spread[:, None] * draws.normal(centres_px.shape))


def kaleido(
    fixations: Fixations, draws: PublicDraws, *, epsilon: float, window_s: float, radius_deg: float
) -> Fixations:
    """Return Kaleido's fixations: runs of samples for which the same noisy place is published.

    Every t_skip samples it publishes the last place again, if that is within l_thresh of the real one (with noise), or else a new one with planar Laplace
    noise of ε′/r, where ε′ is half of what is left of the window's budget.
    The threshold's noise is Lap(1/ε_test), as printed: a shift by r moves a distance by r, so that it had to be Lap(r/ε_test).

    Args:
        fixations: the real ones.
        draws: of the noise.
        epsilon: ε, of a window.
        window_s: w, in seconds.
        radius_deg: r, in degrees.
    """
    samples = samples_of(fixations).astype(np.int64)
    trials = fixations.counts.size
    per_trial = np.bincount(fixations.trial, samples, trials).astype(np.int64)
    of_sample = np.repeat(np.arange(samples.size), samples)
    start = np.cumsum(per_trial) - per_trial
    real = places_px(fixations) / PX_PER_DEG
    steps = -(-per_trial // SKIP)
    window = round(window_s * SAMPLES_HZ)
    back = (window - 1) // SKIP  # decisions before this one within the window
    test_scale = TESTING * math.ceil(window / SKIP) / epsilon
    published = np.zeros((trials, int(steps.max()), 2))
    spent = np.zeros(published.shape[:2])
    place = np.full((trials, 2), np.inf)
    for step in range(published.shape[1]):
        at = np.minimum(start + step * SKIP, start + per_trial - 1)
        here = real[of_sample[at]]
        uniform = draws.uniform(trials) - 0.5
        noise = -test_scale * np.sign(uniform) * np.log1p(-2 * np.abs(uniform))
        new = np.hypot(*(here - place).T) > THRESHOLD_DEG + noise
        left = epsilon * (1 - 1 / TESTING) - spent[:, max(0, step - back) : step].sum(axis=1)
        budget = np.maximum(left, _LEAST_EPSILON) / 2
        spent[new, step] = budget[new]
        place = np.where(new[:, None], here + _planar_laplace(budget / radius_deg, draws), place)
        published[:, step] = place
    return _runs(fixations, published * PX_PER_DEG, per_trial)


def _planar_laplace(epsilon: Numbers, draws: PublicDraws) -> Numbers:
    """Return steps of density ε²/(2π)·e^(−ε·length), shape (T, 2): the length is Gamma(2, 1/ε) (Andrés et al. 2013)."""
    length = draws.gamma(2.0, 1.0, epsilon.size) / epsilon
    angle = 2 * np.pi * draws.uniform(epsilon.size)
    return length[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)


def _runs(fixations: Fixations, published_px: Numbers, samples: Numbers) -> Fixations:
    """Runs of the same published place, shape (T, steps, 2), as fixations; trials have so many samples."""
    trial, step = np.nonzero(np.arange(published_px.shape[1]) < -(-samples[:, None] // SKIP))
    whole = fixations_at(trial, trial, published_px[trial, step], np.zeros(trial.size), fixations.people)
    same = np.zeros(trial.size, dtype=np.bool_)
    same[1:] = (np.diff(trial) == 0) & (np.diff(whole.x) == 0) & (np.diff(whole.y) == 0)
    first = np.flatnonzero(~same)
    lasting = np.minimum(SKIP, samples[trial] - step * SKIP)
    run = np.cumsum(~same) - 1
    duration = np.bincount(run, lasting, first.size) * 1000 / SAMPLES_HZ
    source = fixations.first[trial[first]]
    return fixations_at(
        fixations.person[source],
        fixations.stimulus[source],
        published_px[trial[first], step[first]],
        duration,
        fixations.people,
    )


def kaleido_person_epsilon(
    *, epsilon: float, window_s: float, radius_deg: float, stimuli: int, seconds: float = VIEWING_S
) -> float:
    """Return ε of all that a person contributes: windows compose, and a place that can move across the screen is diagonal/r times as distinguishable.

    ⌈stimuli·seconds/w⌉·max(1, diagonal/r)·ε, if the noise of its threshold were scaled by r.
    """
    windows = math.ceil(stimuli * seconds / window_s)
    return windows * max(1.0, DIAGONAL_DEG / radius_deg) * epsilon
