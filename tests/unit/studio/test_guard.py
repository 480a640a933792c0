"""Who may ask the studio: nothing is answered but to the browser that had the first address."""

from __future__ import annotations

import asyncio
import hmac
import json
from pathlib import Path

import pytest
from studio_project import HOST, Browser, name_of, noted, project

from synthrelease.reports.page import script
from synthrelease.studio.application import application
from synthrelease.studio.budget import STEPS
from synthrelease.studio.guard import COOKIE, ENTRANCE, Guard, Secrets
from synthrelease.studio.jobs import Jobs
from synthrelease.studio.pages import budget

OTHER_HOSTS = (
    None,
    "attacker.example",
    "attacker.example:8765",
    "127.0.0.1",
    "127.0.0.1:80",
    "localhost:8765.attacker.example",
    "localhost.:8765",
    "127.0.0.1.:8765",
    "LOCALHOST:8765",
    "[::1]:8765",
    "user@127.0.0.1:8765",
    "127.1:8765",
    "2130706433:8765",
    "0.0.0.0:8765",
    "127.0.0.1:8765,attacker.example",
)


@pytest.fixture
def browser(tmp_path: Path) -> Browser:
    return Browser(project(tmp_path))


def _paths(browser: Browser, method: str) -> list[str]:
    """All addresses that there are of a method."""
    routes = application(browser.project, Secrets()).routes
    return [
        route.path.replace("{name}", "build")
        for route in routes
        if method in (getattr(route, "methods", None) or ())
    ]


def test_there_is_a_way_for_the_browser_that_is_let_in(browser: Browser) -> None:
    assert browser.ask("/data").status == 200


def test_of_every_page_nothing_is_shown_without_the_cookie(browser: Browser) -> None:
    pages = _paths(browser, "GET")
    assert len(pages) > 10
    for path in pages:
        for cookie in (None, "wrong", browser.secrets.page, browser.secrets.entrance):
            answer = browser.ask(path, cookie=cookie)
            assert answer.status == 403, path
            assert "maps" not in answer.text


@pytest.mark.parametrize("host", OTHER_HOSTS)
def test_under_another_name_nothing_is_answered(browser: Browser, host: str | None) -> None:
    """A page whose name was made to lead here (DNS rebinding)."""
    assert browser.ask("/data", host=host).status == 421
    assert browser.ask(f"{ENTRANCE}?token={browser.secrets.entrance}", host=host).status == 421
    assert browser.secrets.entrance is not None


def test_two_hosts_are_none(browser: Browser) -> None:
    assert browser.ask("/data", more=[("host", HOST)]).status == 421


@pytest.mark.parametrize(
    "header",
    [
        ("origin", "http://attacker.example"),
        ("origin", "http://127.0.0.1:9999"),
        ("origin", "https://127.0.0.1:8765"),
        ("origin", "null"),
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-site", "same-site"),
    ],
)
def test_other_pages_ask_for_nothing(browser: Browser, header: tuple[str, str]) -> None:
    """Even with the cookie, which is sent to other ports of this machine."""
    for path in ("/data", "/pages/evaluation"):
        assert browser.ask(path, more=[header]).status == 403
    assert browser.ask("/jobs/cancel", method="POST", more=[header]).status == 403


def test_no_change_is_made_without_the_token_of_a_page(browser: Browser) -> None:
    before = browser.project.plan_text()
    paths = _paths(browser, "POST")
    assert len(paths) > 5
    for path in paths:
        for token in (None, "wrong", browser.secrets.session):
            answer = browser.ask(path, method="POST", token=token, form={"name": "check", "number": "0"})
            assert answer.status == 403, path
    assert browser.project.plan_text() == before
    assert not browser.project.state.exists()


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_other_methods_change_nothing(browser: Browser, method: str) -> None:
    assert browser.ask("/budget", method=method).status == 405
    assert browser.ask("/budget", method=method, token=None).status == 403


def test_the_first_address_works_once(browser: Browser) -> None:
    address = f"{ENTRANCE}?token={browser.secrets.entrance}"
    first, second = (browser.ask(address, cookie=None) for _ in range(2))
    assert first.status == 303
    assert first.headers["location"] == "/"
    cookie = first.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "domain" not in cookie
    assert "max-age" not in cookie
    assert "expires" not in cookie
    assert "samesite=strict" in cookie
    assert browser.secrets.session.lower() in cookie
    assert second.status == 403
    assert "set-cookie" not in second.headers


@pytest.mark.parametrize("given", ["", "token=", "token=wrong", "token=None", "token=%ff"])
def test_a_wrong_token_lets_no_one_in_and_uses_nothing_up(browser: Browser, given: str) -> None:
    assert browser.ask(f"{ENTRANCE}?{given}", cookie=None).status == 403
    assert browser.ask(f"{ENTRANCE}?token={browser.secrets.entrance}", cookie=None).status == 303


def test_the_first_address_is_none_for_changes(browser: Browser) -> None:
    assert browser.ask(f"{ENTRANCE}?token={browser.secrets.entrance}", method="POST").status == 403


