"""What an audit of a ledger detects: a broken chain of entries, wrong totals, bundles that were not charged."""

from __future__ import annotations

import hashlib
import hmac
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from synthrelease.bundle.manifest import to_bytes
from synthrelease.dp import accounting
from synthrelease.dp import event as events
from synthrelease.dp.guarantee import Neighbours
from synthrelease.ledgers import chain
from synthrelease.ledgers.account import AccountDebit
from synthrelease.ledgers.chain import LedgerEntry, LedgerFault
from synthrelease.ledgers.history import History, InvalidEntryError

# Relative: a unit of the fourth digit, where two versions of the accounting library may round apart.
_TOLERANCE = 1e-3
Manifest = dict[str, Any]


def faults(
    entries: Sequence[LedgerEntry],
    *,
    digests: Sequence[str] = (),
    manifests: Mapping[str, Manifest] | None = None,
) -> Iterator[LedgerFault]:
    """Yield what is wrong with entries.

    Args:
        entries: all that the ledger has.
        digests: of entries, noted before: they must still be there.
        manifests: of bundles that were published, by name: each must have a debit of its own.
    """
    fault = next(chain.faults(entries), None)
    if fault is not None:
        yield fault
        return
    history, debit_of_digest = History(), {}
    for entry in entries:
        try:
            debit = history.read(entry)
        except InvalidEntryError as error:
            yield error.fault
            return
        if debit is not None:
            debit_of_digest[entry.digest] = debit.number
            yield from _standing_faults(history, debit, entry)
    entry_digests = {entry.digest for entry in entries}
    for digest in digests:
        if digest not in entry_digests:
            yield LedgerFault("unknown-digest", "", f"no entry has the digest {digest}")
    yield from _manifest_faults(history, debit_of_digest, manifests or {})


def _standing_faults(history: History, debit: AccountDebit, entry: LedgerEntry) -> Iterator[LedgerFault]:
    """Where a debit states another cost than the events up to it have, or exceeds its grant."""
    account, stated, where = history.account_of(debit), debit.standing, f"entry {entry.number}"
    if entry.body.get("grant") != account.granted_by:
        yield LedgerFault("nothing-granted", where, f"{where}: charged to a grant that does not exist")
        return
    try:
        due = account.costs(debit.charge, debit=debit.number)
    except (ArithmeticError, ValueError):
        yield LedgerFault("no-cost", where, f"{where}: the cost of its events cannot be computed")
        return
    for code, moment, epsilon, amount in (
        ("wrong-before", "before it", stated.before, due.before),
        ("wrong-here", "for this release", stated.here, due.here),
        ("wrong-after", "after it", stated.after, due.after),
    ):
        if not math.isclose(epsilon, amount, rel_tol=_TOLERANCE):
            yield LedgerFault(
                code, where, f"{where}: stated ε = {epsilon:g} {moment}, the events cost {amount:g}"
            )
    if not max(stated.after, due.after / (1 + _TOLERANCE)) <= account.grant.epsilon:
        yield LedgerFault(
            "exceeds-grant", where, f"{where}: ε = {due.after:g} spent of {account.grant.epsilon:g} granted"
        )


def _manifest_faults(
    history: History, debit_of_digest: Mapping[str, int], manifests: Mapping[str, Manifest]
) -> Iterator[LedgerFault]:
    """Where a bundle is not the release that a debit of the ledger is of."""
    released: dict[int, tuple[str, Manifest]] = {}
    for name, manifest in manifests.items():
        stated = manifest["ledger"]
        if stated is None:
            yield LedgerFault("not-paid", name, f"{name} was not charged to any ledger")
            continue
        if stated["entry"] not in debit_of_digest:
            yield LedgerFault("unknown-debit", name, f"{name}: no debit has the digest {stated['entry']}")
            continue
        number = debit_of_digest[stated["entry"]]
        debit = history.debit(number)
        if debit.digest != stated["entry"] or not _is_paid_by(history, debit, manifest):
            yield LedgerFault(
                "other-release", name, f"{name}: entry {number} was charged for another release"
            )
        elif number in released and released[number][1] != manifest:  # a copy shows nothing more
            yield LedgerFault(
                "shared-debit", name, f"{name}: entry {number} was charged for {released[number][0]}, too"
            )
        released[number] = name, manifest


def _is_paid_by(history: History, debit: AccountDebit, manifest: Manifest) -> bool:
    """Whether a debit is of this release, and noise was drawn on it or none was needed."""
    stated, account = manifest["ledger"], history.account_of(debit)
    identity = dataset_id(history.key, debit.charge.dataset)
    released = hashlib.sha256(to_bytes(manifest)).hexdigest()
    standing = debit.standing
    recorded = [events.from_json(output["event"]) for output in manifest["outputs"]]
    cost = accounting.epsilon_at(
        recorded, delta=stated["delta"], neighbours=Neighbours(manifest["privacy"]["neighbours"])
    )
    return (
        stated["dataset_id"] == identity
        and {key: manifest["release"][key] for key in ("name", "version")} == debit.charge.release
        and manifest["privacy"]["neighbours"] == str(debit.charge.neighbours)
        and (stated["spent_before"], stated["spent_here"], stated["spent_after"])
        == (standing.before, standing.here, standing.after)
        and stated["delta"] in {entry.grant.delta for entry in account.grants}
        and cost <= standing.here * (1 + _TOLERANCE)
        and (debit.drawn or not debit.charge.events)
        and debit.released in (None, released)
    )


def dataset_id(key: bytes, dataset: str) -> str:
    """Return what stands for a dataset in manifests: the same for all its releases, and nothing without the key."""
    return hmac.digest(key, dataset.encode(), "sha256").hex()[:32]
