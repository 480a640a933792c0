"""Tables that were parsed slowly, kept in the command's private folder: other processes, and later passes over several files, map them from there."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import polars as pl

from synthrelease.files.scratch import scratch_folder

_FAULTS = (OSError, pl.exceptions.PolarsError)  # the folder is gone, or its disk is full


def parsed_once(key: str, parse: Callable[[], pl.DataFrame]) -> pl.DataFrame:
    """Return a table, parsed by whichever process of the command needs it first.

    Args:
        key: says which table it is.
        parse: makes it.
    """
    folder = scratch_folder()
    if folder is None:
        return parse()
    path = folder / f"{hashlib.sha256(key.encode()).hexdigest()}.arrow"
    with suppress(*_FAULTS):
        return pl.read_ipc(path)
    frame = parse()
    with suppress(*_FAULTS):
        _write(frame, path)
    return frame


def _write(frame: pl.DataFrame, path: Path) -> None:
    """Write a table as Arrow's file for its owner alone (mode 0600), whole or not at all."""
    handle, name = tempfile.mkstemp(dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            frame.write_ipc(file)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
