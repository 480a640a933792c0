"""An output of a plan, with every default filled in."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class OutputSpec:
    """An output of the plan: name, kind, input, and the plan's other keys with defaults."""

    name: str
    kind: str
    input: str
    options: dict[str, Any]
    where: str
    written: frozenset[str] = frozenset()  # the keys that the plan writes; the other options are defaults
    folder: Path = Path()  # of the plan: what paths are relative to
