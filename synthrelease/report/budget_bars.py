"""The budget of a release as bars: what each output takes, all together, and all releases of the dataset."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from synthrelease.report.number_words import listed, scientific_up, short

_SHOWN = 30  # outputs; of more the dearest


@dataclass(frozen=True)
class BudgetBar:
    """A bar."""

    name: str  # of what costs so much
    value: str  # ε, in words
    share: float  # its length, from 0 to 1
    tone: str  # "part", "whole" or "limit"


@dataclass(frozen=True)
class BudgetChart:
    """Bars on one scale."""

    title: str  # what they are
    bars: tuple[BudgetBar, ...]  # in their order
    notes: tuple[str, ...]  # how to read them


def budget_charts(manifest: dict[str, Any]) -> list[BudgetChart]:
    """Return a chart of the outputs that are differentially private, and one of the ledger where there is one."""
    charts = []
    if manifest["privacy"]["composition"]["outputs"]:
        charts.append(_of_outputs(manifest))
    if manifest["ledger"] is not None:
        charts.append(_of_ledger(manifest["ledger"]))
    return charts


def _of_outputs(manifest: dict[str, Any]) -> BudgetChart:
    privacy = manifest["privacy"]
    covered, total = privacy["composition"]["outputs"], privacy["guarantee"]["epsilon"]
    allowed, delta = privacy["budget"]["epsilon"], privacy["guarantee"].get("delta", 0.0)
    own = {o["name"]: o["guarantee"]["epsilon"] for o in manifest["outputs"] if o["name"] in covered}
    shown = sorted(own, key=lambda name: -own[name])[:_SHOWN]
    rows = [(name, own[name], "part") for name in own if name in shown]
    rows += [("all together", total, "whole"), ("allowed by the plan", allowed, "limit")]
    notes = []
    if len(own) > len(shown):
        notes.append(f"The {len(own) - len(shown)} other outputs take less each.")
    if len(own) > 1:
        added = sum(own.values())
        less = f"less than the {short(added)} that they add up to: noise of several outputs also hides one person's part of the others"
        told = f"Together they cost a person ε = {short(total)}"
        notes.append(f"{told}, {less}." if total < added * (1 - 1e-6) else f"{told}.")
    elsewhere = {o["guarantee"].get("delta", 0.0) for o in manifest["outputs"] if o["name"] in own}
    if delta:
        notes.append(f"All together at δ = {scientific_up(delta)}.")
        if elsewhere - {delta}:
            notes.append("Each output by itself is told at a δ of its own, with its card.")
    without = [o["name"] for o in manifest["outputs"] if o["name"] not in own]
    if without:
        notes.append(f"No ε covers {listed(without)}: no bar stands for that, and it is not free.")
    return BudgetChart("This release, per person", _bars(rows), tuple(notes))


def _of_ledger(ledger: dict[str, Any]) -> BudgetChart:
    before, here, after = (ledger[key] for key in ("spent_before", "spent_here", "spent_after"))
    rows = [
        ("releases before this one", before, "part"),
        ("this release", here, "part"),
        ("all of them together", after, "whole"),
    ]
    notes = [
        f"As the curator's ledger has it at δ = {scientific_up(ledger['delta'])}, however each release was chosen."
    ]
    if before == 0:
        notes.append("The ledger knows of no release of this dataset before this one.")
    return BudgetChart("All releases of this dataset, per person", _bars(rows), tuple(notes))


def _bars(rows: list[tuple[str, float, str]]) -> tuple[BudgetBar, ...]:
    most = max((value for _, value, _ in rows), default=0.0) or 1.0
    return tuple(BudgetBar(name, f"ε = {short(value)}", value / most, tone) for name, value, tone in rows)
