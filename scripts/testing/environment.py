"""The virtual environment that tests run in: `.venv-test`, made from `pyproject.toml` and `constraints.txt`, and made again when one has changed."""

from __future__ import annotations

import hashlib
import os
import platform
import subprocess
import sys
import venv
from pathlib import Path

_OF_OTHER_ENVIRONMENTS = ("VIRTUAL_ENV", "CONDA_PREFIX", "PYTHONHOME", "PYTHONPATH")
# Many tests start Python: without compiled files each compiles the package again.
_OF_COMPILED_FILES = ("PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX")
_COMPILED = "compiled"
_MADE_FROM = ("pyproject.toml", "constraints.txt")


class EnvironmentUnavailableError(Exception):
    """The environment could not be made; the text says what to do."""


def own_environment(root: Path) -> Path:
    """Return the folder of the checkout's own environment for this Python, made or made again if need be."""
    folder = root / ".venv-test" / f"{sys.version_info.major}.{sys.version_info.minor}"
    made_from = folder / "made-from.sha256"
    # An editable installation names the checkout's path; a copied or moved one would test another checkout.
    wanted = hashlib.sha256(
        b"\0".join(
            [
                *((root / name).read_bytes() for name in _MADE_FROM),
                platform.python_version().encode(),
                os.fsencode(root),
            ]
        )
    ).hexdigest()
    if not (made_from.is_file() and made_from.read_text("ascii") == wanted):
        print(
            f"making {folder.relative_to(root)} (a minute or two; again only when {' or '.join(_MADE_FROM)} changes)",
            file=sys.stderr,
        )
        _make(folder, root)
        made_from.write_text(wanted, "ascii")
    return folder


def _make(folder: Path, root: Path) -> None:
    try:
        venv.EnvBuilder(clear=True, symlinks=True, with_pip=True).create(folder)
    except subprocess.CalledProcessError as error:
        raise EnvironmentUnavailableError(
            "Python could not make a virtual environment; on Debian and Ubuntu: apt install python3-venv"
        ) from error
    (folder / _COMPILED).mkdir()
    # Of constraints: what a registry has tomorrow may warn, and warnings are errors. Python itself compiles what is imported.
    pip = [folder / "bin" / "python", "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    pip += ["--no-compile", "--constraint", "constraints.txt"]
    done = subprocess.run([*pip, "--editable", ".[dev]"], cwd=root, env=variables(folder), check=False)
    if done.returncode:
        raise EnvironmentUnavailableError(
            "pip could not install the package with its extra `dev`; what it printed says why"
        )


def variables(environment: Path) -> dict[str, str]:
    """Return the environment variables of a process that runs in a virtual environment, and in no other one.

    In the checkout's own environment Python keeps compiled files, and keeps them there: not beside the source.
    """
    left_out, compiled = _OF_OTHER_ENVIRONMENTS, environment / _COMPILED
    added = {"VIRTUAL_ENV": str(environment), "PYTHONNOUSERSITE": "1"}
    added["PATH"] = os.pathsep.join([str(environment / "bin"), os.environ.get("PATH", os.defpath)])
    if compiled.is_dir():
        left_out += _OF_COMPILED_FILES
        added["PYTHONPYCACHEPREFIX"] = str(compiled)
    return {name: value for name, value in os.environ.items() if name not in left_out} | added
