#!/usr/bin/env python3
"""Write what kinds of outputs declare into the schemas of plans, manifests and policies; with --check, exit 1 if that would change them.

`schemas/plan-v1.schema.json` has the keys of every kind's `options.json`, `schemas/manifest-v1.schema.json` the public parameters of every mechanism,
`schemas/policy-v1.schema.json` their names. Everything else in them is written by hand.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from synthrelease.kinds.registry import SHIPPED  # noqa: E402
from synthrelease.schemas import with_kinds  # noqa: E402

_NAMES = ("plan-v1", "manifest-v1", "policy-v1")
_WIDTH = 150


def main() -> int:
    """Write or check the files."""
    changed = []
    for name in _NAMES:
        path = ROOT / "schemas" / f"{name}.schema.json"
        text = path.read_text("utf-8")
        whole = with_kinds(json.loads(text), SHIPPED)
        wanted = text_of(whole) + "\n"
        if wanted != text:
            changed.append(name)
            if "--check" not in sys.argv:
                path.write_text(wanted, "utf-8")
    if changed and "--check" in sys.argv:
        print(f"run scripts/make_schemas.py: {', '.join(changed)} would change", file=sys.stderr)
        return 1
    return 0


def text_of(value: Any, indent: str = "") -> str:
    """Return JSON in which whatever fits into a line stands on one."""
    plain = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, dict | list) or len(indent) + len(plain) <= _WIDTH:
        return plain
    inner = indent + "  "
    if isinstance(value, dict):
        lines = [f"{inner}{json.dumps(key)}: {text_of(item, inner)}" for key, item in value.items()]
    else:
        lines = [f"{inner}{text_of(item, inner)}" for item in value]
    first, last = "{}" if isinstance(value, dict) else "[]"
    return "\n".join([first, ",\n".join(lines), indent + last])


if __name__ == "__main__":
    sys.exit(main())
