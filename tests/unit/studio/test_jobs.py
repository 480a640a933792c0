"""Commands of the studio: one at a time, each a process of its own that outlives the server, and can be cancelled."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from refusals import refused
from studio_project import Browser, project

from synthrelease.errors import MachineError
from synthrelease.files.locks import AVAILABLE
from synthrelease.studio.jobs import Job, Jobs
from synthrelease.studio.progress import ProgressFile, Step, last_step

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
