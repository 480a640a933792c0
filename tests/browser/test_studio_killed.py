"""The studio's server is killed in each step, and started again: what was decided is there, and what runs goes on."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from studio_keyboard import answer, choose
from studio_project import PLAN
from studio_running import Running

import synthrelease

pytestmark = pytest.mark.thorough

Start = Callable[..., Running]


def again(here: Running, start: Start) -> Running:
    """Kill the server, and start another in its folder: nothing half done has a name."""
    here.process.kill()
    here.process.wait(10)
    names = {path.name for path in here.folder.iterdir()}
    assert names <= {"gaze.csv", "plan.toml", ".synthrelease-studio", *RELEASE}
    return start(folder=here.folder)


RELEASE = {"my-release-1.0.0.h5", "my-release-1.0.0.manifest.json"}


def test_decisions_stay_where_the_server_is_killed(studio: Start) -> None:
    here = studio()
    choose(here, "gaze.csv", person="who")
    here = again(here, studio)
    assert (
        here.page.locator("input[name=person]").count() == 0
    )  # nothing was proposed; not a sentence: a selector
    choose(here, "gaze.csv", person="who")
    here.send("Propose a plan")
    here = again(here, studio)
    assert here.page.url.endswith("/data")
    answer(here, {"title": "Small", "width_px": "800", "height_px": "600"})
    text = (here.folder / "plan.toml").read_text()
    here = again(here, studio)
    assert here.page.url.endswith("/release")
    here.go("/budget")
    shown = here.page.inner_text(".epsilon")
    here.reach("#position")
    here.page.keyboard.press("ArrowRight")
    here.page.wait_for_function(
        "before => document.querySelector('.epsilon').innerText !== before", arg=shown
    )
    here = again(here, studio)
    here.go("/budget")
    assert here.page.inner_text(".epsilon") == shown
    assert (here.folder / "plan.toml").read_text() == text


def test_commands_go_on_where_the_server_is_killed(studio: Start) -> None:
    here = studio(PLAN.replace('"small"', '"my-release"'))
    for path, button, result in (
        ("/check", "Check", ".result"),
        ("/build", "Build", ".result"),
        ("/bundle?path=my-release-1.0.0.h5", "Verify the bundle", "#verify .result"),
    ):
        here.go(path)
        here.press(button)
        here.page.wait_for_selector("progress")
        here = again(here, studio)
        here.go(path)
        here.page.wait_for_selector(result, timeout=60_000)
        assert here.page.locator(".left").count() == 0  # not a sentence: a selector
    assert here.page.locator(".steps .done").count() == 5  # all but the last
    assert synthrelease.verify(here.folder / "my-release-1.0.0.h5").ok
    assert {path.name for path in here.folder.iterdir()} >= RELEASE
