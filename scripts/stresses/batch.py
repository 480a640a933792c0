"""A batch that is killed again and again, and resumed: no bundle lost or doubled, no budget under-counted.

Small plans against one ledger. In every round the batch is started with `--resume` and something is killed (SIGKILL) at a moment
drawn from a fixed seed: the coordinator, or one of its workers; a killed worker must delay and lose nothing. When all is built, a few
plans more join the batch. In the end everything that was guaranteed is looked at: `check_all` says what.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from paid_study import PLAN, changed, grant, write_gaze
from processes import descendants, workers

SEED = 20261122
PART_FAILED = 5


@dataclass
class Stress:
    """A batch under way, from round to round.

    Attributes:
        folder: of data, plans and ledger.
        jobs: workers.
        backend: "loky" or "dask".
        plans: those of the batch so far.
        killed: what was killed, and how often.
        codes: exit codes of the rounds.
        broken: guarantees that did not hold.
    """

    folder: Path
    jobs: int
    backend: str
    plans: list[Path] = field(default_factory=list)
    killed: Counter[str] = field(default_factory=Counter)
    codes: list[int] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        write_gaze(self.folder)
        grant(self.folder, 1000.0)

    def more_plans(self, number: int) -> None:
        """Let so many plans join."""
        for n in range(len(self.plans), len(self.plans) + number):
            path = self.folder / f"plan-{n}.toml"
            path.write_text(changed(PLAN, version=f'"1.0.{n}"', epsilon="0.05"))
            self.plans.append(path)

    @property
    def out(self) -> Path:
        """Where the bundles go."""
        return self.folder / "out"

    @property
    def built(self) -> int:
        """How many bundles there are."""
        return len(list(self.out.glob("*.h5")))

    def round(self, *, after_s: float | None, worker: bool, from_first_debit: bool = False) -> int:
        """Start or resume the batch, kill something so long after its start or its first debit; return the exit code."""
        ledger = self.folder / "ledger.sqlite"
        before = ledger.stat().st_mtime_ns
        running = subprocess.Popen(
            [
                *(sys.executable, "-m", "synthrelease", "--quiet", "batch", "--yes", *map(str, self.plans)),
                *(
                    "--output",
                    str(self.out),
                    "--jobs",
                    str(self.jobs),
                    "--backend",
                    self.backend,
                    "--resume",
                ),
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        below: dict[int, str] = {}
        if after_s is not None:
            while from_first_debit and running.poll() is None and ledger.stat().st_mtime_ns == before:
                time.sleep(0.002)
            deadline = time.monotonic() + after_s
            while time.monotonic() < deadline and running.poll() is None:
                time.sleep(0.002)
            below = descendants(running.pid)
            self._kill(running, worker=worker)
        said, _ = running.communicate(timeout=600)
        code = running.returncode
        self.codes.append(code)
        if code not in (0, -signal.SIGKILL):
            self.broken.append(f"exit code {code}: {said[-300:]}")
        if code == -signal.SIGKILL:
            self._wait_for_orphans(below)
        return code

    def _kill(self, running: subprocess.Popen[str], *, worker: bool) -> None:
        if running.poll() is not None:
            return
        if not worker:
            running.kill()
            self.killed["coordinator"] += 1
        elif found := workers(running.pid):
            try:
                os.kill(found[0], signal.SIGKILL)
                self.killed["worker"] += 1
            except ProcessLookupError:
                pass

    def _wait_for_orphans(self, below: dict[int, str]) -> None:
        """Workers of a dead coordinator end by themselves: they could otherwise write into its folder for ever."""
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            alive = [pid for pid, line in below.items() if line and _command(pid) == line]
            if not alive:
                return
            time.sleep(0.1)
        self.broken.append(f"{len(alive)} workers outlived their coordinator by a minute")

    def check_all(self) -> None:
        """Look at every guarantee: one valid bundle for every plan, all paid for, nothing half written, the ledger whole."""
        from synthrelease.bundle import open_bundle, verify
        from synthrelease.ledgers import Ledger

        bundles = sorted(self.out.glob("*.h5"))
        if len(bundles) != len(self.plans):
            self.broken.append(f"{len(bundles)} bundles of {len(self.plans)} plans")
        self.broken += [f"{path.name} does not verify" for path in bundles if not verify(path).ok]
        left = [path.name for path in self.out.iterdir() if path.name.endswith(".partial")]
        if left:
            self.broken.append(f"left behind: {left}")
        sidecars = [path.with_name(f"{path.stem}.manifest.json") for path in bundles]
        if not all(path.exists() for path in sidecars):
            self.broken.append("a manifest does not stand beside its bundle")
        manifests = {path.name: open_bundle(path).manifest for path in bundles}
        ledger = Ledger(self.folder / "ledger.sqlite")
        self.broken += map(str, ledger.check(manifests=manifests).faults)
        debits = ledger.to_json("study")["study"]["debits"]
        entries = {debit["entry"] for debit in debits}
        paid = {manifest["ledger"]["entry"] for manifest in manifests.values()}
        if len(paid) != len(bundles) or not paid <= entries:
            self.broken.append("a bundle without a debit of its own")
        drawn = sum(debit["drawn"] or debit["manifest"] is not None for debit in debits)
        if drawn < len(bundles):
            self.broken.append("noise was drawn on fewer debits than there are bundles")
        print(
            f"{len(bundles)} bundles, {len(debits)} debits, {len(debits) - len(bundles)} of them without a bundle"
        )


def _command(pid: int) -> str:
    try:
        return (Path("/proc") / str(pid) / "cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""


def main(arguments: list[str]) -> int:
    """Run the rounds; 1 if a guarantee was broken."""
    parser = argparse.ArgumentParser(prog="scripts/stress batch", description=__doc__)
    parser.add_argument("--kills", type=int, default=50, help="how often something is killed (default 50)")
    parser.add_argument("--at-once", type=int, default=12, help="plans that join at a time (default 12)")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--backend", choices=["loky", "dask"], default="loky")
    parser.add_argument("--workers", type=float, default=0.4, help="share of rounds that kill a worker")
    parser.add_argument("--early", type=float, default=0.2, help="share of moments counted from the start")
    parser.add_argument("--early-s", type=float, default=3.0, help="up to so many seconds from there")
    parser.add_argument("--work-s", type=float, default=1.0, help="the others, from the first debit")
    asked = parser.parse_args(arguments)
    random = np.random.default_rng(SEED)
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        stress = Stress(Path(folder), asked.jobs, asked.backend)
        while sum(stress.killed.values()) < asked.kills and not stress.broken:
            if stress.built == len(stress.plans):
                stress.more_plans(asked.at_once)
            worker = bool(random.random() < asked.workers)
            early = bool(random.random() < asked.early)
            moment = float(random.uniform(0.0, asked.early_s if early else asked.work_s))
            stress.round(after_s=moment, worker=worker, from_first_debit=not early)
            print(
                f"round {len(stress.codes)}: {stress.built} bundles, killed {dict(stress.killed)}", flush=True
            )
        stress.round(after_s=None, worker=False)
        stress.check_all()
        codes = Counter(stress.codes)
    print(f"exit codes {dict(codes)}, killed {dict(stress.killed)}, {time.monotonic() - began:.0f} s")
    for fault in stress.broken:
        print(f"BROKEN: {fault}")
    return 1 if stress.broken else 0
