"""One card of a report for each output: what it is, how it was made, what it guarantees, and what there is to see."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from synthrelease.bundle.disclosure import output_sentences
from synthrelease.dp.guarantee import NoGuarantee, PlausibleDeniability, from_json
from synthrelease.kinds.registry import kind_of, parameters_of
from synthrelease.reports.exhibits import OutputExhibits
from synthrelease.reports.guarantee_words import in_notation, output_guarantee_words
from synthrelease.reports.output_words import event_level_epsilons, noise_words, rows_of


class Protection(StrEnum):
    """What kind of guarantee an output has."""

    PROTECTED = "differentially private"
    CRITERION = "plausible deniability, not differential privacy"
    UNPROTECTED = "not protected"


@dataclass(frozen=True)
class Card:
    """What a report says about an output."""

    anchor: str  # of links to it
    name: str
    kind: str
    summary: str  # what it publishes
    rows: tuple[str, ...]  # which of them count
    procedure: str  # how it was made
    protection: Protection
    guarantee: str  # in words
    notation: str  # of the guarantee
    event_level: str  # ε where less than a person changes
    noise: str
    post_processing: tuple[str, ...]  # what was done to the noisy integers
    warnings: tuple[str, ...]
    exhibits: OutputExhibits


def card_of(manifest: dict[str, Any], output: dict[str, Any], exhibits: OutputExhibits) -> Card:
    """Return the card of an output.

    Args:
        manifest: of the bundle it is in.
        output: its entry in the manifest.
        exhibits: what there is to see of it.
    """
    guarantee = from_json(output["guarantee"])
    match guarantee:
        case PlausibleDeniability():
            protection = Protection.UNPROTECTED if guarantee.vacuous else Protection.CRITERION
        case NoGuarantee():
            protection = Protection.UNPROTECTED
        case _:
            protection = Protection.PROTECTED
    parameters = parameters_of(output)
    post_processing, warnings = output_sentences(output)
    return Card(
        f"output-{output['name']}",
        output["name"],
        kind_of(output).title,
        parameters.summary(),
        tuple(rows_of(manifest, output)),
        parameters.procedure(),
        protection,
        output_guarantee_words(output),
        in_notation(guarantee),
        _event_level(output),
        noise_words(output),
        tuple(post_processing),
        tuple(warnings),
        exhibits,
    )


def _event_level(output: dict[str, Any]) -> str:
    epsilons = [f"ε = {words}" for words in event_level_epsilons(output)]
    if not epsilons:
        return ""
    return f"Event-level guarantees, if only a part of one person's data changes: {', '.join(epsilons)}. They do not protect a person."
