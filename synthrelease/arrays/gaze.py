"""Mechanisms for arrays of gaze: heatmaps, areas of interest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, Literal

from numpy.typing import ArrayLike

from synthrelease.arrays.options import options_in, takes_options
from synthrelease.arrays.release import ArrayRelease, RequestedGuarantee, released
from synthrelease.data.arguments import flag, listed, plain, screen_keys
from synthrelease.data.in_memory import InMemoryFrame
from synthrelease.plan.entries import ScreenLike

_ROLES = {"x_px": "x", "y_px": "y"}  # of columns that a plan calls otherwise


@takes_options("heatmap")
def heatmaps(
    *,
    person: ArrayLike,
    stimulus: ArrayLike,
    x_px: ArrayLike,
    y_px: ArrayLike,
    screen: ScreenLike,
    stimuli: Sequence[str],
    epsilon: float,
    delta: float = 0.0,
    time: ArrayLike | None = None,
    duration: ArrayLike | None = None,
    neighbours: str = "replace-one",
    assignment_public: bool = False,
    off_screen: str = "error",
    test_seed: int | None = None,
    # options
    mechanism: Literal["spectral", "gaussian", "laplace"] = "spectral",
    width_px: int | None = None,
    height_px: int | None = None,
    blur_px: float | None = None,
    clipping: Literal["joint", "per-stimulus"] = "joint",
    weight: Literal["samples", "duration"] = "samples",
    prior: Literal["centre", "none", "maps"] = "centre",
    maps: str | PathLike[str] | None = None,
    exponent: float = 1.25,
    clip: float = 0.35,
    window: Sequence[float] | None = None,
    blur_time: float | None = None,
    frames: int | None = None,
    cap: int | Literal["private"] = 1,
    caps: Sequence[int] | None = None,
    cap_share: float = 0.1,
    max_samples_per_stimulus: int | Literal["unlimited"] = 100,
    max_stimuli_per_person: int | None = None,
    calibration: Literal["exact", "liu2019"] = "exact",
    # end of options
) -> ArrayRelease:
    """Release a heatmap of where people looked, for every stimulus.

    Args:
        person: labels of people, shape (N,), each a person's own, no place in an array and no rank among others.
        stimulus: labels of stimuli, shape (N,).
        x_px: horizontal position in pixels, shape (N,), NaN where missing.
        y_px: vertical position in pixels, downwards, shape (N,), NaN where missing.
        screen: its size in pixels: a Screen, or width and height.
        stimuli: the public list; rows of others are dropped.
        epsilon: ε per person, of all maps together.
        delta: δ per person; above 0 for "spectral" and "gaussian".
        time: time stamps in any unit, shape (N,); for dynamic maps (`window=[start, end]`).
        duration: how long each row counts, in any unit, shape (N,); for `weight="duration"`.
        neighbours: "replace-one", or "add-remove-one" if the number of people is private.
        assignment_public: whether who saw which stimulus is public: then so are the numbers of viewers.
        off_screen: "error", or "drop" for rows that lie off the screen.
        mechanism: spectral: noise on the cosine coefficients that remain after the blur; by far the least. gaussian, laplace: on every cell (Liu et
            al. 2019). Default "spectral".
        width_px: Columns of the map. spectral: default four for each σ of the blur; no effect on the noise. gaussian, laplace: default the screen's
            width; fewer columns mean less noise.
        height_px: Rows of the map; default as for width_px.
        blur_px: σ of the Gaussian blur, in pixels of the screen; default 3 % of its width.
        clipping: spectral: a person is clipped over all stimuli together, or on each, composed over max_stimuli_per_person. Default "joint".
        weight: spectral: a person's samples count the same, or by the column `duration`. Default "samples".
        prior: spectral: the prior map. centre: the centre bias of public data on photographs. none: uniform. maps: a public map of each stimulus.
            Default "centre".
        maps: spectral, prior = "maps": a folder with a map of each stimulus (<stimulus>.png, .npy), such as of a saliency model, or a table of the
            gaze of other people with the columns of the input; relative to the plan. It is released. It may not be of a participant of any input.
        exponent: spectral, a: frequencies are weighted by their attenuation to the power a. Default 1.25.
        clip: spectral, c₀: norm to which a person is clipped, divided by that of looking at one typical point. Default 0.35.
        window: spectral: [start, end] of a dynamic map, in the unit of `time`; rows outside are dropped.
        blur_time: Dynamic map: σ of the blur over time, in the unit of `time`; default a tenth of the window.
        frames: Dynamic map: frames; default four for each σ of the blur over time.
        cap: gaussian, laplace, m: the most that a person counts in a cell; or "private": chosen from `caps` by DP selection. Default 1.
        caps: Candidates of a private cap, increasing; default 1, 2, 3, 5, 8, … up to max_samples_per_stimulus.
        cap_share: Fraction of the output's ε for a private cap. Default 0.1.
        max_samples_per_stimulus: gaussian, laplace, T: the most samples of a person on a stimulus, or "unlimited"; of more, evenly spaced ones are
            kept. Default 100.
        max_stimuli_per_person: M: on how many stimuli a person counts; their own label decides on which, so it must depend on no one else, as a
            position or a rank does. Default all, or if the assignment is public, the most that any participant saw.
        calibration: gaussian. liu2019: σ of Theorem 3.4 (refused where it is not sufficient). Default "exact".
        test_seed: noise that can be repeated, for tests. The result protects no one.

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
        ...     screen=(800, 600),
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
    output = options_in(locals(), "heatmap")
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
        rows_of(arrays, "heatmaps"),
        input_of_plan("heatmaps", arrays, screen, stimuli, off_screen, assignment_public=assignment_public),
        output,
        RequestedGuarantee(epsilon, delta, neighbours),
        test_seed=test_seed,
    )


