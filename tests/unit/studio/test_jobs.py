"""Commands of the studio: one at a time, each a process of its own that outlives the server, and can be cancelled."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from refusals import refused
from studio_project import Browser, project

from synthrelease.errors import MachineError
from synthrelease.files.locks import AVAILABLE, lock
from synthrelease.studio.jobs import Job, Jobs
from synthrelease.studio.progress import ProgressFile, Step, last_step
from synthrelease.studio.run_job import printed_bytes

pytestmark = [
    pytest.mark.skipif(not AVAILABLE, reason="commands need POSIX locks"),
    pytest.mark.thorough,  # each starts processes
]


def wait(jobs: Jobs, name: str, until: Callable[[Job], bool] = lambda job: not job.is_running) -> Job:
    for _ in range(600):
        job = jobs.job(name)
        if job is not None and until(job):
            return job
        time.sleep(0.05)
    raise AssertionError(name)


@pytest.fixture
def jobs(tmp_path: Path) -> Jobs:
    here = project(tmp_path)
    return Jobs(here.folder, here.state)


def test_what_a_command_prints_and_how_it_ended_is_known_to_any_server(jobs: Jobs) -> None:
    jobs.start("check", ["build", "plan.toml", "--dry-run"], plan="a")
    done = wait(Jobs(jobs.folder, jobs.state), "check")
    assert done.code == 0
    assert done.is_done_for("a")
    assert not done.is_done_for("b")
    assert "small-1.0.0.h5" in done.printed
    assert not done.is_interrupted
    assert jobs.running() is None
    assert not list(jobs.folder.glob("*.h5"))


def test_a_refusal_has_its_exit_code_and_message(jobs: Jobs) -> None:
    jobs.start("build", ["build", "missing.toml"], plan="")
    done = wait(jobs, "build")
    assert done.code == 3
    assert "missing.toml" in done.errors


def test_there_is_one_at_a_time_and_cancelling_ends_it(jobs: Jobs) -> None:
    jobs.start(
        "studio", ["studio", "--no-browser"], plan=""
    )  # any command that goes on until it is interrupted
    wait(jobs, "studio", lambda job: "Studio" in job.printed)
    running = jobs.running()
    assert running is not None
    assert running.code is None
    with refused(MachineError, "command-running"):
        jobs.start("check", ["build", "plan.toml", "--dry-run"], plan="")
    assert jobs.job("check") is None
    jobs.cancel()
    assert wait(jobs, "studio").code in (0, 130)
    jobs.start("check", ["--version"], plan="")
    assert wait(jobs, "check").code == 0


def test_what_was_killed_is_no_success(jobs: Jobs) -> None:
    jobs.start("studio", ["studio", "--no-browser"], plan="")
    wait(jobs, "studio", lambda job: "Studio" in job.printed)
    process = int(jobs._read("last.json")["process"])  # type: ignore[index]
    os.killpg(process, signal.SIGKILL)
    killed = wait(jobs, "studio")
    assert killed.code is None
    assert killed.is_interrupted
    assert not killed.is_done_for("")


def test_only_the_owner_reads_what_was_printed(jobs: Jobs) -> None:
    jobs.start("check", ["build", "plan.toml", "--dry-run"], plan="")
    wait(jobs, "check")
    assert jobs.state.stat().st_mode & 0o077 == 0
    assert (jobs.state / "check.out").stat().st_mode & 0o077 == 0
    assert (jobs.state / ".gitignore").read_text() == "*\n"


def test_a_built_bundle_is_for_all(jobs: Jobs) -> None:
    jobs.start("build", ["build", "plan.toml"], plan="")
    assert wait(jobs, "build").code == 0
    mask = os.umask(0)
    os.umask(mask)
    assert (jobs.folder / "small-1.0.0.h5").stat().st_mode & 0o777 == 0o666 & ~mask
    assert wait(jobs, "build").step.stage


@pytest.mark.parametrize("name", ["other", "..", "", "check%00"])
def test_no_other_command_is_started_or_shown(tmp_path: Path, name: str) -> None:
    browser = Browser(project(tmp_path))
    assert browser.change("/jobs/start", name=name).status == 422
    assert not browser.project.state.exists()


def test_progress_is_the_last_step(tmp_path: Path) -> None:
    path = tmp_path / "progress"
    assert last_step(path) == Step("", 0.0)
    write = ProgressFile(path)
    for done in range(11):
        write("reading", done, 10)
    assert last_step(path) == Step("reading", 1.0)
    write("writing", 1, 4)
    assert last_step(path) == Step("writing", 0.25)
    path.write_text("{")
    assert last_step(path) == Step("", 0.0)


def test_of_many_starts_at_once_one_is_made(jobs: Jobs) -> None:
    """And none is refused because another page looked whether a command is running."""

    def start(number: int) -> bool:
        try:
            Jobs(jobs.folder, jobs.state).start(f"check{number}", ["studio", "--no-browser"], plan="")
        except MachineError:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(start, range(8)))
    assert sum(made) == 1
    name = f"check{made.index(True)}"
    wait(jobs, name, lambda job: "Studio" in job.printed)
    jobs.cancel()
    wait(jobs, name)


def test_to_look_whether_one_is_running_is_no_command(jobs: Jobs) -> None:
    jobs.start("check", ["--version"], plan="")
    wait(jobs, "check")
    with ThreadPoolExecutor(8) as pool:
        looked = pool.map(lambda _: jobs.running(), range(4000))
        for _ in range(3):
            jobs.start("other", ["--version"], plan="")
            wait(jobs, "other")
        assert all(job is None or job.name == "other" for job in looked)


def test_a_command_is_running_even_if_its_keeper_was_killed(jobs: Jobs) -> None:
    """It may be charging a ledger: no second one is started next to it, and it can be cancelled."""
    jobs.start("studio", ["studio", "--no-browser"], plan="")
    wait(jobs, "studio", lambda job: "Studio" in job.printed)
    os.kill(int(jobs._read("last.json")["process"]), signal.SIGKILL)  # type: ignore[index]
    time.sleep(0.3)
    assert jobs.running() is not None
    with refused(MachineError, "command-running"):
        jobs.start("check", ["--version"], plan="")
    jobs.cancel()
    assert wait(jobs, "studio").is_interrupted


def test_what_waits_is_cancelled_too(jobs: Jobs) -> None:
    """A command of ours, which has no handler of its own: Ctrl-C is ignored by its keeper, and not by it."""
    folder = os.open(jobs.folder, os.O_RDONLY)
    try:
        lock(folder)  # as what writes into the folder does: the command waits for it
        jobs.start("init", ["init", "gaze.csv", "--person", "who", "-o", "other.toml"], plan="")

        wait(jobs, "init", lambda _job: (jobs.state / "init.out").exists())  # its keeper is ready
        jobs.cancel()
        assert wait(jobs, "init").code not in (0, None)
    finally:
        os.close(folder)
    assert not (jobs.folder / "other.toml").exists()


def test_until_a_command_is_noted_none_is_cancelled(jobs: Jobs, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not the one before, whose number may be another program's by now."""
    jobs.start("check", ["--version"], plan="")
    wait(jobs, "check")
    interrupted: list[int] = []
    monkeypatch.setattr(os, "killpg", lambda number, _signal: interrupted.append(number))
    start = "synthrelease.studio.jobs.subprocess.Popen"

    class StartedError(Exception):
        """In place of the process."""

    def starting(*_arguments: object, **_more: object) -> None:
        monkeypatch.setattr(Jobs, "_is_locked", lambda _self: True)
        jobs.cancel()
        raise StartedError

    monkeypatch.setattr(start, starting)
    with pytest.raises(StartedError):
        jobs.start("check", ["--version"], plan="")
    assert interrupted == []


