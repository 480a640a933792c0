"""Figures of signals and of their utility, with names next to the ends of their lines."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from synthrelease.reports.figure_style import COLOURS, TWO_ABREAST, new_figure, plain
from synthrelease.reports.line_names import TEXT_PT, broken, name_ends

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

Numbers = NDArray[np.float64]

_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
_DASHES = ("-", "--", "-.", ":")
OVERLAID = 4  # more bands than that on one pair of axes mix their colours
_NUMBERED = 6  # values of ε that all have room for their number
_DECADES = 100.0  # what differs by more than so many times is drawn in logarithms
_EDGE = 0.2  # of the axes: what is named there has no room on one side


def signals_figure(
    curves: Mapping[str, tuple[ArrayLike, ArrayLike]],
    *,
    x: ArrayLike,
    title: str,
    y_label: str,
    x_label: str,
    caption: str | None = "",
    truth: Mapping[str, ArrayLike] | None = None,
) -> Figure:
    """Draw released signals with their ± as a band: up to four on one pair of axes, more in panels on one scale.

    With exact signals each has a panel of its own, however few they are: readers could not match the lines.

    Args:
        curves: by label of the recording, values and their ± (95 %), shape (n,) each.
        x: times or numbers of the samples, shape (n,).
        title: above; "" for none.
        y_label: what is drawn, with its unit.
        x_label: what `x` is, with its unit.
        caption: below, after what the band is; None for no words at all, where a page has them.
        truth: by the same labels, the exact signal, shape (n,), dashed. For private reports only.

    Raises:
        ValueError: nothing to draw, a curve is not of the length of `x`, or `truth` has a label that `curves` has not.
    """
    steps = _checked("x", x)
    drawn = {
        name: (_checked(name, values, len(steps)), _checked(name, band, len(steps)))
        for name, (values, band) in curves.items()
    }
    truths = {name: _checked(name, values, len(steps)) for name, values in (truth or {}).items()}
    if not drawn or not truths.keys() <= drawn.keys():
        raise ValueError(
            f"Expected signals to draw, and truths of them, found {list(drawn)} and {list(truths)}"
        )
    explanation = "Band: ± (95 %)." + (" Dashed: exact (private)." if truths else "")
    caption = "" if caption is None else f"{explanation}\n{caption}" if caption else explanation
    if len(drawn) > (1 if truths else OVERLAID):
        return _panels(drawn, truths, steps, title=title, caption=caption, labels=(x_label, y_label))
    figure = new_figure(title, caption, height_in=3.6)
    axis = figure.subplots()
    lines = draw_curves(axis, drawn, x=steps, labels=(x_label, y_label), truth=truths)
    name_ends(figure, axis, lines)
    return figure


def draw_curves(
    axis: Axes,
    curves: Mapping[str, tuple[Numbers, Numbers]],
    *,
    x: Numbers,
    labels: tuple[str, str],
    truth: Mapping[str, Numbers] | None = None,
) -> dict[str, Line2D]:
    """Draw curves with their ± as bands, in colours of their own, and return their lines.

    Args:
        axis: to draw on.
        curves: by name, values and their ± (95 %), shape (n,) each.
        x: shape (n,).
        labels: of both axes.
        truth: exact curves by the same names, dashed.
    """
    axis.set_xlabel(labels[0], fontsize=TEXT_PT, parse_math=False)
    axis.set_ylabel(labels[1], fontsize=TEXT_PT, parse_math=False)
    return {
        name: _draw(axis, x, curve, (truth or {}).get(name), COLOURS[number % len(COLOURS)])
        for number, (name, curve) in enumerate(curves.items())
    }


def utility_figure(
    lines: Mapping[str, ArrayLike], *, epsilons: ArrayLike, title: str, y_label: str, caption: str = ""
) -> Figure:
    """Draw utility against ε, both in logarithms, one line and one marker for each mechanism.

    What is not a finite number above 0 has no place on the axes, and is left out.

    Args:
        lines: by mechanism, its utility at each ε, shape (E,).
        epsilons: ε > 0, shape (E,).
        title: above.
        y_label: which utility, of what.
        caption: below.

    Raises:
        ValueError: nothing to draw, a line is not of the length of `epsilons`, or an ε is not a finite number above 0.
    """
    spent = _checked_epsilons(epsilons)
    figure = new_figure(title, caption, height_in=3.8)
    axis = figure.subplots()
    axis.set_yscale("log")
    ends = {}
    for i, (name, values) in enumerate(_checked_lines(lines, len(spent)).items()):
        shown = np.where(np.isfinite(values) & (values > 0), values, np.nan)
        marker = _MARKERS[i % len(_MARKERS)]
        ends[name] = axis.plot(spent, shown, linewidth=1.3, marker=marker, markersize=5, **_style(i))[0]
    plain(axis)
    _number_epsilons(axis, spent)
    axis.set_ylabel(y_label, fontsize=TEXT_PT, parse_math=False)
    name_ends(figure, axis, ends)
    return figure


def trade_figure(
    drawn: Sequence[ArrayLike],
    *,
    epsilons: ArrayLike,
    released_epsilon: float,
    y_label: str,
    without_data: tuple[str, float] | None = None,
) -> Figure:
    """Draw what fresh releases score against the logarithm of ε: each as a dot, their mean as a line.

    The scores are drawn in logarithms, too, where all are above 0 and they differ by more than a hundred times. What is no finite
    number is left out.

    Args:
        drawn: scores of the releases at each ε, shape (n,) each.
        epsilons: ε > 0, increasing, shape (E,).
        released_epsilon: the ε that is marked, unless it is not a finite number above 0.
        y_label: what they score.
        without_data: how to do without data, and what that scores.

    Raises:
        ValueError: nothing to draw, not as many ε as scores, or an ε is not a finite number above 0.
    """
    spent = _checked_epsilons(epsilons, len(drawn))
    scores = [values[np.isfinite(values)] for values in (_checked("drawn", values) for values in drawn)]
    baseline = without_data if without_data is not None and math.isfinite(without_data[1]) else None
    drawn_scores = np.concatenate([*scores, [baseline[1]] if baseline is not None else []])
    figure = new_figure("", "", height_in=3.4)
    axis = figure.subplots()
    axis.set_xscale("log")  # before anything is placed on it
    if drawn_scores.size and drawn_scores.min() > 0 and drawn_scores.max() > _DECADES * drawn_scores.min():
        axis.set_yscale("log")
    dots: dict[str, Any] = {"alpha": 0.45, "markersize": 4.5, "markeredgewidth": 0}
    for epsilon, values in zip(spent.tolist(), scores, strict=True):
        axis.plot([epsilon] * len(values), values, "o", color=COLOURS[0], **dots)
    means = [values.mean() if len(values) else np.nan for values in scores]
    ends = {"mean of fresh releases": axis.plot(spent, means, color=COLOURS[0], linewidth=1.5)[0]}
    marked = math.isfinite(released_epsilon) and released_epsilon > 0
    if baseline is not None:
        reach = [*spent.tolist(), released_epsilon] if marked else spent.tolist()
        across, level = [min(reach), max(reach)], [baseline[1]] * 2
        name = baseline[0]
        ends[name] = axis.plot(across, level, color=COLOURS[1], linewidth=1.3, linestyle="--")[0]
    if marked:
        _mark_epsilon(axis, released_epsilon)
    plain(axis)
    _number_epsilons(axis, spent)
    axis.set_ylabel(broken(y_label, 40, lines=2), fontsize=TEXT_PT, parse_math=False)
    name_ends(figure, axis, ends)
    return figure


def _mark_epsilon(axis: Axes, epsilon: float) -> None:
    """An upright line, and its ε above the axes, so that it hides nothing."""
    axis.axvline(epsilon, color=COLOURS[6], linewidth=1.1, linestyle=":")
    # At an end of the axes the words would be cut off, were they in the middle of their line.
    place = axis.transData.transform((epsilon, axis.get_ylim()[0]))
    fraction = float(axis.transAxes.inverted().transform(place)[0])
    side = "left" if fraction < _EDGE else "right" if fraction > 1 - _EDGE else "center"
    axis.annotate(
        f"this release: ε = {epsilon:.3g}",
        xy=(epsilon, 1.02),
        xycoords=axis.get_xaxis_transform(),
        ha=side,
        va="bottom",
        fontsize=TEXT_PT,
    )


def _panels(
    drawn: Mapping[str, tuple[Numbers, Numbers]],
    truths: Mapping[str, Numbers],
    steps: Numbers,
    *,
    title: str,
    caption: str,
    labels: tuple[str, str],
) -> Figure:
    """One pair of axes for each signal, all on one scale."""
    across = 2 if len(drawn) <= TWO_ABREAST else 3
    down = -(-len(drawn) // across)
    figure = new_figure(title, f"{labels[0]}\n\n{caption}".strip(), height_in=1.2 + 1.1 * down)
    figure.supylabel(labels[1], fontsize=TEXT_PT, parse_math=False)
    axes = figure.subplots(down, across, squeeze=False, sharex=True, sharey=True).ravel()
    for axis, (name, signal) in zip(axes, drawn.items(), strict=False):
        _draw(axis, steps, signal, truths.get(name), COLOURS[0])
        axis.set_title(broken(name, 54 // across, lines=2), fontsize=TEXT_PT, parse_math=False)
    for axis in axes[len(drawn) :]:
        axis.set_visible(False)
    for axis in axes[len(drawn) - across : len(drawn)]:
        axis.tick_params(labelbottom=True)
    return figure


def _draw(
    axis: Axes, steps: Numbers, signal: tuple[Numbers, Numbers], truth: Numbers | None, colour: str
) -> Line2D:
    """A released signal with its band, and the exact one in a darker shade."""
    from matplotlib.colors import to_rgb  # noqa: PLC0415  slow to import

    values, band = signal
    axis.fill_between(steps, values - band, values + band, color=colour, alpha=0.2, linewidth=0)
    if truth is not None:
        dark = tuple(0.45 * part for part in to_rgb(colour))
        axis.plot(steps, truth, color=dark, linewidth=0.9, linestyle="--")
    plain(axis)
    axis.margins(x=0)
    return axis.plot(steps, values, color=colour, linewidth=1.3)[0]


def _style(i: int) -> dict[str, Any]:
    """Of the i-th line; after eight the colours come again, broken."""
    return {"color": COLOURS[i % len(COLOURS)], "linestyle": _DASHES[i // len(COLOURS) % len(_DASHES)]}


def _number_epsilons(axis: Axes, epsilons: Numbers) -> None:
    """A logarithmic axis, with the number of every ε where all have room."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter, NullLocator  # noqa: PLC0415  slow to import

    axis.set_xscale("log")
    if len(epsilons) <= _NUMBERED:
        axis.xaxis.set_major_locator(FixedLocator(epsilons.tolist()))
        axis.xaxis.set_minor_locator(NullLocator())
    axis.xaxis.set_minor_formatter(NullFormatter())
    axis.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.3g}"))
    axis.set_xlabel("ε", fontsize=TEXT_PT)


def _checked_epsilons(epsilons: ArrayLike, length: int | None = None) -> Numbers:
    checked = _checked("epsilons", epsilons, length)
    if not (np.isfinite(checked) & (checked > 0)).all():
        raise ValueError(f"Expected epsilons > 0 and finite, found {checked.tolist()}")
    return checked


def _checked_lines(lines: Mapping[str, ArrayLike], length: int) -> dict[str, Numbers]:
    if not lines:
        raise ValueError("Expected lines to draw, found none")
    return {name: _checked(name, values, length) for name, values in lines.items()}


def _checked(name: str, values: ArrayLike, length: int | None = None) -> Numbers:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1 or not array.size or length not in (None, len(array)):
        raise ValueError(f"Expected {name} of shape ({length or 'n'},), found {array.shape}")
    return array
