"""What to do about a label that an output names and its input does not have."""

from __future__ import annotations

from synthrelease.plan import InputSpec


def as_label(key: str, asked: str, source: InputSpec) -> str:
    """Return a remedy for a key that names a column which is none of the input's labels, though it may be mapped as one."""
    if source.options["columns"].get("recording") == asked:
        return f"write {key} = \"recording\": the column '{asked}' is mapped as that"
    return f"add the column and its labels under inputs.{source.name}.categories, or map it as recording"
