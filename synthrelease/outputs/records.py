"""Synthetic records: from the plan's words to model, test and manifest."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import Any

from synthrelease.data.facts import Facts
from synthrelease.maths.steps import HALF_RANGE
from synthrelease.mechanisms.collected import Rows, Sums
from synthrelease.mechanisms.records.parameters import DP, EXCLUDE, PERSON, TREE, RecordsParameters
from synthrelease.mechanisms.records.release import calibrate, collect, derivations, draw
from synthrelease.noise.entropy import SecureRandom
from synthrelease.outputs.records_parameters import records_parameters
from synthrelease.outputs.resolved import Collector, Release, counted, names_source
from synthrelease.plan import InputSpec, OutputSpec
from synthrelease.privacy.budget import GAUSSIAN, Budget
from synthrelease.privacy.deniability import best_t, even_pass_rate, trial_cost
from synthrelease.privacy.event import Event, RandomizedTest, flatten, noise_of
from synthrelease.privacy.guarantee import Neighbours


@dataclass(frozen=True)
class RecordsOutput:
    """A records output with all its public parameters."""

    spec: OutputSpec
    source: InputSpec
    parameters: RecordsParameters

    @property
    def noise(self) -> str | None:
        """Which noise takes budget: that of the fit, if any."""
        return self.parameters.noise if self.parameters.fit == DP else None

    @property
    def takes_delta(self) -> bool:
        """Whether the promise needs a δ."""
        return self.noise == GAUSSIAN or self.parameters.randomized

    @property
    def largest_array(self) -> int:
        """How many numbers the largest array that is made at once has."""
        p = self.parameters
        cells = sum(math.prod(p.categories[a] for a in subset) for subset in p.subsets())
        return max(p.rows, p.trials if p.randomized else 0, cells)

    def calibrate(self, budget: Budget | None) -> Event:
        """Return the event that the budget buys."""
        return calibrate(self.parameters, budget)

    def collector(self) -> Collector:
        """Return what takes people's rows."""
        return partial(collect, parameters=self.parameters)

    @property
    def may_fail_after_noise(self) -> bool:
        """Whether too few records may pass the test of a model with noise, once it was drawn."""
        return self.parameters.tested and self.parameters.fit == DP and not self.parameters.randomized

    def release(self, collected: Rows | Sums, budget: Budget | None, random: SecureRandom) -> Release:
        """Draw on everybody's rows."""
        drawn, event, passing = draw(collected, self.parameters, budget, random=random)
        told = []
        if passing.copies is not None:
            told.append(
                f"{passing.copies} of {self.parameters.rows} records equal a real one in all attributes"
            )
        if self.parameters.tested:
            share = passing.passed / passing.trials
            told.append(f"{passing.passed} of {passing.trials} candidates passed the test ({share:.2%})")
        return Release(derivations(drawn, self.parameters), event, tuple(told))

    def mechanism(self) -> dict[str, Any]:
        """Return the manifest's entry."""
        p = self.parameters
        return {
            "name": p.model,
            "parameters": {
                "fit": p.fit,
                "dependence": p.dependence,
                "task": p.task,
                "per_task": p.per_task,
                "attributes": [attribute.to_json() for attribute in p.attributes],
                "order": list(p.order),
                "resampled": list(p.resampled),
                "threshold": p.threshold if p.tested else None,
                "k": p.k if p.tested else None,
                "gamma": p.gamma if p.tested else None,
                "counted": p.counted if p.tested else None,
                "copies": p.copies,
                "rows": p.rows,
            },
            "public_inputs": {"people": p.people, "names": names_source(self.source)},
        }

    def derivation(self) -> str:
        """Return why the sensitivity is what it is."""
        sets = counted(len(self.parameters.subsets()), "set")
        return f"a person divides {HALF_RANGE} shares among the cells of each of {sets} of jointly counted attributes"

    def post_processing(self) -> list[str]:
        """Return what was done after the draw."""
        done = ["value: uniform within the bin of its category"]
        if self.parameters.fit == DP:
            done.append(
                "model: nearest histograms of the fitted people to the noised counts, a prior of one person in each"
            )
            if self.parameters.dependence == TREE:
                done.append("dependence: the tree of largest mutual information in the noised counts")
        return done

    def warnings(self) -> list[str]:
        """Return what a reader must know."""
        p = self.parameters
        told = []
        if not all(attribute.missing for attribute in p.attributes):
            categorised = any(attribute.missing for attribute in p.attributes)
            told.append(f"rows {'without a task' if categorised else 'with a missing value'} take no part")
        if p.randomized:
            told.append(
                f"each record is a candidate that passed, or in its place one of the model alone: which is not told; seeds "
                f"are {p.seeds} of {p.people} people, one record each, and the model is that of the others"
            )
        elif p.tested:
            told.extend(self._test_warnings())
        else:
            told.append("drawn from noised counts alone: differentially private")
        if p.dependence != TREE:
            told.append(f"drawn attributes are independent{' given the task' if p.per_task else ''}")
        return told

    def _test_warnings(self) -> list[str]:
        p = self.parameters
        told = [
            "plausible deniability is a criterion, not differential privacy; which records passed is itself information"
        ]
        if p.counted == PERSON:
            worst = p.gamma / (p.gamma + p.k - 1)
            each = "one record for each task" if p.task else "one record"
            told.append(
                f"every person enters the test with {each}: whoever knows all data can name a record's seed "
                f"with a probability of at most γ/(γ + k − 1) = {worst:.2g}"
            )
        else:
            told.append("k counts records: one person's similar rows can pass the test alone")
        if p.vacuous:
            told.append("vacuous: the test cannot fail, and protects no more than no test")
        if p.task and max(p.resampled) == len(p.order) - 1:
            told.append("where nothing but the task label is kept, hardly any record can fail the test")
        if p.copies == EXCLUDE:
            told.append(
                "records that equal a real one were left out: that one never appears can tell that somebody has it"
            )
        if p.fit == DP:
            told.append(
                "the model's counts carry noise, but the records start from seeds: not differentially private"
            )
        else:
            told.append("the model was fitted exactly: its own statistics carry no guarantee")
        return told

    def prediction(self, event: Event, budget: Budget | None, people: int | None) -> tuple[str, str]:
        """Return the noise of a cell against its mean weight and the records to expect; and the people these need."""
        assert people is not None  # these outputs need replace-one
        p, told, needed = self.parameters, [], []
        noise = noise_of(event)
        if noise is not None:
            deviation = noise.standard_deviation / HALF_RANGE
            cells = max(math.prod(p.categories[a] for a in subset) for subset in p.subsets())
            told.append(f"each cell ± {deviation:.3g} people; a mean cell holds {p.modelled / cells:.3g}")
            enough = math.ceil(3 * deviation * cells) * (2 if p.randomized else 1)
            needed.append(f"{enough} for mean cells of three times the noise")
        if p.tested:
            told.append(self._expected_records())
            needed.append(f"at least {p.k * (2 if p.randomized else 1)} for any record to pass (k = {p.k})")
        if budget is not None:
            tests = (leaf for leaf in flatten(event) if isinstance(leaf, RandomizedTest))
            told.extend(_cost(test, budget.delta) for test in tests)
        return "; ".join(told), "; ".join(needed)

    def _expected_records(self) -> str:
        p = self.parameters
        rate = self.spec.options.get("pass_rate")
        assumed = "" if rate is None else f" (pass_rate = {rate:g} assumed)"
        if rate is None:
            rate = even_pass_rate(categories=p.categories[p.task :], drawn=p.resampled, k=p.k, people=p.seeds)
        told = (
            f"{rate:.2g} of the candidates would pass if categories were even; real ones are less even, and more pass "
            "(the true rate is private; assume one with pass_rate)"
        )
        if p.randomized:
            started = (
                f"at that rate about {rate * p.trials:.3g} of {p.trials} records start from a seed{assumed}"
            )
            return started if assumed else f"{told}; {started}"
        if assumed:
            return f"{min(rate * p.trials, p.rows):.0f} of {p.rows} records in at most {p.trials} trials{assumed}"
        return f"all {p.rows} records if {p.rows / p.trials:.2g} of {p.trials} candidates pass; {told}"


def _cost(test: RandomizedTest, delta: float) -> str:
    """What a randomized test costs, trial by trial and added up; the promise is the exact composition."""
    t = best_t(test, delta)
    assert t is not None  # else the test could not be calibrated
    one, small = trial_cost(test, t)
    return (
        f"a trial costs ε = {one:.3g}, δ = {small:.2g} (t = {t}); added up over {test.trials} trials "
        f"ε = {one * test.trials:.4g}, δ = {small * test.trials:.2g}; the promise composes them exactly"
    )


def resolve(spec: OutputSpec, source: InputSpec, facts: Facts, neighbours: Neighbours) -> RecordsOutput:
    """Fill in the public parameters of a records output.

    Raises:
        PlanError: a parameter contradicts another, or k people cannot be found.
        PolicyError: the test is vacuous and that is not acknowledged, or the promise would be false.
    """
    return RecordsOutput(spec, source, records_parameters(spec, source, facts, neighbours))
