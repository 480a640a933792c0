"""Libraries of extras, and what they read as they are imported."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

_COLOUR = (
    "from synthrelease.extras import require; require('matplotlib'); import matplotlib; "
    "print(matplotlib.rcParams['figure.facecolor'])"
)


@pytest.mark.parametrize(
    ("start", "colour"),
    [("import synthrelease; ", "red"), ("import synthrelease.cli; ", "white")],
    ids=["a program of a user", "a command"],
)
def test_a_style_is_that_of_who_runs_the_program(tmp_path: Path, start: str, colour: str) -> None:
    (tmp_path / "matplotlibrc").write_text("figure.facecolor : red\n")
    command = [sys.executable, "-P", "-c", start + _COLOUR]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == f"{colour}\n"


def test_a_command_draws_in_a_folder_that_is_gone(tmp_path: Path) -> None:
    start = f"import os; os.rmdir({str(tmp_path)!r}); import synthrelease.cli; "
    command = [sys.executable, "-P", "-c", start + _COLOUR]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == "white\n"
