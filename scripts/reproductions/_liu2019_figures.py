"""The pictures of `reproductions/liu2019.py`: they draw what they are given and compute nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

# Okabe & Ito: told apart by people of every colour vision, and by line and mark in print.
STYLES = (
    {"color": "#0072B2", "marker": "o", "linestyle": "-"},
    {"color": "#D55E00", "marker": "s", "linestyle": "--"},
    {"color": "#009E73", "marker": "^", "linestyle": "-"},
    {"color": "#CC79A7", "marker": "D", "linestyle": "-."},
    {"color": "#E69F00", "marker": "v", "linestyle": ":"},
)
NO_DATA = {"color": "0.35", "linestyle": (0, (1, 1.5)), "linewidth": 1.6}

WITHOUT_GRID = {"color": "#CC79A7", "linestyle": "-", "linewidth": 1.8}

Curve = Sequence[tuple[float, float, float]]  # (x, mean, standard deviation)


def draw_sigma(
    surfaces: Mapping[str, tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]],
    slices: Mapping[str, Sequence[tuple[float, float]]],
    path: Path,
) -> None:
    """Figure 2: log₁₀ σ over √r and n, and σ over n at √r = 300."""
    figure = Figure(figsize=(12.5, 5.2), dpi=120)
    axis = figure.add_axes((0.0, 0.05, 0.45, 0.86), projection="3d")
    for style, (label, (root, people, sigma)) in zip(STYLES, surfaces.items(), strict=False):
        axis.plot_surface(
            root, people, np.log10(sigma), color=style["color"], alpha=0.65, linewidth=0, label=label
        )
    ticks = [-2, -1, 0, 1, 2]
    axis.set_zticks(ticks, ["0.01", "0.1", "1", "10", "100"])
    axis.set_xlabel("√r, root of the pixels")
    axis.set_ylabel("n, people")
    axis.set_zlabel("σ, samples per person")
    axis.view_init(elev=22, azim=40)
    axis.legend(loc="upper left", fontsize=9)
    axis.set_title("σ of Theorem 3.4, m = 1", fontsize=11)
    flat = figure.add_axes((0.55, 0.12, 0.43, 0.79))
    for number, (label, points) in enumerate(slices.items()):
        x, y = zip(*points, strict=True)
        style = STYLES[number // 2]
        flat.plot(x, y, color=style["color"], linestyle="-" if number % 2 == 0 else "--", label=label)
    flat.axhline(1.5, color="0.5", linewidth=0.8)
    flat.annotate(
        "the paper's σ = 1.5", (3000, 1.5), xytext=(0, 3), textcoords="offset points", ha="right", fontsize=8
    )
    flat.set_xscale("log")
    flat.set_yscale("log")
    flat.set_xlabel("n, people")
    flat.set_ylabel("σ of the mean map, samples per person and pixel")
    flat.set_title("Slice at √r = 300, m = 1", fontsize=11)
    flat.grid(alpha=0.25, which="both", linewidth=0.5)
    flat.legend(fontsize=8, loc="lower left")
    _save(figure, path)


def draw_caps(curves: Mapping[str, tuple[Sequence[int], Sequence[float], int]], path: Path) -> None:
    """Expected MSE over the cap; a star marks what Algorithm 1 takes."""
    figure = Figure(figsize=(8.2, 5.2), dpi=120, layout="constrained")
    axis = figure.subplots()
    for style, (label, (caps, errors, best)) in zip(STYLES, curves.items(), strict=False):
        axis.plot(
            caps, errors, color=style["color"], linestyle=style["linestyle"], label=f"{label}: m = {best}"
        )
        axis.plot(best, errors[list(caps).index(best)], "*", color=style["color"], markersize=14)
    axis.set_xscale("log")
    axis.set_yscale("log")
    axis.set_xlabel("cap m, samples of a person per pixel")
    axis.set_ylabel("expected MSE, (samples per person and pixel)²")
    axis.set_title("Algorithm 1: noise grows with the cap, what the cap cuts away shrinks", fontsize=11)
    axis.grid(alpha=0.25, which="both", linewidth=0.5)
    figure.legend(loc="outside lower center", fontsize=9, ncols=2)
    _save(figure, path)


def draw_tradeoff(
    cc: Mapping[str, Curve], error: Mapping[str, Curve], *, no_data: float, title: str, path: Path
) -> None:
    """Figure 3: CC and MSE against ε, mean and standard deviation."""
    figure = Figure(figsize=(12, 5), dpi=120, layout="constrained")
    left, right = figure.subplots(1, 2)
    _curves(left, cc)
    _curves(right, error)
    left.axhline(no_data, label="no data: a centred Gaussian", **NO_DATA)
    left.set_ylabel("CC with the noise-free heatmap")
    left.set_ylim(-0.25, 1.05)
    right.set_yscale("log")
    right.set_ylabel("MSE, (samples per person and pixel)²")
    for axis in (left, right):
        axis.set_xlabel("ε")
        axis.grid(alpha=0.25, linewidth=0.5)
    handles, labels = left.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), fontsize=9)
    figure.suptitle(title, fontsize=11)
    _save(figure, path)


def draw_grids(
    panels: Mapping[str, Mapping[str, Curve]],
    *,
    lines: Mapping[str, Mapping[str, float]],
    title: str,
    path: Path,
) -> None:
    """CC against the number of columns of the grid, a panel for each ε; what has no grid as lines."""
    figure = Figure(figsize=(12, 5), dpi=120, layout="constrained")
    axes = figure.subplots(1, len(panels), sharey=True)
    for axis, (name, curves) in zip(axes, panels.items(), strict=True):
        _curves(axis, curves)
        for style, (label, cc) in zip((WITHOUT_GRID, NO_DATA), lines[name].items(), strict=True):
            axis.axhline(cc, label=label, **style)
        axis.set_xscale("log")
        columns = sorted({x for curve in curves.values() for x, _, _ in curve})
        axis.set_xticks(columns, [f"{c:g}×{c * 3 / 4:g}" for c in columns], rotation=45, fontsize=8)
        axis.minorticks_off()
        axis.set_xlabel("grid, columns × rows")
        axis.set_title(name, fontsize=11)
        axis.grid(alpha=0.25, linewidth=0.5)
    axes[0].set_ylabel("CC with the noise-free heatmap of 800×600 px")
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), fontsize=9)
    figure.suptitle(title, fontsize=11)
    _save(figure, path)


def draw_maps(maps: Mapping[str, NDArray[np.float64]], *, title: str, path: Path) -> None:
    """Heatmaps side by side, each scaled to its own maximum; negative cells are drawn as nothing."""
    figure = Figure(figsize=(3.3 * len(maps) + 0.8, 3.0), dpi=120, layout="constrained")
    axes = figure.subplots(1, len(maps))
    for axis, (name, cells) in zip(axes, maps.items(), strict=True):
        shown = np.clip(cells, 0, None) / max(float(cells.max()), 1e-300)
        image = axis.imshow(shown, extent=(0, 800, 600, 0), cmap="inferno", vmin=0, vmax=1)
        axis.set_title(name, fontsize=9)
        axis.set_xticks([0, 800])
        axis.set_yticks([0, 600])
        axis.set_xlabel("px", fontsize=8)
    bar = figure.colorbar(image, ax=axes, shrink=0.75, ticks=[0, 1])
    bar.ax.set_yticklabels(["none", "most"])
    figure.suptitle(title, fontsize=11)
    _save(figure, path)


def _curves(axis: Axes, curves: Mapping[str, Curve]) -> None:
    for style, (name, points) in zip(STYLES, curves.items(), strict=False):
        x, mean, spread = zip(*points, strict=True) if points else ((), (), ())
        axis.errorbar(x, mean, spread, label=name, capsize=3, markersize=5, linewidth=1.4, **style)


def _save(figure: Figure, path: Path) -> None:
    figure.savefig(path, metadata={"Software": None})
