"""A Dask cluster as an operator starts it: a scheduler and two workers, each a process of its own."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from processes import descendants


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


@contextmanager
def running_cluster(folder: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """Give its address and its workers."""
    address = f"tcp://127.0.0.1:{free_port()}"
    env = {**os.environ, "OMP_NUM_THREADS": "1", "POLARS_MAX_THREADS": "1"}

    def start(*words: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", "dask", *words],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=env,
            cwd=folder,
        )

    host, port = "127.0.0.1", address.rpartition(":")[2]
    running = [start("scheduler", "--host", host, "--port", port, "--no-dashboard")]
    running += [start("worker", address, "--nthreads", "1", "--no-dashboard", "--no-nanny") for _ in range(2)]
    try:
        yield address, running[1:]
    finally:
        for one in running:
            for child in descendants(one.pid):
                os.kill(child, signal.SIGKILL)
            one.kill()
            one.wait()
