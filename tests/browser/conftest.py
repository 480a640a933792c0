"""A real browser, headless, that counts whatever a page says or asks for.

`SYNTHRELEASE_CHROMIUM` names another browser than the one on the path.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from browsed import Pages, page
from programs import program
from studio_project import project
from studio_running import Running


@dataclass
class Visit:
    """A page in the browser, and what it did.

    Attributes:
        page: of playwright.
        messages: what it wrote to the console, and errors.
        requests: what it asked for, but for itself and data URIs.
    """

    page: Any
    messages: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def resized(self, width: int, scheme: str = "light") -> None:
        """Show the page at another width, light or dark."""
        self.page.set_viewport_size({"width": width, "height": 900})
        self.page.emulate_media(color_scheme=scheme)


Open = Callable[..., AbstractContextManager[Visit]]
_AXE = "async () => (await axe.run(document, {resultTypes: ['violations']})).violations"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    chromium = program("chromium")
    # Of a module: its event loop must have ended before other tests begin one.
    with sync_playwright() as play:
        arguments = ["--no-sandbox"] if os.geteuid() == 0 else []  # Chromium refuses its sandbox to root
        running = play.chromium.launch(executable_path=chromium, args=arguments)
        yield running
        running.close()


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Pages:
    """A page by its name, written when it is first asked for."""
    return functools.cache(lambda name: page(name, tmp_path_factory.mktemp("pages")))


@pytest.fixture(scope="session")
def violations() -> Callable[[Visit], dict[str, list[str]]]:
    """What axe-core finds on a page, by the name of its rule, and where."""
    source = files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")

    def found(seen: Visit) -> dict[str, list[str]]:
        seen.page.evaluate(source)
        return {one["id"]: [node["html"][:200] for node in one["nodes"]] for one in seen.page.evaluate(_AXE)}

    return found


@pytest.fixture(scope="module")
def visit(browser: Any) -> Open:
    """Open a file at a width, light or dark, with every way out of it watched and blocked."""

    @contextmanager
    def opened(
        path: Path, *, width: int = 1400, scheme: str = "light", scripts: bool = True
    ) -> Iterator[Visit]:
        # Scripts of tests run beside the page's policy; the page's own must not run with it.
        context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme, java_script_enabled=scripts
        )
        page = context.new_page()
        seen = Visit(page)
        own = path.as_uri()

        def asked(request: Any) -> None:
            if request.url.split("#")[0] != own and not request.url.startswith("data:"):
                seen.requests.append(request.url)

        page.on("console", lambda message: seen.messages.append(message.text))
        page.on("pageerror", lambda error: seen.messages.append(str(error)))
        page.on("dialog", lambda dialog: seen.messages.append(f"dialog: {dialog.message}"))
        context.on("request", asked)
        page.route(
            "**/*",
            lambda route: route.continue_() if route.request.url.split("#")[0] == own else route.abort(),
        )
        page.goto(own, wait_until="load")
        yield seen
        context.close()

    return opened


@pytest.fixture
def studio(tmp_path: Path, browser: Any) -> Iterator[Callable[..., Running]]:
    """Start a studio: with a plan, or without one, of a small table; or in a folder that is there."""
    running: list[Running] = []

    def start(plan: str | None = None, *, width: int = 1400, folder: Path | None = None) -> Running:
        if folder is None and not (tmp_path / "gaze.csv").exists():
            project(tmp_path, plan)
        running.append(Running.of(folder or tmp_path, browser, width=width))
        return running[-1]

    yield start
    for one in running:
        one.end()