@pytest.mark.parametrize("path", ["/data", "/release", "/static/studio.css", "/nothing"])
def test_pages_can_run_and_fetch_only_what_is_ours_and_are_kept_nowhere(browser: Browser, path: str) -> None:
    headers = browser.ask(path).headers
    policy = dict(part.strip().split(" ", 1) for part in headers["content-security-policy"].split(";"))
    assert policy["default-src"] == policy["frame-ancestors"] == policy["base-uri"] == "'none'"
    assert (
        policy["script-src"]
        == policy["style-src"]
        == policy["connect-src"]
        == policy["form-action"]
        == "'self'"
    )
    assert policy["img-src"] == "'self' data:"
    assert set(policy) <= {
        *("default-src", "script-src", "style-src", "img-src", "connect-src", "form-action"),
        *("frame-ancestors", "base-uri"),
    }
    assert headers["cross-origin-opener-policy"] == headers["cross-origin-resource-policy"] == "same-origin"
    assert headers["x-frame-options"] == "DENY"
    assert headers["cache-control"] == "no-store"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["x-content-type-options"] == "nosniff"


def test_cookies_of_other_programs_on_this_machine_hide_ours_from_no_one(browser: Browser) -> None:
    """Browsers send those of all ports, and not all of them are as the standard has them."""
    for others in ('{"a": 1}', "a b=c d", "=", ";;", 'x="', "expires=1"):
        more = [("cookie", f"{others}; {COOKIE}={browser.secrets.session}; b={others}")]
        assert browser.ask("/data", cookie=None, more=more).status == 200, others


def test_secrets_are_compared_in_a_time_that_does_not_depend_on_them(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hmac, "compare_digest", lambda _given, _secret: False)
    assert browser.ask("/data").status == 403
    assert browser.ask(f"{ENTRANCE}?token={browser.secrets.entrance}", cookie=None).status == 403


def test_the_cookie_of_another_studio_is_another(browser: Browser) -> None:
    """Browsers keep one of a name for all ports: the second studio would close the first."""
    own = f"{COOKIE}-8765"
    browser._app = Guard(browser._app.app, browser._app.hosts, browser.secrets, own)
    let_in = browser.ask(f"{ENTRANCE}?token={browser.secrets.entrance}", cookie=None)
    assert let_in.headers["set-cookie"].startswith(f"{own}={browser.secrets.session};")
    more = [("cookie", f"{COOKIE}-1=other; {own}={browser.secrets.session}")]
    assert browser.ask("/data", cookie=None, more=more).status == 200
    assert browser.ask("/data").status == 403


@pytest.mark.parametrize("path", ["/pages/report?path=b.h5", "/pages/evaluation?confirmed=yes"])
def test_pages_of_bundles_run_our_script_alone_and_reach_nothing(browser: Browser, path: str) -> None:
    """A bundle, and the page next to it, may be of anyone."""
    folder = browser.project.folder
    for name in ("b.h5", "b.html", "private-evaluation.html"):
        (folder / name).write_text("<script>parent</script>")
    made = {"bytes": 1, "warnings": [], "test_seed": False, "report": "b.html", "faults": []}
    noted(browser.project, "report", "report", "b.h5", "-o", "b.html", printed=json.dumps(made))
    noted(browser.project, "evaluate", "evaluate", "-o", "private-evaluation.html", printed=json.dumps(made))
    frame, page = browser.ask(path), browser.ask(f"{path}&framed")
    around, within = (
        dict(part.strip().partition(" ")[::2] for part in one.headers["content-security-policy"].split(";"))
        for one in (frame, page)
    )
    assert "parent" not in frame.text
    assert page.text == "<script>parent</script>"
    assert within["sandbox"] == "allow-scripts"
    assert within["script-src"] == f"'{script().hash}'"
    assert (around["frame-src"], around["frame-ancestors"], within["frame-ancestors"]) == (
        "'self'",
        "'none'",
        "'self'",
    )
    for policy in (around, within):
        for what in ("default-src", "base-uri", "form-action"):
            assert policy[what] == "'none'", what
    assert not set(around) & {"script-src", "img-src", "connect-src"}
    assert not set(within) & {"connect-src", "frame-src", "font-src", "media-src", "object-src"}
    for headers in (frame.headers, page.headers):
        assert headers["cache-control"] == "no-store"
        assert headers["content-type"].startswith("text/html")


WRONG = ("", "x", "-1", "1.0", "1e1", "999999", "9" * 5000, "٣", " 1", "None")


@pytest.mark.parametrize("epsilon", ["1e308", "1e300", "1001", "1e-320", "0", "-1", "nan", "inf", "9" * 400])
def test_an_epsilon_that_no_plan_can_have_is_a_message(browser: Browser, epsilon: str) -> None:
    before = browser.project.plan_text()
    answer = browser.ask(f"/budget/view?position=3&epsilon={epsilon}", more=[("hx-request", "true")])
    assert answer.status in (200, 422)
    assert 'class="problem"' in answer.text
    changed = browser.change("/budget", position="3", epsilon=epsilon)
    assert changed.status == (204 if epsilon == "1e-320" else 422)  # which a plan can say
    assert (browser.project.plan_text() == before) == (changed.status == 422)


