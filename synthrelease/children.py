"""Python processes that we start, and that libraries start for us: they import what this one does, and nothing from the working folder.

Python puts the folder that a process is started in before all others. A file `json.py` among downloaded data would be run there.
So do empty and relative entries of PYTHONPATH, which no child of ours gets.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

_OWN = str(Path(__file__).parents[1])
_NAMED = os.environ["PYTHONPATH"].split(os.pathsep) if os.environ.get("PYTHONPATH") else []
_MEANT = {os.path.normpath(place) for place in _NAMED if Path(place).is_absolute()}
# Empty and relative entries lead to another folder wherever one is; Python has made them absolute.
_OF_WORKING_FOLDER = {os.path.abspath(place) for place in _NAMED} - _MEANT  # noqa: PTH100  as Python does
_one_at_a_time = threading.RLock()


def start(
    module: str, *arguments: str, environment: Mapping[str, str] | None = None, **options: Any
) -> subprocess.Popen[bytes]:
    """Start a process that runs a module of ours.

    Args:
        module: its dotted name; what it does is below `if __name__ == "__main__"`.
        arguments: of the process.
        environment: what is added to this process's own.
        options: of `subprocess.Popen`.
    """
    return subprocess.Popen(  # noqa: S603  this interpreter, and a module of ours
        [sys.executable, "-m", module, *arguments],
        env={**os.environ, **safe_environment(), **(environment or {})},
        **options,
    )


def safe_environment() -> dict[str, str]:
    """Return the variables that let a process import from where this one does, but for the working folder; its own processes inherit them."""
    places = [place for place in sys.path if Path(place).is_absolute() and place not in _OF_WORKING_FOLDER]
    if _OWN not in places:
        places.insert(0, _OWN)
    return {"PYTHONSAFEPATH": "1", "PYTHONPATH": os.pathsep.join(places)}


@contextmanager
def safe_starts() -> Iterator[None]:
    """Let what libraries start meanwhile, in ways of their own, inherit `safe_environment`."""
    with _one_at_a_time:
        safe = safe_environment()
        before = {name: os.environ.get(name) for name in safe}
        os.environ.update(safe)
        try:
            yield
        finally:
            restore(before)


def restore(before: Mapping[str, str | None]) -> None:
    """Give variables of this process the values that they had; None of one that was not set."""
    for name, value in before.items():
        os.environ.pop(name, None)
        if value is not None:
            os.environ[name] = value
