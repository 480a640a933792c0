"""What an output costs where less than a person changes."""

from __future__ import annotations

from dataclasses import replace

from synthrelease.dp import accounting
from synthrelease.dp.event import Composed, DiscreteLaplace, Event, RoundedGaussian
from synthrelease.dp.guarantee import Guarantee, Neighbours
from synthrelease.dp.sensitivity import Sensitivity
from synthrelease.kinds.parameters import Parameters


def narrower_guarantees(
    parameters: Parameters, event: Event, *, delta: float, neighbours: Neighbours
) -> list[Guarantee]:
    """Return the guarantees of an output where less than a person changes, from the narrowest unit on; empty if nothing else.

    Event level, as some papers state it: it protects no person, whose other chunks and recordings reveal the same.

    Args:
        parameters: of the output.
        event: what was done.
        delta: δ at which ε is stated.
        neighbours: the relation, of the narrower unit's data.
    """
    return [
        accounting.compose([_less(event, sensitivity)], delta=delta, neighbours=neighbours, unit=unit)
        for unit, sensitivity in parameters.narrower(neighbours)
    ]


def _less(event: Event, sensitivity: Sensitivity) -> Event:
    """The event as it touches data of a smaller sensitivity; a choice may reveal of it all that it reveals of a person."""
    if isinstance(event, Composed):
        return Composed(tuple(_less(part, sensitivity) for part in event.events))
    if isinstance(event, RoundedGaussian):
        return replace(event, sensitivity=sensitivity.l2)
    return replace(event, sensitivity=sensitivity.l1) if isinstance(event, DiscreteLaplace) else event
