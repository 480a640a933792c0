"""What noisy series are worth by the paper's measure, and by measures that do not divide by a noisy mean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from joblib import delayed
from numpy.typing import NDArray

from reproductions._bozkir2021_data import Numbers, Recording, Study
from reproductions._bozkir2021_paper import PaperParameters, oracle_coefficients, perturbed
from reproductions._bozkir2021_ways import Way
from reproductions._tasks import in_parallel, seed_of
from synthrelease.dp.noise import SecureRandom
from synthrelease.evaluation.metrics.signals import nmse, relative_mse, series_correlation

_NUMBERS = 1 << 22  # of noisy series in memory at once


class Worth(NamedTuple):
    """Of one way, ε and recording type.

    Attributes:
        utility: mean over features of 1/(mean over people and draws of |NMSE|): the paper's.
        typical: the same with the median over draws in place of their mean.
        by_chunk: as `utility`, with the NMSE of every chunk by itself, which is what k is chosen for.
        relative_mse: median over people and features of the mean over draws of MSE/variance over time.
        correlation: mean over draws, people and features.
        coefficients: the oracle's k, shape (features, chunks).
        without: series left out, whose mean or variance is 0.
    """

    utility: float
    typical: float
    by_chunk: float
    relative_mse: float
    correlation: float
    coefficients: NDArray[np.int64]
    without: int


Worths = dict[tuple[str, float, str], Worth]  # by way, ε, recording type


def worths(
    study: Study,
    ways: Sequence[Way],
    epsilons: Sequence[float],
    *,
    evaluations: int,
    draws: int,
    random: SecureRandom,
    jobs: int | None = None,
) -> Worths:
    """Return the worth of every way at every ε for every recording type."""
    keys = [
        (way, epsilon, recording) for recording in study.recordings for way in ways for epsilon in epsilons
    ]
    tasks = (
        delayed(worth)(
            recording,
            way.parameters(epsilon, evaluations),
            draws=draws,
            seed=seed_of(random, recording.name, way.name, str(epsilon)),
        )
        for way, epsilon, recording in keys
    )
    found = in_parallel(tasks, len(keys), f"{study.name}: utility", jobs)
    return {(way.name, e, r.name): one for (way, e, r), one in zip(keys, found, strict=True)}


def worth(recording: Recording, parameters: PaperParameters, *, draws: int, seed: int) -> Worth:
    """Find k, draw so many releases, and compare each with the series; all seeded."""
    random = SecureRandom.for_tests(seed)
    truth = recording.series
    k = oracle_coefficients(truth, parameters, random=random)
    usable = (truth.mean(axis=-1) != 0) & (truth.var(axis=-1) > 0)
    exact = truth[usable]
    per = max(1, _NUMBERS // truth.size)
    errors, within, relative, correlations = [], [], [], []
    for start in range(0, draws, per):
        some = min(per, draws - start)
        released = perturbed(truth, parameters, random=random, draws=some, coefficients=k).values
        within.append(_by_chunk(released, truth, parameters.chunk))
        noisy = released[:, usable]
        beside = np.broadcast_to(exact, noisy.shape)
        errors.append(np.abs(nmse(noisy, beside)))
        relative.append(relative_mse(noisy, beside))
        correlations.append(series_correlation(noisy, beside))
    error = np.concatenate(errors)
    feature = np.nonzero(usable)[1]
    return Worth(
        utility=_utility(error.mean(axis=0), feature),
        typical=_utility(np.median(error, axis=0), feature),
        by_chunk=_utility(*_averaged(np.concatenate(within))),
        relative_mse=float(np.median(np.concatenate(relative).mean(axis=0))),
        correlation=float(np.concatenate(correlations).mean()),
        coefficients=k,
        without=int((~usable).sum()),
    )


def _by_chunk(released: Numbers, truth: Numbers, chunk: int | None) -> Numbers:
    """|NMSE| of every chunk, NaN where its mean is 0, shape (draws, people, features, chunks)."""
    n = truth.shape[-1]
    found = []
    for start in range(0, n, chunk or n):
        part = slice(start, start + (chunk or n))
        exact = np.broadcast_to(truth[..., part], released[..., part].shape)
        one = np.full(released.shape[:3], np.nan)
        has = exact.mean(axis=-1) != 0
        one[has] = np.abs(nmse(released[..., part][has], exact[has]))
        found.append(one)
    return np.stack(found, axis=-1)


def _averaged(error: Numbers) -> tuple[Numbers, NDArray[np.int64]]:
    """Mean over draws of what there is, and the feature of each."""
    there = ~np.isnan(error[0])
    return error[:, there].mean(axis=0), np.nonzero(there)[1]


def _utility(error: Numbers, feature: NDArray[np.int64]) -> float:
    """Mean over features of 1/(mean over their series)."""
    series = np.bincount(feature)
    there = series > 0
    return float((series[there] / np.bincount(feature, weights=error)[there]).mean())
