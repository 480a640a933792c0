"""Recomputing what a manifest claims of an output: sensitivity from public parameters, guarantee from the event.

Only public halves of kinds and the accounting are used here, nothing that draws noise or reads data.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from synthrelease.dp import event as events
from synthrelease.dp import guarantee as guarantees
from synthrelease.dp.event import (
    DeniabilityTest,
    Event,
    Noise,
    PrivateChoice,
    RandomizedTest,
    RoundedGaussian,
    flatten,
)
from synthrelease.dp.guarantee import Guarantee, Neighbours
from synthrelease.dp.sensitivity import Sensitivity
from synthrelease.kinds.dataset import Role
from synthrelease.kinds.parameters import Fault, Parameters
from synthrelease.kinds.registry import kind_of, parameters_of

TOLERANCE = 1e-6  # relative: two versions of the accounting library may differ in the last digits


def event_faults(output: dict[str, Any], *, neighbours: Neighbours, integers: int) -> Iterator[Fault]:
    """Yield (code, fault) where an output's event does not follow from its parameters.

    Args:
        output: an entry of the manifest's `outputs`.
        neighbours: the release's relation.
        integers: how many noisy integers the file holds for it.
    """
    event = events.from_json(output["event"])
    if neighbours not in kind_of(output).relations:
        yield "guarantee", f"outputs of this kind have no guarantee under {neighbours}"
    if event.to_json() != output["event"]:
        yield "manifest", "the event's numbers are not written in the one form that they have"
    noises = [leaf for leaf in flatten(event) if isinstance(leaf, Noise)]
    if len(noises) > 1:
        yield "noise", "more than one noise event"
        return
    noise = noises[0] if noises else None
    if (noise is None) != (output["noise"] is None) or (noise is None) != (output["sensitivity"] is None):
        yield "noise", "event, noise and sensitivity do not agree on whether there is noise"
        return
    if (noise is None) != (integers == 0):
        yield "noise", "noisy integers without a noise event, or the reverse"
        return
    parameters = parameters_of(output)
    faults = list(parameters.faults(event))
    yield from faults
    if not faults and not _is_in_order(event, parameters):
        yield "manifest", "the events are not in the order in which they happened"
    if noise is not None:
        yield from _noise_faults(output, noise, parameters.sensitivity(neighbours), integers)


def _is_in_order(event: Event, parameters: Parameters) -> bool:
    """Whether a choice of parameters stands before the noise, a choice that is released behind it, and a test last."""
    choices_are_released = any(dataset.role is Role.CHOICE for dataset in parameters.datasets(event))
    ranks = {PrivateChoice: 2 if choices_are_released else 0, DeniabilityTest: 3, RandomizedTest: 3}
    order = [ranks.get(type(leaf), 1) for leaf in flatten(event)]
    return order == sorted(order)


def _noise_faults(
    output: dict[str, Any], noise: Noise, sensitivity: Sensitivity, integers: int
) -> Iterator[Fault]:
    derived = sensitivity.l2 if isinstance(noise, RoundedGaussian) else sensitivity.l1
    if noise.sensitivity != derived:
        yield "sensitivity", f"the event states {noise.sensitivity}, the parameters give {derived}"
    if output["sensitivity"]["norm"] != noise.norm or output["sensitivity"]["value"] != repr(derived):
        yield "sensitivity", "the stated sensitivity is not the one the parameters give"
    if noise.count != integers:
        yield "noise", f"the event covers {noise.count} integers, the file holds {integers}"
    stated = output["noise"]
    if stated["distribution"] != noise.type or stated["scale"] != repr(noise.scale):
        yield "noise", "noise and event do not agree"
    elif stated["standard_deviation"] != repr(noise.standard_deviation):
        yield "noise", "the standard deviation does not follow from the scale"


def same_guarantee(stated: dict[str, Any], computed: Guarantee) -> bool:
    """Whether a stated guarantee is the computed one, numbers within `TOLERANCE`."""
    try:
        claim = guarantees.from_json(stated)
    except (KeyError, TypeError, ValueError):
        return False
    if type(claim) is not type(computed):
        return False
    claimed, due = claim.to_json(), computed.to_json()
    return all(
        abs(claimed[key] - due[key]) <= TOLERANCE * abs(due[key])
        if isinstance(due[key], float) and isinstance(claimed[key], int | float)
        else claimed[key] == due[key]
        for key in due
    )
