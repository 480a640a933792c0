"""One file per format, and the registry that finds the right one.

To add a format, write a class that can do what `Reader` asks for, and put an object of it into `READERS`; a folder of a known kind, into `FOLDERS`.
"""

from __future__ import annotations

from pathlib import Path

from synthrelease.data.readers import (
    bids,
    delimited,
    eyelink,
    folder,
    frame,
    gazebase,
    hdf5,
    mat,
    mpii,
    npz,
    parquet,
)
from synthrelease.data.readers.opening import opened
from synthrelease.data.readers.reader import Piece, Reader
from synthrelease.data.readers.unreadable import refuse_unreadable
from synthrelease.data.source import Source
from synthrelease.errors import DataError

__all__ = ["FOLDERS", "READERS", "Piece", "Reader", "reader_for"]


def reader_for(source: Source) -> Reader:
    """Return the reader of a source's format; DataError if there is none, or the plan says what only others have."""
    reader = _matching_reader(source)
    for key in _KEYS:
        if getattr(source, key) and key not in reader.uses:
            raise DataError(
                "key-not-for-format",
                f"`{key}` has no use here",
                where=str(source.path),
                found=f"{reader.formats}, which {_keys_in_words(reader.uses)}",
                remedy=f"leave the input's `{key}` out",
            )
    return reader


_KEYS = folder.Folder.uses


def _keys_in_words(keys: tuple[str, ...]) -> str:
    names = " and ".join(f"`{key}`" for key in keys)
    return f"takes {names}" if names else "says by itself how it is read"


def _matching_reader(source: Source) -> Reader:
    if source.frame is not None:
        return frame.Frame()
    if source.format:
        return _reader_by_name(source)
    if source.pattern or _is_folder(source.path):
        return folder.Folder(reader_for)
    for reader in READERS:
        if reader.matches(source.path):
            is_text = isinstance(reader, delimited.Delimited)
            return _EYELINK if is_text and eyelink.is_recording(source.path) else reader
    with opened(source.path):
        pass  # what is not there has no kind
    if eyelink.is_recording(source.path):
        return _EYELINK
    refuse_unreadable(source.path)
    raise DataError(
        "no-reader",
        "no reader for this kind of file",
        where=str(source.path),
        found=f"a name ending in '{''.join(source.path.suffixes[-2:])}'",
        expected="; ".join(reader.formats for reader in READERS),
        remedy="let its name end as its kind does, or export it as one of these",
    )


_EYELINK = eyelink.EyeLink()
READERS: tuple[Reader, ...] = (
    delimited.Delimited(),
    parquet.Parquet(),
    mat.Mat(),
    npz.Npz(),
    hdf5.Hdf5(),
    _EYELINK,
)
FOLDERS: tuple[folder.Folder, ...] = (  # of files that belong together, which a plan names as `format`
    bids.Bids(),
    gazebase.GazeBase(reader_for),
    mpii.MpiiDpEye(reader_for),
    mpii.MpiiPrivacEye(reader_for),
)


def _reader_by_name(source: Source) -> Reader:
    readers = {reader.name: reader for reader in (*READERS, *FOLDERS)}
    if source.format not in readers:
        raise DataError(
            "unknown-format",
            f"there is no format '{source.format}'",
            where=str(source.path),
            expected="one of " + ", ".join(readers),
            remedy="correct the input's `format`, or leave it out: names of files show the other formats",
        )
    return readers[source.format]


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:  # said better where it is opened
        return False
