#!/usr/bin/env python3
"""Write docs/reference/plan.md and docs/reference/policy.md from their schemas; with --check, exit 1 if that would change them."""

import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))  # this checkout, not an installed synthrelease

from synthrelease.schemas import referred  # noqa: E402
from synthrelease.schemas import schema as schema_of  # noqa: E402

HEAD = """# Plan

In a plan, a TOML file, you state what is released, from which files, and with which guarantee. `synthrelease init` proposes one ([import your data](../howto/import.md)); a complete
example is `synthrelease/demo/plan.toml`. This page lists every key. Paths are relative to the plan. Unknown keys are errors.

If your editor knows JSON schemas, let it complete and check your plan by this first line:

    #:schema ../schemas/plan-v1.schema.json

This page is generated from that schema by `scripts/make_reference.py`.
"""
POLICY_HEAD = """# Policy

A policy is a TOML file with the limits that you, an archive or a review board set for releases ([choose ε](../howto/choose.md) explains the numbers). With `--policy`, `preview`, `build`
and `batch` refuse a plan that exceeds them (exit code 4; 5 of a batch), and `verify` a bundle (exit code 1). For example:

    [policy]
    name = "Data archive, 2026"
    max_epsilon = 3.0
    max_epsilon_of_dataset = 6.0
    max_delta = 1e-6
    least_people = 50
    guarantees = ["pure_dp", "approx_dp"]
    forbidden_mechanisms = ["liu2019", "bozkir2021"]
    require_ledger = true
    required_attacks = ["re-identification", "membership"]

This page is generated from `schemas/policy-v1.schema.json` by `scripts/make_reference.py`.
"""
SECTIONS = {
    "gaze": "`[inputs.NAME]` of kind `gaze`",
    "features": "`[inputs.NAME]` of kind `features`",
    "heatmap": "`[[outputs]]` of kind `heatmap`",
    "areas": "`[[outputs]]` of kind `areas`",
    "signals": "`[[outputs]]` of kind `signals`",
    "records": "`[[outputs]]` of kind `records`",
    "statistics": "`[[outputs]]` of kind `statistics`",
}


def main() -> int:
    """Write or check the pages."""
    changed = False
    for name, page in {"plan": plan_page(), "policy": policy_page()}.items():
        target = ROOT / "docs" / "reference" / f"{name}.md"
        if "--check" in sys.argv:
            changed |= page != target.read_text("utf-8")
        else:
            target.write_text(page, "utf-8")
    return int(changed)


def policy_page() -> str:
    """Return docs/reference/policy.md."""
    schema = schema_of("policy-v1")
    return "\n".join([POLICY_HEAD, section("`[policy]`", schema["properties"]["policy"], schema)])


def plan_page() -> str:
    """Return docs/reference/plan.md."""
    schema = schema_of("plan-v1")
    parts = [HEAD]
    for name in ("release", "privacy"):
        parts.append(section(f"`[{name}]`", schema["properties"][name], schema))
    for name, title in SECTIONS.items():
        parts.append(section(title, schema["$defs"][name], schema))
    return "\n".join(parts)


def section(title: str, node: dict, schema: dict) -> str:
    """Return one table of keys."""
    rows = [f"## {title}", ""]
    if "description" in node:
        rows += [meaning(node), ""]
    rows += ["| key | value | default | meaning |", "|---|---|---|---|"]
    for key, raw in node["properties"].items():
        value = referred(raw, schema)
        default = (
            "required"
            if key in node["required"]
            else f"`{json.dumps(value['default'])}`"
            if "default" in value
            else ""
        )
        rows.append(f"| `{key}` | {kind(value, schema)} | {default} | {meaning(value)} |")
        if value.get("type") == "object" and "properties" in value:
            for inner, leaf in value["properties"].items():
                leaf = referred(leaf, schema)
                needed = "required" if inner in value["required"] else ""
                rows.append(f"| `{key}.{inner}` | {kind(leaf, schema)} | {needed} | {meaning(leaf)} |")
    return "\n".join(rows) + "\n"


def meaning(node: dict) -> str:
    """Return what a schema says of a key, in Markdown: between `s as it is, elsewhere nothing but words."""
    pieces = node.get("description", "").split("`")
    pieces[::2] = [re.sub(r"([<*|])", r"\\\1", piece) for piece in pieces[::2]]
    return "`".join(pieces)


def kind(node: dict, schema: dict) -> str:
    """Say in a word what values a key takes."""
    node = referred(node, schema)
    if "const" in node:
        return f"`{json.dumps(node['const'])}`"
    if "enum" in node:
        return " or ".join(f"`{json.dumps(v)}`" for v in node["enum"])
    if "oneOf" in node:
        return " or ".join(kind(option, schema) for option in node["oneOf"])
    if node.get("type") == "array":
        return "list of " + re.sub(r"\b(text|number|table|list)\b", r"\1s", kind(node["items"], schema))
    if "not" in node:
        return "number" if "string" in node["not"]["type"] else "number or text"
    return {"string": "text", "object": "table", "integer": "whole number", "boolean": "true or false"}.get(
        node["type"], node["type"]
    )


if __name__ == "__main__":
    sys.exit(main())
