"""The budget of a release as bars: what each output spends, the total, and all releases of the dataset."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from synthrelease.number_words import listed, scientific_up, short

_SHOWN = 30  # outputs; of more the dearest


@dataclass(frozen=True)
class BudgetBar:
    """A bar."""

    name: str  # of what costs so much
    value: str  # ε, in words
    fraction: float  # its length, from 0 to 1
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
    covered = [o for o in manifest["outputs"] if o["name"] in privacy["composition"]["outputs"]]
    total = privacy["guarantee"]["epsilon"]
    allowed, delta = privacy["budget"]["epsilon"], privacy["guarantee"].get("delta", 0.0)
    epsilons = {output["name"]: output["guarantee"]["epsilon"] for output in covered}
    shown = sorted(epsilons, key=lambda name: -epsilons[name])[:_SHOWN]
    bars = [(name, epsilons[name], "part") for name in epsilons if name in shown]
    bars += [("total", total, "whole"), ("limit in the plan", allowed, "limit")]
    notes = []
    if len(epsilons) > len(shown):
        notes.append(f"The {len(epsilons) - len(shown)} other outputs spend less each.")
    if len(epsilons) > 1:
        summed = sum(epsilons.values())
        comparison = f"less than the sum of {short(summed)}, because composition is tighter than addition"
        cost = f"The total per person is ε = {short(total)}"
        notes.append(f"{cost}, {comparison}." if total < summed * (1 - 1e-6) else f"{cost}.")
    deltas = {output["guarantee"].get("delta", 0.0) for output in covered}
    if delta:
        notes.append(f"The total holds at δ = {scientific_up(delta)}.")
        if deltas - {delta}:
            notes.append("The ε of each output holds at its own δ, which its card states.")
    uncovered = [output["name"] for output in manifest["outputs"] if output["name"] not in epsilons]
    if uncovered:
        notes.append(
            f"No ε covers {listed(uncovered)}: there is no bar for it, but it does reveal information."
        )
    return BudgetChart("This release, per person", _bars(bars), tuple(notes))


def _of_ledger(ledger: dict[str, Any]) -> BudgetChart:
    before, this_release, after = (ledger[key] for key in ("spent_before", "spent_here", "spent_after"))
    rows = [
        ("earlier releases", before, "part"),
        ("this release", this_release, "part"),
        ("total", after, "whole"),
    ]
    notes = [
        f"From the curator's ledger, at δ = {scientific_up(ledger['delta'])}. It holds even if later releases were chosen after seeing earlier ones."
    ]
    if before == 0:
        notes.append("The ledger has no earlier release of this dataset.")
    return BudgetChart("All releases of this dataset, per person", _bars(rows), tuple(notes))


def _bars(rows: list[tuple[str, float, str]]) -> tuple[BudgetBar, ...]:
    longest = max((value for _, value, _ in rows), default=0.0) or 1.0
    return tuple(BudgetBar(name, f"ε = {short(value)}", value / longest, tone) for name, value, tone in rows)
