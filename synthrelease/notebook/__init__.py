"""Results as notebooks show them: a small card of HTML without scripts, styles of its own or anything outside it, in the colour of the page's text."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING

from synthrelease.printable import harmless

if TYPE_CHECKING:
    from jinja2 import Environment

MOST_ROWS = 12  # of a table
_WORDS = 400  # characters of a sentence or cell
_WARNINGS = 6


class Tone(StrEnum):
    """What a badge says by its colour."""

    GOOD = "good"
    DOUBTFUL = "doubtful"
    BAD = "bad"
    PLAIN = "plain"


@dataclass(frozen=True)
class CardTable:
    """Rows with a heading each."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]  # as many cells as the head has
    thumbnails: tuple[str, ...] = ()  # an SVG of ours in front of each row; none if it is empty

    @property
    def shown(self) -> tuple[tuple[str, ...], ...]:
        """As many rows as there is room for."""
        return self.rows[:MOST_ROWS]

    @property
    def more(self) -> int:
        """How many rows are left out."""
        return max(0, len(self.rows) - MOST_ROWS)


@dataclass(frozen=True)
class NotebookCard:
    """What a notebook shows of a result."""

    kind: str  # what it is: "Bundle"
    title: str  # which one
    badge: str = ""  # what matters most; "" for none
    tone: Tone = Tone.PLAIN
    sentences: tuple[str, ...] = ()
    table: CardTable | None = None
    warnings: tuple[str, ...] = ()
    mark: str = ""  # above all: that it must not be published
    picture: str = ""  # of released values, as a data URI; "" for none
    caption: str = ""  # what is in the picture

    @property
    def html(self) -> str:
        """The card; all texts in it are escaped."""
        cut = self.warnings[_WARNINGS:]
        page = _environment().get_template("card.html")
        return page.render(card=self, warnings=self.warnings[:_WARNINGS], more_warnings=len(cut))


def clipped(text: object) -> object:
    """Return a text that is not too long for a card; what is no text, as it is."""
    if isinstance(text, str) and len(text) > _WORDS and not hasattr(text, "__html__"):
        return f"{text[: _WORDS - 2]} …"
    return text


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined  # noqa: PLC0415  where a card is shown

    environment = Environment(
        loader=PackageLoader("synthrelease.notebook", "."),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=harmless,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["clipped"] = clipped
    return environment
