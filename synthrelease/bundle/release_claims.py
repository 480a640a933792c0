"""Recomputing what a manifest claims of the release as a whole; of each output by itself: `output_claims`."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from synthrelease.bundle import output_claims
from synthrelease.bundle.disclosure import due_warnings, not_protected, private_names
from synthrelease.bundle.finding import Finding
from synthrelease.bundle.input_claims import input_faults
from synthrelease.dp import accounting
from synthrelease.dp import event as events
from synthrelease.dp.guarantee import ApproxDP, Guarantee, Neighbours
from synthrelease.dp.mixed_losses import LOSS_STEP
from synthrelease.kinds.event_level import narrower_guarantees
from synthrelease.kinds.registry import parameters_of
from synthrelease.remarks import Remark

_ROUNDING = 1e-3  # relative: a unit of the fourth digit, up to which composed ε are rounded
# With which mixed noise is composed again where a claim is too low: another version may have taken smaller steps, and is right.
_FINE_LOSS_STEP = LOSS_STEP / 16


def claim_faults(manifest: dict[str, Any]) -> Iterator[Finding]:
    """Yield where guarantees, of outputs or of all together, or spending do not follow from what was done."""
    privacy = manifest["privacy"]
    neighbours = Neighbours(privacy["neighbours"])
    recorded = [events.from_json(output["event"]) for output in manifest["outputs"]]
    for number, (output, event) in enumerate(zip(manifest["outputs"], recorded, strict=True)):
        where = f"outputs/{number} ({output['name']})"
        computed = accounting.compose([event], delta=_delta(output["guarantee"]), neighbours=neighbours)
        if not _is_due(output["guarantee"], computed, [event]):
            yield Finding("guarantee", where, f"the event amounts to {computed}")
        yield from _narrower_faults(output, event, where, neighbours)
    total, method = accounting.compose_private(
        recorded,
        delta=_delta(privacy["guarantee"]),
        neighbours=neighbours,
        budget=privacy["budget"]["epsilon"],
    )
    if not _is_due(privacy["guarantee"], total, recorded):
        yield Finding("guarantee", "privacy", f"the outputs together amount to {total}")
    if privacy["composition"]["method"] != method:
        yield Finding("guarantee", "privacy/composition", f"the method is: {method}")
    budget = privacy["budget"]
    most = budget["epsilon"] * (1 + output_claims.TOLERANCE)
    spent = _cost(recorded, most, delta=budget["delta"], neighbours=neighbours)
    if spent > most or privacy["guarantee"].get("delta", 0) > budget["delta"]:
        yield Finding("guarantee", "privacy", "the outputs together cost more than the stated budget")
    yield from _ledger_faults(manifest, recorded)


def statement_faults(manifest: dict[str, Any]) -> Iterator[Finding]:
    """Yield where lists, inputs or remarks do not follow from the rest of the manifest; of guarantees: `claim_faults`."""
    yield from _listing_faults(manifest)
    yield from input_faults(manifest)


def _is_due(stated: dict[str, Any], computed: Guarantee, recorded: Sequence[events.Event]) -> bool:
    """Whether a claim is the computed one; of mixed noise, one that is as true, up to its rounding: versions may discretise differently."""
    if output_claims.same_guarantee(stated, computed):
        return True
    private = [event for event in recorded if accounting.is_differentially_private(event)]
    if not (isinstance(computed, ApproxDP) and accounting.method(private) == "mixed"):
        return False
    claimed = stated.get("epsilon")
    if not isinstance(claimed, float) or not output_claims.same_guarantee(
        {**stated, "epsilon": computed.epsilon}, computed
    ):
        return False
    due = _cost(private, claimed, delta=computed.delta, neighbours=computed.neighbours)
    return due <= claimed <= computed.epsilon * (1 + _ROUNDING)


def _cost(recorded: Sequence[events.Event], stated: float, *, delta: float, neighbours: Neighbours) -> float:
    """ε of events at δ; composed once more, in smaller steps, before it is more than stated."""
    cost = functools.partial(
        accounting.epsilon_at, recorded, delta=delta, neighbours=neighbours, budget=stated
    )
    return due if (due := cost()) <= stated else cost(loss_step=_FINE_LOSS_STEP)


def _ledger_faults(manifest: dict[str, Any], recorded: list[events.Event]) -> Iterator[Finding]:
    """Where spending over all releases contradicts this one; what others have cost, only the curator's ledger knows."""
    spent = manifest["ledger"]
    if spent is None:
        return
    if manifest["randomness"]["test_seed"]:
        yield Finding("test-seed", "ledger", "a release from a test seed cannot claim a ledger")
    delta, before, alone, after = (
        spent[key] for key in ("delta", "spent_before", "spent_here", "spent_after")
    )
    stated = alone * (1 + output_claims.TOLERANCE)  # or more: a claim that is rounded up is true
    due = _cost(recorded, stated, delta=delta, neighbours=Neighbours(manifest["privacy"]["neighbours"]))
    if due > stated:
        yield Finding("guarantee", "ledger", f"at δ = {delta:.2g} this release costs ε = {due:g}")
    # All together cost what some of them cost, at least (`dp/filter.proof.md`); but of many releases that need no δ, the
    # sum of ε can be more than all cost at one.
    private = [part for event in recorded if (part := accounting.protected_part(event)) is not None]
    least = max(before, alone) if accounting.parts_of(private).needs_delta else before
    if delta == 0:
        least = before + alone
    if least > after * (1 + 2 * _ROUNDING):
        yield Finding("guarantee", "ledger", "all releases together cost less than some of them")


