"""An account as a person and as a program read it."""

from __future__ import annotations

from typing import Any

from synthrelease.ledger.account import Account


def as_json(account: Account) -> dict[str, Any]:
    """Return grant and debits for a program."""
    assert account.grant is not None
    return {
        "epsilon": account.grant.epsilon,
        "delta": account.grant.delta,
        "neighbours": str(account.grant.neighbours),
        "spent": account.spent(),
        "debits": [
            {
                "at": paid.at,
                "release": paid.charge.release,
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
    """Return grant and debits of a dataset for a person, a line each."""
    grant = account.grant
    assert grant is not None
    spent = account.spent()
    lines = [
        f"{name}: ε = {spent:.4g} of {grant.epsilon:g} spent, {max(0.0, grant.epsilon - spent):.4g} left",
        f"  per person ({grant.neighbours}), all releases composed exactly at δ = {grant.delta:.2g}",
    ]
    for paid in account.debits.values():
        release, standing = paid.charge.release, paid.standing
        title = f"{release['name']} {release['version']}"
        costs = f"ε = {standing.here:.4g} alone, {standing.after:.4g} with all before it"
        lines.append(f"  {paid.at[:10]}  {title:<28}  {costs}  ({paid.state})")
        if paid.charge.uncounted:
            lines.append(
                f"              not counted, since no ε covers it: {', '.join(paid.charge.uncounted)}"
            )
    return lines
