"""Jobs go on as their calls are done, wherever these are made: same results, no error of one is another's, no death is final."""

from __future__ import annotations

import os
import re
import signal
import socket
import time
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, Future
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import calls
import pytest
from refusals import refused

from synthrelease.errors import MachineError
from synthrelease.parallel import (
    Call,
    Failed,
    Job,
    OwnProcess,
    Pool,
    Processes,
    Round,
    run,
    run_all,
)
from synthrelease.parallel import coordinator as module
from synthrelease.parallel.cluster import Cluster


class Kept:
    """A pool that stays open for the next test."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    def __getattr__(self, name: str) -> Any:
        return getattr(self._pool, name)

    def close(self) -> None:
        """Do nothing."""


@pytest.fixture(scope="module", autouse=True)
def _importable() -> Iterator[None]:
    """Workers import these tests' calls."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(Path(calls.__file__).parent), prepend=os.pathsep)
        yield


@pytest.fixture(scope="module")
def own_process() -> Pool:
    return OwnProcess()


@pytest.fixture(scope="module")
def loky(_importable: None) -> Iterator[Any]:
    processes = Processes(2)
    yield Kept(processes)
    processes.close()


@pytest.fixture(scope="module")
def dask(_importable: None) -> Iterator[Any]:
    cluster = Cluster(None, 2)
    yield Kept(cluster)
    cluster.close()


@pytest.fixture(params=["own_process", "loky", "dask"])
def pool(request: pytest.FixtureRequest) -> Any:
    return request.getfixturevalue(request.param)


@pytest.fixture(params=["loky", "dask"])
def workers(request: pytest.FixtureRequest) -> Any:
    return request.getfixturevalue(request.param)


def asking(*rounds: list[Call], after: list[Any] | None = None) -> Job[list[Any]]:
    """A job of some rounds: what they came to."""
    found = []
    try:
        for number, some in enumerate(rounds):
            found.append((yield Round(f"round {number}", some)))
    finally:
        if after is not None:
            after.append("closed")
    return found


def squares(*numbers: int) -> list[Call]:
    return [Call(calls.square, (number,)) for number in numbers]


def outcomes(jobs: list[Job[Any]], pool: Pool, **options: Any) -> dict[int, Any]:
    return dict(run_all(jobs, pool, **options))


def test_results_come_in_the_order_of_the_calls(pool: Pool) -> None:
    jobs = [asking(squares(3, 1, 2), squares(9)), asking(squares(*range(7)))]
    found = outcomes(jobs, pool, most_open=2)
    assert found == {0: [[9, 1, 4], [81]], 1: [[n * n for n in range(7)]]}


def test_joined_results_are_one(pool: Pool) -> None:
    def job() -> Job[Any]:
        return (yield Round("join", [Call(calls.listed, (n,)) for n in range(9)], join=calls.added))

    assert run(job(), pool) == list(range(9))


def test_sums_from_workers_add_up(pool: Pool) -> None:
    def job() -> Job[Any]:
        return (yield Round("adding", [Call(calls.sums, (n,)) for n in range(6)], join=calls.joined))

    found = run(job(), pool)
    assert (found["maps"] == 15).all()
    assert found["maps"].shape == (200_000,)
    assert found["one"].tolist() == [15]


def test_sums_that_may_not_be_written_add_up() -> None:
    one, other = calls.sums(1), calls.sums(2)
    for array in one.arrays.values():
        array.flags.writeable = False
    assert (one.joined(other)["maps"] == 3).all()
    assert (one["maps"] == 1).all()


def test_what_is_joined_may_be_nothing_yet() -> None:
    """A first result that is empty, or even None, is a result."""

    def job() -> Job[Any]:
        return (yield Round("join", squares(0, 0, 2), join=lambda one, other: [one, other]))

    assert run(job(), OwnProcess()) == [[0, 0], 4]


def test_an_error_is_raised_in_its_job_alone_with_its_place(pool: Pool) -> None:
    after: list[Any] = []
    jobs = [
        asking([Call(calls.refuse, ("canary",)), *squares(2)], after=after),
        asking(squares(4), squares(5)),
    ]
    found = outcomes(jobs, pool, most_open=2)
    assert found[1] == [[16], [25]]
    assert isinstance(found[0].error, ValueError)
    assert re.fullmatch(r"calls\.py\b\D*\d+", found[0].at)
    assert "canary" not in found[0].at
    assert after == ["closed"]


def test_a_job_may_answer_an_error_with_another_round(pool: Pool) -> None:
    def job() -> Job[Any]:
        try:
            yield Round("first", [Call(calls.refuse, ("no",)), *squares(1, 2)])
        except ValueError:
            return (yield Round("second", squares(6)))

    assert run(job(), pool) == [36]


def test_an_error_between_rounds_is_a_job_s_own() -> None:
    def job(*, fail: bool) -> Job[Any]:
        found = yield Round("first", squares(1))
        if fail:
            raise KeyError("secret")
        return found

    found = outcomes([job(fail=True), job(fail=False)], OwnProcess(), most_open=2)
    assert isinstance(found[0].error, KeyError)
    assert re.fullmatch(r"test_coordinator\.py\b\D*\d+", found[0].at)
    assert found[1] == [1]