def _narrower_faults(
    output: dict[str, Any], event: events.Event, where: str, neighbours: Neighbours
) -> Iterator[Finding]:
    due = narrower_guarantees(
        parameters_of(output), event, delta=_delta(output["guarantee"]), neighbours=neighbours
    )
    stated = output["narrower_units"]
    if len(stated) != len(due) or not all(map(output_claims.same_guarantee, stated, due)):
        yield Finding(
            "guarantee", where, "the guarantees for less than a person do not follow from the event"
        )


def _delta(stated: dict[str, Any]) -> float:
    """The δ at which a claim states its ε: every true pair is a true claim."""
    return float(stated.get("delta", accounting.ANY_DELTA))


def _listing_faults(manifest: dict[str, Any]) -> Iterator[Finding]:
    privacy, outputs = manifest["privacy"], manifest["outputs"]
    neighbours = Neighbours(privacy["neighbours"])
    if privacy["composition"]["outputs"] != private_names(outputs):
        yield Finding("guarantee", "privacy/composition", "the composed outputs are not the private ones")
    due = _forms(not_protected(outputs, neighbours))
    if privacy["not_protected"] != due:
        names = ", ".join(entry["code"] for entry in due)
        yield Finding("guarantee", "privacy/not_protected", f"expected exactly: {names}")
    yield from _remark_faults(manifest, neighbours)
    by_input = {output["input"]: output["mechanism"]["public_inputs"]["people"] for output in outputs}
    stated = list(by_input.values())
    if neighbours is Neighbours.REPLACE_ONE:
        people = privacy["people"]
        if people is None or None in stated or not max(stated) <= people <= sum(stated):
            yield Finding(
                "manifest", "privacy/people", "missing, or not possible for the participants of the inputs"
            )
    elif privacy["people"] is not None or any(n is not None for n in stated):
        yield Finding("manifest", "privacy/people", "a number of participants where it is private")


def _remark_faults(manifest: dict[str, Any], neighbours: Neighbours) -> Iterator[Finding]:
    """Where what is stated for readers is not what follows from the rest."""
    if manifest["warnings"] != _forms(due_warnings(manifest)):
        yield Finding("manifest", "warnings", "not the warnings that follow from the manifest")
    for number, output in enumerate(manifest["outputs"]):
        parameters, where = parameters_of(output), f"outputs/{number} ({output['name']})"
        if output["post_processing"] != _forms(parameters.post_processing()):
            yield Finding("manifest", f"{where}/post_processing", "not what is done with such parameters")
        if output["warnings"] != _forms(parameters.warnings()):
            yield Finding("manifest", f"{where}/warnings", "not the warnings that follow from the parameters")
        sensitivity = output["sensitivity"]
        if sensitivity and sensitivity["derivation"] != parameters.derivation(neighbours).to_json():
            yield Finding(
                "manifest", f"{where}/sensitivity", "not the derivation that follows from the parameters"
            )


def _forms(remarks: Iterable[Remark]) -> list[dict[str, Any]]:
    return [remark.to_json() for remark in remarks]
