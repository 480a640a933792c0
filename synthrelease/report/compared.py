"""Two releases compared: what changed between them, of which files, and how well these were checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from synthrelease.report.difference import Difference
from synthrelease.report.difference_text import as_text


@dataclass(frozen=True)
class Changed:
    """What changed between two bundles; `str()` of it is what `synthrelease diff` prints.

    Attributes:
        told: promises, outputs and values that changed, as data.
        called: the names of the two files.
        quick: whether only seal, structure and manifests were checked.
    """

    told: Difference
    called: tuple[str, str]
    quick: bool

    @property
    def same(self) -> bool:
        """Whether nothing changed."""
        return self.told.same

    @property
    def hazards(self) -> tuple[str, ...]:
        """What somebody should look into before anybody relies on either, such as noise that was used twice."""
        return self.told.hazards

    def to_json(self) -> dict[str, Any]:
        """Return everything for a program."""
        return {"ok": not self.hazards, "verified": not self.quick, **self.told.to_json()}

    def __str__(self) -> str:
        seen = (
            "seal, structure and manifests; what both claim is taken as it stands. In full: synthrelease verify FILE"
            if self.quick
            else "both in full, as verify does"
        )
        return as_text(self.told, called=self.called, checked=seen)
