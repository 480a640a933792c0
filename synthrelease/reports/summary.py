"""A manifest in a few lines, for a terminal."""

from __future__ import annotations

import shutil
import textwrap
from typing import Any

from synthrelease.bundle.disclosure import (
    WEAK,
    WEAK_CODES,
    output_sentences,
    unprotected_facts,
    warning_sentence,
)
from synthrelease.dp.guarantee import from_json
from synthrelease.kinds.registry import parameters_of
from synthrelease.number_words import participants
from synthrelease.reports.output_words import event_level_epsilons, rows_that_count


def as_lines(manifest: dict[str, Any]) -> list[str]:
    """Return the guarantee of the release and of every output, one line each."""
    privacy = manifest["privacy"]
    lines = [f"Guarantee  {from_json(privacy['guarantee'])}"]
    if privacy["composition"]["outputs"]:
        names = ", ".join(privacy["composition"]["outputs"])
        lines.append(f"           for {names} together ({privacy['composition']['method']})")
    codes = [warning["code"] for warning in manifest["warnings"]]
    if weak := ", ".join(WEAK_CODES[code] for code in codes if code in WEAK_CODES):
        lines.append(f"           {WEAK}: {weak}")
    spent = manifest["ledger"]
    if spent is not None:
        lines.append(
            f"Ledger     all releases of this dataset: ε = {spent['spent_after']:.4g} at δ = {spent['delta']:.2g} "
            f"(earlier {spent['spent_before']:.4g}, this one {spent['spent_here']:.4g})"
        )
    width = max(len(output["name"]) for output in manifest["outputs"])
    for number, output in enumerate(manifest["outputs"]):
        head = "Outputs  " if number == 0 else "         "
        lines.append(
            f"{head}  {output['name']:<{width}}  {output['kind']:<10}  {from_json(output['guarantee'])}"
        )
    return lines


def as_text(manifest: dict[str, Any]) -> str:
    """Return what a bundle contains and guarantees, for people to read."""
    release, privacy = manifest["release"], manifest["privacy"]
    n = privacy["people"]
    people = participants(n)
    lines = [
        f"Title      {release['title']}",
        f"Release    {release['name']} {release['version']}, {release['date']}",
        *(f"{key.capitalize():<10} {release[key]}" for key in ("license", "contact") if key in release),
        f"Made by    {manifest['tool']['name']} {manifest['tool']['version']} from data of {people}",
        "",
        *as_lines(manifest),
    ]
    for output in manifest["outputs"]:
        lines += ["", *_output_lines(output)]
    lines += ["", "Rows"]
    for entry in manifest["inputs"]:
        lines += wrapped("  ", f"{entry['name']}: {' '.join(rows_that_count(entry))}")
    lines += ["", "Not protected"]
    for what, reason in unprotected_facts(manifest):
        lines += wrapped("  ", f"{what}: {reason}")
    if manifest["warnings"]:
        lines += ["", "Warnings"]
        for warning in manifest["warnings"]:
            lines += wrapped("  ", warning_sentence(warning))
    return "\n".join(lines)


def _output_lines(output: dict[str, Any]) -> list[str]:
    mechanism = output["mechanism"]["name"].replace("_", " ")
    lines = [f"{output['name']}: {output['kind']} by {mechanism}, {len(output['paths'])} datasets"]
    if output["noise"] is not None:
        noise = output["noise"]
        name = noise["distribution"].replace("_", " ")
        lines.append(
            f"  noise            {name}, scale {float(noise['scale']):.6g} integer grid units, exact"
        )
        lines += wrapped(
            "  sensitivity      ", parameters_of(output).sentence(output["sensitivity"]["derivation"])
        )
    if epsilons := ", ".join(event_level_epsilons(output)):
        lines += wrapped("  event level      ", f"ε = {epsilons}; this does not protect a person")
    post_processing, warnings = output_sentences(output)
    for step in post_processing:
        lines += wrapped("  post-processing  ", step)
    for warning in warnings:
        lines += wrapped("  caveat           ", warning)
    return lines


def wrapped(head: str, text: str, *, hang: int = 0) -> list[str]:
    """Return the lines of a text behind a head, no wider than the terminal, all but the first `hang` further to the right."""
    width = min(shutil.get_terminal_size((100, 24)).columns, 100)
    indent = (len(head) if len(head) > 2 else 4) + hang
    return textwrap.wrap(text, width, initial_indent=head, subsequent_indent=" " * indent)
