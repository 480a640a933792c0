"""Public parameters of a mechanism: one frozen dataclass, which travels as JSON and answers what follows from it."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cache
from typing import Annotated, Any, ClassVar, Self

from synthrelease.data.attribute import Attribute
from synthrelease.data.screen import Screen
from synthrelease.dp.error_bounds import interval_deviations
from synthrelease.dp.event import (
    DeniabilityTest,
    DiscreteLaplace,
    Disjoint,
    Event,
    Noise,
    PrivateChoice,
    RandomizedTest,
    RoundedGaussian,
    flatten,
    noise_of,
)
from synthrelease.dp.guarantee import Neighbours, Unit
from synthrelease.dp.sensitivity import Sensitivity
from synthrelease.field_schema import LABEL, Label, Schema, among, described, object_schema
from synthrelease.kinds.dataset import Array, Counts, Dataset, Role
from synthrelease.kinds.distribution import ShownDistribution
from synthrelease.kinds.expectation import Expectation
from synthrelease.kinds.synthetic_gaze import SyntheticGaze
from synthrelease.remarks import Remark, sentence
from synthrelease.units import Quantity

Fault = tuple[str, str]  # a code, and a sentence
_INPUT = "public_input"  # in a field's metadata
# By the names of mechanisms that are noise only.
NOISES = {"gaussian": RoundedGaussian, "laplace": DiscreteLaplace}
WRONG_NAME = "the mechanism's name is not that of its noise"
UNCALLED_CHOICE = "a private choice that the parameters do not call for, or none where they do"


def public_input(name: str | None = None) -> Any:
    """Return a field that stands among an entry's public inputs, there perhaps by another name."""
    return dataclasses.field(metadata={_INPUT: name})


@dataclass(frozen=True)
class Feature(Quantity):
    """A feature and its public bounds, in its unit; what people call it, if the plan says so."""

    name: Label
    low: float
    high: float
    unit: Annotated[str | None, LABEL] = None
    title: Annotated[str | None, LABEL] = None

    @property
    def bounds(self) -> tuple[float, float]:
        """Both bounds."""
        return self.low, self.high


BoundedFeatures = Annotated[tuple[Feature, ...], {"minItems": 1}]


