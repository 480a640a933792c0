"""What a release would bring a dataset to, or why it is refused."""

from __future__ import annotations

import math

from synthrelease.dp.filter import private_parts
from synthrelease.errors import PolicyError
from synthrelease.ledger.account import Account, AccountDebit, AccountStanding
from synthrelease.ledger.charge import Charge


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
        left_over: the debit that it uses, if it was paid for before.
        where: for messages.
        most_epsilon: the policy's limit, if there is one.

    Raises:
        PolicyError: the release cannot be paid for.
    """
    grant, dp_filter = account.grant, account.filter
    if dp_filter is not None and not dp_filter.adds_up and private_parts(charge.events).opaque:
        raise PolicyError(
            "tests-do-not-compose",
            "randomized deniability tests are known by (ε, δ) alone and cannot join releases that are composed exactly",
            where=where,
            found='a randomized deniability test (threshold = "randomized")',
            expected="outputs with noise, or private choices, as the dataset's first release has them",
            remedy="give such releases a dataset name and a grant of their own; what the two grants promise adds up",
        )
    standing = account.costs(charge, debit=left_over.number if left_over else None)
    if math.isinf(standing.after):
        raise _unbounded(account, charge, where)
    if standing.after > grant.epsilon:
        raise PolicyError(
            "exceeds-grant",
            "the release would cost more than is left of the grant",
            where=where,
            found=f"ε = {standing.after:g} with this release (ε = {standing.here:g} by itself) at δ = {grant.delta:.2g}",
            expected=f"at most {grant.epsilon:g}, of which {standing.before:g} are spent and "
            f"{max(0.0, grant.epsilon - standing.before):g} remain",
            remedy="lower the plan's ε, publish less, or let whoever answers for the people grant more",
        )
    if most_epsilon is not None and standing.after > most_epsilon:
        raise PolicyError(
            "exceeds-policy",
            "all releases together would cost more than the policy allows (max_epsilon_of_dataset)",
            where=where,
            found=f"ε = {standing.after:g} with this release, {standing.before:g} before it",
            expected=f"at most {most_epsilon:g}",
            remedy="lower the plan's ε, publish less; or ask those whose policy it is",
        )
    return standing


def _unbounded(account: Account, charge: Charge, where: str) -> PolicyError:
    """Why releases have no ε at the grant's δ."""
    grant = account.grant
    if grant.delta == 0:
        return PolicyError(
            "grant-without-delta",
            "the dataset's releases need a δ, and the grant has none",
            where=where,
            found="ε has no bound at δ = 0",
            expected=f"at most ε = {grant.epsilon:g}",
            remedy="noise without δ (Laplace), or let whoever answers for the people grant a δ",
        )
    if account.filter is not None and account.filter.adds_up:
        return PolicyError(
            "exceeds-granted-delta",
            "the releases' own δ, which add up here, come to more than the grant's",
            where=where,
            found=f"δ = {charge.delta:.2g} in this plan",
            expected=f"at most {grant.delta:.2g} for all releases together",
            remedy="lower the plan's δ, or let whoever answers for the people grant a larger one",
        )
    return PolicyError(
        "no-epsilon-at-delta",
        "the release has no ε at the grant's δ",
        where=where,
        found=f"ε has no bound at δ = {grant.delta:.2g}",
        expected=f"at most ε = {grant.epsilon:g}",
        remedy="fewer trials, or let whoever answers for the people grant a larger δ",
    )