@takes_options("areas")
def areas(
    *,
    person: ArrayLike,
    stimulus: ArrayLike,
    x_px: ArrayLike,
    y_px: ArrayLike,
    screen: ScreenLike,
    stimuli: Sequence[str],
    epsilon: float,
    delta: float = 0.0,
    time: ArrayLike | None = None,
    duration: ArrayLike | None = None,
    neighbours: str = "replace-one",
    assignment_public: bool = False,
    off_screen: str = "error",
    test_seed: int | None = None,
    # options
    areas: str | PathLike[str] | Mapping[str, Any],
    label_image: str | PathLike[str] | None = None,
    transitions: bool = False,
    noise: Literal["laplace", "gaussian"] = "laplace",
    weight: Literal["samples", "duration"] = "samples",
    max_stimuli_per_person: int | None = None,
    # end of options
) -> ArrayRelease:
    """Release how people's time divides among areas of interest, and, if asked for, how they went from one to another.

    Args:
        person: labels of people, shape (N,), each a person's own, no place in an array and no rank among others.
        stimulus: labels of stimuli, shape (N,).
        x_px: horizontal position in pixels, shape (N,), NaN where missing.
        y_px: vertical position in pixels, downwards, shape (N,), NaN where missing.
        screen: its size in pixels: a Screen, or width and height.
        stimuli: the public list; rows of others are dropped.
        epsilon: ε per person, of all areas and stimuli together.
        delta: δ per person; for `noise="gaussian"`.
        time: time stamps in any unit, shape (N,); without them rows count in their order.
        duration: how long each row counts, in any unit, shape (N,); for `weight="duration"`.
        neighbours: "replace-one", or "add-remove-one" if the number of people is private.
        assignment_public: whether who saw which stimulus is public.
        off_screen: "error", or "drop" for rows that lie off the screen.
        areas: The areas, public: a table from names to { rectangle = [left, top, right, bottom] }, { polygon = [[x, y], …] } or { label = k }, or the
            path of such a table (TOML, JSON). `stimuli` next to the shape: which have the area, default all. A point belongs to the first area that
            contains it, else to `elsewhere`. Right and bottom edges do not belong to an area, except at the edge of the screen. What a polygon
            surrounds twice is a hole.
        label_image: Path of the label images, such as labels/{stimulus}.png: PNG files with labels of areas as pixels, stretched over the screen.
        transitions: Also release transitions between areas. Laplace noise is then 2 times, Gaussian 1.4 times as large.
        noise: Distribution of the noise. gaussian needs a δ, and is smaller for many stimuli. Default "laplace".
        weight: samples: a person's rows count the same. duration: by the column `duration`; rows without one do not count. Default "samples".
        max_stimuli_per_person: M: on how many stimuli a person counts; their own label decides on which, so it must depend on no one else, as a
            position or a rank does. Default all, or if the assignment is public, the most that any participant saw.
        test_seed: noise that can be repeated, for tests. The result protects no one.

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
        ...     screen=(80, 60),
        ...     stimuli=["1"],
        ...     areas={"face": {"rectangle": [0, 0, 20, 20]}},
        ...     epsilon=1.0,
        ... )
        >>> float(round(looking.of("dwell/shares")["1"].sum(), 3))
        1.0
    """
    output = options_in(locals(), "areas")
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
        rows_of(arrays, "areas"),
        input_of_plan("areas", arrays, screen, stimuli, off_screen, assignment_public=assignment_public),
        output,
        RequestedGuarantee(epsilon, delta, neighbours),
        test_seed=test_seed,
    )


def rows_of(arrays: Mapping[str, ArrayLike | None], name: str) -> InMemoryFrame:
    """Return the rows of arrays that were given, shape (N,) each, in their units; `name` is that of the function."""
    return InMemoryFrame.of_arrays({key: array for key, array in arrays.items() if array is not None}, name)


def input_of_plan(
    name: str,
    arrays: Mapping[str, ArrayLike | None],
    screen: ScreenLike,
    stimuli: Sequence[str],
    off_screen: str,
    *,
    assignment_public: bool,
) -> dict[str, Any]:
    """Return the input in a plan's words, of arrays of shape (N,), in pixels; arguments as of the functions."""
    return {
        "kind": "gaze",
        "columns": {_ROLES.get(key, key): key for key, array in arrays.items() if array is not None},
        "screen": screen_keys(screen, f"{name}().screen"),
        "stimuli": listed(stimuli, f"{name}().stimuli", example='stimuli=["1001.jpg"]'),
        "off_screen": plain(off_screen, f"{name}().off_screen"),
        "assume_public": ["assignment"] if flag(assignment_public, f"{name}().assignment_public") else [],
    }
