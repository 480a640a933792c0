"""What an evaluation found: values that the private report draws and that JSON holds. None of it may be published."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from synthrelease.evaluation.attacks import AttackResult, AttackVerdict, GuaranteeCheck, Rate
from synthrelease.evaluation.json_form import JsonForm, json_form
from synthrelease.notebook import NotebookCard
from synthrelease.printable import short_repr

if TYPE_CHECKING:
    from synthrelease.reports.area_plates import DrawnAreas
    from synthrelease.reports.compared_maps import ComparedMap
    from synthrelease.reports.exhibits import Exhibit

Scores = tuple[float, ...]  # one for each measure
_WHY = "computed from the data without protection"
PRIVATE = f"private: {_WHY}, do not publish"
RELEASED = "released"  # the first row of `Utility.compared`


@dataclass(frozen=True)
class Measure(JsonForm):
    """A measure of utility, named as the literature names it, such as "CC"."""

    UNWRITTEN: ClassVar[tuple[str, ...]] = ("middle", "squared", "margin")

    name: str
    best: float  # what a perfect release scores; infinity where more is better without end
    meaning: str  # in a clause
    middle: bool = False  # whether items are summed up by their median: a few would rule their mean
    squared: bool = False  # whether items are summed up by the root of their mean square
    margin: float = 0.0  # by how much a useful release is better than a guess without data


@dataclass(frozen=True)
class Usefulness(JsonForm):
    """Whether the items of one part of an output, such as all medians of a feature, are closer to the truth than a guess without data."""

    part: str  # "" for all of the output
    measure: str
    released: float  # over the items of the part
    without_data: float  # the best guess, over the same items; NaN if there is none
    is_useful: bool


@dataclass(frozen=True)
class Utility(JsonForm):
    """How close a release is to the truth, and how close its baselines are."""

    measures: tuple[Measure, ...]
    # every measure, averaged over items: of the release first, then of the baselines
    compared: Mapping[str, Scores]
    items: Mapping[str, Scores]  # of the release, item by item
    noun: str  # of an item
    parts: tuple[Usefulness, ...] = ()
    remedies: tuple[str, ...] = ()  # what is expected to make useful what is not, in clauses

    @property
    def not_useful(self) -> list[Usefulness]:
        """The parts that are no better than a guess without data."""
        return [part for part in self.parts if not part.is_useful]

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON holds it: numbers by their measure, items under their noun."""
        form: dict[str, Any] = json_form(
            {
                "measures": self.measures,
                "compared": self._by_measure(self.compared),
                self.noun: self._by_measure(self.items),
                "parts": self.parts,
                "remedies": self.remedies,
            }
        )
        return form

    def _by_measure(self, rows: Mapping[str, Scores]) -> dict[str, dict[str, float]]:
        names = [measure.name for measure in self.measures]
        return {source: dict(zip(names, values, strict=True)) for source, values in rows.items()}


@dataclass(frozen=True)
class Curve(JsonForm):
    """A measure of fresh releases of the same data against the ε of an output."""

    measure: Measure
    epsilons: tuple[float, ...]  # of the fresh releases, increasing
    drawn: tuple[tuple[float, ...], ...]  # what each of several releases scored, for every ε
    plan_epsilon: float
    without_data: tuple[str, float] | None  # the best score without any data, and how it is reached
    items: tuple[int, int] = (1, 1)  # how many of the output's items it is of, and how many there are

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON holds it: point by point."""
        points = zip(self.epsilons, self.drawn, strict=True)
        without = self.without_data
        form: dict[str, Any] = json_form(
            {
                "measure": self.measure.name,
                "own_epsilon": self.plan_epsilon,
                "items": self.items,
                "points": [{"epsilon": epsilon, "drawn": drawn} for epsilon, drawn in points],
                "without_data": None if without is None else {"what": without[0], "value": without[1]},
            }
        )
        return form


@dataclass(frozen=True)
class NoiseCheck(JsonForm):
    """Whether the noise in a bundle, which is left when the data is subtracted, is what the manifest says."""

    count: int  # numbers that have noise
    ratio: float  # root mean square of the noise over its stated standard deviation; of Laplace noise, mean magnitudes
    low: float  # the ratio is below it in one release of 10⁹
    high: float  # or above that

    @property
    def agrees(self) -> bool:
        """Whether bundle, plan and data belong together."""
        return self.low <= self.ratio <= self.high

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON holds it, with whether it agrees."""
        return {**super().to_json(), "agrees": self.agrees}


@dataclass(frozen=True)
class WorstCaseAttack(JsonForm):
    """The worst-case attack: all other data is known, and of two people one is in the release. Which of the two is it?"""

    people: int  # the candidates, each against each other, or against no one
    typical: float  # probability of a right answer for the median pair
    worst: float  # for the most distinguishable pair
    measured: Rate  # the same in fresh releases
    allowed: float | None  # the largest that the guarantee allows; None if it bounds none
    tpr_at_fpr: Mapping[str, float]  # proportion of members detected at a rate of false alarms, for the worst
    guarantee_check: GuaranteeCheck | None  # (ε, δ) compared with fresh releases with the worst
    exceeds: bool = False  # whether the worst is above what is allowed, beyond doubt
    of_presence: bool = False  # whether the question is if a person is in the data at all


