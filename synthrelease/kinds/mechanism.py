"""The private half of an output: what people contribute, and what is drawn on the contributions of all of them."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Generic, Self, TypeVar

from synthrelease.data.losses import Loss
from synthrelease.dp.budget import GAUSSIAN, Budget, calibrated
from synthrelease.dp.event import Composed, Event, Noise, RoundedGaussian, noise_of
from synthrelease.dp.guarantee import Guarantee, Neighbours
from synthrelease.dp.noise.addition import add_noise
from synthrelease.dp.noise.entropy import SecureRandom
from synthrelease.kinds.contributions import Contribution
from synthrelease.kinds.dataset import Array, Dataset, Role
from synthrelease.kinds.expectation import Expectation
from synthrelease.kinds.parameters import Parameters

UNKNOWN = Composed(())  # in the place of an event that is not known yet
QUIET = RoundedGaussian(1.0, 0.1, 1)  # of a deviation for which nothing is shrunk: next to none
UNBOUNDED = 2**45  # integers of people whose number is private are smaller than this

Collector = Callable[[Any], Contribution]

P = TypeVar("P", bound=Parameters)


@dataclass(frozen=True)
class Drawn:
    """What a mechanism made of all contributions: the datasets that follow from nothing, and what was done."""

    arrays: Mapping[str, Array]  # all items of each dataset, by its path
    event: Event
    parameters: Parameters  # with what was chosen privately
    notes: tuple[str, ...] = ()  # only for the curator, nowhere in the release


@dataclass(frozen=True, kw_only=True)
class Mechanism(ABC, Generic[P]):
    """An output with all its public parameters, and how it is made.

    What a subclass does not say otherwise: integers of people add up, and one noise covers them all.
    """

    parameters: P
    neighbours: Neighbours
    noise: str | None  # "gaussian" or "laplace"; None where there is none

    @property
    def takes_budget(self) -> bool:
        """Whether anything in it is paid for."""
        return self.noise is not None

    @property
    def may_fail_after_noise(self) -> bool:
        """Whether it may have to be refused once noise was drawn."""
        return False

    def drawing_row_bytes(self, row_bytes: int) -> int | None:  # noqa: ARG002
        """Return how much memory a contributed row of so many bytes takes while noise is drawn; None if people contribute a vector each, and not all of their rows."""
        return None

    @property
    def takes_delta(self) -> bool:
        """Whether its guarantee needs a δ."""
        return self.noise == GAUSSIAN

    @property
    def noisy(self) -> list[Dataset]:
        """The datasets that noise is added to."""
        return [dataset for dataset in self.parameters.datasets(UNKNOWN) if dataset.role is Role.NOISY]

    @property
    def public_arrays(self) -> Mapping[str, Array]:
        """The public datasets of a release, by path: what the plan names besides the data."""
        return {}

    @property
    def largest_array(self) -> int:
        """How many numbers the largest array that is made at once has."""
        return max(math.prod(dataset.item_shape) for dataset in self.parameters.datasets(UNKNOWN))

    @property
    def row_bytes(self) -> int:
        """How much memory each row of a part takes while contributions are collected, besides the row itself."""
        return 80

    def for_budget(self, budget: Budget | None) -> Mechanism[P]:  # noqa: ARG002
        """Return the mechanism with the public parameters that follow from its budget.

        Raises:
            PolicyError: the budget is too small for anything useful.
        """
        return self

    def calibrate(self, budget: Budget | None) -> Event:
        """Return the event that a budget buys; reads no data.

        Raises:
            PolicyError: the output cannot be had for it.
        """
        return self.calibrated_noise(budget)

    def calibrated_noise(self, budget: Budget | None) -> Noise:
        """Return the noise that a budget buys."""
        assert budget is not None
        assert self.noise is not None
        sensitivity = self.parameters.sensitivity(self.neighbours)
        return calibrated(self.noise, sensitivity, budget, count=sum(dataset.size for dataset in self.noisy))

    @abstractmethod
    def collect(self, data: Any) -> Contribution:
        """Return what some people contribute, all of whose rows are there."""

    @abstractmethod
    def measured(self, data: Any) -> dict[str, int]:
        """Return how many measurements of some people are of any use, by feature, or rows: only for the curator."""

    def losses(self, data: Any) -> tuple[Loss, ...]:  # noqa: ARG002
        """Return what is clipped of what the output makes of some people's data itself: only for the curator."""
        return ()

    def exact(self, collected: Any) -> dict[str, Array]:
        """Return what the drawn datasets are without noise, of all people's contributions: private."""
        return {dataset.path: collected[dataset.path] for dataset in self.noisy}

    @property
    def is_adaptive(self) -> bool:
        """Whether what is summed later depends on what was released before."""
        return False

    def exact_after(self, collected: Any, released: Mapping[str, Array], event: Event) -> dict[str, Array]:  # noqa: ARG002
        """Return what noise was added to in a release, of people's contributions: private.

        Args:
            collected: of all people, or of some, of whom it is their part of the sums.
            released: the noisy datasets, by path.
            event: what was done.
        """
        return self.exact(collected)

    def draw(self, collected: Any, budget: Budget | None, random: SecureRandom) -> Drawn:
        """Draw on what all people contribute."""
        event = self.calibrate(budget)
        arrays = self.with_noise(self.shuffled(collected, random), event, random)
        return Drawn({**self.public_arrays, **arrays}, event, self.parameters)

    def shuffled(self, collected: Any, random: SecureRandom) -> dict[str, Array]:  # noqa: ARG002
        """Return what noise is added to: where people's own rows are released, in an order that is drawn."""
        return self.exact(collected)

    def with_noise(self, exact: Mapping[str, Array], event: Event, random: SecureRandom) -> dict[str, Array]:
        """Return the noisy datasets."""
        noise = noise_of(event)
        assert noise is not None
        return {
            path: add_noise(array, noise, largest=self.largest_integer, random=random)
            for path, array in exact.items()
        }

    @property
    def largest_integer(self) -> int:
        """A public bound of the magnitude of every integer before noise.

        Under add-remove-one it must not depend on n, not even through the type of what is released.
        """
        most = self.parameters.most_counts(UNKNOWN)
        return UNBOUNDED if most is None else most

    def rehearsed(self, budget: Budget | None, event: Event) -> Drawn:  # noqa: ARG002
        """Return what will be released, without values; of a private choice, that of the candidate that makes the largest release."""
        return Drawn({}, event, self.parameters)

    @property
    def is_choosing(self) -> bool:
        """Whether it chooses a parameter privately."""
        return False

    def with_choice_of(self, parameters: Parameters) -> Mechanism[P]:  # noqa: ARG002
        """Return the mechanism with what a plan leaves open, as a release's parameters state it: what was chosen privately, and the estimate."""
        return self

    def settled(self) -> Mechanism[P]:
        """Return the mechanism as if the plan had named what was chosen privately."""
        return self

    @abstractmethod
    def prediction(self, event: Event, budget: Budget | None, people: int | None) -> tuple[str, str]:
        """Return the error to expect with this many people (None: private), and how many a useful result takes."""

    def expected(
        self,
        event: Event,
        budget: Budget | None,  # noqa: ARG002
        people: float,
    ) -> tuple[Expectation, ...]:
        """Return how far released values are expected to be from the exact ones with so many participants."""
        return self.parameters.expected(event, people, self.neighbours)

    def with_people(self, people: int) -> Self:
        """Return the mechanism as if so many participants were in the data: for `expected`, and not to be built."""
        return replace(self, parameters=self.parameters.with_people(people))

    def errors(self, event: Event) -> list[list[str]]:  # noqa: ARG002
        """Return a table, its head first, of the noise of every value in its unit; empty if there is none."""
        return []

    def units(
        self,
        event: Event,  # noqa: ARG002
        guarantee: Guarantee,  # noqa: ARG002
        budget: Budget | None,  # noqa: ARG002
    ) -> list[list[str]]:
        """Return a table, its head first, of what it costs if less than a person changes; empty if there is none."""
        return []

    def comparison(self, budget: Budget | None) -> list[list[str]]:  # noqa: ARG002
        """Return a table in which the output compares the mechanisms it could be made by; empty if there is none."""
        return []
