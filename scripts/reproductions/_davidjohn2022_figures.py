"""The pictures of `reproductions/davidjohn2022.py`: they draw what they are given and compute nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from matplotlib.figure import Figure

from synthrelease.evaluation.attacks.intervals import Rate

# Okabe & Ito: told apart by people of every colour vision, and by mark in print.
MARKS = {"#0072B2": "o", "#D55E00": "s", "#009E73": "^", "#CC79A7": "D"}


def draw_rates(
    panels: Mapping[str, Mapping[str, Sequence[tuple[str, Rate]]]],
    chances: Mapping[str, float],
    *,
    title: str,
    path: Path,
) -> None:
    """A panel for each question, a row for each release, a mark with its interval for each classifier; chance as a line.

    Five inches wide with letters of nine points, so that it can be read at 400 pixels too.
    """
    figure = Figure(figsize=(5, 2.75 * len(panels) + 0.9), dpi=140, layout="constrained")
    axes = figure.subplots(len(panels), 1, sharex=True, sharey=True, squeeze=False)[:, 0]
    for axis, (question, rows) in zip(axes, panels.items(), strict=True):
        for place, told in enumerate(rows.values()):
            for number, ((colour, mark), (name, rate)) in enumerate(zip(MARKS.items(), told, strict=True)):
                at = place + 0.19 * (number - (len(told) - 1) / 2)
                axis.plot([rate.low, rate.high], [at, at], color=colour, linewidth=1, alpha=0.6)
                label = name if place == 0 else None
                axis.plot(
                    [rate.value], [at], color=colour, marker=mark, markersize=4, linestyle="", label=label
                )
        axis.axvline(chances[question], color="0.35", linestyle="--", linewidth=1.2, label="chance")
        axis.set_title(question.replace(" (", "\n("), fontsize=9.5, fontweight="bold")
        axis.set_xlim(-0.02, 1.02)
        axis.set_yticks(range(len(rows)), list(rows), fontsize=9)
        axis.tick_params(axis="x", labelsize=9)
        axis.grid(axis="x", alpha=0.25, linewidth=0.5)
    axes[0].invert_yaxis()
    axes[-1].set_xlabel("accuracy, majority vote,\n95 % interval over people", fontsize=9.5)
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(
        handles,
        labels,
        loc="outside lower center",
        ncols=len(labels),
        fontsize=9,
        columnspacing=1,
        frameon=False,
    )
    figure.suptitle(title, fontsize=10.5)
    figure.savefig(path, metadata={"Software": None})
