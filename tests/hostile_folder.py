"""A working folder in which all that Python or a library could take from it is a trap; whoever is caught leaves a mark."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from http.cookiejar import CookieJar
from pathlib import Path

from studio_project import PLAN, write_gaze

import synthrelease

COMMAND = str(Path(sys.executable).with_name("synthrelease"))
# What our processes, loky, Dask and what tracks their resources import first, and some that they import late.
STANDARD = (
    *(
        "argparse",
        "ast",
        "base64",
        "bisect",
        "contextlib",
        "copy",
        "csv",
        "ctypes",
        "dataclasses",
        "functools",
    ),
    *("hashlib", "inspect", "json", "logging", "multiprocessing", "operator", "pickle", "platform", "random"),
    *("re", "runpy", "shutil", "signal", "socket", "sqlite3", "ssl", "statistics", "struct", "subprocess"),
    *("tempfile", "threading", "tomllib", "traceback", "types", "typing", "warnings", "weakref"),
)
OURS = (
    *("click", "cryptography", "dp_accounting", "h5py", "jinja2", "jsonschema", "mpmath", "numpy", "polars"),
    *("referencing", "scipy", "tqdm", "PIL", "contourpy", "joblib", "matplotlib", "sklearn", "starlette"),
    *("tomlkit", "uvicorn", "dask", "distributed", "pandas", "pyarrow", "pymovements", "xarray"),
    *("sitecustomize", "usercustomize"),
)
PROGRAMS = ("gs", "latex", "dvipng", "kpsewhich", "pdftocairo", "git", "pip", "djpeg")
# It plays the checker for a damaged bundle, as well as a module can before it was to be imported.
_MODULE = """import sys
with open({mark!r}, "a") as file:
    file.write("module " + __name__ + " in " + " ".join(sys.orig_argv)[:200] + "\\n")
if "checker" in " ".join(sys.orig_argv):
    for line in sys.stdin:
        print('{{"findings": [], "checked": ["all"], "signed_by": [], "not_done": [], "manifest": null}}', flush=True)
raise ImportError("a trap")
"""
_FILES = {
    "matplotlibrc": "text.usetex : True\n",
    ".env": "SYNTHRELEASE_PROGRESS=mark\nWEB_CONCURRENCY=2\n",
    "dask.yaml": "distributed:\n  worker:\n    preload: json\n",
    "distributed.yaml": "distributed:\n  nanny:\n    preload: json\n",
    "evil-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: evil\nVersion: 1.0\n",
    "evil-1.0.dist-info/entry_points.txt": "[synthrelease.kinds]\nevil = evil:KIND\n",
}
DONE: dict[str, tuple[tuple[str, ...], int]] = {  # commands in such a folder, and their exit codes
    "verify damaged": (("verify", "damaged.h5"), 1),
    "verify": (("verify", "whole.h5"), 0),
    "report": (("report", "whole.h5", "-o", "page.html", "--force"), 0),
    "loky": (("batch", "plan.toml", "-o", "out", "--jobs", "2", "--yes", "--force"), 0),
    "dask": (("batch", "plan.toml", "-o", "out", "--jobs", "2", "--yes", "--backend", "dask", "--force"), 0),
    "build": (("build", "plan.toml", "-o", "new.h5", "--yes", "--force"), 0),
    "export": (("export", "whole.h5", "--to", "png", "-o", "pictures", "--force"), 0),
    "evaluate": (("evaluate", "plan.toml", "whole.h5", "-o", "private.html", "--force"), 0),
    "preview": (("preview", "plan.toml", "--html", "preview.html", "--force"), 0),
    "init": (("init", "gaze.csv", "--person", "who", "-o", "other.toml", "--force"), 0),
}


class HostileFolder:
    """A small project among traps.

    Args:
        folder: to make it in.
        modules: that lie in it.
    """

    def __init__(self, folder: Path, modules: Iterable[str] = (*STANDARD, *OURS)) -> None:
        self.folder, self._mark, self._programs = folder / "project", folder / "mark", folder / "programs"
        self.folder.mkdir()
        write_gaze(self.folder)
        (self.folder / "plan.toml").write_text(PLAN)
        whole = synthrelease.build(self.folder / "plan.toml", self.folder / "whole.h5").path
        damaged = bytearray(whole.read_bytes())
        damaged[-2000] ^= 1
        (self.folder / "damaged.h5").write_bytes(damaged)
        for name in (*modules, "evil"):
            (self.folder / f"{name}.py").write_text(_MODULE.format(mark=str(self._mark)))
        for name, text in _FILES.items():
            (self.folder / name).parent.mkdir(exist_ok=True)
            (self.folder / name).write_text(text)
        self._programs.mkdir()
        for name in PROGRAMS:
            (self._programs / name).write_text(f"#!/bin/sh\necho program-{name} >> '{self._mark}'\nexit 1\n")
            (self._programs / name).chmod(0o700)

    @property
    def caught(self) -> list[str]:
        """What ran; none of it from now on."""
        lines = self._mark.read_text().splitlines() if self._mark.exists() else []
        self._mark.unlink(missing_ok=True)
        return lines

    def start(
        self, *words: str, python: Sequence[str] = (COMMAND,), around: Sequence[str] = ()
    ) -> subprocess.Popen[str]:
        """Start a command in the folder, by a Python and around it a program that are others than usual."""
        path = f"{self._programs}{os.pathsep}{os.environ['PATH']}"
        left_out = ("PYTHONPATH", "PYTHONSAFEPATH")
        inherited = {name: value for name, value in os.environ.items() if name not in left_out}
        return subprocess.Popen(
            [*around, *python, *words],
            cwd=self.folder,
            env={**inherited, "PATH": path},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def run(self, *words: str, **others: Sequence[str]) -> tuple[int, str]:
        """Run a command likewise and return its exit code and what it printed."""
        process = self.start(*words, **others)
        printed, _ = process.communicate(timeout=300)
        return process.returncode, printed

    @contextmanager
    def studio(self) -> Iterator[str]:
        """Run a studio in the folder, and give its first page."""
        process = self.start("studio", ".", "--no-browser")
        try:
            assert process.stdout is not None
            address = re.search(r"http://\S+", line := process.stdout.readline())
            assert address is not None, line
            browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
            with browser.open(address[0], timeout=60) as answer:
                yield answer.read().decode()
        finally:
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=60)
