"""The pictures of `reproductions/bozkir2021.py`: they draw what they are given and compute nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

# Okabe & Ito: told apart by people of every colour vision, and by line or mark in print.
COLOURS = {"#0072B2": "o", "#D55E00": "s", "#009E73": "^", "#CC79A7": "D", "#E69F00": "v"}
LINES = ("-", "--", "-.", (0, (1, 1)), (0, (5, 1, 1, 1, 1, 1)))
STYLES = tuple(
    {"color": colour, "marker": mark, "markersize": 5, "linewidth": 1.4} for colour, mark in COLOURS.items()
)
DASHED = {"linestyle": "--", "markerfacecolor": "none", "markersize": 8}
BESIDE = {"color": "0.45", "linestyle": (0, (1, 1.5)), "linewidth": 1.6}
CHANCE = {"color": "0.6", "linestyle": "--", "linewidth": 1.2}

Curve = Sequence[tuple[float, float]]  # (x, y)


def draw_worth(
    measures: Mapping[str, Mapping[str, Curve]],
    columns: Mapping[str, Sequence[str]],
    *,
    dashed: Sequence[str],
    beside: str,
    title: str,
    path: Path,
) -> None:
    """Figures 7 to 9: a row for each measure, a column for each family of ways; one way is drawn in all, for comparison."""
    figure = Figure(figsize=(12, 3.1 * len(measures) + 1), dpi=120, layout="constrained")
    axes = figure.subplots(len(measures), len(columns), sharex=True, sharey="row", squeeze=False)
    for axis, family in zip(axes[0], columns, strict=True):
        axis.set_title(family, fontsize=11)
    for row, (measure, curves) in zip(axes, measures.items(), strict=True):
        for axis, names in zip(row, columns.values(), strict=True):
            solid = [name for name in names if name not in dashed]
            for number, name in enumerate([*solid, *(name for name in names if name in dashed)]):
                style = STYLES[number % len(solid)] | (DASHED if name in dashed else {})
                axis.plot(*zip(*curves[name], strict=True), label=name, **style)
            if beside not in names:
                axis.plot(*zip(*curves[beside], strict=True), label=beside, **BESIDE)
            _epsilons(axis, curves[beside])
            axis.set_yscale("log")
            axis.label_outer()
        row[0].set_ylabel(measure)
    for axis in axes[-1]:
        axis.legend(fontsize=8, loc="upper right")
    figure.suptitle(title, fontsize=11)
    _save(figure, path)


def draw_correlations(
    panels: Mapping[str, Mapping[str, Curve]], *, band: float, title: str, path: Path
) -> None:
    """Figures 3 to 6: correlation across people against the time difference; ± `band` is what chance gives."""
    figure = Figure(figsize=(12, 7.4), dpi=120, layout="constrained")
    axes = figure.subplots(2, len(panels) // 2, sharex=True, sharey="row", squeeze=False)
    for axis, (name, curves) in zip(axes.ravel(), panels.items(), strict=True):
        for colour, line, (recording, points) in zip(COLOURS, LINES, curves.items(), strict=False):
            x, y = zip(*points, strict=True) if points else ((), ())
            axis.plot(x, y, label=recording, color=colour, linestyle=line, linewidth=1.3)
        axis.axhline(0, color="0.4", linewidth=0.8)
        axis.axhspan(-band, band, color="0.92", zorder=0, label="19 of 20 by chance")
        axis.set_title(name, fontsize=11)
        axis.grid(alpha=0.25, linewidth=0.5)
    for axis in axes[-1]:
        axis.set_xlabel("Δt, windows after the fifth")
    for row in axes:
        row[0].set_ylabel("correlation across people")
    handles, labels = axes[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), fontsize=9)
    figure.suptitle(title, fontsize=11)
    _save(figure, path)


def draw_told(
    panels: Mapping[str, Mapping[str, Curve]],
    lines: Mapping[str, tuple[float, float]],
    *,
    dashed: Mapping[str, str],
    title: str,
    path: Path,
) -> None:
    """Accuracy against ε, a panel for each question; raw data and chance as lines; `dashed` in the colour of another."""
    figure = Figure(figsize=(13, 5.4), dpi=120, layout="constrained")
    axes = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
    for axis, (question, curves) in zip(axes, panels.items(), strict=True):
        raw, chance = lines[question]
        axis.axhline(raw, label="raw data", **BESIDE)
        axis.axhline(chance, label="chance", **CHANCE)
        styles = dict(zip((name for name in curves if name not in dashed), STYLES, strict=False))
        for name, points in curves.items():
            style = styles[dashed.get(name, name)] | (DASHED if name in dashed else {})
            axis.plot(*zip(*points, strict=True), label=name, **style)
        axis.set_title(question, fontsize=10)
        _epsilons(axis, next(iter(curves.values())))
        axis.set_ylim(-0.03, 1.05)
    axes[0].set_ylabel("accuracy, random forest, majority vote")
    handles, labels = axes[0].get_legend_handles_labels()
    columns = len(labels) if len(labels) <= 6 else -(-len(labels) // 2)
    figure.legend(handles, labels, loc="outside lower center", ncols=columns, fontsize=9)
    figure.suptitle(title, fontsize=11)
    _save(figure, path)


def _epsilons(axis: Axes, curve: Curve) -> None:
    axis.set_xscale("log")
    axis.set_xticks([x for x, _ in curve], [f"{x:g}" for x, _ in curve])
    axis.minorticks_off()
    axis.set_xlabel("ε per feature")
    axis.grid(alpha=0.25, linewidth=0.5)


def _save(figure: Figure, path: Path) -> None:
    figure.savefig(path, metadata={"Software": None})
