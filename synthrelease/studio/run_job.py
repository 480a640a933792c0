"""The process of one command: `python -m synthrelease.studio.run_job FOLDER NAME COMMAND…`. It notes how the command ended.

It imports nothing that is large: it only waits.
"""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

from synthrelease import children
from synthrelease.files.private import open_private
from synthrelease.studio.progress import VARIABLE


def main(folder: str, name: str, *command: str) -> None:
    """Run a command, with what it prints and its exit code in files of a folder."""
    state = Path(folder)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the command is interrupted, and this process notes it
    variables = {VARIABLE: str(state / f"{name}.progress"), "NO_COLOR": "1"}
    with open_private(state / f"{name}.out") as printed, open_private(state / f"{name}.err") as errors:
        code = children.start(
            "synthrelease",
            *command,
            environment=variables,
            stdin=subprocess.DEVNULL,
            stdout=printed,
            stderr=errors,
            close_fds=False,  # the lock is the command's, too: it may outlive this process
            preexec_fn=_interruptible,
        ).wait()
    new = state / f"{name}.code.new"
    new.write_text(f"{code}\n", "utf-8")
    new.replace(state / f"{name}.code")


def _interruptible() -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)


if __name__ == "__main__":
    main(*sys.argv[1:])
