"""What synthetic records are held against: how the real ones are distributed, each attribute and each pair.

Every person counts the same in the truth, however many rows they have, since that is what a fit does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from synthrelease.appraisal.appraised import Measure, Values
from synthrelease.appraisal.record_rows import Codes, Labels, Numbers
from synthrelease.appraisal.yardsticks.record_exhibits import marginal_exhibits
from synthrelease.appraisal.yardsticks.yardstick import Kind
from synthrelease.data.features import Features
from synthrelease.evaluate.record_metrics import associations, distances, one_each
from synthrelease.mechanisms.collected import Rows
from synthrelease.mechanisms.records.parameters import RecordsParameters
from synthrelease.mechanisms.records.release import coded_records
from synthrelease.noise import SecureRandom
from synthrelease.outputs.records import RecordsOutput
from synthrelease.outputs.resolved import Arrays, Collector
from synthrelease.report.exhibits import Exhibit

ONE_WAY = Measure("one-way TV", 0.0, "total variation distance from the real distribution of an attribute")
TWO_WAY = Measure("two-way TV", 0.0, "the same of the attribute with each other one, on average")
ASSOCIATION = Measure(
    "Cramér's V off by",
    0.0,
    "how far the attribute's association with each other one is off, on average, where 1 is the most",
)


@dataclass(frozen=True)
class RecordYardstick:
    """The real rows, and how to measure records against them.

    Attributes:
        parameters: of the output.
        codes: category numbers of the real rows, shape (N, m).
        people: whose each row is, shape (N,).
    """

    parameters: RecordsParameters
    codes: Codes
    people: Labels

    @property
    def noun(self) -> str:
        """What an item is called."""
        return "attribute"

    @property
    def measures(self) -> tuple[Measure, ...]:
        """Of one attribute, and of it with the others."""
        return ONE_WAY, TWO_WAY, ASSOCIATION

    def of(self, released: Arrays) -> dict[str, Values]:
        """Return the measures of every attribute, from the arrays of all of them."""
        return self.of_codes(released_codes(released, self.parameters))

    def of_codes(self, released: Codes, weights: Numbers | None = None) -> dict[str, Values]:
        """Return the measures of every attribute; NaN of pairs if there is one.

        Args:
            released: category numbers, shape (M, m).
            weights: of these rows, shape (M,); default equal ones.
        """
        sizes, own = self.parameters.categories, one_each(self.people)
        found = distances(released, self.codes, sizes, weights=own, released_weights=weights)
        apart = np.abs(
            associations(released, sizes, weights=weights) - associations(self.codes, sizes, weights=own)
        )
        m = len(sizes)
        pairs = ~np.eye(m, dtype=bool)
        two_way, off = (
            (one * pairs).sum(axis=1) / (m - 1) if m > 1 else np.full(1, np.nan)
            for one in (found.two_way, apart)
        )
        names = (attribute.name for attribute in self.parameters.attributes)
        table = np.stack([found.one_way, two_way, off], axis=1)
        return {name: tuple(values) for name, values in zip(names, table.tolist(), strict=True)}

    def without_data(self, released: Arrays) -> Mapping[str, Arrays]:
        """Return as many records that are uniform over the categories."""
        random = SecureRandom.for_tests(0).spawn("uniform over the bins")
        count = len(released_codes(released, self.parameters))
        uniform: Arrays = {}
        for attribute in self.parameters.attributes:
            codes = random.spawn(attribute.name).integers(attribute.categories, count)
            uniform[attribute.name, "category"] = codes.astype(attribute.number_type)
            if attribute.labels is None:
                uniform[attribute.name, "value"] = attribute.values(codes)
        return {"uniform over the bins": uniform}

    def exhibits(self, released: Arrays) -> Sequence[Exhibit]:
        """Return the distribution of each attribute over released and over real records."""
        return marginal_exhibits(
            self.parameters.attributes,
            released_codes(released, self.parameters),
            self.codes,
            one_each(self.people),
        )


def released_codes(released: Arrays, parameters: RecordsParameters) -> Codes:
    """Return the category numbers of a bundle's records, shape (M, m)."""
    return np.stack([released[a.name, "category"] for a in parameters.attributes], axis=1)


def _truth(output: RecordsOutput) -> Collector:
    return partial(_coded, parameters=output.parameters)


def _coded(data: Features, parameters: RecordsParameters) -> Rows:
    codes, people = coded_records(data, parameters)
    return Rows(((people, codes),))


def _yardstick(output: RecordsOutput, collected: Rows) -> RecordYardstick:
    people, codes = collected.whole()
    return RecordYardstick(output.parameters, codes, people)


def _labels(output: RecordsOutput) -> Sequence[Sequence[tuple[str, ...]]]:
    """All in one group: pairs need all attributes."""
    group: list[tuple[str, ...]] = []
    for attribute in output.parameters.attributes:
        group.append((attribute.name, "category"))
        if attribute.labels is None:
            group.append((attribute.name, "value"))
    return (tuple(group),)


RECORDS = Kind(truth=_truth, yardstick=_yardstick, exact=None, labels=_labels)
