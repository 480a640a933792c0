"""Private feature signals: LPA, FPA, CFPA and DCFPA with corrected scales, person-level.

Claim: `signals.proof.md`. Series are cut or completed to a public length, brought to integers between public
bounds, transformed exactly, clipped in integers, added up, and given noise once. The number of frequencies may be chosen privately,
which Bozkir et al. 2021 leave to future work; the paper takes one for every chunk, here one is for all (`private_frequencies.proof.md`).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from synthrelease.data.features import FeatureData
from synthrelease.dp.budget import GAUSSIAN, LAPLACE, Budget
from synthrelease.dp.error_bounds import reach
from synthrelease.dp.event import Composed, Event
from synthrelease.dp.guarantee import Guarantee
from synthrelease.dp.noise.entropy import SecureRandom
from synthrelease.kinds.choosing import Choosing
from synthrelease.kinds.contributions import Contribution, ContributionParts, PersonRows, Sums, by_label
from synthrelease.kinds.dataset import Array
from synthrelease.kinds.expectation import Expectation
from synthrelease.kinds.measured import measured_values
from synthrelease.kinds.signals.accuracy import MeanSignals
from synthrelease.kinds.signals.completed_series import blocks, completed_series, copied_bytes
from synthrelease.kinds.signals.expected import coefficient_correlation
from synthrelease.kinds.signals.public import CoefficientParameters
from synthrelease.kinds.signals.unit_costs import unit_costs, units_table
from synthrelease.numerics.exact_norm import from_limbs, squared_norm, to_limbs
from synthrelease.numerics.steps import HALF_RANGE, to_steps

USUAL_FREQUENCIES = 4  # kept, unless the plan says otherwise
_LEFT_OUT = "left out"  # in what is collected for a choice


@dataclass(frozen=True, kw_only=True)
class CoefficientSignals(Choosing[CoefficientParameters], MeanSignals[CoefficientParameters]):
    """Integers of series, or of their coefficients, with noise on each."""

    list_field: ClassVar = "candidates"
    choice_field: ClassVar = "coefficients"

    markov_chain: tuple[tuple[float, ...], ...] | None = None  # that steps are said to follow

    @property
    def row_bytes(self) -> int:
        """How much memory each row of a part takes while contributions are collected, besides the row itself."""
        return super().row_bytes + copied_bytes(self.parameters.features)

    def collect(self, data: FeatureData) -> Contribution:
        """Return what some people contribute: sums, or each person's own where that is what is released; of a choice, with every candidate."""
        data = data.only(self.parameters.feature_names)
        if self.candidates is None:
            return self.collect_series(data)
        parts: dict[str, Contribution] = {str(k): self.at(k).collect_series(data) for k in self.candidates}
        return ContributionParts({**parts, _LEFT_OUT: self._left_out(data)})

    def collect_series(self, data: FeatureData) -> Sums | PersonRows:
        """Return what some people contribute with the number of frequencies of the parameters; data of the output's features."""
        exact = totals(data, self.parameters)
        return PersonRows.of(exact) if self.parameters.is_each else Sums({"noisy": exact})

    def measured(self, data: FeatureData) -> dict[str, int]:
        """Return how many values of each feature are of any use."""
        return measured_values(data, self.parameters.feature_names)

    def exact(self, collected: Sums | PersonRows | ContributionParts) -> dict[str, Array]:
        """Return all people's integers without noise, each person's own in the order of labels."""
        series = self._of_choice(collected)
        if isinstance(series, PersonRows):
            return {"noisy": np.moveaxis(by_label(series), 0, 2)}
        return super().exact(series)

    def shuffled(
        self, collected: Sums | PersonRows | ContributionParts, random: SecureRandom
    ) -> dict[str, Array]:
        """Return what noise is added to: a slot must not say whose it is."""
        series = self._of_choice(collected)
        if isinstance(series, PersonRows):
            return {"noisy": np.moveaxis(series.shuffled(random), 0, 2)}
        return super().exact(series)

    def _of_choice(self, collected: Sums | PersonRows | ContributionParts) -> Sums | PersonRows:
        """What was collected with the number of frequencies of the parameters.

        Raises:
            TypeError: it was collected for another query.
        """
        series: Sums | PersonRows
        series = (
            collected[str(self.parameters.coefficients)]
            if isinstance(collected, ContributionParts)
            else collected
        )
        if isinstance(series, PersonRows) != self.parameters.is_each:
            raise TypeError(f'Expected what is collected for query "{self.parameters.query}"')
        return series

    def with_noise(self, exact: Mapping[str, Array], event: Event, random: SecureRandom) -> dict[str, Array]:
        """Return the noisy integers; of each person's, drawn in the order in which they lie in memory."""
        if not self.parameters.is_each:
            return super().with_noise(exact, event, random)
        by_person = {path: np.moveaxis(array, 2, 0) for path, array in exact.items()}
        noisy = super().with_noise(by_person, event, random)
        return {path: np.moveaxis(array, 0, 2) for path, array in noisy.items()}

    def chosen_parameters(self, candidate: int) -> CoefficientParameters:
        """Return the parameters with so many frequencies."""
        return self.parameters.with_frequencies(candidate)

    def utilities(self, collected: ContributionParts, noise_budget: Budget) -> list[int]:
        """Return −⌊√(noise energy + ‖what k frequencies leave out‖²)⌋ of every candidate k, over all signals, in steps; exactly.

        The expected squared error of the signals, with the noise that is to follow, is that under the root, its first part rounded up;
        the root orders candidates alike, but one person moves it by a bounded amount (`utility_sensitivity`).
        """
        p, missed = self.parameters, collected[_LEFT_OUT]
        arrays = p.series_count * ((p.people or 0) if p.is_each else 1)
        values = []
        for k in self.candidates or ():
            mechanism = self.at(k)
            noise = (
                mechanism.calibrated_noise(noise_budget).standard_deviation * mechanism.parameters.form.spread
            )
            energy = math.ceil(arrays * float((noise**2).sum()))
            squared = from_limbs(missed[str(k)]) if p.is_each else squared_norm(missed[str(k)])
            values.append(-math.isqrt(energy + squared))
        return values

    @property
    def utility_sensitivity(self) -> int:
        """How far one person moves any of the utilities: by what is left out of all their series, once where each is released, twice in a sum."""
        full = self._every.form
        farthest = max(full.left_out_reach(k) for k in self.candidates or ()) * math.sqrt(
            self.parameters.series_count
        )
        return math.ceil(farthest if self.parameters.is_each else 2 * farthest) + 1

    @property
    def _every(self) -> CoefficientParameters:
        """The parameters with as many frequencies as there are."""
        return self.parameters.with_frequencies((self.parameters.chunk or self.parameters.length) // 2 + 1)

    def _left_out(self, data: FeatureData) -> Sums:
        """For every candidate: what it leaves out, added up over people; where each is released, its squared norm over all of them, in limbs."""
        every, candidates = self._every, self.candidates or ()
        count = every.form.count
        nothing = np.zeros((0, count), dtype=np.int64)
        sums = {k: _summed(every.form.left_out(nothing, k), every) for k in candidates}
        for part in blocks(data, every.length):
            exact = contributions(part, every, clipped=False).reshape(-1, count)
            for k in candidates:
                sums[k] += _summed(every.form.left_out(exact, k), every)
        return Sums({str(k): total for k, total in sums.items()})

    @property
    def label(self) -> str:
        """What a table of several mechanisms calls it."""
        return f"{self.parameters.name}, {self.noise}"

    def with_noise_for(self, budget: Budget) -> CoefficientSignals:
        """Return the mechanism with Gaussian noise if there is a δ, and Laplace noise otherwise."""
        return replace(self, noise=GAUSSIAN if budget.delta > 0 else LAPLACE)

    def correlation(self, budget: Budget, people: float) -> float:
        """Return the correlation over time to expect with the exact mean signal."""
        mechanism = self.usual
        deviation = mechanism.calibrated_noise(budget).standard_deviation
        return coefficient_correlation(mechanism.parameters.form, deviation=deviation, people=people)

    @property
    def usual(self) -> CoefficientSignals:
        """The mechanism whose accuracy is to be expected: of frequencies that are yet to be chosen, with the usual number."""
        if self.candidates is None:
            return self
        return self.at(min(USUAL_FREQUENCIES, self.candidates[-1])).settled()

    def prediction(self, event: Event, budget: Budget | None, people: int | None) -> tuple[str, str]:
        """Return the error to expect, and the people that a good signal takes."""
        if not self.parameters.is_each:
            return super().prediction(event, budget, people)
        mechanism = self.usual
        within = reach(mechanism.calibrated_noise(budget))
        share = 100 * within * float(mechanism.parameters.form.spread.max()) / (2 * HALF_RANGE)
        return (
            f"95 %: each step ± {share:.3g} % of the feature's bounds, in every participant's series",
            "no number of participants helps: each series carries the noise of a whole person",
        )

    def expected(self, event: Event, budget: Budget | None, people: float) -> tuple[Expectation, ...]:
        """Return the correlation over time to expect, of frequencies that are yet to be chosen with the usual number."""
        if self.candidates is None:
            return super().expected(event, budget, people)
        return self.usual.expected(self.usual.calibrate(budget), budget, people)

    def comparison(self, budget: Budget | None) -> list[list[str]]:
        """Return the correlation to expect of every mechanism; nothing for each person's series, which have none."""
        return [] if self.parameters.is_each else super().comparison(budget)

    def units(self, event: Event, guarantee: Guarantee, budget: Budget | None) -> list[list[str]]:
        """Return the table of what it costs if less than a person changes."""
        costs = self.unit_costs(event, guarantee, budget)
        return units_table(self.parameters, costs, guarantee)

    def unit_costs(self, event: Event, guarantee: Guarantee, budget: Budget | None) -> dict[str, float]:
        """Return ε by the unit that changes, as `unit_costs.unit_costs`."""
        possible = [(self.parameters, event)]
        if self.candidates is not None and budget is not None:
            choice, noise_budget = self.split(budget)
            mechanisms = [self.at(k) for k in self.candidates]
            possible = [
                (mechanism.parameters, Composed((choice, mechanism.calibrated_noise(noise_budget))))
                for mechanism in mechanisms
            ]
        return unit_costs(possible, event, guarantee, self.neighbours, self.markov_chain)


def _summed(missed: NDArray[np.int64], parameters: CoefficientParameters) -> NDArray[np.int64]:
    """What is left out of some people's series, added up: as the query adds up what it releases."""
    if parameters.is_each:
        return to_limbs(squared_norm(missed))
    people = len(missed) // parameters.series_count  # nothing may be left out: −1 would not say how many
    total: NDArray[np.int64] = missed.reshape(
        people, len(parameters.recordings), len(parameters.features), missed.shape[-1]
    ).sum(axis=0)
    return total


def totals(data: FeatureData, parameters: CoefficientParameters) -> NDArray[np.int64]:
    """Return what noise is added to: the sum of all contributions, or all of them side by side where each is released.

    Integers in steps, or coefficients of them, shape (recordings, features, K) or (people, recordings, features, K).
    """
    integers = (contributions(part, parameters) for part in blocks(data, parameters.length))
    zero = np.zeros(
        (len(parameters.recordings), len(parameters.features), parameters.form.count), dtype=np.int64
    )
    if parameters.is_each:
        return np.concatenate([zero[None][:0], *integers])
    return functools.reduce(lambda total, part: total + part.sum(axis=0), integers, zero)


def contributions(
    data: FeatureData, parameters: CoefficientParameters, *, clipped: bool = True
) -> NDArray[np.int64]:
    """Return each person's integers, shape (people, recordings, features, K); zero where there is no recording."""
    p = parameters
    recordings, features = len(p.recordings), len(p.features)
    series = np.zeros((data.people * recordings, p.length, features), dtype=np.int64)
    group, completed, _ = completed_series(data, p.length, completion=p.completion)
    series[group] = to_steps(completed, data.bounds)
    rows = np.moveaxis(series, 1, 2).reshape(-1, p.length)
    integers = p.form.integers(rows, clipped=clipped)
    return integers.reshape(data.people, recordings, features, p.form.count)
