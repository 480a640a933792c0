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
    ("a workbook", "gaze.xlsx", _zip("xl/workbook.xml"), "excel-workbook"),
    ("an old workbook", "gaze.xls", OLE + PERSON.encode(), "xls-file"),
    ("a workbook called text", "gaze.csv", _zip("xl/workbook.xml"), "excel-workbook"),
    ("an old workbook called text", "gaze.tsv", OLE + PERSON.encode(), "excel-workbook"),
    ("a sheet of OpenDocument", "gaze.ods", _zip("content.xml"), "spreadsheet"),
    ("an EDF recording", "gaze.edf", EDF + PERSON.encode(), "edf-recording"),
    ("an EDF recording called text", "gaze.txt", EDF + PERSON.encode(), "edf-recording"),
    ("an IDF recording", "gaze.idf", PERSON, "idf-recording"),
    ("a raw export of BeGaze", "gaze.txt", BEGAZE, "begaze-export"),
    ("an export of Tobii in UTF-16", "gaze.tsv", codecs.BOM_UTF16_LE + TOBII.encode("utf-16-le"), "utf16-or-binary"),
    ("a recording of Tobii's extensions", "gaze.gazedata", TOBII, "e-prime-recording"),
    ("a project of Tobii", "gaze.pprj", PERSON, "tobii-project"),
    ("a recording of Pupil Core", "gaze.pldata", PERSON, "pupil-core-recording"),
    ("a session of DataViewer", "gaze.evs", PERSON, "data-viewer-session"),
    ("a file of SPSS", "gaze.sav", b"$FL2@(#)" + PERSON.encode(), "spss-file"),
    ("a file of R", "gaze.rds", b"\x1f\x8b" + PERSON.encode(), "r-file"),
    ("a workspace of R", "gaze.RData", b"RDX3\n" + PERSON.encode(), "r-file"),
    ("a feather file", "gaze.feather", _feather(), "feather-file"),
    ("an archive", "gaze.zip", _zip("gaze.csv"), "archive"),
    ("an archive of tar", "gaze.tar", _tar("w"), "archive"),
    ("a packed archive of tar", "gaze.tar.gz", _tar("w:gz"), "archive"),
    ("a packed archive of tar, in short", "gaze.tgz", _tar("w:gz"), "archive"),
    ("an archive of 7-Zip", "gaze.7z", b"7z\xbc\xaf\x27\x1c" + PERSON.encode(), "archive"),
    ("an archive of RAR", "gaze.rar", b"Rar!\x1a\7" + PERSON.encode(), "archive"),
    ("text packed by bzip2", "gaze.csv.bz2", b"BZh9" + PERSON.encode(), "other-packing"),
    ("text packed by xz", "gaze.csv.xz", b"\xfd7zXZ\0" + PERSON.encode(), "other-packing"),
    ("one array", "gaze.npy", _array(), "unnamed-array"),
    ("Parquet called text", "gaze.csv", _parquet(), "parquet-of-other-name"),
    ("packed text called text", "gaze.csv", b"\x1f\x8b\x08\0" + PERSON.encode(), "packed-by-gzip"),
    ("a name without an ending", "gaze", TEXT, "no-reader"),
    ("a number for an ending", "gaze.001", TEXT, "no-reader"),
]  # fmt: skip
CASES = [
    Case(name, PLAIN, _written(file, content), code, file=file, input={**GAZE, "path": file})
    for name, file, content, code in _FILES
]
