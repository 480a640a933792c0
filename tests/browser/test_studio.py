"""The studio in a real browser: from a table to a verified bundle with its report, by keyboard alone; and what other pages can do."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest
from studio_project import PLAN, finished, noted
from studio_running import Running

import synthrelease
from synthrelease.studio.project import Project

pytestmark = pytest.mark.thorough


def test_from_a_table_to_a_verified_bundle_by_keyboard_alone(studio: Callable[..., Running]) -> None:
    here = studio(None)
    page = here.page
    page.focus("#path")
    page.keyboard.type("gaze.csv")
    here.press("Look at it")
    page.focus("input[value=who]")
    page.keyboard.press("Space")
    here.press("Propose a plan")
    page.wait_for_selector("text=What only you can know")
    for key, typed in (("title", "Small"), ("width_px", "800"), ("height_px", "600")):
        page.focus(f"input[name*={key}]")
        page.keyboard.type(typed)
    page.focus("input[value=confirmed]")
    page.keyboard.press("Space")
    here.press("Write the answers into the plan")
    page.wait_for_selector("text=The plan is complete")

    here.go("/budget")
    page.focus("#position")
    before = page.inner_text(".epsilon")
    page.keyboard.press("ArrowRight")
    page.wait_for_function("before => document.querySelector('.epsilon').innerText !== before", arg=before)
    assert page.locator(".simulated img").count() == 1  # not a sentence: a selector
    here.press("Write it into the plan")
    page.wait_for_function("() => document.querySelector('#epsilon').placeholder !== '1.0'")

    here.go("/check")
    here.press("Check")
    page.wait_for_selector("text=Done.")
    here.go("/build")
    here.press("Build")
    page.wait_for_selector("text=Done.")
    page.click("text=Look at the release")
    page.wait_for_selector("#verify")
    here.press("Verify the bundle")
    page.wait_for_selector("#verify .verdict.good")
    here.press("Write the report")
    page.wait_for_selector("text=Open the report")
    page.click("text=Open the report")
    page.frame_locator("iframe").locator("h1").wait_for()
    assert page.title()
    assert here.messages == []
    (bundle,) = here.folder.glob("*.h5")
    assert synthrelease.verify(bundle).ok
    made = tomllib.loads((here.folder / "plan.toml").read_text())
    by_hand = tomllib.loads(PLAN)
    assert made["inputs"]["gaze"]["screen"] == by_hand["inputs"]["gaze"]["screen"]
    assert sorted(made["inputs"]["gaze"]["stimuli"]) == sorted(by_hand["inputs"]["gaze"]["stimuli"])
    assert made["inputs"]["gaze"]["columns"] == by_hand["inputs"]["gaze"]["columns"]


def write_results(here: Project) -> str:
    """Leave a result of every command, and return the name of their bundle."""
    finished(here, "check", "build", "plan.toml", "--dry-run")
    bundle: str = finished(here, "build", "build", "plan.toml")["bundle"]
    (here.folder / "older.h5").write_bytes((here.folder / bundle).read_bytes()[:-1] + b"x")
    (here.folder / "own.pem").touch()
    for name in ("verify", "show"):
        finished(here, name, name, bundle)
    finished(here, "report", "report", bundle, "-o", "page.html")
    finished(here, "export", "export", "older.h5", "--to", "csv", "-o", bundle)  # a fault, drawn
    finished(here, "sign", "sign", bundle, "--key", "own.pem")
    finished(here, "diff", "diff", bundle, bundle)
    noted(here, "evaluate", "evaluate", bundle, printed='{"faults": ["some"]}')
    return bundle


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 1400])
def test_every_page_is_accessible_and_as_wide_as_the_screen(
    studio: Callable[..., Running], violations: Callable[..., dict[str, list[str]]], width: int, scheme: str
) -> None:
    here = studio(PLAN, width=width)
    here.page.emulate_media(color_scheme=scheme)
    bundle = write_results(Project(here.folder.resolve()))
    own = (
        "/data",
        "/release",
        "/budget",
        "/release",
        "/check",
        "/build",
        "/data?path=x",
        "/data?more=yes&path=gaze.csv",
    )
    for path in (*own, f"/bundle?path={bundle}", "/evaluation", "/evaluation?confirmed=yes"):
        here.go(path)
        here.page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
        assert violations(here) == {}, path  # a `Visit` for what is asked of it: a page
        assert here.page.evaluate("document.documentElement.scrollWidth") <= width, path
    assert here.messages == []


def test_a_second_tab_sees_what_the_first_does(studio: Callable[..., Running]) -> None:
    here = studio(PLAN)
    other = here.context.new_page()
    other.goto(here.base + "/budget")
    here.go("/budget")
    here.page.fill("#epsilon", "1.25")
    here.page.click("text=Write it into the plan")
    other.wait_for_selector("text=The plan was changed", timeout=10_000)
    other.fill("#epsilon", "9")
    other.click("text=Write it into the plan")
    other.wait_for_selector("#problem .problem")
    assert "epsilon = 1.25" in (here.folder / "plan.toml").read_text()


def test_a_page_of_another_address_changes_and_reads_nothing(studio: Callable[..., Running]) -> None:
    here = studio(PLAN)

    class Hostile(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            self.wfile.write(
                f"<form method=post action='{here.base}/jobs/cancel'><button>go</button></form>"
                f"<iframe src='{here.base}/check'></iframe><script src='{here.base}/data'></script>".encode()
            )

        def log_message(self, *_arguments: object) -> None:
            """Say nothing."""

    with HTTPServer(("127.0.0.1", 0), Hostile) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        page = here.context.new_page()
        statuses: dict[str, int] = {}
        page.on("response", lambda answer: statuses.setdefault(answer.url, answer.status))
        page.goto(f"http://127.0.0.1:{server.server_port}/")
        fetched = page.evaluate(
            "base => fetch(base + '/data', {credentials: 'include'}).then(r => r.text()).catch(() => 'blocked')",
            here.base,
        )
        assert fetched == "blocked"
        page.click("text=go")
        page.wait_for_load_state()
        server.shutdown()
    own = {url: status for url, status in statuses.items() if url.startswith(here.base)}
    assert set(own.values()) == {403}, own


@pytest.mark.parametrize("leaving", ["", "<meta http-equiv='refresh' content='0; url={out}/refresh'>"])
def test_a_report_of_another_runs_and_reaches_nothing(studio: Callable[..., Running], leaving: str) -> None:
    """A bundle that was downloaded, with a page next to it: as if it were the report; nor does it lead elsewhere."""
    here = studio(PLAN)
    asked: list[str] = []

    class Listening(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_arguments: object) -> None:
            """Say nothing."""

    with HTTPServer(("127.0.0.1", 0), Listening) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        out = f"http://127.0.0.1:{server.server_port}"
        (here.folder / "b.h5").touch()
        (here.folder / "b.html").write_text(
            f"{leaving.format(out=out)}<h1>Report</h1><script>document.title = 'ran'; fetch('{here.base}/data', {{credentials: 'include'}})"
            f".then(a => a.text()).then(t => fetch('{out}/script?' + t))</script><img src='{out}/image'>"
            f"<link rel=stylesheet href='{out}/style'><img src='{here.base}/check' onerror=\"document.title = 'ran'\">"
            f"<iframe src='{here.base}/data'></iframe><form action='{here.base}/jobs/cancel' method=post><button>go</button></form>"
        )
        made = {"report": "b.html", "bytes": 1, "warnings": [], "test_seed": False}
        sent = ("b.h5", "-o", "b.html")  # of anyone, and written into the page by a command of ours
        noted(Project(here.folder.resolve()), "report", "report", *sent, printed=json.dumps(made))
        here.go("/pages/report?path=b.h5")
        report = here.page.frame_locator("iframe")
        if not leaving:  # else the browser shows a page of its own in the frame
            assert report.locator("h1").inner_text() == "Report"
            report.locator("text=go").click()
        here.page.wait_for_timeout(500)
        server.shutdown()
    assert here.page.url == f"{here.base}/pages/report?path=b.h5"
    assert here.page.title() != "ran"
    assert asked == []
