"""Type checkers pass a program that uses the public API, and refuse each misuse."""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import synthrelease

FOLDER = Path(__file__).parents[1] / "typed_uses"
CHECKERS = {
    "mypy": ["mypy", "--strict", "--config-file=", "--follow-imports=silent", f"--cache-dir={os.devnull}"],
    "pyright": ["pyright", "--pythonpath", sys.executable],
}


def faults(checker, name):
    """Return the lines of a program in which a type checker finds an error."""
    if importlib.util.find_spec(checker) is None:
        pytest.skip(f"{checker} is not installed: pip install -e '.[dev]'")
    package = Path(synthrelease.__file__).parent.parent
    path = {}
    if "site-packages" not in package.parts:  # where checkers look by themselves
        paths = os.pathsep.join([str(package), os.environ.get("PYTHONPATH", "")])
        path = {"MYPYPATH": str(package), "PYTHONPATH": paths}
    done = subprocess.run(
        [sys.executable, "-m", *CHECKERS[checker], name],
        cwd=FOLDER,
        env={**os.environ, **path},
        capture_output=True,
        text=True,
        check=False,
    )
    lines = {int(line) for line in re.findall(rf"{name}:(\d+)(?::\d+)?(?: -|:) error", done.stdout)}
    assert done.returncode == bool(lines), done.stdout + done.stderr
    return lines


@pytest.mark.thorough
@pytest.mark.parametrize("checker", CHECKERS)
def test_what_users_write_passes(checker):
    assert faults(checker, "uses_api.py") == set()


@pytest.mark.thorough
@pytest.mark.parametrize("checker", CHECKERS)
def test_each_misuse_is_found(checker):
    program = (FOLDER / "refused_uses.py").read_text("utf-8").splitlines()
    marked = {number for number, line in enumerate(program, 1) if line.endswith("# fault")}
    assert len(marked) > 10
    assert faults(checker, "refused_uses.py") == marked
