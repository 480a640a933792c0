"""What a curator is told of a release: values that the private page draws and that JSON holds. None of it may be published."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from synthrelease.appraisal.task import Task
from synthrelease.evaluate.attacks import AttackResult, PromiseCheck, Rate, Verdict
from synthrelease.evaluate.attacks.intervals import finite_or_none

if TYPE_CHECKING:
    from synthrelease.report.exhibits import Exhibit

Values = tuple[float, ...]
PRIVATE = "private: computed from the data, protects nobody, do not publish"


@dataclass(frozen=True)
class Measure:
    """A measure of what a release is worth.

    Attributes:
        name: as the literature has it, such as "CC".
        best: what a perfect release scores; infinity where more is better without end.
        meaning: in a clause.
        middle: whether the middle of many items is told, and not their mean: of quotients that a few items rule.
    """

    name: str
    best: float
    meaning: str
    middle: bool = False


@dataclass(frozen=True)
class Utility:
    """How near a release is to the truth, and what else would be how near.

    Attributes:
        measures: what is measured.
        compared: the mean over items of every measure (or the middle, as it says); "released" first, then what it is held against.
        items: what was released, item by item.
        noun: of an item.
    """

    measures: tuple[Measure, ...]
    compared: Mapping[str, Values]
    items: Mapping[str, Values]
    noun: str

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON holds it."""
        names = [measure.name for measure in self.measures]
        return {
            "measures": [
                {"name": m.name, "best": finite_or_none(m.best), "meaning": m.meaning} for m in self.measures
            ],
            "compared": {what: _named(names, values) for what, values in self.compared.items()},
            self.noun: {item: _named(names, values) for item, values in self.items.items()},
        }


@dataclass(frozen=True)
class Curve:
    """A measure of fresh releases of the same data against the ε of an output.

    Attributes:
        measure: what is measured.
        epsilons: of the fresh releases, increasing.
        drawn: what each of several releases scored, for every ε.
        own: the plan's ε.
        without_data: what whoever has no data scores, and how they do it; None if there is no such way.
        items: how many of the output's items it is of, and how many there are.
    """

    measure: Measure
    epsilons: Values
    drawn: tuple[Values, ...]
    own: float
    without_data: tuple[str, float] | None
    items: tuple[int, int] = (1, 1)

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON holds it."""
        return {
            "measure": self.measure.name,
            "own_epsilon": self.own,
            "items": list(self.items),
            "points": [
                {"epsilon": epsilon, "drawn": [finite_or_none(value) for value in values]}
                for epsilon, values in zip(self.epsilons, self.drawn, strict=True)
            ],
            "without_data": None
            if self.without_data is None
            else {"what": self.without_data[0], "value": finite_or_none(self.without_data[1])},
        }


@dataclass(frozen=True)
class NoiseCheck:
    """Whether the noise in a bundle, which the data takes away, is what the manifest says.

    Attributes:
        count: numbers that have noise.
        ratio: root of the mean square of the noise over its stated standard deviation.
        low: what the ratio is not below, but for one release in a thousand millions.
        high: what it is not above.
    """

    count: int
    ratio: float
    low: float
    high: float

    @property
    def agrees(self) -> bool:
        """Whether bundle, plan and data belong together."""
        return self.low <= self.ratio <= self.high

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON holds it."""
        return {
            "count": self.count,
            "ratio": finite_or_none(self.ratio),
            "low": self.low,
            "high": finite_or_none(self.high),
            "agrees": self.agrees,
        }


