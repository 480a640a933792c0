"""A release as a record of the Differential Privacy Deployments Registry (https://registry.opendp.org).

Its fields are those of `schemas/dp-registry-v1.schema.json`. The registry takes YAML, one file for a record; this one is a draft:
what no manifest can answer is a comment in it: `templates/dp_registry.yaml`.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Sequence
from typing import Any

from synthrelease.dp.event import PrivateChoice, flatten, from_json
from synthrelease.errors import PolicyError
from synthrelease.exports import guarantee_text
from synthrelease.exports.table_files import write_manifest
from synthrelease.exports.task import ExportTask
from synthrelease.exports.templated import filled
from synthrelease.kinds.registry import parameters_of
from synthrelease.number_words import several

_INDENT = " " * 6  # of lines below a key of the third level
_VARIANTS = {"pure_dp": "Pure DP", "approx_dp": "Approximate DP"}


def write(task: ExportTask) -> list[str]:
    """Write `dp_registry.yaml`, and the manifest that it follows from."""
    record = dp_registry(task.manifest, sha256=task.bundle_digest)
    (task.folder / "dp_registry.yaml").write_text(record, encoding="utf-8", newline="\n")
    return [
        *write_manifest(task),
        "dp_registry.yaml is a draft: lines that begin with # ask for what only you can answer",
    ]


def dp_registry(manifest: dict[str, Any], *, sha256: str) -> str:
    """Return the draft of a record as YAML: in its place, as a comment, what is to be completed.

    Args:
        manifest: of a bundle that verifies.
        sha256: of the bundle, in hexadecimal digits.

    Raises:
        PolicyError: nothing in the release is differentially private.
    """
    release, privacy, tool = manifest["release"], manifest["privacy"], manifest["tool"]
    if not privacy["composition"]["outputs"]:
        raise PolicyError(
            "nothing-private",
            "nothing in this release is differentially private, so a registry of differential privacy cannot list it",
            expected="an output with pure or approximate differential privacy",
            remedy="describe it with --to datacite, which states what is not protected",
        )
    return filled(
        "dp_registry.yaml",
        {"scalar": scalar, "bullets": bullets},
        manifest=manifest,
        release=release,
        privacy=privacy,
        tool=tool,
        guarantee_text=guarantee_text,
        slug=_slug(release),
        product=_product_type(manifest["outputs"]),
        variant=_VARIANTS.get(privacy["guarantee"]["kind"], "Custom"),
        versions=", ".join(f"{name} {version}" for name, version in tool["dependencies"].items()),
        parameters=[_parameters(output) for output in manifest["outputs"]],
        mechanisms=[_mechanism(output) for output in manifest["outputs"]],
        additional=_additional(manifest, sha256),
    )


def _additional(manifest: dict[str, Any], sha256: str) -> list[str]:
    release = manifest["release"]
    licence = [f"Licence: {release['license']}."] if "license" in release else []
    return [
        f"Version {release['version']} of {release['name']}, built on {release['date']}.",
        *licence,
        guarantee_text.how_to_verify(sha256),
        *guarantee_text.biases(manifest),
        *guarantee_text.warnings(manifest),
    ]


def _mechanism(output: dict[str, Any]) -> str:
    leaves = flatten(from_json(output["event"]))
    choices = sum(isinstance(leaf, PrivateChoice) for leaf in leaves)
    parts = [f"{output['name']}: {output['kind']} by {output['mechanism']['name'].replace('_', ' ')}"]
    if choices:
        parts.append(f"{several(choices, 'DP selection')} by permute-and-flip")
    if output["noise"] is None:
        return "; ".join([*parts, "no noise of integers"])
    parts.append("integers, whose noise is drawn exactly and not in floating point")
    noise, sensitivity = output["noise"], output["sensitivity"]
    parts.append(
        f"{noise['distribution'].replace('_', ' ')} noise of scale {noise['scale']} grid units on a vector of integers whose "
        f"{sensitivity['norm'].upper()} sensitivity is {sensitivity['value']} steps: {parameters_of(output).sentence(sensitivity['derivation'])}"
    )
    return "; ".join(parts)


def _parameters(output: dict[str, Any]) -> str:
    """All parameters of a mechanism but its lists, which are long, and stand in the manifest."""
    stated = output["mechanism"]["parameters"]
    short = {key: value for key, value in stated.items() if not isinstance(value, list | dict)}
    listed = ", ".join(f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in short.items())
    return f"{output['name']}, parameters: {listed}"


def _product_type(outputs: list[dict[str, Any]]) -> str:
    products = {parameters_of(output).product for output in outputs}
    return products.pop() if len(products) == 1 else "Dataset"


def _slug(release: dict[str, Any]) -> str:
    words = f"{release['name']} {release['version']} {release['date'][:4]}"
    return re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-")


def scalar(value: Any) -> str:
    """Return a number, or a text between quotation marks, as every reader of YAML takes it alike, of version 1.1 too."""
    if isinstance(value, float):
        digits, power, exponent = repr(value).partition("e")
        # Without a point, 1e-06 is a text to readers of YAML 1.1.
        return f"{digits if '.' in digits else digits + '.0'}{power}{exponent}"
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return "".join(letter if _printable(letter) else f"\\U{ord(letter):08X}" for letter in text)


def bullets(sentences: Sequence[str]) -> str:
    """Return sentences as one text, a line each: as they are, if all of them can stand so."""
    lines = [f"- {sentence}" for sentence in sentences]
    if lines and all(line == line.rstrip() and all(map(_printable, line)) for line in lines):
        return "\n".join(["|-", *(f"{_INDENT}{line}" for line in lines)])
    return scalar("\n".join(lines))


def _printable(letter: str) -> bool:
    """Whether a letter can stand in a file that a person completes: not if it turns the line round, or is not seen."""
    return letter.isprintable() or unicodedata.category(letter) == "Zs"
