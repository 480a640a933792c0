"""Files with the right rows in a form that no reader has: each is called what it is."""

from __future__ import annotations

import codecs
import io
import tarfile
import zipfile
from pathlib import Path

import numpy as np
import polars as pl

from malformed.case import GAZE, PERSON, VALUE, Case, Write
from malformed.parquet import FRAME
from malformed.text import PLAIN, TEXT

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
EDF = b"SR_RESEARCH_COMBINED_FILE\n\0"
BEGAZE = f"## [BeGaze]\n## Subject:\t{PERSON}\nTime\tType\tL POR X [px]\n1\tSMP\t{VALUE}\n"
TOBII = f"Recording timestamp\tParticipant name\tGaze point X\n1051\t{PERSON}\t{VALUE}\n"


def _written(name: str, content: bytes | str) -> Write:
    """A file in place of the text."""

    def damage(folder: Path) -> None:
        (folder / PLAIN.file).unlink()
        (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)

    return damage


def _zip(member: str) -> bytes:
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w") as archive:
        archive.writestr(member, TEXT)
    return body.getvalue()


def _tar(mode: str) -> bytes:
    body = io.BytesIO()
    with tarfile.open(fileobj=body, mode=mode) as archive:  # type: ignore[call-overload]
        about = tarfile.TarInfo("gaze.csv")
        about.size = len(TEXT.encode())
        archive.addfile(about, io.BytesIO(TEXT.encode()))
    return body.getvalue()


def _feather() -> bytes:
    body = io.BytesIO()
    FRAME.write_ipc(body)
    return body.getvalue()


def _parquet() -> bytes:
    body = io.BytesIO()
    FRAME.write_parquet(body)
    return body.getvalue()


def _array() -> bytes:
    body = io.BytesIO()
    np.save(body, pl.Series(FRAME["x"]).to_numpy())
    return body.getvalue()


_FILES = [
    ("a workbook", "gaze.xlsx", _zip("xl/workbook.xml"), "a workbook of Excel"),
    ("an old workbook", "gaze.xls", OLE + PERSON.encode(), "a workbook of Excel"),
    ("a workbook called text", "gaze.csv", _zip("xl/workbook.xml"), "a workbook of Excel"),
    ("an old workbook called text", "gaze.tsv", OLE + PERSON.encode(), "a workbook of Excel"),
    ("a sheet of OpenDocument", "gaze.ods", _zip("content.xml"), "a spreadsheet"),
    ("an EDF recording", "gaze.edf", EDF + PERSON.encode(), "an EDF recording"),
    ("an EDF recording called text", "gaze.txt", EDF + PERSON.encode(), "an EDF recording"),
    ("an IDF recording", "gaze.idf", PERSON, "an IDF recording"),
    ("a raw export of BeGaze", "gaze.txt", BEGAZE, "a raw export of SMI BeGaze"),
    ("an export of Tobii in UTF-16", "gaze.tsv", codecs.BOM_UTF16_LE + TOBII.encode("utf-16-le"), "UTF-16"),
    ("a recording of Tobii's extensions", "gaze.gazedata", TOBII, "Tobii E-Prime"),
    ("a project of Tobii", "gaze.pprj", PERSON, "a project of Tobii Pro Lab"),
    ("a recording of Pupil Core", "gaze.pldata", PERSON, "a recording of Pupil Core"),
    ("a session of DataViewer", "gaze.evs", PERSON, "a session of DataViewer"),
    ("a file of SPSS", "gaze.sav", b"$FL2@(#)" + PERSON.encode(), "a file of SPSS"),
    ("a file of R", "gaze.rds", b"\x1f\x8b" + PERSON.encode(), "a file of R"),
    ("a workspace of R", "gaze.RData", b"RDX3\n" + PERSON.encode(), "a file of R"),
    ("a feather file", "gaze.feather", _feather(), "a feather file"),
    ("an archive", "gaze.zip", _zip("gaze.csv"), "an archive of several files"),
    ("an archive of tar", "gaze.tar", _tar("w"), "an archive of several files"),
    ("a packed archive of tar", "gaze.tar.gz", _tar("w:gz"), "an archive of several files"),
    ("a packed archive of tar, in short", "gaze.tgz", _tar("w:gz"), "an archive of several files"),
    ("an archive of 7-Zip", "gaze.7z", b"7z\xbc\xaf\x27\x1c" + PERSON.encode(), "an archive of several files"),
    ("an archive of RAR", "gaze.rar", b"Rar!\x1a\7" + PERSON.encode(), "an archive of several files"),
    ("text packed by bzip2", "gaze.csv.bz2", b"BZh9" + PERSON.encode(), "packed by other means than gzip"),
    ("text packed by xz", "gaze.csv.xz", b"\xfd7zXZ\0" + PERSON.encode(), "packed by other means than gzip"),
    ("one array", "gaze.npy", _array(), "one array without a name"),
    ("Parquet called text", "gaze.csv", _parquet(), "a Parquet file"),
    ("packed text called text", "gaze.csv", b"\x1f\x8b\x08\0" + PERSON.encode(), "a file packed by gzip"),
    ("a name without an ending", "gaze", TEXT, "no reader for this kind of file"),
    ("a number for an ending", "gaze.001", TEXT, "no reader for this kind of file"),
]  # fmt: skip
CASES = [
    Case(name, PLAIN, _written(file, content), problem, file=file, input={**GAZE, "path": file})
    for name, file, content, problem in _FILES
]
