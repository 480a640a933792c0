"""Pictures of what a bundle holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray


def heatmap_figure(
    rows: Mapping[str, Mapping[str, NDArray[np.float64]]],
    *,
    screen_px: tuple[int, int],
    title: str,
    caption: str,
    path: Path,
) -> None:
    """Draw maps as a table of pictures: one row per kind of map, one column per stimulus.

    Each map is scaled to its own maximum; negative cells, which are noise, are drawn as nothing.

    Args:
        rows: maps of shape (rows, columns) by label of the row and stimulus.
        screen_px: (width, height) of the screen.
        title: above everything.
        caption: below everything.
        path: the PNG to write.
    """
    from matplotlib.figure import Figure  # noqa: PLC0415  slow to import

    stimuli: Sequence[str] = list(next(iter(rows.values())))
    width, height = screen_px
    figure = Figure(figsize=(3.7 * len(stimuli) + 1.2, 2.6 * len(rows) + 0.9), dpi=120, layout="constrained")
    axes = figure.subplots(len(rows), len(stimuli), squeeze=False)
    for r, (label, maps) in enumerate(rows.items()):
        for c, stimulus in enumerate(stimuli):
            axis = axes[r][c]
            shown = np.clip(maps[stimulus], 0, None)
            image = axis.imshow(
                shown / max(float(shown.max()), 1e-300),
                extent=(0, width, height, 0),
                cmap="inferno",
                interpolation="bicubic",
                vmin=0,
                vmax=1,
            )
            axis.set_xticks([0, width])
            axis.set_yticks([0, height])
            if r == 0:
                axis.set_title(f"image {stimulus}", fontsize=11)
            if c == 0:
                axis.set_ylabel(label, fontsize=11)
            if r == len(rows) - 1:
                axis.set_xlabel("px", fontsize=9)
    bar = figure.colorbar(image, ax=axes, shrink=0.7, ticks=[0, 1])
    bar.ax.set_yticklabels(["none", "most"])
    bar.set_label("attention")
    figure.suptitle(title, fontsize=13)
    figure.supxlabel(caption, fontsize=9)
    figure.savefig(path, metadata={"Software": None})
