"""How near the records of a bundle come to real rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from synthrelease.appraisal.record_rows import Numbers, RecordRows
from synthrelease.evaluate.attacks.nearest import nearest_distance, scaled

_MOST_PEOPLE, _MOST_ASKED = 50, 1000  # people and their rows, whose distance to other people's is looked up
_MOST_RECORDS = 10_000  # records whose distance is looked up


@dataclass(frozen=True)
class OwnRecords:
    """The bundle's own records beside the real ones. There is nobody to hold it against: all people are in the release.

    Attributes:
        nearest: the middle one of the records' distances to the nearest real row, in units of the real rows' spread.
        others: the same of real rows to the nearest row of another person.
    """

    nearest: float
    others: float

    def sentences(self) -> tuple[str, ...]:
        """Return it in words."""
        near = f"A released record is {self.nearest:.2f} from the nearest real row (median, in units of the real rows' spread)"
        if not self.others > 0:
            return (f"{near}; half of the real rows equal one of another person.",)
        side = "nearer than" if self.nearest < self.others else "not nearer than"
        times = f"{self.nearest / self.others:.2f} times as far as a real row is from the nearest of another person"
        return (f"{near}, {times}: {side} people are to each other.",)


def own_records(real: RecordRows, made: RecordRows) -> OwnRecords:
    """Return how near the bundle's records come to real ones. The task's label takes no part in distances.

    Args:
        real: rows of two people at least.
        made: the bundle's records.
    """
    every = -(-real.names.size // _MOST_PEOPLE)
    asked = real.of_people(real.names[::every]).thinned(_MOST_ASKED)
    some = made.where(np.arange(0, len(made), max(1, -(-len(made) // _MOST_RECORDS))))
    whole = real.columns(real.features)
    rows, queries, people = scaled(whole, whole, some.columns(real.features), asked.columns(real.features))
    return OwnRecords(
        float(np.median(nearest_distance(queries, rows))),
        float(np.median(_to_others(people, asked, rows, real))),
    )


def _to_others(queries: Numbers, asked: RecordRows, rows: Numbers, real: RecordRows) -> Numbers:
    distance = np.empty(len(queries))
    for name in asked.names:
        own = asked.people == name
        distance[own] = nearest_distance(queries[own], rows[real.people != name])
    return distance