@dataclass(frozen=True)
class KnownRest:
    """What whoever knows everybody else's data finds out about one person: no attack on noised sums does better.

    Of two people one is in the data, and all others are known: which of the two is it?

    Attributes:
        people: who were asked about, each against another.
        typical: probability of a right answer for the person in the middle.
        worst: for the person who is told best.
        measured: the same of the worst, in fresh releases.
        allowed: the largest that the promise allows; None if it bounds none.
        found: of the worst, the share of members who are found at a rate of false alarms.
        promise: (ε, δ) held against fresh releases with the worst.
        exceeds: whether the worst is above what is allowed, beyond doubt.
        against_nobody: whether it is asked if a person is in the data, and not which of two is.
    """

    people: int
    typical: float
    worst: float
    measured: Rate
    allowed: float | None
    found: Mapping[str, float]
    promise: PromiseCheck | None
    exceeds: bool = False
    against_nobody: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON holds it."""
        return {
            "people": self.people,
            "typical": self.typical,
            "worst": self.worst,
            "measured": self.measured.to_json(),
            "allowed": self.allowed,
            "found": dict(self.found),
            "promise": None if self.promise is None else self.promise.to_json(),
            "exceeds": self.exceeds,
            "against_nobody": self.against_nobody,
        }


@dataclass(frozen=True)
class AppraisedOutput:
    """What one output is worth and what it gives away.

    Attributes:
        name: of the output.
        kind: of the output.
        utility: against the truth; None where there is nothing to hold against it.
        curve: the same at other ε; None where no ε decides.
        noise: None where there is no noise to take away.
        known_rest: None where no sums were noised.
        attacks: on what was released.
        exhibits: truth beside release, for the page.
        remarks: how it was tried, what was not, and why, in sentences.
        tasks: what is learnt from records.
        cut: whether there would be more exhibits.
        source: the input that it is made of.
        faults: what no honest release could hold, in sentences.
        of_each: whether everybody's own is released, with noise and in an order drawn by lot.
    """

    name: str
    kind: str
    utility: Utility | None = None
    curve: Curve | None = None
    noise: NoiseCheck | None = None
    known_rest: KnownRest | None = None
    attacks: tuple[AttackResult, ...] = ()
    exhibits: tuple[Exhibit, ...] = ()
    remarks: tuple[str, ...] = ()
    tasks: tuple[Task, ...] = ()
    cut: bool = False
    source: str = ""
    faults: tuple[str, ...] = ()
    of_each: bool = False

    @property
    def sums_alone(self) -> bool:
        """Whether nothing of it is a single person's, so that there is nobody to name."""
        return self.known_rest is not None and not self.attacks and not self.of_each

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON holds it."""
        parts = {
            "utility": self.utility,
            "curve": self.curve,
            "noise": self.noise,
            "known_rest": self.known_rest,
        }
        return {
            "name": self.name,
            "kind": self.kind,
            "input": self.source,
            **{what: None if part is None else part.to_json() for what, part in parts.items()},
            "tasks": [task.to_json() for task in self.tasks],
            "attacks": [attack.to_json() for attack in self.attacks],
            "remarks": list(self.remarks),
        }


@dataclass(frozen=True)
class AppraisedInput:
    """What an input would give away if it were published without names.

    Attributes:
        name: of the input.
        people: in it.
        attacks: on the data as it is.
        remarks: what was left out, and why.
    """

    name: str
    people: int
    attacks: tuple[AttackResult, ...]
    remarks: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON holds it."""
        return {
            "name": self.name,
            "people": self.people,
            "attacks": [attack.to_json() for attack in self.attacks],
            "remarks": list(self.remarks),
        }


@dataclass(frozen=True, repr=False)
class Appraisal:
    """What a release is worth and what it resists.

    Attributes:
        manifest: of the bundle.
        inputs: what the data itself would give away.
        outputs: in the plan's order.
        notes: what was dropped or clipped of the data, by input.
    """

    manifest: dict[str, Any]
    inputs: tuple[AppraisedInput, ...]
    outputs: tuple[AppraisedOutput, ...]
    notes: Mapping[str, tuple[str, ...]]

    def __repr__(self) -> str:
        # Notebooks are published with what they show: nothing that is for the curator alone.
        release = self.manifest["release"]
        return f"<Appraisal of {release['name']} {release['version']}: private>"

    @property
    def faults(self) -> tuple[str, ...]:
        """What must not be: each a sentence."""
        found = []
        for output in self.outputs:
            if output.noise is not None and not output.noise.agrees:
                found.append(
                    f"{output.name}: bundle and data do not belong together: without the data {output.noise.ratio:.3g} "
                    "standard deviations of noise are left, where one is stated"
                )
            found += [f"{output.name}: {fault}" for fault in output.faults]
            rest = output.known_rest
            if rest is not None and rest.exceeds and rest.allowed is not None:
                found.append(
                    f"{output.name}: who knows everybody else guesses right in {100 * rest.worst:.1f} %, where the promise "
                    f"allows {100 * rest.allowed:.1f} %"
                )
            checks = [rest.promise if rest is not None else None]
            checks += [attack.promise for attack in output.attacks]
            found += [
                f"{output.name}: the promise is broken: {check}"
                for check in checks
                if check is not None and check.violated
            ]
        return tuple(found)

    @property
    def found(self) -> tuple[tuple[str, AttackResult], ...]:
        """The attacks that found something, each with the output."""
        return tuple(
            (output.name, attack)
            for output in self.outputs
            for attack in output.attacks
            if attack.verdict is Verdict.FOUND
        )

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON holds it; None for what is not a finite number, wherever it stands."""
        return _finite(
            {
                "do_not_publish": PRIVATE,
                "release": self.manifest["release"],
                "test_seed": self.manifest["randomness"]["test_seed"],
                "faults": list(self.faults),
                "inputs": [one.to_json() for one in self.inputs],
                "outputs": [one.to_json() for one in self.outputs],
                "notes": {name: list(notes) for name, notes in self.notes.items()},
            }
        )


def _named(names: list[str], values: Values) -> dict[str, float | None]:
    return {name: finite_or_none(value) for name, value in zip(names, values, strict=True)}


def _finite(parts: dict[str, Any]) -> dict[str, Any]:
    """What JSON holds, without the numbers that it does not know."""

    def kept(value: Any) -> Any:
        match value:
            case float():
                return finite_or_none(value)
            case dict():
                return _finite(value)
            case list():
                return [kept(one) for one in value]
            case _:
                return value

    return {name: kept(value) for name, value in parts.items()}
