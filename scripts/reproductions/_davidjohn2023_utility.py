"""What published fixations keep: maps, movements, and what predicts a person's next fixation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from reproductions._davidjohn2023_data import SCREEN, Numbers, on_stimuli
from synthrelease.evaluation.metrics.maps import correlation
from synthrelease.evaluation.metrics.scanpaths import NextFixation, divergence, spreads
from synthrelease.kinds.scanpaths.coordinates import STEPS
from synthrelease.kinds.scanpaths.fixations import Fixations
from synthrelease.numerics.blur import blurred

BLUR_PX = 24.0
_ROWS, _COLUMNS = 150, 200
DIVERGENCES = ("amplitude", "direction", "turn", "duration_ms")


class Utility(NamedTuple):
    """Means over blocks of images."""

    correlation: float  # CC of maps of all people on an image, published and real
    divergences: tuple[float, ...]  # Jensen–Shannon, in bits, of `DIVERGENCES`
    bits: float  # per real fixation, better than an even guess, of what learnt from the published ones


def utility(
    released: Fixations, raw: Fixations, blocks: Sequence[Sequence[int]], tested: Fixations
) -> Utility:
    """Return what published fixations keep.

    Args:
        released: published, on the stimuli of the blocks.
        raw: the real ones.
        blocks: of stimuli; the model of the next fixation learns from the first.
        tested: real fixations on stimuli of no block, which are predicted.
    """
    correlations, divergences = [], []
    for stimuli in blocks:
        sides = [on_stimuli(one, stimuli) for one in (released, raw)]
        correlations += [correlation(*(_map(one, stimulus) for one in sides)) for stimulus in stimuli]
        shown, real = (spreads(one) for one in sides)
        divergences.append([divergence(shown[name], real[name], name) for name in DIVERGENCES])
    bits = NextFixation(on_stimuli(released, blocks[0])).bits(tested)
    return Utility(float(np.mean(correlations)), tuple(np.mean(divergences, axis=0).tolist()), bits)


def _map(fixations: Fixations, stimulus: int) -> Numbers:
    """Where people look at a stimulus, each weighing the same, blurred."""
    rows = np.flatnonzero(fixations.stimulus == stimulus)
    weight = 1 / fixations.counts[fixations.trial[rows]]
    cell = fixations.y[rows] * _ROWS // STEPS * _COLUMNS + fixations.x[rows] * _COLUMNS // STEPS
    counts = np.bincount(cell, weight, _ROWS * _COLUMNS).reshape(_ROWS, _COLUMNS)
    return blurred(counts, blur_px=BLUR_PX, screen_px=(SCREEN.width_px, SCREEN.height_px))
