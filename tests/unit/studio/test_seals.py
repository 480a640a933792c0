"""Results that the studio shows are of commands that it ran, on files as they still are: nothing that was delivered, damaged or is stale."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from studio_project import PLAN, Browser, noted, project

from synthrelease import __version__
from synthrelease.studio.jobs import Jobs
from synthrelease.studio.pages.answers import DOUBTS
from synthrelease.studio.project import Project
from synthrelease.studio.run_job import note_end
from synthrelease.studio.seals import read_sealed, write_sealed

GOOD = '{"ok": true, "findings": [], "checked": ["all-of-it"], "signed_by": [], "on_trust": [], "not_done": [], "unprotected": {}}'
BUILT = "small-1.0.0.h5"
EARLIER = "of an earlier state"
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


AREAS = PLAN.replace('kind = "heatmap"', 'kind = "areas"\nlabel_image = "labels/{stimulus}.png"') + (
    "[outputs.areas]\nface = { label = 1 }\n"
)
MAPS = PLAN + 'maps = "maps"\n'
FOLDER = PLAN.replace('"gaze.csv"', '"recordings"\npattern = "{session}.csv"')
# Of a plan: a file that it names, and whether there is one before.
NAMED = {
    "data": (PLAN, "gaze.csv", True),
    "label image": (AREAS, "labels/sea.png", True),
    "map": (MAPS, "maps/sky.npy", True),
    "recording": (FOLDER, "recordings/s1.csv", True),
    "another map": (MAPS, "maps/sea.npy", False),
    "another recording": (FOLDER, "recordings/s2.csv", False),
}


def written_over(path: Path) -> None:
    """With as many bytes, and the time that it had."""
    told = path.stat()
    path.write_bytes(b"x" * told.st_size)
    os.utime(path, ns=(told.st_atime_ns, told.st_mtime_ns))


@pytest.mark.parametrize("case", NAMED)
def test_results_are_of_the_files_that_the_plan_names(tmp_path: Path, case: str) -> None:
    plan, name, is_there = NAMED[case]
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    (path.parent / "s0.csv").write_text("who,image,x,y\n")
    browser = Browser(project(tmp_path, plan))
    if is_there and not path.exists():
        path.write_bytes(b"who,image,x,y\n")
    (tmp_path / BUILT).write_bytes(b"a bundle")
    for one, command in {"check": "build", "build": "build", "evaluate": "evaluate"}.items():
        noted(browser.project, one, command, "plan.toml", printed="")
    pages = ("/check", "/build", "/evaluation?confirmed=yes")

    def of_now() -> list[bool]:
        steps = browser.ask("/data").text.count('class="done"') == 1 + 4  # not a sentence: markup
        texts = [browser.ask(page).text for page in pages]
        assert all('class="result' in text for text in texts)
        return [steps, *(EARLIER not in text for text in texts)]

    assert of_now() == [True] * 4
    written_over(path) if is_there else path.write_bytes(b"")
    assert of_now() == [False] * 4


def test_a_plan_that_cannot_be_used_any_more_has_no_results(tmp_path: Path) -> None:
    browser = Browser(project(tmp_path))
    noted(browser.project, "check", "build", "plan.toml", printed="")
    assert EARLIER not in browser.ask("/check").text
    replaced(browser.project.plan, '"gaze.csv"', '"../gaze.csv"')
    assert EARLIER in browser.ask("/check").text


@pytest.mark.parametrize("name", ["check", "build", "verify", "evaluate"])
def test_results_of_another_version_are_not_shown(tmp_path: Path, name: str) -> None:
    browser = verified(tmp_path)
    (tmp_path / BUILT).write_bytes(b"a bundle")
    path = {"verify": "/bundle?path=b.h5", "evaluate": "/evaluation?confirmed=yes"}.get(name, f"/{name}")
    for version, is_shown in {__version__: True, "0.0.1": False}.items():
        noted(browser.project, name, name, "b.h5", printed='{"no": "all-of-it"}', version=version)
        assert ("all-of-it" in browser.ask(path).text) is is_shown
        done = browser.ask("/data").text.count('class="done"')  # not a sentence: markup
        assert done == 1 + is_shown * {"check": 3, "build": 1}.get(name, 0)


MADE = '{"report": "b.html", "bytes": 1, "warnings": [], "test_seed": false, "faults": []}'
REPORTS = {
    "report": ("b.html", "/bundle?path=b.h5", "/pages/report?path=b.h5"),
    "evaluate": ("private-evaluation.html", "/evaluation?confirmed=yes", "/pages/evaluation?confirmed=yes"),
}


@pytest.mark.parametrize("name", REPORTS)
def test_a_page_is_the_report_only_if_a_command_of_the_studio_wrote_it(tmp_path: Path, name: str) -> None:
    page, here, opened = REPORTS[name]
    browser = verified(tmp_path)
    (tmp_path / BUILT).write_bytes(b"a bundle")

    def is_opened() -> bool:
        is_linked = f'href="{opened}"' in browser.ask(here).text
        answers = [browser.ask(path) for path in (opened, f"{opened}&framed")]
        assert [answer.status == 200 for answer in answers] == [is_linked] * 2
        assert is_linked or not any(answer.text for answer in answers)
        return is_linked

    (tmp_path / page).write_text("delivered")
    assert not is_opened()
    assert 'name="force"' in browser.ask(here).text
    noted(browser.project, name, name, "b.h5", "-o", page, printed='{"error": {}}', code=3)
    assert not is_opened()  # what was there before, and stays
    noted(browser.project, name, name, "b.h5", "-o", page, printed=MADE)
    assert is_opened()
    (tmp_path / page).write_text("exchanged")
    assert not is_opened()


def test_a_report_of_another_bundle_is_none_of_this(tmp_path: Path) -> None:
    browser = verified(tmp_path)
    for name in ("a.h5", "a.html", "b.html"):
        (tmp_path / name).write_text("delivered")
    noted(browser.project, "report", "report", "b.h5", "-o", "b.html", printed=MADE)
    assert browser.ask("/pages/report?path=b.h5").status == 200
    assert browser.ask("/pages/report?path=a.h5").status == 404


def test_a_plan_is_proposed_with_what_to_mind_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "kept"))
    folder = tmp_path / "study"
    folder.mkdir()
    browser = Browser(project(folder, plan=None))
    (tmp_path / "kept").write_text("no folder: no key")
    assert browser.change("/data/propose", path="gaze.csv", person="who").status == 422
    assert not browser.project.plan.exists()
    (tmp_path / "kept").unlink()
    assert browser.change("/data/propose", path="gaze.csv", person="who").status == 204
    doubts = read_sealed(state(browser, DOUBTS))
    refused = browser.change("/data/propose", path="gaze.csv", person="session", more="yes", digest="other")
    assert refused.status == 422
    assert read_sealed(state(browser, DOUBTS)) == doubts
    assert sorted(path.name for path in browser.project.state.iterdir()) == [".gitignore", DOUBTS]


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
