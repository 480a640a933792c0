"""Signals whose number of frequencies is chosen privately: what Bozkir et al. 2021 leave to future work.

The paper takes, chunk by chunk, the k of least error from the data, which tells of the data. Here one k for all is drawn from
a public list with a probability that falls exponentially with its error (`noise.choice`). Claim:
`private_frequencies.proof.md`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from synthrelease.data.features import Features
from synthrelease.mechanisms import signals
from synthrelease.mechanisms.signals import SignalParameters, totals
from synthrelease.noise.choice import private_choice
from synthrelease.noise.entropy import SecureRandom
from synthrelease.privacy.budget import Budget
from synthrelease.privacy.event import Composed, PrivateChoice

_ERROR = 2.0**-44  # of a norm, relative: products, running sums and the root err by a tenth of it


@dataclass(frozen=True)
class PrivateFrequencies:
    """How k is chosen.

    Attributes:
        signals: the parameters of the signals; their own number of frequencies has no influence.
        candidates: the numbers of frequencies to choose from, public and increasing.
        share: the part of ε that the choice takes.
    """

    signals: SignalParameters
    candidates: tuple[int, ...]
    share: float

    def at(self, frequencies: int) -> SignalParameters:
        """Return the parameters of the signals with so many frequencies."""
        return replace(self.signals, form=replace(self.signals.form, frequencies=frequencies))

    @property
    def every(self) -> int:
        """As many frequencies as there are."""
        form = self.signals.form
        return (form.chunk or form.length) // 2 + 1

    def split(self, budget: Budget) -> tuple[float, Budget]:
        """Return ε of the choice, and what is left for the noise: they add up."""
        choice = self.share * budget.epsilon
        return choice, Budget(budget.epsilon - choice, budget.delta)


def calibrate(private: PrivateFrequencies, budget: Budget) -> Composed:
    """Return what will be done, with the noise of the candidate that tells most.

    All candidates are calibrated to the same promise; what they tell differs in the last bits of a float.
    """
    epsilon, left = private.split(budget)
    noises = [signals.calibrate(private.at(k), left) for k in private.candidates]
    most = max(noises, key=lambda noise: Fraction(noise.sensitivity) / Fraction(noise.scale))
    return Composed((PrivateChoice(epsilon, len(private.candidates)), most))


def release(
    data: Features, private: PrivateFrequencies, budget: Budget, *, random: SecureRandom
) -> tuple[dict[tuple[str, ...], NDArray[np.generic]], Composed, int]:
    """Return the arrays of `signals.release` with a number of frequencies of small error, the event, and that number.

    Args:
        data: series of all people.
        private: the public parameters.
        budget: ε and δ of the whole output, for a person.
        random: where choice and noise come from.
    """
    epsilon, left = private.split(budget)
    chosen = private_choice(
        utilities(data, private, left),
        sensitivity=utility_sensitivity(private),
        epsilon=epsilon,
        random=random,
    )
    frequencies = private.candidates[chosen]
    values, noise = signals.release(data, private.at(frequencies), left, random=random)
    return values, Composed((PrivateChoice(epsilon, len(private.candidates)), noise)), frequencies


def utilities(data: Features, private: PrivateFrequencies, left: Budget) -> list[int]:
    """Return −⌊√(noise energy + ‖what k frequencies leave out‖²)⌋ of every candidate k, over all signals, in steps.

    The expected squared error of the signals, with the noise that is to follow, is that under the root; the root orders
    candidates alike, but one person moves it by a bounded amount (`utility_sensitivity`).

    Args:
        data: series of all people.
        private: the public parameters.
        left: the budget of the noise that is to follow.
    """
    exact = totals(data, private.at(private.every), clipped=False)
    full, number = private.at(private.every).form, math.prod(exact.shape[:-1])
    found = []
    for k in private.candidates:
        parameters = private.at(k)
        noise = signals.calibrate(parameters, left).standard_deviation
        energy = number * float(((noise * parameters.form.spread()) ** 2).sum())
        missed = float((full.left_out(exact, k) ** 2).sum())
        found.append(-math.floor(math.sqrt(energy + missed)))
    return found


def utility_sensitivity(private: PrivateFrequencies) -> int:
    """Return how far one person moves any of `utilities`: by what is left out of all their series, replaced; and rounding.

    What floating-point numbers err by grows with everybody: `_ERROR` of the norm that all people together may have.
    """
    full = private.at(private.every).form
    reach = max(full.left_out_reach(k) for k in private.candidates) * math.sqrt(private.signals.series)
    return math.ceil(2 * reach * (1 + _ERROR * private.signals.people)) + 1
