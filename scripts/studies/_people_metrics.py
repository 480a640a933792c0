"""How far people are from a population, by the package's measures, and what the model does not have."""

from __future__ import annotations

import numpy as np
import pandas as pd

from studies._people import People, Population
from synthrelease.evaluation.metrics import people as metrics
from synthrelease.evaluation.metrics.people import PeopleErrors, PeopleRows, PeopleSummary

MEASURES = ("tv1", "tv2", "cor", "icc", "lag", "con")


def summary(people: People, population: Population) -> PeopleSummary:
    """Return distributions, correlations, intraclass correlations, autocorrelations and contrasts."""
    person, condition, _ = np.nonzero(people.there)
    values = people.values[people.there]  # noqa: PD011 - not of pandas
    places = (values - population.low) / (population.high - population.low)
    return metrics.summary(PeopleRows(np.clip(places, 0, 1), person, condition, people.there.shape[1]))


def by_feature(one: PeopleSummary, truth: PeopleSummary) -> dict[str, np.ndarray]:
    """Return the error of each measure, by feature, pair or contrast, as `MEASURES`."""
    errors: PeopleErrors = metrics.errors(one, truth)
    return dict(zip(MEASURES, errors, strict=True))


def compared(one: PeopleSummary, truth: PeopleSummary) -> list[float]:
    """Return the mean error of each measure, of correlations and contrasts roots of mean squares, as `MEASURES`."""
    return [
        float(np.sqrt(np.mean(errors**2)) if name in ("cor", "con") else errors.mean())
        for name, errors in by_feature(one, truth).items()
    ]


UNMODELLED = ("drift", "correlations by condition", "scatter of people")


def unmodelled(people: People, population: Population) -> list[float]:
    """Return what people of the model do not have, as `UNMODELLED`, each averaged over features.

    Change over a condition, in standard deviations of values (mean magnitude); root-mean-square deviation of a condition's correlations within people from those of all conditions;
    standard deviation over people of the logarithm of their own standard deviation.
    """
    values = people.values  # noqa: PD011 - not of pandas
    present = people.there[..., None] & ~np.isnan(values)
    filled = np.where(present, values, 0)
    count = np.maximum(present.sum(axis=2, keepdims=True), 1)
    residual = np.where(present, values - filled.sum(axis=2, keepdims=True) / count, 0)
    window = np.broadcast_to(np.arange(values.shape[2])[:, None], values.shape)
    time = np.where(present, window - np.where(present, window, 0).sum(axis=2, keepdims=True) / count, 0)
    slope = (time * residual).sum(axis=(0, 1, 2)) / (time**2).sum(axis=(0, 1, 2))
    drift = np.abs(slope) * population.windows / np.nanstd(values[people.there], axis=0)
    matrices = []
    for c in range(values.shape[1]):
        rows = np.where(present, residual, np.nan)[:, c][people.there[:, c]]
        matrices.append(pd.DataFrame(rows).corr().to_numpy()[np.triu_indices(rows.shape[1], 1)])
    apart = np.sqrt(np.mean((np.array(matrices) - np.mean(matrices, axis=0)) ** 2))
    number = present.sum(axis=(1, 2))
    own = np.sqrt((residual**2).sum(axis=(1, 2)) / np.maximum(number, 1))
    logarithm = np.where(own > 0, np.log(np.where(own > 0, own, 1)), np.nan)  # who never varies has none
    return [float(drift.mean()), float(apart), float(np.nanstd(logarithm, axis=0).mean())]
