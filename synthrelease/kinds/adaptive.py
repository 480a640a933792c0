"""Mechanisms in rounds, each of which depends on what earlier ones released: noise stands between a round's exact sums and the next round."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from synthrelease.dp.budget import Budget
from synthrelease.dp.event import Event, noise_of
from synthrelease.dp.noise.addition import add_noise
from synthrelease.dp.noise.entropy import SecureRandom
from synthrelease.kinds.contributions import Rows
from synthrelease.kinds.dataset import Array
from synthrelease.kinds.mechanism import QUIET, Drawn, Mechanism
from synthrelease.kinds.parameters import Parameters

Integers = NDArray[np.int64]
Release = Callable[[str, Integers], Array]  # from a round's path and exact sum, what is released of it

P = TypeVar("P", bound=Parameters)


@dataclass(frozen=True, kw_only=True)
class AdaptiveMechanism(Mechanism[P]):
    """Rounds of noisy sums, all of one event."""

    def drawing_row_bytes(self, row_bytes: int) -> int:
        """Return how much memory a row takes while noise is drawn: each round reduces all rows anew, by what the one before released."""
        return 4 * row_bytes

    @property
    def is_adaptive(self) -> bool:
        """Always."""
        return True

    @abstractmethod
    def rounds(self, collected: Rows, event: Event, released: Release) -> dict[str, Array]:
        """Return what is released of each round, by path.

        Args:
            collected: of all people.
            event: whose noise later rounds may depend on.
            released: what makes of a round's path and exact sum what is released: later rounds depend on that alone.
        """

    def draw(self, collected: Rows, budget: Budget | None, random: SecureRandom) -> Drawn:
        """Add noise to the sums of all rounds, each of vectors that the sums before decide."""
        event = self.calibrate(budget)
        noise = noise_of(event)
        assert noise is not None

        def noisy(_path: str, sums: Integers) -> Array:
            return add_noise(sums, noise, largest=self.largest_integer, random=random)

        return Drawn({**self.public_arrays, **self.rounds(collected, event, noisy)}, event, self.parameters)

    def exact(self, collected: Rows) -> dict[str, Array]:
        """Return the sums of all rounds without noise: private."""
        return self.rounds(collected, QUIET, lambda _path, sums: sums)

    def exact_after(self, collected: Rows, released: Mapping[str, Array], event: Event) -> dict[str, Array]:
        """Return the exact sums of all rounds if the rounds before released what they did: private."""
        exact: dict[str, Array] = {}

        def noisy(path: str, sums: Integers) -> Array:
            exact[path] = sums
            return released[path]

        self.rounds(collected, event, noisy)
        return exact
