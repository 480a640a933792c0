"""A Python process that stays, and runs one command after the other: for tests that need packages which these lack."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
import traceback
from pathlib import Path


class Interpreter:
    """Runs commands of synthrelease, and scripts, where also the packages in a folder are installed.

    Args:
        packages: the folder.
    """

    def __init__(self, packages: Path) -> None:
        paths = [str(packages), str(Path(__file__).parent), *sys.path]
        self._process = subprocess.Popen(
            [sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
            text=True,
        )

    def command(self, folder: Path, *arguments: object) -> tuple[int, str]:
        """Run a command in a folder and return its exit code and what it printed."""
        return self._asked({"folder": str(folder), "arguments": [str(argument) for argument in arguments]})

    def script(self, folder: Path, text: str) -> str:
        """Run a script in a folder and return what it printed."""
        code, printed = self._asked({"folder": str(folder), "script": text})
        assert code == 0, printed
        return printed

    def close(self) -> None:
        """End the process."""
        self._process.communicate()

    def _asked(self, question: dict[str, object]) -> tuple[int, str]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps(question), file=self._process.stdin, flush=True)
        code, printed = json.loads(self._process.stdout.readline())
        return code, printed


def _answer(question: dict[str, object]) -> tuple[int, str]:
    os.chdir(str(question["folder"]))
    if "script" in question:
        printed = io.StringIO()
        try:
            with contextlib.redirect_stdout(printed):
                exec(str(question["script"]), {})  # noqa: S102  a test's own text
        except Exception:  # noqa: BLE001  the test shows it
            return 1, traceback.format_exc()
        return 0, printed.getvalue()
    from click.testing import CliRunner

    from synthrelease.cli import main

    done = CliRunner().invoke(main, question["arguments"])
    unexpected = done.exception is not None and not isinstance(done.exception, SystemExit)
    return done.exit_code, done.output + (
        "".join(traceback.format_exception(done.exception)) if unexpected else ""
    )


def _serve() -> None:
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a process below prints is no answer
    for line in sys.stdin:
        print(json.dumps(_answer(json.loads(line))), file=answers, flush=True)


if __name__ == "__main__":
    _serve()
