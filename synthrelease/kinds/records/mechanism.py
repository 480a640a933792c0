"""Synthetic records for publication. Claim: `records.proof.md`."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synthrelease.data.features import FeatureData
from synthrelease.dp import accounting
from synthrelease.dp.budget import GAUSSIAN, Budget
from synthrelease.dp.deniability import best_t, even_pass_rate, trial_cost
from synthrelease.dp.error_bounds import reach
from synthrelease.dp.event import (
    Composed,
    DeniabilityTest,
    Disjoint,
    Event,
    RandomizedTest,
    flatten,
    noise_of,
)
from synthrelease.dp.guarantee import ApproxDP
from synthrelease.dp.noise.entropy import SecureRandom
from synthrelease.errors import PolicyError
from synthrelease.kinds.contributions import Rows, Sums
from synthrelease.kinds.dataset import Array
from synthrelease.kinds.measured import measured_records
from synthrelease.kinds.mechanism import Drawn, Mechanism
from synthrelease.kinds.records.candidates import (
    Records,
    RecordSet,
    of_model,
    passing,
    seed_people,
    substituted,
)
from synthrelease.kinds.records.fit import fit_model, model_of, weighted_counts
from synthrelease.kinds.records.public import DP, RecordsParameters, category_path
from synthrelease.numerics.steps import HALF_RANGE


@dataclass(frozen=True)
class _Released:
    """Records of a release, and how the test went, which is only for the curator."""

    records: Records
    trials: int
    passed: int
    copies: int | None  # of real records; None if no real one was looked at


@dataclass(frozen=True, kw_only=True)
class SyntheticRecords(Mechanism[RecordsParameters]):
    """Records that are drawn from noisy counts, or that start from people's and pass a test."""

    trials: int  # candidates to make at most; with a randomized threshold as many as rows
    epsilon0: float | None = None  # ε₀ of a randomized threshold
    pass_rate: float | None = None  # that the curator assumes

    @property
    def takes_delta(self) -> bool:
        """Whether its guarantee needs a δ."""
        return self.noise == GAUSSIAN or self.parameters.is_randomized

    def drawing_row_bytes(self, row_bytes: int) -> int:
        """Return how much memory a row takes while similar rows are counted: any can be the source of a record."""
        return 200 + 6 * row_bytes

    @property
    def largest_array(self) -> int:
        """How many numbers the largest array that is made at once has."""
        p = self.parameters
        return max(p.rows, self.trials if p.is_randomized else 0, sum(dataset.size for dataset in self.noisy))

    @property
    def may_fail_after_noise(self) -> bool:
        """Whether too few records may pass the test of a model with noise, once it was drawn."""
        p = self.parameters
        return p.is_tested and p.fit == DP and not p.is_randomized

    def calibrate(self, budget: Budget | None) -> Event:
        """Return the event that a budget buys; it is needed for a fit with noise, or a randomized test.

        Raises:
            PolicyError: the randomized test costs more than the budget.
        """
        p = self.parameters
        parts: list[Event] = [self.calibrated_noise(budget)] if p.fit == DP else []
        if p.is_randomized:
            assert budget is not None
            _check_cost(self.randomized_test, budget)
            return Disjoint((*parts, self.randomized_test))
        if p.is_tested:
            assert p.k is not None
            assert p.gamma is not None
            assert p.counted is not None
            parts.append(DeniabilityTest(p.k, p.gamma, p.counted, p.is_vacuous))
        return parts[0] if len(parts) == 1 else Composed(tuple(parts))

    @property
    def randomized_test(self) -> RandomizedTest:
        """Test 2 of the output."""
        p = self.parameters
        assert p.k is not None
        assert p.gamma is not None
        assert self.epsilon0 is not None
        return RandomizedTest(p.k, p.gamma, self.epsilon0, self.trials, p.seeds)

    def table(self, data: Any) -> FeatureData:
        """Return the rows that records are made of, of some people's data."""
        features: FeatureData = data
        return features

    def collect(self, data: Any) -> Rows | Sums:
        """Return the coded records of some people; or their shares in joint counts, where nothing else is looked at."""
        p = self.parameters
        records, people = coded_records(self.table(data), p)
        if p.is_tested:
            return Rows(((people, records),))
        counts = weighted_counts(records, people, p.categories, p.subsets)
        return Sums({p.counts_path(subset): table for subset, table in counts.items()})

    def measured(self, data: Any) -> dict[str, int]:
        """Return of how many rows a record can be made."""
        attributes = self.parameters.attributes
        names = [attribute.name for attribute in attributes]
        complete = not any(attribute.missing for attribute in attributes)
        return measured_records(self.table(data), names, complete=complete)

    def draw(self, collected: Rows | Sums, budget: Budget | None, random: SecureRandom) -> Drawn:
        """Draw synthetic records from those of all people.

        Raises:
            PlanError: no row is complete, or too few candidates passed.
            PolicyError: the randomized test costs more than the budget.
        """
        p, event = self.parameters, self.calibrate(budget)
        noise = noise_of(event)
        if isinstance(collected, Sums):
            counts = {subset: collected[p.counts_path(subset)] for subset in p.subsets}
            model, counts = model_of(counts, p, noise, random=random)
            released = _Released(of_model(model, p.rows, _number_type(p), random), p.rows, p.rows, None)
        else:
            people, records = collected.whole()
            seed = seed_people(p, random)
            fitted = ~seed[people] if p.is_randomized else np.ones(len(people), dtype=bool)
            model, counts = fit_model(records[fitted], people[fitted], p, noise, random=random)
            real = RecordSet(records)
            if p.is_randomized:
                test = self.randomized_test
                tried = substituted(model, records, people, test, seed=seed, random=random)
            else:
                tried = passing(
                    model,
                    records,
                    people,
                    p,
                    trials=self.trials,
                    real=real,
                    of_each_task=p.records_of_task,
                    random=random,
                )
            # Which row a record was made from ends here.
            copies = int(real.contains(tried.records).sum())
            released = _Released(tried.records, tried.trials, tried.passed, copies)
        arrays: dict[str, Array] = {
            category_path(attribute): released.records[:, a].astype(attribute.number_type)
            for a, attribute in enumerate(p.attributes)
        }
        if noise is not None:
            arrays |= {p.counts_path(subset): table for subset, table in counts.items()}
        return Drawn(arrays, event, p, self._notes(released))

    def _notes(self, released: _Released) -> tuple[str, ...]:
        notes = []
        if released.copies is not None:
            notes.append(
                f"{released.copies} of {self.parameters.rows} records equal a real one in all attributes"
            )
        if self.parameters.is_tested:
            share = released.passed / released.trials
            notes.append(f"{released.passed} of {released.trials} candidates passed the test ({share:.2%})")
        return tuple(notes)

    def prediction(self, event: Event, budget: Budget | None, people: int | None) -> tuple[str, str]:
        """Return the noise of a cell against its mean weight and the records to expect; and the people these need."""
        assert people is not None  # these outputs need replace-one
        p, sentences, needed = self.parameters, [], []
        noise = noise_of(event)
        if noise is not None:
            deviation = noise.standard_deviation / HALF_RANGE
            cells = max(math.prod(p.categories[a] for a in subset) for subset in p.subsets)
            within = reach(noise) / HALF_RANGE
            sentences.append(
                f"95 %: each cell ± {within:.3g} participants; a mean cell holds {p.modelled / cells:.3g}"
            )
            enough = math.ceil(3 * deviation * cells) * (2 if p.is_randomized else 1)
            needed.append(f"{enough} for mean cells of three times the noise")
        if p.k is not None:
            sentences.append(self._expected_records())
            needed.append(
                f"at least {p.k * (2 if p.is_randomized else 1)} for any record to pass (k = {p.k})"
            )
        if budget is not None:
            tests = (leaf for leaf in flatten(event) if isinstance(leaf, RandomizedTest))
            sentences.extend(_cost(test, budget.delta) for test in tests)
        return "; ".join(sentences), "; ".join(needed)

    def _expected_records(self) -> str:
        p = self.parameters
        rate = self.pass_rate
        assert p.k is not None
        assumed = "" if rate is None else f" (pass_rate = {rate:g} assumed)"
        if rate is None:
            rate = even_pass_rate(
                categories=p.categories[p.task :], drawn=p.resampled, k=p.k, people=p.viewing
            )
        explanation = (
            f"{rate:.2g} of the candidates would pass if categories were even; real ones are less even, and more pass "
            "(the true rate is private; assume one with pass_rate)"
        )
        if p.is_randomized:
            started = f"at that rate about {rate * self.trials:.3g} of {self.trials} records start from a seed{assumed}"
            return started if assumed else f"{explanation}; {started}"
        if assumed:
            return f"{min(rate * self.trials, p.rows):.0f} of {p.rows} records in at most {self.trials} trials{assumed}"
        return f"all {p.rows} records if {p.rows / self.trials:.2g} of {self.trials} candidates pass; {explanation}"