@pytest.mark.parametrize("number", WRONG)
def test_what_is_no_place_in_a_list_changes_nothing(browser: Browser, number: str) -> None:
    before = browser.project.plan_text()
    assert browser.ask(f"/budget/view?position={number}").status == 422
    assert browser.change("/budget", position=number).status == 422
    assert browser.change("/release/remove", number=number).status == 422
    changed = {name_of("outputs", 0, "blur_px"): "24"}
    assert browser.change("/release/change", number=number, **changed).status == 422
    assert browser.ask(f"/budget/view?position={STEPS - 1}").status == 200
    assert browser.ask(f"/budget/view?position={STEPS}").status == 422
    assert browser.project.plan_text() == before


@pytest.mark.parametrize("kind", ["", "x", "gaze", "file", "$defs", "__class__"])
def test_what_is_no_kind_of_output_is_not_added(browser: Browser, kind: str) -> None:
    before = browser.project.plan_text()
    assert browser.change("/release/add", kind=kind, name="a", input="gaze").status == 422
    assert browser.project.plan_text() == before


def test_a_form_without_anything_changes_nothing(browser: Browser) -> None:
    before = browser.project.plan_text()
    for path in _paths(browser, "POST"):
        assert browser.ask(path, method="POST").status in (204, 422), path
        assert browser.ask(path, method="POST", form={"epsilon": "1", "number": "0"}).status in (204, 422)
    assert browser.project.plan_text() == before


@pytest.mark.parametrize("more", [[], [("hx-request", "true")]])
def test_of_a_fault_a_page_says_nothing_but_that_it_is_one(
    browser: Browser, monkeypatch: pytest.MonkeyPatch, more: list[tuple[str, str]]
) -> None:
    def faulty(*_arguments: object) -> None:
        raise RuntimeError("SECRET")

    monkeypatch.setattr(budget, "nearest_position", faulty)
    answer = browser.ask("/budget", more=more)
    assert answer.status == 500
    assert 'class="problem"' in answer.text
    for private in ("SECRET", "RuntimeError", "Traceback", str(browser.project.folder)):
        assert private not in answer.text
    assert answer.headers["cache-control"] == "no-store"
    assert "content-security-policy" in answer.headers


def test_a_page_that_cannot_be_shown_says_what_is_wrong(browser: Browser) -> None:
    """Not the plan, where it is a path that is; and without a plan it leads to the first step."""
    assert '<a href="/bundles">' in browser.ask("/bundle").text
    assert "plan.toml</code> with" not in browser.ask("/bundle").text
    browser.project.plan.unlink()
    assert '<a class="button" href="/data">' in browser.ask("/build").text


def test_paths_of_no_page_lead_nowhere(browser: Browser) -> None:
    for path in (
        "/static/../guard.py",
        "/static//etc/passwd",
        "/static/\0",
        "//attacker.example/data",
        "/\\attacker.example",
        "/enter/",
    ):
        answer = browser.ask(path)
        assert answer.status == 404, path
        assert "location" not in answer.headers
    assert browser.ask("/data/").headers["location"] == f"http://{HOST}/data"


def test_what_is_no_request_of_a_browser_is_not_answered(browser: Browser) -> None:
    sent: list[object] = []

    async def send(message: object) -> None:
        sent.append(message)

    for kind in ("websocket", "lifespan"):
        asyncio.run(browser._app({"type": kind, "headers": []}, None, send))  # type: ignore[arg-type]
    assert sent == []


def test_a_form_that_is_too_long_is_none(browser: Browser) -> None:
    assert browser.ask("/jobs/cancel", method="POST", body=b"a=" + b"b" * 1000).status == 204
    assert browser.ask("/jobs/cancel", method="POST", body=b"a=" + b"b" * (2 << 20)).status == 422
    assert (
        browser.ask("/jobs/cancel", method="POST", body=b"a=&" * 200_000).status == 422
    )  # which are read quickly


@pytest.mark.parametrize("name", ["last", "lock", "..", "\0", "other"])
def test_no_other_file_is_taken_for_a_command(
    browser: Browser, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[str] = []
    monkeypatch.setattr(Jobs, "job", lambda _self, command: looked.append(command))
    assert browser.ask(f"/jobs/{name}").status == 204
    assert looked == []


def test_pages_let_their_library_run_and_keep_nothing(browser: Browser) -> None:
    """What htmx is allowed, besides what the policy forbids."""
    settings = browser.ask("/data").text.partition('name="htmx-config" content=\'')[2].partition("'>")[0]
    allowed = json.loads(settings)
    assert allowed["selfRequestsOnly"] is True
    assert not any(allowed[key] for key in ("allowEval", "allowScriptTags", "historyCacheSize"))


def test_every_start_has_secrets_of_its_own() -> None:
    one, other = Secrets(), Secrets()
    assert len({one.entrance, one.session, one.page, other.entrance, other.session, other.page}) == 6
    assert all(len(secret or "") >= 40 for secret in (one.entrance, one.session, one.page))
