"""Values as TOML writes them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def toml(value: Any) -> str:
    """Return a value as TOML writes it, on one line."""
    match value:
        case bool():
            return str(value).lower()
        case str():
            return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
        case int():
            return str(value)
        case float():
            short = f"{value:g}"
            return short if float(short) == value else repr(value)
        case Mapping():
            pairs = ", ".join(f"{toml_key(name)} = {toml(inner)}" for name, inner in value.items())
            return f"{{ {pairs} }}"
        case _:
            return f"[{', '.join(map(toml, value))}]"


def toml_key(name: str) -> str:
    """Return a key as TOML writes it: in quotes only where it needs them."""
    return name if name.replace("_", "").replace("-", "").isalnum() and name.isascii() else toml(name)
