"""What is granted to a dataset, and what a release is to pay for."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from synthrelease.dp import accounting
from synthrelease.dp import event as events
from synthrelease.dp.event import Event
from synthrelease.dp.guarantee import Neighbours

# As plans have it: schemas/plan-v1.schema.json.
_NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9_-]{0,62}[A-Za-z0-9])?")


@dataclass(frozen=True)
class Grant:
    """What all releases of a dataset may cost a person together."""

    epsilon: float  # ε
    delta: float  # δ at which all is counted
    # the relation under which; releases of another do not compose with it into one number
    neighbours: Neighbours

    def __post_init__(self) -> None:
        if not (0 < self.epsilon < math.inf and 0 <= self.delta < 0.5):
            raise ValueError(
                f"Expected 0 < epsilon < inf and 0 <= delta < 0.5, found epsilon={self.epsilon}, delta={self.delta}"
            )

    def cost(self, release: Sequence[Event]) -> float:
        """Return ε of one release at the grant's δ, rounded up: exact, since a plan fixed all of it before it began.

        Infinity if it needs a δ and the grant has none.
        """
        return _cost(tuple(release), self)

    def to_json(self) -> dict[str, str]:
        """Return the ledger's form."""
        return {
            "epsilon": repr(self.epsilon),
            "delta": repr(self.delta),
            "neighbours": str(self.neighbours),
        }

    @classmethod
    def from_json(cls, form: dict[str, Any]) -> Grant:
        """Read a grant back; KeyError, TypeError or ValueError if it is none."""
        return cls(float(form["epsilon"]), float(form["delta"]), Neighbours(form["neighbours"]))


@dataclass(frozen=True)
class Charge:
    """What a release is to pay for."""

    dataset: str  # the ledger's name for the private data
    release: dict[str, str]  # name and version
    plan: str  # digest of the plan's text
    neighbours: Neighbours  # the release's relation
    delta: float  # the plan's own δ, which is added up where releases are
    # of the differentially private outputs; where a private choice is one, as planned: all outcomes cost
    # alike
    events: tuple[Event, ...]
    uncounted: tuple[str, ...] = ()  # outputs that are not differentially private, which no ε counts, by name

    def __post_init__(self) -> None:
        if not 0 <= self.delta < 0.5:
            raise ValueError(f"Expected 0 <= delta < 0.5, found delta={self.delta}")

    def to_json(self) -> dict[str, Any]:
        """Return the ledger's form."""
        return {
            "dataset": self.dataset,
            "release": self.release,
            "plan": self.plan,
            "neighbours": str(self.neighbours),
            "delta": repr(self.delta),
            "events": [event.to_json() for event in self.events],
            "uncounted": list(self.uncounted),
        }

    @classmethod
    def from_json(cls, form: dict[str, Any]) -> Charge:
        """Read a charge back; KeyError, TypeError or ValueError if it is none."""
        return cls(
            form["dataset"],
            {key: str(form["release"][key]) for key in ("name", "version")},
            form["plan"],
            Neighbours(form["neighbours"]),
            float(form["delta"]),
            tuple(events.from_json(event) for event in form["events"]),
            tuple(map(str, form["uncounted"])),
        )


@functools.lru_cache(maxsize=256)
def _cost(release: tuple[Event, ...], grant: Grant) -> float:
    """Composing unlike noises takes a while, and is asked for again when it is paid, while others wait."""
    return accounting.epsilon_at(
        release, delta=grant.delta, neighbours=grant.neighbours, budget=grant.epsilon
    )


def is_name(dataset: object) -> bool:
    """Whether plans can name a dataset so."""
    return isinstance(dataset, str) and _NAME.fullmatch(dataset) is not None