@dataclass(frozen=True, kw_only=True)
class Parameters:
    """The public parameters of an output, and its public inputs.

    A kind has one subclass for each of its mechanisms, or for several that share parameters. What a method answers follows from the
    fields only, so that anyone with the manifest can compute it again.
    """

    kind: ClassVar[str]
    input_kind: ClassVar[str]  # "gaze" or "features"
    listed: ClassVar[str]  # what the public list of the input is a list of: "stimuli" or "recordings"
    sentences: ClassVar[Mapping[str, str]]  # of remarks, by code, as of `remarks.sentence`
    # What the first step of its datasets' paths is, if these differ in that alone: "statistic".
    part: ClassVar[str] = ""
    mechanisms: ClassVar[tuple[str, ...]]  # the names of the mechanisms that have these parameters
    plan_options: ClassVar[
        Mapping[str, Schema]
    ] = {}  # keys of a plan's output in addition to those of its kind

    name: str  # of the mechanism
    people: Annotated[
        int | None, described("n of the output's input; null where it is private.", minimum=1)
    ] = public_input()
    names: Annotated[
        str,
        described(
            "Whether the stimuli or recordings were listed in the plan, or taken from the data and assumed public.",
            **among("listed", "assumed"),
        ),
    ] = public_input()

    @classmethod
    def is_named(cls, mechanism: Mapping[str, Any]) -> bool:
        """Return whether a manifest's entry of a mechanism names one that has these parameters."""
        return mechanism["name"] in cls.mechanisms

    @classmethod
    def from_entry(cls, mechanism: Mapping[str, Any]) -> Self:
        """Read the manifest's form: name, parameters and public inputs.

        Raises:
            ValueError: there is no such form.
        """
        inputs = {f.metadata[_INPUT]: f.name for f in fields(cls) if f.metadata.get(_INPUT)}
        public = {inputs.get(key, key): value for key, value in mechanism["public_inputs"].items()}
        result: Self = from_json(cls, {"name": mechanism["name"], **mechanism["parameters"], **public})
        return result

    @classmethod
    def schema(cls) -> Schema:
        """Return the JSON schema of the manifest's form, but for the mechanism's name."""
        inputs = {f.name: f.metadata[_INPUT] or f.name for f in fields(cls) if _INPUT in f.metadata}
        parameters = [f.name for f in fields(cls) if f.name not in inputs and f.name != "name"]
        public = object_schema(cls, inputs)
        public["required"] = [inputs[name] for name in public["required"]]
        public["properties"] = {inputs[name]: value for name, value in public["properties"].items()}
        return {"parameters": object_schema(cls, parameters), "public_inputs": public}

    def to_entry(self) -> dict[str, Any]:
        """Return the manifest's form: name, parameters and public inputs."""
        entry: dict[str, Any] = {"name": self.name, "parameters": {}, "public_inputs": {}}
        for field in fields(self):
            if field.name == "name":
                continue
            room = entry["public_inputs" if _INPUT in field.metadata else "parameters"]
            room[field.metadata.get(_INPUT) or field.name] = to_json(getattr(self, field.name))
        return entry

    def derivation(self, neighbours: Neighbours) -> Remark:
        """Return why the sensitivity is what it is."""
        raise NotImplementedError

    def post_processing(self) -> list[Remark]:
        """Return what is done to the noisy values."""
        raise NotImplementedError

    def warnings(self) -> list[Remark]:
        """Return what a reader of this output must know."""
        raise NotImplementedError

    def summary(self) -> str:
        """Return what is released, in a sentence."""
        raise NotImplementedError

    def procedure(self) -> str:
        """Return what is done to the data, before and with the noise, for someone who knows eye tracking and not privacy."""
        return " ".join(f"{self.sentence(step)}." for step in self.post_processing())

    def biases(self) -> list[str]:
        """Return what draws the released values away from the data, besides noise without a direction."""
        return []

    def reading(self, event: Event, neighbours: Neighbours) -> list[str]:  # noqa: ARG002
        """Return how the shown values are to be read, above all their noise and error in their unit."""
        roles, noise = {dataset.role for dataset in self.datasets(event)}, noise_of(event)
        deviations = 1.96 if noise is None else interval_deviations(noise)
        words = {
            Role.UNCERTAINTY: f"± is {deviations:.3g} standard deviations of the error (95 %), for each value separately. The bundle's `uncertainty` is one standard deviation.",
            Role.INTERVAL: "The interval contains the value without noise in 95 % of releases. It covers the added noise only (not sampling error), and "
            "each value separately. Noise can move a value beyond its possible range.",
        }
        return [sentence for role, sentence in words.items() if role in roles]

    def expected(
        self,
        event: Event,  # noqa: ARG002
        people: float,  # noqa: ARG002
        neighbours: Neighbours,  # noqa: ARG002
    ) -> tuple[Expectation, ...]:
        """Return how far released values are expected to be from the exact ones with so many participants; none if that cannot be said."""
        return ()

    def with_people(self, people: int) -> Self:
        """Return the parameters as if so many participants were in the data; the same where their number is private."""
        return self if self.people is None else replace(self, people=people)

    @property
    def product(self) -> str:
        """What catalogues call a release of such outputs only."""
        return "Summary statistics"

    @property
    def map_scale(self) -> tuple[Screen, float | None] | None:
        """The screen that maps are of, and σ of their blur in its pixels; None if there is none but what the axes say."""
        return None

    def public_map(self, stated: Array) -> Array | None:  # noqa: ARG002
        """Return the map that an item of a public dataset states, of a released map's shape and unit; None if it states none."""
        return None

    def shapes(self, item: str) -> Mapping[str, tuple[tuple[float, float], ...]]:  # noqa: ARG002
        """Return the corners of what is drawn on an item's stimulus, in pixels of the screen of `map_scale`, by label; {} if nothing is."""
        return {}

    def distributions(self, released: Callable[[str], Array]) -> Sequence[ShownDistribution]:  # noqa: ARG002
        """Return what a report draws of an output's distributions; none if its datasets are drawn one by one.

        Args:
            released: returns a dataset of the release by its path below the output.
        """
        return ()

    def synthetic_gaze(self) -> SyntheticGaze | None:
        """Return where the output has synthetic trials of gaze, for exports of events and samples; None if it has none."""
        return None

    def value_range(self, part: str, label: str) -> tuple[float, float] | None:  # noqa: ARG002
        """Return the public bounds that a single number without noise is within, to draw it on them; None if there are none.

        Args:
            part: the first step of its path.
            label: its last label.
        """
        return None

    def part_in_words(self, part: str) -> str:
        """Return what people call a part, the first step of its path."""
        return part

    def noise_subject(self) -> str:
        """Return what carries noise, as the beginning of a sentence that goes on with its form."""
        return "Every released number follows from integers with"

    def sentence(self, stated: Remark | Mapping[str, Any]) -> str:
        """Return the sentence of a remark about this output, also as a manifest has it."""
        return sentence(stated, self.sentences)

    @property
    def bounded(self) -> tuple[Feature, ...]:
        """The features and their bounds that stand among the parameters."""
        return ()

    @property
    def named(self) -> tuple[Feature | Attribute, ...]:
        """What reports call by its name and unit: the columns of the data that it is made of."""
        return self.bounded

    def datasets(self, event: Event) -> Iterator[Dataset]:
        """Yield the datasets of the output, sources before what follows from them."""
        raise NotImplementedError

    def dataset_count(self, event: Event) -> int:
        """Return how many datasets there are, with the coordinates of their axes, in little time."""
        datasets = list(self.datasets(event))
        return len(datasets) + len({axis.place for dataset in datasets for axis in dataset.axes})

    def sensitivity(self, neighbours: Neighbours) -> Sensitivity:
        """Return how far one person moves all noisy integers together, in steps."""
        raise NotImplementedError

    def narrower(self, neighbours: Neighbours) -> list[tuple[Unit, Sensitivity]]:  # noqa: ARG002
        """Return the sensitivity for changes of less than a person, from the narrowest on."""
        return []

    def choices(self) -> list[int]:
        """Return the number of candidates of every private choice that a person is exposed to."""
        return []

    def most_counts(self, event: Event) -> int | None:  # noqa: ARG002
        """Return a bound of the magnitude of every integer before noise; None if there is no public one."""
        return None

    def counts(self) -> Iterator[Counts]:
        """Yield integers that count people, where n is public: they refute too low a number of stimuli or groups of a person."""
        yield from ()

    def high_frequencies(self) -> Array | None:
        """Return which of the integers of an item hold little but noise, chosen by place; None if none are known to, shape (K,)."""
        return None

    def faults(self, event: Event) -> Iterator[Fault]:
        """Yield where the parameters contradict each other or what was done."""
        leaves = flatten(event)
        if any(feature.low >= feature.high for feature in self.bounded):
            yield "manifest", "the bounds of a feature are no interval"
        yield from self.parameter_faults(event, noise_of(event))
        choices = [leaf for leaf in leaves if isinstance(leaf, PrivateChoice)]
        if [choice.candidates for choice in choices] != self.choices():
            yield "guarantee", UNCALLED_CHOICE
        else:
            yield from self.choice_faults(choices)
        yield from self.test_faults(event)

    def parameter_faults(self, event: Event, noise: Noise | None) -> Iterator[Fault]:
        """Yield where name, parameters and noise contradict each other."""
        raise NotImplementedError

    def computed_faults(self, noise: Noise | None) -> Iterator[Fault]:  # noqa: ARG002
        """Yield where parameters that take long to compute again do not follow from the others: for those who check all of a bundle."""
        yield from ()

    def choice_faults(self, choices: list[PrivateChoice]) -> Iterator[Fault]:  # noqa: ARG002
        """Yield what is wrong with private choices of the right number and size."""
        yield from ()

    def test_faults(self, event: Event) -> Iterator[Fault]:
        """Yield what is wrong with a deniability test, or with disjoint people."""
        if isinstance(event, Disjoint) or any(
            isinstance(leaf, DeniabilityTest | RandomizedTest) for leaf in flatten(event)
        ):
            yield "guarantee", "a deniability test, or disjoint participants, where there are no records"

    def values_fault(self, arrays: Mapping[str, Array], event: Event) -> str | None:  # noqa: ARG002
        """Return what is wrong with the values of `judged_together`, if anything."""
        return None

    @property
    def judged_together(self) -> frozenset[str]:
        """The datasets that `values_fault` asks for."""
        return frozenset()


