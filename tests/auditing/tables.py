"""What was found, as tables of Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from auditing.planting import Fault
    from auditing.probes import Audit

HEAD = ("planted fault", "where", "detector", "it said", "verdict")
BOUNDS_HEAD = ("mechanism", "runs", "claimed ε", "at δ", "proved ε", "share", "proved μ, share", "reach")


def fault_rows(faults: Sequence[Fault], *, seed: int) -> Iterator[tuple[str, ...]]:
    """Plant the faults one by one and yield what each detector says."""
    for fault in faults:
        for detector in fault.detectors:
            verdict = detector.run(seed, fault.plant)
            said = verdict.said.replace("|", "/")
            yield fault.words, fault.where, detector.name, said, "caught" if verdict.alarm else "missed"


def bounds_row(found: Audit) -> tuple[str, ...]:
    """Return one line on the bounds of a mechanism."""
    mu = "" if found.mu is None or found.claim.mu is None else f"{found.mu / found.claim.mu:.0%}"
    return (
        found.name,
        f"{found.runs:,}".replace(",", " "),
        f"{found.claim.epsilon:.3g}",
        f"{found.claim.delta:.2g}",
        f"{found.epsilon:.3f}",
        f"{found.epsilon / found.claim.epsilon:.0%}",
        mu,
        "" if found.reach is None else f"{found.reach:.0%}",
    )


def markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)
