"""Results that the studio shows are of commands that it ran, on files as they still are: nothing that was delivered, damaged or is stale."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from studio_project import PLAN, Browser, noted, project

from synthrelease.studio.jobs import Jobs
from synthrelease.studio.pages.answers import DOUBTS
from synthrelease.studio.project import Project
from synthrelease.studio.run_job import note_end
from synthrelease.studio.seals import read_sealed, write_sealed

GOOD = '{"ok": true, "findings": [], "checked": ["all-of-it"], "signed_by": [], "on_trust": [], "not_done": [], "unprotected": {}}'
BUILT = "small-1.0.0.h5"
SHOWN = 'class="verdict'  # not a sentence: markup


def verified(folder: Path) -> Browser:
    """A project with a bundle that was verified."""
    folder.mkdir(parents=True, exist_ok=True)
    browser = Browser(project(folder))
    (folder / "b.h5").write_bytes(b"a bundle")
    noted(browser.project, "verify", "verify", "b.h5", printed=GOOD)
    return browser


def shows(browser: Browser, path: str = "/bundle?path=b.h5") -> bool:
    return SHOWN in browser.ask(path).text


def state(browser: Browser, name: str) -> Path:
    return browser.project.state / name


def replaced(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def of_another_run(browser: Browser) -> None:
    """Begun in one run and ended in another, both of this project."""
    noted(browser.project, "verify", "verify", "b.h5", printed=GOOD, code=None)
    note_end(browser.project.state, "verify", {"id": "other", "about": ["b.h5"]}, 0)


def changed_meanwhile(browser: Browser) -> None:
    """By another program, while the command ran."""
    noted(browser.project, "verify", "verify", "b.h5", printed=GOOD, code=None)
    (browser.project.folder / "b.h5").write_bytes(b"another")
    note_end(browser.project.state, "verify", {"id": "0", "about": ["b.h5"]}, 0)


def with_its_time(browser: Browser) -> None:
    """As a file that is unpacked over another."""
    bundle = browser.project.folder / "b.h5"
    told = bundle.stat()
    bundle.write_bytes(b"A bundle")
    os.utime(bundle, ns=(told.st_atime_ns, told.st_mtime_ns))


FORGED: dict[str, Callable[[Browser], object]] = {
    "what it printed": lambda one: state(one, "verify.out").write_text(GOOD.replace("all-of-it", "all-of-it, too")),
    "its errors": lambda one: state(one, "verify.err").write_text("other"),
    "its exit code": lambda one: replaced(state(one, "verify.end"), '"code": 0', '"code": 1'),
    "its end taken away": lambda one: state(one, "verify.end").unlink(),
    "its command": lambda one: replaced(state(one, "verify.json"), '"command"', '"Command"'),
    "another run": of_another_run,
    "another bundle of the same time": with_its_time,
    "another bundle meanwhile": changed_meanwhile,
    "a bundle that is gone": lambda one: (one.project.folder / "b.h5").write_bytes(b""),
}  # fmt: skip


@pytest.mark.parametrize("case", FORGED)
def test_a_result_that_is_forged_or_stale_is_not_shown(tmp_path: Path, case: str) -> None:
    browser = verified(tmp_path / "own")
    assert shows(browser)
    FORGED[case](browser)
    answer = browser.ask("/bundle?path=b.h5")
    assert answer.status == 200
    assert SHOWN not in answer.text
    assert "all-of-it" not in answer.text  # nor as it was printed; not a sentence: a check of this test's


@pytest.mark.parametrize("by", ["user", "project", "unsealed"])
def test_a_folder_that_is_delivered_has_no_results(
    tmp_path: Path, by: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = tmp_path / "there"
    browser = verified(there)
    noted(browser.project, "check", "build", "plan.toml", "--dry-run", printed=GOOD)
    noted(browser.project, "build", "build", "plan.toml", printed='{"bundle": "b.h5"}')
    write_sealed(state(browser, DOUBTS), "a doubt")
    if by == "user":
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "of-another"))
        here = there
    else:
        here = tmp_path / "here"
        shutil.copytree(there, here)
    if by == "unsealed":
        for path in (here / state(browser, "").name).glob("*.json"):
            path.write_text(path.read_text().partition("\n")[2])
    browser = Browser(Project(here.resolve()))
    assert not shows(browser)
    for path in ("/check", "/build", "/data"):
        page = browser.ask(path).text
        assert 'class="result' not in page, path  # not a sentence: markup
        assert page.count('class="done"') == 1, path  # the plan, which is there; not a sentence: markup
        assert "a doubt" not in page, path
    assert browser.project.digest() == Project(there.resolve()).digest()


def test_a_bundle_that_was_put_there_is_none_of_an_interrupted_build(tmp_path: Path) -> None:
    browser = Browser(project(tmp_path))
    (tmp_path / BUILT).write_bytes(b"before")
    noted(browser.project, "build", "build", "plan.toml", printed="", code=None)
    os.utime(tmp_path / BUILT, (2e9, 2e9))
    assert "left complete" not in browser.ask("/build").text  # not a sentence: markup
    (tmp_path / BUILT).write_bytes(b"after")
    assert "left complete" in browser.ask("/build").text  # not a sentence: markup


def test_the_key_is_the_users_alone_and_no_part_of_a_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_STATE_HOME", ".")  # of the folder: none, as the standard has it
    browser = verified(tmp_path / "study")
    key = home / ".local" / "state" / "synthrelease" / "studio.key"
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert stat.S_IMODE(key.parent.stat().st_mode) == 0o700
    secret = key.read_bytes()
    assert len(secret) == 32
    assert not [
        path for path in browser.project.folder.rglob("*") if path.is_file() and secret in path.read_bytes()
    ]
    assert shows(browser)


def unreadable(key: Path) -> None:
    key.chmod(0o644)


def a_link(key: Path) -> None:
    key.rename(key.with_name("other"))
    key.symlink_to("other")


def short(key: Path) -> None:
    key.write_bytes(b"short")


def a_folder(key: Path) -> None:
    key.unlink()
    key.mkdir()


@pytest.mark.parametrize("damage", [unreadable, a_link, short, a_folder])
def test_a_key_that_others_could_know_seals_nothing(
    tmp_path: Path, damage: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "kept"))
    browser = verified(tmp_path / "study")
    damage(tmp_path / "kept" / "synthrelease" / "studio.key")
    assert not shows(browser)
    answer = browser.change("/jobs/start", name="check")
    assert answer.status == 422
    assert "XDG_STATE_HOME" in answer.text
    assert not Jobs(browser.project.folder, browser.project.state)._is_locked()


def test_what_is_no_text_is_not_sealed(tmp_path: Path) -> None:
    path = tmp_path / "sealed"
    for raw in (b"", b"\n", b"\xff\n\xff", b"0" * 64 + b"\n" + PLAN.encode()):
        path.write_bytes(raw)
        assert read_sealed(path) is None
    write_sealed(path, "one\ntwo\n")
    assert read_sealed(path) == "one\ntwo\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
