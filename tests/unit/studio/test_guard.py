"""Who may ask the studio: nothing is answered but to the browser that had the first address."""

from __future__ import annotations

from pathlib import Path

import pytest
from studio_project import HOST, Browser, project

from synthrelease.studio.application import application
from synthrelease.studio.guard import ENTRANCE, Secrets

OTHER_HOSTS = (
    None,
    "attacker.example",
    "attacker.example:8765",
    "127.0.0.1",
    "127.0.0.1:80",
    "localhost:8765.attacker.example",
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
        for cookie in (None, "wrong", browser.secrets.page):
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


def test_the_first_address_works_once(browser: Browser) -> None:
    address = f"{ENTRANCE}?token={browser.secrets.entrance}"
    first, second = (browser.ask(address, cookie=None) for _ in range(2))
    assert first.status == 303
    assert first.headers["location"] == "/"
    cookie = first.headers["set-cookie"].lower()
    assert "httponly" in cookie
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
    assert headers["cache-control"] == "no-store"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["x-content-type-options"] == "nosniff"


def test_every_start_has_secrets_of_its_own() -> None:
    one, other = Secrets(), Secrets()
    assert len({one.entrance, one.session, one.page, other.entrance, other.session, other.page}) == 6
    assert all(len(secret or "") >= 40 for secret in (one.entrance, one.session, one.page))
