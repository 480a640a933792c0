"""From released means to the parameters of a population: shrinkage by evidence, and moments solved for what they come from.

Every estimate is shrunk with the variance that is known of it, that of the noise and s²/n for the people. Priors are those of people
in general; how far features differ from one another is averaged over by its evidence (empirical Bayes, Efron & Morris 1973).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synthrelease.kinds.people.form import (
    BETWEEN,
    BETWEEN_PAIRS,
    CONTRASTS,
    LAG,
    MEAN,
    SLOPE,
    WITHIN,
    WITHIN_PAIRS,
    PeopleForm,
    contrast_weights,
    rotation,
)
from synthrelease.numerics.correlation_matrix import nearest_correlation

Numbers = NDArray[np.float64]

# Of people in general: share of variance between people, autocorrelation and square of slopes over the variance within them.
_SHARE, _LAG, _SLOPES = 0.55, 0.57, 0.25
_SPREAD = {BETWEEN: 0.15, LAG: 0.1, SLOPE: 0.05}  # of their mean over features
_OWN = np.array([0.005, 0.01, 0.02, 0.04, 0.07, 0.1, 0.15, 0.2])  # of a feature about that mean
_COMMON, _SINGLE = (0.0, 0.05, 0.1, 0.2, 0.3, 0.45), (0.02, 0.08, 0.16, 0.3)  # of correlations
_CLIPPED, _CLIPPED_SPREAD = 1.0, 0.1  # what clipping leaves of all squares, and how sure that is
_USUAL_SLOPE = 0.15
_MOST_CORRELATION = 0.98
_LEAST_VARYING = 0.02  # of a feature's variance: within people and not of effects


@dataclass(frozen=True)
class Dependence:
    """How values of a person hang together, as normal scores of unit variance."""

    intraclass: Numbers  # share of the variance between people, but for conditions, shape (F,)
    autocorrelation: Numbers  # of successive windows of a condition, shape (F,)
    slopes: Numbers  # share of the variance within people that is between conditions, shape (F,)
    effects: Numbers  # of conditions, about their mean, shape (C, F)
    between: Numbers  # correlations of people's levels, shape (F, F)
    within: Numbers  # of values about them, shape (F, F)


def dependence_of(mean: Numbers, variance: Numbers, form: PeopleForm, windows: int) -> Dependence:
    """Return the dependence that the mean third vector and the variance of its errors call for.

    Args:
        mean: of people, products of normal scores in units of their variance, shape (size,).
        variance: of its errors, shape (size,).
        form: of the vectors.
        windows: of a person in a condition, nominally.
    """
    means, variances = form.blocks(mean), form.blocks(variance)
    turn = rotation(form.features)
    left = _left_by_clipping(means, variances, form)
    means = {name: block / left for name, block in means.items()}
    variances = {name: block / left**2 for name, block in variances.items()}

    share = _shares(means, variances, form, turn)
    inside = 1 - share
    lag = _shrunk(LAG, _LAG * inside, means, variances, form)
    slopes = _shrunk(SLOPE, _SLOPES * inside, means, variances, form)
    contrasts = _towards_mean(means[CONTRASTS], variances[CONTRASTS], 0.0)
    contrasts = contrasts.reshape(form.conditions - 1, form.features)
    # Effects that are the same for all people are part of every person's variance, lag and slopes.
    effects = (contrasts**2).sum(axis=0) / form.conditions
    varying = np.maximum(inside - effects, _LEAST_VARYING)
    doubt = np.sqrt(form.of_features(variances, SLOPE).mean()) / inside
    targets = [
        share / (share + varying),
        np.clip((lag - effects) / varying, 0, 0.97),
        np.clip((slopes - effects) / varying, 0.01, 2),
        doubt,
    ]
    intraclass, autocorrelation, slope = _solved(np.stack(targets, axis=1), form.conditions, windows)
    one, other = form.pairs
    shared = contrasts[:, one] * contrasts[:, other]  # by effects that are the same for all people
    means[WITHIN_PAIRS] = means[WITHIN_PAIRS] - np.sqrt(2) * shared.sum(axis=0) / form.conditions
    of_means, within = _correlations(means, variances, {BETWEEN_PAIRS: share, WITHIN_PAIRS: varying}, form)
    variance_of_means, *_ = moments(
        intraclass, autocorrelation, slope, conditions=form.conditions, windows=windows
    )
    between = _of_levels(of_means, within, variance_of_means, intraclass)
    of_conditions = contrast_weights(form.conditions) @ contrasts
    return Dependence(intraclass, autocorrelation, slope, of_conditions, between, within)


def contrast_squares(mean: Numbers, variance: Numbers, form: PeopleForm) -> Numbers:
    """Return the expected square of a person's contrast of each feature, in units of the variance of scores, shape (F,).

    Args:
        mean: of people's third vectors, products of normal scores in units of their variance, shape (size,).
        variance: of its errors, shape (size,).
        form: of the vectors.
    """
    means, variances = form.blocks(mean), form.blocks(variance)
    usual = np.full(form.features, _SLOPES * (1 - _SHARE))
    slopes = np.maximum(_shrunk(SLOPE, usual, means, variances, form), 0.0)
    return np.asarray(slopes * form.conditions / (form.conditions - 1))


def _shrunk(
    name: str, usual: Numbers, means: dict[str, Numbers], variances: dict[str, Numbers], form: PeopleForm
) -> Numbers:
    """What a rotated block says of each feature, shrunk towards what is usual, shape (F,)."""
    turn = rotation(form.features)
    block, errors = form.of_features(means, name), form.of_features(variances, name)
    return np.asarray(usual + turn.T @ _towards_mean(block - turn @ usual, errors, _SPREAD[name]))


def _left_by_clipping(means: dict[str, Numbers], variances: dict[str, Numbers], form: PeopleForm) -> float:
    """What clipping leaves of all squares alike: the variances of normal scores add up to F without it."""
    trace = (means[BETWEEN + MEAN][0] + means[WITHIN + MEAN][0]) / np.sqrt(form.features)
    variance = (variances[BETWEEN + MEAN][0] + variances[WITHIN + MEAN][0]) / form.features
    sure = 1 / _CLIPPED_SPREAD**2
    return float(np.clip((trace / variance + _CLIPPED * sure) / (1 / variance + sure), 0.6, 1.2))


def _shares(
    means: dict[str, Numbers], variances: dict[str, Numbers], form: PeopleForm, turn: Numbers
) -> Numbers:
    """Share of each feature's variance between people: said by the variance between, and by what that within leaves of 1."""
    between, within = (form.of_features(means, name) for name in (BETWEEN, WITHIN))
    between_errors, within_errors = (form.of_features(variances, name) for name in (BETWEEN, WITHIN))
    precision = 1 / between_errors + 1 / within_errors
    said = (between / between_errors + (turn.sum(axis=1) - within) / within_errors) / precision
    usual = np.full(form.features, _SHARE)
    return np.clip(
        usual + turn.T @ _towards_mean(said - turn @ usual, 1 / precision, _SPREAD[BETWEEN]), 0.03, 0.97
    )


