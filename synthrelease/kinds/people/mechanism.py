"""Synthetic people: what is kept of participants' windows, and the three rounds. Claim: `people.proof.md`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synthrelease.data.features import FeatureData
from synthrelease.data.losses import Loss, Reason
from synthrelease.dp.budget import Budget
from synthrelease.dp.event import Event
from synthrelease.errors import PolicyError
from synthrelease.kinds.adaptive import AdaptiveMechanism, Release
from synthrelease.kinds.contributions import Rows
from synthrelease.kinds.dataset import Array
from synthrelease.kinds.expectation import VARIATION, Expectation, people_needed
from synthrelease.kinds.measured import measured_values
from synthrelease.kinds.parameters import deviation_of
from synthrelease.kinds.people.contributions import coarse_sum, dependence_sum, fine_sum
from synthrelease.kinds.people.design import PeopleDesign
from synthrelease.kinds.people.public import (
    COARSE,
    DEPENDENCE,
    FINE,
    PeopleParameters,
)
from synthrelease.kinds.people.scores import Scale
from synthrelease.kinds.people.vectors import MISSING, Windows, coefficients, dependence, first_windows
from synthrelease.kinds.people.words import MARGINALS_USEFUL, USEFUL_BESIDE_PILOT
from synthrelease.number_words import short
from synthrelease.numerics.runs import whole_parts

Integers = NDArray[np.int64]
Numbers = NDArray[np.float64]

_MOST_TABLES = 64  # of scores that are kept, of half a megabyte each
_PART_ROWS = 1 << 15  # of windows that are reduced at once
_ROWS_PER_PERSON = 64  # whose levels take as much memory as a person's counts and products
_TYPE = np.int32  # of a recording's number and of levels


@dataclass(frozen=True, kw_only=True)
class SyntheticPeople(AdaptiveMechanism[PeopleParameters]):
    """Three adaptive rounds, each a noisy sum of one clipped vector of each person."""

    @property
    def row_bytes(self) -> int:
        """How much memory each row of a part takes while levels are found."""
        return 120 + 8 * len(self.parameters.features)

    def for_budget(self, budget: Budget | None) -> SyntheticPeople:
        """Return the mechanism with the design that suits a budget.

        Raises:
            PolicyError: marginals could not be learnt.
        """
        design = self._design(budget, self._people)
        most = MARGINALS_USEFUL if self.parameters.pilot is None else USEFUL_BESIDE_PILOT
        if design.marginal_risk > most:
            enough = people_needed(lambda number: self._design(budget, number).marginal_risk <= most)
            raise PolicyError(
                "people-not-learnable",
                "synthetic people would be a guess: the noise is larger than what can be learnt of the marginal distributions",
                found=f"{short(100 * design.marginal_risk, 2)} % of what is unknown without data is expected to stay so",
                expected=f"at most {100 * most:g} %",
                remedy="raise ε or the output's share, or release fewer features"
                + ("" if enough is None else f"; at this ε it takes {enough} participants"),
            )
        return replace(self, parameters=replace(self.parameters, design=design))

    @property
    def _people(self) -> int:
        people = self.parameters.people
        assert people is not None  # these outputs need replace-one
        return people

    def _design(self, budget: Budget | None, people: int) -> PeopleDesign:
        return self.parameters.design_for(self.calibrated_noise(budget), people)

    def collect(self, data: FeatureData) -> Rows:
        """Return of some people's windows the recordings and the levels of all features, in the order of recordings and time."""
        p = self.parameters
        data = data.only([feature.name for feature in p.features])
        kept = first_windows(data.person, data.recording, p.max_windows)
        block = np.empty((len(kept), 1 + len(p.features)), dtype=_TYPE)
        block[:, 0] = data.recording[kept]
        for f, scale in enumerate(p.scales):
            block[:, 1 + f] = scale.levels(data.values[kept, f])
        return Rows(((data.person[kept], block),))

    def measured(self, data: FeatureData) -> dict[str, int]:
        """Return how many values of each feature are of any use."""
        return measured_values(data, [feature.name for feature in self.parameters.features])

    def losses(self, data: FeatureData) -> tuple[Loss, ...]:
        """Return how many windows are more than a participant may have in a recording."""
        rows = len(data.person)
        left_out = rows - len(first_windows(data.person, data.recording, self.parameters.max_windows))
        return (
            Loss(
                left_out, rows, "are more than `max_windows` of a participant in a recording", Reason.CHOSEN
            ),
        )

    def expected(self, event: Event, budget: Budget | None, people: float) -> tuple[Expectation, ...]:
        """Return how far people are expected to be from the population with so many participants, and the design that suits them."""
        number = round(people)
        parameters = replace(self.parameters, people=number, design=self._design(budget, number))
        return parameters.expected(event, number, self.neighbours)

    def rounds(self, collected: Rows, event: Event, released: Release) -> dict[str, Array]:
        """Return what is released of each round, of vectors that the rounds before decide."""
        p = self.parameters
        person, block = collected.whole()
        rounds = p.rounds(deviation_of(event))
        drawn: dict[str, Array] = {}

        def release(path: str, shape: tuple[int, ...], contributed: Callable[[_Part], Integers]) -> None:
            sums = np.zeros(shape, dtype=np.int64)
            for part in _parts(person, block):  # people without windows add nothing
                sums += contributed(part)
            drawn[path] = released(path, sums)

        of_marginals = p.form.features, p.form.cosines
        release(COARSE, of_marginals, lambda part: coarse_sum(self._means(part), rounds))
        centre, weights, _ = rounds.fine_round(rounds.coarse(drawn[COARSE]))
        release(FINE, of_marginals, lambda part: fine_sum(self._means(part), centre, weights, rounds))
        density = rounds.marginals(drawn[COARSE], drawn[FINE]).density
        release(
            DEPENDENCE,
            (p.form.dependence_size,),
            lambda part: dependence_sum(self._products(part, density), rounds),
        )
        return drawn

    def _means(self, part: _Part) -> Numbers:
        """Mean coefficients of some people's features, NaN where a person has no value of one, shape (people, F, K)."""
        means, has_values = coefficients(part.windows, part.levels, self.parameters.form)
        means[~has_values] = np.nan
        return means

    def _products(self, part: _Part, density: Numbers) -> Numbers:
        """Squares and products of some people's scores under the released marginals, shape (people, size)."""
        levels = part.levels
        scores = np.empty_like(levels)
        for f, scale in enumerate(self.parameters.scales):
            scores[:, f] = _score_table(scale, density[f].tobytes())[levels[:, f]]
        present = levels != MISSING
        scores[~present] = 0
        return dependence(part.windows, scores, present, self.parameters.form)

    def prediction(self, event: Event, budget: Budget | None, people: int | None) -> tuple[str, str]:  # noqa: ARG002
        """Return the errors to expect, and how many people it takes to halve each error of no data."""
        now = self.parameters.expected(event, self._people, self.neighbours)
        errors = ", ".join(
            f"{one.subject} {short(one.best, 2)} to {short(one.worst, 2)} (no data: {short(one.without_data, 2)})"
            for one in now
        )
        needed = {one.subject: self._needed(event, budget, one.subject) for one in now}
        # What a pilot says by itself takes no participants: "1 participant" would be no advice.
        asked = (
            f"{number} to halve the error of {subject}" for subject, number in needed.items() if number != 1
        )
        return (
            f"error, in {VARIATION} of marginals and standard deviations of contrasts: {errors}",
            ", ".join(asked),
        )

    def _needed(self, event: Event, budget: Budget | None, subject: str) -> int | str:
        def is_good(people: int) -> bool:
            (one,) = (one for one in self.expected(event, budget, people) if one.subject == subject)
            return one.best <= one.without_data / 2

        return people_needed(is_good) or "more than there are"


@dataclass(frozen=True)
class _Part:
    """Windows of some people, all of whose windows are there."""

    windows: Windows
    levels: Integers  # of their values, shape (N, F)


def _parts(person: Integers, block: NDArray[np.integer[Any]]) -> Iterator[_Part]:
    """Yield some people's windows at a time."""
    for here, owner, people in whole_parts(person, rows=_PART_ROWS, rows_per_owner=_ROWS_PER_PERSON):
        rows = block[here].astype(np.int64)
        yield _Part(Windows(owner, rows[:, 0], people), rows[:, 1:])


@lru_cache(maxsize=_MOST_TABLES)
def _score_table(scale: Scale, density: bytes) -> Integers:
    """A table that is made once: an attack looks at one person after the other by the same."""
    return scale.score_table(np.frombuffer(density))
