"""Many builds at once against one ledger, whose grant covers some of them: exactly those succeed, killed or not.

Every build is a `synthrelease build` of a plan of its own, of a small invented dataset. All ask at once; as many run at a time
as `--at-once` says, the rest wait for a place, because a machine has only so many processors. The grant covers `--grant-for`
releases one after the other, and not one more. With `--kill`, builds are killed (SIGKILL) at moments drawn from a fixed seed, half
of them counted from their start and half from their debit, and some of them are started again; afterwards new builds come until the grant is used up.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from paid_study import PLAN, changed, write_gaze

DELTA, SEED = 1e-5, 20261121
REFUSED, KILLED = 4, -9
Handle = Any  # of subprocess.Popen, or of a test: wait(timeout), kill()


class Start(Protocol):
    """How a build is started."""

    def __call__(self, plan: Path, bundle: Path) -> Handle:
        """Start the build of a plan, and return it running."""


def as_command(plan: Path, bundle: Path) -> Handle:
    """Start a build as a person would."""
    return subprocess.Popen(
        [sys.executable, "-m", "synthrelease", "--quiet", "build", "--yes", str(plan), "-o", str(bundle)],
        cwd=plan.parent,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "OMP_NUM_THREADS": "1", "POLARS_MAX_THREADS": "1"},
    )


@dataclass
class Stress:
    """A ledger with its grant, and what became of the builds against it.

    Attributes:
        folder: of data, plans, bundles and ledger.
        grant_for: releases that the grant covers.
        start: how a build is started.
        codes: exit codes, in the order in which builds ended; −9 for one that was killed.
        broken: guarantees that did not hold.
    """

    folder: Path
    grant_for: int
    start: Start = as_command
    codes: list[int] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    _took: list[float] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        from synthrelease.building.design import make_design
        from synthrelease.dp.guarantee import Neighbours
        from synthrelease.ledgers import Ledger
        from synthrelease.plan.plan import load_plan

        write_gaze(self.folder)
        self.event = make_design(load_plan(self.plan(0))).charge().events[0]
        self.ledger, enough = Ledger(self.folder / "ledger.sqlite"), self._cost(self.grant_for, 1e3)
        if self._cost(self.grant_for + 1, enough) <= enough:
            raise ValueError("Expected that one release more costs more")
        self.ledger.grant("study", enough, DELTA, Neighbours.REPLACE_ONE)

    def _cost(self, releases: int, granted: float) -> float:
        """ε of so many releases, one after the other, under a grant."""
        from synthrelease.dp.filter import Filter, FilterSums

        rule, sums = Filter.of([self.event], epsilon=granted, delta=DELTA), FilterSums()
        for _ in range(releases):
            sums += rule.sums([self.event], delta=DELTA)
        return rule.epsilon(sums, delta=DELTA, budget=granted)

    def plan(self, number: int) -> Path:
        """Return the plan of a build, written."""
        path = self.folder / f"plan-{number}.toml"
        path.write_text(changed(PLAN, version=f'"1.0.{number}"', epsilon="0.2"))
        return path

    def bundle(self, number: int, again: int) -> Path:
        """Return where the bundle of a build goes: what one that was killed may have written stays."""
        return self.folder / f"bundle-{number}-{again}.h5"

    def build(self, number: int, *, kill: tuple[bool, float] | None = None, again: int = 0) -> int:
        """Build, and return the exit code.

        Args:
            number: of the plan.
            kill: whether its debit is waited for, and after what part of the time that builds take it is killed.
            again: how often it was built before.
        """
        began = time.monotonic()
        running = self.start(self.plan(number), self.bundle(number, again))
        limit = None
        if kill is not None:
            usual = statistics.median(self._took) if self._took else 2.0
            limit = kill[1] * usual
            if kill[0]:
                limit /= 4  # what comes after the debit is the smaller part
                self._wait_for_debit(number, running)
        try:
            code = int(running.wait(limit))
        except subprocess.TimeoutExpired:
            running.kill()
            code = int(running.wait())
        with self._lock:
            self.codes.append(code)
            if code == 0:
                self._took.append(time.monotonic() - began)
        return code

    def _wait_for_debit(self, number: int, running: Handle) -> None:
        """Wait until the ledger's bytes have the release's version, or the build has ended; no lock is taken."""
        mark = f'"version": "1.0.{number}"'.encode()
        while mark not in self.ledger.path.read_bytes():
            try:
                running.wait(0.01)
            except subprocess.TimeoutExpired:
                continue
            return

    def paid(self) -> list[dict[str, Any]]:
        """Return the debits."""
        debits: list[dict[str, Any]] = self.ledger.to_json("study")["study"]["debits"]
        return debits

    def expect(self, true: object, guarantee: str) -> None:
        """Note a guarantee that does not hold."""
        if not true:
            self.broken.append(guarantee)

    def check(self) -> None:
        """Hold the ledger against bundles and against a composition of another kind."""
        from synthrelease.bundle import open_bundle

        bundles = sorted(self.folder.glob("bundle-*.h5"))
        manifests = {path.name: open_bundle(path).manifest for path in bundles}
        found = self.ledger.check(manifests=manifests).faults
        self.expect(
            not found,
            f"the ledger is clean, and every bundle has a debit of its own, drawn: {[*map(str, found[:3])]}",
        )
        told, paid = self.ledger.to_json("study")["study"], self.paid()
        self.expect(told["spent"] <= told["epsilon"], "no more is spent than granted")
        drawn = sum(debit["drawn"] or debit["manifest"] is not None for debit in paid)
        self.expect(len(bundles) <= drawn <= len(paid) <= self.grant_for, "bundles ≤ drawn ≤ paid ≤ granted")
        if paid:
            other = _composed_otherwise(self.event, len(paid))
            self.expect(
                abs(told["spent"] / other - 1) < 1e-3, f"the ledger adds up: {told['spent']} is {other}"
            )

    def figures(self) -> str:
        """Return what became of the builds and of the grant."""
        names = {0: "succeeded", REFUSED: "refused (exit 4)", KILLED: "killed"}
        ended = ", ".join(
            f"{count} {names.get(code, f'exit {code}')}" for code, count in Counter(self.codes).items()
        )
        told, states = (
            self.ledger.to_json("study")["study"],
            Counter(one["state"] for one in self.paid()),
        )
        paid = ", ".join(f"{count} {state}" for state, count in states.items())
        bundles = len(list(self.folder.glob("bundle-*.h5")))
        return (
            f"{len(self.codes)} builds: {ended}\n{sum(states.values())} debits: {paid or 'none'}; {bundles} bundles\n"
            f"ε = {told['spent']:g} of {told['epsilon']:g} spent at δ = {told['delta']:g}"
        )


def storm(stress: Stress, *, builds: int, at_once: int) -> None:
    """Start all, and expect that exactly the granted succeed."""
    with ThreadPoolExecutor(at_once) as pool:
        list(pool.map(stress.build, range(builds)))
    codes = Counter(stress.codes)
    stress.expect(codes[0] == min(builds, stress.grant_for), f"{stress.grant_for} succeed: {dict(codes)}")
    stress.expect(codes[0] + codes[REFUSED] == builds, f"the rest are refused with code 4: {dict(codes)}")
    stress.check()


def storm_with_kills(stress: Stress, *, builds: int, at_once: int, tell: Callable[[str], None]) -> None:
    """Start all, kill three of four, start half of those again; then use up what is left."""
    schedule = np.random.default_rng(SEED)
    fates = [(*(schedule.random(3) < (0.75, 0.5, 0.5)), schedule.uniform(0.0, 1.2)) for _ in range(builds)]

    def one(number: int) -> None:
        killed, paid, again, moment = fates[number]
        code = stress.build(number, kill=(paid, moment) if killed else None)
        if code == KILLED and again:
            stress.build(number, again=1)

    with ThreadPoolExecutor(at_once) as pool:
        list(pool.map(one, range(builds)))
    codes = Counter(stress.codes)
    stress.expect(set(codes) <= {0, REFUSED, KILLED}, f"builds succeed, are refused or killed: {dict(codes)}")
    stress.check()
    tell(stress.figures())
    left_over = [debit for debit in stress.paid() if not debit["drawn"] and debit["manifest"] is None]
    paid = len(stress.paid())
    numbers = [int(debit["release"]["version"].rpartition(".")[2]) for debit in left_over]
    with ThreadPoolExecutor(at_once) as pool:
        codes_of_those = list(pool.map(lambda number: stress.build(number, again=2), numbers))
    stress.expect(set(codes_of_those) <= {0}, f"what was left over is used: {codes_of_those}")
    stress.expect(len(stress.paid()) == paid, "and nothing is paid for it")
    number, free = builds, stress.grant_for - paid
    while stress.build(number) == 0 and number <= builds + free:
        number += 1
    stress.expect(
        number - builds == free, f"{free} more builds until the grant is used up: {number - builds}"
    )
    stress.expect(stress.codes[-1] == REFUSED, "then a build is refused with code 4")
    stress.check()
    tell(
        f"then {len(left_over)} unused debits were used, {free} further builds paid, and the next was refused"
    )


def main(arguments: list[str]) -> int:
    """Run one storm, and print what became of it."""
    parser = argparse.ArgumentParser(prog="scripts/stress ledger", description=__doc__)
    parser.add_argument("--builds", type=int, default=200)
    parser.add_argument("--grant-for", type=int, default=50)
    parser.add_argument("--at-once", type=int, default=16)
    parser.add_argument("--kill", action="store_true")
    told = parser.parse_args(arguments)
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        stress = Stress(Path(folder), told.grant_for)
        if told.kill:
            storm_with_kills(stress, builds=told.builds, at_once=told.at_once, tell=print)
        else:
            storm(stress, builds=told.builds, at_once=told.at_once)
        print(stress.figures())
    print(f"{told.at_once} at a time, {os.cpu_count()} processors, {time.monotonic() - began:.0f} s")
    for guarantee in stress.broken:
        print(f"BROKEN: {guarantee}")
    return 1 if stress.broken else 0


def _composed_otherwise(event: Any, times: int) -> float:
    """ε of so many releases, by privacy-loss distributions instead of the exact curve.

    At nine tenths of δ, as soon as there are two: the rest waits for other noise (`dp/filter.py`).
    """
    from dp_accounting.pld import privacy_loss_distribution as pld

    one = pld.from_gaussian_mechanism(event.scale / event.sensitivity)
    part = DELTA if times == 1 else 0.9 * DELTA
    return float(one.self_compose(times).get_epsilon_for_delta(part))
