"""Where calls are made: in this process, or in others of this machine."""

from __future__ import annotations

import os
import threading
import time
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from typing import Any, Protocol

from synthrelease.errors import ArgumentError
from synthrelease.parallel.call import Call, Failed, attempted

# One thread in each worker: there are as many workers as the operator allows.
INNER_THREADS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "POLARS_MAX_THREADS",
)
_LOOK_S = 0.5  # how often a worker looks whether its coordinator is there


class LostWorkerError(Exception):
    """A worker was killed while a call was with it."""


class Pool(Protocol):
    """Something that makes calls."""

    @property
    def workers(self) -> int:
        """How many calls it makes at a time."""
        ...

    def submit(self, call: Call, *, here: bool) -> Future[Any]:
        """Begin a call; the future holds its result, or `Failed`, or the exception `LostWorkerError`."""
        ...

    def check(self) -> None:
        """Raise MachineError if nobody is left to make calls."""
        ...

    def close(self) -> None:
        """Let go of the workers, whatever they do."""
        ...


class OwnProcess:
    """A pool without workers: each call is made when it is submitted."""

    workers = 1

    def submit(self, call: Call, *, here: bool) -> Future[Any]:  # noqa: ARG002  here is everywhere
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
    """Worker processes of this machine: joblib's own pool (loky), as futures.

    joblib's `Parallel` ends when a worker is killed, with whatever was under way; here the other calls are made again.

    Args:
        jobs: how many workers; ArgumentError if there are none.
    """

    def __init__(self, jobs: int) -> None:
        self.workers = checked_jobs(jobs)
        self._pool: Any = None
        self._under_way: set[Future[Any]] = set()

    def submit(self, call: Call, *, here: bool) -> Future[Any]:  # noqa: ARG002  here is everywhere
        """Begin a call in a worker."""
        # Slow to import, and not needed by who builds alone.
        from joblib.externals.loky.process_executor import BrokenProcessPool  # noqa: PLC0415

        outcome: Future[Any] = Future()
        outcome.set_running_or_notify_cancel()
        self._under_way.add(outcome)
        try:
            inner = self._started().submit(attempted, call)
        except BrokenProcessPool:  # it has not told yet of the worker that it lost
            self._end()
            inner = self._started().submit(attempted, call)
        inner.add_done_callback(lambda done: self._pass_on(done, outcome))
        return outcome

    def check(self) -> None:
        """Declare dead whoever is not there any more: a pool whose own thread has failed never tells."""
        if self._pool is None:
            return
        workers = list(self._pool._processes.values())  # noqa: SLF001  it has no other way to ask
        if not any(worker.is_alive() for worker in workers):
            self._end()
            for outcome in list(self._under_way):
                self._settle(outcome, LostWorkerError("no worker is left"))

    def close(self) -> None:
        """End all workers now."""
        self._end()

    def _end(self) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=True, kill_workers=True)
            self._pool = None

    def _started(self) -> Any:
        if self._pool is None:
            from joblib.externals.loky import ProcessPoolExecutor  # noqa: PLC0415

            env = dict.fromkeys(INNER_THREADS, "1")
            self._pool = ProcessPoolExecutor(
                max_workers=self.workers,
                timeout=None,
                env=env,
                initializer=_end_with,
                initargs=(os.getpid(),),
            )
        return self._pool

    def _pass_on(self, done: Future[Any], outcome: Future[Any]) -> None:
        from joblib.externals.loky.process_executor import BrokenProcessPool  # noqa: PLC0415

        error = done.exception()
        if isinstance(error, BrokenProcessPool):
            self._settle(outcome, LostWorkerError(type(error).__name__))
        else:  # what cannot be pickled is no result
            self._settle(outcome, Failed(error) if isinstance(error, Exception) else done.result())

    def _settle(self, outcome: Future[Any], result: Any) -> None:
        self._under_way.discard(outcome)
        settle(outcome, result)


def _end_with(coordinator: int) -> None:
    """Let this worker end when its coordinator does, even if that was killed: what it works on nobody waits for any more."""

    def watch() -> None:
        while os.getppid() == coordinator:
            time.sleep(_LOOK_S)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def settle(outcome: Future[Any], result: Any) -> None:
    """Give a future what became of its call; nothing if it has that already."""
    with suppress(InvalidStateError):
        if isinstance(result, LostWorkerError):
            outcome.set_exception(result)
        else:
            outcome.set_result(result)


def available_cores() -> int:
    """Return how many workers this machine can keep busy."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
