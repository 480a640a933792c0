"""Random plans and studies in which some texts, which could be anything, are what no one expects there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import polars as pl

from random_plans.draws import Draws, one_of, some_of
from random_plans.plans import FEATURES, GAZE, RandomPlan
from random_plans.study import KINDS, MOODS, RECORDINGS, STIMULI

UNUSUAL = (
    "a line\nanother",
    "ends in one\n",
    "carriage\rreturn",
    "next\u0085line",
    "line\u2028separator",
    "paragraph\u2029separator",
    "escape\x1b[31m",
    "delete\x7f",
    "nothing\x00",
    "x" * 200,
    "x" * 201,
    "\U0001f441" * 200,
    "ü" * 300,
    "",
    " ",
    " blanks around ",
    ".",
    "..",
    "/",
    "a/../b",
    "%2E",
    '"quoted"',
    "back\\slash",
    "<script>alert(1)</script>",
    "{{ title }}",
    "\u202eright to left",
    "\u200b",
    "\u3164",
    "\ufeffmark",
    "FILL IN",
    "TEST SEED - DO NOT PUBLISH",
    "elsewhere",
    "missing",
    "recording",
    "noisy",
    "record",
    "bin_size_mm",
    "0",
    "-0",
    "nan",
    "1e400",
    "null",
    "true",
)
_COLUMNS = ("size_mm", "open", "mood", "kind", "good", "who", "picture", "task", "x", "y", "t", "ms")
_AREAS = ("left", "top")
_NAMES = (*STIMULI, *RECORDINGS, *KINDS, *MOODS, *_COLUMNS, *_AREAS)
_FREE = ("title", "license", "contact")
_KEYS_WITH_NAMES = ("only", "valid", "bounds", "categories", "areas")


def with_unusual_texts(
    draws: Draws, plan: RandomPlan, tables: Mapping[str, pl.DataFrame]
) -> tuple[RandomPlan, dict[str, pl.DataFrame]]:
    """Return a plan and its data, in both of which one to three texts are others, consistently."""
    other: dict[str, str] = {}
    release = dict(plan.document["release"])
    for place in some_of(draws, (*_FREE, *_NAMES))[: draws.integer(1, 3)]:
        if place in _FREE:
            release[place] = one_of(draws, UNUSUAL)
        else:
            other[place] = one_of(draws, UNUSUAL)
    document = {
        **plan.document,
        "release": release,
        "inputs": {name: _body(body, other) for name, body in plan.document["inputs"].items()},
        "outputs": [_body(body, other) for body in plan.document["outputs"]],
    }
    return replace(plan, document=document), {kind: _table(table, other) for kind, table in tables.items()}


def frames_of(plan: RandomPlan, tables: Mapping[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """Return the frame of every input of a plan."""
    return {
        name: tables["gaze" if body["kind"] == "gaze" else "features"]
        for name, body in plan.document["inputs"].items()
    }


def _body(body: Mapping[str, Any], other: Mapping[str, str]) -> dict[str, Any]:
    """An input or an output: its own keys stay."""
    return {key: _renamed(value, other, keys=key in _KEYS_WITH_NAMES) for key, value in body.items()}


def _renamed(value: Any, other: Mapping[str, str], *, keys: bool) -> Any:
    match value:
        case str():
            return value if value in (GAZE, FEATURES) else other.get(value, value)
        case list():
            return [_renamed(one, other, keys=False) for one in value]
        case dict():
            return {
                other.get(key, key) if keys else key: _renamed(one, other, keys=False)
                for key, one in value.items()
            }
    return value


def _table(table: pl.DataFrame, other: Mapping[str, str]) -> pl.DataFrame:
    texts = [name for name, kind in table.schema.items() if kind == pl.String and name != "who"]
    changed = table.with_columns(pl.col(name).replace(dict(other)) for name in texts)
    names = [other.get(name, name) for name in changed.columns]
    return (
        changed
        if len(set(names)) < len(names)
        else changed.rename(dict(zip(table.columns, names, strict=True)))
    )
