"""What of a release is drawn, by the axes of its datasets: maps on a screen, curves over a numbered axis; for pages and picture files alike."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synthrelease.data.attribute import Attribute
from synthrelease.data.cells import is_unnamed
from synthrelease.data.screen import Screen
from synthrelease.dp.error_bounds import interval_deviations
from synthrelease.dp.event import from_json, noise_of
from synthrelease.kinds.dataset import Axis, Dataset, Role
from synthrelease.kinds.parameters import Feature, Parameters
from synthrelease.kinds.registry import parameters_of
from synthrelease.reports.families import Families, Family, families_of
from synthrelease.reports.map_axes import MapLegend
from synthrelease.reports.rasters import Map
from synthrelease.reports.released import ReadValues, Released

Curve = tuple[NDArray[Any], NDArray[Any]]  # values, and the ± of each
_PIXELS = ("y_px", "x_px")
_TIME, _SERIES = "time", "series"
_UNIT_OF_FEATURE = "unit of the feature"
_SUM = "sum"
_OF_FEATURE = f" in the {_UNIT_OF_FEATURE}"
_SIGNS = {"deg": "°", "um": "µm", "us": "µs"}  # of units that bundles have in ASCII


@dataclass(frozen=True)
class MapView:
    """A map, or a strip of them over time."""

    label: str
    subject: str  # what is mapped, in words: "stimulus 1005"
    cells: Map  # shape (rows, columns), or (frames, rows, columns)
    half_width: Map | None  # ± of every cell (95 %), where it is known
    legend: MapLegend
    times: NDArray[np.float64] | None  # the middle of every frame
    # What is divided by: its standard deviation, as a share of it; 0 where it is not released.
    normalization_error: float = 0.0
    public: Map | None = None  # the public map that it starts from, in the same unit


@dataclass(frozen=True)
class CurveView:
    """Curves over a numbered axis, by label; "" for the only one, which is called like all of the view."""

    label: str
    curves: Mapping[str, Curve]
    x: NDArray[Any]
    x_label: str
    y_label: str


class OutputViews:
    """What there is to draw of an output.

    Args:
        released: the values of the bundle, or of this output.
        output: an entry of a manifest's `outputs`; of it name, kind, mechanism and event.
    """

    def __init__(self, released: ReadValues, output: Mapping[str, Any]) -> None:
        self.released, self.output, self.name = released, output, output["name"]
        self.parameters: Parameters = parameters_of(output)
        event = from_json(output["event"])
        self._noise = noise_of(event)
        self.datasets = list(self.parameters.datasets(event))
        self.families: Families = families_of(self.datasets)
        values = [
            family for family in self.families.of_values if family.values.role is not Role.NORMALIZATION
        ]
        self.maps = [family for family in values if _names(family)[-2:] == _PIXELS]
        self.curves = [family for family in values if family not in self.maps and _is_curve(family)]
        self.tabular = [family for family in values if family not in self.maps and family not in self.curves]

    def labels(self) -> list[str]:
        """Return the labels of all pictures: of each item of maps, and of each feature of mean signals."""
        of_maps = [label for family in self.maps for label in _item_labels(family.values)]
        of_curves = [
            label
            for family in self.curves
            if _SERIES not in _names(family)
            for label in _curve_labels(family)
        ]
        return [*of_maps, *of_curves]

    def view(self, label: str) -> MapView | CurveView:
        """Return what a label stands for."""
        for family in self.maps:
            if label in (labels := _item_labels(family.values)):
                return self.map_view(family, labels.index(label), label)
        for family in self.curves:
            if label in (labels := _curve_labels(family)):
                return self.curve_view(family, labels.index(label), label)
        raise KeyError(label)

    def map_view(self, family: Family, number: int, label: str) -> MapView:
        """Return an item of maps."""
        dataset = family.values
        index = tuple(map(int, np.unravel_index(number, dataset.shape[: dataset.items])))
        axes = {axis.name: axis for axis in dataset.axes}
        return MapView(
            label,
            _item_words(dataset, index),
            self.released.item(self.name, dataset.path, index),
            self.half_width(family, index),
            self._legend(axes, dataset.quantity),
            axes[_TIME].values if _TIME in axes else None,
            self._normalization_error(index),
            self._public_map(index),
        )

    def _public_map(self, index: tuple[int, ...]) -> Map | None:
        """The public map of an item, where the release has one."""
        dataset = next((one for one in self.datasets if one.role is Role.PUBLIC), None)
        if dataset is None:
            return None
        return self.parameters.public_map(self.released.item(self.name, dataset.path, index))

    def _normalization_error(self, index: tuple[int, ...]) -> float:
        """The standard deviation of an item's normalization, as a share of it: both are released."""
        datasets = (family.values for family in self.families.of_values)
        dataset = next((one for one in datasets if one.role is Role.NORMALIZATION), None)
        if dataset is None:
            return 0.0
        mean, deviation = self.released.item(self.name, dataset.path, index[: dataset.items]).tolist()
        return float(deviation / mean)

    def curve_view(self, family: Family, number: int, label: str) -> CurveView:
        """Return the curves of one place along the axis before the last: one for each place along the first."""
        first, *_, last = family.axes
        curves = {}
        # The line of the only recording, which no column names, has no name either.
        names = [""] if is_unnamed(first.coordinates) else first.coordinates
        for place, name in enumerate(names):
            index = (place, number) if len(family.axes) > 2 else (place,)
            values = self.released.item(self.name, family.values.path, index)
            spread = self.half_width(family, index)
            curves[str(name)] = (values, np.zeros(len(values)) if spread is None else spread)
        y_label = self.y_label(label, family.values.quantity)
        return CurveView(self.shown_name(label), curves, last.values, x_label(last), y_label)

    def first_series(self, family: Family, most: int) -> CurveView:
        """Return the first few series of the first item, where every participant has one: at most so many."""
        dataset, last = family.values, family.axes[-1]
        index = (0,) * dataset.items
        rows = np.empty((0, len(last)))
        for block in self.released.blocks(self.name, dataset.path, index):
            rows = np.concatenate([rows, block[: most - len(rows)]])
            if len(rows) == most:
                break
        spread = self.half_width(family, index)
        band = np.zeros(len(last)) if spread is None else spread
        labels = [str(axis.coordinates[0]) for axis in dataset.axes[: dataset.items]]
        curves = {f"series {number}": (row, band) for number, row in enumerate(rows, start=1)}
        y_label = self.y_label(labels[-1], dataset.quantity)
        title = ", ".join(map(self.shown_name, reversed(labels)))
        return CurveView(title, curves, last.values, x_label(last), y_label)

    def first_records(self, family: Family, column: int, most: int) -> CurveView:
        """Return a column of the first few records that have a row for each place along an axis, in the first place along axes between."""
        dataset, (first, *between, last) = family.values, family.axes
        rows = next(self.released.blocks(self.name, dataset.path))[:most]
        values = rows[..., column].reshape(len(rows), -1, len(last))[:, 0]
        label = str(dataset.axes[-1].coordinates[column])
        none = np.zeros(len(last))
        curves = {f"{first.name} {first.coordinates[n]}": (row, none) for n, row in enumerate(values)}
        places = [str(axis.coordinates[0]) for axis in between]
        title = ", ".join([self.shown_name(label), *places])
        return CurveView(title, curves, last.values, x_label(last), self.y_label(label, dataset.quantity))

    def shown_name(self, label: str) -> str:
        """Return what people call a feature; other labels as they are."""
        column = self.named(label)
        return label if column is None else column.shown_name

    def with_unit(self, label: str, quantity: str = _OF_FEATURE) -> str:
        """Return the same with the unit of the feature, or its square, if it is known and the quantity is in that."""
        column = self.named(label)
        if column is None or _UNIT_OF_FEATURE not in quantity:
            return self.shown_name(label)
        return name_with_unit(column, power="²" if "square" in quantity else "")

    def scale_name(self, label: str, quantity: str) -> str:
        """Return what numbers of a feature that are on one scale have in common: the feature with its unit, or the quantity if it is not in that."""
        if _UNIT_OF_FEATURE not in quantity:
            return quantity
        name = self.with_unit(label, quantity)
        if quantity.startswith(_SUM):  # far larger than the others
            return f"{_SUM} of {name}"
        is_bare = name == self.shown_name(label)
        return f"{name}, squared" if is_bare and "square" in quantity else name

    def named(self, label: str) -> Feature | Attribute | None:
        """Return the column of a label; None of other labels."""
        return next((column for column in self.parameters.named if column.name == label), None)

    def y_label(self, label: str, quantity: str) -> str:
        """Return a quantity of a feature with its unit: "mean change of pupil_left (mm)"."""
        column = self.named(label)
        if column is not None:
            return feature_quantity(column, quantity)
        return quantity if label == quantity else f"{label}, {quantity}"

    def half_width(self, family: Family, index: tuple[int, ...]) -> NDArray[Any] | None:
        """Return what stands behind ± of the values of an item, which 95 % of their errors are within; None if it is not known."""
        uncertainty, noise = family.with_role(Role.UNCERTAINTY), self._noise
        if uncertainty is None or noise is None:
            return None
        deviations = self.released.item(self.name, uncertainty.path, index[: uncertainty.items])
        of_item = deviations[index[uncertainty.items : len(uncertainty.axes)]]
        return np.asarray(interval_deviations(noise) * of_item)

    def _legend(self, axes: Mapping[str, Axis], quantity: str) -> MapLegend:
        screen, blur_px = self.parameters.map_scale or (None, None)
        if screen is None:
            height, width = (round(float(axes[name].values[0] + axes[name].values[-1])) for name in _PIXELS)
            screen = Screen(width, height)
        return MapLegend(screen, blur_px, quantity)


