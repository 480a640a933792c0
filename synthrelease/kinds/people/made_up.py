"""Made-up people, as scores and as values in a range: what weights are chosen by. They come from no data.

The populations are random factor models with random intraclass correlations, autocorrelations, and effects of conditions
(`people.proof.md`: they are public).
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from synthrelease.kinds.people.form import MOST_SCORE, SCORE_STEPS, PeopleForm
from synthrelease.kinds.people.vectors import Windows, dependence
from synthrelease.numerics.public_draws import PublicDraws

Numbers = NDArray[np.float64]
_POPULATIONS, _PEOPLE = 40, 40
_FEATURES, _PEOPLE_OF_FEATURE, _WINDOWS_OF_FEATURE = 300, 60, 30
_MOST_WINDOWS = 40  # of a condition: what is learned of more is much the same


def feature_coefficients(cosines: int, random: PublicDraws) -> Numbers:
    """Return dimensionless cosine coefficients of made-up people, of features of random places and widths in their range, shape (people, features, K)."""
    place = random.between(0.05, 0.95, _FEATURES)
    width = np.exp(random.between(math.log(0.03), math.log(0.25), _FEATURES))
    share = random.beta(2.5, 2, _FEATURES)
    of_person = random.normal((_PEOPLE_OF_FEATURE, _FEATURES)) * np.sqrt(share) * width + place
    noise = random.normal((_PEOPLE_OF_FEATURE, _FEATURES, _WINDOWS_OF_FEATURE))
    values = of_person[..., None] + noise * (np.sqrt(1 - share) * width)[:, None]
    is_skewed = random.integers(0, 3, _FEATURES) == 1
    relative = (values - place[:, None]) / np.maximum(place[:, None], 0.1)
    skewed = place[:, None] * np.exp(np.clip(relative, -3, 3))
    values = np.where(is_skewed[:, None], skewed, values)
    angles = math.pi * np.clip(values, 0, 1)
    orders = range(1, cosines + 1)  # one after the other: values of all are a hundred megabytes
    return np.stack([math.sqrt(2) * np.cos(order * angles).mean(axis=-1) for order in orders], axis=-1)


def dependence_vectors(form: PeopleForm, windows: int, random: PublicDraws) -> Iterator[Numbers]:
    """Yield the third vectors of made-up people of one population after the other, products of scores in units of their variance, shape (people, size).

    Args:
        form: of the vectors.
        windows: of a person in a condition.
        random: public.
    """
    count = min(windows, _MOST_WINDOWS)
    person, condition, _ = np.indices((_PEOPLE, form.conditions, count)).reshape(3, -1)
    rows = Windows(person, condition, _PEOPLE)
    for _ in range(_POPULATIONS):
        scores = _scores(form, count, random).reshape(-1, form.features)
        steps = np.rint(np.clip(scores, -MOST_SCORE, MOST_SCORE) * SCORE_STEPS).astype(np.int64)
        yield dependence(rows, steps, np.ones(steps.shape, dtype=np.bool_), form)


def _scores(form: PeopleForm, windows: int, random: PublicDraws) -> Numbers:
    """Normal scores of a population, shape (people, conditions, windows, F)."""
    features, conditions = form.features, form.conditions
    factors = int(random.integers(1, 4)[0])
    between = random.beta(2.5, 2, features)
    of_persons = random.normal((features, factors)) * random.gamma(1.5, 0.5, factors)
    of_windows = 0.6 * of_persons * random.integers(0, 2)[0] + 0.5 * random.normal((features, factors))
    persistence = np.clip(random.beta(4, 3) + 0.12 * random.normal(features), 0, 0.95)
    slope = random.between(0.02, 0.2)[0]
    effects = random.gamma(1.5, 0.1)[0] * random.normal((conditions, features))
    effects -= effects.mean(axis=0)
    scale = np.exp(random.between(0.1, 0.4)[0] * random.normal(_PEOPLE))
    level = random.normal((_PEOPLE, features)) @ _root(of_persons, between, random).T
    slopes = random.normal((_PEOPLE, conditions, features)) * np.sqrt((1 - between) * slope)
    root = _root(of_windows, (1 - between) * (1 - slope), random).T
    shape = (_PEOPLE, conditions, features)
    residual = np.empty((_PEOPLE, conditions, windows, features))
    here = random.normal(shape) @ root
    for t in range(windows):
        residual[:, :, t] = here
        here = persistence * here + np.sqrt(1 - persistence**2) * (random.normal(shape) @ root)
    scores = level[:, None, None] + slopes[:, :, None] + effects[None, :, None]
    scores = scores + scale[:, None, None, None] * residual
    # The released marginals that scores come from are a little wrong.
    stretch, shift = np.exp(0.15 * random.normal(features)), 0.15 * random.normal(features)
    return np.asarray(scores * stretch + shift)


def _root(loadings: Numbers, variance: Numbers, random: PublicDraws) -> Numbers:
    """A root of a covariance matrix with these variances and random correlations, shape (F, F)."""
    covariance = loadings @ loadings.T + np.diag(random.between(0.3, 1.5, len(loadings)))
    scale = np.sqrt(variance / np.diag(covariance))
    return np.linalg.cholesky(covariance * np.outer(scale, scale) + 1e-9 * np.eye(len(loadings)))
