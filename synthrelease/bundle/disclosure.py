"""What a release does not protect: everything a manifest must name, from its own numbers."""

from __future__ import annotations

from typing import Any

from synthrelease.kinds.registry import listed_nouns
from synthrelease.privacy import accounting
from synthrelease.privacy import event as events
from synthrelease.privacy.guarantee import Neighbours, Unit
from synthrelease.privacy.guarantee import from_json as guarantee_from_json

_SOURCES = {
    "listed": "listed in the plan, public",
    "assumed": "taken from the data, assumed public by study design",
}
_HELD = (
    "a value that is held over a gap, or to the end, stands in every step there: a promise to a step or a chunk is to one "
    "of the completed series, not to one value of the data"
)


def private_names(outputs: list[dict[str, Any]]) -> list[str]:
    """Return the names of the outputs that are differentially private."""
    return [
        output["name"]
        for output in outputs
        if accounting.is_differentially_private(events.from_json(output["event"]))
    ]


def not_protected(outputs: list[dict[str, Any]], neighbours: Neighbours) -> list[dict[str, str]]:
    """Return the entries of `privacy.not_protected`: outputs without differential privacy, and public facts.

    `verify` asks for exactly these entries, in this order, with these reasons: a kinder sentence is a fault.

    Args:
        outputs: the manifest's `outputs`.
        neighbours: the release's relation.
    """
    private = private_names(outputs)
    entries = [
        (f"output {output['name']}", str(guarantee_from_json(output["guarantee"])))
        for output in outputs
        if output["name"] not in private
    ]
    for output in outputs:
        entries.extend(_public_facts(output))
    if neighbours is Neighbours.REPLACE_ONE:
        entries.append(
            (
                "people",
                "how many there are in each input, and who takes part in which: public under replace-one",
            )
        )
    entries.append(
        ("format", "that the data passed its reader's checks: otherwise there would be no release")
    )
    entries.append(
        ("population", "what is true of people in general: a release is useful because it tells that")
    )
    return [{"what": what, "reason": reason} for what, reason in entries]


def _public_facts(output: dict[str, Any]) -> list[tuple[str, str]]:
    name, stated = output["name"], output["mechanism"]["public_inputs"]
    noun = listed_nouns()[output["kind"]]
    facts = [(f"{noun} of {name}", f"the list of {noun}: {_SOURCES[stated['names']]}")]
    if output["mechanism"]["parameters"].get("by") not in {None, "recording"}:
        facts.append((f"groups of {name}", f"the list of groups: {_SOURCES['listed']}"))
    if output["mechanism"]["parameters"].get("assignment_public"):
        facts.append(
            (
                f"assignment of {name}",
                "which person has any row on which stimulus: assumed public by study design",
            )
        )
    if stated.get("length") == "assumed":
        facts.append((f"length of {name}", f"steps of the longest recording: {_SOURCES['assumed']}"))
    if {unit["unit"] for unit in output["narrower_units"]} & {Unit.STEP, Unit.CHUNK}:
        facts.append((f"values of {name}", _HELD))
    return facts