def _cost(test: RandomizedTest, delta: float) -> str:
    """What a randomized test costs, trial by trial and added up; the guarantee is the exact composition."""
    t = best_t(test, delta)
    assert t is not None  # else the test could not be calibrated
    trial_epsilon, trial_delta = trial_cost(test, t)
    return (
        f"a trial costs ε = {trial_epsilon:.3g}, δ = {trial_delta:.2g} (t = {t}); added up over {test.trials} trials "
        f"ε = {trial_epsilon * test.trials:.4g}, δ = {trial_delta * test.trials:.2g}; the guarantee composes them exactly"
    )


def _check_cost(test: RandomizedTest, budget: Budget) -> None:
    if budget.delta == 0:
        raise PolicyError(
            "test-needs-delta",
            "a randomized deniability test has no guarantee at δ = 0",
            expected="a delta above 0 under [privacy]",
            remedy="set delta well below 1/participants",
        )
    cost = accounting.compose([test], delta=budget.delta)
    if not isinstance(cost, ApproxDP) or cost.epsilon > budget.epsilon:
        raise PolicyError(
            "test-exceeds-budget",
            f"the randomized deniability test of {test.trials} trials costs more than its budget",
            found=str(cost),
            expected=f"ε of at most {budget.epsilon:g} at δ = {budget.delta:.2g}",
            remedy="lower `trials`, `gamma` or `epsilon0`, raise `k`, or raise the budget"
            if isinstance(cost, ApproxDP)
            else "raise `k`, `epsilon0` or δ, or lower `trials`",
        )


def coded_records(data: FeatureData, parameters: RecordsParameters) -> tuple[Records, NDArray[np.int64]]:
    """Return the rows that have a category in every attribute, category numbers, shape (N, m), and the number of each one's person, shape (N,)."""
    attributes = parameters.attributes
    coded = np.empty((len(data.person), len(attributes)), dtype=_number_type(parameters))
    for a, attribute in enumerate(attributes):
        coded[:, a] = attribute.encoded(data.column(attribute.name))
    complete = (coded >= 0).all(axis=1)
    return coded[complete], data.person[complete]


def _number_type(parameters: RecordsParameters) -> np.dtype[np.signedinteger[Any]]:
    """One type for all attributes."""
    return np.result_type(*(attribute.number_type for attribute in parameters.attributes))
