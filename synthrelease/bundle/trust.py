"""What a manifest says that no file can show: whoever relies on a bundle takes the curator's word for it."""

from __future__ import annotations

from typing import Any


def on_trust(manifest: dict[str, Any]) -> list[str]:
    """Return what only the data could show, in sentences."""
    promised = [(output["name"], output["guarantee"]) for output in manifest["outputs"]]
    told = ["that a label is one person, and that bounds and public lists were chosen without looking"]
    if manifest["manifest_version"] == 1:
        told.append(
            "which rows count, which a manifest of version 1 does not state, and that public facts do not follow from it"
        )
    if any(one["kind"] not in {"none", "plausible_deniability"} for _, one in promised):
        told.append("that rows were limited, and noise was drawn, as stated")
    told += [
        f"that every record of {name} met k = {one['k']} and γ = {one['gamma']:g}"
        for name, one in promised
        if one["kind"] == "plausible_deniability" and not one["vacuous"]
    ]
    return told
