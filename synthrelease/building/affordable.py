"""The largest ε of a release that its ledger has room for."""

from __future__ import annotations

import math
from dataclasses import replace

from synthrelease.building.design import Design, design_with
from synthrelease.errors import PolicyError, SynthReleaseError
from synthrelease.ledgers import AccountStanding, Grant, Ledger
from synthrelease.ledgers.quote import INSTEAD
from synthrelease.plan.plan import CheckedPlan

_GRID = 1_000_000  # to which an output's own ε is rounded
_DIGITS = 3  # significant, of the ε that is found
_LEAST = 1e-3  # of which nothing is expected


def afforded(design: Design, ledger: Ledger) -> tuple[Grant, AccountStanding]:
    """Return how the dataset will stand after the release, as `Ledger.standing`; a refusal says the largest ε that fits.

    Raises:
        PolicyError: the budget does not cover the release, or there is none.
    """
    try:
        return ledger.standing(design.charge())
    except PolicyError as error:
        if error.code == "exceeds-grant":
            largest = largest_epsilon(design, ledger)
            own = any("epsilon" in spec.options for spec in design.plan.outputs)
            too = ", and that of outputs in proportion" if own else ""
            fits = (
                "no smaller ε fits: take the kind of noise of earlier releases"
                if largest is None
                else f"lower ε under [privacy] to {largest:g}, the largest that fits{too}"
            )
            error.remedy = f"{fits}; {INSTEAD}"
        raise


def largest_epsilon(design: Design, ledger: Ledger) -> float | None:
    """Return the largest ε of the release, below its own, that the ledger has room for, rounded down; None if there is none.

    An ε of their own that outputs have is lowered in proportion. It is computed by building designs: costs of releases do not just add up.
    """

    def fits(epsilon: float) -> bool:
        try:
            ledger.standing(design_with(scaled(design.plan, epsilon), design.facts).charge())
        except SynthReleaseError:
            return False
        return True

    low = design.plan.epsilon / 2
    while not fits(low):
        low /= 2
        if low < _LEAST:
            return None
    steps = 10.0 ** (_DIGITS - 1 - math.floor(math.log10(low)))
    most, too_much = math.floor(low * steps), math.ceil(2 * low * steps)
    while too_much - most > 1:
        middle = (most + too_much) // 2
        most, too_much = (middle, too_much) if fits(middle / steps) else (most, middle)
    return most / steps


def scaled(plan: CheckedPlan, epsilon: float) -> CheckedPlan:
    """Return a plan with another ε, and in proportion, rounded down, of outputs that have one of their own."""
    outputs = (
        replace(spec, options={**spec.options, "epsilon": in_proportion(plan, epsilon, own)})
        if (own := spec.options.get("epsilon")) is not None
        else spec
        for spec in plan.outputs
    )
    return replace(plan, epsilon=epsilon, outputs=tuple(outputs))


def in_proportion(plan: CheckedPlan, epsilon: float, own: float) -> float:
    """Return the ε of an output that has one of its own, where the release has another."""
    return math.floor(epsilon / plan.epsilon * own * _GRID) / _GRID