def test_run_raises_what_a_job_raises(pool: Pool) -> None:
    with pytest.raises(ValueError, match=r"^no$"):
        run(asking([Call(calls.refuse, ("no",))]), pool)


def test_jobs_begin_as_others_end() -> None:
    """So many at a time, in their order, and no more are even asked for."""
    now: set[int] = set()
    most: list[int] = []

    def job(number: int) -> Job[int]:
        now.add(number)
        for _ in range(number % 3 + 1):
            yield Round("one", squares(1))
            most.append(len(now))
        now.remove(number)
        return number

    def jobs() -> Iterator[Job[int]]:
        for number in range(7):
            assert len(now) < 2
            yield job(number)

    assert dict(run_all(jobs(), OwnProcess(), most_open=2)) == {n: n for n in range(7)}
    assert max(most) == 2


def test_a_round_without_calls_is_none() -> None:
    with pytest.raises(ValueError, match=r"\bcall\b"):
        Round("nothing", [])


def test_whoever_watches_is_told_of_every_call() -> None:
    told: list[tuple[Any, ...]] = []
    outcomes([asking(squares(1, 2))], OwnProcess(), progress=lambda *now: told.append(now))
    assert told == [(0, "round 0", 0, 2), (0, "round 0", 1, 2), (0, "round 0", 2, 2)]


def test_interrupted_every_job_puts_back_what_is_its_own() -> None:
    after: list[Any] = []

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        outcomes(
            [asking(squares(1), after=after), asking(squares(1), after=after)],
            OwnProcess(),
            most_open=2,
            progress=interrupt,
        )
    assert "closed" in after


# --- workers


@pytest.mark.quick("loky")
def test_calls_go_to_as_many_processes_as_asked_for(workers: Pool) -> None:
    (found,) = run(asking([Call(calls.own_pid) for _ in range(6)]), workers)
    assert len(set(found)) == 2
    assert os.getpid() not in found


def test_each_worker_has_one_thread(workers: Pool) -> None:
    ((found,),) = run(asking([Call(calls.threads_allowed)]), workers)
    assert found == {"OMP_NUM_THREADS": "1", "POLARS_MAX_THREADS": "1", "polars": "1"}


@pytest.mark.quick("loky")
def test_a_killed_worker_s_calls_are_made_again(workers: Pool, tmp_path: Path) -> None:
    jobs = [asking(squares(*range(5))), asking([Call(calls.die_first, (tmp_path / "dead",)), *squares(7)])]
    assert outcomes(jobs, workers, most_open=2) == {0: [[0, 1, 4, 9, 16]], 1: [["alive", 49]]}


@pytest.mark.quick("loky")
def test_what_kills_its_worker_twice_is_an_error_of_its_job_alone(workers: Pool) -> None:
    jobs = [asking(squares(*range(5))), asking([Call(calls.die), *squares(7)]), asking(squares(8))]
    found = outcomes(jobs, workers, most_open=3)
    assert isinstance(found[1].error, MachineError)
    assert found[1].error.code == "worker-killed"
    assert (found[0], found[2]) == ([[0, 1, 4, 9, 16]], [[64]])


def test_a_result_that_cannot_travel_is_an_error(workers: Pool) -> None:
    found = outcomes(
        [asking([Call(calls.give_what_cannot_travel)]), asking(squares(3))], workers, most_open=2
    )
    assert isinstance(found[0], Failed)
    assert found[1] == [[9]]


def test_calls_that_belong_here_are_made_on_this_machine(workers: Pool) -> None:
    def job() -> Job[Any]:
        return (yield Round("here", squares(1, 2), local=True))

    assert run(job(), workers) == [1, 4]


# --- what no real pool does at will


class Scripted:
    """A pool whose futures a test settles."""

    workers = 2

    def __init__(self) -> None:
        self.asked: list[tuple[Call, Future[Any]]] = []
        self.checked = 0

    def submit(self, call: Call, *, local: bool) -> Future[Any]:  # noqa: ARG002
        future: Future[Any] = Future()
        self.asked.append((call, future))
        self.react(call, future)
        return future

    def react(self, call: Call, future: Future[Any]) -> None:
        future.set_result(call.function(*call.arguments))

    def check(self) -> None:
        self.checked += 1

    def close(self) -> None:
        """Do nothing."""


def test_a_call_whose_worker_died_has_the_pool_for_itself() -> None:
    beside: list[int] = []

    class Deadly(Scripted):
        def react(self, call: Call, future: Future[Any]) -> None:
            under_way = sum(not other.done() for _, other in self.asked)
            if call.arguments == (3,) and not beside:
                beside.append(under_way)
                future.set_exception(BrokenExecutor("gone"))
            elif call.arguments == (3,):
                beside.append(under_way)
                future.set_result(9)
            else:
                super().react(call, future)

    assert run(asking(squares(3, 1, 2, 4, 5)), Deadly()) == [[9, 1, 4, 16, 25]]
    assert beside[1] == 1