def counted(number: int, noun: str) -> str:
    """Return "1 feature", "2 features"."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def deviation_of(event: Event) -> float:
    """Return the standard deviation of an event's noise; 1 without noise, where something else is wrong and is found elsewhere."""
    noise = noise_of(event)
    return 1.0 if noise is None else noise.standard_deviation


def from_json(kind: Any, form: Any) -> Any:
    """Return a value of a type from what JSON has in its place: dataclasses from objects, tuples from lists.

    Args:
        kind: the type, as a dataclass's field states it.
        form: what was read.

    Raises:
        ValueError: it is no form of that type.
    """
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if origin in (types.UnionType, typing.Union):
        if form is None and types.NoneType in parts:
            return None
        *first, last = (part for part in parts if part is not types.NoneType)
        return from_json(next((part for part in first if type(form) is part), last), form)
    if origin is tuple:
        return _list(parts, form)
    if isinstance(kind, type) and is_dataclass(kind) and isinstance(form, Mapping):
        hints = _hints(kind)
        return kind(**{key: from_json(hints[key], value) for key, value in form.items() if key in hints})
    if kind is float and type(form) is int:
        return float(form)
    if type(form) is not kind:
        raise ValueError(f"Expected a value of type {kind.__name__}")
    return form


def to_json(value: Any) -> Any:
    """Return what JSON has in the place of a value: objects for dataclasses, lists for tuples."""
    if hasattr(value, "to_json"):
        return value.to_json()
    if is_dataclass(value):
        return {field.name: to_json(getattr(value, field.name)) for field in fields(value)}
    return list(map(to_json, value)) if isinstance(value, tuple) else value


def _list(parts: tuple[Any, ...], form: Any) -> tuple[Any, ...]:
    if type(form) not in {list, tuple}:
        raise ValueError("Expected a list")
    kinds = [parts[0]] * len(form) if parts[-1] is ... else parts
    return tuple(from_json(kind, value) for kind, value in zip(kinds, form, strict=True))


@cache
def _hints(kind: Any) -> dict[str, Any]:
    hints = typing.get_type_hints(kind)
    return {field.name: hints[field.name] for field in fields(kind)}
