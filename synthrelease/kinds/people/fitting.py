"""From released means to the parameters of a population: shrinkage by evidence, and moments solved for what they come from.

Every estimate is shrunk with the variance that is known of it, that of the noise and s²/n for the people. Priors are those of people
in general; how far features differ from one another is averaged over by its evidence (empirical Bayes, Efron & Morris 1973).
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace

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
from synthrelease.kinds.people.moments import Layout, Moments, moments, solved
from synthrelease.numerics import hermite
from synthrelease.numerics.correlation_matrix import nearest_correlation
from synthrelease.numerics.public_draws import PublicDraws

Numbers = NDArray[np.float64]

# Of people in general: share of variance between people, autocorrelation and square of slopes over the variance within them.
_SHARE, _LAG, _SLOPES = 0.55, 0.57, 0.25
_OWN = (0.005, 0.01, 0.02, 0.04, 0.07, 0.1, 0.15, 0.2)
_PILOT_OWN = _OWN[:4]  # other people's order in time is much the same: most of it is of what was measured
_COMMON, _SINGLE = (0.0, 0.05, 0.1, 0.2, 0.3, 0.45), (0.02, 0.08, 0.16, 0.3)  # of correlations
_SHORTENED, _SHORTENED_SPREAD = 1.1, 0.1  # by what the variance between people is divided through clipping
_SHORTENED_RANGE, _TOTAL_RANGE = (1.0, 1.5), (0.6, 1.2)  # so far sums are believed
_MOST_CORRELATION = 0.98
_LEAST_SLOPE = 0.3  # of a score in the normal number that it comes from
_RIDGE = 1e-12
_LEAST_VARYING = 0.02  # of a feature's variance: within people and not of effects


@dataclass(frozen=True)
class Dependence:
    """How values of a person hang together: of the normal numbers that values are quantiles of, of unit variance."""

    intraclass: Numbers  # share of the variance between people, but for conditions, shape (F,)
    autocorrelation: Numbers  # of successive windows of a condition, shape (F,)
    slopes: Numbers  # share of the variance within people that is between conditions, shape (F,)
    effects: Numbers  # of conditions, about their mean, shape (C, F)
    between: Numbers  # correlations of people's levels, shape (F, F)
    within: Numbers  # of values about them, shape (F, F)


@dataclass(frozen=True)
class Spread:
    """How far a block is from what is usual, in standard deviations."""

    of_mean: float  # over features
    of_feature: tuple[float, ...] = _OWN  # about that mean: any of these


_SPREAD = {BETWEEN: Spread(0.15), LAG: Spread(0.1), SLOPE: Spread(0.05)}
_PILOT_SPREAD = {BETWEEN: Spread(0.08), LAG: Spread(0.02, _PILOT_OWN), SLOPE: Spread(0.03)}
_ALONE = Spread(0.0)


@dataclass(frozen=True)
class Usual:
    """What estimates are shrunk towards, dimensionless: people in general, or a pilot's."""

    share: Numbers  # of a feature's variance between people, shape (F,)
    lag: Numbers  # over the variance within, shape (F,)
    slopes: Numbers  # over the variance within, shape (F,)
    contrasts: Numbers  # shape ((C − 1)·F,)
    pairs: Numbers  # correlations between and within people, shape (2, P)
    spread: dict[str, Spread]  # of participants, by block

    @classmethod
    def in_general(cls, form: PeopleForm) -> Usual:
        """Return that of people in general, of whose correlations and contrasts nothing is known."""
        share, lag, slopes = (np.full(form.features, number) for number in (_SHARE, _LAG, _SLOPES))
        pairs = np.zeros((2, form.features * (form.features - 1) // 2))
        return cls(share, lag, slopes, np.zeros(form.sizes[CONTRASTS]), pairs, _SPREAD)

    @classmethod
    def of_pilot(cls, vector: Numbers, form: PeopleForm) -> Usual:
        """Return that of a pilot's mean third vector, products of scores in units of their variance, shape (size,)."""
        blocks, turn = form.blocks(vector), rotation(form.features)
        between, within, lag, slopes = (
            turn.T @ form.of_features(blocks, name) for name in (BETWEEN, WITHIN, LAG, SLOPE)
        )
        between, within = np.maximum(between, _LEAST_VARYING), np.maximum(within, _LEAST_VARYING)
        one, other = form.pairs
        pairs = np.stack(
            [
                np.clip(blocks[name] / np.sqrt(2 * part[one] * part[other]), -1, 1)
                for name, part in ((BETWEEN_PAIRS, between), (WITHIN_PAIRS, within))
            ]
        )
        share = np.clip(between / (between + within), 0.03, 0.97)
        return cls(share, lag / within, slopes / within, blocks[CONTRASTS], pairs, _PILOT_SPREAD)


def dependence_of(
    mean: Numbers,
    variance: Numbers,
    form: PeopleForm,
    windows: int,
    scores: Numbers,
    *,
    doubt: float,
    usual: Usual | None = None,
    random: PublicDraws | None = None,
) -> Dependence:
    """Return the dependence that the mean third vector and the variance of its errors call for, or one that they leave possible.

    Args:
        mean: of people, products of scores in units of their variance, shape (size,).
        variance: of its errors, shape (size,).
        form: of the vectors.
        windows: of a person in a condition, nominally.
        scores: of normal numbers, as coefficients of Hermite polynomials, dimensionless, shape (F, K).
        doubt: standard deviation of the variance of scores, which is 1 but for errors of the marginals.
        usual: what is expected without them; by default of people in general.
        random: draws every estimate from what is probable of it; by default each is its mean.
    """
    usual = Usual.in_general(form) if usual is None else usual
    said = _Said(form.blocks(mean), form.blocks(variance), form, random).unclipped(doubt)
    share = _shares(said, usual)
    inside = 1 - share
    lag = _shrunk(said, LAG, usual.lag * inside, usual.spread)
    slopes = _shrunk(said, SLOPE, usual.slopes * inside, usual.spread)
    means, variances = said.means, said.variances
    away = _towards_mean(means[CONTRASTS] - usual.contrasts, variances[CONTRASTS], _ALONE, random)
    contrasts = (usual.contrasts + away).reshape(form.conditions - 1, form.features)
    # Effects that are the same for all people are part of every person's variance, lag and slopes.
    effects = (contrasts**2).sum(axis=0) / form.conditions
    varying = np.maximum(inside - effects, _LEAST_VARYING)
    unsure = np.sqrt(form.of_features(variances, SLOPE).mean()) / inside
    targets = [
        share / (share + varying),
        np.clip((lag - effects) / varying, 0, 0.97),
        np.clip((slopes - effects) / varying, 0.01, 2),
        unsure,
    ]
    layout = Layout(form.conditions, windows)
    intraclass, autocorrelation, slope = solved(np.stack(targets, axis=1), layout, scores)
    one, other = form.pairs
    shared = contrasts[:, one] * contrasts[:, other]  # by effects that are the same for all people
    means[WITHIN_PAIRS] = means[WITHIN_PAIRS] - np.sqrt(2) * shared.sum(axis=0) / form.conditions
    of_means, within = _correlations(said, {BETWEEN_PAIRS: share, WITHIN_PAIRS: varying}, usual.pairs)
    between, within = _of_normal_numbers(
        of_means, within, moments(intraclass, autocorrelation, slope, layout, scores), intraclass, scores
    )
    of_conditions = contrast_weights(form.conditions) @ contrasts / np.maximum(scores[:, 0], _LEAST_SLOPE)
    return Dependence(intraclass, autocorrelation, slope, of_conditions, between, within)


def pilot_priors(form: PeopleForm) -> dict[str, float]:
    """Return the variance of numbers about a pilot's, in units of the variance of scores, by block, where it is far below that without one."""
    spread = _PILOT_SPREAD[LAG]
    of_feature = float(np.mean(np.square(spread.of_feature)))
    return {LAG + MEAN: form.features * spread.of_mean**2 + of_feature, LAG: of_feature}


def contrast_squares(mean: Numbers, variance: Numbers, form: PeopleForm) -> Numbers:
    """Return the expected square of a person's contrast of each feature, in units of the variance of scores, shape (F,).

    Args:
        mean: of people's third vectors, products of scores in units of their variance, shape (size,).
        variance: of its errors, shape (size,).
        form: of the vectors.
    """
    said = _Said(form.blocks(mean), form.blocks(variance), form)
    usual = np.full(form.features, _SLOPES * (1 - _SHARE))
    slopes = np.maximum(_shrunk(said, SLOPE, usual, _SPREAD), 0.0)
    return np.asarray(slopes * form.conditions / (form.conditions - 1))


@dataclass(frozen=True)
class _Said:
    """What is said of the mean third vector, by block, and the variance of its errors.

    With `random`, estimates are drawn from what is probable of them.
    """

    means: dict[str, Numbers]
    variances: dict[str, Numbers]
    form: PeopleForm
    random: PublicDraws | None = None

    def of_features(self, name: str) -> tuple[Numbers, Numbers]:
        """Return a rotated block and the variance of its errors, shape (F,) each."""
        return self.form.of_features(self.means, name), self.form.of_features(self.variances, name)

    def unclipped(self, doubt: float) -> _Said:
        """Undo what clipping does beyond what it leaves of the number 1: it shortens people who are far from all others, and with them the variance between people.

        The variances of scores add up to F, but for errors of the marginals: b·β + w = T, with T near 1.
        """
        count = self.form.features
        b, w = (float(self.means[name + MEAN][0]) / np.sqrt(count) for name in (BETWEEN, WITHIN))
        errors = _SHORTENED**2 * self.variances[BETWEEN + MEAN][0] + self.variances[WITHIN + MEAN][0]
        missing = 1 - _SHORTENED * b - w
        total = (_SHORTENED_SPREAD * b) ** 2 + doubt**2 + float(errors) / count
        longer = np.clip(_SHORTENED + _SHORTENED_SPREAD**2 * b * missing / total, *_SHORTENED_RANGE)
        whole = np.clip(1 - doubt**2 * missing / total, *_TOTAL_RANGE)
        factors = {
            name: (longer if name.removesuffix(MEAN) in (BETWEEN, BETWEEN_PAIRS) else 1.0) / whole
            for name in self.means
        }
        return replace(
            self,
            means={name: block * factors[name] for name, block in self.means.items()},
            variances={name: block * factors[name] ** 2 for name, block in self.variances.items()},
        )


def _shrunk(said: _Said, name: str, usual: Numbers, spread: dict[str, Spread]) -> Numbers:
    """What a rotated block says of each feature, shrunk towards what is usual, shape (F,)."""
    turn = rotation(said.form.features)
    block, errors = said.of_features(name)
    return np.asarray(usual + turn.T @ _towards_mean(block - turn @ usual, errors, spread[name], said.random))


def _shares(said: _Said, usual: Usual) -> Numbers:
    """Share of each feature's variance between people: said by the variance between, and by what that within leaves of 1."""
    turn = rotation(said.form.features)
    (between, between_errors), (within, within_errors) = map(said.of_features, (BETWEEN, WITHIN))
    precision = 1 / between_errors + 1 / within_errors
    share = (between / between_errors + (turn.sum(axis=1) - within) / within_errors) / precision
    away = _towards_mean(share - turn @ usual.share, 1 / precision, usual.spread[BETWEEN], said.random)
    return np.asarray(np.clip(usual.share + turn.T @ away, 0.03, 0.97))


def _towards_mean(block: Numbers, errors: Numbers, spread: Spread, random: PublicDraws | None) -> Numbers:
    """Shrink a rotated block towards 0, its mean over features with a variance of its own."""
    if not block.size:
        return block
    prior = np.repeat(np.square(spread.of_feature)[:, None], block.size, axis=1)
    prior[:, 0] += block.size * spread.of_mean**2
    evidence = -0.5 * (np.log(prior + errors) + block**2 / (prior + errors)).sum(axis=1)
    kept = prior / (prior + errors)
    roots = np.sqrt(kept * errors)[:, None, :, None]
    return np.asarray(_by_evidence(evidence, (block * kept)[:, None], roots, random)[0])


def _by_evidence(evidence: Numbers, means: Numbers, roots: Numbers, random: PublicDraws | None) -> Numbers:
    """Means of several priors, weighted by their evidence, shape (D, P); or a draw by that of one prior.

    Args:
        evidence: its logarithm, shape (priors,).
        means: shape (priors, D, P).
        roots: of the covariance of every number's D parts, lower triangles, shape (priors, D, P, D).
        random: for a draw.
    """
    weight = np.exp(evidence - evidence.max())
    weight /= weight.sum()
    if random is None:
        return np.asarray(np.tensordot(weight, means, axes=1))
    prior = min(int(np.searchsorted(np.cumsum(weight), random.uniform()[0])), len(weight) - 1)
    steps = random.normal(means[prior].shape)
    return np.asarray(means[prior] + np.einsum("dpe,ep->dp", roots[prior], steps))


def _correlations(said: _Said, parts: dict[str, Numbers], usual: Numbers) -> tuple[Numbers, Numbers]:
    """Correlations of people's means, and within people: those of a pair have a part in common and parts of their own.

    `parts` are the variances between and within people, by block, shape (F,) each; `usual` are correlations, shape (2, P).
    """
    one, other = said.form.pairs
    scales = {name: np.sqrt(2 * part[one] * part[other]) for name, part in parts.items()}
    correlations = np.stack([said.means[name] / scale for name, scale in scales.items()])
    errors = np.stack([said.variances[name] / scale**2 for name, scale in scales.items()])
    matrices = []
    for shrunk in usual + _pairs_shrunk(correlations - usual, errors, said.random):
        matrix = np.eye(said.form.features)
        matrix[one, other] = matrix[other, one] = shrunk
        matrices.append(matrix)
    return matrices[0], matrices[1]


def _of_normal_numbers(
    of_means: Numbers, within: Numbers, expected: Moments, intraclass: Numbers, scores: Numbers
) -> tuple[Numbers, Numbers]:
    """Correlations of people's levels and about them, of normal numbers, that correlations of scores come from, shape (F, F) each."""
    of_mean, of_residual = np.sqrt(expected.between), np.sqrt(expected.within)
    # Means of people hold some of the values about their levels.
    own = np.sqrt(np.maximum(expected.between - expected.across, 0.0))
    means = of_means * np.outer(of_mean, of_mean)
    levels = means - within * np.outer(own, own)
    values = means + within * np.outer(of_residual, of_residual)
    of_levels, of_values = (_latent(covariance, scores) for covariance in (levels, values))
    rest = 1 - intraclass
    parts = []
    for covariance, share in ((of_levels, intraclass), (of_values - of_levels, rest)):
        correlation = covariance / np.sqrt(np.outer(share, share))
        np.fill_diagonal(correlation, 1.0)
        parts.append(nearest_correlation(np.clip(correlation, -_MOST_CORRELATION, 1)))
    return parts[0], parts[1]


def _latent(covariance: Numbers, scores: Numbers) -> Numbers:
    """Correlations of normal numbers whose scores have these covariances, but for the diagonal, shape (F, F)."""
    one, other = np.triu_indices(len(covariance), 1)
    result = np.eye(len(covariance))
    result[one, other] = hermite.latent(covariance[one, other], scores[one], scores[other])
    result[other, one] = result[one, other]
    return result


def _pairs_shrunk(said: Numbers, errors: Numbers, random: PublicDraws | None) -> Numbers:
    """Shrink pairs (between, within) towards 0, shape (2, P)."""
    if not said.size:
        return said
    means, roots, evidences = [], [], []
    for common, single in itertools.product(_COMMON, _SINGLE):
        prior = common**2 + single**2 * np.eye(2)
        total = prior + errors.T[..., None] * np.eye(2)  # of a pair, shape (P, 2, 2)
        inverse = np.linalg.inv(total)
        solved, kept = np.einsum("pde,ep->dp", inverse, said), prior @ inverse
        evidences.append(-0.5 * ((said * solved).sum() + np.log(np.linalg.det(total)).sum()))
        means.append(prior @ solved)
        roots.append(np.swapaxes(np.linalg.cholesky(prior - kept @ prior + _RIDGE * np.eye(2)), 0, 1))
    return _by_evidence(np.array(evidences), np.stack(means), np.stack(roots), random)
