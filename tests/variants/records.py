"""Synthetic records."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from wanted import Records

from synthrelease.data.attribute import Attribute
from synthrelease.data.features import RECORDING, FeatureData
from synthrelease.dp.budget import Budget
from synthrelease.kinds.records.fit import weighted_counts
from synthrelease.kinds.records.mechanism import coded_records
from synthrelease.numerics.binning import bin_numbers
from variants.features import LIMITS, FeaturesVariant
from variants.people import BUDGET, GAUSSIAN, LAPLACE, MANY, REPLACE, Person, in_turn
from variants.variant import Variant

if TYPE_CHECKING:
    from variants.people import Arrays, Integers


@dataclass(frozen=True, eq=False)
class RecordsVariant(FeaturesVariant):
    """Columns of numbers and of labels; people's rows say u = −1 … 1 for both, NaN missing.

    Attributes:
        labelled: of each column whether it holds labels.
    """

    labelled: tuple[bool, ...] = ()

    def data(self, people: Sequence[Person], order: int | None = None) -> FeatureData:
        whole = super().data(people, order)
        labels = np.flatnonzero(self.labelled)
        u = in_turn(people, order)[1][:, 1 + labels]
        sizes = np.array([len(self.of_name(f"feature {f}").labels or ()) for f in labels], dtype=np.int64)
        position = np.clip(np.floor((np.nan_to_num(u) + 1) / 2 * sizes), 0, sizes - 1)
        return replace(
            whole.only([f"feature {f}" for f in np.flatnonzero(~np.array(self.labelled))]),
            categorical=tuple(f"feature {f}" for f in labels),
            labels=np.where(np.isnan(u), -1, position).astype(np.int64),
        )

    def of_name(self, name: str) -> Attribute:
        return next(a for a in self.parameters.attributes if a.name == name)

    def exact(self, people: Sequence[Person], order: int | None = None) -> Integers:
        """Of a model that is tested, too, which is fitted on the records of all."""
        p = self.of(len(people)).parameters
        coded, person = coded_records(self.data(people, order), p)
        counts = weighted_counts(coded, person, p.categories, p.subsets)
        return np.concatenate([table.ravel() for table in counts.values()])

    def expected(self, values: Arrays, people: int) -> dict[tuple[str, ...], Any]:  # noqa: ARG002
        """Records are drawn, not derived; what can be computed again is the bin that holds each value."""
        out: dict[tuple[str, ...], Any] = {}
        for a in self.parameters.attributes:
            drawn = values[a.name, "category"]
            out[a.name, "category"] = drawn
            assert drawn.dtype == a.number_type
            assert 0 <= drawn.min() <= drawn.max() < a.categories
            if a.labels is None:
                value = values[a.name, "value"]
                missing = np.isnan(value)
                np.testing.assert_array_equal(missing, a.missing & (drawn == a.categories - 1))
                held = bin_numbers(np.where(missing, a.high, value), a.edges)
                out[a.name, "category"] = np.where(missing, drawn, held)
                out[a.name, "value"] = value
        return out

    @property
    def joint(self) -> bool:
        """Whether it matters which categories occur together."""
        p = self.parameters
        return p.dependence == "tree" or p.per_task

    def made_adversaries(self) -> list[Person]:
        """For joint counts: all rows in one cell, wherever it is; in all cells; once, or thousands of times."""
        F = self.features
        lists = itertools.product(range(self.recordings), itertools.product((-1.0, 1.0), repeat=F))
        corners = [self.person(np.tile(u, (2, 1)), f"{u} in {r}", [r]) for r, u in lists]
        cells = np.array(list(itertools.product(np.linspace(-0.99, 0.99, 6), repeat=F)))
        for u in (-1.0, 1.0):
            corners.append(self.person(np.full((1, F), u), f"one row at {u}", [0]))
            corners.append(self.person(np.full((MANY, F), u), f"thousands at {u}", [self.recordings - 1]))
        one_apart = np.full((MANY, F), -1.0)
        one_apart[-1] = 1.0
        blank = np.full((5, F), np.nan)
        partly = np.where(np.eye(F, dtype=bool), np.nan, 1.0)
        return [
            *super().made_adversaries(),
            *corners,
            self.person(cells, "in every cell"),
            self.person(one_apart, "one row of thousands elsewhere"),
            self.person(blank, "all values missing", [0]),
            self.person(partly, "one value missing in each row"),
        ]

    def equivalent(self, person: Person) -> Person:
        """Every row three times, in the opposite order, elsewhere in its cell; where rows must be whole, others are not.

        Attributes that are counted one by one no longer occur together either.
        """
        names = [f"feature {f}" for f in range(self.features)]
        at = [next(i for i, a in enumerate(self.parameters.attributes) if a.name == name) for name in names]
        sizes = [self.parameters.attributes[i].categories - self.parameters.attributes[i].missing for i in at]
        rows = person.rows[::-1].copy()
        within = np.clip(np.floor((np.clip(rows[:, 1:], -1, 1) + 1) / 2 * sizes), 0, np.array(sizes) - 1)
        rows[:, 1:] = (within + 0.5) / sizes * 2 - 1
        drops = not any(a.missing for a in self.parameters.attributes)
        if drops:
            rows = rows[~np.isnan(rows).any(axis=1)]
            if not self.joint:
                rows = np.stack([np.roll(rows[:, c], c) for c in range(rows.shape[1])], axis=1)
        blank = np.full((4 * drops, rows.shape[1]), np.nan)
        blank[:, 0] = 0
        return Person(np.concatenate([blank, np.repeat(rows, 3, axis=0)]))

    def wide(self) -> Variant:
        p = self.parameters
        bins = 60 if p.dependence == "tree" else 2000
        finer = tuple(replace(a, categories=bins) if a.labels is None else a for a in p.attributes)
        return replace(self, parameters=replace(p, attributes=finer))

    def overflowing(self) -> Variant | None:
        """The number of people is that of the data, and 2⁴⁷ of them are nowhere."""
        return None


def record_variant(
    name: str,
    *,
    features: int = 2,
    lists: Sequence[int] = (),
    task: str | None = None,
    bins: int = 5,
    missing: bool = False,
    noise: str = LAPLACE,
    budget: Budget = BUDGET,
    attained: float = 1.0,
    **changes: Any,
) -> Variant:
    """Make a variant with columns of bins, then columns of `lists` labels; the task is the recording or the last of these."""
    attributes = [
        Attribute(f"feature {f}", bins + missing, None, float(low), float(high), missing)
        for f, (low, high) in enumerate(np.resize(LIMITS, (features, 2)))
    ]
    for f, size in enumerate(lists, start=features):
        labels = tuple(f"label {i}" for i in range(size))
        attributes.append(Attribute(f"feature {f}", size + missing, labels, missing=missing))
    if task == RECORDING:
        attributes.insert(0, Attribute(RECORDING, 2, ("recording 0", "recording 1")))
    elif task is not None:
        own = attributes.pop()
        attributes.insert(0, replace(own, categories=own.categories - missing, missing=False))
    m = len(attributes)
    parameters = Records(
        **{
            "model": "marginals",
            "fit": "dp",
            "noise": noise,
            "attributes": tuple(attributes),
            "order": tuple(range(m)),
            "resampled": (m,),
            "k": 1,
            "gamma": 4.0,
            "counted": "person",
            "rows": 20,
            "trials": 4000,
            "task": task is not None,
            "per_task": task is not None,
            "neighbours": REPLACE,
            "people": 1,
        }
        | changes
    )
    labelled = (False,) * features + (True,) * len(lists)
    return RecordsVariant(
        name, noise, parameters, budget, attained=attained, features=len(labelled), labelled=labelled
    )


def all_records() -> list[Variant]:
    tree = {"dependence": "tree"}
    seeded = {"model": "seeded", "resampled": (1, 2)}
    return [
        record_variant("records-marginals"),
        record_variant("records-marginals-one-attribute", features=1),
        record_variant("records-marginals-gaussian", noise=GAUSSIAN),
        record_variant("records-marginals-labels", lists=(3, 2)),
        record_variant("records-marginals-single-label", lists=(1,), attained=2 / 3),
        record_variant("records-marginals-missing", lists=(3,), missing=True),
        record_variant("records-marginals-label-of-the-task", lists=(2,), task="label", per_task=False),
        record_variant("records-per-task", task=RECORDING),
        record_variant(
            "records-per-task-gaussian-missing", lists=(2, 3), task="label", missing=True, noise=GAUSSIAN
        ),
        record_variant("records-tree", features=3, **tree),
        record_variant("records-tree-gaussian", lists=(2, 3), noise=GAUSSIAN, **tree),
        record_variant("records-tree-one-attribute", features=1, **tree),
        record_variant("records-tree-per-task", lists=(3,), task=RECORDING, missing=True, **tree),
        record_variant("records-tree-per-task-gaussian", task=RECORDING, noise=GAUSSIAN, **tree),
        record_variant("records-tree-of-the-task", task=RECORDING, per_task=False, **tree),
        record_variant("records-seeded-task", task=RECORDING, **seeded),
        record_variant("records-seeded-tree", lists=(2,), order=(2, 0, 1), missing=True, **seeded, **tree),
        record_variant("records-seeded-gaussian", noise=GAUSSIAN, order=(1, 0), **seeded),
    ]
