"""Commands that pages run: of the project's files alone, and as they are typed in a terminal."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from pages import parsed
from paid_study import grant, write_paid_study
from refusals import refused
from studio_project import PAID_PLAN, Browser, project

from synthrelease.cli import main
from synthrelease.errors import ArgumentError, MachineError
from synthrelease.files.locks import AVAILABLE
from synthrelease.plan.plan import load_plan
from synthrelease.studio.commands import COMMANDS, OF_BUNDLES, PRIVATE, command
from synthrelease.studio.jobs import Jobs
from synthrelease.studio.project import Project

SENT = {
    "bundle": ["b.h5"],
    "older bundle": ["a.h5"],
    "to": ["csv"],
    "key": ["own.pem"],
    "yes": ["yes"],
    "force": ["no"],
    "epsilon": ["4.5"],
    "delta": ["1e-5"],
}


@pytest.fixture
def files(tmp_path: Path) -> Project:
    folder = tmp_path / "project"
    folder.mkdir()
    for name in ("a.h5", "b.h5", "own.pem"):
        (folder / name).touch()
    (tmp_path / "outside.h5").touch()
    (folder / "link.h5").symlink_to(tmp_path / "outside.h5")
    return project(folder)


@pytest.mark.parametrize("name", COMMANDS)
def test_each_is_a_command_line_that_there_is(files: Project, name: str) -> None:
    files.plan.write_text(PAID_PLAN)
    found: Any = main
    typed = list(command(name, files, {**SENT, "digest": [files.digest()]}))
    while hasattr(found, "commands"):
        found = found.commands[typed.pop(0)]
    found.make_context(name, typed)  # options are parsed, and nothing is run


def test_a_build_confirms_what_was_confirmed_and_no_more(files: Project) -> None:
    assert command("build", files, SENT) == ("build", "plan.toml", "--yes")
    assert command("build", files, {}) == ("build", "plan.toml")


@pytest.mark.parametrize("name", OF_BUNDLES)
@pytest.mark.parametrize("bundle", ["../outside.h5", "link.h5", "missing.h5", "gaze.csv", ".", "", "--force"])
def test_only_bundles_of_the_project_are_taken(files: Project, name: str, bundle: str) -> None:
    with pytest.raises(ArgumentError):
        command(name, files, {**SENT, "bundle": [bundle]})


@pytest.mark.parametrize(
    ("name", "what", "value"),
    [("diff", "older bundle", "link.h5"), ("export", "to", "other"), ("sign", "key", "/etc/passwd")],
)
def test_what_else_a_command_takes_is_of_the_project_too(
    files: Project, name: str, what: str, value: str
) -> None:
    with pytest.raises(ArgumentError):
        command(name, files, {**SENT, what: [value]})


@pytest.mark.parametrize(
    ("name", "target"),
    [("report", "b.html"), ("export", "b-csv"), ("evaluate", "private-evaluation.html")],
)
def test_nothing_is_replaced_unasked(files: Project, name: str, target: str) -> None:
    """Whatever it is, and whoever wrote it."""
    assert "--force" not in command(name, files, SENT)
    assert "--force" in command(name, files, {**SENT, "force": ["yes"]})
    browser = Browser(files)
    bundle = "small-1.0.0.h5" if name == "evaluate" else "b.h5"
    (files.folder / "small-1.0.0.h5").touch()
    page = "/evaluation?confirmed=yes" if name == "evaluate" else f"/bundle?path={bundle}"
    boxes = [parsed(browser.ask(page).text).text.count("Replace")]
    (files.folder / target).mkdir() if name == "export" else (files.folder / target).touch()
    boxes.append(parsed(browser.ask(page).text).text.count("Replace"))
    assert boxes == [0, 1]


@pytest.mark.parametrize(
    ("name", "target"),
    [("report", "b.html"), ("export", "b-csv"), ("evaluate", "private-evaluation.html")],
)
@pytest.mark.parametrize("outside", ["..", "../outside.h5", "../nothing"])
def test_nothing_is_written_through_a_link_that_leads_out(
    files: Project, name: str, target: str, outside: str
) -> None:
    assert target in command(name, files, SENT)
    (files.folder / target).symlink_to(outside)
    with refused(ArgumentError, "not-in-the-project"):
        command(name, files, SENT)


@pytest.mark.parametrize("name", ["", "init", "ledger", "studio", "__class__"])
def test_there_are_no_others(files: Project, name: str) -> None:
    with refused(ArgumentError, "unknown-command"):
        command(name, files, SENT)


def test_what_compares_with_the_data_is_private() -> None:
    assert set(PRIVATE) == {"check", "evaluate"}
    assert set(OF_BUNDLES) | {*PRIVATE, "build", "keygen", "grant"} == set(COMMANDS)


@pytest.mark.parametrize("name", ["check", "build"])
def test_a_plan_that_is_changed_after_it_was_confirmed_is_not_built(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the page and the command that it starts, the file can become another."""
    ledger = grant(tmp_path)
    plan = write_paid_study(tmp_path)
    started: list[list[str]] = []
    monkeypatch.setattr(Jobs, "start", lambda _jobs, _name, here, **_more: started.append([*here]))
    assert Browser(Project(tmp_path.resolve())).change("/jobs/start", name=name, yes="yes").status == 204
    confirmed = plan.read_text()
    plan.write_text(confirmed.replace("epsilon = 1.0", "epsilon = 9.0"))
    monkeypatch.chdir(tmp_path)
    refusal = CliRunner().invoke(main, started[0])
    assert refusal.exit_code == 3
    assert json.loads(refusal.stdout)["error"]["code"] == "plan-changed"
    assert ledger.to_json()["study"]["debits"] == []
    assert not list(tmp_path.glob("*.h5"))
    plan.write_text(confirmed)
    assert CliRunner().invoke(main, started[0]).exit_code == 0


