"""An account as a person and as a program read it."""

from __future__ import annotations

import math
from typing import Any

from synthrelease.dp.filter import Filter
from synthrelease.ledger.account import Account, Paid


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
            {"at": at, "epsilon": granted.epsilon, "delta": granted.delta}
            for _, at, granted in account.grants
        ],
        "debits": [
            {
                "at": paid.at,
                "release": paid.charge.release,
                "plan": paid.charge.plan,
                "epsilon_alone": paid.standing.here,
                "epsilon_after": paid.standing.after,
                "state": paid.state,
                "drawn": paid.drawn,
                "entry": paid.digest,
                "manifest": paid.released,
                "uncounted": list(paid.charge.uncounted),
            }
            for paid in account.debits.values()
        ],
    }


def as_lines(name: str, account: Account) -> list[str]:
    """Return grants and debits of a dataset for a person, a line each, in their order."""
    grant, spent = account.grant, account.spent()
    told = (
        f"ε = {spent:.4g} of {grant.epsilon:g} spent, {max(0.0, grant.epsilon - spent):.4g} left"
        if math.isfinite(spent)
        else f"its releases need a δ, and the grant of ε = {grant.epsilon:g} has none: nothing is left"
    )
    lines = [
        f"{name}: {told}",
        f"  per person ({grant.neighbours}) at δ = {grant.delta:.2g}, however each release was chosen after those before it",
        f"  counted: {_counted(account.filter)}",
    ]
    granted = [
        (number, [f"  {at[:10]}  granted ε = {one.epsilon:g} at δ = {one.delta:.2g}"])
        for number, at, one in account.grants
    ]
    debited = [(number, _lines_of(paid)) for number, paid in account.debits.items()]
    return lines + [line for _, told in sorted([*granted, *debited]) for line in told]


def _counted(rule: Filter | None) -> str:
    """How releases are counted, by what the first of them was."""
    if rule is None:
        return "nothing yet"
    if rule.adds_up:
        return "the sum of what each costs by itself at its plan's δ"
    order = f"Rényi divergences of order {rule.order:g}"
    if rule.gaussian:
        return f"Gaussian noise by its exact curve at 9/10 of δ; once other noise joins, {order} at 1/10"
    return f"sums of ε while there is no Gaussian noise, or {order}, if that is less"


def _lines_of(paid: Paid) -> list[str]:
    release, standing = paid.charge.release, paid.standing
    title = f"{release['name']} {release['version']}"
    costs = f"ε = {standing.here:.4g} alone, {standing.after:.4g} together"
    lines = [f"  {paid.at[:10]}  {title:<28}  {costs}  ({paid.state})"]
    if paid.charge.uncounted:
        lines.append(f"              not counted, since no ε covers it: {', '.join(paid.charge.uncounted)}")
    return lines
