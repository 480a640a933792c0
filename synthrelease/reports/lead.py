"""The figure at the top of a report: what a reader sees of the release before scrolling."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from synthrelease.reports.cards import Card, Protection
from synthrelease.reports.exhibits import Exhibit, HistogramExhibit, Plate, TableExhibit

_FORMS = (Plate, HistogramExhibit, TableExhibit)  # the most informative first
_PROTECTION = (Protection.PROTECTED, Protection.CRITERION, Protection.UNPROTECTED)
_FRAMES = 6  # of a strip
_ROWS = 5  # of a table


@dataclass(frozen=True)
class Lead:
    """A figure, and the card that it is from."""

    card: Card
    exhibit: Exhibit


def lead_of(cards: Sequence[Card]) -> Lead | None:
    """Return the first figure of the best protected output, maps and curves before bars, bars before tables; None if there is none."""
    candidates = [(card, exhibit) for card in cards for exhibit in card.exhibits.exhibits]
    if not candidates:
        return None
    card, exhibit = min(candidates, key=lambda pair: _rank(*pair))
    return Lead(card, _reduced(exhibit))


def _rank(card: Card, exhibit: Exhibit) -> tuple[int, int]:
    return _PROTECTION.index(card.protection), _FORMS.index(type(exhibit))


def _reduced(exhibit: Exhibit) -> Exhibit:
    """As much of an exhibit as fits: one panel, a few frames or rows; the card has the rest."""
    match exhibit:
        case Plate():
            panel = exhibit.panels[0]
            pictures = tuple(replace(picture, own="") for picture in panel.pictures[:_FRAMES])
            panel = replace(panel, heading="", pictures=pictures, own_scale=None)
            return replace(exhibit, panels=(panel,), caption="", table=None, curtain=None)
        case TableExhibit():
            return replace(exhibit, rows=exhibit.rows[:_ROWS], note="")
        case HistogramExhibit():
            return exhibit
