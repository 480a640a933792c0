"""How often intervals from posterior draws of a release hold the truth, and those that treat synthetic people as participants."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.stats import norm, t

from studies._people import Array, People, Population
from studies._populations import Released

RESULTS = ("means", "contrasts", "standard deviations", "between people", "correlations")
_LEVEL = 0.95
_PEOPLE = 2000  # drawn from each: sampling them adds little


def results(people: People, population: Population) -> dict[str, Array]:
    """Return what an analyst may compute, in parts of the features' ranges, as `RESULTS`, shape (any,) each."""
    values, of_persons, of_conditions = _levels(people, population)
    mean = np.nanmean(of_conditions, axis=0)
    scale = np.nanstd(values, axis=0)
    present = ~np.isnan(values)
    standard = np.where(present, (values - np.nanmean(values, axis=0)) / scale, 0)
    together = present.T.astype(float) @ present
    correlation = (standard.T @ standard / together)[np.triu_indices(len(scale), 1)]
    found = (
        np.nanmean(of_persons, axis=0),
        (mean[1:] - mean[0]).ravel(),
        scale,
        np.nanstd(of_persons, axis=0),
        correlation,
    )
    return dict(zip(RESULTS, found, strict=True))


def coverage(
    release: Released, population: Population, truth: dict[str, Array], *, draws: int
) -> list[float]:
    """Return the share of intervals that hold the truth: from draws, as `RESULTS`, then of means and contrasts as if synthetic people were participants."""
    found = [
        results(_all_there(draw.sample(people=_PEOPLE, seed=seed)), population)
        for seed, draw in enumerate(release.model.posterior(draws=draws))
    ]
    reach = t.ppf((1 + _LEVEL) / 2, draws - 1) * np.sqrt(1 + 1 / draws)
    shares = []
    for name in RESULTS:
        values = np.array([one[name] for one in found])
        error = np.abs(values.mean(axis=0) - truth[name])
        shares.append(float((error <= reach * values.std(axis=0, ddof=1)).mean()))
    return [*shares, *_as_participants(release.people, population, truth)]


def _as_participants(people: People, population: Population, truth: dict[str, Array]) -> Iterator[float]:
    _, of_persons, of_conditions = _levels(people, population)
    differences = (of_conditions[:, 1:] - of_conditions[:, :1]).reshape(len(of_persons), -1)
    for name, values in zip(RESULTS, (of_persons, differences), strict=False):
        error = np.nanstd(values, axis=0) / np.sqrt(len(values))
        far = np.abs(np.nanmean(values, axis=0) - truth[name])
        yield float((far <= norm.ppf((1 + _LEVEL) / 2) * error).mean())


def _levels(people: People, population: Population) -> tuple[Array, Array, Array]:
    """Values, shape (N, F), means of persons, (people, F), and of their conditions, (people, C, F), in parts of the ranges; NaN where there are none."""
    low, high = (np.asarray(end) for end in (population.low, population.high))
    values = np.where(people.there[..., None], (people.values - low) / (high - low), np.nan)
    present = ~np.isnan(values)
    total, number = np.nansum(values, axis=2), present.sum(axis=2).astype(float)
    of_all = number.sum(axis=1)
    number[number == 0], of_all[of_all == 0] = np.nan, np.nan
    return values[people.there], total.sum(axis=1) / of_all, total / number


def _all_there(values: Array) -> People:
    return People(values, np.ones(values.shape[:3], dtype=bool))
