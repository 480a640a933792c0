"""Mechanisms for arrays of features: mean signals, statistics, synthetic records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from numpy.typing import ArrayLike

from synthrelease.arrays.options import options_in, takes_options
from synthrelease.arrays.release import ArrayRelease, RequestedGuarantee, released
from synthrelease.data.arguments import plain
from synthrelease.data.feature_arrays import FeatureArrays
from synthrelease.data.in_memory import InMemoryFrame

_OF_GAZE = (
    "areas",
    "bounds",
    "label_image",
)  # statistics of features have bounds as an argument of their own
_OF_TRIALS = ("tokens",)


@takes_options("signals")
def mean_signals(
    *,
    person: ArrayLike,
    values: Mapping[str, ArrayLike],
    bounds: Mapping[str, tuple[float, float]],
    epsilon: float,
    delta: float = 0.0,
    recording: ArrayLike | None = None,
    recordings: Sequence[str] | None = None,
    time: ArrayLike | None = None,
    test_seed: int | None = None,
    # options, needed: length
    mechanism: Literal["spectral", "lpa", "fpa", "cfpa", "dcfpa"] = "spectral",
    noise: Literal["laplace", "gaussian"] | None = None,
    query: Literal["mean", "each"] = "mean",
    length: int,
    step_s: float | None = None,
    completion: Literal["hold", "centre"] = "hold",
    chunk: int | None = None,
    coefficients: int | Literal["private"] | None = None,
    candidates: Sequence[int] | None = None,
    choice_share: float = 0.1,
    max_change: float | None = None,
    clip: float | None = None,
    baseline: Literal["none", "person", "recording", "start"] = "person",
    baseline_steps: int | None = None,
    markov_chain: Sequence[Sequence[float]] | None = None,
    features: Sequence[str] | None = None,
    # end of options
) -> ArrayRelease:
    """Release the course of features over time, on average over people, for every recording.

    Args:
        person: labels of people, shape (N,), each a person's own, no place in an array and no rank among others.
        values: of every feature in its unit, shape (N,), NaN where missing; a dict, or a DataFrame of only these columns.
        bounds: public lower and upper bound of every feature, in its unit; values are clipped to them.
        epsilon: ε per person, of all recordings and features together.
        delta: δ per person; for "spectral" and `noise="gaussian"`.
        recording: labels of recordings, shape (N,); None if every person has one.
        recordings: the public list; rows of others are dropped. It goes with `recording`.
        time: time stamps in any unit, shape (N,); without them rows count in their order.
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
        test_seed: noise that can be repeated, for tests. The result protects no one.

    Returns:
        Arrays by name: "values" and "uncertainty" (one standard deviation), in each feature's unit, shape (recordings, features, length);
        "noisy" are integers. The only recording is called "all" if there is no `recording`.

    Raises:
        InputError: arrays or parameters cannot be used.
        PolicyError: the guarantee would be false or empty.

    Source: `synthrelease/kinds/signals/spectral.proof.md`, `signals.proof.md` (Bozkir et al. 2021).

    Example:
        >>> import numpy as np
        >>> people, steps = 30, 40
        >>> course = np.tile(4 + np.sin(np.arange(steps) / 6), people)
        >>> pupil = mean_signals(
        ...     person=np.repeat(np.arange(people), steps),
        ...     values={"pupil_mm": course},
        ...     bounds={"pupil_mm": (1.5, 8.0)},
        ...     length=steps,
        ...     epsilon=2.0,
        ...     delta=1e-6,
        ... )
        >>> pupil["values"].shape
        (1, 1, 40)
    """
    output = options_in(locals(), "signals")
    roles = {"person": person, "recording": recording, "time": time}
    rows, source = _rows("mean_signals", roles, recordings, values, bounds)
    # Replace-one is all that signals have.
    requested = RequestedGuarantee(epsilon, delta)
    return released("mean_signals", rows, source, output, requested, test_seed=test_seed)


@takes_options("statistics", but=_OF_GAZE)
def statistics(
    *,
    person: ArrayLike,
    values: Mapping[str, ArrayLike],
    bounds: Mapping[str, tuple[float, float]],
    epsilon: float,
    delta: float = 0.0,
    recording: ArrayLike | None = None,
    recordings: Sequence[str] | None = None,
    labels: Mapping[str, ArrayLike] | None = None,
    categories: Mapping[str, Sequence[str]] | None = None,
    neighbours: str = "replace-one",
    test_seed: int | None = None,
    # options
    statistics: Sequence[str],
    noise: Literal["laplace", "gaussian"] = "laplace",
    bins: int = 10,
    quantile_steps: int = 256,
    quantile_share: float | None = None,
    by: str | None = None,
    max_groups_per_person: int | None = None,
    everyone_in_every_group: bool = False,
    features: Sequence[str] | None = None,
    # end of options
) -> ArrayRelease:
    """Release statistics of features over people, all together or by groups (`by="recording"`, or a column of `labels`).

    Args:
        person: labels of people, shape (N,), each a person's own, no place in an array and no rank among others.
        values: of every feature in its unit, shape (N,), NaN where missing; a dict, or a DataFrame of only these columns.
        bounds: public lower and upper bound of every feature, in its unit; values are clipped to them.
        epsilon: ε per person, of all statistics, features and groups together.
        delta: δ per person; for `noise="gaussian"`.
        recording: labels of recordings, shape (N,); None if every person has one.
        recordings: the public list; rows of others are dropped. It goes with `recording`.
        labels: other columns of labels by name, shape (N,) each.
        categories: the public list of labels of each.
        neighbours: "replace-one", or "add-remove-one" if the number of people is private.
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
        test_seed: noise that can be repeated, for tests. The result protects no one.

    Returns:
        Arrays by name: for each statistic, such as "mean/value", in people or the feature's unit, shape (features,), or (groups, features);
        "mean/interval", of 95 %, for the noise only, shape (…, 2); "mean/noisy" are integers. Histograms have a further axis of bins. Quantiles
        have a value and "chosen".

    Raises:
        InputError: arrays or parameters cannot be used.
        PolicyError: the guarantee would be false or empty.

    Source: `synthrelease/kinds/statistics/statistics.proof.md`.

    Example:
        >>> pupil = statistics(
        ...     person=["a", "a", "b", "c"],
        ...     values={"pupil_mm": [3.0, 3.2, 4.1, 2.9]},
        ...     bounds={"pupil_mm": (1.5, 8.0)},
        ...     statistics=["mean", "count"],
        ...     epsilon=1.0,
        ... )
        >>> print(pupil.guarantee)
        ε = 1 per person (replace-one)
        >>> sorted(pupil.keys())
        ['count/interval', 'count/noisy', 'count/value', 'mean/interval', 'mean/noisy', 'mean/value']
    """
    output = options_in(locals(), "statistics", but=_OF_GAZE)
    roles = {"person": person, "recording": recording}
    rows, source = _rows(
        "statistics", roles, recordings, values, bounds, labels=labels, categories=categories
    )
    requested = RequestedGuarantee(epsilon, delta, neighbours)
    return released("statistics", rows, source, output, requested, test_seed=test_seed)


@takes_options("records", but=_OF_TRIALS)
def synthetic_records(
    *,
    person: ArrayLike,
    values: Mapping[str, ArrayLike],
    bounds: Mapping[str, tuple[float, float]],
    epsilon: float = 1.0,
    delta: float = 0.0,
    recording: ArrayLike | None = None,
    recordings: Sequence[str] | None = None,
    labels: Mapping[str, ArrayLike] | None = None,
    categories: Mapping[str, Sequence[str]] | None = None,
    neighbours: str = "replace-one",
    test_seed: int | None = None,
    # options
    model: Literal["marginals", "seeded"],
    dependence: Literal["independent", "tree"] = "independent",
    fit: Literal["exact", "dp"] = "exact",
    noise: Literal["laplace", "gaussian"] | None = None,
    k: int = 8,
    gamma: float = 4,
    count: Literal["person", "record"] = "person",
    threshold: Literal["fixed", "randomized"] = "fixed",
    epsilon0: float | None = None,
    features: Sequence[str] | None = None,
    bins: int | None = None,
    missing: Literal["drop", "category"] = "drop",
    order: Sequence[str] | None = None,
    resampled: int | Sequence[int] | None = None,
    task: str | None = None,
    per_task: bool | None = None,
    rows: int | None = None,
    trials: int | None = None,
    pass_rate: float | None = None,
    copies: Literal["keep", "exclude"] = "keep",
    acknowledge_vacuous: bool = False,
    # end of options
) -> ArrayRelease:
    """Release synthetic records: with differential privacy (`model="marginals", fit="dp"`), or of plausible deniability.

    Args:
        person: labels of people, shape (N,), each a person's own, no place in an array and no rank among others.
        values: of every feature in its unit, shape (N,), NaN where missing; a dict, or a DataFrame of only these columns.
        bounds: public lower and upper bound of every feature, in its unit; values are clipped to them.
        epsilon: ε per person, for `fit="dp"`; other fits take none.
        delta: δ per person, likewise.
        recording: labels of recordings, shape (N,); None if every person has one.
        recordings: the public list; rows of others are dropped. It goes with `recording`.
        labels: other columns of labels by name, shape (N,) each.
        categories: the public list of labels of each.
        neighbours: "replace-one": records need the number of people to be public.
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
        copies: Records that equal a real one in all attributes. Excluding them reveals something about the real ones. Default "keep".
        acknowledge_vacuous: Publish although the test cannot fail, and so has no guarantee.
        test_seed: noise that can be repeated, for tests. The result protects no one.

    Returns:
        Arrays by name, shape (rows,), as a bundle has them: "category/pupil_mm", and "value/pupil_mm" in the unit of the feature.

    Raises:
        InputError: arrays or parameters cannot be used.
        PolicyError: the guarantee would be false or empty.

    Source: `synthrelease/kinds/records/deniability.py` (Bindschaedler et al. 2017, Privacy Tests 1 and 2), docs/explanation/records.md.

    Example:
        >>> import numpy as np
        >>> made = synthetic_records(
        ...     person=np.arange(300),
        ...     values={"pupil_mm": np.linspace(2, 7, 300)},
        ...     bounds={"pupil_mm": (1.5, 8.0)},
        ...     model="marginals",
        ...     fit="dp",
        ...     bins=5,
        ...     rows=100,
        ...     epsilon=1.0,
        ... )
        >>> print(made.guarantee)
        ε = 1 per person (replace-one)
        >>> made["value/pupil_mm"].shape
        (100,)
    """
    output = options_in(locals(), "records", but=_OF_TRIALS)
    roles = {"person": person, "recording": recording}
    frame, source = _rows(
        "synthetic_records", roles, recordings, values, bounds, labels=labels, categories=categories
    )
    requested = RequestedGuarantee(epsilon, delta, neighbours)
    return released("synthetic_records", frame, source, output, requested, test_seed=test_seed)


def _rows(
    name: str,
    roles: Mapping[str, ArrayLike | None],
    recordings: Sequence[str] | None,
    values: Mapping[str, ArrayLike],
    bounds: Mapping[str, tuple[float, float]],
    *,
    labels: Mapping[str, ArrayLike] | None = None,
    categories: Mapping[str, Sequence[str]] | None = None,
) -> tuple[InMemoryFrame, dict[str, Any]]:
    """The rows, and the input in a plan's words."""
    features = FeatureArrays.of(
        f"{name}()", roles, recordings, values, bounds, labels=labels, categories=categories
    )
    source: dict[str, Any] = {
        "kind": "features",
        "columns": features.columns,
        "bounds": plain(features.bounds, f"{name}().bounds"),
        "categories": features.categories,
    }
    if features.recordings is not None:
        source["recordings"] = features.recordings
    return InMemoryFrame.of_arrays(features.arrays, name), source
