"""What a card of a page shows, as values: pictures, tables, histograms. Templates draw them, and decide nothing."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

PICTURES = 12  # of an output, unless more are asked for


@dataclass(frozen=True)
class Picture:
    """A picture inside the page.

    Attributes:
        source: data URI.
        width: in pixels.
        height: in pixels.
        alt: what it shows, for who does not see it.
        label: above or below it; "" for none.
    """

    source: str
    width: int
    height: int
    alt: str
    label: str = ""


@dataclass(frozen=True)
class Scale:
    """What the colours of pictures mean.

    Attributes:
        colours: from least to most, as CSS has them.
        low: the least value.
        high: the largest.
        unit: of both.
    """

    colours: tuple[str, ...]
    low: str
    high: str
    unit: str


@dataclass(frozen=True)
class Panel:
    """Pictures on one scale: one, or the frames of a strip.

    Attributes:
        heading: what they are; "" for none.
        pictures: in their order.
        scale: of their colours.
    """

    heading: str
    pictures: tuple[Picture, ...]
    scale: Scale | None = None


@dataclass(frozen=True)
class Cell:
    """A cell of a table.

    Attributes:
        text: its content.
        share: length of a bar beside it, from 0 to 1; None for no bar.
    """

    text: str
    share: float | None = None


@dataclass(frozen=True)
class Table:
    """Rows with a heading each.

    Attributes:
        title: its caption.
        head: of the columns, that of the rows' headings first.
        rows: the heading of each, and its cells.
        note: below; "" for none.
    """

    form: ClassVar[str] = "table"
    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Cell, ...]], ...]
    note: str = ""


@dataclass(frozen=True)
class Plate:
    """Pictures with a caption, and their numbers where they are few.

    Attributes:
        title: of the plate.
        panels: beside each other, where there is room.
        caption: how to read them.
        table: their numbers.
    """

    form: ClassVar[str] = "plate"
    title: str
    panels: tuple[Panel, ...]
    caption: str
    table: Table | None = None

    @property
    def strip(self) -> bool:
        """Whether it is of many small pictures."""
        return any(len(panel.pictures) > 1 for panel in self.panels)


@dataclass(frozen=True)
class Bar:
    """A bar of a histogram, in units of its drawing.

    Attributes:
        x: left.
        y: top.
        width: of the bar.
        height: of the bar.
        whisker: top and bottom of its error bar; None for none.
    """

    x: float
    y: float
    width: float
    height: float
    whisker: tuple[float, float] | None = None


@dataclass(frozen=True)
class Histogram:
    """Bars over an axis from a low to a high value.

    Attributes:
        title: what is counted.
        bars: the drawing.
        zero: height of the line that bars stand on.
        low: left end of the axis.
        high: right end.
        alt: what it shows, for who does not see it.
        note: below; "" for none.
        outline: a line over the bars, as SVG has paths; "" for none.
    """

    form: ClassVar[str] = "histogram"
    width: ClassVar[int] = 320
    height: ClassVar[int] = 120
    title: str
    bars: tuple[Bar, ...]
    zero: float
    low: str
    high: str
    alt: str
    note: str = ""
    outline: str = ""


Exhibit = Plate | Table | Histogram


@dataclass(frozen=True)
class Shown:
    """What there is to see of an output.

    Attributes:
        exhibits: in their order.
        words: of noise and error, in the unit of what is shown.
        left: how many more there are.
        noun: what those are.
        exported: whether `synthrelease export --to png` draws them.
    """

    exhibits: tuple[Exhibit, ...]
    words: tuple[str, ...] = ()
    left: int = 0
    noun: str = "picture"
    exported: bool = field(default=False, kw_only=True)
