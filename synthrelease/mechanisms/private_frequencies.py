"""Signals whose number of frequencies is chosen privately: what Bozkir et al. 2021 leave to future work.

The paper takes a k for every chunk; here one k is for all. Claim: `private_frequencies.proof.md`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synthrelease.data.features import Features
from synthrelease.maths.exact_norm import from_limbs, squared_norm, to_limbs
from synthrelease.mechanisms import signals
from synthrelease.mechanisms.collected import Several, Sums
from synthrelease.mechanisms.completed_series import blocks
from synthrelease.mechanisms.private_parameter import PrivateParameter
from synthrelease.mechanisms.signals import EACH, SignalParameters, contributions
from synthrelease.noise.entropy import SecureRandom
from synthrelease.privacy.budget import Budget
from synthrelease.privacy.event import Composed, Noise

_LEFT_OUT = "left out"  # in what is collected


@dataclass(frozen=True)
class PrivateFrequencies(PrivateParameter[SignalParameters]):
    """How k is chosen.

    Attributes:
        signals: the parameters of the signals; their own number of frequencies has no influence.
    """

    signals: SignalParameters

    def chosen(self, candidate: int) -> dict[str, Any]:
        """Return the parameters that a choice decides, for the manifest."""
        return {"coefficients": candidate, "bound_steps": list(self.at(candidate).radii)}

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


def collect(data: Features, private: PrivateFrequencies) -> Several:
    """Return what some people contribute with every candidate, and how much each leaves out of their series."""
    own = {_released(k): signals.collect(data, private.at(k)) for k in private.candidates}
    return Several({**own, _LEFT_OUT: _left_out(data, private)})


def _released(candidate: int) -> str:
    return str(candidate)


def _left_out(data: Features, private: PrivateFrequencies) -> Sums:
    """For every candidate: what it leaves out, added up over people; where each is released, its squared norm over all of them, in limbs."""
    every = private.at(private.every)
    count = every.form.count
    found = {
        k: _summed(every.form.left_out(np.zeros((0, count), dtype=np.int64), k), every)
        for k in private.candidates
    }
    for part in blocks(data, every.form.length):
        exact = contributions(part, every, clipped=False).reshape(-1, count)
        for k in private.candidates:
            found[k] += _summed(every.form.left_out(exact, k), every)
    return Sums({str(k): total for k, total in found.items()})


def _summed(missed: NDArray[np.int64], parameters: SignalParameters) -> NDArray[np.int64]:
    """What is left out of some people's series, added up: as the query adds up what it releases."""
    if parameters.query == EACH:
        return to_limbs(squared_norm(missed))
    people = len(missed) // parameters.series
    total: NDArray[np.int64] = missed.reshape(
        people, parameters.recordings, parameters.features, missed.shape[-1]
    ).sum(axis=0)
    return total


def draw(
    collected: Several, private: PrivateFrequencies, budget: Budget, *, random: SecureRandom
) -> tuple[NDArray[np.int64], Composed, int]:
    """Return everybody's integers under a number of frequencies of small error with noise, of the shape of `signals.draw`, the event, and that number."""
    choice, left = private.split(budget)
    chosen = private.choose(
        choice, utilities(collected, private, left), sensitivity=utility_sensitivity(private), random=random
    )
    noisy, noise = signals.draw(collected[_released(chosen)], private.at(chosen), left, random=random)
    return noisy, Composed((choice, noise)), chosen


def utilities(collected: Several, private: PrivateFrequencies, left: Budget) -> list[int]:
    """Return −⌊√(noise energy + ‖what k frequencies leave out‖²)⌋ of every candidate k, over all signals, in steps; exactly.

    The expected squared error of the signals, with the noise that is to follow, is that under the root, its first part rounded up;
    the root orders candidates alike, but one person moves it by a bounded amount (`utility_sensitivity`).

    Args:
        collected: from all people.
        private: the public parameters.
        left: the budget of the noise that is to follow.
    """
    p, missed = private.signals, collected[_LEFT_OUT]
    arrays = p.series * (p.people if p.query == EACH else 1)
    found = []
    for k in private.candidates:
        noise = private.noise(k, left).standard_deviation * private.at(k).form.spread
        energy = math.ceil(arrays * float((noise**2).sum()))
        squared = from_limbs(missed[str(k)]) if p.query == EACH else squared_norm(missed[str(k)])
        found.append(-math.isqrt(energy + squared))
    return found


def utility_sensitivity(private: PrivateFrequencies) -> int:
    """Return how far one person moves any of `utilities`: by what is left out of all their series, once where each is released, twice in a sum."""
    full = private.at(private.every).form
    reach = max(full.left_out_reach(k) for k in private.candidates) * math.sqrt(private.signals.series)
    return math.ceil(reach if private.signals.query == EACH else 2 * reach) + 1
