"""Signals whose number of frequencies is chosen privately: what Bozkir et al. 2021 leave to future work.

The paper takes a k for every chunk; here one k is for all. Claim: `private_frequencies.proof.md`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from synthrelease.data.features import Features
from synthrelease.mechanisms import signals
from synthrelease.mechanisms.collected import Sums
from synthrelease.mechanisms.private_parameter import PrivateParameter
from synthrelease.mechanisms.signals import SignalParameters, totals
from synthrelease.noise.entropy import SecureRandom
from synthrelease.privacy.budget import Budget
from synthrelease.privacy.event import Composed, Noise

_ALL = "all"  # coefficients, in what is collected
_ERROR = 2.0**-44  # of a norm, relative: products, running sums and the root err by a tenth of it


@dataclass(frozen=True)
class PrivateFrequencies(PrivateParameter[SignalParameters]):
    """How k is chosen.

    Attributes:
        signals: the parameters of the signals; their own number of frequencies has no influence.
    """

    signals: SignalParameters

    def at(self, candidate: int) -> SignalParameters:
        """Return the parameters of the signals with so many frequencies."""
        return replace(self.signals, form=replace(self.signals.form, frequencies=candidate))

    def noise(self, candidate: int, left: Budget) -> Noise:
        """Return the noise of the signals with so many frequencies."""
        return signals.calibrate(self.at(candidate), left)

    @property
    def every(self) -> int:
        """As many frequencies as there are."""
        form = self.signals.form
        return (form.chunk or form.length) // 2 + 1


def release(
    data: Features, private: PrivateFrequencies, budget: Budget, *, random: SecureRandom
) -> tuple[dict[tuple[str, ...], NDArray[np.generic]], Composed, int]:
    """Return the arrays of `signals.release`, of its shapes, with a number of frequencies of small error, the event, and that number.

    Args:
        data: series of all people.
        private: the public parameters.
        budget: ε and δ of the whole output, for a person.
        random: where choice and noise come from.
    """
    noisy, event, chosen = draw(collect(data, private), private, budget, random=random)
    _, noise = event.events
    assert isinstance(noise, Noise)
    values = signals.series_of(
        noisy, data.recordings, data.bounds_by_name, private.at(chosen), noise.standard_deviation
    )
    return values, event, chosen


def collect(data: Features, private: PrivateFrequencies) -> Sums:
    """Return what some people contribute with every candidate, and all their coefficients before any clipping."""
    sums = {str(k): totals(data, private.at(k)) for k in private.candidates}
    return Sums(sums | {_ALL: totals(data, private.at(private.every), clipped=False)})


def draw(
    collected: Sums, private: PrivateFrequencies, budget: Budget, *, random: SecureRandom
) -> tuple[NDArray[np.int64], Composed, int]:
    """Return everybody's integers under a number of frequencies of small error with noise, of the shape of `signals.draw`, the event, and that number."""
    choice, left = private.split(budget)
    chosen = private.choose(
        choice, utilities(collected, private, left), sensitivity=utility_sensitivity(private), random=random
    )
    own = Sums({"series": collected[str(chosen)]})
    noisy, noise = signals.draw(own, private.at(chosen), left, random=random)
    return noisy, Composed((choice, noise)), chosen


def utilities(collected: Sums, private: PrivateFrequencies, left: Budget) -> list[int]:
    """Return −⌊√(noise energy + ‖what k frequencies leave out‖²)⌋ of every candidate k, over all signals, in steps.

    The expected squared error of the signals, with the noise that is to follow, is that under the root; the root orders
    candidates alike, but one person moves it by a bounded amount (`utility_sensitivity`).

    Args:
        collected: from all people.
        private: the public parameters.
        left: the budget of the noise that is to follow.
    """
    exact = collected[_ALL]
    full, number = private.at(private.every).form, math.prod(exact.shape[:-1])
    found = []
    for k in private.candidates:
        noise = private.noise(k, left).standard_deviation * private.at(k).form.spread
        energy = number * float((noise**2).sum())
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