@dataclass(frozen=True)
class PredictionTask(JsonForm):
    """How well a label is predicted from all other attributes of real rows."""

    label: str
    people: int  # who are tested; the intervals are of so many
    chance: Rate  # proportion of correct answers if the most frequent category is always the answer
    trained: Mapping[str, Mapping[str, Rate]]  # the same averaged over people, by training set and classifier
    remarks: tuple[str, ...]


@dataclass(frozen=True)
class EvaluatedOutput(JsonForm):
    """The utility of one output and what it reveals."""

    UNWRITTEN: ClassVar[tuple[str, ...]] = ("exhibits", "cut", "faults", "of_each", "from_sums")

    name: str
    kind: str
    utility: Utility | None = None  # None where there is nothing to compare it with
    curve: Curve | None = None  # None where no ε decides
    noise: NoiseCheck | None = None  # None where there is no noise to look at
    known_rest: WorstCaseAttack | None = None  # None where it is no noisy sums
    attacks: tuple[AttackResult, ...] = ()
    exhibits: tuple[Exhibit | ComparedMap | DrawnAreas, ...] = ()  # exact next to released, for the report
    remarks: tuple[str, ...] = ()  # how it was tried, what was not, and why, in sentences
    tasks: tuple[PredictionTask, ...] = ()
    cut: bool = False  # whether there would be more exhibits
    input: str = ""
    faults: tuple[str, ...] = ()  # what no honest release could hold, in sentences
    of_each: bool = False  # whether a noisy series of each person is released, in a random order
    from_sums: bool = (
        False  # whether attacks are on what follows from noisy sums, and not on records of anyone
    )

    @property
    def sums_alone(self) -> bool:
        """Whether nothing of it is a single person's, so that there is no one to re-identify."""
        return self.known_rest is not None and (self.from_sums or not self.attacks) and not self.of_each


@dataclass(frozen=True)
class EvaluatedInput(JsonForm):
    """What an input would reveal if it were published without names."""

    name: str
    people: int
    attacks: tuple[AttackResult, ...]
    remarks: tuple[str, ...]  # what was left out, and why


@dataclass(frozen=True, repr=False)
class Evaluation:
    """The utility of a release and what it resists; `manifest` is its bundle's, `notes` is what was dropped or clipped, by input."""

    manifest: dict[str, Any]
    inputs: tuple[EvaluatedInput, ...]
    outputs: tuple[EvaluatedOutput, ...]
    notes: Mapping[str, tuple[str, ...]]

    def __repr__(self) -> str:
        # Notebooks are published with what they show: nothing that is only for the curator.
        release = self.manifest["release"]
        return short_repr(self, f"of {release['name']} {release['version']}: PRIVATE")

    def _repr_html_(self) -> str:
        release = self.manifest["release"]
        names = ", ".join(output.name for output in self.outputs)
        sentences = (f"Evaluated: {names}.", "Its figures are in to_json(), and in the private report.")
        title = f"{release['name']} {release['version']}"
        return NotebookCard(
            "Evaluation", title, sentences=sentences, mark=f"PRIVATE - DO NOT PUBLISH: {_WHY}"
        ).html

    @property
    def faults(self) -> tuple[str, ...]:
        """What must not be: each a sentence."""
        return tuple(f"{output.name}: {fault}" for output in self.outputs for fault in _faults(output))

    @property
    def significant_attacks(self) -> tuple[tuple[str, AttackResult], ...]:
        """The significant attacks, each with the output that it was run on."""
        return tuple(
            (output.name, attack)
            for output in self.outputs
            for attack in output.attacks
            if attack.verdict is AttackVerdict.SIGNIFICANT
        )

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON holds it; None for what is not a finite number, wherever it stands."""
        form: dict[str, Any] = json_form(
            {
                "do_not_publish": PRIVATE,
                "release": self.manifest["release"],
                "test_seed": self.manifest["randomness"]["test_seed"],
                "faults": self.faults,
                "inputs": self.inputs,
                "outputs": self.outputs,
                "notes": self.notes,
            }
        )
        return form


def _faults(output: EvaluatedOutput) -> Iterator[str]:
    noise, worst_case = output.noise, output.known_rest
    if noise is not None and not noise.agrees:
        yield (
            f"bundle and data do not match: released − exact is {noise.ratio:.3g} times the stated standard deviation of "
            "the noise"
        )
    yield from output.faults
    if worst_case is not None and worst_case.exceeds and worst_case.allowed is not None:
        yield (
            f"strongest-attacker accuracy is {100 * worst_case.worst:.1f} %, above the bound of "
            f"{100 * worst_case.allowed:.1f} %"
        )
    for result in (worst_case, *output.attacks):
        if result is not None and result.guarantee_check is not None and result.guarantee_check.violated:
            yield f"the guarantee is violated: {result.guarantee_check}"
