"""An input of a plan, with every default filled in."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from synthrelease.data.chosen_rows import ChosenRows
from synthrelease.data.in_memory import Held
from synthrelease.data.readers import reader_for
from synthrelease.data.source import Source
from synthrelease.errors import SynthReleaseError


@dataclass(frozen=True)
class InputSpec:
    """An input of the plan: its kind, its file, and the plan's other keys with defaults."""

    name: str
    kind: str
    path: Path
    options: dict[str, Any]
    frame: Held | None = None  # in place of the file

    @property
    def source(self) -> Source:
        """Where its rows are, and how they are written there."""
        if self.frame is not None:
            return Source(Path(self.frame.name), frame=self.frame)
        o = self.options
        named: dict[str, Any] = {
            key: o[key] for key in ("separator", "pattern", "format", "table") if key in o
        }
        named |= {key: tuple(o[key]) for key in ("header", "axes", "messages") if key in o}
        return Source(self.path, **named)

    @property
    def columns(self) -> list[str]:
        """All columns of its file that it reads."""
        o = self.options
        return [*o["columns"].values(), *o.get("bounds", ()), *o.get("categories", ()), *self.chosen.columns]

    @property
    def chosen(self) -> ChosenRows:
        """Which of its rows count."""
        return ChosenRows(self.options["only"], self.options["valid"])

    def files(self) -> list[Path]:
        """Return the files that its rows are in, which nothing may replace; where they cannot be found, the path."""
        if self.frame is not None:
            return []
        try:
            return reader_for(self.source).files(self.source)
        except SynthReleaseError:  # said better where it is read
            return [self.path]
