"""How much noise an output carries, in a sentence or two for someone who knows eye tracking and not privacy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from synthrelease.dp.event import from_json as event_from_json
from synthrelease.kinds.dataset import Role
from synthrelease.kinds.registry import parameters_of
from synthrelease.number_words import short

_NORMS = {"l1": "the sum of the changes", "l2": "the root of the sum of their squares"}


def noise_words(output: Mapping[str, Any]) -> str:
    """Return the noise of an output beside what one person can change; what stands for it where there is none."""
    noise, parameters = output["noise"], parameters_of(output)
    if noise is None and output["guarantee"]["kind"] == "none":
        return "Whatever noise is in it carries no guarantee."
    if noise is None:
        roles = {dataset.role for dataset in parameters.datasets(event_from_json(output["event"]))}
        chosen = Role.CHOICE in roles
        return "The choice itself was random, drawn exactly." if chosen else "No noise was added to it."
    form = "Gaussian" if noise["distribution"] == "rounded_gaussian" else "Laplace"
    ratio = float(noise["standard_deviation"]) / float(output["sensitivity"]["value"])
    return (
        f"{parameters.noise_subject()} {form} noise. Its standard deviation is {short(ratio)} times the most by which one person can "
        f"move all of them together ({_NORMS[output['sensitivity']['norm']]}). It was drawn exactly, in whole grid units."
    )
