"""A fresh virtual environment, for what cannot share this one or must be as a user installs it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from synthrelease.errors import MachineError


def fresh_environment(folder: Path, *requirements: str, python: str = sys.executable) -> Path:
    """Make an environment of a Python in `folder`, install into it, and return the folder of its programs.

    Raises:
        MachineError: something cannot be installed.
    """
    run_quietly([python, "-m", "venv", str(folder)])
    programs = folder / "bin"
    run_quietly([str(programs / "python"), "-m", "pip", "install", "--quiet", *requirements])
    return programs


def built_wheel(source: Path, folder: Path) -> Path:
    """Build the wheel of a checkout into `folder`, and return it.

    Raises:
        MachineError: it cannot be built.
    """
    run_quietly(
        [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", str(folder), str(source)]
    )
    return next(folder.glob("*.whl"))


def run_quietly(command: list[str]) -> None:
    """Run a command whose output is of interest only if it fails; MachineError then."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise MachineError(
            "no-environment",
            "an environment for this benchmark cannot be made",
            found=done.stderr.strip().rpartition("\n")[2],
            remedy="a network, or a cache of packages, is needed",
        )
