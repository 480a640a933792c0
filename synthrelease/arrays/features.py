"""Mechanisms for arrays of features: mean signals, statistics, synthetic records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import ArrayLike

from synthrelease.arrays.release import ArrayRelease, RequestedGuarantee, released
from synthrelease.data.arguments import plain
from synthrelease.data.feature_arrays import FeatureArrays
from synthrelease.data.in_memory import InMemoryFrame


def mean_signals(
    *,
    person: ArrayLike,
    values: Mapping[str, ArrayLike],
    bounds: Mapping[str, tuple[float, float]],
    length: int,
    epsilon: float,
    delta: float = 0.0,
    recording: ArrayLike | None = None,
    recordings: Sequence[str] | None = None,
    time: ArrayLike | None = None,
    mechanism: str = "spectral",
    allow_unprotected: bool = False,
    test_seed: int | None = None,
    **options: Any,
) -> ArrayRelease:
    """Release the course of features over time, on average over people, for every recording.

    Args:
        person: labels of people, shape (N,).
        values: of every feature in its unit, shape (N,), NaN where missing; a dict, or a DataFrame of only these columns.
        bounds: public lower and upper bound of every feature, in its unit; values are clipped to them.
        length: steps of every series, public: longer ones are cut, shorter ones completed.
        epsilon: ε per person, of all recordings and features together.
        delta: δ per person; for "spectral" and `noise="gaussian"`.
        recording: labels of recordings, shape (N,); None if every person has one.
        recordings: the public list; rows of others are dropped. It goes with `recording`.
        time: time stamps in any unit, shape (N,); without them rows count in their order.
        mechanism: "spectral", "lpa", "fpa", "cfpa" or "dcfpa" (`calibration="bozkir2021"`: as published).
        allow_unprotected: allow a mechanism as published although it protects no one; the guarantee says so.
        test_seed: noise that can be repeated, for tests. The result protects no one.
        options: other keys of a plan's signals.

    Returns:
        Arrays by name: "values" and "uncertainty" (one standard deviation), in each feature's unit, shape (recordings, features, length);
        "noisy" are integers. The only recording is called "all" if there is no `recording`.

    Raises:
        InputError: arrays or parameters cannot be used.
        PolicyError: the guarantee would be false or empty.

    Source: `synthrelease/kinds/signals/spectral.proof.md`, `signals.proof.md`, `bozkir2021.proof.md` (Bozkir et al. 2021).

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
    roles = {"person": person, "recording": recording, "time": time}
    rows, source = _rows("mean_signals", roles, recordings, values, bounds)
    output = {"kind": "signals", "mechanism": mechanism, "length": length, **options}
    # Replace-one is all that signals have.
    requested = RequestedGuarantee(epsilon, delta, allow_unprotected=allow_unprotected)
    return released("mean_signals", rows, source, output, requested, test_seed=test_seed)


def statistics(
    *,
    person: ArrayLike,
    values: Mapping[str, ArrayLike],
    bounds: Mapping[str, tuple[float, float]],
    statistics: Sequence[str],
    epsilon: float,
    delta: float = 0.0,
    recording: ArrayLike | None = None,
    recordings: Sequence[str] | None = None,
    labels: Mapping[str, ArrayLike] | None = None,
    categories: Mapping[str, Sequence[str]] | None = None,
    neighbours: str = "replace-one",
    test_seed: int | None = None,
    **options: Any,
) -> ArrayRelease:
    """Release statistics of features over people, all together or by groups (`by="recording"`, or a column of `labels`).

    Args:
        person: labels of people, shape (N,).
        values: of every feature in its unit, shape (N,), NaN where missing; a dict, or a DataFrame of only these columns.
        bounds: public lower and upper bound of every feature, in its unit; values are clipped to them.
        statistics: "count", "sum", "mean", "variance", "histogram", "median", "quantile:0.9"; each for every feature.
        epsilon: ε per person, of all statistics, features and groups together.
        delta: δ per person; for `noise="gaussian"`.
        recording: labels of recordings, shape (N,); None if every person has one.
        recordings: the public list; rows of others are dropped. It goes with `recording`.
        labels: other columns of labels by name, shape (N,) each.
        categories: the public list of labels of each.
        neighbours: "replace-one", or "add-remove-one" if the number of people is private.
        test_seed: noise that can be repeated, for tests. The result protects no one.
        options: other keys of a plan's statistics.

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
    roles = {"person": person, "recording": recording}
    rows, source = _rows(
        "statistics", roles, recordings, values, bounds, labels=labels, categories=categories
    )
    output = {"kind": "statistics", "statistics": statistics, **options}
    requested = RequestedGuarantee(epsilon, delta, neighbours)
    return released("statistics", rows, source, output, requested, test_seed=test_seed)


def synthetic_records(
    *,
    person: ArrayLike,
    values: Mapping[str, ArrayLike],
    bounds: Mapping[str, tuple[float, float]],
    model: str,
    epsilon: float = 1.0,
    delta: float = 0.0,
    recording: ArrayLike | None = None,
    recordings: Sequence[str] | None = None,
    labels: Mapping[str, ArrayLike] | None = None,
    categories: Mapping[str, Sequence[str]] | None = None,
    neighbours: str = "replace-one",
    allow_unprotected: bool = False,
    test_seed: int | None = None,
    **options: Any,
) -> ArrayRelease:
    """Release synthetic records: with differential privacy (`model="marginals", fit="dp"`), or of plausible deniability.

    Args:
        person: labels of people, shape (N,).
        values: of every feature in its unit, shape (N,), NaN where missing; a dict, or a DataFrame of only these columns.
        bounds: public lower and upper bound of every feature, in its unit; values are clipped to them.
        model: "marginals" or "seeded" (David-John et al. 2022).
        epsilon: ε per person, for `fit="dp"`; other fits take none.
        delta: δ per person, likewise.
        recording: labels of recordings, shape (N,); None if every person has one.
        recordings: the public list; rows of others are dropped. It goes with `recording`.
        labels: other columns of labels by name, shape (N,) each.
        categories: the public list of labels of each.
        neighbours: "replace-one": records need the number of people to be public.
        allow_unprotected: allow a mechanism that protects no one; the guarantee says so.
        test_seed: noise that can be repeated, for tests. The result protects no one.
        options: other keys of a plan's records, such as `k`, `gamma`, `bins`, `task`, `rows`.

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
    roles = {"person": person, "recording": recording}
    rows, source = _rows(
        "synthetic_records", roles, recordings, values, bounds, labels=labels, categories=categories
    )
    output = {"kind": "records", "model": model, **options}
    requested = RequestedGuarantee(epsilon, delta, neighbours, allow_unprotected)
    return released("synthetic_records", rows, source, output, requested, test_seed=test_seed)


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