def _names(family: Family) -> tuple[str, ...]:
    return tuple(axis.name for axis in family.axes)


def x_label(axis: Axis) -> str:
    """Return an axis with its unit; steps are of time."""
    if axis.name == "step":
        return "time step"
    name = axis.name.removesuffix(f"_{axis.unit}")
    return f"{name} ({axis.unit})" if axis.unit and axis.unit != f"{name}s" else name


def feature_quantity(column: Feature | Attribute, quantity: str) -> str:
    """Return a quantity of a feature, with the feature's unit if it is of that."""
    in_unit, of = _OF_FEATURE in quantity, quantity.removesuffix(_OF_FEATURE)
    return f"{of} of {name_with_unit(column) if in_unit else column.shown_name}"


def name_with_unit(column: Feature | Attribute, *, power: str = "") -> str:
    """Return what people call a column, and its unit, as they write it, if that is known."""
    unit = column.known_unit
    if not unit:
        return column.shown_name
    # A unit that is written behind need not stand in the name.
    name = column.title or column.name.removesuffix(f"_{unit.lower()}") or column.name
    shown = _SIGNS.get(unit, unit)
    return f"{name} (({shown}){power})" if power and "/" in shown else f"{name} ({shown}{power})"


def _is_curve(family: Family) -> bool:
    """Whether the last axis is of numbers, and not of bins."""
    if not family.axes or family.with_role(Role.COORDINATE) is not None:
        return False
    return family.axes[-1].values.dtype.kind in "if" and len(family.axes) > 1


def _item_labels(dataset: Dataset) -> list[str]:
    axes = dataset.axes[: dataset.items]
    return [", ".join(str(a.coordinates[n]) for a, n in zip(axes, i, strict=True)) for i in dataset.indices()]


def _item_words(dataset: Dataset, index: tuple[int, ...]) -> str:
    """An item with the names of its axes: "stimulus 1005"."""
    axes = zip(dataset.axes[: dataset.items], index, strict=True)
    return ", ".join(f"{axis.name} {axis.coordinates[number]}" for axis, number in axes)


def _curve_labels(family: Family) -> list[str]:
    axes = family.axes
    return [str(label) for label in axes[1].coordinates] if len(axes) > 2 else [family.values.quantity]


def labelled_views(manifest: Mapping[str, Any], released: Released) -> Iterator[tuple[OutputViews, str]]:
    """Yield everything that has a picture of its own, with the output it is of."""
    for output in manifest["outputs"]:
        views = OutputViews(released, output)
        for label in views.labels():
            yield views, label
