"""Many files examined in children of a warm process, some in each; a child that dies names the file that it died of.

In a child the file is opened first; from then on no file can be opened, by anyone, and whoever tries is noted.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import select
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from synthrelease.bundle import checker, examination
from synthrelease.bundle.finding import Verification
from synthrelease.bundle.strict_hdf5.bundle_file import BundleFile

SECONDS = 10.0
_BATCH = 50
_PATIENCE = 120  # seconds, for what waits and does nothing
_KILLED_BY_ALARM = (-signal.SIGALRM, -signal.SIGPROF)


@dataclass(frozen=True)
class Outcome:
    """What became of one file.

    Attributes:
        number: of the file.
        result: accepted, refused, crashed or hung.
        codes: of what was found, sorted.
        seconds: of the processor, that it took.
        opened: what was opened, or tried to, after the file itself.
        told: whatever the work has to say of it.
    """

    number: int
    result: str
    codes: tuple[str, ...] = ()
    seconds: float = 0.0
    opened: tuple[str, ...] = ()
    told: Any = None


Examine = Callable[..., Verification]
Work = Callable[[int, Path, Examine], tuple[Verification, Any]]
"""Writes the file of a number to the path, has it examined by the function given, and may say something of it."""


def outcomes(work: Work, numbers: Sequence[int], *, jobs: int = 2, batch: int = _BATCH) -> Iterator[Outcome]:
    """Yield what becomes of files, in no order; every child ends before this does."""
    _warm()
    left = [list(numbers[start : start + batch]) for start in range(0, len(numbers), batch)]
    running: dict[int, _Child] = {}
    with tempfile.TemporaryDirectory() as folder:
        try:
            while left or running:
                while left and len(running) < jobs:
                    child = _Child(work, left.pop(0), Path(folder))
                    running[child.pipe] = child
                for pipe in select.select(list(running), [], [])[0]:
                    yield from running[pipe].heard()
                    if running[pipe].ended:
                        child = running.pop(pipe)
                        again, died = child.rest()
                        if died is not None:
                            yield died
                        if again:
                            left.insert(0, again)
        finally:
            for child in running.values():
                child.end()


class _Child:
    """A child under way with some files."""

    def __init__(self, work: Work, numbers: list[int], folder: Path) -> None:
        self.numbers, self.ended, self._text = numbers, False, b""
        self.pipe, write = os.pipe()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of a fork beside threads: none is at work
            self.process = os.fork()
        if self.process == 0:
            _in_child(work, numbers, folder / f"{os.getpid()}.h5", write)
        os.close(write)

    def heard(self) -> Iterator[Outcome]:
        piece = os.read(self.pipe, 1 << 16)
        self.ended = not piece
        *lines, self._text = (self._text + piece).split(b"\n")
        for line in lines:
            told = json.loads(line)
            for key in ("codes", "opened"):
                told[key] = tuple(told[key])
            self.numbers.pop(0)
            yield Outcome(**told)

    def rest(self) -> tuple[list[int], Outcome | None]:
        """Return what is still to do, and what the child died of."""
        os.close(self.pipe)
        code = os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])
        if not self.numbers:
            return [], None
        result = "hung" if code in _KILLED_BY_ALARM else "crashed"
        return self.numbers[1:], Outcome(self.numbers[0], result, told=f"exit code {code}")

    def end(self) -> None:
        with suppress(ProcessLookupError):
            os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)
        os.close(self.pipe)


def _warm() -> None:
    """Load what would be loaded in the middle of an examination, once."""
    import dp_accounting.pld.privacy_loss_distribution  # noqa: F401
    import scipy.stats  # noqa: F401

    from synthrelease.bundle import manifest

    manifest.load_schema()


def _in_child(work: Work, numbers: list[int], path: Path, write: int) -> None:
    code = 1
    gc.freeze()  # or its first collection would copy all pages of a process with thousands of tests
    try:
        opened: list[str] = []
        sys.addaudithook(lambda event, what: opened.append(str(what[0])) if event == "open" else None)
        setattr(examination, "BundleFile", _opened_last(opened))  # noqa: B010  what it imports is its own
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
        memory = pages * resource.getpagesize() + checker.MEMORY_BYTES
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        with os.fdopen(write, "w", encoding="utf-8") as pipe:
            for number in numbers:
                pipe.write(json.dumps(asdict(_one(work, number, path, opened))) + "\n")
                pipe.flush()
        code = 0
    except BaseException:  # noqa: BLE001  a child ends here, whatever happens
        traceback.print_exc()
    finally:
        with suppress(OSError):
            path.unlink()
        os._exit(code)


def _one(work: Work, number: int, path: Path, opened: list[str]) -> Outcome:
    taken = 0.0
    seen: list[str] = []

    def examined(*arguments: Any, **options: Any) -> Verification:
        nonlocal taken
        opened.clear()
        began = time.process_time()
        signal.setitimer(signal.ITIMER_PROF, SECONDS)  # of the processor: others may use it as well
        signal.alarm(_PATIENCE)
        try:
            return examination.examine(*arguments, **options)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.alarm(0)
            taken = time.process_time() - began
            seen[:] = opened[1:]
            _allow_files()

    try:
        found, told = work(number, path, examined)
    except MemoryError:
        return Outcome(number, "refused", ("limits",), taken, tuple(seen))
    codes = tuple(sorted({one.code for one in found.findings}))
    return Outcome(number, "accepted" if found.ok else "refused", codes, taken, tuple(seen), told)


def _opened_last(opened: list[str]) -> type[BundleFile]:
    """The class of bundle files, after whose opening no other file can be opened."""

    class Last(BundleFile):
        def __init__(self, path: str | Path) -> None:
            super().__init__(path)
            opened[:] = opened[-1:]
            resource.setrlimit(resource.RLIMIT_NOFILE, (0, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))

    return Last


def _allow_files() -> None:
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(1024, most), most))
