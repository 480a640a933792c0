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

In a plan, a TOML file, you state what is released, from which files, and with which guarantee. `synthrelease init` proposes one ([import your data](../howto/import.md)). A complete
example is `synthrelease/demo/plan.toml`. Paths are relative to the plan. Unknown keys are errors. Bold choices are defaults.

Editors complete and check your plan by this first line:

    #:schema ../schemas/plan-v1.schema.json

This page is generated from that schema by `scripts/make_reference.py`.
"""
POLICY_HEAD = """# Policy

A policy is a TOML file with limits that you, an archive or a review board set ([choose ε](../howto/choose.md) explains the numbers). With `--policy`, `preview`, `build` and `batch`
refuse a plan that exceeds them (exit code 4; 5 of a batch), and `verify` a bundle (exit code 1). For example:

    [policy]
    name = "Data archive, 2026"
    max_epsilon = 3.0
    max_epsilon_of_dataset = 6.0
    max_delta = 1e-6
    least_people = 50
    guarantees = ["pure_dp", "approx_dp"]
    forbidden_mechanisms = ["liu2019"]
    require_ledger = true
    required_attacks = ["re-identification", "membership"]

This page is generated from `schemas/policy-v1.schema.json` by `scripts/make_reference.py`.
"""


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
    tables = schema["properties"]
    for title, table in {
        "`[inputs.NAME]`": tables["inputs"]["additionalProperties"],
        "`[[outputs]]`": tables["outputs"]["items"],
    }.items():
        names = table["properties"]["kind"]["enum"]
        kinds = {name: {**schema["$defs"][name]} for name in names}
        purposes = {name: kinds[name]["properties"]["kind"]["description"] for name in names}
        shared = shared_keys(list(kinds.values()))
        listed = ", ".join(f"`{json.dumps(name)}`" for name in names)
        shared["description"] = f"Keys of every kind. Required: `kind`, one of {listed}."
        parts.append(section(title, shared, schema))
        for name, node in kinds.items():
            own = {
                key: value
                for key, value in node["properties"].items()
                if key != "kind" and key not in shared["properties"]
            }
            described = {**node, "properties": own, "description": purposes[name]}
            parts.append(section(f"{title} of kind `{name}`", described, schema))
    return "\n".join(parts)


def shared_keys(nodes: list[dict]) -> dict:
    """Return the keys that mean the same in every table."""
    first, *others = nodes
    same = {
        key: value
        for key, value in first["properties"].items()
        if all(other["properties"].get(key) == value for other in others)
        and len({key in node["required"] for node in nodes}) == 1
    }
    return {"properties": same, "required": [key for key in first["required"] if key in same]}


def section(title: str, node: dict, schema: dict) -> str:
    """Return one table of keys."""
    rows = [f"## {title}", ""]
    if "description" in node:
        rows += [meaning(node), ""]
    rows += ["| key | value | meaning |", "|---|---|---|"]
    for key, raw in node["properties"].items():
        value = referred(raw, schema)
        rows.append(row(key, value, schema, required=key in node["required"]))
        if value.get("type") == "object" and "properties" in value:
            for inner, leaf in value["properties"].items():
                needed = inner in value["required"]
                rows.append(row(f"{key}.{inner}", referred(leaf, schema), schema, required=needed))
    return "\n".join(rows) + "\n"


def row(key: str, value: dict, schema: dict, *, required: bool) -> str:
    """Return one line of a table: a key, its values with the default, and what it means."""
    values = kind(value, schema)
    if required:
        values += ", required"
    elif "default" in value and "const" not in value:
        default = f"`{json.dumps(value['default'])}`"
        if "enum" in value:
            values = values.replace(default, f"**{default}**")
        else:
            values += f", default {default}"
    return f"| `{key}` | {values} | {meaning(value)} |"


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
        return ", ".join(f"`{json.dumps(v)}`" for v in node["enum"])
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
