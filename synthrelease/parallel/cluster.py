"""Calls on a Dask cluster: one of this machine's own, or one that runs already.

Each call goes as one future, which Dask gives to a worker, and again to another if the worker dies. What the workers read
they read themselves; only arguments, sums and public arrays travel.
"""

from __future__ import annotations

import functools
import hashlib
import os
import platform
from concurrent.futures import BrokenExecutor, CancelledError, Future
from importlib.metadata import version
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import synthrelease
from synthrelease.children import restore, safe_environment, safe_starts
from synthrelease.errors import MachineError
from synthrelease.parallel.call import Call, Failed, attempted
from synthrelease.parallel.pool import WORKER_ENVIRONMENT, Processes

_CONNECT_S, _ANSWER_S = 30, 30
_OWN_ADDRESS = "127.0.0.1:0"
_MOST_EMPTY_LOOKS = 6  # one every `coordinator._PATIENCE_S`: then a cluster without workers is given up
_DECISIVE = ("numpy", "scipy", "polars", "h5py")
# On a cluster of our own: a worker that dies is our coordinator's business, nothing private goes to a disk, and no page shows
# other users of this machine what is at work.
_OWN_CLUSTER = {
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    "distributed.scheduler.allowed-failures": 0,
    "distributed.worker.memory.target": False,
    "distributed.worker.memory.spill": False,
}


class Cluster:
    """A pool on Dask; local calls are made by processes of this machine.

    Args:
        scheduler: its address, such as tls://host:8786; None starts a cluster on the loopback address, encrypted.
        jobs: workers of that cluster, and processes for local calls.

    Raises:
        MachineError: dask.distributed is not installed, or no scheduler answers.
    """

    def __init__(self, scheduler: str | None, jobs: int) -> None:
        self._local = Processes(jobs)
        self._cluster: Any = None
        self._environment: dict[str, str | None] = {}  # before our own cluster
        self._client = _connect(scheduler) if scheduler is not None else self._start(jobs)
        self._under_way: set[Any] = set()  # Dask drops a call whose future is not kept
        self._empty_looks = 0
        self._versions = versions()

    @property
    def workers(self) -> int:
        """How many calls go on at a time: as many as threads of workers, which come and go."""
        return max(self._local.workers, sum(self._threads().values()))

    def submit(self, call: Call, *, local: bool) -> Future[Any]:
        """Begin a call."""
        if local:
            return self._local.submit(call, local=True)
        # Not by Dask's own executor: its future is never done if the result was lost with a worker, and cannot be made again.
        outcome: Future[Any] = Future()
        submitted = self._client.submit(_attempt_with_versions, call, self._versions, pure=False)
        self._under_way.add(submitted)
        submitted.add_done_callback(lambda done: self._pass_on(done, outcome))
        return outcome

    def check(self) -> None:
        """Look whether there are workers.

        Raises:
            BrokenExecutor: the processes of this machine are dead.
            MachineError: the scheduler does not answer, or has had no worker for some minutes.
        """
        self._local.check()
        self._empty_looks = 0 if self._threads() else self._empty_looks + 1
        if self._empty_looks >= _MOST_EMPTY_LOOKS:
            raise MachineError(
                "cluster-without-workers",
                "the Dask cluster has no workers any more",
                remedy="start workers, and go on with --resume: what is done is kept",
            )

    def close(self) -> None:
        """Let go of the cluster; one of our own ends."""
        self._local.close()
        self._under_way.clear()
        self._client.close(timeout=_ANSWER_S)
        if self._cluster is not None:
            self._cluster.close(timeout=_ANSWER_S)
            restore(self._environment)

    def _start(self, jobs: int) -> Any:
        dask, distributed = _import_dask()
        # A worker in the place of one that died is started with these.
        safe = {f"distributed.nanny.pre-spawn-environ.{name}": to for name, to in safe_environment().items()}
        dask.config.set(_OWN_CLUSTER | safe)
        # Dask sets them in this process.
        self._environment = {name: os.environ.get(name) for name in (*safe_environment(), "PYTHONHASHSEED")}
        try:
            with safe_starts():
                self._cluster = distributed.LocalCluster(
                    n_workers=jobs,
                    threads_per_worker=1,
                    processes=True,
                    host="127.0.0.1",
                    protocol="tls://",
                    security=True,  # own certificates: else any user of this machine could send it work
                    dashboard_address=None,
                    # Any free port: about the usual one two clusters of a machine would quarrel.
                    scheduler_kwargs={"dashboard_address": _OWN_ADDRESS},
                    silence_logs="CRITICAL",
                    env=WORKER_ENVIRONMENT,
                )
            return distributed.Client(self._cluster)
        except (OSError, RuntimeError, TimeoutError) as error:
            if self._cluster is not None:
                self._cluster.close(timeout=_ANSWER_S)
            restore(self._environment)
            raise MachineError(
                "cluster-not-started",
                "a Dask cluster could not be started on this machine",
                found=type(error).__name__,
                remedy="try --backend loky, or fewer --jobs",
            ) from None

    def _threads(self) -> dict[str, int]:
        try:
            threads: dict[str, int] = self._client.nthreads()
        except (OSError, TimeoutError, RuntimeError):
            raise MachineError(
                "scheduler-lost",
                "the Dask scheduler does not answer any more",
                remedy="look after it, and go on with --resume: what is done is kept",
            ) from None
        return threads

    def _pass_on(self, done: Any, outcome: Future[Any]) -> None:
        """Calls raise nothing: an error is the cluster's."""
        self._under_way.discard(done)
        try:
            outcome.set_result(done.result(timeout=_ANSWER_S))
        except Exception as error:  # noqa: BLE001  else the coordinator would wait for ever
            lost = isinstance(error, CancelledError | OSError) or type(error).__name__ == "KilledWorker"
            outcome.set_exception(BrokenExecutor(type(error).__name__) if lost else error)


