"""Mechanisms for arrays of gaze: heatmaps, areas of interest, statistics of fixations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import ArrayLike

from synthrelease.arrays.release import ArrayRelease, RequestedGuarantee, released
from synthrelease.data.arguments import flag, listed, plain, screen_keys
from synthrelease.data.in_memory import InMemoryFrame
from synthrelease.data.screen import Screen

_ROLES = {"x_px": "x", "y_px": "y"}  # of columns that a plan calls otherwise


def heatmaps(
    *,
    person: ArrayLike,
    stimulus: ArrayLike,
    x_px: ArrayLike,
    y_px: ArrayLike,
    screen: Screen,
    stimuli: Sequence[str],
    epsilon: float,
    delta: float = 0.0,
    time: ArrayLike | None = None,
    duration: ArrayLike | None = None,
    neighbours: str = "replace-one",
    assignment_public: bool = False,
    off_screen: str = "error",
    mechanism: str = "spectral",
    allow_unprotected: bool = False,
    test_seed: int | None = None,
    **options: Any,
) -> ArrayRelease:
    """Release a heatmap of where people looked, for every stimulus.

    Args:
        person: labels of people, shape (N,).
        stimulus: labels of stimuli, shape (N,).
        x_px: horizontal position in pixels, shape (N,), NaN where missing.
        y_px: vertical position in pixels, downwards, shape (N,), NaN where missing.
        screen: its size in pixels.
        stimuli: the public list; rows of others are dropped.
        epsilon: ε per person, of all maps together.
        delta: δ per person; above 0 for "spectral" and "gaussian".
        time: time stamps in any unit, shape (N,); for dynamic maps (`window=[start, end]`).
        duration: how long each row counts, in any unit, shape (N,); for `weight="duration"`.
        neighbours: "replace-one", or "add-remove-one" if the number of people is private.
        assignment_public: whether who saw which stimulus is public: then so are the numbers of viewers.
        off_screen: "error", or "drop" for rows that lie off the screen.
        mechanism: "spectral", "gaussian" or "laplace" (`calibration="liu2019"`: as published).
        allow_unprotected: allow a mechanism as published although it protects no one; the guarantee says so.
        test_seed: noise that can be repeated, for tests. The result protects no one.
        options: other keys of a plan's heatmap, such as `blur_px` (pixels).

    Returns:
        Arrays by name, of each stimulus in its order. With "spectral" there are "heatmap" and "uncertainty" (one standard deviation), shape
        (stimuli, rows, columns), relative fixation density (1 = uniform); with the others "heatmap", mean counts per person.
        "noisy" are integers.

    Raises:
        InputError: arrays or parameters cannot be used.
        PolicyError: the guarantee would be false or empty.

    Source: `synthrelease/kinds/heatmap/spectral.proof.md`, `cells.proof.md` (Liu et al. 2019).

    Example:
        >>> import numpy as np
        >>> people, points = 200, 20
        >>> maps = heatmaps(
        ...     person=np.repeat(np.arange(people), points),
        ...     stimulus=np.full(people * points, "1005"),
        ...     x_px=np.linspace(300, 500, people * points),
        ...     y_px=np.linspace(200, 400, people * points),
        ...     screen=Screen(800, 600),
        ...     stimuli=["1005"],
        ...     epsilon=1.0,
        ...     delta=1e-6,
        ... )
        >>> print(maps.guarantee)
        ε = 1, δ = 1e-06 per person (replace-one)
        >>> maps["heatmap"].shape
        (1, 100, 134)
        >>> [axis.name for axis in maps.datasets["heatmap"].axes]
        ['stimulus', 'y_px', 'x_px']
    """
    arrays = {
        "person": person,
        "stimulus": stimulus,
        "x_px": x_px,
        "y_px": y_px,
        "time": time,
        "duration": duration,
    }
    return released(
        "heatmaps",
        _rows(arrays, "heatmaps"),
        _input_of_plan("heatmaps", arrays, screen, stimuli, off_screen, assignment_public=assignment_public),
        {"kind": "heatmap", "mechanism": mechanism, **options},
        RequestedGuarantee(epsilon, delta, neighbours, allow_unprotected),
        test_seed=test_seed,
    )


def areas(
    *,
    person: ArrayLike,
    stimulus: ArrayLike,
    x_px: ArrayLike,
    y_px: ArrayLike,
    screen: Screen,
    stimuli: Sequence[str],
    areas: Mapping[str, Mapping[str, Any]],
    epsilon: float,
    delta: float = 0.0,
    transitions: bool = False,
    time: ArrayLike | None = None,
    duration: ArrayLike | None = None,
    neighbours: str = "replace-one",
    assignment_public: bool = False,
    off_screen: str = "error",
    test_seed: int | None = None,
    **options: Any,
) -> ArrayRelease:
    """Release how people's time divides among areas of interest, and, if asked for, how they went from one to another.

    Args:
        person: labels of people, shape (N,).
        stimulus: labels of stimuli, shape (N,).
        x_px: horizontal position in pixels, shape (N,), NaN where missing.
        y_px: vertical position in pixels, downwards, shape (N,), NaN where missing.
        screen: its size in pixels.
        stimuli: the public list; rows of others are dropped.
        areas: public shapes in pixels by name: {"face": {"rectangle": [left, top, right, bottom]}}, or {"polygon": [[x, y], …]}.
        epsilon: ε per person, of all areas and stimuli together.
        delta: δ per person; for `noise="gaussian"`.
        transitions: whether to release shares of transitions.
        time: time stamps in any unit, shape (N,); without them rows count in their order.
        duration: how long each row counts, in any unit, shape (N,); for `weight="duration"`.
        neighbours: "replace-one", or "add-remove-one" if the number of people is private.
        assignment_public: whether who saw which stimulus is public.
        off_screen: "error", or "drop" for rows that lie off the screen.
        test_seed: noise that can be repeated, for tests. The result protects no one.
        options: other keys of a plan's areas.

    Returns:
        Arrays by name: "dwell/shares", proportions of time, dimensionless, shape (stimuli, A), the last area being "elsewhere";
        "transitions/shares", shape (stimuli, A, A); "dwell/noisy" and "transitions/noisy" are integers.

    Raises:
        InputError: arrays or parameters cannot be used.
        PolicyError: the guarantee would be false or empty.

    Source: `synthrelease/kinds/areas/areas.proof.md`.

    Example:
        >>> looking = areas(
        ...     person=["a", "a", "b"],
        ...     stimulus=["1", "1", "1"],
        ...     x_px=[10, 50, 12],
        ...     y_px=[10, 50, 11],
        ...     screen=Screen(80, 60),
        ...     stimuli=["1"],
        ...     areas={"face": {"rectangle": [0, 0, 20, 20]}},
        ...     epsilon=1.0,
        ... )
        >>> float(round(looking.of("dwell/shares")["1"].sum(), 3))
        1.0
    """
    arrays = {
        "person": person,
        "stimulus": stimulus,
        "x_px": x_px,
        "y_px": y_px,
        "time": time,
        "duration": duration,
    }
    return released(
        "areas",
        _rows(arrays, "areas"),
        _input_of_plan("areas", arrays, screen, stimuli, off_screen, assignment_public=assignment_public),
        {"kind": "areas", "areas": areas, "transitions": transitions, **options},
        RequestedGuarantee(epsilon, delta, neighbours),
        test_seed=test_seed,
    )


def fixation_statistics(
    *,
    person: ArrayLike,
    stimulus: ArrayLike,
    x_px: ArrayLike,
    y_px: ArrayLike,
    duration: ArrayLike,
    screen: Screen,
    stimuli: Sequence[str],
    statistics: Sequence[str],
    bounds: Mapping[str, tuple[float, float]],
    epsilon: float,
    delta: float = 0.0,
    neighbours: str = "replace-one",
    assignment_public: bool = False,
    off_screen: str = "error",
    test_seed: int | None = None,
    **options: Any,
) -> ArrayRelease:
    """Release statistics of counts and durations of fixations over people, of all their trials or by stimulus (`by="stimulus"`).

    Args:
        person: labels of people, shape (N,), one for every fixation.
        stimulus: labels of stimuli, shape (N,); a person's rows of one stimulus are a trial.
        x_px: horizontal position in pixels, shape (N,), NaN where missing.
        y_px: vertical position in pixels, downwards, shape (N,), NaN where missing.
        duration: of each fixation in any unit, shape (N,); rows without one above 0 are no fixations.
        screen: its size in pixels.
        stimuli: the public list; rows of others are dropped.
        statistics: "count", "sum", "mean", "variance", "histogram", "median", "quantile:0.9"; each for every measure.
        bounds: what is measured of a trial, "fixation_count", "fixation_duration" (their mean), "total_fixation_duration", each with its public
            lower and upper bound, durations in their unit.
        epsilon: ε per person, of all statistics, measures and stimuli together.
        delta: δ per person; for `noise="gaussian"`.
        neighbours: "replace-one", or "add-remove-one" if the number of people is private.
        assignment_public: whether who saw which stimulus is public.
        off_screen: "error", or "drop" for rows that lie off the screen.
        test_seed: noise that can be repeated, for tests. The result protects no one.
        options: other keys of a plan's statistics, such as `areas`, to measure in.

    Returns:
        Arrays by name, as of `statistics`: the features are the measures, or those of each area; groups are the stimuli.

    Raises:
        InputError: arrays or parameters cannot be used.
        PolicyError: the guarantee would be false or empty.

    Source: `synthrelease/kinds/statistics/statistics.proof.md`.

    Example:
        >>> fixations = fixation_statistics(
        ...     person=["a", "a", "b"],
        ...     stimulus=["1", "1", "1"],
        ...     x_px=[10, 50, 12],
        ...     y_px=[10, 50, 11],
        ...     duration=[250, 180, 310],
        ...     screen=Screen(80, 60),
        ...     stimuli=["1"],
        ...     statistics=["mean"],
        ...     bounds={"fixation_count": (0, 20), "fixation_duration": (0, 640)},
        ...     by="stimulus",
        ...     epsilon=1.0,
        ... )
        >>> fixations["mean/value"].shape
        (1, 2)
    """
    arrays = {
        "person": person,
        "stimulus": stimulus,
        "x_px": x_px,
        "y_px": y_px,
        "duration": duration,
    }
    name = "fixation_statistics"
    return released(
        name,
        _rows(arrays, name),
        _input_of_plan(name, arrays, screen, stimuli, off_screen, assignment_public=assignment_public),
        {
            "kind": "statistics",
            "statistics": statistics,
            "bounds": plain(bounds, f"{name}().bounds"),
            **options,
        },
        RequestedGuarantee(epsilon, delta, neighbours),
        test_seed=test_seed,
    )


def _rows(arrays: Mapping[str, ArrayLike | None], name: str) -> InMemoryFrame:
    return InMemoryFrame.of_arrays({key: array for key, array in arrays.items() if array is not None}, name)


def _input_of_plan(
    name: str,
    arrays: Mapping[str, ArrayLike | None],
    screen: Screen,
    stimuli: Sequence[str],
    off_screen: str,
    *,
    assignment_public: bool,
) -> dict[str, Any]:
    """The input in a plan's words."""
    return {
        "kind": "gaze",
        "columns": {_ROLES.get(key, key): key for key, array in arrays.items() if array is not None},
        "screen": screen_keys(screen, f"{name}().screen"),
        "stimuli": listed(stimuli, f"{name}().stimuli", example='stimuli=["1001.jpg"]'),
        "off_screen": plain(off_screen, f"{name}().off_screen"),
        "assume_public": ["assignment"] if flag(assignment_public, f"{name}().assignment_public") else [],
    }
