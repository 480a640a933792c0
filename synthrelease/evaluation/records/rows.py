"""Records as attacks and classifiers take them: categories, values, and whose they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synthrelease.data.attribute import Attribute
from synthrelease.data.features import FeatureData
from synthrelease.dp.noise import SecureRandom
from synthrelease.evaluation.arrays import Arrays
from synthrelease.evaluation.attacks import Windows
from synthrelease.evaluation.one_person import sampled_people
from synthrelease.kinds.records.mechanism import SyntheticRecords
from synthrelease.kinds.records.public import RecordsParameters

Numbers = NDArray[np.float64]
Labels = NDArray[np.int64]
Codes = NDArray[np.signedinteger[Any]]

NO_ONE = -1  # a record without a source row, or with one that is not known
_MOST_PEOPLE, _MOST_ROWS = 20_000, 50_000  # a person weighs the same, however many rows are theirs
_SPREAD_OUT = 32  # categories of a label that have a column each; of more, one column holds their numbers


@dataclass(frozen=True)
class RecordRows:
    """Rows of records, real or synthetic."""

    mechanism: SyntheticRecords
    codes: Codes  # category numbers, shape (N, m)
    values: Numbers  # in each feature's unit, NaN where missing; a label's category number; shape (N, m)
    people: Labels  # whose each row is, shape (N,); `NO_ONE` where it is no one's
    recordings: Labels  # from which recording, shape (N,)

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def parameters(self) -> RecordsParameters:
        """The output's public parameters."""
        return self.mechanism.parameters

    @property
    def attributes(self) -> tuple[Attribute, ...]:
        """In the plan's order, the task's label first."""
        return self.parameters.attributes

    @property
    def features(self) -> tuple[int, ...]:
        """Numbers of all attributes but the task's label; that, if there is no other."""
        m = len(self.attributes)
        return tuple(range(self.parameters.task if m > 1 else 0, m))

    @property
    def names(self) -> Labels:
        """The people, each once, in increasing order."""
        return np.unique(self.people)

    @property
    def numbered(self) -> Labels:
        """Whose each row is, where the people are numbered from 0 on."""
        return np.searchsorted(self.names, self.people).astype(np.int64)

    def where(self, chosen: NDArray[Any]) -> RecordRows:
        """Return some rows: flags of them, or their numbers."""
        return RecordRows(
            self.mechanism,
            self.codes[chosen],
            self.values[chosen],
            self.people[chosen],
            self.recordings[chosen],
        )

    def of_people(self, people: Labels) -> RecordRows:
        """Return the rows of some people."""
        return self.where(np.isin(self.people, people))

    def evenly_spaced(self, most: int) -> RecordRows:
        """Return every so many-th row, at most `most`, of any participant."""
        return self.where(np.arange(0, len(self), max(1, -(-len(self) // most))))

    def thinned(self, most: int) -> RecordRows:
        """Return the first, and from there every so many-th row of each person, the least number for about `most` rows.

        At least one row of each person. Windows that overlap say nearly the same.
        """
        step = -(-len(self) // most)
        if step <= 1:
            return self
        order = np.argsort(self.people, kind="stable")
        _, start, count = np.unique(self.people[order], return_index=True, return_counts=True)
        place = np.empty(len(self), dtype=np.int64)
        place[order] = np.arange(len(self)) - np.repeat(start, count)
        return self.where(place % step == 0)

    def columns(self, chosen: Sequence[int], *, in_bins: bool = False) -> Numbers:
        """Return some attributes as finite numbers, shape (N, F): a label as a column of 0 and 1 for each category.

        A missing number is put in the middle of its bounds, and another column says that it was missing.

        Args:
            chosen: numbers of attributes, one at least.
            in_bins: whether a value is replaced by its bin's number.
        """
        parts: list[Numbers] = []
        for a in chosen:
            attribute, codes = self.attributes[a], self.codes[:, a]
            if attribute.labels is None:
                parts.append(self._numbers(a, in_bins=in_bins)[:, None])
                if attribute.missing:
                    parts.append((codes == attribute.categories - 1).astype(np.float64)[:, None])
            elif _width(attribute) > 1:
                parts.append((codes[:, None] == np.arange(attribute.categories)).astype(np.float64))
            else:
                parts.append(codes.astype(np.float64)[:, None])
        return np.concatenate(parts, axis=1)

    def windows(self, *, in_bins: bool = False) -> Windows:
        """Return `features` as columns, with people and recordings, as attacks take them."""
        return Windows(self.columns(self.features, in_bins=in_bins), self.people, self.recordings)

    def recoded(self, columns: Numbers) -> Labels:
        """Return the category numbers of `features` from columns such as theirs, averages of rows say; shape (N, F)."""
        out, at = [], 0
        for a in self.features:
            attribute = self.attributes[a]
            width = _width(attribute)
            attribute_columns, at = columns[:, at : at + width], at + width
            if attribute.labels is None:
                missing = attribute.missing & (attribute_columns[:, -1] > 0.5)
                codes = attribute.encoded(np.where(missing, np.nan, attribute_columns[:, 0]))
            else:
                codes = attribute_columns.argmax(axis=1) if width > 1 else np.rint(attribute_columns[:, 0])
            out.append(codes.astype(np.int64))
        return np.stack(out, axis=1)

    def _numbers(self, a: int, *, in_bins: bool) -> Numbers:
        attribute, codes = self.attributes[a], self.codes[:, a]
        present = attribute.categories - attribute.missing
        if in_bins:
            return np.where(codes < present, codes, (present - 1) / 2).astype(np.float64)
        assert attribute.low is not None
        assert attribute.high is not None
        values = self.values[:, a]
        return np.where(np.isnan(values), (attribute.low + attribute.high) / 2, values)


def _width(attribute: Attribute) -> int:
    """How many columns an attribute takes."""
    if attribute.labels is None:
        return 1 + attribute.missing
    return attribute.categories if attribute.categories <= _SPREAD_OUT else 1


def manageable(rows: RecordRows, random: SecureRandom) -> tuple[RecordRows, tuple[str, ...]]:
    """Return rows for fresh releases, at most 20 000 people and about 50 000 rows; and in a sentence what was left out."""
    kept = rows.of_people(drawn_people(rows, _MOST_PEOPLE, random)).thinned(_MOST_ROWS)
    if len(kept) == len(rows):
        return rows, ()
    people = kept.names.size
    whom = (
        f"all {people} people"
        if people == rows.names.size
        else f"{people} of {rows.names.size} participants (a random sample)"
    )
    return kept, (f"Fresh releases are made from {len(kept)} of {len(rows)} rows, of {whom}.",)


def drawn_people(rows: RecordRows, most: int, random: SecureRandom) -> Labels:
    """Return all people, or as many of them as there may be, at random; in increasing order."""
    names = rows.names
    return names[sampled_people(names.size, most, random)]


def real_rows(data: FeatureData, mechanism: SyntheticRecords) -> RecordRows:
    """Return the rows that take part in a release: those with a category in every attribute, values as they were measured."""
    attributes = mechanism.parameters.attributes
    columns = [data.column(attribute.name) for attribute in attributes]
    codes = np.stack([a.encoded(column) for a, column in zip(attributes, columns, strict=True)], axis=1)
    complete = (codes >= 0).all(axis=1)
    values = np.stack(columns, axis=1).astype(np.float64)
    return RecordRows(
        mechanism, codes[complete], values[complete], data.person[complete], data.recording[complete]
    )


def released_rows(released: Arrays, mechanism: SyntheticRecords) -> RecordRows:
    """Return the records of a bundle, from its arrays by their labels below the output; they have no owner."""
    attributes = mechanism.parameters.attributes
    codes = np.stack([released[a.name, "category"] for a in attributes], axis=1)
    values = [
        released[a.name, "value"] if a.labels is None else released[a.name, "category"] for a in attributes
    ]
    return _ownerless(mechanism, codes, np.stack(values, axis=1).astype(np.float64))


def decoded_rows(codes: Codes, mechanism: SyntheticRecords) -> RecordRows:
    """Return records of category numbers with the values that a release gives them; they have no owner."""
    attributes = mechanism.parameters.attributes
    values = [
        codes[:, j].astype(np.float64) if a.labels is not None else a.values(codes[:, j])
        for j, a in enumerate(attributes)
    ]
    return _ownerless(mechanism, codes, np.stack(values, axis=1))


def _ownerless(mechanism: SyntheticRecords, codes: NDArray[Any], values: Numbers) -> RecordRows:
    owners = np.full(len(codes), NO_ONE, dtype=np.int64)
    recordings = (
        codes[:, 0].astype(np.int64) if mechanism.parameters.task else np.zeros(len(codes), dtype=np.int64)
    )
    return RecordRows(mechanism, codes, values, owners, recordings)
