"""What a population looks like: distributions of features, correlations, and contrasts with intervals; with exact values for private reports only."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from synthrelease.number_words import several, short
from synthrelease.reports.axis_ticks import ticks
from synthrelease.reports.exhibits import Panel, Picture, Plate, Scale, TableCell, TableExhibit
from synthrelease.reports.figure_style import CAPTION_PT, TWO_ABREAST, new_figure
from synthrelease.reports.figures import write_png
from synthrelease.reports.line_names import TEXT_PT, broken
from synthrelease.reports.rasters import data_uri, gradient
from synthrelease.reports.value_axes import SIGNED_COLOURS, draw_matrix, draw_steps

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Numbers = NDArray[np.float64]

EXACT = "exact (private)"
_DRAWN = 24  # features: each has a panel or a row of its own
_NAMED = 24  # features whose names have room next to a matrix
_MATRIX_IN, _NUMBER_IN, _EDGE_IN = 2.4, 0.28, 0.08  # of a matrix, of the numbers below it, and around
_TITLE_IN, _PLOT_IN = 0.24, 0.6  # of a panel: its title, its bars
_BESIDE = 0.08  # between panels, of the width
_LETTER_IN = 0.076  # width of a letter of a name, at most on average
_LISTED = 30  # pairs of features


@dataclass(frozen=True)
class Distribution:
    """The distribution of a feature over the bins of its public range."""

    name: str  # with its unit
    edges: Numbers  # in that unit, shape (bins + 1,)
    released: Numbers  # proportions, shape (bins,)
    exact: Numbers | None = None  # the same of participants


def distributions_plate(distributions: Sequence[Distribution], *, title: str) -> Plate:
    """Return small histograms of features, with the exact ones as lines where they are known."""
    shown = distributions[:_DRAWN]
    rows, words = [], []
    for one in shown:
        fullest = int(one.released.argmax())
        cells = [f"{short(float(one.edges[fullest]), 3)} to {short(float(one.edges[fullest + 1]), 3)}"]
        if one.exact is not None:
            cells.append(short(float(np.abs(one.released - one.exact).sum() / 2), 3))
        rows.append((one.name, tuple(map(TableCell, cells))))
        words.append(f"{one.name} most often {cells[0]}")
    compared = all(one.exact is not None for one in shown)
    head = ("feature", "most frequent bin", *(["total variation distance"] if compared else []))
    alt = f"Histograms of {several(len(shown), 'feature')}: {'; '.join(words)}."
    caption = f"Bars: {'released' if compared else 'proportion of values'}, between the public bounds."
    if compared:
        caption += " Line: exact (private), each participant with the same weight."
    panel = _panel("", _distributions_figure(shown), alt)
    return Plate(
        title, (panel,), f"{caption}{_cut(len(distributions))}", TableExhibit(title, head, tuple(rows))
    )


def correlations_plate(matrices: Mapping[str, Numbers], names: Sequence[str], *, title: str) -> Plate:
    """Return matrices of correlations side by side, all on one scale.

    Args:
        matrices: by what they are of, shape (F, F).
        names: of the features.
        title: above.
    """
    upper = np.triu_indices(len(names), 1)
    first = next(iter(matrices.values()))
    strongest = np.argsort(-np.abs(first[upper]), kind="stable")[:_LISTED]
    pairs = [(int(upper[0][n]), int(upper[1][n])) for n in strongest]
    rows = tuple(
        (
            f"{names[f]}, {names[g]}",
            tuple(TableCell(signed(float(each[f, g]))) for each in matrices.values()),
        )
        for f, g in pairs
    )
    left_out = len(upper[0]) - len(rows)
    note = f"The {len(rows)} strongest; {left_out} more pairs are not listed." if left_out else ""
    panels = []
    for heading, matrix in matrices.items():
        ends = (float(matrix[upper].min()), float(matrix[upper].max())) if len(names) > 1 else (1.0, 1.0)
        alt = f"Matrix of correlations of {several(len(names), 'feature')}, {heading}: from {signed(ends[0])} to {signed(ends[1])}."
        panels.append(_panel(heading, _matrix_figure(matrix, names), alt, scaled=True))
    caption = "Red: both are high together. Blue: one is high where the other is low. Features are numbered in the same order in rows and columns."
    table = TableExhibit(title, ("pair of features", *matrices), rows, note)
    return Plate(title, tuple(panels), caption, table)


def contrasts_table(
    values: Numbers,
    intervals: Numbers,
    *,
    title: str,
    groups: Sequence[str],
    names: Sequence[str],
    exact: Numbers | None = None,
    note: str = "",
) -> TableExhibit:
    """Return differences with their intervals, each drawn on one scale; with the exact ones where they are known.

    Args:
        values: shape (groups, F).
        intervals: lower and upper ends, as far from the value, shape (groups, F, 2).
        title: its caption.
        groups: what differs, by column.
        names: of the features, by row.
        exact: shape (groups, F).
        note: below.
    """
    drawn = values if exact is None else np.concatenate([values, exact])
    # Of intervals that are far longer than values differ only the middle is drawn.
    most = float(min(np.abs(intervals).max(), 3 * max(np.abs(drawn).max(), 0.1)))

    def place(value: float) -> float:
        return round(min(max((value / most + 1) / 2, 0.0), 1.0), 4)

    rows = []
    for f, name in enumerate(names[:_DRAWN]):
        cells = []
        for g in range(len(groups)):
            value, low, high = (float(number) for number in (values[g, f], *intervals[g, f]))
            text = f"{signed(value)} ± {(high - low) / 2:.2f}"
            ring = None
            if exact is not None:
                text, ring = (
                    f"{text}; exact\N{NO-BREAK SPACE}{signed(float(exact[g, f]))}",
                    place(float(exact[g, f])),
                )
            cells.append(TableCell(text, dot=(place(value), place(low), place(high)), ring=ring))
        rows.append((name, tuple(cells)))
    words = [
        f"Each line goes from {signed(-most)} to {signed(most)}, 0 in the middle. Dot: released. Thick line: 95 % interval, cut at the ends."
    ]
    if exact is not None:
        words.append("Ring: exact (private).")
    note = " ".join(filter(None, [*words, note])) + _cut(len(names))
    return TableExhibit(title, ("feature", *groups), tuple(rows), note, is_lead=True)


def _distributions_figure(shown: Sequence[Distribution]) -> Figure:
    across = min(2 if len(shown) <= TWO_ABREAST else 3, len(shown))
    down = -(-len(shown) // across)
    row_in, height_in = _TITLE_IN + _PLOT_IN + _NUMBER_IN, (_TITLE_IN + _PLOT_IN + _NUMBER_IN) * down
    figure = new_figure("", "", height_in=height_in)
    # Placed by hand: a layout that is solved for takes longer than all the drawing.
    figure.set_layout_engine("none")
    width = (1 - _BESIDE) / across
    for number, one in enumerate(shown):
        row, column = divmod(number, across)
        bottom = 1 - (row * row_in + _TITLE_IN + _PLOT_IN) / height_in
        left = _BESIDE / 2 + column * width
        axis = figure.add_axes((left + _BESIDE / 2, bottom, width - _BESIDE, _PLOT_IN / height_in))
        draw_steps(axis, one.edges, one.released, other=one.exact)
        axis.set_yticks([])
        axis.margins(x=0)
        axis.locator_params(axis="x", nbins=10 // across)
        axis.set_title(broken(one.name, 54 // across, lines=1), fontsize=TEXT_PT, parse_math=False)
    return figure


def _matrix_figure(matrix: Numbers, names: Sequence[str]) -> Figure:
    is_named = len(names) <= _NAMED
    every = 1 if is_named else 5
    numbers = range(0, len(names), every)
    labels = [f"{broken(names[n], 20, lines=1)} {n + 1}" if is_named else str(n + 1) for n in numbers]
    # Placed by hand: a layout that is solved for does not know that cells are squares.
    left_in = 0.15 + _LETTER_IN * max(map(len, labels))
    width_in, height_in = left_in + _MATRIX_IN + _EDGE_IN, _EDGE_IN + _MATRIX_IN + _NUMBER_IN
    figure = new_figure("", "", height_in=height_in, width_in=width_in)
    figure.set_layout_engine("none")
    sides = left_in / width_in, _NUMBER_IN / height_in, _MATRIX_IN / width_in, _MATRIX_IN / height_in
    axis = figure.add_axes(sides)
    draw_matrix(axis, matrix, ends=(-1.0, 1.0))
    spaced = range(0, len(names), max(every, -(-len(names) // 12)))
    axis.set_yticks(list(numbers), labels, parse_math=False)
    axis.set_xticks(list(spaced), [str(n + 1) for n in spaced])
    axis.tick_params(length=0, labelsize=CAPTION_PT)
    axis.spines[:].set_visible(False)
    return figure


def _panel(heading: str, figure: Figure, alt: str, *, scaled: bool = False) -> Panel:
    file = io.BytesIO()
    width, height = write_png(figure, file)
    scale = (
        Scale(gradient(SIGNED_COLOURS), "−1", "1", ticks(-1.0, 1.0, signed=True), "correlation")
        if scaled
        else None
    )
    return Panel(heading, (Picture(data_uri(file.getvalue()), width, height, alt),), scale)


def signed(number: float) -> str:
    """Return a number with two decimals and its sign."""
    return f"{round(number, 2) + 0.0:+.2f}".replace("-", "\N{MINUS SIGN}")  # + 0.0: there is no −0


def _cut(features: int) -> str:
    return f" The first {_DRAWN} of {features} features." if features > _DRAWN else ""
