"""An account in lines for a person, and as JSON for a program."""

from __future__ import annotations

import math
from typing import Any

from synthrelease.dp.filter import Filter
from synthrelease.ledger.account import Account, AccountDebit


def as_json(account: Account) -> dict[str, Any]:
    """Return grants and debits for a program; "spent" is null if the releases need a δ and the grant has none."""
    grant, spent = account.grant, account.spent()
    return {
        "epsilon": grant.epsilon,
        "delta": grant.delta,
        "neighbours": str(grant.neighbours),
        "spent": spent if math.isfinite(spent) else None,
        "counted": _counted(account.filter),
        "grants": [
            {"at": entry.at, "epsilon": entry.grant.epsilon, "delta": entry.grant.delta}
            for entry in account.grants
        ],
        "debits": [
            {
                "at": debit.at,
                "release": debit.charge.release,
                "plan": debit.charge.plan,
                "epsilon_alone": debit.standing.here,
                "epsilon_after": debit.standing.after,
                "state": debit.state,
                "drawn": debit.drawn,
                "entry": debit.digest,
                "manifest": debit.released,
                "uncounted": list(debit.charge.uncounted),
            }
            for debit in account.debits.values()
        ],
    }


def as_lines(name: str, account: Account) -> list[str]:
    """Return grants and debits of a dataset for a person, a line each, in their order."""
    grant, spent = account.grant, account.spent()
    spending = (
        f"ε = {spent:.4g} of {grant.epsilon:g} spent, {max(0.0, grant.epsilon - spent):.4g} left"
        if math.isfinite(spent)
        else f"its releases need a δ, and the grant of ε = {grant.epsilon:g} has none: nothing is left"
    )
    lines = [
        f"{name}: {spending}",
        f"  per person ({grant.neighbours}) at δ = {grant.delta:.2g}, however each release was chosen after those before it",
        f"  counted: {_counted(account.filter)}",
    ]
    entries = {number: _debit_lines(debit) for number, debit in account.debits.items()}
    for number, at, granted in account.grants:
        entries[number] = [f"  {at[:10]}  granted ε = {granted.epsilon:g} at δ = {granted.delta:.2g}"]
    return lines + [line for number in sorted(entries) for line in entries[number]]


def _counted(dp_filter: Filter | None) -> str:
    """How releases are counted, by what the first of them was."""
    if dp_filter is None:
        return "nothing yet"
    if dp_filter.adds_up:
        return "the sum of what each costs by itself at its plan's δ"
    order = f"Rényi divergences of order {dp_filter.order:g}"
    if dp_filter.gaussian:
        return f"Gaussian noise by its exact curve at 9/10 of δ; once other noise joins, {order} at 1/10"
    return f"sums of ε while there is no Gaussian noise, or {order}, if that is less"


def _debit_lines(debit: AccountDebit) -> list[str]:
    release, standing = debit.charge.release, debit.standing
    title = f"{release['name']} {release['version']}"
    costs = f"ε = {standing.here:.4g} alone, {standing.after:.4g} together"
    lines = [f"  {debit.at[:10]}  {title:<28}  {costs}  ({debit.state})"]
    if debit.charge.uncounted:
        lines.append(f"              not counted, since no ε covers it: {', '.join(debit.charge.uncounted)}")
    return lines
