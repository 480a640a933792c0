"""What of an output can be drawn on axes, a `Drawing` for each picture, by axes and roles of its datasets, as reports show it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from synthrelease.errors import ArgumentError
from synthrelease.kinds.dataset import Role
from synthrelease.number_words import short
from synthrelease.reports.families import Family, dataset_name
from synthrelease.reports.figures import shown_frames
from synthrelease.reports.line_names import broken
from synthrelease.reports.look import Look, Range
from synthrelease.reports.map_axes import draw_colour_bar, draw_contours, draw_map
from synthrelease.reports.plates import colourings
from synthrelease.reports.population_panels import PopulationPanels
from synthrelease.reports.rasters import OPACITY
from synthrelease.reports.scanpath_plates import draw_scanpath
from synthrelease.reports.signal_figures import OVERLAID, draw_curves
from synthrelease.reports.tabular_drawings import (
    Where,
    draw_categories,
    draw_contrast,
    draw_correlations,
    draw_distribution,
    draw_features,
    draw_item,
    draw_single,
)
from synthrelease.reports.views import CurveView, MapView, OutputViews

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_FEW = 4  # scanpaths of a stimulus, series, records
DATASET = "dataset"  # the name by which datasets are chosen, as labels are by the names of axes


@dataclass(frozen=True)
class Manner:
    """How pictures are to be drawn."""

    where: Where = field(default_factory=dict)  # labels that are chosen, by the names of axes
    image: Callable[[str], NDArray[np.uint8] | None] = lambda _stimulus: None  # what lies under a map
    opacity: float = OPACITY
    contours: bool = False
    uncertainty: bool = False  # whether maps are of the ± of each place


@dataclass(frozen=True)
class Drawing:
    """A picture of an output."""

    title: str
    shows: Mapping[str, Sequence[str]]  # labels that are in it, by the names of axes
    draw: Callable[[Axes, Look], None]
    ranges: Callable[[], Iterable[tuple[str, Range]]] = tuple  # of its colours, as `look.joined` takes them


def drawings_of(views: OutputViews, manner: Manner) -> Iterator[Drawing]:
    """Yield all pictures of an output that there are under some labels; values are read as they are drawn."""
    tables = views.families.tables
    for family in tables:
        if family.values.present:
            yield from _scanpaths(views, family, manner)
    for family in views.maps:
        yield from _maps(views, family, manner)
    for family in views.curves:
        yield from _curves(views, family, manner)
    population = PopulationPanels(views)
    yield from _of_population(views, population)
    yield from _of_values(
        views, [family for family in views.tabular if family not in population.families], manner
    )
    for family in tables:
        if not family.values.present:
            yield from _records(views, family)
    for dataset in views.families.records:
        if dataset.codes is not None:
            name = dataset_name(dataset)
            shows = {DATASET: [dataset.path], "attribute": [name]}
            yield Drawing(views.shown_name(name), shows, partial(draw_categories, views, dataset))


def _of_values(views: OutputViews, families: Sequence[Family], manner: Manner) -> Iterator[Drawing]:
    single = [family for family in families if len(family.axes) == family.values.items]
    yield from _singles(views, single, manner)
    for family in families:
        if family not in single:
            for index in family.values.indices():
                shows = _shows(family, index)
                is_binned = (
                    family.with_role(Role.COORDINATE) is not None
                )  # what it is called says which statistic
                yield Drawing(
                    "" if is_binned else _title(shows), shows, partial(draw_item, views, family, index)
                )


def _shows(family: Family, index: tuple[int, ...]) -> dict[str, Sequence[str]]:
    axes = zip(family.values.axes, index, strict=False)
    return {DATASET: [family.values.path], **{axis.name: [str(axis.coordinates[n])] for axis, n in axes}}


def _title(shows: Mapping[str, Sequence[str]]) -> str:
    return ", ".join(f"{name} {labels[0]}" for name, labels in shows.items() if name != DATASET)


def _maps(views: OutputViews, family: Family, manner: Manner) -> Iterator[Drawing]:
    for number, index in enumerate(family.values.indices()):
        shows = _shows(family, index)
        view = cache(partial(views.map_view, family, number, str(shows[family.axes[0].name][0])))
        time = next((axis for axis in family.axes if axis.name == "time"), None)
        frames: Sequence[int | None] = [None]
        if time is not None:
            given = manner.where.get("time")
            frames = shown_frames(len(time)) if given is None else [_nearest(time.values, given)]
        for frame in frames:
            at, of_frame = "", {}
            if time is not None and frame is not None:
                words = f"{short(float(time.values[frame]))} {time.unit}".strip()
                # The frame that is nearest to a time that is asked for is the answer to it.
                at, of_frame = f", t = {words}", {"time": [str(manner.where.get("time", words))]}
            draw = partial(_draw_map, view, frame, manner)
            yield Drawing(_title(shows) + at, shows | of_frame, draw, partial(_ranges, view, manner))


def _nearest(places: NDArray[np.float64], given: object) -> int:
    try:
        wanted = float(str(given))
    except ValueError:
        wanted = float("nan")
    if not np.isfinite(wanted):
        raise ArgumentError(
            "no-such-time",
            "there is no such time",
            where="plot().time",
            expected="a number of the time axis",
            remedy="write a number: the frame next to it is drawn",
        )
    return int(np.abs(places - wanted).argmin())


def _ranges(view: Callable[[], MapView], manner: Manner) -> Iterator[tuple[str, Range]]:
    values, spread = colourings(view())
    shown = spread if manner.uncertainty else values
    if shown is not None:
        yield shown.unit, shown.own


def _draw_map(
    view_of: Callable[[], MapView], frame: int | None, manner: Manner, axis: Axes, look: Look
) -> None:
    view = view_of()
    values, spread = colourings(view)
    cells, colouring = (view.half_width, spread) if manner.uncertainty else (view.cells, values)
    if cells is None or colouring is None:
        raise ArgumentError(
            "no-uncertainty",
            "the uncertainty of this map is not known",
            where="plot().uncertainty",
            remedy="leave it out",
        )
    shown = cells if frame is None else cells[frame]
    ends, screen = look.range_of(colouring.unit, colouring.own), view.legend.screen
    stimulus = None if manner.uncertainty else manner.image(view.label)
    image = draw_map(
        axis,
        shown,
        screen,
        ends=ends,
        colours=colouring.colours,
        stimulus=stimulus,
        opacity=manner.opacity,
    )
    if manner.contours:
        draw_contours(axis, shown, screen, ends=ends, colours=colouring.colours)
    _in_pixels(axis)
    draw_colour_bar(axis, image, colouring.unit)


def _in_pixels(axis: Axes) -> None:
    axis.set(xlabel="x (px)", ylabel="y (px)")


def _scanpaths(views: OutputViews, family: Family, manner: Manner) -> Iterator[Drawing]:
    stimuli, paths = family.values.axes[:2]
    labels = [str(label) for label in paths.coordinates]
    given = str(manner.where.get(paths.name, ""))
    chosen = [labels.index(given)] if given in labels else list(range(min(_FEW, len(labels))))
    for number, stimulus in enumerate(map(str, stimuli.coordinates)):
        item = cache(partial(views.released.item, views.name, family.values.path, (number,)))
        for path in chosen:
            shows = {DATASET: [family.values.path], stimuli.name: [stimulus], paths.name: [labels[path]]}
            # The circles of those that are drawn together are on one scale.
            read = partial(_scanpath, item, path, chosen)
            yield Drawing(_title(shows), shows, partial(_draw_scanpath, views, read, stimulus, manner))


def _scanpath(
    item: Callable[[], NDArray[np.float64]], path: int, together: Sequence[int]
) -> tuple[NDArray[np.float64], float]:
    """The fixations of a scanpath, and the longest of several."""
    values = item().astype(np.float64)
    fixations = values[path]
    return fixations[fixations[:, 3] > 0], max(float(values[list(together)][..., 3].max()), 1.0)


def _draw_scanpath(
    views: OutputViews,
    read: Callable[[], tuple[NDArray[np.float64], float]],
    stimulus: str,
    manner: Manner,
    axis: Axes,
    _look: Look,
) -> None:
    assert views.parameters.map_scale is not None
    fixations, longest = read()
    screen = views.parameters.map_scale[0]
    draw_scanpath(axis, fixations, screen, longest=longest, stimulus=manner.image(stimulus))
    axis.set_aspect("equal")
    _in_pixels(axis)


def _curves(views: OutputViews, family: Family, manner: Manner) -> Iterator[Drawing]:
    first, last = family.axes[0], family.axes[-1]
    if any(axis.name == "series" for axis in family.axes):
        index = (0,) * family.values.items
        yield Drawing(
            _title(_shows(family, index)),
            _shows(family, index),
            partial(_draw_curves, cache(partial(views.first_series, family, _FEW)), ""),
        )
        return
    names = [str(name) for name in first.coordinates]
    between = family.axes[1] if len(family.axes) > 2 else None
    given = manner.where.get(first.name)
    apart = len(names) > OVERLAID or given is not None
    for number, label in enumerate([""] if between is None else map(str, between.coordinates)):
        of_label = {} if between is None else {between.name: [label]}
        view = cache(partial(views.curve_view, family, number, label or family.values.quantity))
        for name in names if apart else [""]:
            shows = {DATASET: [family.values.path], first.name: [name] if apart else names, **of_label}
            title = ", ".join(filter(None, [views.shown_name(label) if label else "", name]))
            yield Drawing(
                title or f"{family.values.quantity} by {last.name}",
                shows,
                partial(_draw_curves, view, name),
            )


def _draw_curves(view_of: Callable[[], CurveView], name: str, axis: Axes, _look: Look) -> None:
    view = view_of()
    curves = {name: view.curves[name]} if name in view.curves else dict(view.curves)
    lines = draw_curves(axis, curves, x=view.x, labels=(view.x_label, view.y_label))
    if view.x.dtype.kind == "i":
        axis.locator_params(axis="x", integer=True)  # there is nothing between steps
    if len(curves) > 1:
        axis.legend(list(lines.values()), [broken(one, 30, lines=2) for one in lines], fontsize=8)


def _records(views: OutputViews, family: Family) -> Iterator[Drawing]:
    columns = family.values.axes[-1]
    for number, label in enumerate(map(str, columns.coordinates)):
        view = cache(partial(views.first_records, family, number, _FEW))
        shows = {DATASET: [family.values.path], columns.name: [label]}
        yield Drawing(
            f"{views.shown_name(label)} of synthetic records", shows, partial(_draw_curves, view, "")
        )


def _of_population(views: OutputViews, population: PopulationPanels) -> Iterator[Drawing]:
    for family in population.of_contrasts:
        groups, features = family.axes
        for number, group in enumerate(map(str, groups.coordinates)):
            shows = {DATASET: [family.values.path], groups.name: [group]}
            yield Drawing(group, shows, partial(draw_contrast, views, family, number))
    for family in population.of_distributions:
        features = family.axes[0]
        for number, label in enumerate(map(str, features.coordinates)):
            shows = {DATASET: [family.values.path], features.name: [label]}
            yield Drawing(views.shown_name(label), shows, partial(draw_distribution, views, family, number))
    for family in population.of_correlations:
        yield Drawing(
            family.values.quantity,
            {DATASET: [family.values.path]},
            partial(draw_correlations, views, family),
        )
    for family in (*population.of_features, *population.of_groups):
        shown = {DATASET: [family.values.path]}
        yield Drawing(family.values.quantity, shown, partial(draw_features, views, family))


def _singles(views: OutputViews, families: Sequence[Family], manner: Manner) -> Iterator[Drawing]:
    """Single numbers, those of one feature on one scale together."""
    together: dict[tuple[str, str], list[Family]] = {}
    for family in families:
        labels = family.axes[-1].coordinates if family.axes else [views.name]
        for label in map(str, labels):
            unit = views.scale_name(label, family.values.quantity)
            together.setdefault((label, unit), []).append(family)
    for (label, unit), members in together.items():
        shows: dict[str, Sequence[str]] = {DATASET: [family.values.path for family in members]}
        for axis in members[0].axes[:-1]:
            shows[axis.name] = [str(one) for one in axis.coordinates]
        if members[0].axes:
            shows[members[0].axes[-1].name] = [label]
        title = views.shown_name(label)
        yield Drawing(
            title, shows, partial(draw_single, views, members, label=label, unit=unit, where=manner.where)
        )
