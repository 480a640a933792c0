"""What a manifest states as a code with fields: programs compare these, and a sentence is made of them where it is shown.

So a sentence can be improved without a bundle that was valid becoming invalid.
"""

from __future__ import annotations

import string
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from synthrelease.number_words import several


@dataclass(frozen=True)
class Remark:
    """A code with fields."""

    code: str
    fields: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return the manifest's form."""
        return {"code": self.code, "fields": dict(self.fields)}


def remark(code: str, **fields: Any) -> Remark:
    """Return a remark."""
    return Remark(code, fields)


def sentence(stated: Remark | Mapping[str, Any], sentences: Mapping[str, str]) -> str:
    """Return the sentence of a remark.

    Args:
        stated: the remark, also as a manifest has it.
        sentences: by code, with fields in braces; `{number:several noun}` is a number with its noun.
    """
    if isinstance(stated, Mapping):
        stated = Remark(stated["code"], stated["fields"])
    try:
        return _Sentence().vformat(sentences[stated.code], (), stated.fields)
    except (KeyError, ValueError, TypeError):
        # Of a version to come, a kind that is not installed, or a manifest with faults.
        fields = ", ".join(f"{key} = {value}" for key, value in stated.fields.items())
        return f"{stated.code} ({fields})" if fields else stated.code


class _Sentence(string.Formatter):
    def format_field(self, value: Any, format_spec: str) -> str:
        if format_spec.startswith("several "):
            return several(value, format_spec.removeprefix("several "))
        result: str = super().format_field(value, format_spec)
        return result
