"""What was done to the data, as frozen records; `accounting` says what they amount to.

An event of noise describes *one person's* whole exposure to a vector of integers: the sensitivity is that of the
vector when all rows of the person change, in steps of the integer grid. What a step is in the data's
own unit stands among the mechanism's parameters and has no influence on privacy.

No mathematics: what events amount to stands in `accounting.proof.md`. Numbers that must survive the journey through JSON exactly are written as strings.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, ClassVar

_LAST_DIGITS = 1e-9  # of a scale that was calibrated elsewhere, relative to it


@dataclass(frozen=True)
class Event:
    """The root of the record types."""

    type: ClassVar[str] = ""

    def to_json(self) -> dict[str, Any]:
        """Return the manifest's form of the event."""
        raise NotImplementedError


@dataclass(frozen=True)
class RoundedGaussian(Event):
    """N(0, scale²) rounded to integers was added to `count` integers of L2 sensitivity `sensitivity`."""

    type = "rounded_gaussian"
    norm: ClassVar[str] = "l2"
    sensitivity: float
    scale: float
    count: int

    def __post_init__(self) -> None:
        _check_noise(self)

    @property
    def standard_deviation(self) -> float:
        """`√(σ² + 1/12)`, that of the Gaussian and of rounding; where σ is below the grid `√(Σ (2k−1)·P(|noise| ≥ k))`."""
        if self.scale >= 1:
            return math.sqrt(self.scale**2 + 1 / 12)
        tails = (math.erfc((k - 0.5) / (self.scale * math.sqrt(2))) for k in range(1, 20))
        return math.sqrt(sum((2 * k - 1) * tail for k, tail in enumerate(tails, start=1)))

    def to_json(self) -> dict[str, Any]:
        """Return the manifest's form of the event."""
        return _noise_form(self)


@dataclass(frozen=True)
class DiscreteLaplace(Event):
    """`P(k) ∝ exp(−|k|/scale)` was added to `count` integers of L1 sensitivity `sensitivity`."""

    type = "discrete_laplace"
    norm: ClassVar[str] = "l1"
    sensitivity: int
    scale: float
    count: int

    def __post_init__(self) -> None:
        _check_noise(self)

    @property
    def standard_deviation(self) -> float:
        """√(2q)/(1 − q) with q = exp(−1/b): close to √2·b."""
        return math.sqrt(2 * math.exp(-1 / self.scale)) / -math.expm1(-1 / self.scale)

    def to_json(self) -> dict[str, Any]:
        """Return the manifest's form of the event."""
        return _noise_form(self)


@dataclass(frozen=True)
class PrivateChoice(Event):
    """One of `candidates`, a public list, was chosen with pure ε-differential privacy: `noise.private_choice`.

    Permute-and-flip, which stands where the exponential mechanism would (McKenna & Sheldon 2020, Algorithm 1).
    """

    type = "exponential"
    epsilon: float
    candidates: int

    def __post_init__(self) -> None:
        if not (0 < self.epsilon < math.inf and self.candidates >= 1):
            raise ValueError(
                "Expected 0 < epsilon < inf and candidates >= 1, found "
                f"epsilon={self.epsilon}, candidates={self.candidates}"
            )

    def to_json(self) -> dict[str, Any]:
        """Return the manifest's form of the event."""
        return {"type": self.type, "epsilon": repr(self.epsilon), "candidates": self.candidates}


@dataclass(frozen=True)
class DeniabilityTest(Event):
    """Records were published that have at least k plausible seeds, the unit `counted`: Test 1.

    A criterion, not differential privacy (Bindschaedler et al. 2017, Privacy Test 1).
    """

    type = "deniability_test"
    threshold: ClassVar[str] = "fixed"
    k: int
    gamma: float
    counted: str
    vacuous: bool

    def to_json(self) -> dict[str, Any]:
        """Return the manifest's form of the event."""
        return {
            "type": self.type,
            "k": self.k,
            "gamma": repr(self.gamma),
            "counted": self.counted,
            "vacuous": self.vacuous,
            "threshold": self.threshold,
        }


@dataclass(frozen=True)
class RandomizedTest(Event):
    """`trials` records were published, each from a seed if k′ ≥ k + discrete Laplace(1/ε₀), else from the model alone.

    Each trial draws one of `seeds` people uniformly, each with at most one record; k′ counts people; the model owes
    nothing to them. With probability 1/`substitution` a trial does not ask and takes the model's record. (Bindschaedler
    et al. 2017, Privacy Test 2, with rejections hidden: `kinds/records/records.proof.md` shows why they must be.)
    """

    type = "deniability_test"
    threshold: ClassVar[str] = "randomized"
    k: int
    gamma: float
    epsilon0: float
    trials: int
    seeds: int

    def __post_init__(self) -> None:
        if not (
            self.k >= 2
            and 1 < self.gamma < math.inf
            and 0 < self.epsilon0 < math.inf
            and self.trials >= 1
            and self.seeds >= 1
        ):
            raise ValueError(
                "Expected k >= 2, gamma > 1, epsilon0 > 0, trials >= 1 and seeds >= 1, found "
                f"k={self.k}, gamma={self.gamma}, epsilon0={self.epsilon0}, trials={self.trials}, seeds={self.seeds}"
            )

    @property
    def substitution(self) -> int:
        """M = ⌊(A − 1)·n⌋, at least 1, A = e^ε₀·(1 + γ/(k − 1)): one trial in M hides for whom there is no passing."""
        exponent = min(self.epsilon0 + math.log1p(self.gamma / (self.k - 1)), 100.0)
        return max(1, math.floor(min(math.expm1(exponent), 2.0**20) * self.seeds))

    def to_json(self) -> dict[str, Any]:
        """Return the manifest's form of the event."""
        return {
            "type": self.type,
            "k": self.k,
            "gamma": repr(self.gamma),
            "threshold": self.threshold,
            "epsilon0": repr(self.epsilon0),
            "trials": self.trials,
            "seeds": self.seeds,
        }


