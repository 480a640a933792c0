"""The kinds of output: each turns a plan's words into a mechanism, and a mechanism into a manifest's words.

A new kind is one file here, one branch of the plan's schema, and its public half in `kinds`.
"""

from __future__ import annotations

from collections.abc import Callable

from synthrelease.data.facts import Facts
from synthrelease.outputs import areas, heatmap, records, signals, statistics
from synthrelease.outputs.resolved import ResolvedOutput
from synthrelease.plan import InputSpec, OutputSpec
from synthrelease.privacy.guarantee import Neighbours

Resolve = Callable[[OutputSpec, InputSpec, Facts, Neighbours], ResolvedOutput]

KINDS: dict[str, Resolve] = {
    "heatmap": heatmap.resolve,
    "signals": signals.resolve,
    "records": records.resolve,
    "statistics": statistics.resolve,
    "areas": areas.resolve,
}

__all__ = ["KINDS", "ResolvedOutput"]
