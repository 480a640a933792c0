"""What a dataset had spent after each of its grants and releases: entries read again, one after the other."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from synthrelease.ledgers.account import AccountDebit
from synthrelease.ledgers.chain import LedgerEntry
from synthrelease.ledgers.charge import Grant
from synthrelease.ledgers.history import EntryKind, History


class Moment(NamedTuple):
    """How a dataset stood after an entry."""

    at: str  # when, UTC
    grant: Grant  # that was in force from then on
    spent: float  # ε of all releases until then, at the δ of that grant; infinity if they have none there
    debit: (
        AccountDebit | None
    )  # the release that was charged, as it stands today; None where a budget was granted


def timelines(entries: Iterable[LedgerEntry]) -> dict[str, tuple[Moment, ...]]:
    """Return the moments of each dataset, in their order.

    Args:
        entries: of a ledger that no other program changed.
    """
    history, moments = History(), dict[str, list[Moment]]()
    for entry in entries:
        debit = history.read(entry)
        kind, body = entry.body["kind"], entry.body
        if kind not in (EntryKind.GRANT, EntryKind.DEBIT):
            continue
        dataset = body["dataset"] if debit is None else debit.charge.dataset
        account = history.accounts[dataset]
        moments.setdefault(dataset, []).append(Moment(body["at"], account.grant, account.spent(), debit))
    return {
        dataset: tuple(
            moment if moment.debit is None else moment._replace(debit=history.debit(moment.debit.number))
            for moment in of_dataset
        )
        for dataset, of_dataset in moments.items()
    }
