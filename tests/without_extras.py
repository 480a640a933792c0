"""A Python in which nothing can be imported that an extra installs: what `pip install synthrelease` gives."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from synthrelease.extras import LIBRARIES

_SITE = f"""
from importlib.machinery import PathFinder

found = PathFinder.find_spec

def find_spec(name, path=None, target=None):
    return None if name.partition(".")[0] in {tuple(LIBRARIES)!r} else found(name, path, target)

PathFinder.find_spec = find_spec
"""


def run(folder: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run such a Python with these arguments in a folder, which gets a file for that, and return what became of it."""
    site = folder / "site"
    site.mkdir(exist_ok=True)
    (site / "sitecustomize.py").write_text(_SITE, "utf-8")
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(site), *sys.path])},
        capture_output=True,
        text=True,
        check=False,
    )
