"""Synthesisers of rows, each in an environment of its own with pinned versions, run one table at a time."""

from __future__ import annotations

import functools
import os
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from studies._populations import Array

from benchmarks._environment import fresh_environment
from benchmarks._people_modes import Table
from synthrelease.errors import MachineError

_PINNED = Path(__file__).with_name("peers")
# One thread, so that seconds of the processor are those of the work; no accelerators.
_QUIET = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "JAX_PLATFORMS": "cpu",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
}


@dataclass(frozen=True)
class Peer:
    """A synthesiser: its name on the page, its method in `_people_peer.py`, and the file of pinned versions in `peers`."""

    name: str
    method: str
    pinned: str

    @property
    def version(self) -> str:
        """The package that was pinned first for its sake, and its version."""
        package = {"smartnoise": "smartnoise-synth"}.get(self.pinned, self.pinned)
        lines = (_PINNED / f"{self.pinned}.txt").read_text("utf-8").splitlines()
        return next(line for line in lines if line.lower().startswith(f"{package}==")).replace("==", " ")


PEERS = (
    Peer("DataSynthesizer, independent", "datasynthesizer-independent", "datasynthesizer"),
    Peer("DataSynthesizer, PrivBayes", "datasynthesizer-privbayes", "datasynthesizer"),
    Peer("dpmm, MST", "dpmm-mst", "dpmm"),
    Peer("dpmm, AIM", "dpmm-aim", "dpmm"),
    Peer("dpmm, PrivBayes", "dpmm-privbayes", "dpmm"),
    Peer("SmartNoise, MST", "smartnoise-mst", "smartnoise"),
    Peer("SmartNoise, AIM", "smartnoise-aim", "smartnoise"),
)


class NoResultError(Exception):
    """A peer is missing, failed, or did not end in time: what it says stands in the table."""


@dataclass(frozen=True)
class Made:
    """Synthetic rows, and what they cost."""

    rows: Array
    seconds: float
    peak_bytes: int


@dataclass(frozen=True)
class Environments:
    """Environments in a folder, made when a peer is asked for first and used again while their pinned versions are the same."""

    folder: Path
    python: str = sys.executable

    @functools.cache  # noqa: B019  as long as the run
    def missing(self, pinned: str) -> str:
        """Install the pinned versions of a file, and return why that failed, or nothing.

        Why is kept in memory: what cannot be installed is not tried again for the next table.
        """
        text, done = (_PINNED / f"{pinned}.txt").read_text("utf-8"), self.folder / pinned / "installed.txt"
        if done.is_file() and done.read_text("utf-8") == text:
            return ""
        try:
            fresh_environment(
                self.folder / pinned, "--no-deps", "-r", str(_PINNED / f"{pinned}.txt"), python=self.python
            )
        except MachineError as error:
            return str(error.found)
        done.write_text(text, "utf-8")
        return ""

    def run(
        self, peer: Peer, table: Table, budget: tuple[float, float], *, rows: int, seed: int, limit_s: int
    ) -> Made:
        """Return so many rows of a peer.

        Raises:
            NoResultError: it cannot be installed, fails, or takes longer than the limit.
        """
        why = self.missing(peer.pinned)
        if why:
            raise NoResultError(f"missing: {why}")
        with tempfile.TemporaryDirectory() as folder:
            source, target = Path(folder) / "in.npz", Path(folder) / "out.npz"
            np.savez(
                source,
                table=table.rows,
                sizes=table.sizes,
                epsilon=budget[0],
                delta=budget[1],
                rows=rows,
                seed=seed,
                limit=limit_s,
            )
            words = _ended(
                [
                    str(self.folder / peer.pinned / "bin" / "python"),
                    "-P",  # not beside our `statistics`
                    str(Path(__file__).with_name("_people_peer.py")),
                    peer.method,
                    str(source),
                    str(target),
                ],
                limit_s,
            )
            if not target.is_file():
                raise NoResultError(words)
            with np.load(target) as file:
                return Made(file["rows"], float(file["seconds"]), int(file["peak_bytes"]))


def _ended(command: list[str], limit_s: int) -> str:
    """Run a command until it ends or its time is up, with all that it started, and return why it has no result if it has none.

    The system counts seconds of the processor; on the wall it may take twice as long, on a machine with other work.
    """
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    late = f"no result within {limit_s} s"
    with subprocess.Popen(
        command,
        env=inherited | _QUIET,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            _, words = process.communicate(timeout=2 * limit_s)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return late
    if process.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return late
    return f"failed: {words.strip().rpartition(chr(10))[2][:200]}"