@dataclass(frozen=True)
class Disjoint(Event):
    """Each event touched other people, divided by a rule that looks at no data: a person is in one of them at most."""

    type = "disjoint"
    events: tuple[Event, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the manifest's form of the event."""
        return {"type": self.type, "events": [event.to_json() for event in self.events]}


@dataclass(frozen=True)
class Composed(Event):
    """Several events touched the same people, one after the other."""

    type = "composed"
    events: tuple[Event, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the manifest's form of the event."""
        return {"type": self.type, "events": [event.to_json() for event in self.events]}


Noise = RoundedGaussian | DiscreteLaplace


def flatten(event: Event) -> list[Event]:
    """Return the simple events that `event` is made of, one after the other or side by side, in order."""
    if isinstance(event, Composed | Disjoint):
        return [leaf for part in event.events for leaf in flatten(part)]
    return [event]


def noise_of(event: Event) -> Noise | None:
    """Return the noise in an event; None if there is none. An output has one scale of it."""
    return next((leaf for leaf in flatten(event) if isinstance(leaf, Noise)), None)


def differs_by_rounding(planned: Event, done: Event) -> bool:
    """Return whether only the last digits of scales differ, which depend on the version and the processor that calibrated them."""
    if isinstance(planned, Composed | Disjoint):
        return (
            type(done) is type(planned)
            and len(done.events) == len(planned.events)
            and all(map(differs_by_rounding, planned.events, done.events))
        )
    if isinstance(planned, Noise) and isinstance(done, Noise):
        is_close = math.isclose(planned.scale, done.scale, rel_tol=_LAST_DIGITS)
        return is_close and replace(done, scale=planned.scale) == planned
    return done == planned


def differs_by_choice(planned: Event, done: Event) -> bool:
    """Return whether a private choice decided sensitivity and scale, and all else is as planned."""
    before, after = flatten(planned), flatten(done)
    alike = [type(leaf) for leaf in before] == [type(leaf) for leaf in after]
    choices = [leaf for leaf in before if isinstance(leaf, PrivateChoice)]
    return alike and bool(choices) and choices == [leaf for leaf in after if isinstance(leaf, PrivateChoice)]


def from_json(form: dict[str, Any]) -> Event:
    """Read an event back from its manifest form; KeyError, TypeError or ValueError if it is not one."""
    match form["type"]:
        case RoundedGaussian.type:
            return RoundedGaussian(*_noise_fields(form, "l2", float))
        case DiscreteLaplace.type:
            return DiscreteLaplace(*_noise_fields(form, "l1", int))
        case PrivateChoice.type:
            return PrivateChoice(float(form["epsilon"]), form["candidates"])
        case DeniabilityTest.type:
            return _test(form)
        case Composed.type | Disjoint.type:
            several = Composed if form["type"] == Composed.type else Disjoint
            return several(tuple(from_json(part) for part in form["events"]))
        case _:
            raise ValueError("Expected one of the event types of the manifest schema, found another")


def _test(form: dict[str, Any]) -> DeniabilityTest | RandomizedTest:
    k, gamma = form["k"], float(form["gamma"])
    if form["threshold"] == RandomizedTest.threshold:
        return RandomizedTest(k, gamma, float(form["epsilon0"]), form["trials"], form["seeds"])
    if form["threshold"] != DeniabilityTest.threshold:
        raise ValueError("Expected the threshold fixed or randomized, found another")
    return DeniabilityTest(k, gamma, form["counted"], form["vacuous"])


def _check_noise(event: Noise) -> None:
    if not (0 <= event.sensitivity < math.inf and 0 < event.scale < math.inf and event.count >= 1):
        raise ValueError(
            "Expected sensitivity >= 0, scale > 0 and count >= 1, all finite, found "
            f"sensitivity={event.sensitivity}, scale={event.scale}, count={event.count}"
        )


def _noise_form(event: Noise) -> dict[str, Any]:
    return {
        "type": event.type,
        "sensitivity": {"norm": event.norm, "value": repr(event.sensitivity)},
        "scale": repr(event.scale),
        "grid": "1",
        "count": event.count,
    }


def _noise_fields(form: dict[str, Any], norm: str, number: type[int | float]) -> tuple[Any, float, int]:
    if form["sensitivity"]["norm"] != norm or form["grid"] != "1":
        raise ValueError(f"Expected the norm {norm} and the grid of integers")
    return number(form["sensitivity"]["value"]), float(form["scale"]), form["count"]
