"""Builds while someone else keeps locked what everyone may read: the common temporary folder, or that of the bundle.

Where it is the common folder each build must end, with a bundle that verifies; where it is the bundle's, it must be refused before it is paid for. Waiting for a lock of a folder is cut to a moment.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from paid_study import grant, write_paid_study
from spending import kinds

import synthrelease
from synthrelease.errors import MachineError
from synthrelease.files import locks


def main(arguments: list[str]) -> int:
    """Build again and again, and print how often it ended well."""
    parser = argparse.ArgumentParser(prog="scripts/stress locks", description=__doc__)
    parser.add_argument("--builds", type=int, default=20)
    told = parser.parse_args(arguments)
    vars(locks)["_LONGEST_WAIT_S"] = 0.1
    ends = Counter[str]()
    for number in range(told.builds):
        with tempfile.TemporaryDirectory() as name:
            common, folder = (Path(name) / one for one in ("tmp", "study"))
            for one in (Path(name), common, folder):
                one.mkdir(exist_ok=True)
                one.chmod(0o755)
            common.chmod(0o1777)
            write_paid_study(folder)
            grant(folder)
            tempfile.tempdir = str(common)
            is_common = number % 2 == 1
            with _locked(common if is_common else folder):
                end = _built(folder, number)
            right = end == ("whole" if is_common else "being-written, 0 paid")
            left = [one.name for one in (*common.iterdir(), *folder.glob(".*.partial"))]
            place = "common" if is_common else "bundle"
            ends[f"{place}: {end}{'' if right and not left else ', broken'}"] += 1
            tempfile.tempdir = None
    print("\n".join(f"{count:6} {end}" for end, count in sorted(ends.items())))
    return any("broken" in end for end in ends)


def _built(folder: Path, seed: int) -> str:
    """Build, and return how it ended."""
    try:
        built = synthrelease.build(folder / "plan.toml", folder / "r.h5", test_seed=seed)
    except MachineError as error:
        return f"{error.code}, {kinds(folder / 'ledger.sqlite').count('debit')} paid"
    return "whole" if synthrelease.verify(built.path, allow_test_seed=True).ok else "damaged"


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Keep a folder locked meanwhile, as whoever may read it can: locks of two handles exclude each other, also within a process."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        locks.lock(handle)
        yield
    finally:
        os.close(handle)