def test_a_plan_that_is_changed_is_not_evaluated(files: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[list[str]] = []
    monkeypatch.setattr(Jobs, "start", lambda _jobs, _name, here, **_more: started.append([*here]))
    assert Browser(files).change("/jobs/start", name="evaluate", bundle="b.h5").status == 204
    files.plan.write_text(files.plan.read_text() + "# changed\n")
    monkeypatch.chdir(files.folder)
    refusal = CliRunner().invoke(main, started[0])
    assert json.loads(refusal.stdout)["error"]["code"] == "plan-changed"
    assert not (files.folder / "private-evaluation.html").exists()


@pytest.mark.parametrize("raw", [b"\xef\xbb\xbf", b"\r\n", b""])
def test_what_pages_confirm_is_what_builds_compare(tmp_path: Path, raw: bytes) -> None:
    """Whatever an editor writes at the beginning of files and at the end of lines."""
    here = project(tmp_path)
    here.plan.write_bytes(raw + here.plan.read_bytes().replace(b"\n", b"\r\n" if raw else b"\n"))
    assert here.digest() == load_plan(here.plan).digest
    assert (here.plan_text() or "").splitlines() == here.plan.read_text("utf-8-sig").splitlines()


@pytest.mark.skipif(not AVAILABLE, reason="commands need POSIX locks")
def test_a_command_is_running_as_long_as_its_process_is(
    files: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process has the lock, and not who has started it: a later server finds it, too."""
    started: list[subprocess.Popen[bytes]] = []

    def start(*_: str, **options: Any) -> subprocess.Popen[bytes]:
        started.append(subprocess.Popen(["sleep", "60"], **options))
        return started[0]

    monkeypatch.setattr("synthrelease.children.start", start)
    jobs = Jobs(files.folder, files.state)
    jobs.start("build", ["build"], plan="a")
    try:
        running = Jobs(files.folder, files.state).running()
        assert running is not None
        assert running.name == "build"
        with refused(MachineError, "command-running"):
            jobs.start("check", ["build", "--dry-run"], plan="a")
    finally:
        started[0].kill()
        started[0].wait()
    assert jobs.running() is None


def test_only_the_bundle_of_the_plan_is_compared_with_the_data(files: Project) -> None:
    browser = Browser(files)
    (files.folder / "small-1.0.0.h5").touch()
    assert 'href="/evaluation"' in browser.ask("/bundle?path=small-1.0.0.h5").text
    assert 'href="/evaluation"' not in browser.ask("/bundle?path=b.h5").text
    assert 'value="small-1.0.0.h5"' in browser.ask("/evaluation?confirmed=yes").text


def test_pages_of_files_outside_are_none(files: Project) -> None:
    browser = Browser(files)
    for path in (
        "/bundle?path=../outside.h5",
        "/bundle?path=link.h5",
        "/pages/report?path=../../etc/passwd",
        "/pages/report",
    ):
        assert browser.ask(path).status in (404, 422), path
    assert browser.ask("/bundle?path=b.h5").status == 200
    assert "link.h5" not in browser.ask("/bundles").text
