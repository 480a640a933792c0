"""An account as a person and as a program read it."""

from __future__ import annotations

import math
from typing import Any

from synthrelease.ledger.account import Account, Paid


def as_json(account: Account) -> dict[str, Any]:
    """Return grants and debits for a program; "spent" is null if the releases need a δ and the grant has none."""
    grant, spent = account.grant, account.spent()
    return {
        "epsilon": grant.epsilon,
        "delta": grant.delta,
        "neighbours": str(grant.neighbours),
        "spent": spent if math.isfinite(spent) else None,
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
        f"  per person ({grant.neighbours}), all releases composed exactly at δ = {grant.delta:.2g}",
    ]
    granted = [
        (number, [f"  {at[:10]}  granted ε = {one.epsilon:g} at δ = {one.delta:.2g}"])
        for number, at, one in account.grants
    ]
    debited = [(number, _lines_of(paid)) for number, paid in account.debits.items()]
    return lines + [line for _, told in sorted([*granted, *debited]) for line in told]


def _lines_of(paid: Paid) -> list[str]:
    release, standing = paid.charge.release, paid.standing
    title = f"{release['name']} {release['version']}"
    costs = f"ε = {standing.here:.4g} alone, {standing.after:.4g} together"
    lines = [f"  {paid.at[:10]}  {title:<28}  {costs}  ({paid.state})"]
    if paid.charge.uncounted:
        lines.append(f"              not counted, since no ε covers it: {', '.join(paid.charge.uncounted)}")
    return lines
