"""Builds that were killed before and after they charged a ledger: what the page says, and what the next build costs."""

from __future__ import annotations

import contextlib
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from paid_study import grant, write_paid_study
from studio_project import Browser, noted

import synthrelease
from synthrelease.studio.jobs import Jobs
from synthrelease.studio.project import Project

pytestmark = pytest.mark.thorough  # each builds twice

LEDGER, DEBIT, FILES = "ledgers.Ledger", "ledgers.Debit", "files.atomic"
DEATHS = {
    # where the build dies: the owner and the name of a function, whether it is run before; what the page says; charges of two builds
    "before it charges": (LEDGER, "debit", "", "", 1),
    "before it draws": (DEBIT, "begin_drawing", "", "unused", 1),
    "after it drew": (DEBIT, "begin_drawing", "late", "lost", 2),
    "before the bundle has its name": (FILES, "move_together", "", "lost", 2),
    "after the bundle has its name": (FILES, "move_together", "late", "complete", 2),
}
DYING = """
import os, signal, synthrelease
from synthrelease import files, ledgers
from synthrelease.files import atomic
real = {owner}.{name}
def die(*arguments, **named):
    if "{late}": real(*arguments, **named)
    os.kill(os.getpid(), signal.SIGKILL)
{owner}.{name} = die
synthrelease.build("plan.toml")
"""


def killed(plan: Path, where: str) -> None:
    """Build in a process that is killed where the case says."""
    owner, name, late, *_ = DEATHS[where]
    code = DYING.format(owner=owner, name=name, late=late)
    done = subprocess.run([sys.executable, "-c", code], cwd=plan.parent, capture_output=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr


def left(browser: Browser) -> list[str]:
    """What the page says of an interrupted build, by the classes of its element."""
    return re.findall(r'class="running left ?(\w*)"', browser.ask("/build").text)  # not a sentence: markup


@pytest.mark.parametrize("where", DEATHS)
def test_the_page_says_what_an_interrupted_build_cost(tmp_path: Path, where: str) -> None:
    *_, said, charges = DEATHS[where]
    plan = write_paid_study(tmp_path)
    ledger = grant(tmp_path)
    assert after_a_killed_build(plan, where) == [said]
    build(plan)
    (account,) = ledger.to_json().values()
    assert len(account["debits"]) == charges
    assert {path.name for path in tmp_path.iterdir()} == {*WHOLE, "ledger.sqlite"}


@pytest.mark.parametrize("where", [where for where, case in DEATHS.items() if case[0] == FILES])
def test_without_a_ledger_it_cost_nothing(tmp_path: Path, where: str) -> None:
    plan = write_paid_study(tmp_path)
    lines = plan.read_text().splitlines()
    plan.write_text("\n".join(line for line in lines if not line.startswith(("ledger", "dataset"))))
    said = DEATHS[where][3]
    assert after_a_killed_build(plan, where) == [said if said == "complete" else ""]
    build(plan)
    assert {path.name for path in tmp_path.iterdir()} == WHOLE


WHOLE = {
    "gaze.csv",
    "plan.toml",
    ".synthrelease-studio",
    "small-study-1.0.0.h5",
    "small-study-1.0.0.manifest.json",
}


def after_a_killed_build(plan: Path, where: str) -> list[str]:
    browser = Browser(Project(plan.parent.resolve()))
    assert left(browser) == []
    noted(browser.project, "build", "build", "plan.toml", printed="", code=None)
    time.sleep(0.02)  # files have the time of a clock that ticks
    killed(plan, where)
    return left(browser)


def build(plan: Path) -> None:
    """Build again, whatever is there."""
    with contextlib.chdir(plan.parent):
        built = synthrelease.build(plan.name, force=True)
        assert synthrelease.verify(built.path).ok


def test_a_build_that_ended_by_itself_is_not_spoken_of(tmp_path: Path) -> None:
    write_paid_study(tmp_path)
    grant(tmp_path)
    browser = Browser(Project(tmp_path.resolve()))
    noted(browser.project, "build", "build", "plan.toml", printed="{}", code=4)
    assert left(browser) == []


def test_two_projects_with_one_ledger_pay_one_after_the_other(tmp_path: Path) -> None:
    """Both are built at once by servers of their own, and there is room for one: the other is refused, and pays nothing."""
    ledger = grant(tmp_path, epsilon=1.2)
    browsers = []
    for name in ("one", "two"):
        folder = tmp_path / name
        folder.mkdir()
        write_paid_study(folder, ledger='"../ledger.sqlite"')
        browsers.append(Browser(Project(folder.resolve())))
    for browser in browsers:
        assert browser.change("/jobs/start", name="build", yes="yes").status == 204
    codes = []
    for browser in browsers:
        jobs = Jobs(browser.project.folder, browser.project.state)
        while (job := jobs.job("build")) is None or job.is_running:
            time.sleep(0.05)
        codes.append(job.code)
        built = (browser.project.folder / "small-study-1.0.0.h5").exists()
        assert built is (job.code == 0)
        page = browser.ask("/build")
        assert page.status == 200  # also where another build of the plan would be refused now
        assert 'class="result' in page.text
        assert left(browser) == []
    assert sorted(codes) == [0, 4]
    (account,) = ledger.to_json().values()
    assert [debit["state"] for debit in account["debits"]] == ["released"]
    assert account["spent"] <= 1.2
