"""What an auditor of a ledger looks for: entries that do not hang together, sums that are none, bundles that nobody paid for."""

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
from synthrelease.ledger import chain
from synthrelease.ledger.account import Paid
from synthrelease.ledger.chain import Fault, LedgerEntry
from synthrelease.ledger.history import History, MisfitError

# Relative: a unit of the fourth digit, where two versions of the accounting library may round apart.
_CARE = 1e-3
Manifest = dict[str, Any]


def faults(
    entries: Sequence[LedgerEntry],
    *,
    digests: Sequence[str] = (),
    manifests: Mapping[str, Manifest] | None = None,
) -> Iterator[Fault]:
    """Yield what is wrong with entries.

    Args:
        entries: all that the ledger has.
        digests: of entries, noted before: they must still be there.
        manifests: of bundles that were published, by name: each must have been paid for by a debit of its own.
    """
    broken = next(chain.faults(entries), None)
    if broken is not None:
        yield broken
        return
    history, holding = History(), {}
    for entry in entries:
        try:
            paid = history.read(entry)
        except MisfitError as misfit:
            yield misfit.fault
            return
        if paid is not None:
            holding[entry.digest] = paid.number
            yield from _miscounted(history, paid, entry)
    known = {entry.digest for entry in entries}
    for digest in digests:
        if digest not in known:
            yield Fault("unknown-digest", "", f"no entry has the digest {digest}")
    yield from _unpaid(history, holding, manifests or {})


def _miscounted(history: History, paid: Paid, entry: LedgerEntry) -> Iterator[Fault]:
    """Where a debit states what the events up to it do not amount to, or was paid beyond its grant."""
    account, stated, where = history.account_of(paid), paid.standing, f"entry {entry.number}"
    if entry.body.get("grant") != account.granted_by:
        yield Fault("nothing-granted", where, f"{where}: paid from a grant that was none")
        return
    try:
        due = account.costs(paid.charge, paid=paid.number)
    except (ArithmeticError, ValueError):
        yield Fault("no-cost", where, f"{where}: its events amount to no number")
        return
    for code, when, found, amount in (
        ("wrong-before", "before it", stated.before, due.before),
        ("wrong-here", "by itself", stated.here, due.here),
        ("wrong-after", "after it", stated.after, due.after),
    ):
        if not math.isclose(found, amount, rel_tol=_CARE):
            yield Fault(code, where, f"{where}: stated ε = {found:g} {when}, the events amount to {amount:g}")
    if not max(stated.after, due.after / (1 + _CARE)) <= account.grant.epsilon:
        yield Fault(
            "exceeds-grant", where, f"{where}: ε = {due.after:g} spent of {account.grant.epsilon:g} granted"
        )


def _unpaid(
    history: History, holding: Mapping[str, int], manifests: Mapping[str, Manifest]
) -> Iterator[Fault]:
    """Where a bundle is not what a debit of the ledger paid for."""
    used: dict[int, tuple[str, Manifest]] = {}
    for name, manifest in manifests.items():
        stated = manifest["ledger"]
        if stated is None:
            yield Fault("not-paid", name, f"{name} was not paid for at any ledger")
            continue
        if stated["entry"] not in holding:
            yield Fault("unknown-debit", name, f"{name}: no debit has the digest {stated['entry']}")
            continue
        number = holding[stated["entry"]]
        paid = history.paid(number)
        if paid.digest != stated["entry"] or not _is_of(history, paid, manifest):
            yield Fault("other-release", name, f"{name}: it is not what entry {number} paid for")
        elif number in used and used[number][1] != manifest:  # a copy tells nothing more
            yield Fault("shared-debit", name, f"{name}: entry {number} paid for {used[number][0]}, too")
        used[number] = name, manifest


def _is_of(history: History, paid: Paid, manifest: Manifest) -> bool:
    """Whether a debit paid for this release, and noise was drawn on it or none was needed."""
    stated, account = manifest["ledger"], history.account_of(paid)
    identity = dataset_id(history.key, paid.charge.dataset)
    released = hashlib.sha256(to_bytes(manifest)).hexdigest()
    standing = paid.standing
    recorded = [events.from_json(output["event"]) for output in manifest["outputs"]]
    cost = accounting.epsilon_at(
        recorded, delta=stated["delta"], neighbours=Neighbours(manifest["privacy"]["neighbours"])
    )
    return (
        stated["dataset_id"] == identity
        and {key: manifest["release"][key] for key in ("name", "version")} == paid.charge.release
        and manifest["privacy"]["neighbours"] == str(paid.charge.neighbours)
        and (stated["spent_before"], stated["spent_here"], stated["spent_after"])
        == (standing.before, standing.here, standing.after)
        and stated["delta"] in {grant.delta for _, _, grant in account.grants}
        and cost <= standing.here * (1 + _CARE)
        and (paid.drawn or not paid.charge.events)
        and paid.released in (None, released)
    )


def dataset_id(key: bytes, dataset: str) -> str:
    """Return what stands for a dataset in manifests: the same for all its releases, and nothing without the key."""
    return hmac.digest(key, dataset.encode(), "sha256").hex()[:32]
