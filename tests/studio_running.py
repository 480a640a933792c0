"""A studio that was started as a person would, and a page of a browser in it, used by keyboard."""

from __future__ import annotations

import contextlib
import re
import signal
import socket
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_MOST_TABS = 400
_IS_HERE = """([at, text]) => document.activeElement.matches(at)
    && (!text || document.activeElement.textContent.trim() === text)"""
# How often the key is to be pressed at least: of radio buttons, one of a group counts.
_TABS_AWAY = """([at, text]) => {
    const groups = new Set();
    const stops = [...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex='0']")]
        .filter(one => one.checkVisibility() && one.type !== "hidden" && !one.disabled)
        .filter(one => one.type !== "radio" || one.matches(at) || !(groups.has(one.name) || !groups.add(one.name)));
    const wanted = stops.findIndex(one => one.matches(at) && (!text || one.textContent.trim() === text));
    return wanted - stops.indexOf(document.activeElement);
}"""


def started(folder: Path) -> tuple[subprocess.Popen[str], str]:
    """Start a studio, and return its process and its first address."""
    command = [sys.executable, "-m", "synthrelease", "studio", str(folder), "--no-browser"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert process.stdout is not None
    line = process.stdout.readline()
    address = re.search(r"http://\S+", line)
    assert address is not None, line
    return process, address[0]


def pipelining(port: int, requests: int = 40_000) -> socket.socket:
    """Connect, ask so often, for which there is no room for answers, and read none."""
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
    connection.settimeout(20)
    connection.connect(("127.0.0.1", port))
    connection.setblocking(False)
    with contextlib.suppress(BlockingIOError, ConnectionError):  # no more room; closed
        connection.sendall(f"GET /x HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode() * requests)
    return connection


@dataclass
class Running:
    """A studio that was started, and a page in it."""

    process: subprocess.Popen[str]
    folder: Path
    base: str
    page: Any
    context: Any
    messages: list[str] = field(default_factory=list)  # of the console, errors, and addresses elsewhere

    @classmethod
    def of(cls, folder: Path, browser: Any, *, width: int = 1400) -> Running:
        """Start a studio in a folder, and open it."""
        process, address = started(folder)
        context = browser.new_context(viewport={"width": width, "height": 900})
        page, base = context.new_page(), address.partition("/enter")[0]
        here = cls(process, folder, base, page, context)
        page.on("console", lambda message: here.messages.append(message.text))
        page.on("pageerror", lambda error: here.messages.append(str(error)))
        page.on(
            "request",
            lambda request: request.url.startswith((base, "data:")) or here.messages.append(request.url),
        )
        page.on("dialog", lambda dialog: dialog.accept())
        page.goto(address)
        return here

    def end(self) -> None:
        """End what was started."""
        self.context.close()
        self.process.send_signal(signal.SIGINT)
        self.process.wait(20)
        assert self.process.stdout is not None
        self.process.stdout.close()

    def go(self, path: str) -> None:
        """Open a page by its address."""
        self.page.goto(self.base + path)

    def reach(self, selector: str, text: str = "") -> None:
        """Move the focus to an element, by the tab key alone."""
        self.page.wait_for_load_state()  # forms are sent by a script
        for _ in range(_MOST_TABS):
            away = self.page.evaluate(_TABS_AWAY, [selector, text])
            for _ in range(max(1, away)):
                self.page.keyboard.press("Tab")
            if self.page.evaluate(_IS_HERE, [selector, text]):
                return
        raise AssertionError(selector, text)

    def press(self, button: str) -> None:
        """Reach a button, and press it."""
        self.reach("button", button)
        self.page.keyboard.press("Enter")

    def follow(self, link: str) -> None:
        """Reach a link by the beginning of its address, follow it, and wait for its page."""
        self.send_at(f"main a[href^='{link}']")

    def send(self, button: str) -> None:
        """Press a button, and wait for the page that comes then."""
        self.send_at("button", button)

    def send_at(self, selector: str, text: str = "") -> None:
        """Press a button that is not known by its text alone."""
        self.reach(selector, text)
        with self.page.expect_navigation():
            self.page.keyboard.press("Enter")

    def type(self, selector: str, text: str) -> None:
        """Write into a field, in the place of what is there; choose in a list."""
        self.reach(selector)
        self.page.keyboard.press("ControlOrMeta+a")
        if text:
            self.page.keyboard.type(text)
        else:
            self.page.keyboard.press("Delete")
