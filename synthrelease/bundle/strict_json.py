"""JSON that has one meaning: what two readers could understand differently is refused."""

from __future__ import annotations

import json
import math
import re
from typing import Any

_MOST_DIGITS = 400  # of a number: the largest there are have 309
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")  # half of a character in UTF-16


def to_bytes(document: dict[str, Any]) -> bytes:
    """Return an object as indented UTF-8 JSON, keys in order, with a final newline: the one form that a bundle's texts have."""
    text = json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False, sort_keys=True)
    return f"{text}\n".encode()


def from_bytes(raw: bytes, subject: str) -> dict[str, Any]:
    """Read a text strictly: UTF-8, one object, no key twice, no NaN or infinity, no half of a character.

    Args:
        raw: the text.
        subject: it is, for messages: "the manifest".

    Raises:
        ValueError: it is not such a text; the message repeats nothing of it.
    """
    try:
        document = _loaded(raw.decode("utf-8"), subject)
        if _SURROGATE.search(raw):
            json.dumps(document, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise ValueError(f"{subject} holds half a character") from None
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError):
        raise ValueError(f"{subject} is not UTF-8 JSON") from None
    if not isinstance(document, dict):
        raise ValueError(f"{subject} is not a JSON object")  # noqa: TRY004  one kind of error for a bad text
    return document


def _loaded(text: str, subject: str) -> Any:
    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len({key for key, _ in pairs}) < len(pairs):
            raise ValueError(f"{subject} has a key twice in one object")
        return dict(pairs)

    def integer(digits: str) -> int:
        if len(digits) > _MOST_DIGITS:
            raise ValueError(f"{subject} holds a number that is too long or too large")
        return int(digits)

    def number(digits: str) -> float:
        if len(digits) > _MOST_DIGITS or not math.isfinite(value := float(digits)):
            raise ValueError(f"{subject} holds a number that is too long or too large")
        return value

    def constant(name: str) -> float:
        raise ValueError(f"{subject} holds {name}, which is not JSON")

    return json.loads(
        text, object_pairs_hook=unique, parse_constant=constant, parse_int=integer, parse_float=number
    )
