"""What a build that was interrupted left: whether its bundle is complete, and what the ledger counts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from synthrelease.errors import SynthReleaseError
from synthrelease.ledgers import Ledger
from synthrelease.plan.plan import CheckedPlan
from synthrelease.studio.jobs import Job


@dataclass(frozen=True)
class Leftovers:
    """What there is to know before a build is started again."""

    is_complete: bool  # whether the bundle got its name: that is the last that a build does but for its notes
    unused: float | None = (
        None  # ε that was charged, but no noise drawn on it: the same plan's next build uses it
    )
    lost: float = (
        0.0  # ε that was charged and drawn on, and no bundle is known of; of all builds of this plan
    )


def leftovers(plan: CheckedPlan, job: Job | None, digest_of: Callable[[str], str | None]) -> Leftovers | None:
    """Return what a build left that was interrupted; None if it was not.

    Args:
        plan: as it is now.
        job: the last build.
        digest_of: returns the digest of a file, as it is now.
    """
    if job is None or not job.is_interrupted:
        return None
    is_complete = any(digest_of(bundle) not in (None, before) for bundle, before in job.before.items())
    if plan.ledger is None:
        return Leftovers(is_complete)
    try:
        account, _ = Ledger(plan.ledger).over_time(plan.dataset)[plan.dataset]
    except SynthReleaseError:  # the page of the ledger says what is wrong with it
        return Leftovers(is_complete)
    open_debits = [
        debit
        for debit in account.debits.values()
        if debit.charge.plan == plan.digest and debit.released is None
    ]
    unused = [debit.standing.here for debit in open_debits if not debit.drawn and debit.owner.has_ended()]
    lost = sum(debit.standing.here for debit in open_debits if debit.drawn)
    return Leftovers(is_complete, unused[0] if unused else None, lost)
