"""Synthetic records: public parameters, and what follows from them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Annotated, ClassVar

import numpy as np

from synthrelease.data.attribute import Attribute
from synthrelease.dp.deniability import is_vacuous
from synthrelease.dp.event import DeniabilityTest, Disjoint, Event, Noise, RandomizedTest, flatten, noise_of
from synthrelease.dp.guarantee import Neighbours
from synthrelease.dp.sensitivity import Sensitivity, joint_counts
from synthrelease.field_schema import PositiveInt, among, described
from synthrelease.files.labels import quoted
from synthrelease.kinds.dataset import EXACT, INTEGERS, Array, Axis, Dataset, DerivedFrom, Index, Role
from synthrelease.kinds.parameters import Fault, Parameters
from synthrelease.kinds.records import words
from synthrelease.kinds.records.plausibility import foreign_to_network
from synthrelease.numerics.network import Network, Subset, counted_subsets, fitted_network
from synthrelease.numerics.steps import HALF_RANGE
from synthrelease.remarks import Remark, remark

MARGINALS, SEEDED, TREE, DP = "marginals", "seeded", "tree", "dp"
_MOST_ATTRIBUTES = 10000
PERSON, RANDOMIZED, EXCLUDE = "person", "randomized", "exclude"
MISSING = "missing"  # the last category, if there is one for missing values
_OF_TEST = ("threshold", "k", "gamma", "counted")


@dataclass(frozen=True, kw_only=True)
class RecordsParameters(Parameters):
    """The public parameters of a records output (`records.proof.md`)."""

    mechanisms: ClassVar[tuple[str, ...]] = (MARGINALS, SEEDED)
    kind: ClassVar = "records"
    sentences: ClassVar = words.SENTENCES
    input_kind: ClassVar = "features"
    listed: ClassVar = "recordings"

    fit: Annotated[str, among("exact", DP)]
    dependence: Annotated[str, among("independent", TREE)]
    task: Annotated[
        bool,
        described("Whether the first attribute is the task's label, never drawn after a source record."),
    ]
    per_task: Annotated[bool, described("Whether each task has tables of its own.")]
    attributes: Annotated[tuple[Attribute, ...], {"minItems": 1, "maxItems": _MOST_ATTRIBUTES}]
    order: Annotated[
        tuple[Annotated[int, {"minimum": 0}], ...],
        described(
            "σ, attributes by number; where nothing is kept of a source record, any order.",
            maxItems=_MOST_ATTRIBUTES,
        ),
    ]
    resampled: Annotated[
        tuple[PositiveInt, ...],
        described("Ω, how many attributes are drawn.", minItems=1, maxItems=_MOST_ATTRIBUTES),
    ]
    threshold: Annotated[
        str | None,
        described(
            "Of the deniability test; null if the data is not looked at after the fit.",
            **among("fixed", RANDOMIZED, None),
        ),
    ]
    k: Annotated[int | None, {"minimum": 1, "maximum": 1000000}]
    gamma: Annotated[float | None, {"exclusiveMinimum": 1}]
    counted: Annotated[str | None, among(PERSON, "record", None)]
    copies: Annotated[str, among("keep", EXCLUDE)]
    rows: Annotated[int, {"minimum": 1, "maximum": 10**10}]

    @property
    def named(self) -> tuple[Attribute, ...]:
        """The attributes."""
        return self.attributes

    @property
    def is_drawn(self) -> bool:
        """Whether records follow from noisy counts only, without a look at the data."""
        return self.threshold is None

    @property
    def is_tested(self) -> bool:
        """Whether the data is looked at after the fit: not when only a model fitted with noise is sampled."""
        return not self.is_drawn

    @property
    def has_sources(self) -> bool:
        """Whether a record starts from a real one."""
        return self.name != MARGINALS

    @property
    def is_randomized(self) -> bool:
        """Whether the test is Test 2."""
        return self.threshold == RANDOMIZED

    @property
    def product(self) -> str:
        """What catalogues call a release of such outputs only."""
        return "Synthetic data"

    @property
    def categories(self) -> tuple[int, ...]:
        """The number of categories of each attribute."""
        return tuple(attribute.categories for attribute in self.attributes)

    @property
    def is_vacuous(self) -> bool:
        """Whether no candidate can fail the test."""
        assert self.k is not None
        return is_vacuous(categories=self.categories, order=self.order, resampled=self.resampled, k=self.k)

    @property
    def seeds(self) -> int:
        """People who may be seeds; with a randomized threshold the others, and they alone, make the model."""
        people = self.people or 0
        return people // 2 if self.is_randomized else people

    @property
    def viewing(self) -> int:
        """People who can have what is kept of a record, at least."""
        return self.seeds

    @property
    def records_of_task(self) -> int | None:
        """How many records of each task are published; None if tasks come as they are drawn."""
        return None

    @property
    def passes_more(self) -> str:
        """What lets more candidates pass, as a remedy."""
        return "draw more attributes (raise `resampled`), use fewer `bins` or `features`, or lower `k`"

    @property
    def distinguishes(self) -> str:
        """What makes a test that cannot fail one that can, or does without it, as a remedy."""
        if not self.has_sources:
            return 'protect the model with fit = "dp", or keep attributes with model = "seeded"'
        remedy = "keep attributes of the seed: lower `resampled`"
        return (
            remedy
            if self.fit == DP
            else f'{remedy}; or protect the model: model = "marginals" and fit = "dp"'
        )

    @property
    def predicted(self) -> tuple[int, ...]:
        """The attributes that an evaluation has classifiers predict: labels."""
        return tuple(a for a, attribute in enumerate(self.attributes) if attribute.labels is not None)

    @property
    def modelled(self) -> int:
        """People whom the model is fitted on."""
        people = self.people or 0
        return people - self.seeds if self.is_randomized else people

    @property
    def subsets(self) -> list[Subset]:
        """The sets of attributes that the model was counted in."""
        return counted_subsets(len(self.attributes), tree=self.dependence == TREE, per_task=self.per_task)

    def counts_path(self, subset: Subset) -> str:
        """Return the path of the noisy joint counts of a set of attributes."""
        return "/".join(["noisy", *(quoted(self.attributes[number].name) for number in subset)])

    def datasets(self, event: Event) -> Iterator[Dataset]:  # noqa: ARG002
        """Yield categories of every attribute, values in bins, and the noisy counts of a model with noise."""
        record = Axis("record", range(self.rows), words="Number of the record, from 0.")
        for attribute in self.attributes:
            category = category_path(attribute)
            missing = ", the last one if it is missing" if attribute.missing else ""
            yield Dataset(
                category,
                (record,),
                Role.RECORD,
                (attribute.number_type,),
                quantity=f"number of the category{missing}",
                codes=_categories(attribute),
                by_rows=True,
                most=attribute.categories - 1,
            )
            if attribute.labels is None:
                yield Dataset(
                    f"value/{quoted(attribute.name)}",
                    (record,),
                    Role.RECORD,
                    EXACT,
                    quantity="a value in the bin of the category, at a public place in it that means nothing",
                    unit=attribute.known_unit if attribute.known_unit.isascii() else "",
                    by_rows=True,
                    sources=(DerivedFrom(category),),
                    derive=partial(_values, attribute),
                )
        if self.fit == DP:
            quantity = f"noisy count, in which {HALF_RANGE} are one participant"
            for subset in self.subsets:
                axes = tuple(_categories(self.attributes[number]) for number in subset)
                yield Dataset(self.counts_path(subset), axes, Role.NOISY, INTEGERS, quantity=quantity)

    def dataset_count(self, event: Event) -> int:  # noqa: ARG002
        """Return how many datasets there are, with the coordinates of their axes."""
        of_task = len(self.attributes) - self.per_task
        counted = of_task
        if self.dependence == TREE and of_task > 1:
            counted = math.comb(of_task, 2)
        binned = sum(attribute.labels is None for attribute in self.attributes)
        modelled = counted + len(self.attributes) if self.fit == DP else 0
        return 1 + len(self.attributes) + binned + modelled

    def sensitivity(self, neighbours: Neighbours) -> Sensitivity:
        """Return the sensitivity of all joint counts."""
        return joint_counts(sets=len(self.subsets), neighbours=neighbours)

    def summary(self) -> str:
        """Return what is released, in a sentence."""
        return words.summary(self)

    def procedure(self) -> str:
        """Return what is done to the data, before and with the noise."""
        return words.procedure(self)

    def biases(self) -> list[str]:
        """Return what draws the released values away from the data."""
        return words.biases(self)

    def noise_subject(self) -> str:
        """Return what carries noise."""
        return words.noise_subject(self)

    def reading(self, event: Event, neighbours: Neighbours) -> list[str]:  # noqa: ARG002
        """Return what pictures of records do not show."""
        return [words.READING]

    def derivation(self, neighbours: Neighbours) -> Remark:  # noqa: ARG002
        """Return why the sensitivity is what it is."""
        return remark("divided-joint-counts", half_range=HALF_RANGE, sets=len(self.subsets))

    def post_processing(self) -> list[Remark]:
        """Return what is done after the draw."""
        done = ["uniform-in-bin"]
        if self.fit == DP:
            done.append("nearest-histograms")
            if self.dependence == TREE:
                done.append("tree-of-information")
        return list(map(remark, done))

    def warnings(self) -> list[Remark]:
        """Return what a reader must know."""
        remarks = []
        if not all(attribute.missing for attribute in self.attributes):
            categorised = any(attribute.missing for attribute in self.attributes)
            remarks.append(remark("rows-without-task" if categorised else "incomplete-rows"))
        if self.is_randomized:
            remarks.append(remark("substituted", seeds=self.seeds, people=self.people))
        elif self.is_tested:
            remarks.extend(self._test_warnings())
        else:
            remarks.append(remark("drawn-from-noisy-counts"))
        if self.dependence != TREE:
            remarks.append(remark("independent-given-task" if self.per_task else "independent"))
        return remarks

    def _test_warnings(self) -> Iterator[Remark]:
        assert self.k is not None
        assert self.gamma is not None
        yield remark("criterion")
        if self.counted == PERSON:
            code = "source-probability-per-task" if self.task else "source-probability"
            yield remark(code, probability=self.gamma / (self.gamma + self.k - 1))
        else:
            yield remark("k-counts-records")
        if self.is_vacuous:
            yield remark("vacuous")
        if self.task and max(self.resampled) == len(self.order) - 1:
            yield remark("task-alone-kept")
        if self.copies == EXCLUDE:
            yield remark("copies-left-out")
        yield remark("noisy-model-with-sources" if self.fit == DP else "exact-model")

    def most_counts(self, event: Event) -> int | None:
        """Return what the fitted people may be in any cell."""
        return None if self.people is None else (self.people - _seeds(event)) * HALF_RANGE

    def network(self, counts: Mapping[str, Array], event: Event) -> Network:
        """Return the network that noisy joint counts, by their paths, call for."""
        by_subset = {subset: counts[self.counts_path(subset)] for subset in self.subsets}
        return self.fitted(by_subset, people=(self.people or 0) - _seeds(event))

    def fitted(self, counts: Mapping[Subset, Array], *, people: int | None) -> Network:
        """Return the network that joint counts call for, each of the shape of its attributes' categories; with noise, of so many people."""
        return fitted_network(
            counts,
            self.categories,
            tree=self.dependence == TREE,
            per_task=self.per_task,
            order=self.order if self.has_sources else None,
            people=people,
        )

    @property
    def judged_together(self) -> frozenset[str]:
        """Of records that are drawn from noisy counts only: all of both."""
        if not self.is_drawn:
            return frozenset()
        return frozenset([*map(category_path, self.attributes), *map(self.counts_path, self.subsets)])

    def values_fault(self, arrays: Mapping[str, Array], event: Event) -> str | None:
        """Return that records are not draws from their noisy counts, if so."""
        if not self.is_drawn:
            return None
        categories = [arrays[category_path(attribute)] for attribute in self.attributes]
        if foreign_to_network(categories, self.network(arrays, event)):
            return "the records are not draws from the noisy counts"
        return None

    def parameter_faults(self, event: Event, noise: Noise | None) -> Iterator[Fault]:  # noqa: ARG002
        """Yield where parameters contradict each other."""
        attributes, m = self.attributes, len(self.attributes)
        if sorted(self.order) != list(range(m)) or (self.task and self.order[0] != 0):
            yield "manifest", "the order is no permutation, or the task's label does not stand first"
        if self.task and (attributes[0].labels is None or attributes[0].missing):
            yield "manifest", "the task has no labels, or may be missing"
        if self.per_task and not self.task:
            yield "manifest", "a model per task without a task"
        if max(self.resampled) > m - (self.task and self.has_sources) or (
            not self.has_sources and self.resampled != (m,)
        ):
            yield "guarantee", "the number of drawn attributes is not possible for this model"

    def test_faults(self, event: Event) -> Iterator[Fault]:
        """Yield where the test is not that of the parameters, or stands where there must be none."""
        tests = [leaf for leaf in flatten(event) if isinstance(leaf, DeniabilityTest | RandomizedTest)]
        randomized = next((test for test in tests if isinstance(test, RandomizedTest)), None)
        noise = noise_of(event)
        needless = not self.has_sources and noise is not None
        if self.is_randomized and self.k is not None and not _has_seeds(randomized, self.k, self.people or 0):
            yield "guarantee", "a randomized test needs k seeds, and other participants for the model"
            return
        if tests != self._due_tests(randomized) or bool(tests) == needless:
            yield "guarantee", "the deniability test does not follow from the parameters"
        if isinstance(event, Disjoint) != self.is_randomized or (
            isinstance(event, Disjoint) and noise is None
        ):
            yield (
                "guarantee",
                "seeds and model are not from different participants, or the model has no noise",
            )
        if self.is_randomized and (self.counted != PERSON or self.copies != "keep"):
            yield "guarantee", "a randomized test counts participants, and leaves out no record"
        if needless and self.copies != "keep":
            yield "guarantee", "records drawn only from noisy counts, and yet compared with the real ones"
        if any(needless != (getattr(self, key) is None) for key in _OF_TEST):
            yield (
                "guarantee",
                "threshold, k, γ and what is counted stand where there is a test, and only there",
            )
        k, people = self.k, self.people
        if self.counted == PERSON and k is not None and people is not None and k > people:
            yield "guarantee", f"k = {k} plausible participants cannot be found among {people}"

    def _due_tests(self, randomized: RandomizedTest | None) -> list[DeniabilityTest | RandomizedTest]:
        if self.k is None or self.gamma is None:
            return []
        if self.threshold == "fixed" and self.counted is not None:
            return [DeniabilityTest(self.k, self.gamma, self.counted, self.is_vacuous)]
        if self.is_randomized and randomized is not None:
            return [RandomizedTest(self.k, self.gamma, randomized.epsilon0, self.rows, randomized.seeds)]
        return []


