"""Was this person in the sum? The most powerful test of membership against a noisy sum.

A release r = Σ contributions + N(0, σ²I). An attacker who knows all other contributions compares N(rest + x, σ²I) with
N(rest + y, σ²I), y what would stand in x's place; one who knows only the population compares sums of strangers with and without x.
By Neyman and Pearson no other test finds more members at any rate of false alarms.
"""

from __future__ import annotations

import math

import numpy as np

from synthrelease.evaluation.attacks.windows import Numbers


def log_ratio_known_rest(
    release: Numbers, person: Numbers, rest: Numbers, *, sigma: float, instead: Numbers | None = None
) -> Numbers:
    """Return ln p(r | x is in) − ln p(r | y is in its place), everything else being known.

    ⟨r − rest − (x + y)/2, x − y⟩/σ². With d' = ‖x − y‖/σ it is N(±d'²/2, d'²): above 0 for a share Φ(d'/2) of the releases with x, and
    below 0 for the same of those without.

    Args:
        release: r, or several, shape (…, F).
        person: x, shape (F,).
        rest: the sum of all others' contributions, shape (F,) or (…, F).
        sigma: σ > 0 of the noise.
        instead: y, shape (F,); nothing if None.

    Raises:
        ValueError: σ is not positive, or shapes do not fit.
    """
    _check(release, person, sigma)
    replacement = np.zeros_like(person) if instead is None else instead
    ratio: Numbers = np.asarray(
        (release - rest - (person + replacement) / 2) @ (person - replacement) / sigma**2
    )
    return ratio


def success_known_rest(distance: float, *, sigma: float) -> float:
    """Return Φ(d'/2), the balanced accuracy of `log_ratio_known_rest` at 0, with d' = ‖x − y‖/σ."""
    return math.erfc(-distance / sigma / 2 / math.sqrt(2)) / 2


def log_ratio_known_population(
    release: Numbers, person: Numbers, mean: Numbers, covariance: Numbers, *, people: int, sigma: float
) -> Numbers:
    """Return ln p(r | x is one of the people) − ln p(r | all are strangers), for people like N(mean, covariance).

    N(x + (n − 1)m, (n − 1)C + σ²I) against N(nm, nC + σ²I). With C = 0 it is the known rest, whose every entry is the mean.

    Args:
        release: r, the sum of n people and noise, or several, shape (…, F).
        person: x, shape (F,).
        mean: m, of the population, shape (F,).
        covariance: C, of the population, shape (F, F).
        people: n ≥ 1.
        sigma: σ ≥ 0 of the noise; above 0 unless C is positive definite and n > 1.

    Raises:
        ValueError: σ is negative, shapes do not fit, or a covariance that is not positive definite.
    """
    if people < 1:
        raise ValueError(f"Expected people >= 1, found people={people}")
    _check(release, person, sigma, least=0.0)
    noise = sigma**2 * np.eye(len(person))
    inside = _log_density(release - person - (people - 1) * mean, (people - 1) * covariance + noise)
    outside = _log_density(release - people * mean, people * covariance + noise)
    return inside - outside


def _log_density(centred: Numbers, covariance: Numbers) -> Numbers:
    """Up to a constant that both have."""
    try:
        root = np.linalg.cholesky(covariance)
    except np.linalg.LinAlgError:
        raise ValueError("Expected a positive definite covariance of the release: give sigma > 0") from None
    whitened = np.linalg.solve(root, np.moveaxis(np.atleast_2d(centred), -1, 0).reshape(len(root), -1))
    density = -0.5 * (whitened**2).sum(axis=0) - np.log(np.diagonal(root)).sum()
    return np.asarray(density.reshape(centred.shape[:-1]))


def _check(release: Numbers, person: Numbers, sigma: float, *, least: float | None = None) -> None:
    if person.ndim != 1 or release.shape[-1:] != person.shape:
        raise ValueError(
            f"Expected releases of as many numbers as a contribution, found {release.shape} and {person.shape}"
        )
    if not (math.isfinite(sigma) and (sigma > 0 if least is None else sigma >= least)):
        raise ValueError(f"Expected sigma > 0 and finite, found sigma={sigma}")
