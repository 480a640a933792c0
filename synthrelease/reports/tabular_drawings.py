"""Numbers of an output on axes: each function draws what `tabular_views` reads, or a family of a population."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from synthrelease.kinds.dataset import Dataset, Role
from synthrelease.reports.families import Family
from synthrelease.reports.look import Look
from synthrelease.reports.map_axes import draw_colour_bar
from synthrelease.reports.tabular_views import (
    bars_view,
    categories_view,
    histogram_view,
    matrix_view,
    single_values,
)
from synthrelease.reports.value_axes import (
    draw_bars,
    draw_histogram,
    draw_matrix,
    draw_points,
    draw_steps,
    name_places,
)
from synthrelease.reports.views import OutputViews

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Where = Mapping[str, object]
_CORRELATIONS = (-1.0, 1.0)


def draw_item(views: OutputViews, family: Family, index: tuple[int, ...], axis: Axes, _look: Look) -> None:
    """Draw an item of values: bins as steps, one axis as bars, several as a matrix."""
    if family.with_role(Role.COORDINATE) is not None:
        view = histogram_view(views, family, index)
        draw_histogram(axis, view.edges, view.values, view.ends)
        axis.set(xlabel=view.label, ylabel=view.quantity, title=view.title)
    elif len(family.axes) - family.values.items == 1:
        bars = bars_view(views, family, index)
        width = None if bars.half_width is None else np.broadcast_to(bars.half_width, bars.values.shape)
        draw_bars(axis, [str(label) for label in bars.axis.coordinates], bars.values, width)
        axis.set(xlabel=bars.quantity, ylabel=bars.axis.name)
    else:
        matrix = matrix_view(views, family, index)
        values = matrix.values.astype(np.float64)
        if matrix.is_square:
            np.fill_diagonal(values, np.nan)  # no move is from an area to itself
        _draw_named(axis, values, (0.0, float(np.nanmax(values))), matrix.quantity)
        name_places(axis, _texts(matrix.rows.coordinates), _texts(matrix.columns.coordinates))
        axis.set(ylabel=_words(matrix.rows.name), xlabel=_words(matrix.columns.name))


def draw_single(
    views: OutputViews,
    families: Sequence[Family],
    axis: Axes,
    _look: Look,
    *,
    label: str,
    unit: str,
    where: Where,
) -> None:
    """Draw the numbers of a feature, each with its interval: those of the chosen datasets and groups."""
    shown = []
    for family in families:
        names = [one.name for one in family.axes]
        chosen = {name: str(value) for name, value in where.items() if name in names}
        if str(where.get("dataset", family.values.path)) == family.values.path:
            shown += [
                one
                for one in single_values(views, family)
                if (one.labels or (label,))[-1] == label
                and all(one.labels[names.index(name)] == value for name, value in chosen.items())
            ]
    rows = [", ".join([one.statistic or one.quantity, *one.labels[:-1]]) for one in shown]
    ends = np.array([one.ends or (np.nan, np.nan) for one in shown])
    draw_points(axis, rows, np.array([one.value for one in shown]), None if np.isnan(ends).all() else ends)
    axis.set_xlabel(unit)


def draw_categories(views: OutputViews, dataset: Dataset, axis: Axes, _look: Look) -> None:
    """Draw how the categories of an attribute are distributed over the records."""
    view = categories_view(views, dataset)
    if view.edges is None:
        draw_bars(axis, view.names, view.counts.astype(np.float64), None)
        axis.set(xlabel="records", ylabel=view.label)
    else:
        draw_steps(axis, view.edges, view.counts[: view.bins].astype(np.float64))
        axis.set(xlabel=view.label, ylabel="records")


def draw_contrast(views: OutputViews, family: Family, number: int, axis: Axes, _look: Look) -> None:
    """Draw the differences of a group, with their intervals."""
    interval = family.with_role(Role.INTERVAL)
    assert interval is not None
    values, ends = (
        views.released.array(views.name, dataset.path)[number] for dataset in (family.values, interval)
    )
    axis.axvline(0, color="gray", linewidth=0.8)
    draw_points(axis, _features(views, family, 1), values, ends)
    axis.set_xlabel(family.values.quantity)


def draw_distribution(views: OutputViews, family: Family, number: int, axis: Axes, _look: Look) -> None:
    """Draw the distribution of a feature over the bins of its public range."""
    coordinate = family.with_role(Role.COORDINATE)
    assert coordinate is not None
    values = views.released.array(views.name, family.values.path)[number]
    ends = views.released.array(views.name, coordinate.path)[number]
    draw_steps(axis, np.append(ends[:, 0], ends[-1, 1]), values)
    axis.set(xlabel=views.with_unit(str(family.axes[0].coordinates[number])), ylabel=family.values.quantity)


def draw_correlations(views: OutputViews, family: Family, axis: Axes, _look: Look) -> None:
    """Draw a matrix of correlations."""
    names = _features(views, family, 0)
    values = views.released.array(views.name, family.values.path)
    _draw_named(axis, values, _CORRELATIONS, "correlation")
    name_places(axis, names, names)


def draw_features(views: OutputViews, family: Family, axis: Axes, _look: Look) -> None:
    """Draw a number for each feature, or for each feature in each group."""
    values = views.released.array(views.name, family.values.path)
    if values.ndim == 1:
        draw_points(axis, _features(views, family, 0), values, None)
        axis.set_xlabel(family.values.quantity)
        return
    most = max(float(np.abs(values).max()), 1e-300)
    _draw_named(axis, values, (-most, most), family.values.quantity)
    name_places(axis, _texts(family.axes[0].coordinates), _features(views, family, 1))


def _draw_named(axis: Axes, values: np.ndarray, ends: tuple[float, float], quantity: str) -> None:
    image = draw_matrix(axis, values, ends=ends)
    draw_colour_bar(axis, image, quantity)


def _features(views: OutputViews, family: Family, axis: int) -> list[str]:
    return [views.shown_name(label) for label in _texts(family.axes[axis].coordinates)]


def _texts(coordinates: object) -> list[str]:
    assert isinstance(coordinates, Sequence | np.ndarray)
    return [str(label) for label in coordinates]


def _words(name: str) -> str:
    return name.replace("_", " ")