def _towards_mean(block: Numbers, errors: Numbers, spread: float) -> Numbers:
    """Shrink a rotated block towards 0, its mean over features with a variance of its own."""
    if not block.size:
        return block
    prior = np.repeat((_OWN**2)[:, None], block.size, axis=1)
    prior[:, 0] += block.size * spread**2
    evidence = -0.5 * (np.log(prior + errors) + block**2 / (prior + errors)).sum(axis=1)
    weight = np.exp(evidence - evidence.max())
    return np.asarray((weight / weight.sum()) @ (block * prior / (prior + errors)))


def _correlations(
    means: dict[str, Numbers], variances: dict[str, Numbers], parts: dict[str, Numbers], form: PeopleForm
) -> tuple[Numbers, Numbers]:
    """Correlations of people's means, and within people: those of a pair have a part in common and parts of their own.

    `parts` are the variances between and within people, by block, shape (F,) each.
    """
    one, other = form.pairs
    result = []
    said, errors = [], []
    for name, part in parts.items():
        scale = np.sqrt(2 * part[one] * part[other])
        said.append(means[name] / scale)
        errors.append(variances[name] / scale**2)
    for shrunk in _pairs_shrunk(np.stack(said), np.stack(errors)):
        matrix = np.eye(form.features)
        matrix[one, other] = matrix[other, one] = shrunk
        result.append(nearest_correlation(matrix))
    return result[0], result[1]


