"""Ground truth of synthetic records: the distribution of the real ones, by attribute and by pair.

Every person counts the same in the truth, however many rows they have, since that is what a fit does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from synthrelease.dp.event import Event
from synthrelease.dp.noise import SecureRandom
from synthrelease.evaluation.arrays import Arrays
from synthrelease.evaluation.ground_truth.ground_truth import ComparedKind
from synthrelease.evaluation.ground_truth.record_exhibits import marginal_exhibits
from synthrelease.evaluation.metrics.records import associations, distances, one_each
from synthrelease.evaluation.records.rows import Codes, Labels, Numbers
from synthrelease.evaluation.result import Measure, Scores
from synthrelease.kinds.contributions import Rows
from synthrelease.kinds.mechanism import Collector
from synthrelease.kinds.records.fit import weighted_counts
from synthrelease.kinds.records.mechanism import SyntheticRecords, coded_records
from synthrelease.kinds.records.public import DP, RecordsParameters
from synthrelease.reports.exhibits import Exhibit

ONE_WAY = Measure("one-way TV", 0.0, "total variation distance from the real distribution of an attribute")
TWO_WAY = Measure("two-way TV", 0.0, "the same for pairs of the attribute with every other one, on average")
ASSOCIATION = Measure(
    "error of Cramér's V",
    0.0,
    "mean error of the attribute's association with every other one; 1 is the largest possible",
)


@dataclass(frozen=True)
class RecordTruth:
    """The real rows, and how to measure records against them."""

    parameters: RecordsParameters  # of the output
    codes: Codes  # category numbers of the real rows, shape (N, m)
    people: Labels  # whose each row is, shape (N,)

    @property
    def noun(self) -> str:
        """What an item is called."""
        return "attribute"

    @property
    def measures(self) -> tuple[Measure, ...]:
        """Of one attribute, and of it with the others."""
        return ONE_WAY, TWO_WAY, ASSOCIATION

    def of(self, released: Arrays) -> dict[str, Scores]:
        """Return the measures of every attribute that is there; of pairs, with the others that are there."""
        present = self._present(released)
        return self.of_codes(self._codes(released, present), present=present) if present else {}

    def of_codes(
        self, released: Codes, weights: Numbers | None = None, *, present: Sequence[int] | None = None
    ) -> dict[str, Scores]:
        """Return the measures of every attribute; NaN of pairs if there is one.

        Args:
            released: category numbers, shape (M, m).
            weights: of these rows, shape (M,); default equal ones.
            present: the attributes that the columns are of; default all.
        """
        chosen = list(range(len(self.parameters.attributes)) if present is None else present)
        attributes = [self.parameters.attributes[a] for a in chosen]
        sizes = [attribute.categories for attribute in attributes]
        real_codes, real_weights = self.codes[:, chosen], one_each(self.people)
        distance = distances(released, real_codes, sizes, weights=real_weights, released_weights=weights)
        association_errors = np.abs(
            associations(released, sizes, weights=weights)
            - associations(real_codes, sizes, weights=real_weights)
        )
        m = len(sizes)
        pairs = ~np.eye(m, dtype=bool)
        two_way, off = (
            (matrix * pairs).sum(axis=1) / (m - 1) if m > 1 else np.full(1, np.nan)
            for matrix in (distance.two_way, association_errors)
        )
        table = np.stack([distance.one_way, two_way, off], axis=1).tolist()
        return {attribute.name: tuple(values) for attribute, values in zip(attributes, table, strict=True)}

    def without_data(self, released: Arrays) -> Mapping[str, Arrays]:
        """Return as many records that are uniform over the categories."""
        random = SecureRandom.for_tests(0).spawn("baseline: uniform over the bins")
        uniform: Arrays = {}
        for a in self._present(released):
            attribute = self.parameters.attributes[a]
            count = len(released[attribute.name, "category"])
            codes = random.spawn(attribute.name).integers(attribute.categories, count)
            uniform[attribute.name, "category"] = codes.astype(attribute.number_type)
            if attribute.labels is None:
                uniform[attribute.name, "value"] = attribute.values(codes)
        return {"baseline: uniform over the bins": uniform}

    def part_of(self, item: str) -> str:  # noqa: ARG002
        """Return that all items are judged together."""
        return ""

    def exhibits(self, released: Arrays, event: Event) -> Sequence[Exhibit]:  # noqa: ARG002  as all kinds
        """Return the distribution of each attribute over released and over real records."""
        present = self._present(released)
        if not present:
            return ()
        attributes = [self.parameters.attributes[a] for a in present]
        weights = one_each(self.people)
        return marginal_exhibits(attributes, self._codes(released, present), self.codes[:, present], weights)

    def _present(self, released: Arrays) -> list[int]:
        """The attributes whose records are there; a bundle may also have the noisy counts of a model."""
        attributes = self.parameters.attributes
        return [a for a, attribute in enumerate(attributes) if (attribute.name, "category") in released]

    def _codes(self, released: Arrays, present: Sequence[int]) -> Codes:
        attributes = self.parameters.attributes
        return np.stack([released[attributes[a].name, "category"] for a in present], axis=1)


def _truth_collector(mechanism: SyntheticRecords) -> Collector:
    return partial(_coded, mechanism=mechanism)


def _coded(data: Any, mechanism: SyntheticRecords) -> Rows:
    codes, people = coded_records(mechanism.table(data), mechanism.parameters)
    return Rows(((people, codes),))


def _ground_truth(mechanism: SyntheticRecords, collected: Rows, people: int) -> RecordTruth:  # noqa: ARG001  as all kinds
    owners, codes = collected.whole()
    return RecordTruth(mechanism.parameters, codes, owners)


def _labels(mechanism: SyntheticRecords) -> Sequence[Sequence[tuple[str, ...]]]:
    """All in one group: pairs need all attributes."""
    group: list[tuple[str, ...]] = []
    for attribute in mechanism.parameters.attributes:
        group.append((attribute.name, "category"))
        if attribute.labels is None:
            group.append((attribute.name, "value"))
    return (tuple(group),)


def _counts(mechanism: SyntheticRecords, collected: Rows) -> Arrays:
    """The joint counts of a fit with noise; of a randomized test it is not known which people were fitted."""
    p = mechanism.parameters
    if p.fit != DP or p.is_randomized:
        return {}
    people, codes = collected.whole()
    counts = weighted_counts(codes, people, p.categories, p.subsets)
    return {(*(p.attributes[a].name for a in subset), "noisy"): table for subset, table in counts.items()}


RECORDS = ComparedKind(_truth_collector, _ground_truth, _labels, is_exact=False, counts=_counts)
