"""Mechanisms for arrays of fixations: statistics of their counts and durations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, Literal

from numpy.typing import ArrayLike

from synthrelease.arrays.gaze import input_of_plan, rows_of
from synthrelease.arrays.options import options_in, takes_options
from synthrelease.arrays.release import ArrayRelease, RequestedGuarantee, released
from synthrelease.plan.entries import ScreenLike
from synthrelease.plan.tables import MeasureBounds


@takes_options("statistics")
def fixation_statistics(
    *,
    person: ArrayLike,
    stimulus: ArrayLike,
    x_px: ArrayLike,
    y_px: ArrayLike,
    duration: ArrayLike,
    screen: ScreenLike,
    stimuli: Sequence[str],
    epsilon: float,
    delta: float = 0.0,
    neighbours: str = "replace-one",
    assignment_public: bool = False,
    off_screen: str = "error",
    test_seed: int | None = None,
    # options, needed: bounds
    statistics: Sequence[str],
    noise: Literal["laplace", "gaussian"] = "laplace",
    bins: int = 10,
    quantile_steps: int = 256,
    quantile_share: float | None = None,
    by: str | None = None,
    max_groups_per_person: int | None = None,
    everyone_in_every_group: bool = False,
    features: Sequence[str] | None = None,
    bounds: MeasureBounds,
    areas: str | PathLike[str] | Mapping[str, Any] | None = None,
    label_image: str | PathLike[str] | None = None,
    # end of options
) -> ArrayRelease:
    """Release statistics of counts and durations of fixations over people, of all their trials or by stimulus (`by="stimulus"`).

    Args:
        person: labels of people, shape (N,), one for every fixation, each a person's own, no place in an array and no rank among others.
        stimulus: labels of stimuli, shape (N,); a person's rows of one stimulus are a trial.
        x_px: horizontal position in pixels, shape (N,), NaN where missing.
        y_px: vertical position in pixels, downwards, shape (N,), NaN where missing.
        duration: of each fixation in any unit, shape (N,); rows without one above 0 are no fixations.
        screen: its size in pixels: a Screen, or width and height.
        stimuli: the public list; rows of others are dropped.
        epsilon: ε per person, of all statistics, measures and stimuli together.
        delta: δ per person; for `noise="gaussian"`.
        neighbours: "replace-one", or "add-remove-one" if the number of people is private.
        assignment_public: whether who saw which stimulus is public.
        off_screen: "error", or "drop" for rows that lie off the screen.
        statistics: Released for every feature and group: count, sum, mean, variance, histogram, median, quantile:p such as quantile:0.25. Each person
            contributes one value: the mean (for histograms, the proportions) of their own.
        noise: Distribution of the noise. gaussian needs a δ, and is far less for many statistics, features and groups. Quantiles are chosen by DP
            selection, without noise. Default "laplace".
        bins: Bins of a histogram. Default 10.
        quantile_steps: Intervals of equal width between the bounds; a quantile is one of them. Default 256.
        quantile_share: Fraction of the output's ε for all quantiles; default their fraction of the statistics.
        by: Groups: recording, or one of the input's categories; of gaze stimulus.
        max_groups_per_person: M: in how many groups a person counts, those with most of the person's rows (on which stimuli, their own label decides,
            which must depend on no one else, as a position or a rank does); default all, or if the assignment is public, the most that any
            participant saw. Set 1 if no participant is in two.
        everyone_in_every_group: Whether your study design puts every participant in every group, as within-subject conditions do. Means, variances
            and histograms are then divided by the public number of participants, without the noise of a count. Of a participant who lacks a group,
            the midpoint of the bounds is counted; the guarantee does not depend on it.
        features: Which of the bounded features; default all.
        bounds: Of gaze, whose rows must be fixations: what is measured in each trial (a participant on a stimulus), with its public [lower, upper]
            bound; values are clipped to it.
        areas: Of gaze: areas to measure in, instead of the whole screen, as of an output of kind areas; without `stimuli`, because all stimuli must
            have them.
        label_image: Of gaze: path of the label images of the areas, such as labels/{stimulus}.png.
        test_seed: noise that can be repeated, for tests. The result protects no one.

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
        ...     screen=(80, 60),
        ...     stimuli=["1"],
        ...     statistics=["mean"],
        ...     bounds={"fixation_count": (0, 20), "fixation_duration": (0, 640)},
        ...     by="stimulus",
        ...     epsilon=1.0,
        ... )
        >>> fixations["mean/value"].shape
        (1, 2)
    """
    output = options_in(locals(), "statistics")
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
        rows_of(arrays, name),
        input_of_plan(name, arrays, screen, stimuli, off_screen, assignment_public=assignment_public),
        output,
        RequestedGuarantee(epsilon, delta, neighbours),
        test_seed=test_seed,
    )
