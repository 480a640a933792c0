"""What the process that asks for a check and the process that checks have in common: limits, answers, progress."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

from synthrelease.bundle import manifest as manifest_text
from synthrelease.bundle.finding import Verification
from synthrelease.parallel import Progress

# Far above what the largest honest bundles need.
CPU_S, CPU_S_PER_MEGABYTE = 120.0, 10.0  # of processor time, and for each megabyte of the file
WALL_PER_CPU_S = 10.0  # on a machine with much else to do
PROGRESS_INTERVAL_S = 0.2

TOO_LONG = "checking it takes longer than a bundle of its size may"
TOO_MUCH_MEMORY = "checking it needs more memory than a bundle of its size may"
CRASHED = "checking it crashed: the file was made to do so, or found a defect of the HDF5 library"

# What a check goes without where a system does not offer it.
MEMORY_NOT_LIMITED = "the memory of the check was not limited: this system has no such limit, and a hostile file may use all of it"
FILES_NOT_KEPT = "the HDF5 library was not kept from opening other files: this system has no means to"


def size_of(path: str) -> int:
    """Return how many bytes a file has; 0 if there is no such file, or no file can have this name."""
    try:
        return Path(path).stat().st_size
    except (OSError, ValueError):
        return 0


def answer_without_check(request: dict[str, Any], why: str) -> dict[str, Any]:
    """Return what a checker answers of a file whose examination came to no end."""
    return {
        "findings": [("limits", request["shown"], why)],
        "checked": [],
        "signed_by": [],
        "not_done": [],
        "manifest": None,
    }


def answer_of(verification: Verification, request: dict[str, Any]) -> dict[str, Any]:
    """Return what a checker answers of a file that was examined."""
    shown = {request["path"]: request["shown"]}  # as the process that asked named it
    manifest = verification.manifest
    return {
        "findings": [
            (finding.code, shown.get(finding.where, finding.where), finding.message)
            for finding in verification.findings
        ],
        "checked": verification.checked,
        "signed_by": verification.signed_by,
        "not_done": verification.not_done,
        "manifest": None if manifest is None else manifest_text.to_bytes(manifest).decode(),
    }


def progress_to(progress_fd: int) -> Progress:
    """Return what reports progress to the process that asked, some times a second."""
    next_time = time.monotonic() + PROGRESS_INTERVAL_S

    def report(step: str, done: int, total: int) -> None:
        nonlocal next_time
        if time.monotonic() >= next_time:
            os.write(progress_fd, json.dumps({"progress": [step, done, total]}).encode() + b"\n")
            next_time = time.monotonic() + PROGRESS_INTERVAL_S

    return report
