"""One file per format, and the registry that finds the right one.

To add a format, write a class that can do what `Reader` asks for, and put an object of it into `READERS`; a folder of a known
kind, into `FOLDERS`.
"""

from __future__ import annotations

from pathlib import Path

from synthrelease.data.readers import delimited, folder, gazebase, mpii, parquet
from synthrelease.data.readers.opening import opened
from synthrelease.data.readers.reader import Reader, Rows
from synthrelease.data.source import Source
from synthrelease.errors import DataError

__all__ = ["FOLDERS", "READERS", "Reader", "Rows", "reader_for"]


def reader_for(source: Source) -> Reader:
    """Return the reader of a source's format; DataError if there is none."""
    if source.format:
        return _named(source)
    if source.pattern or _is_folder(source.path):
        return folder.Folder(reader_for)
    for reader in READERS:
        if reader.matches(source.path):
            return reader
    with opened(source.path):
        pass  # what is not there has no kind
    raise DataError(
        "no reader for this kind of file",
        where=str(source.path),
        found=f"a name ending in '{''.join(source.path.suffixes[-2:])}'",
        expected="; ".join(reader.formats for reader in READERS),
    )


READERS: tuple[Reader, ...] = (delimited.Delimited(), parquet.Parquet())
FOLDERS: tuple[folder.Folder, ...] = (  # of files that belong together, which a plan names as `format`
    gazebase.GazeBase(reader_for),
    mpii.MpiiDpEye(reader_for),
    mpii.MpiiPrivacEye(reader_for),
)


def _named(source: Source) -> Reader:
    readers: dict[str, Reader] = {reader.name: reader for reader in (*READERS, *FOLDERS)}
    if source.format not in readers:
        raise DataError(
            f"there is no format '{source.format}'",
            where=str(source.path),
            expected="one of " + ", ".join(readers),
        )
    return readers[source.format]


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:  # said better where it is opened
        return False
