"""Something wrong with a bundle."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """Something wrong with a bundle: a `code` for programs, a place, and a sentence for people."""

    code: str
    where: str
    message: str

    def __str__(self) -> str:
        return (
            f"[{self.code}] {self.where}: {self.message}" if self.where else f"[{self.code}] {self.message}"
        )
