"""The process of one command: `python -m synthrelease.studio.run_job FOLDER NAME TOLD COMMAND…`. It notes and seals how the command ended.

It imports nothing that is large: it only waits.
"""

from __future__ import annotations

import hashlib
import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from synthrelease import children
from synthrelease.files.digest import sha256_of
from synthrelease.files.private import open_private
from synthrelease.files.reading import beginning_of
from synthrelease.studio.progress import VARIABLE
from synthrelease.studio.seals import write_sealed

ENDED = "end"  # ending of the file that says how a command ended
_MOST_BYTES = 1 << 24  # of what a command printed


def main(folder: str, name: str, run: str, *command: str) -> None:
    """Run a command, with what it prints and its exit code in files of a folder.

    Args:
        folder: of these files.
        name: of the command.
        run: JSON: `id` of this run, and the names of files that it is `about`.
        command: what follows `synthrelease`.
    """
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
    note_end(state, name, json.loads(run), code)


def note_end(state: Path, name: str, run: dict[str, Any], code: int) -> None:
    """Note how a command ended, what it printed, and the files that it is about as they are now; arguments as of `main`."""
    printed = printed_digests(*(printed_bytes(state / f"{name}.{ending}") for ending in ("out", "err")))
    after = {file: digest_of(state.parent / file) for file in run["about"]}
    end = {"id": run["id"], "code": code, "after": after, **printed}
    write_sealed(state / f"{name}.{ENDED}", json.dumps(end))


def printed_bytes(path: Path) -> bytes:
    """Return what a command printed, as far as it is kept; nothing if there is none."""
    try:
        return beginning_of(path, _MOST_BYTES)
    except OSError:
        return b""


def printed_digests(out: bytes, err: bytes) -> dict[str, str]:
    """Return what is noted of what a command printed."""
    return {"out": hashlib.sha256(out).hexdigest(), "err": hashlib.sha256(err).hexdigest()}


def digest_of(path: Path) -> str | None:
    """Return the digest of a file; None if it is not there."""
    try:
        return sha256_of(path) if path.is_file() else None
    except OSError:
        return None


def _interruptible() -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)


if __name__ == "__main__":
    main(*sys.argv[1:])
