"""What is learnt from records: how well a label is told, by what was trained on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from synthrelease.evaluate.attacks import Rate
from synthrelease.evaluate.classification import CLASSIFIERS
from synthrelease.report.exhibits import Cell, Table


@dataclass(frozen=True)
class Task:
    """How well a label is told from all other attributes of real rows.

    Attributes:
        label: what is told.
        people: who are tested; the intervals are of so many.
        chance: share of right answers of whoever always says the most frequent category.
        trained: share of right answers, averaged over people, by what was trained on and by classifier.
        remarks: how to read it, in sentences.
    """

    label: str
    people: int
    chance: Rate
    trained: Mapping[str, Mapping[str, Rate]]
    remarks: tuple[str, ...]

    def exhibit(self) -> Table:
        """Return it as a table of a page."""
        rows = [
            (what, tuple(Cell(str(rates[name]), rates[name].value) for name in CLASSIFIERS))
            for what, rates in self.trained.items()
        ]
        majority = Cell(str(self.chance), self.chance.value)
        rows.append(("nothing: the most frequent one", (majority,) * len(CLASSIFIERS)))
        title = f"Telling '{self.label}' of real rows"
        return Table(title, ("trained on", *CLASSIFIERS), tuple(rows), " ".join(self.remarks))

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON holds it."""
        return {
            "label": self.label,
            "people": self.people,
            "chance": self.chance.to_json(),
            "trained": {
                what: {name: rate.to_json() for name, rate in rates.items()}
                for what, rates in self.trained.items()
            },
            "remarks": list(self.remarks),
        }
