"""Whether the attacks that a policy asks for were tried on a release."""

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
    """An attack that a policy asks for."""

    attack: str  # as the policy calls it
    met: bool  # whether it was tried, or there is nothing that it could be tried on
    told: str  # on what, or why not


def required_attacks(evaluation: Evaluation, asked: Sequence[str]) -> tuple[Required, ...]:
    """Return, for every attack that a policy asks for, whether it was tried.

    Args:
        evaluation: of the release.
        asked: as policies call them.
    """
    return tuple(_required(evaluation, attack) for attack in asked)


def _required(evaluation: Evaluation, attack: str) -> Required:
    tried = [
        output.name
        for output in evaluation.outputs
        if any(one.attack.startswith(_CALLED[attack]) for one in output.attacks)
        or (attack == "membership" and output.known_rest is not None)
    ]
    if tried:
        return Required(attack, True, f"tried on {listed(tried)}")
    # Who is in a sum can be asked, and is; but nothing in it is a single person's.
    if all(output.sums_alone for output in evaluation.outputs):
        return Required(attack, True, "nothing that is released is of a single person")
    return Required(attack, False, "not tried; the page says why")
