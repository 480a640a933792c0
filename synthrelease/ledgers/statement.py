"""An account as text, and as JSON for a program."""

from __future__ import annotations

import math
from typing import Any

from synthrelease.dp.filter import Filter
from synthrelease.ledgers.account import Account, AccountDebit


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


def standing_words(account: Account) -> tuple[str, str, str]:
    """Return how a dataset stands: what is spent and left, of what, and how it is counted."""
    grant, spent = account.grant, account.spent()
    return (
        f"ε = {spent:.4g} of {grant.epsilon:g} spent, {max(0.0, grant.epsilon - spent):.4g} left"
        if math.isfinite(spent)
        else f"its releases need a δ, and the budget of ε = {grant.epsilon:g} has none: nothing is left",
        f"per person ({grant.neighbours}) at δ = {grant.delta:.2g}, even if releases were planned after seeing earlier ones",
        f"accounting: {_counted(account.filter)}",
    )


def as_lines(name: str, account: Account) -> list[str]:
    """Return grants and debits of a dataset as text, a line each, in their order."""
    spending, *more = standing_words(account)
    lines = [f"{name}: {spending}", *(f"  {words}" for words in more)]
    entries = {number: _debit_lines(debit) for number, debit in account.debits.items()}
    for number, at, granted in account.grants:
        entries[number] = [f"  {at[:10]}  budget ε = {granted.epsilon:g} at δ = {granted.delta:.2g}"]
    return lines + [line for number in sorted(entries) for line in entries[number]]


def _counted(dp_filter: Filter | None) -> str:
    """How releases are accounted, by what the first of them was."""
    if dp_filter is None:
        return "nothing yet"
    if dp_filter.adds_up:
        return "simple composition: the sum of ε at the δ of each plan"
    order = f"RDP of order {dp_filter.order:g}"
    if dp_filter.gaussian:
        return f"exact Gaussian (GDP) at 0.9 δ; {order} at 0.1 δ once other noise is used"
    return f"simple composition while there is no Gaussian noise, or {order} if that is less"


def _debit_lines(debit: AccountDebit) -> list[str]:
    release, standing = debit.charge.release, debit.standing
    title = f"{release['name']} {release['version']}"
    costs = f"ε = {standing.here:.4g}, total {standing.after:.4g}"
    lines = [f"  {debit.at[:10]}  {title:<28}  {costs}  ({debit.state})"]
    if uncounted := uncounted_words(debit):
        lines.append(f"              {uncounted}")
    return lines


def uncounted_words(debit: AccountDebit) -> str:
    """Return which outputs of a release are not counted; "" if all are."""
    uncounted = ", ".join(debit.charge.uncounted)
    return f"not counted (no ε covers it): {uncounted}" if uncounted else ""
