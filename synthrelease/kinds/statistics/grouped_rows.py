"""Which rows count in which group, and one value per person, group and feature: what statistics and quantiles share (`statistics.proof.md`)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from synthrelease.numerics.runs import runs, sorted_rows, whole_blocks
from synthrelease.numerics.steps import to_steps

if TYPE_CHECKING:
    from synthrelease.data.features import FeatureData

_BLOCK_ROWS = 1 << 15


@dataclass(frozen=True)
class Cell:
    """The rows with a value of one feature, of all people who count, with whose they are; rows of an owner stand together, owners in order."""

    owner: NDArray[np.int64]  # of each row, the number of a person in a group: 0, 0, 1, …, shape (N,)
    values: NDArray[np.float64]  # of each row, in the feature's unit, shape (N,)
    group: NDArray[np.int64]  # of each owner, shape (owners,)
    rows: NDArray[np.int64]  # of each owner, how many, at least 1, shape (owners,)

    @property
    def is_single(self) -> bool:
        """Whether each owner has one row."""
        return len(self.group) == len(self.owner)

    def means(self, steps: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return each owner's mean, shape (owners,), of the rows' steps, cut toward zero: in whatever order the rows stand."""
        if self.is_single:
            return steps
        total = np.add.reduceat(steps, np.cumsum(self.rows) - self.rows)
        mean: NDArray[np.int64] = np.sign(total) * (np.abs(total) // self.rows)
        return mean

    def mean_steps(self, bounds: tuple[float, float]) -> NDArray[np.int64]:
        """Return each owner's mean in steps of the grid between the feature's bounds, shape (owners,)."""
        return self.means(to_steps(self.values[:, None], np.array([bounds]))[:, 0])


def counted_groups(data: FeatureData, *, by: str | None, groups: int, max_groups: int) -> NDArray[np.int64]:
    """Return the number of the group each row counts in, shape (N,), −1 for none: those without a label, and those of groups too many.

    A person counts in the M groups in which they have most rows, with or without values, the first listed of equals: their
    own rows decide.

    Args:
        data: rows of all people.
        by: the column of labels, or `RECORDING`; None puts all rows in one group.
        groups: G, how many labels are listed.
        max_groups: M.
    """
    if by is None:
        return np.zeros(len(data.person), dtype=np.int64)
    group = np.array(data.column(by), dtype=np.int64)
    row = np.flatnonzero(group >= 0)
    pair, pair_of, rows = np.unique(
        data.person[row] * groups + group[row], return_inverse=True, return_counts=True
    )
    person, number = np.divmod(pair, groups)
    order = np.lexsort((number, -rows, person))
    first = np.searchsorted(person, person)  # pairs are sorted by person
    rank = np.empty_like(order)
    rank[order] = np.arange(order.size)
    group[row[(rank - first >= max_groups)[pair_of]]] = -1
    return group


def people_in_order(
    data: FeatureData, group: NDArray[np.int64]
) -> Iterator[tuple[FeatureData, NDArray[np.int64]]]:
    """Yield the rows of some whole people after the other, with the group each counts in, shape (n,): so few that they stay in the processor's cache."""
    if (data.person[1:] < data.person[:-1]).any():
        order = sorted_rows(data.person)
        data, group = data.at(order), group[order]
    for here in whole_blocks(data.person, _BLOCK_ROWS):
        yield data.at(here), group[here]


def cell(data: FeatureData, feature: int, group: NDArray[np.int64], groups: int) -> Cell:
    """Return who has values of a feature in which group, and which; `group` as of `counted_groups`, whole numbers, shape (N,)."""
    values, person = data.values[:, feature], data.person
    present = ~np.isnan(values) & (group >= 0)
    if not present.all():
        values, person, group = values[present], person[present], group[present]
    pair = person if groups == 1 else person * groups + group
    if (pair[1:] < pair[:-1]).any():
        order = sorted_rows(pair)
        values, pair = values[order], pair[order]
    first, rows = runs(pair)
    owner = np.arange(first.size)
    if first.size < pair.size:
        owner = np.repeat(owner, rows)
    in_group = np.zeros_like(first) if groups == 1 else pair[first] % groups
    return Cell(owner, values, in_group, rows)
