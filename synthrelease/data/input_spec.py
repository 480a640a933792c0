"""An input of a plan, with every default filled in."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from synthrelease.data.chosen_rows import ChosenRows
from synthrelease.data.in_memory import InMemoryFrame
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
    frame: InMemoryFrame | None = None  # in place of the file

    @property
    def source(self) -> Source:
        """Where its rows are, and how they are written there."""
        if self.frame is not None:
            return Source(Path(self.frame.name), frame=self.frame)
        options = self.options
        source_fields: dict[str, Any] = {
            key: options[key]
            for key in ("separator", "stop_at_blank", "pattern", "format", "table")
            if key in options
        }
        source_fields |= {
            key: tuple(options[key]) for key in ("header", "lists", "axes", "messages") if key in options
        }
        return Source(self.path, **source_fields)

    @property
    def columns(self) -> list[str]:
        """All columns of its file that it reads."""
        options = self.options
        return [
            *options["columns"].values(),
            *options.get("bounds", ()),
            *options.get("categories", ()),
            *self.chosen.columns,
        ]

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
