"""Every button and every link of every page of the studio, found by the browser and clicked: each is answered, changes something, and no page has an error."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from documented import ROOT
from paid_study import grant
from studio_project import PAID_PLAN, finished, noted, project
from studio_running import Running

import synthrelease
from synthrelease.studio import application
from synthrelease.studio.commands import COMMANDS
from synthrelease.studio.guard import Secrets
from synthrelease.studio.jobs import Jobs
from synthrelease.studio.project import Project

pytestmark = pytest.mark.thorough

_PATIENCE_MS = 15_000
_FOUND = "a[href], button, details[hx-get] > summary"
_SHOWN = f"""() => {{
    for (const one of document.querySelectorAll("details:not([hx-get])")) one.open = true;
    return [...document.querySelectorAll("{_FOUND}")].map((one, number) => ({{
        number,
        text: one.textContent.trim(),
        is_button: one.matches("button"),
        href: one.getAttribute("href"),
        path: one.href ? new URL(one.href).pathname + new URL(one.href).search : null,
        choices: one.form ? [...one.form.querySelectorAll("input[type=radio]")].length : 0,
        shown: one.checkVisibility(),
    }})).filter((one) => one.shown);
}}"""
# As a person would: what must be filled in is, one of several is chosen, and what is there already is changed.
_FILLED = """([number, choice]) => {
    const form = document.querySelectorAll("FOUND")[number].form;
    if (!form) return;
    const write = (one, text) => {
        one.value = text;
        one.dispatchEvent(new Event("change", {bubbles: true}));
    };
    const radios = [...form.querySelectorAll("input[type=radio]")];
    if (radios.length) radios[choice].checked = true;
    for (const one of form.querySelectorAll("input[type=checkbox]")) one.checked = true;
    for (const one of form.querySelectorAll("textarea[required]")) write(one, "some");
    for (const one of form.querySelectorAll("select[required]")) {
        if (!one.value) write(one, [...one.options].map((each) => each.value).filter(Boolean).pop());
    }
    const typed = [...form.querySelectorAll("input:not([type])")];
    for (const one of typed) if (one.required && !one.value) write(one, one.inputMode === "decimal" ? "0.4" : "some");
    for (const one of typed) if (one.required && one.pattern) write(one, `${one.value}_2`);
    const other = typed.find((one) => !one.required && one.inputMode === "decimal" && !one.closest(".range"))
        || typed.find((one) => !one.required && !one.closest(".range"));
    if (other) write(other, other.inputMode === "decimal" ? "7" : "some");
}""".replace("FOUND", _FOUND)


@dataclass
class Found:
    """What was clicked and asked for."""

    pages: set[str] = field(default_factory=set)  # paths that were shown
    posted: set[str] = field(default_factory=set)  # paths that forms were sent to
    started: set[str] = field(default_factory=set)  # names of commands
    buttons: set[str] = field(default_factory=set)  # texts
    dead: list[str] = field(default_factory=list)  # what was not answered, or changed nothing
    cancelled: bool = False


def contents(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def copied(source: Path, target: Path) -> None:
    """Make a folder what another is, without giving it another name."""
    for path in target.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    shutil.copytree(source, target, dirs_exist_ok=True)


class Clicks:
    """A browser that clicks whatever it finds, each time in the folder as it was."""

    def __init__(self, here: Running, found: Found, kept: Path, *, is_thorough: bool) -> None:
        self.here, self.found, self.kept, self.is_thorough = here, found, kept, is_thorough
        self.answers: list[tuple[str, str, int]] = []
        here.page.on("response", self._answered)

    def _answered(self, answer: Any) -> None:
        path = urlsplit(answer.url).path
        if path != "/state" and not path.startswith("/static/") and not answer.url.startswith("data:"):
            self.answers.append((answer.request.method, path, answer.status))
            if answer.request.method == "POST":
                self.found.posted.add(path)
                self.found.started |= set(parse_qs(answer.request.post_data or "").get("name", ())) & {
                    *COMMANDS
                }

    def all(self) -> None:
        """Click all that can be reached."""
        waiting, seen, followed = ["/"], set(), set()
        while waiting:
            path = waiting.pop(0)
            if path in seen or path.startswith("/pages/"):
                continue
            shown = self._open(path)
            at = self._at()
            if at in seen:  # another way to the same page
                continue
            seen |= {path, at}
            for one in shown:
                if one["href"] is None:
                    arrived = [
                        self._press(path, one, choice)
                        for choice in range(one["choices"] if self.is_thorough and one["choices"] else 1)
                    ]
                elif one["path"] in followed or one["href"] == "":  # which loads the page again
                    continue
                else:
                    followed.add(one["path"])
                    arrived = [self._press(path, one, 0)]
                waiting += [other for other in arrived if other is not None]

    def _open(self, path: str) -> list[dict[str, Any]]:
        copied(self.kept, self.here.folder)
        self.here.go(path)
        self._settle()
        self.found.pages.add(urlsplit(self.here.page.url).path)
        shown: list[dict[str, Any]] = self.here.page.evaluate(_SHOWN)
        return shown

    def _press(self, path: str, one: dict[str, Any], choice: int) -> str | None:
        """Click, and return the address that it led to; None if it led nowhere else."""
        from playwright.sync_api import TimeoutError  # noqa: A004  as other tests of browsers

        page, called = self.here.page, f"{path}: {one['text']} ({choice})"
        self._open(path)
        if one["is_button"]:
            self.found.buttons.add(one["text"])
            page.evaluate(_FILLED, [one["number"], choice])
        target = page.locator(_FOUND).nth(one["number"])
        if (one["href"] or "").startswith("#"):  # shown where the focus is
            target.focus()
            page.keyboard.press("Enter")
            assert page.evaluate("document.activeElement.id") == one["href"][1:]
            return None
        before = self._state()
        self.answers.clear()
        try:
            with page.expect_response(self._is_asked, timeout=_PATIENCE_MS):
                target.click(timeout=_PATIENCE_MS)
        except TimeoutError as error:
            self.found.dead.append(f"{called}: {error}")
            return None
        self._wait()
        refused = [answer for answer in self.answers if answer[2] >= 400]
        if refused or (before == self._state() and one["is_button"]):
            self.found.dead.append(f"{called}: {refused or 'nothing changed'}")
        self.found.pages.add(urlsplit(page.url).path)
        return self._at()

    def _at(self) -> str:
        """The address of the page that is shown, without that of the studio."""
        return str(self.here.page.url).removeprefix(self.here.base)

    def _is_asked(self, answer: Any) -> bool:
        path = urlsplit(answer.url).path
        return answer.url.startswith(self.here.base) and path != "/state" and not path.startswith("/static/")

    def _wait(self) -> None:
        """Until what was started has ended; the first of all that are is cancelled."""
        page, folder = self.here.page, self.here.folder.resolve()
        self._settle()
        cancel = page.locator("button:text-is('Cancel')")
        if not self.found.cancelled and cancel.count():
            with page.expect_response(lambda answer: answer.url.endswith("/jobs/cancel")):
                cancel.click()
            self.found.cancelled = True
        jobs = Jobs(folder, Project(folder).state)
        while jobs.running() is not None:
            page.wait_for_timeout(100)
        page.wait_for_function("() => !document.querySelector('progress')", timeout=_PATIENCE_MS)
        self._settle()

    def _settle(self) -> None:
        """Until a page is there, and nothing of it is waited for."""
        page = self.here.page
        page.wait_for_timeout(150)  # in which it is left, if it is
        page.wait_for_load_state("load")
        page.wait_for_function("() => !document.querySelector('.htmx-request')", timeout=_PATIENCE_MS)

    def _state(self) -> tuple[object, ...]:
        page = self.here.page
        return page.url, page.inner_text("body"), contents(self.here.folder)


STATES = (
    "data",
    "proposed",
    "released",
)  # with a table, with a plan that is not complete, and with a release
GOLDEN = ROOT / "tests" / "golden" / "bundles"


def prepared(name: str, folder: Path) -> None:
    """Make a folder as it is on the way."""
    folder.mkdir()
    here = project(folder, PAID_PLAN if name == "released" else None)
    if name == "proposed":
        proposal = synthrelease.init(folder / "gaze.csv", person="who", plan=here.plan)
        here.plan.write_text(proposal.text)
        shutil.copyfile(GOLDEN / "heatmaps.h5", folder / "other.h5")  # and no key
    if name == "released":
        grant(folder, epsilon=40.0)
        bundle = finished(here, "build", "build", "plan.toml", "--yes")["bundle"]
        finished(here, "check", "build", "plan.toml", "--dry-run")
        shutil.copyfile(folder / bundle, folder / "older.h5")
        finished(here, "report", "report", bundle, "-o", bundle.replace(".h5", ".html"))
        finished(here, "keygen", "keygen", "-o", "own.key", "--no-password")
        (folder / "private-evaluation.html").write_text("<title>private</title><h1>private</h1>")
        sent = (bundle, "-o", "private-evaluation.html")
        noted(here, "evaluate", "evaluate", "plan.toml", *sent, printed='{"faults": []}')


@pytest.mark.parametrize("name", STATES)
def test_each_button_and_link_is_answered_and_changes_something(
    tmp_path: Path, studio: Callable[..., Running], name: str
) -> None:
    found, folder, kept = Found(), tmp_path / name, tmp_path / "kept"
    prepared(name, folder)
    shutil.copytree(folder, kept)
    here = studio(folder=folder)
    Clicks(here, found, kept, is_thorough=name == "released").all()
    assert found.dead == []
    assert here.messages == []
    asked = found.posted | found.started
    routes = [*application.application(Project(tmp_path), Secrets()).routes]
    posts, pages = ({one.path for one in routes if method in (getattr(one, "methods", None) or ())} for method in ("POST", "GET"))  # type: ignore[attr-defined]  # fmt: skip
    if name == "released":
        assert asked == {*posts, *COMMANDS} - {"/data/answers", "keygen"}
        parts = ("/view", "/power", "/state", ".css", "}")  # of pages
        assert found.pages - {"/"} == {path for path in pages if not path.endswith(parts)} - {"/"}
    else:
        assert asked >= {"data": {"/data/propose"}, "proposed": {"/data/answers", "keygen"}}[name]
