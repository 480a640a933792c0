"""Chains of a release, from its datasets: fitted once for the same ones, as several datasets follow from each (`scanpaths.proof.md`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synthrelease.data.screen import Screen
from synthrelease.kinds.scanpaths.blocks import TRIALS
from synthrelease.kinds.scanpaths.chain import Asked, FirstOrder, first_order, tables
from synthrelease.kinds.scanpaths.densities import starts_on_screen
from synthrelease.kinds.scanpaths.drawing import ScanpathModel
from synthrelease.kinds.scanpaths.dynamics_prior import dynamics_prior
from synthrelease.kinds.scanpaths.geometry import Geometry, geometry, level_bins
from synthrelease.kinds.scanpaths.sampler import LOG_STEPS, Logs, Tables
from synthrelease.kinds.scanpaths.trials import TrialForm, TrialModel
from synthrelease.numerics.array_key import ArrayKey

Array = NDArray[Any]
Arrays = Mapping[str, Array]  # by path below the output
_Keys = tuple[ArrayKey, ...]

DENSITY = "density"
FIRST = ("first_order/kernel", "first_order/attraction")
CHAIN = ("chain/start", "chain/kernel", "chain/attraction", "chain/turns", "chain/order")
_OF_TRIALS = ("trials/density", "durations/density")
ASKED = (DENSITY, "saccades/density", "turns/density", "order/density", "starts/density", *_OF_TRIALS, *FIRST)
DRAWN_BY = (DENSITY, *_OF_TRIALS, *CHAIN)
_MOST_RESULTS = 2


@dataclass(frozen=True)
class Shown:
    """What was shown, and what is expected of people: public, and all that chains take besides a release's datasets."""

    stimuli: tuple[str, ...]
    screen: Screen
    seconds: float
    flat: float

    @property
    def geometry(self) -> Geometry:
        """The cells of the screen."""
        return geometry(self.screen.height_px / self.screen.width_px, self.flat)

    @property
    def trial_form(self) -> TrialForm:
        """What is public of trials."""
        known = dynamics_prior(self.flat).coordinates
        return TrialForm(self.seconds, known["rate_per_s"], known["fixated_share"], known["duration_ms"])


def fitted_first_order(shown: Shown, density: Array, saccades: Array) -> FirstOrder:
    """Return the gravity model of a release.

    Args:
        shown: what is public.
        density: probabilities of cells, shape (S, rows, columns).
        saccades: probabilities of bins, of any shape.
    """
    return _first_order(shown, ArrayKey(density), ArrayKey(saccades))


def fitted_tables(shown: Shown, arrays: Arrays) -> Tables:
    """Return what scanpaths of a release are drawn by, from the datasets `ASKED`, in their own units and shapes."""
    return _tables(shown, tuple(ArrayKey(arrays[path]) for path in ASKED))


def released_tables(shown: Shown, arrays: Arrays) -> ScanpathModel:
    """Return what scanpaths of a release are drawn by, from the datasets `DRAWN_BY`, in their own units and shapes."""
    return _model(shown, tuple(ArrayKey(arrays[path]) for path in DRAWN_BY))


@lru_cache(maxsize=_MOST_RESULTS)
def _first_order(shown: Shown, density: ArrayKey, saccades: ArrayKey) -> FirstOrder:
    return first_order(_exact(density.array), _exact(saccades.array).ravel(), shown.geometry)


@lru_cache(maxsize=_MOST_RESULTS)
def _tables(shown: Shown, keys: _Keys) -> Tables:
    arrays = {path: key.array for path, key in zip(ASKED, keys, strict=True)}
    saccades, turns, order, starts = (
        _exact(arrays[f"{name}/density"]) for name in ("saccades", "turns", "order", "starts")
    )
    known, cells = dynamics_prior(shown.flat).coordinates, shown.geometry
    asked = Asked(
        _exact(arrays[DENSITY]),
        saccades.ravel(),
        turns.ravel(),
        order / order.sum(axis=1, keepdims=True),
        starts_on_screen(starts.ravel(), known["first_x"], known["first_y"], (cells.rows, cells.columns)),
        _trials(shown, arrays),
    )
    first = FirstOrder(_logs(arrays[FIRST[0]]).ravel(), _logs(arrays[FIRST[1]]))
    return tables(asked, first, cells)


@lru_cache(maxsize=_MOST_RESULTS)
def _model(shown: Shown, keys: _Keys) -> ScanpathModel:
    arrays = {path: key.array for path, key in zip(DRAWN_BY, keys, strict=True)}
    start, kernel, attraction, turns, order = (_logs(arrays[path]) for path in CHAIN)
    bins = level_bins(_exact(arrays[DENSITY]))
    drawn_by = Tables(shown.geometry, start, kernel.ravel(), attraction, turns.ravel(), order, bins)
    return ScanpathModel(shown.stimuli, shown.screen, drawn_by, _trials(shown, arrays))


def _trials(shown: Shown, arrays: Arrays) -> TrialModel:
    of_trials, durations = (_exact(arrays[path]) for path in _OF_TRIALS)
    return TrialModel(shown.trial_form, of_trials.reshape(TRIALS.cells), durations.ravel())


def _exact(array: Array) -> NDArray[np.float64]:
    return array.astype(np.float64)


def _logs(array: Array) -> Logs:
    return np.rint(_exact(array) * LOG_STEPS).astype(np.int16)