def _of_levels(of_means: Numbers, within: Numbers, variance: Numbers, intraclass: Numbers) -> Numbers:
    """Correlations of people's levels: those of their means, less what a person's own values add to these."""
    own = np.sqrt(np.maximum(variance - intraclass, 0.0))
    whole, level = np.sqrt(variance), np.sqrt(intraclass)
    covariance = of_means * np.outer(whole, whole) - within * np.outer(own, own)
    correlation = np.clip(covariance / np.outer(level, level), -_MOST_CORRELATION, _MOST_CORRELATION)
    np.fill_diagonal(correlation, 1.0)
    return nearest_correlation(correlation)


def _pairs_shrunk(said: Numbers, errors: Numbers) -> Numbers:
    """Shrink pairs (between, within) towards 0, shape (2, P)."""
    if not said.size:
        return said
    means, evidences = [], []
    for common in _COMMON:
        for single in _SINGLE:
            prior = common**2 + single**2 * np.eye(2)
            total = prior[..., None] + errors * np.eye(2)[..., None]
            determinant = total[0, 0] * total[1, 1] - total[0, 1] ** 2
            solved = np.stack(
                [
                    (total[1, 1] * said[0] - total[0, 1] * said[1]) / determinant,
                    (total[0, 0] * said[1] - total[0, 1] * said[0]) / determinant,
                ]
            )
            evidences.append(-0.5 * ((said * solved).sum() + np.log(determinant).sum()))
            means.append(prior @ solved)
    weight = np.exp(np.array(evidences) - max(evidences))
    return np.asarray(np.tensordot(weight / weight.sum(), np.stack(means), axes=1))


def moments(
    intraclass: Numbers, autocorrelation: Numbers, slopes: Numbers, *, conditions: int, windows: int
) -> tuple[Numbers, Numbers, Numbers, Numbers]:
    """Return what blocks are expected to be of people of unit variance: between, within, lag, slope; of one shape.

    A person's values are a level, a slope for each condition and an autoregression of order 1 that starts anew in each.
    """
    between, of_slopes = intraclass, (1 - intraclass) * slopes
    residual = (1 - intraclass) * (1 - slopes)
    of_mean = _variance_of_mean(autocorrelation, windows)
    part = 1 - 1 / conditions
    return (
        between + of_slopes / conditions + residual * of_mean / conditions,
        of_slopes * part + residual * (1 - of_mean / conditions),
        of_slopes * part + residual * (autocorrelation - of_mean / conditions),
        part * (of_slopes + residual * of_mean),
    )


def _variance_of_mean(autocorrelation: Numbers, windows: int) -> Numbers:
    """Of so many successive values of unit variance."""
    apart = np.arange(1, windows)[:, None]
    return np.asarray((1 + 2 * ((1 - apart / windows) * autocorrelation**apart).sum(axis=0)) / windows)


def _solved(targets: Numbers, conditions: int, windows: int) -> tuple[Numbers, Numbers, Numbers]:
    """Intraclass correlation, autocorrelation and share of slopes of each feature that its moments come from.

    Args:
        targets: share of variance between people, lag and slopes over the variance within, and how doubtful slopes are, shape (F, 4).
        conditions: C.
        windows: of a person in a condition.
    """
    from scipy.optimize import least_squares  # noqa: PLC0415  slow to import

    solutions = []
    for target in targets:
        start = np.array([np.clip(target[0], 0.01, 0.95), np.clip(target[1], 0.05, 0.9), 0.1])
        found = least_squares(
            _missed,
            start,
            bounds=([0.002, 0, 0], [0.98, 0.97, 0.8]),
            xtol=1e-12,
            ftol=1e-14,
            gtol=1e-14,
            args=(target, conditions, windows),
        )
        solutions.append(found.x)
    first, second, third = np.array(solutions).T
    return first, second, third


def _missed(parameters: Numbers, target: Numbers, conditions: int, windows: int) -> list[float]:
    intraclass, autocorrelation, slopes = parameters[:, None]
    between, within, lag, slope = (
        float(moment[0])
        for moment in moments(intraclass, autocorrelation, slopes, conditions=conditions, windows=windows)
    )
    share, of_lag, of_slope, doubt = target
    return [
        2 * (between / (between + within) - share),
        lag / within - of_lag,
        0.3 * (slope / within - of_slope),
        doubt * (parameters[2] - _USUAL_SLOPE),
    ]