def test_what_has_ended_is_not_cancelled(jobs: Jobs, monkeypatch: pytest.MonkeyPatch) -> None:
    jobs.start("check", ["--version"], plan="")
    wait(jobs, "check")
    interrupted: list[int] = []
    monkeypatch.setattr(os, "killpg", lambda number, _signal: interrupted.append(number))
    jobs.cancel()
    assert interrupted == []


TAMPERED = (
    "{}",
    "[]",
    "3",
    "null",
    "{",
    json.dumps({"name": "check", "command": ["x"], "plan": "", "process": -1}),
    json.dumps({"name": "check", "command": ["x"], "plan": "", "process": 1}),
    json.dumps({"name": "check", "command": ["x"], "plan": "", "process": True}),
    json.dumps({"name": "check", "command": [1], "plan": "", "process": 5}),
    json.dumps({"name": [], "command": "x", "plan": None, "process": "5"}),
)


@pytest.mark.parametrize("text", TAMPERED)
def test_what_the_studio_did_not_write_is_no_command(
    tmp_path: Path, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such as in a folder that was downloaded."""
    browser = Browser(project(tmp_path))
    state = browser.project.state
    state.mkdir()
    for name in ("check.json", "build.json", "last.json"):
        (state / name).write_text(text)
    interrupted: list[int] = []
    monkeypatch.setattr(os, "killpg", lambda number, _signal: interrupted.append(number))
    monkeypatch.setattr(Jobs, "_is_locked", lambda _self: True)
    for path in ("/data", "/check", "/build"):
        assert browser.ask(path).status == 200, path
    assert browser.change("/jobs/cancel").status == 204
    assert interrupted == []


@pytest.mark.parametrize("end", ["", "zero", "[" * 5000, '{"code": 0}'])
def test_an_end_that_is_none_is_no_success(jobs: Jobs, end: str) -> None:
    jobs.start("check", ["--version"], plan="")
    wait(jobs, "check")
    (jobs.state / "check.end").write_text(end)
    (jobs.state / "check.progress").write_text('["a", "nan"]')
    job = jobs.job("check")
    assert job is not None
    assert job.code is None
    assert job.is_interrupted


LINKED = ("lock", "last.json", "last.json.new", "check.json.new", "check.out", "check.end.new", ".gitignore")


@pytest.mark.parametrize("name", LINKED)
def test_nothing_is_written_or_read_through_a_link(tmp_path: Path, name: str) -> None:
    """A folder that was downloaded may have some."""
    folder = tmp_path / "project"
    folder.mkdir()
    other = tmp_path / "other"
    other.write_text("SECRET")
    browser = Browser(project(folder))
    browser.project.state.mkdir()
    (browser.project.state / name).symlink_to(other)
    answer = browser.change("/jobs/start", name="check")
    if answer.status == 204:  # the link was taken away
        wait(Jobs(folder, browser.project.state), "check")
    assert "SECRET" not in browser.ask("/check").text
    assert other.read_text() == "SECRET"


@pytest.mark.parametrize("kind", ["link", "file"])
def test_a_folder_that_is_none_of_ours_is_not_used(tmp_path: Path, kind: str) -> None:
    folder, other = tmp_path / "project", tmp_path / "other"
    folder.mkdir()
    other.mkdir()
    (other / "check.out").write_text("SECRET")
    browser = Browser(project(folder))
    if kind == "link":
        browser.project.state.symlink_to(other)
    else:
        browser.project.state.touch()
    assert browser.change("/jobs/start", name="check").status == 422
    for path in ("/data", "/check"):
        answer = browser.ask(path)
        assert answer.status == 422
        assert "SECRET" not in answer.text
    assert [path.name for path in other.iterdir()] == ["check.out"]


@pytest.mark.parametrize("name", ["check", "build", "evaluate"])
@pytest.mark.parametrize("seen", ["", "0" * 64])
def test_what_is_started_is_what_the_page_showed(tmp_path: Path, name: str, seen: str) -> None:
    """A page may say what an earlier plan costs."""
    browser = Browser(project(tmp_path))
    (tmp_path / "small-1.0.0.h5").touch()
    answer = browser.change("/jobs/start", name=name, bundle="small-1.0.0.h5", digest=seen, yes="yes")
    assert answer.status == 422
    assert not browser.project.state.exists()
    for path in ("/check", "/build", "/evaluation?confirmed=yes"):
        assert 'name="digest"' in browser.ask(path).text


def test_no_one_waits_for_a_pipe_that_a_folder_was_delivered_with(jobs: Jobs) -> None:
    jobs.make_folder()
    for name in ("last.json", "verify.json", "verify.out", "verify.progress"):
        os.mkfifo(jobs.file(name))
    assert jobs.running() is None
    assert jobs.job("verify") is None
    assert last_step(jobs.file("verify.progress")) == Step("", 0.0)
    assert printed_bytes(jobs.file("verify.out")) == b""
