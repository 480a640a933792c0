"""Results as JSON holds them: every field by its name, and None for what is not a finite number."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields
from enum import Enum
from typing import Any, ClassVar, cast


class JsonForm:
    """A dataclass whose JSON form is its fields, but for those that `UNWRITTEN` names."""

    UNWRITTEN: ClassVar[tuple[str, ...]] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the fields by name, as JSON holds them; None for what is not a finite number."""
        names = [field.name for field in fields(cast("Any", self)) if field.name not in self.UNWRITTEN]
        return {name: json_form(getattr(self, name)) for name in names}


def json_form(value: Any) -> Any:
    """Return a value as JSON holds it, whatever it is made of; None for what is not a finite number."""
    match value:
        case JsonForm():
            return value.to_json()
        case Enum():
            return value.value
        case float():  # of NumPy, too
            return float(value) if math.isfinite(value) else None
        case Mapping():
            return {name: json_form(part) for name, part in value.items()}
        case list() | tuple():
            return [json_form(part) for part in value]
        case _:
            return value
