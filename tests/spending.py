"""What tests of the ledger share: charges, processes that have ended, and a forger who leaves no trace in the file."""

from __future__ import annotations

import hashlib
import json
import math
import sqlite3
from collections.abc import Callable
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

from synthrelease.dp.event import DiscreteLaplace, Event, RandomizedTest, RoundedGaussian
from synthrelease.dp.guarantee import Neighbours
from synthrelease.ledgers import Charge, Ledger, store
from synthrelease.ledgers.owner import Owner

REPLACE, ADD = Neighbours.REPLACE_ONE, Neighbours.ADD_REMOVE_ONE
PLAN = "a" * 64


def laplace(epsilon: float) -> DiscreteLaplace:
    return DiscreteLaplace(1, math.nextafter(1 / epsilon, math.inf), 5)  # ε or a hair less


def gaussian(mu: float) -> RoundedGaussian:
    return RoundedGaussian(1.0, 1 / mu, 5)


def trial() -> RandomizedTest:
    """Return a randomized deniability test of a few trials: ε near 9 at δ = 1e-4."""
    return RandomizedTest(12, 1.5, 1.6, 5, 400)


def charge(*events: Event, plan: str = PLAN, dataset: str = "study", **others: Any) -> Charge:
    fields = {"neighbours": REPLACE, "delta": 1e-7, **others}
    return Charge(dataset, {"name": "release", "version": "1.0.0"}, plan, events=tuple(events), **fields)


def granted(folder: Path, epsilon: float = 3.0, delta: float = 0.0) -> Ledger:
    ledger = Ledger(folder / "ledger.sqlite")
    ledger.grant("study", epsilon, delta, REPLACE)
    return ledger


@contextmanager
def another_process(monkeypatch, *, ended: bool = True):
    """All that is paid meanwhile is paid by a process that has ended, as this one will see."""
    real = Owner.this()
    other = replace(real, boot="an earlier start") if ended else replace(real, pid=1, started=started(1))
    with monkeypatch.context() as patch:
        patch.setattr(Owner, "this", classmethod(lambda _cls: other))
        yield other


@contextmanager
def without_syncing():
    """Nothing waits for the disk meanwhile: for tests that open a ledger a thousand times."""
    real = store._connected

    def hasty(*arguments):
        connection = real(*arguments)
        connection.execute("PRAGMA synchronous = OFF")
        return connection

    store._connected = hasty
    try:
        yield
    finally:
        store._connected = real


def started(pid: int) -> str:
    from synthrelease.ledgers import owner

    return owner._started(pid)


def bodies(path: Path) -> list[dict[str, Any]]:
    return [entry.body for entry in store.read(path).entries]


def kinds(path: Path) -> list[str]:
    return [body["kind"] for body in bodies(path)]


def forge(path: Path, change: Callable[[list[Any]], Any]) -> None:
    """Change a ledger's bodies (objects, or texts that are no JSON), and renew chain, triggers and numbers."""
    texts = [entry.text for entry in store.read(path).entries]
    changed = [json.loads(text) for text in texts]
    changed = change(changed) or changed
    path.unlink()
    store.create(path)
    before = bytes(32)
    with closing(sqlite3.connect(path)) as connection, connection:
        for number, body in enumerate(changed, start=1):
            text = body if isinstance(body, str) else json.dumps(body, sort_keys=True)
            before = hashlib.sha256(before + text.encode()).digest()
            connection.execute("INSERT INTO entries VALUES (?, ?, ?)", (number, text, before.hex()))


def tamper(path: Path, *statements: str) -> None:
    """Change the file by SQL, triggers out of the way and back again."""
    with closing(sqlite3.connect(path)) as connection, connection:
        for name in ("changed", "deleted"):
            connection.execute(f"DROP TRIGGER never_{name}")
        for statement in statements:
            connection.execute(statement)
        for statement in store._OBJECTS[1:]:
            connection.execute(statement)


def dated(folder: Path) -> Ledger:
    """Return a ledger of two years: two datasets, a budget that was raised and one that lost its δ, releases in every state."""
    ledger = Ledger(folder / "ledger.sqlite")

    def on(day: str, step: Callable[[], Any]) -> Any:
        at = f"{day}T09:00:00+00:00"
        with mock.patch("synthrelease.ledgers.book.now", return_value=at):
            return step()

    def released(day: str, event: Event, **others: Any) -> None:
        debit = on(day, lambda: ledger.debit(charge(event, plan=day, **others)))
        debit.begin_drawing()
        debit.release(day.encode())

    on("2025-01-10", lambda: ledger.grant("study", 3.0, 1e-6))
    released("2025-02-20", gaussian(0.1))
    released("2025-09-01", gaussian(0.2), uncounted=("records",))
    on("2025-11-05", lambda: ledger.grant("study", 4.0, 1e-6))
    on("2026-03-01", lambda: ledger.debit(charge(laplace(0.5), plan="drawn"))).begin_drawing()
    on("2026-11-20", lambda: ledger.debit(charge(laplace(0.25), plan="charged")))
    on("2026-06-01", lambda: ledger.grant("pilot", 1.0, 1e-6))
    released("2026-06-02", gaussian(0.05), dataset="pilot")
    on("2026-06-03", lambda: ledger.grant("pilot", 1.0, 0.0))
    on("2026-07-01", lambda: ledger.grant("unused", 2.0, 0.0))
    return ledger
