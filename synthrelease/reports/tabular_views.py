"""What reports show in bars, tables and histograms, as values: read once, drawn on a page by `panels` and on axes by `drawings`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synthrelease.kinds.dataset import Axis, Dataset, Role
from synthrelease.number_words import short
from synthrelease.reports.families import Family, dataset_name
from synthrelease.reports.views import OutputViews

Numbers = NDArray[np.float64]
_PROPORTION = "proportion"


@dataclass(frozen=True)
class BarsView:
    """A number for each label along an axis."""

    title: str
    quantity: str
    axis: Axis
    values: Numbers  # shape (n,)
    half_width: Numbers | None  # ± (95 %), of all or of each, shape () or (n,)

    @property
    def is_proportion(self) -> bool:
        """Whether all are parts of one whole."""
        return self.quantity.startswith(_PROPORTION)


@dataclass(frozen=True)
class MatrixView:
    """A number for each pair of labels."""

    title: str
    quantity: str
    rows: Axis
    columns: Axis
    values: Numbers  # shape (rows, columns)

    @property
    def is_square(self) -> bool:
        """Whether rows and columns are the same."""
        return list(self.rows.coordinates) == list(self.columns.coordinates)


@dataclass(frozen=True)
class SingleValue:
    """A number with its interval."""

    labels: tuple[str, ...]  # by the axes of the dataset
    statistic: str  # what it is of them: "mean"
    label: str  # with its unit: "pupil (mm)"; behind it the groups
    quantity: str
    value: float
    ends: tuple[float, float] | None  # of its interval (95 %)
    bounds: tuple[float, float] | None  # public ones

    @property
    def name(self) -> str:
        """What it is, in words."""
        return f"{self.statistic} of {self.label}"


@dataclass(frozen=True)
class HistogramView:
    """A number for each bin, with its interval."""

    title: str
    label: str  # what is binned, with its unit
    quantity: str
    edges: Numbers  # shape (bins + 1,)
    values: Numbers  # shape (bins,)
    ends: Numbers | None  # of each interval (95 %), shape (bins, 2)


@dataclass(frozen=True)
class CategoriesView:
    """How often each category of an attribute is in synthetic records."""

    title: str
    label: str  # the attribute with its unit
    coordinates: Any  # categories, or the middles of bins of equal width, the last of them NaN if it is of missing values
    counts: NDArray[np.int64]

    @property
    def is_numeric(self) -> bool:
        """Whether categories are bins."""
        return isinstance(self.coordinates, np.ndarray)

    @property
    def names(self) -> list[str]:
        """Names of the categories."""
        if self.is_numeric:
            return [short(float(middle)) for middle in self.coordinates]
        return [str(label) for label in self.coordinates]

    @property
    def bins(self) -> int:
        """How many categories are not of missing values."""
        return len(self.counts) - (self.is_numeric and bool(np.isnan(self.coordinates[-1])))

    @property
    def edges(self) -> Numbers | None:
        """Edges of bins, shape (bins + 1,); None of labels and of a single bin."""
        if not self.is_numeric or self.bins < 2:
            return None
        middles = self.coordinates[: self.bins]
        half = (middles[1] - middles[0]) / 2
        return np.append(middles - half, middles[-1] + half)


def labels_at(family: Family, index: tuple[int, ...]) -> list[str]:
    """Return the labels of an item."""
    return [str(axis.coordinates[n]) for axis, n in zip(family.values.axes, index, strict=False)]


def bars_view(views: OutputViews, family: Family, index: tuple[int, ...]) -> BarsView:
    """Return an item with one axis."""
    dataset = family.values
    values = views.released.item(views.name, dataset.path, index)
    title = f"{', '.join(labels_at(family, index))}: {dataset.quantity}"
    return BarsView(title, dataset.quantity, family.axes[-1], values, views.half_width(family, index))


def matrix_view(views: OutputViews, family: Family, index: tuple[int, ...]) -> MatrixView:
    """Return an item with several axes: the last one across, the others down."""
    dataset = family.values
    values = views.released.item(views.name, dataset.path, index)
    *_, down, across = family.axes
    title = f"{', '.join(labels_at(family, index))}: {dataset.quantity}"
    return MatrixView(title, dataset.quantity, down, across, values.reshape(-1, values.shape[-1]))


def single_values(views: OutputViews, family: Family) -> Iterator[SingleValue]:
    """Yield the items of a family that are one number each."""
    values = views.released.array(views.name, family.values.path)
    interval = family.with_role(Role.INTERVAL)
    ends = None if interval is None else views.released.array(views.name, interval.path)
    statistic, quantity = views.parameters.part_in_words(family.part), family.values.quantity
    for index in family.values.indices():
        labels = labels_at(family, index)
        names = ", ".join(views.with_unit(label, quantity) for label in reversed(labels))
        low_high = None if ends is None else (float(ends[index][0]), float(ends[index][1]))
        bounds = views.parameters.value_range(family.part, labels[-1])
        value = float(values[index])
        yield SingleValue(tuple(labels), statistic, names, quantity, value, low_high, bounds)


def histogram_view(views: OutputViews, family: Family, index: tuple[int, ...]) -> HistogramView:
    """Return an item of bins."""
    dataset, released = family.values, views.released
    interval, coordinate = family.with_role(Role.INTERVAL), family.with_role(Role.COORDINATE)
    assert coordinate is not None
    edges = released.item(views.name, coordinate.path, index)
    *groups, label = labels_at(family, index)
    statistic = views.parameters.part_in_words(family.part) or dataset.quantity
    title = ", ".join([f"{statistic} of {views.shown_name(label)}", *groups])
    return HistogramView(
        title,
        views.with_unit(label),
        dataset.quantity,
        np.append(edges[..., 0], edges[-1, -1]),
        released.item(views.name, dataset.path, index),
        None if interval is None else released.item(views.name, interval.path, index),
    )


def categories_view(views: OutputViews, dataset: Dataset) -> CategoriesView:
    """Return how the categories of an attribute are distributed over the records."""
    assert dataset.codes is not None
    coordinates, name = dataset.codes.coordinates, dataset_name(dataset)
    counts: NDArray[np.int64] = np.zeros(len(coordinates), dtype=np.int64)
    for numbers in views.released.blocks(views.name, dataset.path):
        counts += np.bincount(numbers, minlength=len(coordinates))
    return CategoriesView(views.shown_name(name), views.with_unit(name), coordinates, counts)
