"""Where calls are made: in this process, or in others of this machine.

A pool gives futures of `concurrent.futures`. A result that is `Failed` is what the call raised; the exception `BrokenExecutor`
says that the call was lost with its worker; any other exception, that it could not travel.
"""

from __future__ import annotations

import os
import threading
import time
from concurrent.futures import BrokenExecutor, Executor, Future
from pathlib import Path
from typing import Any, Protocol

from synthrelease.children import safe_environment, safe_starts
from synthrelease.errors import ArgumentError
from synthrelease.extras import require
from synthrelease.files.scratch import scratch_folder, share_scratch
from synthrelease.parallel.call import Call, attempted
from synthrelease.parallel.freed_memory import RETURN_FREED

# One thread in each worker: there are as many workers as the operator allows.
_THREADS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "POLARS_MAX_THREADS",
)
WORKER_ENVIRONMENT = {**dict.fromkeys(_THREADS, "1"), **RETURN_FREED}
_LOOK_S = 0.5  # how often a worker looks whether its coordinator is there


class Pool(Protocol):
    """Something that makes calls."""

    @property
    def workers(self) -> int:
        """How many calls it makes at a time."""
        ...

    def submit(self, call: Call, *, local: bool) -> Future[Any]:
        """Begin a call, on this machine if it is `local`."""
        ...

    def check(self) -> None:
        """Raise BrokenExecutor if all calls under way are lost without a word, MachineError if no worker will ever come."""
        ...

    def close(self) -> None:
        """Let go of the workers, whatever they do."""
        ...


class OwnProcess:
    """A pool without workers: each call is made when it is submitted."""

    workers = 1

    def submit(self, call: Call, *, local: bool) -> Future[Any]:  # noqa: ARG002  all are
        """Make a call."""
        done: Future[Any] = Future()
        done.set_result(attempted(call))
        return done

    def check(self) -> None:
        """Find nothing wrong."""

    def close(self) -> None:
        """Do nothing."""


def pool_of(jobs: int) -> Pool:
    """Return what makes calls in so many processes of this machine: this one alone, or workers.

    Raises:
        ArgumentError: there is none at all.
    """
    return OwnProcess() if jobs == 1 else Processes(jobs)


def checked_jobs(jobs: int) -> int:
    """Return a number of processes; ArgumentError if nothing would ever be done in so many."""
    if not isinstance(jobs, int) or jobs < 1:
        raise ArgumentError(
            "bad-jobs",
            "there is no such number of processes",
            where="jobs",
            found=str(jobs) if isinstance(jobs, int) else type(jobs).__name__,
            expected="1 or more",
            remedy="leave it out, for one process; os.cpu_count() says how many there may be",
        )
    return jobs


class Processes:
    """Worker processes of this machine: joblib's executor (loky), one of our own, because to close it kills its workers.

    When one worker is killed, the executor is broken, and all that was under way is lost; the next call starts another.

    Args:
        jobs: how many workers; ArgumentError if there are none, MachineError if joblib is not installed.
    """

    def __init__(self, jobs: int) -> None:
        self.workers = checked_jobs(jobs)
        require("joblib")
        self._executor: Any = None

    def submit(self, call: Call, *, local: bool) -> Future[Any]:  # noqa: ARG002  all are
        """Begin a call in a worker."""
        with safe_starts():  # of workers, and of what tracks their resources
            try:
                return self._started().submit(attempted, call)
            except BrokenExecutor:  # the futures of what it lost may not say so yet
                self.close()
                return self._started().submit(attempted, call)

    def check(self) -> None:
        """Raise BrokenExecutor if all workers are dead: an executor whose own thread has failed never reports it."""
        if self._executor is None:
            return
        workers = list(self._executor._processes.values())  # noqa: SLF001  it has no other way to ask
        if not any(worker.is_alive() for worker in workers):
            self.close()
            raise BrokenExecutor

    def close(self) -> None:
        """End all workers now."""
        executor, self._executor = self._executor, None
        if executor is not None:
            executor.shutdown(wait=True, kill_workers=True)

    def _started(self) -> Executor:
        if self._executor is None:
            # Slow to import, an extra, and not needed for a build in one process.
            from joblib.externals.loky import ProcessPoolExecutor  # noqa: PLC0415

            self._executor = ProcessPoolExecutor(
                max_workers=self.workers,
                timeout=None,
                env={**WORKER_ENVIRONMENT, **safe_environment()},
                initializer=_begin_worker,
                initargs=(os.getpid(), scratch_folder()),
            )
        executor: Executor = self._executor
        return executor


def _begin_worker(coordinator: int, scratch: Path | None) -> None:
    """Let this worker use the coordinator's folder, and end when that does, even if it was killed: its result is not waited for any more."""
    share_scratch(scratch)

    def watch() -> None:
        while os.getppid() == coordinator:
            time.sleep(_LOOK_S)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def available_cores() -> int:
    """Return how many workers this machine can keep busy."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
