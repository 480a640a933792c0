"""Checking a bundle from anyone, in a process of its own: it may crash, hang or ask for too much without harm.

The first check starts a small server, `synthrelease.bundle.checker`, which lives as long as this process; each file is
examined in a child of it, with limits of time and memory. What comes back is JSON, and nothing is unpickled.

A system without forks, such as Windows, has no such children and limits: there each file has a process of its own,
`synthrelease.bundle.unlimited_checker`, which is ended when its time is over, and the result says what was not done.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import subprocess
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from synthrelease import children
from synthrelease.bundle import manifest as manifest_text
from synthrelease.bundle.checking import (
    CPU_S,
    CPU_S_PER_MEGABYTE,
    CRASHED,
    TOO_LONG,
    WALL_PER_CPU_S,
    answer_without_check,
    size_of,
)
from synthrelease.bundle.finding import Finding, Verification
from synthrelease.bundle.signing.expectations import (
    NO_EXPECTATIONS,
    SignatureExpectations,
    signature_beside,
    signature_file,
)
from synthrelease.bundle.signing.keys import key_file_bytes
from synthrelease.bundle.signing.keys import public_key as as_public_key
from synthrelease.errors import InputError
from synthrelease.files.reading import open_regular, opened

if TYPE_CHECKING:
    from synthrelease.parallel import Progress

_FORKS = hasattr(os, "fork")
_CHECKER_MODULE = f"synthrelease.bundle.{'checker' if _FORKS else 'unlimited_checker'}"
_HEAD_BYTES = 1 << 10  # of a file that may be no bundle: its text block, and what follows
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


def verify(
    path: str | Path,
    public_key: str | Path | None = None,
    *,
    quick: bool = False,
    allow_test_seed: bool = False,
    progress: Progress | None = None,
) -> Verification:
    """Check a bundle: checksum, structure, manifest, digests, contents and every claimed guarantee.

    Args:
        path: the file, from anyone.
        public_key: a file with the key that must have signed the bundle, in it or in the file `<stem>.signature.json` next to it.
        quick: stop after checksum, structure and manifest; of values only the shapes are looked at.
        allow_test_seed: do not count it as a fault that the noise came from a test seed.
        progress: called with (what, done, total) if it takes long.

    Returns:
        A `Verification`; never an exception for a bad bundle.

    Raises:
        KeyFileError: the file of the public key cannot be read, or is none.
    """
    result = Verification()
    expected, faults = _signature_expectations(Path(path), public_key)
    result.findings.extend(faults)
    absolute = os.path.abspath(path)  # noqa: PTH100  only as text: the checker may run in another folder
    request = {
        "path": absolute,
        "shown": str(path),
        "quick": quick,
        "allow_test_seed": allow_test_seed,
        "expected": expected.to_json(),
        "progress": progress is not None,
    }
    answer = _CHECKER.ask(request, progress)
    result.findings.extend(Finding(*fields) for fields in answer["findings"])
    result.checked.extend(answer["checked"])
    result.signed_by.extend(answer["signed_by"])
    result.not_done.extend(answer["not_done"])
    if answer["manifest"] is not None:
        result.manifest = manifest_text.from_bytes(answer["manifest"].encode())
    return result


def refuse_no_bundle(path: str | Path, verification: Verification) -> Verification:
    """Return what `verify` found, unless it looked at no file, or at one that never was a bundle: that is no fault of a bundle.

    Args:
        path: what was verified.
        verification: the result.

    Raises:
        InputError: there is no such file, it is a folder, or it is no bundle, not even a damaged one.
        MachineError: it may not be read.
    """
    if verification.findings and verification.findings[0].code == "checksum":
        _refuse_other_file(Path(path))
    if all(finding.code != "unreadable" for finding in verification.findings):
        return verification
    with opened(Path(path), InputError, "bundle"):  # or says why not
        return verification


def _refuse_other_file(path: Path) -> None:
    """Refuse a file that has nothing of a bundle: neither its first words nor HDF5 behind a text block.

    Raises:
        InputError: so it is.
    """
    from synthrelease.bundle.layout import (  # noqa: PLC0415  slow to import: it has numpy
        ENDING,
        FIRST_WORDS,
        HDF5_BEGINS,
        MANIFEST_BEGINS,
        SIDECAR_ENDING,
        USER_BLOCK,
    )

    try:
        with os.fdopen(open_regular(path), "rb") as file:
            begins = file.read(_HEAD_BYTES)
    except OSError:
        return
    if begins.startswith(FIRST_WORDS) or begins[USER_BLOCK:].startswith(HDF5_BEGINS):
        return
    kind = "a file of another kind"
    remedy = "name the bundle: the file that `build` wrote, which ends in .h5"
    if begins.startswith(HDF5_BEGINS):
        kind = "an HDF5 file of another program"
    elif begins.startswith(b"SQLite format 3\0"):
        kind = "a SQLite file, such as a ledger"
    elif begins.startswith(MANIFEST_BEGINS):
        bundle = path.with_name(path.name.removesuffix(SIDECAR_ENDING) + ENDING)
        kind = "a manifest, the sidecar of a bundle, which proves nothing by itself"
        remedy = f"verify {bundle}" if bundle.is_file() else "verify the bundle that it came with"
    raise InputError("not-a-bundle", "this is not a bundle", where=str(path), found=kind, remedy=remedy)


def _signature_expectations(
    path: Path, public_key: str | Path | None
) -> tuple[SignatureExpectations, list[Finding]]:
    """What to check of signatures; a signature next to the bundle that cannot be read is a finding."""
    if public_key is None:
        return NO_EXPECTATIONS, []
    key = key_file_bytes(Path(public_key))
    as_public_key(key, where=str(public_key))
    beside = signature_file(path)
    try:
        detached = signature_beside(path)
    except OSError as error:
        why = error.strerror or "an error of the file system"
        return NO_EXPECTATIONS, [Finding("signature", str(beside), f"the signature cannot be read: {why}")]
    return SignatureExpectations(key, str(public_key), detached, str(beside)), []


class _Checker:
    """The checker that belongs to this process; a lock keeps threads apart, and a fork does not inherit it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = 0

    def ask(self, request: dict[str, Any], progress: Progress | None) -> dict[str, Any]:
        """Return the checker's answer; one that was killed meanwhile is started again once."""
        with self._lock:
            if not _FORKS:
                return self._ask_one_process(request, progress)
            for _ in range(2):
                answer = self._answer(json.dumps(request).encode() + b"\n", progress)
                if answer is not None:
                    return answer
        return answer_without_check(request, "the process that was to check the file was killed twice")

    def _ask_one_process(self, request: dict[str, Any], progress: Progress | None) -> dict[str, Any]:
        """Return the answer of a process for this file, which is ended when its time is over."""
        limit_s = WALL_PER_CPU_S * (CPU_S + CPU_S_PER_MEGABYTE * size_of(request["path"]) / 1e6)
        deadline = time.monotonic() + limit_s
        timer = threading.Timer(limit_s, self._running().kill)
        timer.start()
        try:
            answer = self._answer(json.dumps(request).encode() + b"\n", progress)
        finally:
            timer.cancel()
            self.stop()
        if answer is not None:
            return answer
        return answer_without_check(request, CRASHED if time.monotonic() < deadline else TOO_LONG)

    def _answer(self, request: bytes, progress: Progress | None) -> dict[str, Any] | None:
        process = self._running()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            with suppress(OSError):  # it has ended, and there will be no answer
                process.stdin.write(request)
                process.stdin.flush()
            while (line := process.stdout.readline()).endswith(b"\n"):
                answer: dict[str, Any] = json.loads(line)
                if "progress" not in answer:
                    return answer
                if progress is not None:
                    progress(*answer["progress"])
        except BaseException:  # interrupted: a later answer would belong to no request
            self.stop()
            raise
        self.stop()
        return None

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._owner != os.getpid():
            self._process = children.start(
                _CHECKER_MODULE,
                environment=_ONE_THREAD,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                process_group=0,  # an interrupt at the terminal is only for this process
            )
            self._owner = os.getpid()
        return self._process

    def unlock(self) -> None:
        """Begin anew in a forked process: the thread that may hold the lock is not there."""
        self._lock = threading.Lock()

    def stop(self) -> None:
        """End the checker, and the child that it may have."""
        process, self._process = self._process, None
        if process is None or self._owner != os.getpid():
            return
        assert process.stdin is not None
        assert process.stdout is not None
        if _FORKS:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            with suppress(OSError):
                pipe.close()


_CHECKER = _Checker()
atexit.register(_CHECKER.stop)
if _FORKS:
    os.register_at_fork(after_in_child=_CHECKER.unlock)


def stop() -> None:
    """End the checker of this process; the next check starts one."""
    _CHECKER.stop()
