"""A manifest in a few lines, for a terminal."""

from __future__ import annotations

from typing import Any

from synthrelease.privacy.guarantee import Guarantee, from_json


def as_lines(manifest: dict[str, Any]) -> list[str]:
    """Return the promise of the release and of every output, one line each."""
    privacy = manifest["privacy"]
    lines = [f"Promise    {_guarantee(privacy['guarantee'])}"]
    if privacy["composition"]["outputs"]:
        names = ", ".join(privacy["composition"]["outputs"])
        lines.append(f"           for {names} together ({privacy['composition']['method']})")
    width = max(len(output["name"]) for output in manifest["outputs"])
    for number, output in enumerate(manifest["outputs"]):
        head = "Outputs  " if number == 0 else "         "
        lines.append(
            f"{head}  {output['name']:<{width}}  {output['kind']:<10}  {_guarantee(output['guarantee'])}"
        )
    return lines


def as_text(manifest: dict[str, Any]) -> str:
    """Return what a bundle contains and promises, for a person."""
    release, privacy = manifest["release"], manifest["privacy"]
    people = "a private number of" if privacy["people"] is None else str(privacy["people"])
    lines = [
        f"{release['title']}",
        f"{release['name']} {release['version']}, {release['date']}"
        + "".join(f", {release[key]}" for key in ("license", "contact") if key in release),
        f"made by {manifest['tool']['name']} {manifest['tool']['version']} from data of {people} people",
        "",
        *as_lines(manifest),
    ]
    for output in manifest["outputs"]:
        lines += [
            "",
            f"{output['name']}: {output['kind']} by {output['mechanism']['name']}, {len(output['paths'])} datasets",
        ]
        if output["noise"] is not None:
            noise = output["noise"]
            lines.append(
                f"  noise      {noise['distribution'].replace('_', ' ')}, scale {float(noise['scale']):.6g}, exact"
            )
            lines.append(f"  because    {output['sensitivity']['derivation']}")
        lines += [f"  then       {step}" for step in output["post_processing"]]
        lines += [f"  mind       {warning}" for warning in output["warnings"]]
    lines += ["", "Not protected"]
    lines += [f"  {entry['what']}: {entry['reason']}" for entry in privacy["not_protected"]]
    if manifest["warnings"]:
        lines += ["", "Warnings", *(f"  {warning}" for warning in manifest["warnings"])]
    return "\n".join(lines)


def _guarantee(form: dict[str, Any]) -> Guarantee:
    return from_json(form)
