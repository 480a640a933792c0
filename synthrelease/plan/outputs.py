"""What a plan says of outputs, as classes: generated from the schema of plans by `scripts/make_plan_classes.py`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, ClassVar, Literal

from synthrelease.plan.entries import OutputEntry
from synthrelease.plan.tables import MeasureBounds, TrialTokens


class Heatmap(OutputEntry):
    """Heatmaps: relative fixation density.

    Args:
        name: Name of the output in the bundle: letters, digits, - and _, a letter first. Default: its kind, if no other output is of that kind.
        input: Name of the input it is made of. Default: the only input that it can be made of.
        share: Fraction of the release's ε, such as 0.5. Outputs with neither share nor epsilon divide what is left; those without epsilon get more if
            exact composition leaves room.
        epsilon: ε of this output, instead of a fraction.
        delta: δ of this output; default its fraction of the release's δ.
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
    """

    kind: ClassVar[str] = "heatmap"
    name: str | None = None
    input: str | None = None
    share: float | None = None
    epsilon: float | None = None
    delta: float | None = None
    mechanism: Literal["spectral", "gaussian", "laplace"] = "spectral"
    width_px: int | None = None
    height_px: int | None = None
    blur_px: float | None = None
    clipping: Literal["joint", "per-stimulus"] = "joint"
    weight: Literal["samples", "duration"] = "samples"
    prior: Literal["centre", "none", "maps"] = "centre"
    maps: str | PathLike[str] | None = None
    exponent: float = 1.25
    clip: float = 0.35
    window: Sequence[float] | None = None
    blur_time: float | None = None
    frames: int | None = None
    cap: int | Literal["private"] = 1
    caps: Sequence[int] | None = None
    cap_share: float = 0.1
    max_samples_per_stimulus: int | Literal["unlimited"] = 100
    max_stimuli_per_person: int | None = None
    calibration: Literal["exact", "liu2019"] = "exact"


class Areas(OutputEntry):
    """Areas of interest: proportions of time, and transitions.

    Args:
        name: Name of the output in the bundle: letters, digits, - and _, a letter first. Default: its kind, if no other output is of that kind.
        input: Name of the input it is made of. Default: the only input that it can be made of.
        share: Fraction of the release's ε, such as 0.5. Outputs with neither share nor epsilon divide what is left; those without epsilon get more if
            exact composition leaves room.
        epsilon: ε of this output, instead of a fraction.
        delta: δ of this output; default its fraction of the release's δ.
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
    """

    kind: ClassVar[str] = "areas"
    name: str | None = None
    input: str | None = None
    share: float | None = None
    epsilon: float | None = None
    delta: float | None = None
    areas: str | PathLike[str] | Mapping[str, Any]
    label_image: str | PathLike[str] | None = None
    transitions: bool = False
    noise: Literal["laplace", "gaussian"] = "laplace"
    weight: Literal["samples", "duration"] = "samples"
    max_stimuli_per_person: int | None = None


class Scanpaths(OutputEntry):
    """Synthetic scanpaths: where trials fixate, one fixation after the other, and for how long; with the maps that they follow.

    Args:
        name: Name of the output in the bundle: letters, digits, - and _, a letter first. Default: its kind, if no other output is of that kind.
        input: Name of the input it is made of. Default: the only input that it can be made of.
        share: Fraction of the release's ε, such as 0.5. Outputs with neither share nor epsilon divide what is left; those without epsilon get more if
            exact composition leaves room.
        epsilon: ε of this output, instead of a fraction.
        delta: δ of this output; default its fraction of the release's δ.
        viewing_time_s: How long each stimulus was shown, in seconds, public. Fixations that begin later do not count.
        scanpaths: Scanpaths to draw of each stimulus. They cost nothing: from the bundle anyone can draw more. Default 100.
        duration_unit: Of the input's columns `duration` and `time`. Default "ms".
        prior: The prior map. centre: the centre bias of public data on photographs. none: uniform. maps: a public map of each stimulus. Default
            "centre".
        maps: prior = "maps": a folder with a map of each stimulus (<stimulus>.png, .npy), or a table of the gaze of other people; as of heatmaps.
        prior_flat: How even the coordinates are in which movements are learnt. 0.15: participants are expected to look as in public data (free
            viewing of photographs). 0.5: they may do otherwise, which takes more participants. Default 0.15.
        dynamics_share: Of μ², what movements get; maps get the rest. Default 0.4.
        blur_px: σ of the maps' Gaussian blur, in pixels of the screen; default 3 % of its width.
        exponent: a: frequencies of maps are weighted by their attenuation to the power a. Default 1.25.
        clip: c₀: norm to which a person's maps are clipped, divided by that of looking at one typical point. Default 0.35.
        max_stimuli_per_person: M: on how many stimuli a person counts; their own label decides on which, so it must depend on no one else, as a
            position or a rank does. Default all, or if the assignment is public, the most that any participant saw.
        sampling_seed: Public seed that scanpaths are drawn with, after the noise. Default 0.
    """

    kind: ClassVar[str] = "scanpaths"
    name: str | None = None
    input: str | None = None
    share: float | None = None
    epsilon: float | None = None
    delta: float | None = None
    viewing_time_s: float
    scanpaths: int = 100
    duration_unit: Literal["ms", "s"] = "ms"
    prior: Literal["centre", "none", "maps"] = "centre"
    maps: str | PathLike[str] | None = None
    prior_flat: float = 0.15
    dynamics_share: float = 0.4
    blur_px: float | None = None
    exponent: float = 1.25
    clip: float = 0.35
    max_stimuli_per_person: int | None = None
    sampling_seed: int = 0


class Signals(OutputEntry):
    """Mean time series of features.

    Args:
        name: Name of the output in the bundle: letters, digits, - and _, a letter first. Default: its kind, if no other output is of that kind.
        input: Name of the input it is made of. Default: the only input that it can be made of.
        share: Fraction of the release's ε, such as 0.5. Outputs with neither share nor epsilon divide what is left; those without epsilon get more if
            exact composition leaves room.
        epsilon: ε of this output, instead of a fraction.
        delta: δ of this output; default its fraction of the release's δ.
        mechanism: spectral: noise on the lowest cosines of all of a person's series, clipped together; by far the least. lpa: on every step. fpa,
            cfpa, dcfpa: on the lowest frequencies of series, their chunks, the chunks' differences (Bozkir et al. 2021, corrected). Default
            "spectral".
        noise: Distribution of the noise: default laplace, of spectral always gaussian. gaussian needs a δ, and is far less for several features or
            chunks.
        query: mean over participants, or each participant's own series in random order (not spectral). Default "mean".
        length: Steps of every series, public. Required unless lengths are assumed public.
        step_s: Seconds from one step to the next, public: the time axis of the bundle is then in seconds. Default: steps are numbered.
        completion: Imputation of shorter series. hold: forward-fill. centre: centre of the bounds. Gaps are forward-filled. Default "hold".
        chunk: cfpa, dcfpa, L: steps of a chunk; default 64 of cfpa, 32 of dcfpa.
        coefficients: fpa, cfpa, dcfpa, k: frequencies kept of a series or chunk, default 4; or "private": chosen from `candidates` by DP selection.
            Of spectral: cosines, default 64; many cost little.
        candidates: Candidates of private coefficients, increasing; default 1, 2, 3, 4, 6, 8, … up to all.
        choice_share: Fraction of the output's ε for private coefficients. Default 0.1.
        max_change: dcfpa: most change of a series in a step, as a fraction of the bounds' width; larger ones are spread over several.
        clip: fpa, cfpa, dcfpa: norm to which coefficients are clipped, as a fraction of the largest possible, default 1. spectral: root-mean-square
            deviation to which a person is clipped, as a fraction of half the bounds' width, default 0.03.
        baseline: spectral: what is subtracted from each series first: the mean of all of the person's recordings, of the recording, or of its start.
            Default "person".
        baseline_steps: Steps of the start, for baseline = "start".
        markov_chain: lpa with Laplace noise: transition probabilities, in rows that sum to 1, that an attacker may know. preview then reports what
            one step costs (Cao et al. 2017).
        features: Which of the input's bounded features; default all.
    """

    kind: ClassVar[str] = "signals"
    name: str | None = None
    input: str | None = None
    share: float | None = None
    epsilon: float | None = None
    delta: float | None = None
    mechanism: Literal["spectral", "lpa", "fpa", "cfpa", "dcfpa"] = "spectral"
    noise: Literal["laplace", "gaussian"] | None = None
    query: Literal["mean", "each"] = "mean"
    length: int | None = None
    step_s: float | None = None
    completion: Literal["hold", "centre"] = "hold"
    chunk: int | None = None
    coefficients: int | Literal["private"] | None = None
    candidates: Sequence[int] | None = None
    choice_share: float = 0.1
    max_change: float | None = None
    clip: float | None = None
    baseline: Literal["none", "person", "recording", "start"] = "person"
    baseline_steps: int | None = None
    markov_chain: Sequence[Sequence[float]] | None = None
    features: Sequence[str] | None = None


class Records(OutputEntry):
    """Synthetic records; of gaze, whose rows are fixations, synthetic scanpaths.

    Args:
        name: Name of the output in the bundle: letters, digits, - and _, a letter first. Default: its kind, if no other output is of that kind.
        input: Name of the input it is made of. Default: the only input that it can be made of.
        share: Fraction of the release's ε, such as 0.5. Outputs with neither share nor epsilon divide what is left; those without epsilon get more if
            exact composition leaves room.
        epsilon: ε of this output, instead of a fraction.
        delta: δ of this output; default its fraction of the release's δ.
        model: marginals: all attributes are drawn. seeded: the first ones of a real source record are kept.
        dependence: Attributes are drawn one by one, or each depends on one other, along the best tree. Default "independent".
        fit: exact: counts without noise, so no guarantee for the model's statistics. dp: with noise. Default "exact".
        noise: fit = "dp": distribution of the noise, default laplace. gaussian needs a δ, and is smaller for many attributes.
        k: Plausible source records that every published record has. Default 8.
        gamma: γ: factor by which the probabilities of plausible source records may differ. Default 4.
        count: What k counts. person: each participant enters the test with one record (for each task), drawn among theirs. Default "person".
        threshold: fixed: Privacy Test 1, a criterion. randomized: Privacy Test 2, differentially private if source records and model come from
            different people. Default "fixed".
        epsilon0: ε₀ of the noise on a randomized threshold.
        features: Which of the input's bounded features and categories; default all.
        bins: Equal-width bins of a feature; default 2·√participants, 5 to 30.
        missing: Rows with a missing value: drop them, or make missing a category. Default "drop".
        order: σ: order in which features and categories are kept, default that of the input. It is public: do not choose it by looking at the data.
        resampled: ω: how many attributes are drawn, one number or several. The default keeps as many as k people would share if all categories were
            equally frequent, at least one.
        task: A label that comes first and is always kept: recording, or one of the input's categories.
        per_task: Each task has its own model; default true if there is a task.
        rows: Records to publish; default 1000. With a randomized threshold every trial publishes one.
        trials: Most candidates, default 200 per row. With a randomized threshold, exactly so many; they are charged.
        pass_rate: For preview: proportion of candidates that you expect to pass; default as of equally frequent categories.
        tokens: Of gaze: what is made categories of each trial (a participant on a stimulus), and kept of it.
        copies: Records that equal a real one in all attributes. Excluding them reveals something about the real ones. Default "keep".
        acknowledge_vacuous: Publish although the test cannot fail, and so has no guarantee.
    """

    kind: ClassVar[str] = "records"
    name: str | None = None
    input: str | None = None
    share: float | None = None
    epsilon: float | None = None
    delta: float | None = None
    model: Literal["marginals", "seeded"]
    dependence: Literal["independent", "tree"] = "independent"
    fit: Literal["exact", "dp"] = "exact"
    noise: Literal["laplace", "gaussian"] | None = None
    k: int = 8
    gamma: float = 4
    count: Literal["person", "record"] = "person"
    threshold: Literal["fixed", "randomized"] = "fixed"
    epsilon0: float | None = None
    features: Sequence[str] | None = None
    bins: int | None = None
    missing: Literal["drop", "category"] = "drop"
    order: Sequence[str] | None = None
    resampled: int | Sequence[int] | None = None
    task: str | None = None
    per_task: bool | None = None
    rows: int | None = None
    trials: int | None = None
    pass_rate: float | None = None
    tokens: TrialTokens | None = None
    copies: Literal["keep", "exclude"] = "keep"
    acknowledge_vacuous: bool = False


class People(OutputEntry):
    """Synthetic people: each with windows of features in the order of time, in all recordings.

    Args:
        name: Name of the output in the bundle: letters, digits, - and _, a letter first. Default: its kind, if no other output is of that kind.
        input: Name of the input it is made of. Default: the only input that it can be made of.
        share: Fraction of the release's ε, such as 0.5. Outputs with neither share nor epsilon divide what is left; those without epsilon get more if
            exact composition leaves room.
        epsilon: ε of this output, instead of a fraction.
        delta: δ of this output; default its fraction of the release's δ.
        people: How many synthetic people to draw; default as many as participants. It costs nothing.
        windows: Windows of a synthetic person in each recording, public.
        max_windows: Windows of a participant that count in each recording, the first ones; default twice `windows`.
        lattice: Steps of features that have few values: blink_count = 1.
        pilot: A public table of other people, with the columns of the input; relative to the plan. It may not have a participant of any input.
        sampling_seed: Public seed that people are drawn with, after the noise. Default 0.
        features: Which of the input's bounded features; default all.
    """

    kind: ClassVar[str] = "people"
    name: str | None = None
    input: str | None = None
    share: float | None = None
    epsilon: float | None = None
    delta: float | None = None
    people: int | None = None
    windows: int
    max_windows: int | None = None
    lattice: Mapping[str, float] | None = None
    pilot: str | PathLike[str] | None = None
    sampling_seed: int = 0
    features: Sequence[str] | None = None


class Statistics(OutputEntry):
    """Statistics of features, or of fixations in gaze, over participants, in groups or all together.

    Args:
        name: Name of the output in the bundle: letters, digits, - and _, a letter first. Default: its kind, if no other output is of that kind.
        input: Name of the input it is made of. Default: the only input that it can be made of.
        share: Fraction of the release's ε, such as 0.5. Outputs with neither share nor epsilon divide what is left; those without epsilon get more if
            exact composition leaves room.
        epsilon: ε of this output, instead of a fraction.
        delta: δ of this output; default its fraction of the release's δ.
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
    """

    kind: ClassVar[str] = "statistics"
    name: str | None = None
    input: str | None = None
    share: float | None = None
    epsilon: float | None = None
    delta: float | None = None
    statistics: Sequence[str]
    noise: Literal["laplace", "gaussian"] = "laplace"
    bins: int = 10
    quantile_steps: int = 256
    quantile_share: float | None = None
    by: str | None = None
    max_groups_per_person: int | None = None
    everyone_in_every_group: bool = False
    features: Sequence[str] | None = None
    bounds: MeasureBounds | None = None
    areas: str | PathLike[str] | Mapping[str, Any] | None = None
    label_image: str | PathLike[str] | None = None


OUTPUTS: dict[str, type[OutputEntry]] = {
    "heatmap": Heatmap,
    "areas": Areas,
    "scanpaths": Scanpaths,
    "signals": Signals,
    "records": Records,
    "people": People,
    "statistics": Statistics,
}
