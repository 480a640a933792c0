"""One card of a page for each output: what it is, how it was made, what it promises, and what there is to see."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from synthrelease.bundle.disclosure import output_sentences
from synthrelease.dp.guarantee import NoGuarantee, PlausibleDeniability, from_json
from synthrelease.kinds.registry import kind_of, parameters_of
from synthrelease.report.exhibits import Shown
from synthrelease.report.guarantee_words import formal, standing
from synthrelease.report.mechanism_words import noise_words
from synthrelease.report.panels import shown_of
from synthrelease.report.released import Released
from synthrelease.report.row_words import rows_of


class Protection(StrEnum):
    """What kind of promise an output has."""

    PROTECTED = "differentially private"
    CRITERION = "a criterion, no differential privacy"
    UNPROTECTED = "not protected"


@dataclass(frozen=True)
class Card:
    """What a page says of an output."""

    anchor: str  # where it stands in the page
    name: str
    kind: str
    what: str  # it publishes
    rows: tuple[str, ...]
    made: str
    standing: Protection  # the kind of its promise
    promise: str  # it, in words
    formal: str  # in its own notation
    narrower: str  # what it costs where less than a person changes
    noise: str
    steps: tuple[str, ...]  # what was done to the noised integers
    warnings: tuple[str, ...]
    shown: Shown  # what there is to see


def card_of(released: Released, output: dict[str, Any], *, pictures: int) -> Card:
    """Return the card of an output.

    Args:
        released: the bundle it is in.
        output: its entry in the manifest.
        pictures: how many of it are shown at most.
    """
    guarantee = from_json(output["guarantee"])
    match guarantee:
        case PlausibleDeniability():
            kind = Protection.UNPROTECTED if guarantee.vacuous else Protection.CRITERION
        case NoGuarantee():
            kind = Protection.UNPROTECTED
        case _:
            kind = Protection.PROTECTED
    parameters = parameters_of(output)
    done, warnings = output_sentences(output)
    return Card(
        f"output-{output['name']}",
        output["name"],
        kind_of(output).title,
        parameters.summary(),
        tuple(rows_of(released.manifest, output)),
        parameters.procedure(),
        kind,
        standing(output),
        formal(guarantee),
        _narrower(output),
        noise_words(output),
        tuple(done),
        tuple(warnings),
        shown_of(released, output, pictures),
    )


def _narrower(output: dict[str, Any]) -> str:
    told = [
        f"ε = {one['epsilon']:.3g} for a {one['unit']}"
        for one in output["narrower_units"]
        if "epsilon" in one
    ]
    if not told:
        return ""
    return f"If only a part of one person changed, the rest staying, it would be {', '.join(told)}. That protects no person."
