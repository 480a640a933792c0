"""A studio that was started as a program, and a page of a browser in it."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass
class Running:
    """A studio that was started, and a page in it."""

    process: subprocess.Popen[str]
    folder: Path
    base: str
    page: Any
    context: Any
    messages: list[str]

    def go(self, path: str) -> None:
        self.page.goto(self.base + path)

    def press(self, button: str) -> None:
        """Reach a button by the tab key alone, and press it."""
        self.page.wait_for_load_state()  # forms are sent by a script
        self.page.evaluate("document.activeElement.blur()")
        for _ in range(200):
            self.page.keyboard.press("Tab")
            if (
                self.page.evaluate(
                    "document.activeElement.matches('button') && document.activeElement.textContent.trim()"
                )
                == button
            ):
                self.page.keyboard.press("Enter")
                return
        raise AssertionError(button)


def started(folder: Path) -> tuple[subprocess.Popen[str], str]:
    command = [sys.executable, "-m", "synthrelease", "studio", str(folder), "--no-browser"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert process.stdout is not None
    line = process.stdout.readline()
    address = re.search(r"http://\S+", line)
    assert address is not None, line
    return process, address[0]
