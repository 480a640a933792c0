"""What a card of a report shows, as values: pictures, tables, histograms. Templates only draw them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

PICTURES = 12  # of an output, unless more are asked for


@dataclass(frozen=True)
class Picture:
    """A figure inside the report."""

    source: str  # data URI
    width: int  # in pixels
    height: int  # in pixels
    alt: str  # what it shows, for screen readers
    label: str = ""  # above or below it; "" for none


@dataclass(frozen=True)
class Scale:
    """What the colours of pictures mean."""

    colours: tuple[str, ...]  # from least to most, as CSS has them
    low: str  # the least value
    middle: str  # half way between
    high: str  # the largest
    unit: str  # of all three


@dataclass(frozen=True)
class Panel:
    """Pictures on one scale: one, or the frames of a strip."""

    heading: str  # what they are; "" for none
    pictures: tuple[Picture, ...]  # in their order
    scale: Scale | None = None  # of their colours


@dataclass(frozen=True)
class TableCell:
    """A cell of a table."""

    text: str  # its content
    fraction: float | None = None  # length of a bar next to it, from 0 to 1; None for no bar
    dot: tuple[float, float, float] | None = (
        None  # place of a value on its range, and ends of its interval, from 0 to 1
    )


@dataclass(frozen=True)
class TableExhibit:
    """Rows with a heading each."""

    form: ClassVar[str] = "table"
    title: str  # its caption
    head: tuple[str, ...]  # of the columns, that of the rows' headings first
    rows: tuple[tuple[str, tuple[TableCell, ...]], ...]  # the heading of each, and its cells
    note: str = ""  # below; "" for none


@dataclass(frozen=True)
class Plate:
    """Pictures with a caption, and their numbers where they are few."""

    form: ClassVar[str] = "plate"
    title: str  # of the plate
    panels: tuple[Panel, ...]  # side by side, where there is room
    caption: str  # how to read them
    table: TableExhibit | None = None  # their numbers

    @property
    def strip(self) -> bool:
        """Whether it is of many small pictures."""
        return any(len(panel.pictures) > 1 for panel in self.panels)


@dataclass(frozen=True)
class Bar:
    """A bar of a histogram, in units of its drawing."""

    x: float  # left
    y: float  # top
    width: float  # of the bar
    height: float  # of the bar
    whisker: tuple[float, float] | None = None  # top and bottom of its error bar; None for none


@dataclass(frozen=True)
class HistogramExhibit:
    """Bars over an axis from a low to a high value."""

    form: ClassVar[str] = "histogram"
    width: ClassVar[int] = 320
    height: ClassVar[int] = 120
    title: str  # what is counted
    bars: tuple[Bar, ...]  # the drawing
    zero: float  # height of the line that bars stand on
    low: str  # left end of the axis
    high: str  # right end
    alt: str  # what it shows, for screen readers
    note: str = ""  # below; "" for none
    outline: str = ""  # a line over the bars, as SVG has paths; "" for none


Exhibit = Plate | TableExhibit | HistogramExhibit


@dataclass(frozen=True)
class OutputExhibits:
    """What there is to see of an output."""

    exhibits: tuple[Exhibit, ...]  # in their order
    words: tuple[str, ...] = ()  # of noise and error, in the unit of what is shown
    omitted: int = 0  # exhibits that are not shown
    exported: bool = field(default=False, kw_only=True)  # whether `synthrelease export --to png` draws them
