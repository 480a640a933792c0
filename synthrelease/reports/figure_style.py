"""What all figures of curves and bars look like.

All are five inches wide with letters of nine points or more: 1200 pixels across when saved, and still readable when a
page shows them at 360. The colours are those of Okabe & Ito 2008 ("Color
universal design"), chosen for all kinds of colour vision, with grey in place of their yellow.
"""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#808080")
FAINT = "#BBBBBB"
CAPTION_PT = 9.0
TWO_ABREAST = 12  # panels; more stand in threes
_WIDTH_IN, _DPI = 5.0, 240
_TITLE_PT = 11.0


def new_figure(title: str, caption: str, *, height_in: float, width_in: float = _WIDTH_IN) -> Figure:
    """Return a figure with a title above and a caption below, "" for none."""
    from matplotlib.figure import Figure  # noqa: PLC0415  slow to import

    figure = Figure(figsize=(width_in, height_in), dpi=_DPI, layout="constrained")
    if title:
        figure.suptitle(textwrap.fill(title, 60), fontsize=_TITLE_PT, parse_math=False)
    if caption:
        lines = "\n".join(textwrap.fill(line, 76) for line in caption.split("\n"))
        figure.supxlabel(lines, fontsize=CAPTION_PT, parse_math=False)
    return figure


def plain(axis: Axes) -> None:
    """Draw faint axes on two sides, and a faint grid."""
    axis.tick_params(which="both", labelsize=CAPTION_PT, color=FAINT)
    axis.grid(visible=True, color=FAINT, alpha=0.4, linewidth=0.5)
    axis.spines[["top", "right"]].set_visible(False)
    axis.spines[["bottom", "left"]].set_color(FAINT)
