"""Mutants put on trial: examined in children that nothing leaves, and held against what they were made from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import content
import layouts
from fork_server import SECONDS, Examine, Outcome, outcomes
from mutants import mutant

from synthrelease.bundle.finding import Verification

SEED = 20261126
_BYTES = ("bits", "bytes", "number", "numbers", "splice", "cut", "insert", "trail", "checksum", "reference")
FORMS = {
    "chunk index": "the last key of an index, of which HDF5 has two forms where there is one row",
}
"""Where other bytes may have the same content. Beside it, a deflate stream may be another one of the same values (chunk bytes, chunk
stream), and two lists of the same names may change places (swap); whatever else is accepted would be room to hide something in."""


def tried(numbers: Sequence[int], *, seed: int, jobs: int = 2) -> Iterator[Outcome]:
    """Yield what becomes of mutants; `told` says layout, kind, what was changed, and where an accepted one differs."""
    for name in layouts.NAMES:
        layouts.layout(name)

    def work(number: int, path: Path, examine: Examine) -> tuple[Verification, dict[str, Any]]:
        one = mutant(number, seed=seed)
        path.write_bytes(one.raw)
        original = layouts.layout(one.layout)
        found = examine(path, allow_test_seed=original.marked)
        told: dict[str, Any] = {"layout": one.layout, "kind": one.kind, "what": one.what}
        if found.ok:
            told["differences"] = content.differences(original, layouts.read(path))
            told["unexplained"] = content.unexplained(told["differences"])
        else:
            told["found"] = [str(finding)[:200] for finding in found.findings[:3]]
        return found, told

    return outcomes(work, numbers, jobs=jobs)


def broken(outcome: Outcome) -> list[str]:
    """Return which guarantees did not hold for a mutant."""
    told = outcome.told if isinstance(outcome.told, dict) else {"what": outcome.told}
    name = f"mutant {outcome.number} ({told.get('layout')}, {told.get('kind')}: {told.get('what')})"
    out = []
    if outcome.result in ("crashed", "hung"):
        out.append(f"{name}: {outcome.result}")
    if outcome.seconds > SECONDS:
        out.append(f"{name}: took {outcome.seconds:.1f} s")
    if outcome.opened:
        out.append(f"{name}: opened {', '.join(outcome.opened)}")
    formless = told.get("kind") in _BYTES and not any(str(told["what"]).startswith(form) for form in FORMS)
    stream = told.get("kind") == "chunk stream"  # not a sentence: a kind of mutants
    behind = stream and not str(told["what"]).endswith(" 0 behind")
    if outcome.result == "accepted" and (formless or behind) and told["differences"] != ["/signature"]:
        out.append(f"{name}: accepted, though bytes are others that a bundle has in one form only")
    if told.get("unexplained"):
        out.append(f"{name}: accepted, and differs in {', '.join(told['unexplained'])}")
    return out