def is_overheard(scheduler: str) -> bool:
    """Whether others on a network could read what goes to a scheduler, and send it work."""
    protocol, _, address = scheduler.rpartition("://")
    host = address.rpartition(":")[0].strip("[]")
    try:
        loopback = host == "localhost" or ip_address(host).is_loopback
    except ValueError:  # a name
        loopback = False
    return not loopback and protocol not in ("tls", "wss")


@functools.cache
def versions() -> dict[str, str]:
    """Return what decides about the digits of a result: all workers must have the same."""
    code = hashlib.sha256()
    for path in sorted(Path(synthrelease.__file__).parent.rglob("*.py")):
        code.update(path.read_bytes())
    ours = f"{synthrelease.__version__} ({code.hexdigest()[:12]})"
    libraries = {name: version(name) for name in _DECISIVE}
    return {"synthrelease": ours, "python": platform.python_version(), **libraries}


def _attempt_with_versions(call: Call, expected: dict[str, str]) -> Any:
    """Make a call on a worker, if it has the coordinator's versions."""
    actual = versions()
    differing = [name for name, expected_version in expected.items() if actual.get(name) != expected_version]
    if differing:
        return Failed(
            MachineError(
                "worker-versions-differ",
                "a worker has other versions than the coordinator",
                found=", ".join(f"{name} {actual.get(name)}" for name in differing),
                expected=", ".join(f"{name} {expected[name]}" for name in differing),
                remedy="install the same everywhere: releases must not depend on the worker",
            )
        )
    return attempted(call)


def _connect(scheduler: str) -> Any:
    _, distributed = _import_dask()
    try:
        return distributed.Client(scheduler, timeout=_CONNECT_S)
    except (OSError, TimeoutError, ValueError) as error:
        raise MachineError(
            "no-scheduler",
            "no Dask scheduler answers",
            where=scheduler,
            found=type(error).__name__,
            expected="an address such as tls://host:8786, and the credentials that it asks for in Dask's configuration",
            remedy="start the scheduler, or correct --scheduler",
        ) from None


def _import_dask() -> tuple[Any, Any]:
    try:
        import dask  # noqa: PLC0415  slow, and an extra
        import distributed  # noqa: PLC0415
    except ImportError:
        raise MachineError(
            "extra-missing",
            "Dask is not installed",
            remedy="pip install 'synthrelease[dask]', here and on every worker",
        ) from None
    return dask, distributed
