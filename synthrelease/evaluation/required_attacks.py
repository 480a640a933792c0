"""Whether the attacks that a policy requires were tried on a release."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from synthrelease.evaluation.json_form import JsonForm
from synthrelease.evaluation.result import Evaluation
from synthrelease.number_words import listed

# What a policy calls an attack, and how its results are called.
_CALLED = {
    "re-identification": "identification",
    "linkage": "linkage",
    "membership": "membership",
    "attributes": "inference",
    "copies": "copies",
}


@dataclass(frozen=True)
class Required(JsonForm):
    """An attack that a policy requires."""

    attack: str  # as the policy calls it
    met: bool  # whether it was tried, or there is nothing that it could be tried on
    explanation: str  # on what, or why not


def required_attacks(evaluation: Evaluation, requested: Sequence[str]) -> tuple[Required, ...]:
    """Return, for every attack that a policy requires, by the policy's name for it, whether it was tried."""
    return tuple(_required(evaluation, attack) for attack in requested)


def _required(evaluation: Evaluation, attack: str) -> Required:
    tried = [
        output.name
        for output in evaluation.outputs
        if any(result.attack.startswith(_CALLED[attack]) for result in output.attacks)
        or (attack == "membership" and output.known_rest is not None)
    ]
    if tried:
        return Required(attack, True, f"run on {listed(tried)}")
    # Membership in a sum can be attacked, and is; but nothing in a sum is a single person's.
    if all(output.sums_alone for output in evaluation.outputs):
        return Required(attack, True, "not applicable (aggregates only)")
    return Required(attack, False, "not run; the report states why")
