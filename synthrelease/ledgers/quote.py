"""The budget of a dataset after a release, or why the release is refused."""

from __future__ import annotations

import math

from synthrelease.dp.filter import private_parts
from synthrelease.errors import PolicyError
from synthrelease.ledgers.account import Account, AccountDebit, AccountStanding
from synthrelease.ledgers.charge import Charge

INSTEAD = "or publish less, or ask the data steward for a larger budget"  # of lowering ε


def quoted(
    account: Account,
    charge: Charge,
    left_over: AccountDebit | None,
    *,
    where: str,
    most_epsilon: float | None = None,
) -> AccountStanding:
    """Return how the dataset will stand, within its grant and a policy's limit.

    Args:
        account: of the dataset.
        charge: of the release.
        left_over: the debit that it uses, if it was charged before.
        where: for messages.
        most_epsilon: the policy's limit, if there is one.

    Raises:
        PolicyError: the budget does not cover the release.
    """
    grant, dp_filter = account.grant, account.filter
    if dp_filter is not None and not dp_filter.adds_up and private_parts(charge.events).opaque:
        raise PolicyError(
            "tests-do-not-compose",
            "randomized deniability tests are known only by (ε, δ) and cannot be composed exactly with other releases",
            where=where,
            found='a randomized deniability test (threshold = "randomized")',
            expected="outputs with noise, or private choices, as the dataset's first release has them",
            remedy="use another dataset name and budget for such releases; the guarantees of both budgets add up",
        )
    standing = account.costs(charge, debit=left_over.number if left_over else None)
    if math.isinf(standing.after):
        raise _unbounded(account, charge, where)
    if standing.after > grant.epsilon:
        is_more = standing.after > standing.before + standing.here
        superadditive = (
            ": releases of unlike noise can cost more together than they add up to" if is_more else ""
        )
        raise PolicyError(
            "exceeds-grant",
            "all releases together would cost more than the budget",
            where=where,
            found=f"ε = {standing.after:g} with this release, {standing.before:g} without it; by itself it costs {standing.here:g} (at δ = {grant.delta:.2g}){superadditive}",
            expected=f"at most {grant.epsilon:g} together",
            remedy=f"lower ε in the plan; {INSTEAD}",
        )
    if most_epsilon is not None and standing.after > most_epsilon:
        raise PolicyError(
            "exceeds-policy",
            "all releases together would cost more than the policy allows (max_epsilon_of_dataset)",
            where=where,
            found=f"ε = {standing.after:g} after this release, {standing.before:g} before it",
            expected=f"at most {most_epsilon:g}",
            remedy="lower ε in the plan, publish less, or ask the authors of the policy",
        )
    return standing


def _unbounded(account: Account, charge: Charge, where: str) -> PolicyError:
    """Why releases have no ε at the grant's δ."""
    grant = account.grant
    if grant.delta == 0:
        return PolicyError(
            "grant-without-delta",
            "the releases of the dataset need a δ, and the budget has none",
            where=where,
            found="ε has no bound at δ = 0",
            expected=f"at most ε = {grant.epsilon:g}",
            remedy="choose noise without δ (Laplace), or ask the data steward for a budget with a δ",
        )
    if account.filter is not None and account.filter.adds_up:
        return PolicyError(
            "exceeds-granted-delta",
            "the δ of all releases, which add up here, exceed the δ of the budget",
            where=where,
            found=f"δ = {charge.delta:.2g} in this plan",
            expected=f"at most {grant.delta:.2g} for all releases together",
            remedy="lower δ in the plan, or ask the data steward for a larger δ",
        )
    return PolicyError(
        "no-epsilon-at-delta",
        "the release has no finite ε at the δ of the budget",
        where=where,
        found=f"ε has no bound at δ = {grant.delta:.2g}",
        expected=f"at most ε = {grant.epsilon:g}",
        remedy="use fewer trials, or ask the data steward for a larger δ",
    )
