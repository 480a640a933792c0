"""What a release guarantees, as values of types that refuse to mix.

Two guarantees of one kind, for one unit and one neighbouring relation, add up by that kind's own rule of
sequential composition. Unlike ones never merge into one number: that is done, exactly, from *events* by
`accounting`, or not at all. Pure and approximate DP: Dwork & Roth 2014, Definition 2.4 and Theorem 3.16; plausible deniability names its paper.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Any, ClassVar, Self

from synthrelease.number_words import no_less
from synthrelease.printable import short_repr

REPEATABLE = "the noise came from a test seed: it can be repeated, and taken away"
_EQUAL = 1e-6  # relative: as near as guarantees are compared


class Unit(StrEnum):
    """Whose data are hidden: of a release and its outputs all rows of one person.

    The others say what a person's signals cost where less changes, and all else of the person stays: one step of one
    feature, one chunk of it, one series (a feature of a recording), one recording. Steps and chunks are those of completed
    series: one value of the data stands in every step that it is held over.
    """

    PERSON = "person"
    RECORDING = "recording"
    SERIES = "series"
    CHUNK = "chunk"
    STEP = "step"


class Neighbours(StrEnum):
    """How two neighbouring datasets differ.

    `replace-one`: all rows of one person, in every input they take part in, are replaced by other rows;
    how many people have rows in each input, and in each combination of inputs, is public.
    `add-remove-one`: all rows of one person are added or removed; the number of people is private.
    """

    REPLACE_ONE = "replace-one"
    ADD_REMOVE_ONE = "add-remove-one"


@dataclass(frozen=True, kw_only=True, repr=False)
class Guarantee:
    """A guarantee to every `unit` under a neighbouring relation; see the subclasses for its kinds.

    `epsilon` is the ε of those that have one, and None for the others.
    """

    kind: ClassVar[str] = ""
    unit: Unit = Unit.PERSON
    neighbours: Neighbours = Neighbours.REPLACE_ONE
    epsilon: float | None = field(default=None, init=False, repr=False)

    def __add__(self, other: object) -> Self:
        if not isinstance(other, type(self)) or (self.unit, self.neighbours) != (
            other.unit,
            other.neighbours,
        ):
            raise TypeError(f"unlike guarantees do not add up: {self} and {other}; compose their events")
        return self._compose(other)

    def __repr__(self) -> str:
        return short_repr(self, str(self))

    def _repr_html_(self) -> str:
        from synthrelease.dp.guarantee_sentence import guarantee_card  # noqa: PLC0415  only for a notebook

        return guarantee_card(self).html

    def _compose(self, other: Self) -> Self:  # noqa: ARG002  for the subclasses
        raise TypeError(f"guarantees of kind {self.kind} do not add up")

    def to_json(self) -> dict[str, Any]:
        """Return the manifest's form: `kind`, `unit`, `neighbours` and the kind's own parameters."""
        parameters = {
            f.name: getattr(self, f.name)
            for f in fields(self)
            if f.init and f.name not in ("unit", "neighbours")
        }
        return {"kind": self.kind, "unit": str(self.unit), "neighbours": str(self.neighbours), **parameters}


def _positive(**values: float) -> None:
    for name, value in values.items():
        if not (math.isfinite(value) and value >= 0):
            raise ValueError(f"Expected {name} >= 0 and finite, found {name}={value}")


@dataclass(frozen=True, kw_only=True, repr=False)
class PureDP(Guarantee):
    """P[M(D) ∈ S] ≤ e^ε·P[M(D′) ∈ S] for all neighbours D, D′ and all S."""

    kind = "pure_dp"
    epsilon: float = field()  # without the default that it has above

    def __post_init__(self) -> None:
        _positive(epsilon=self.epsilon)

    def _compose(self, other: Self) -> Self:
        total = self.epsilon + other.epsilon
        return type(self)(epsilon=total, unit=self.unit, neighbours=self.neighbours)

    def __str__(self) -> str:
        return f"ε = {no_less(self.epsilon, 6)} per {self.unit} ({self.neighbours})"


@dataclass(frozen=True, kw_only=True, repr=False)
class ApproxDP(Guarantee):
    """P[M(D) ∈ S] ≤ e^ε·P[M(D′) ∈ S] + δ for all neighbours D, D′ and all S."""

    kind = "approx_dp"
    epsilon: float = field()  # without the default that it has above
    delta: float

    def __post_init__(self) -> None:
        _positive(epsilon=self.epsilon, delta=self.delta)

    def _compose(self, other: Self) -> Self:
        return type(self)(
            epsilon=self.epsilon + other.epsilon,
            delta=self.delta + other.delta,
            unit=self.unit,
            neighbours=self.neighbours,
        )

    def __str__(self) -> str:
        return f"ε = {no_less(self.epsilon, 6)}, δ = {no_less(self.delta, 2)} per {self.unit} ({self.neighbours})"


@dataclass(frozen=True, kw_only=True, repr=False)
class PlausibleDeniability(Guarantee):
    """(k, γ)-plausible deniability of each record (Bindschaedler et al. 2017, Definition 1).

    A criterion that each published record met, not differential privacy. `counted` is what k counts:
    "person" or "record". `vacuous` says that the test could not have failed.
    """

    kind = "plausible_deniability"
    k: int
    gamma: float
    counted: str
    vacuous: bool

    def __post_init__(self) -> None:
        if not isinstance(self.k, int) or self.k < 1 or not 1 < self.gamma < math.inf:
            raise ValueError(f"Expected k >= 1 and gamma > 1, found k={self.k}, gamma={self.gamma}")
        if self.counted not in ("person", "record"):
            raise ValueError("Expected counted to be person or record")

    def __str__(self) -> str:
        empty = "; vacuous: the test cannot fail" if self.vacuous else ""
        return f"plausible deniability k = {self.k} (each a {self.counted}), γ = {self.gamma:g}{empty}"


@dataclass(frozen=True, kw_only=True, repr=False)
class NoGuarantee(Guarantee):
    """Nothing is guaranteed, for a reason that is stated."""

    kind = "none"
    reason: str

    def __str__(self) -> str:
        return f"no guarantee: {self.reason}"


_KINDS: dict[str, type[Guarantee]] = {
    g.kind: g for g in (PureDP, ApproxDP, PlausibleDeniability, NoGuarantee)
}


def from_json(form: dict[str, Any]) -> Guarantee:
    """Read a guarantee back from its manifest form; KeyError, TypeError or ValueError if it is not one."""
    values = dict(form)
    kind = values.pop("kind", None)
    if kind not in _KINDS:
        raise ValueError(f"Expected a guarantee of kind {', '.join(_KINDS)}, found another kind")
    unit, neighbours = Unit(values.pop("unit")), Neighbours(values.pop("neighbours"))
    return _KINDS[kind](unit=unit, neighbours=neighbours, **values)
