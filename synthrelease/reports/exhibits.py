"""What a card of a report shows, as values: pictures, tables, histograms. Templates only draw them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from synthrelease.reports.readings import Readings  # of NumPy, which takes long to import

PICTURES = 12  # of an output, unless more are asked for


@dataclass(frozen=True)
class Tick:
    """A number on an axis."""

    place: float  # from 0, left or top, to 1
    text: str


@dataclass(frozen=True)
class MapFrame:
    """The axes of a map."""

    x: tuple[Tick, ...]
    y: tuple[Tick, ...]
    words: str  # what the numbers are


@dataclass(frozen=True)
class Outlines:
    """Lines on a map, as SVG has paths; "" for none."""

    width: int  # of the map, in the paths' unit
    height: int
    more: str  # around what is more than the average
    less: str


@dataclass(frozen=True)
class Shape:
    """An area on a stimulus."""

    name: str
    value: str  # in words
    weight: float  # how deep its colour is, from 0 to 1
    points: str  # corners in pixels of the screen, as SVG has them
    place: tuple[float, float]  # of its name, from the left and from the top, from 0 to 1


@dataclass(frozen=True)
class Picture:
    """A figure inside the report."""

    source: str  # data URI; "" for shapes only
    width: int  # in pixels
    height: int  # in pixels
    alt: str  # what it shows, for screen readers
    label: str = ""  # above or below it; "" for none
    own: str = ""  # the same on a colour scale of its own, as a data URI; "" where that shows no more
    frame: MapFrame | None = None  # axes around it
    outlines: Outlines | None = None
    shapes: tuple[Shape, ...] = ()
    veiled: bool = False  # whether a photograph is seen through it
    readings: Readings | None = None  # what is said under the pointer


@dataclass(frozen=True)
class Scale:
    """What the colours of pictures mean."""

    colours: tuple[str, ...]  # from least to most, as CSS has them
    low: str  # the least value
    high: str  # the largest
    ticks: tuple[Tick, ...]  # round numbers between
    unit: str  # of all of them


@dataclass(frozen=True)
class Panel:
    """Pictures on one scale: one, or the frames of a strip."""

    heading: str  # what they are; "" for none
    pictures: tuple[Picture, ...]  # in their order
    scale: Scale | None = None  # of their colours
    own_scale: Scale | None = None  # of those of the pictures' `own`


@dataclass(frozen=True)
class TableCell:
    """A cell of a table."""

    text: str  # its content
    fraction: float | None = None  # length of a bar next to it, from 0 to 1; None for no bar
    dot: tuple[float, float, float] | None = (
        None  # place of a value on its range, and ends of its interval, from 0 to 1
    )
    ring: float | None = None  # place of what the value is compared with, on the same range


@dataclass(frozen=True)
class TableExhibit:
    """Rows with a heading each."""

    form: ClassVar[str] = "table"
    title: str  # its caption
    head: tuple[str, ...]  # of the columns, that of the rows' headings first
    rows: tuple[tuple[str, tuple[TableCell, ...]], ...]  # the heading of each, and its cells
    note: str = ""  # below; "" for none
    is_lead: bool = False  # whether it stands above pictures: what papers report


@dataclass(frozen=True)
class Plate:
    """Pictures with a caption, and their numbers where they are few."""

    form: ClassVar[str] = "plate"
    is_lead: ClassVar[bool] = False
    title: str  # of the plate
    panels: tuple[Panel, ...]  # side by side, where there is room
    caption: str  # how to read them
    table: TableExhibit | None = None  # their numbers
    photograph: str = ""  # under what is veiled, as a data URI; "" for none
    curtain: tuple[int, int] | None = (
        None  # numbers of two panels that a curtain can part, one over the other
    )

    @property
    def switched(self) -> bool:
        """Whether there is something to see on another scale."""
        return any(panel.own_scale is not None for panel in self.panels)

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
    """Bars over the bins of an axis."""

    form: ClassVar[str] = "histogram"
    is_lead: ClassVar[bool] = False
    width: ClassVar[int] = 320
    height: ClassVar[int] = 120
    title: str  # what is counted
    bars: tuple[Bar, ...]  # the drawing
    zero: float  # height of the line that bars stand on
    x: tuple[Tick, ...]  # edges of bins
    y: tuple[Tick, ...]
    x_label: str  # what is counted, with its unit
    y_label: str  # what bars are
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
