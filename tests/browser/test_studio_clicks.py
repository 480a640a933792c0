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
from studio_project import PAID_PLAN, Browser, finished, project
from studio_running import Running

import synthrelease
from synthrelease.studio import application
from synthrelease.studio.commands import COMMANDS
from synthrelease.studio.jobs import Jobs
from synthrelease.studio.project import Project

pytestmark = pytest.mark.thorough

_FOUND = "a[href], button"
_SHOWN = f"""() => {{
    for (const one of document.querySelectorAll("details")) one.open = true;
    return [...document.querySelectorAll("{_FOUND}")].map((one, number) => ({{
        number,
        text: one.textContent.trim(),
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
    for (const one of form.querySelectorAll("select[required]")) {
        if (!one.value) write(one, [...one.options].map((each) => each.value).filter(Boolean).pop());
    }
    const typed = [...form.querySelectorAll("input:not([type])")];
    for (const one of typed) if (one.required && !one.value) write(one, one.inputMode === "decimal" ? "0.4" : "some");
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
            seen.add(path)
            for one in self._open(path):
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
        self.here.page.wait_for_load_state("networkidle")
        self.found.pages.add(urlsplit(self.here.page.url).path)
        shown: list[dict[str, Any]] = self.here.page.evaluate(_SHOWN)
        return shown

    def _press(self, path: str, one: dict[str, Any], choice: int) -> str | None:
        """Click, and return the address that it led to; None if it led nowhere else."""
        page, called = self.here.page, f"{path}: {one['text']} ({choice})"
        self._open(path)
        page.wait_for_load_state("networkidle")  # of what opened
        if one["href"] is None:
            self.found.buttons.add(one["text"])
            page.evaluate(_FILLED, [one["number"], choice])
            page.wait_for_timeout(300)
        before = self._state()
        self.answers.clear()
        try:
            with page.expect_response(self._is_asked, timeout=20_000):
                page.locator(_FOUND).nth(one["number"]).click()
        except Exception as error:  # noqa: BLE001  of playwright: nothing was asked
            if (one["href"] or "").startswith("#"):
                assert page.evaluate("document.activeElement.id") == one["href"][1:]
                return None
            self.found.dead.append(f"{called}: {type(error).__name__}")
            return None
        self._wait()
        refused = [answer for answer in self.answers if answer[2] >= 400]
        if refused or (before == self._state() and one["href"] is None):
            self.found.dead.append(f"{called}: {refused or 'nothing changed'}")
        parts = urlsplit(page.url)
        self.found.pages.add(parts.path)
        return f"{parts.path}?{parts.query}" if parts.query else parts.path

    def _is_asked(self, answer: Any) -> bool:
        path = urlsplit(answer.url).path
        return answer.url.startswith(self.here.base) and path != "/state" and not path.startswith("/static/")

    def _wait(self) -> None:
        """Until what was started has ended; the first of all that are is cancelled."""
        page = self.here.page
        page.wait_for_load_state("networkidle")
        jobs = Jobs(self.here.folder.resolve(), Project(self.here.folder.resolve()).state)
        if not self.found.cancelled and page.locator("button:text-is('Cancel')").count():
            with page.expect_response(lambda answer: answer.url.endswith("/jobs/cancel")):
                page.click("button:text-is('Cancel')")
            self.found.cancelled = True
        while jobs.running() is not None:
            page.wait_for_timeout(200)
        page.wait_for_timeout(1_000)  # in which the page notices
        page.wait_for_load_state("networkidle")

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
        synthrelease.init(folder / "gaze.csv", person="who", plan=folder / "plan.toml")
        shutil.copyfile(GOLDEN / "heatmaps.h5", folder / "other.h5")  # and no key
    if name == "released":
        grant(folder, epsilon=40.0)
        bundle = finished(here, "build", "build", "plan.toml", "--yes")["bundle"]
        finished(here, "check", "build", "plan.toml", "--dry-run")
        shutil.copyfile(folder / bundle, folder / "older.h5")
        finished(here, "report", "report", bundle, "-o", bundle.replace(".h5", ".html"))
        finished(here, "keygen", "keygen", "-o", "own.key", "--no-password")
        (folder / "private-evaluation.html").write_text("<title>private</title><h1>private</h1>")


def test_each_button_and_link_is_answered_and_changes_something(
    tmp_path: Path, studio: Callable[..., Running]
) -> None:
    found = Found()
    for name in STATES:
        folder = tmp_path / name
        prepared(name, folder)
        kept = tmp_path / f"{name}-kept"
        shutil.copytree(folder, kept)
        here = studio(folder=folder)
        Clicks(here, found, kept, is_thorough=name == "released").all()
        assert here.messages == [], name
    assert found.dead == []
    routes = application.application(Project(tmp_path), Browser(Project(tmp_path)).secrets).routes
    paths = {method: {route.path for route in routes if method in (getattr(route, "methods", None) or ())} for method in ("GET", "POST")}  # type: ignore[attr-defined]  # fmt: skip
    assert found.posted == paths["POST"]
    assert found.started == {*COMMANDS}
    pages = {
        path for path in paths["GET"] if not path.endswith(("/view", "/power", "/state", ".css", "}"))
    } - {"/"}
    assert found.pages - {"/"} == pages