def test_a_call_is_made_twice_and_not_a_third_time() -> None:
    class Deadly(Scripted):
        def react(self, call: Call, future: Future[Any]) -> None:  # noqa: ARG002
            future.set_exception(BrokenExecutor("gone"))

    pool = Deadly()
    with refused(MachineError, "worker-killed"):
        run(asking(squares(3)), pool)
    assert len(pool.asked) == 2


def test_a_pool_that_says_nothing_is_asked_and_may_be_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_PATIENCE_S", 0.01)
    after: list[Any] = []

    class Silent(Scripted):
        def react(self, call: Call, future: Future[Any]) -> None:
            """Never answer."""

        def check(self) -> None:
            super().check()
            if self.checked == 3:
                raise MachineError("no-worker", "left alone")

    silent = Silent()
    with refused(MachineError, "no-worker"):
        outcomes([asking(squares(1), after=after)], silent)
    assert after == ["closed"]


def test_calls_of_a_pool_that_lost_all_of_them_without_a_word_are_made_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "_PATIENCE_S", 0.01)

    class Mute(Scripted):
        def react(self, call: Call, future: Future[Any]) -> None:
            if self.checked:
                super().react(call, future)

        def check(self) -> None:
            super().check()
            raise BrokenExecutor if self.checked == 1 else MachineError("no-worker", "left alone")

    mute = Mute()
    assert run(asking(squares(3, 1, 2)), mute) == [[9, 1, 4]]
    assert (mute.checked, len(mute.asked)) == (1, 6)


def test_workers_that_are_all_dead_are_found_out_and_replaced() -> None:
    """As after an executor's own thread has failed: the future of the call never says so."""
    pool = Processes(1)
    try:
        pool.submit(Call(calls.own_pid), local=True).result()
        pool.check()
        (worker,) = pool._executor._processes.values()
        os.kill(worker.pid, signal.SIGKILL)
        while worker.is_alive():  # not `join`: loky's own thread may be the one to learn of its end
            time.sleep(0.01)
        with pytest.raises(BrokenExecutor):
            pool.check()
        assert pool.submit(Call(calls.square, (3,)), local=True).result() == 9
    finally:
        pool.close()


def test_results_of_a_job_that_has_failed_are_dropped() -> None:
    waiting: list[Future[Any]] = []

    class Late(Scripted):
        def react(self, call: Call, future: Future[Any]) -> None:
            if call.arguments == (1,):
                waiting.append(future)
            else:
                future.set_result(Failed(ValueError("first")))

    def wait_and_settle() -> Iterator[tuple[int, Any]]:
        for number, outcome in run_all([asking(squares(2, 1)), asking(squares(1))], Late(), most_open=2):
            yield number, outcome
            for future in waiting:
                if not future.done():
                    future.set_result(1)

    found = dict(wait_and_settle())
    assert isinstance(found[0], Failed)
    assert found[1] == [[1]]


def test_of_several_calls_that_fail_a_job_has_the_first_error_and_no_other_job_is_touched() -> None:
    """As of a batch's plan whose data are gone when two workers look for them."""

    class Late(Scripted):
        def react(self, call: Call, future: Future[Any]) -> None:
            if len(self.asked) == 4:  # all fail before the job has the error of any
                for _, failing in self.asked:
                    failing.set_result(Failed(ValueError("failed")))
            elif len(self.asked) > 4:
                super().react(call, future)

    pool = Late()
    ends = outcomes([asking(squares(*range(6))), asking(squares(9))], pool, most_open=2)
    assert isinstance(ends[0].error, ValueError)
    assert ends[1] == [[81]]
    assert [call.arguments for call, _ in pool.asked[4:]] == [(9,)]  # the first job's others are not begun


@pytest.mark.thorough
def test_a_second_cluster_on_a_machine_needs_nothing_of_the_first() -> None:
    """The usual port of Dask's pages is taken, by whomever: then Dask warns, and here a warning is an error."""
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        with suppress(OSError):  # taken by someone else
            taken.bind(("127.0.0.1", 8787))
            taken.listen()
        assert outcomes([asking(squares(3))], Cluster(None, 1)) == {0: [[9]]}


@pytest.mark.thorough
def test_a_cluster_of_our_own_shows_its_work_to_no_one() -> None:
    """Dask's pages are neither encrypted nor asked for a password: logs, tasks and call stacks for all on this machine."""
    cluster = Cluster(None, 1)
    try:
        scheduler = cluster._cluster.scheduler
        port = scheduler.http_server.port
        for page in (
            "info/main/workers.html",
            "info/main/logs.html",
            "json/identity.json",
            "metrics",
            "status",
        ):
            with pytest.raises(HTTPError) as refusal:
                urlopen(f"http://127.0.0.1:{port}/{page}", timeout=10)
            assert refusal.value.code == 404
            refusal.value.close()
    finally:
        cluster.close()
