"""Jobs side by side: the coordinator hands their calls to a pool, and goes on with each as its results come in.

It is one thread. Whatever a job does between two rounds, drawing noise and paying for it, is done once and by nothing else.
joblib ends a whole `Parallel` when a worker is killed, and Dask may wait for ever: here only the calls that were lost are made again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from dataclasses import dataclass, field
from typing import Any, TypeVar

from synthrelease.errors import MachineError
from synthrelease.parallel.call import Call, Failed, Job, Round, place_of
from synthrelease.parallel.pool import Pool, pool_of

T = TypeVar("T")
Progress = Callable[[str, int, int], None]
_PATIENCE_S = 20.0  # without any result, before the pool is asked whether it still has workers
_MOST_DEATHS = 2  # of workers, with one call: then it is the call


@dataclass(eq=False)
class _OpenJob:
    number: int
    job: Job[Any]
    round: Round | None = None  # what it waits for; None before it has begun, and when it has ended
    queue: deque[_OpenCall] = field(default_factory=deque)  # calls of the round that are not begun
    remaining: int = 0  # calls of the round that are not done
    results: dict[int, Any] = field(default_factory=dict)  # by call; or what was joined so far, under 0
    at: str = ""  # where a call of it failed, if one did

    def wait_for(self, following: Round | None) -> None:
        """Leave one round for the next, or the end."""
        self.round, self.results, self.queue, self.at = following, {}, deque(), ""
        if following is not None:
            self.queue.extend(_OpenCall(self, index, following) for index in range(len(following.calls)))
        self.remaining = len(self.queue)


@dataclass(eq=False)
class _OpenCall:
    job: _OpenJob
    index: int  # its number in the round
    round: Round
    deaths: int = 0  # of workers that had it

    @property
    def is_awaited(self) -> bool:
        """Whether its job still waits for its round."""
        return self.job.round is self.round


def run(job: Job[T], pool: Pool, *, progress: Progress | None = None) -> T:
    """Return what one job comes to, or raise its error."""
    for _, outcome in run_all([job], pool, progress=lambda _, *step: progress(*step) if progress else None):
        if isinstance(outcome, Failed):
            raise outcome.error
        result: T = outcome
    return result


def run_calls(what: str, calls: Sequence[Call], jobs: int, *, progress: Progress | None = None) -> list[Any]:
    """Return the results of calls, in their order, made by so many processes of this machine; or raise the error of a call."""

    def job() -> Job[list[Any]]:
        results: list[Any] = yield Round(what, calls)
        return results

    return run(job(), pool_of(jobs), progress=progress)


def run_all(
    jobs: Iterable[Job[Any]],
    pool: Pool,
    *,
    most_open: int = 1,
    progress: Callable[[int, str, int, int], None] = lambda *_: None,
) -> Iterator[tuple[int, Any]]:
    """Yield the number of each job and what it comes to, or `Failed`, as they end.

    A call whose worker died is made once more, with nothing next to it, so that it is known whose fault it was.

    Args:
        jobs: begun one after the other.
        pool: makes their calls; closed in the end.
        most_open: jobs under way at a time.
        progress: called with (number of the job, what it waits for, calls done, calls) whenever one is done.
    """
    coordinator = _Coordinator(pool, progress)
    waiting = enumerate(jobs)
    try:
        while True:
            while len(coordinator.open) < most_open and (begun := next(waiting, None)) is not None:
                yield from coordinator.begin(*begun)
            if not coordinator.open:
                return
            yield from coordinator.go_on()
    finally:
        coordinator.close()


class _Coordinator:
    def __init__(self, pool: Pool, progress: Callable[[int, str, int, int], None]) -> None:
        self._pool, self._progress = pool, progress
        self.open: list[_OpenJob] = []
        self._retries: deque[_OpenCall] = deque()  # those whose worker died
        self._under_way: dict[Future[Any], _OpenCall] = {}

    def begin(self, number: int, job: Job[Any]) -> Iterator[tuple[int, Any]]:
        """Begin a job; it may end at once."""
        opened = _OpenJob(number, job)
        self.open.append(opened)
        yield from self._resume(opened, lambda: next(job))

    def go_on(self) -> Iterator[tuple[int, Any]]:
        """Wait until some calls are done, and go on with their jobs; yield those that have ended."""
        self._submit()
        done, _ = wait(self._under_way, timeout=_PATIENCE_S, return_when=FIRST_COMPLETED)
        lost: BrokenExecutor | None = None
        if not done:
            try:
                self._pool.check()
            except BrokenExecutor as error:
                lost = error
        for future in [begun for begun in self._under_way if lost or begun in done]:
            call = self._under_way.pop(future)
            fault = lost or future.exception()
            if not isinstance(fault, BrokenExecutor):
                yield from self._take(
                    call, Failed(fault) if isinstance(fault, Exception) else future.result()
                )
                continue
            call.deaths += 1
            if call.deaths < _MOST_DEATHS:
                self._retries.append(call)
            else:
                yield from self._take(call, Failed(_killed()))

    def close(self) -> None:
        """Leave all jobs as they are; what they have to put back they put back now."""
        for opened in self.open:
            opened.job.close()
        self.open.clear()
        self._pool.close()

    def _submit(self) -> None:
        """Keep every worker busy, and one call more for each; but a call whose worker died has the pool for itself."""
        while self._retries and not self._retries[0].is_awaited:
            self._retries.popleft()
        if self._retries:
            if not self._under_way:
                self._start(self._retries.popleft())
            return
        queues = [opened.queue for opened in self.open if opened.queue]
        most = 2 * self._pool.workers if queues else 0  # a cluster has to be asked
        for queue in queues:  # of the job that was begun first, which ends first then: its memory is free
            while queue and len(self._under_way) < most:
                self._start(queue.popleft())

    def _start(self, call: _OpenCall) -> None:
        calls, local = call.round.calls, call.round.local
        self._under_way[self._pool.submit(calls[call.index], local=local)] = call

    def _take(self, call: _OpenCall, result: Any) -> Iterator[tuple[int, Any]]:
        """Give a job the result of one of its calls."""
        opened, waited_for = call.job, call.round
        if not call.is_awaited:
            return
        if isinstance(result, Failed):
            opened.at = result.at
            yield from self._resume(opened, lambda: opened.job.throw(result.error))
            return
        results, calls, join = opened.results, len(waited_for.calls), waited_for.join
        if join is None:
            results[call.index] = result
        else:
            results[0] = join(results[0], result) if 0 in results else result
        opened.remaining -= 1
        self._progress(opened.number, waited_for.what, calls - opened.remaining, calls)
        if opened.remaining == 0:
            whole = results[0] if join else [results[index] for index in range(calls)]
            yield from self._resume(opened, lambda: opened.job.send(whole))

    def _resume(self, opened: _OpenJob, step: Callable[[], Round]) -> Iterator[tuple[int, Any]]:
        """Let a job go on to its next round, or its end."""
        following: Round | None = None
        end: Any = None
        try:
            following = step()
        except StopIteration as ended:
            end = ended.value
        except Exception as error:  # noqa: BLE001  one job's error is not another's
            end = Failed(error, opened.at or place_of(error))
        opened.wait_for(following)
        if following is None:
            self.open.remove(opened)
            yield opened.number, end
        else:
            self._progress(opened.number, following.what, 0, opened.remaining)


def _killed() -> MachineError:
    return MachineError(
        "worker-killed",
        "a worker process was killed twice while it did this",
        expected="enough memory for each of the workers",
        remedy="use fewer processes (jobs), or a machine with more memory; `preview` reports how much a worker needs",
    )
