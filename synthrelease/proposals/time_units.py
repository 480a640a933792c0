"""Units of times and durations whose names say none, as their values look: for the curator to check. The plan says it in comments, and decides nothing by it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from synthrelease.proposals.missing_codes import NUMBERS, finite_values
from synthrelease.proposals.roles import DURATION, TIME, Roles
from synthrelease.proposals.usual_ranges import PER_SECOND, usual_range
from synthrelease.units import unit_of

_DURATIONS_S = (0.02, 5.0)  # in which the middle one lies: of fixations, saccades, blinks
# Of trackers: 60, 90, 120, 150, 200, 240, 250, 300, 500, 600, 1000, 1200, 2000 Hz; slower ones and webcams.
_RATES_HZ = np.array([25, 30, 50, 60, 90, 100, 120, 150, 200, 240, 250, 300, 500, 600, 1000, 1200, 2000])
_NEAR = 0.02  # of a rate
_MOST_STEPS = 0.5  # that must be the usual one


def guessed_units(frame: pl.DataFrame, roles: Roles, features: Sequence[str]) -> dict[str, str]:
    """Return the units that times and durations without one seem to be in, by column; nothing of those that could be in several.

    Args:
        frame: some rows.
        roles: of their columns.
        features: columns of numbers without a role.
    """
    time, duration = roles.best(TIME), roles.best(DURATION)
    durations = [*([duration] if duration else []), *(name for name in features if _is_duration(name))]
    guesses = {name: _of_durations(_values(frame[name])) for name in durations if not unit_of(name)}
    if time and not roles.time_unit and not unit_of(time):
        unit = _of_times(_values(frame[time]))
        guesses[time] = "" if unit == "µs" and not roles.gaze else unit  # windows may be as many ms apart
    return {name: unit for name, unit in guesses.items() if unit}


def _is_duration(column: str) -> bool:
    usual = usual_range(column)
    return usual is not None and usual.unit == "s"


def _values(cells: pl.Series) -> NDArray[np.float64]:
    values = finite_values(cells)
    return values[~np.isin(values, NUMBERS)]


def _of_durations(values: NDArray[np.float64]) -> str:
    values = values[values > 0]
    if not values.size:
        return ""
    low, high = _DURATIONS_S
    middle = float(np.median(values))
    return next((unit for unit, parts in PER_SECOND.items() if low * parts <= middle <= high * parts), "")


def _of_times(values: NDArray[np.float64]) -> str:
    """The unit in which most steps are those of a tracker; a step of 1 may count rows."""
    steps = np.diff(values)
    steps = steps[steps > 0]
    if not steps.size:
        return ""
    step = float(np.median(steps))
    if step == 1 or np.mean(np.abs(steps - step) <= _NEAR * step) < _MOST_STEPS:
        return ""
    for unit, parts in PER_SECOND.items():
        if (np.abs(parts / step - _RATES_HZ) <= _NEAR * _RATES_HZ).any():
            return unit
    return ""
