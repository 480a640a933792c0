"""A Python in which nothing can be imported or called that Windows lacks, as far as Linux can show it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
MODULES = ("fcntl", "grp", "pty", "pwd", "resource", "syslog", "termios", "tty")
_CALLS = """
chown fchmod fchown fork forkpty getegid geteuid getgid getpgid getpgrp getuid killpg lchown mkfifo nice posix_fadvise posix_fallocate
pread preadv pwrite pwritev register_at_fork sched_getaffinity setpgid setsid statvfs sysconf wait4 waitid
O_CLOEXEC O_DIRECTORY O_NOFOLLOW O_NONBLOCK O_SYNC
"""
_SIGNALS = ("SIGALRM", "SIGHUP", "SIGKILL", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGXCPU", "SIGXFSZ")

# Every Python that is started with it runs it before anything else. What the standard library needs of them on Linux it has by then.
_SITE = f"""
import shutil, subprocess, tempfile  # which find out on import what the system has
import importlib.abc, os, random, select, signal, sys, threading, uuid

class Refusing(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name in {MODULES!r}:
            raise ImportError("no module of Windows: " + name, name=name)
        return None

def refused(*_):
    raise OSError("Windows opens no folders")

KILL = signal.SIGKILL
shutil._use_fd_functions = False  # by which it opens folders
subprocess.Popen.kill = lambda self: self.send_signal(KILL)
opened = os.open
def open_file(path, flags, *rest, **options):
    return refused() if isinstance(path, (str, os.PathLike)) and os.path.isdir(path) else opened(path, flags, *rest, **options)
os.open = open_file
for name in {_CALLS!r}.split():
    if hasattr(os, name):
        delattr(os, name)
for name in {_SIGNALS!r}:
    if hasattr(signal, name):
        delattr(signal, name)
for name in {MODULES!r}:
    sys.modules.pop(name, None)
sys.meta_path.insert(0, Refusing())
"""


def run(folder: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run such a Python with these arguments in a folder, which gets a file for that, and return what became of it."""
    site = folder / "site"
    site.mkdir(exist_ok=True)
    (site / "sitecustomize.py").write_text(_SITE, "utf-8")
    paths = os.pathsep.join([str(site), *sys.path])
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
    )
