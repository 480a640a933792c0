"""How far synthetic people are expected to be from the participants' population, from public numbers alone.

Of a number with prior variance P that is known with variance v, what stays unknown has the variance P·v/(P + v) (`people.proof.md` has the rounds;
P is that of made-up people). To it a floor is added for what the model cannot show; floor and the share of a marginal's error that smoothing leaves were fitted to two
populations (docs/evidence/people.md has what is expected next to what was measured).
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from synthrelease.kinds.expectation import ERROR, VARIATION, Expectation
from synthrelease.kinds.people.design import fine_weights
from synthrelease.kinds.people.fitting import pilot_priors
from synthrelease.kinds.people.form import (
    BETWEEN,
    BETWEEN_PAIRS,
    CONTRASTS,
    LAG,
    MEAN,
    WITHIN,
    WITHIN_PAIRS,
)
from synthrelease.kinds.people.rounds import OF_PEOPLE, Rounds

Numbers = NDArray[np.float64]

MARGINALS, SHARES = "marginal distributions", "intraclass correlations"
_ABSOLUTE = math.sqrt(2 / math.pi)  # mean absolute error of a normal one, over its standard deviation
_SMOOTHED = 0.4  # of a marginal's error: what smoothing leaves, where much is known
_SMOOTHING_ENDS = 3.5  # the power of the share that is unknown, with which smoothing comes to nothing
_OF_WINDOW = 0.5  # variance of a coefficient of a window, of a usual feature
# What the model cannot show: of people who are alike, and of several kinds of people with heavy tails.
_FLOOR, _FLOOR_OF_KINDS, _SHARES_OF_KINDS = 0.03, 0.06, 0.08
_INSIDE = 0.45  # of a feature's variance, as a rule: within people
_MARGIN = 0.3  # of the error without data: what must be gained


def expected(rounds: Rounds) -> Iterator[Expectation]:
    """Yield the error to expect of marginals, correlations, intraclass correlations, autocorrelations and contrasts."""
    form, design = rounds.form, rounds.design
    priors = {
        name: prior for name, prior in zip(form.sizes, design.block_priors, strict=True) if form.sizes[name]
    }
    of_pilot = {} if rounds.pilot is None else pilot_priors(form)
    left = {name: _left(of_pilot.get(name, prior), _variance(rounds, name)) for name, prior in priors.items()}
    prior_of_marginals = np.array(design.coarse_priors)
    errors = {
        MARGINALS: (
            _smoothed(_left_of_marginals(rounds), prior_of_marginals),
            _variation(prior_of_marginals),
        ),
        SHARES: tuple(_of_shares(part, form.features) for part in (left, priors)),
        "autocorrelations": tuple(_of_lag(part, form.features) for part in (left, priors)),
    }
    if BETWEEN_PAIRS in priors:
        errors["correlations"] = tuple(map(_of_pairs, (left, priors)))
    if CONTRASTS in priors:
        errors["contrasts of recordings"] = tuple(math.sqrt(2 * part[CONTRASTS]) for part in (left, priors))
    for subject, (released, without_data) in errors.items():
        measure = VARIATION if subject == MARGINALS else ERROR
        of_kinds = _SHARES_OF_KINDS if subject == SHARES else _FLOOR_OF_KINDS
        best, worst = math.hypot(released, _FLOOR), math.hypot(released, of_kinds)
        yield Expectation(subject, measure, best, worst, without_data, margin=_MARGIN * without_data)


def _left(prior: float, variance: float) -> float:
    """The variance that stays unknown of a number with a prior, known with another variance."""
    return prior * variance / (prior + variance)


def _variance(rounds: Rounds, block: str) -> float:
    """Of what is known of a number of a block of the third vector."""
    place = rounds.form.places[block].start
    weight, square = rounds.dependence_weights[place], rounds.dependence_squares[place]
    return float(rounds.unit_noise(2) / weight**2 + square / rounds.people)


def _left_of_marginals(rounds: Rounds) -> Numbers:
    """The variance that stays unknown of each coefficient of a usual feature after two rounds, shape (K,)."""
    form, design = rounds.form, rounds.design
    prior, squares = np.array(design.coarse_priors), np.array(design.coarse_squares)
    first = rounds.unit_noise(0) / np.array(design.coarse_weights) ** 2 + OF_PEOPLE * squares / rounds.people
    known = prior * first / (prior + first)
    alike = np.broadcast_to(known, (form.features, form.cosines))
    weights, fine = fine_weights(np.full(alike.shape, _OF_WINDOW), alike, form, noise=rounds.unit_noise(1))
    second = rounds.unit_noise(1) / weights[0] ** 2 + OF_PEOPLE * fine[0] / rounds.people
    return np.asarray(1 / (1 / known + 1 / second))


def _of_lag(variance: dict[str, float], features: int) -> float:
    """Of an autocorrelation: that of the products of successive windows, over the variance within people."""
    return _ABSOLUTE * _of_features(variance, LAG, features) / _INSIDE


def _variation(variance: Numbers) -> float:
    """Of a density whose coefficients have errors of these variances: half the mean magnitude of a normal error."""
    return _ABSOLUTE / 2 * math.sqrt(variance.sum())


def _smoothed(left: Numbers, prior: Numbers) -> float:
    """Of a smoothed density: without anything known, smoothing leaves all of the error."""
    unknown = float(left.sum() / prior.sum())
    kept: float = _SMOOTHED + (1 - _SMOOTHED) * unknown**_SMOOTHING_ENDS
    return kept * _variation(left)


def _of_pairs(variance: dict[str, float]) -> float:
    """Of a correlation of values, half of which is between people and half within them, as a rule."""
    return math.sqrt((variance[BETWEEN_PAIRS] + variance[WITHIN_PAIRS]) / 2)


def _of_shares(variance: dict[str, float], features: int) -> float:
    """Of the share of variance between people, which two blocks state: that between, and what that within leaves."""
    precision = sum(1 / _of_features(variance, name, features) ** 2 for name in (BETWEEN, WITHIN))
    return _ABSOLUTE / math.sqrt(precision)


def _of_features(variance: dict[str, float], name: str, features: int) -> float:
    """Root mean square over features of a block whose mean has a variance of its own."""
    rest = (features - 1) * variance[name] if features > 1 else 0.0
    return math.sqrt((variance[name + MEAN] + rest) / features)
