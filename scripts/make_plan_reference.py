#!/usr/bin/env python3
"""Write docs/plan.md from schemas/plan-v1.schema.json; with --check, exit 1 if that would change it."""

import json
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
HEAD = """# The plan

A plan is a TOML file. Paths in it are relative to it. This page is made from `schemas/plan-v1.schema.json` by
`scripts/make_plan_reference.py`; editors that know JSON schemas complete and check plans with the first line

    #:schema ../schemas/plan-v1.schema.json

A complete example is `synthrelease/demo/plan.toml`. Unknown keys are errors.
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
    """Write or check the page."""
    schema = json.loads((ROOT / "schemas" / "plan-v1.schema.json").read_text("utf-8"))
    parts = [HEAD]
    for name in ("release", "privacy"):
        parts.append(section(f"`[{name}]`", schema["properties"][name], schema))
    for name, title in SECTIONS.items():
        parts.append(section(title, schema["$defs"][name], schema))
    page = "\n".join(parts)
    target = ROOT / "docs" / "plan.md"
    if "--check" in sys.argv:
        return int(page != target.read_text("utf-8"))
    target.write_text(page, "utf-8")
    return 0


def section(title: str, node: dict, schema: dict) -> str:
    """Return one table of keys."""
    rows = [f"## {title}", ""]
    if "description" in node:
        rows += [node["description"], ""]
    rows += ["| key | value | default | meaning |", "|---|---|---|---|"]
    for key, raw in node["properties"].items():
        value = {**resolve(raw, schema), **{k: v for k, v in raw.items() if k != "$ref"}}
        default = (
            "required"
            if key in node["required"]
            else json.dumps(value["default"])
            if "default" in value
            else ""
        )
        rows.append(f"| `{key}` | {kind(value, schema)} | {default} | {value.get('description', '')} |")
        if value.get("type") == "object" and "properties" in value:
            for inner, leaf in value["properties"].items():
                leaf = {**resolve(leaf, schema), **leaf}
                needed = "required" if inner in value["required"] else ""
                rows.append(
                    f"| `{key}.{inner}` | {kind(leaf, schema)} | {needed} | {leaf.get('description', '')} |"
                )
    return "\n".join(rows) + "\n"


def resolve(node: dict, schema: dict) -> dict:
    """Follow a reference into $defs."""
    return schema["$defs"][node["$ref"].rsplit("/", 1)[1]] if "$ref" in node else node


def kind(node: dict, schema: dict) -> str:
    """Say in a word what values a key takes."""
    node = {**resolve(node, schema), **node}
    if "const" in node:
        return f"`{json.dumps(node['const'])}`"
    if "enum" in node:
        return " or ".join(f"`{json.dumps(v)}`" for v in node["enum"])
    if "oneOf" in node:
        return " or ".join(kind(option, schema) for option in node["oneOf"])
    if node.get("type") == "array":
        return f"list of {kind(node['items'], schema)}"
    if "not" in node:
        return "number"
    return {"string": "text", "object": "table"}.get(node["type"], node["type"])


if __name__ == "__main__":
    sys.exit(main())