def _categories(attribute: Attribute) -> Axis:
    """The axis of an attribute's categories: its labels, or the middles of its bins; last what stands for a missing value."""
    name = quoted(attribute.name)
    if attribute.labels is not None:
        return Axis(name, [*attribute.labels, *([MISSING] if attribute.missing else [])], path=f"bin_{name}")
    edges = attribute.edges
    middles = [*(edges[:-1] + edges[1:]) / 2, *([np.nan] if attribute.missing else [])]
    return Axis(name, np.array(middles), path=f"bin_{name}")


def category_path(attribute: Attribute) -> str:
    """Return the path of the categories of an attribute."""
    return f"category/{quoted(attribute.name)}"


def _values(attribute: Attribute, index: Index, categories: Array) -> Array:
    rows = index[-1] if index else slice(0, None)
    assert isinstance(rows, slice)
    return attribute.values(categories, first=rows.start or 0)


def _has_seeds(test: RandomizedTest | None, k: int, people: int) -> bool:
    """Whether k people may be seeds, and others are left for the model.

    How many, and ε₀, are stated only in the event: whatever they are, they are accounted for.
    """
    return test is not None and k <= test.seeds < people


def _seeds(event: Event) -> int:
    return sum(leaf.seeds for leaf in flatten(event) if isinstance(leaf, RandomizedTest))
