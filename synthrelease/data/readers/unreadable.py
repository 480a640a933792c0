"""Files of eye trackers and of spreadsheets that hold the right rows in a form that is not read, and how to export them."""

from __future__ import annotations

from pathlib import Path

from synthrelease.errors import DataError

_EXPORT = "export it as text: "
_EDF = (
    "edf-recording",
    "an EDF recording of EyeLink, which is binary",
    "convert it with SR Research's edf2asc NAME.edf, and name the .asc file in the plan",
)
_BEGAZE = (
    "begaze-export",
    "a raw export of SMI BeGaze, whose table begins below a head of other lines",
    "read it by pymovements.gaze.from_begaze, and give what that returns: build(plan, frames={…})",
)
_IVIEW = (
    "idf-converter-export",
    "a raw export of SMI's IDF Converter, whose table begins below a head of other lines",
    "take out the lines that begin with ##, and those whose Type is MSG",
)
_BEGAZE_EVENTS = (
    "begaze-events",
    "an event export of SMI BeGaze with several tables in one file",
    "export the event statistics instead, which are one table",
)
_EXCEL = (
    "excel-workbook",
    "a workbook of Excel",
    "save the sheet as 'CSV UTF-8', or read it in Python and give the frame: build(plan, frames={…})",
)
_SEPARATOR = (
    "separator-line",
    "a first line that gives Excel the separator, above the names",
    "take out the first line; of EyeLogic also the rows whose TYPE is MSG, which have other columns",
)
_ARCHIVE = (
    "archive",
    "an archive of several files",
    "unpack it, and name the files with a `pattern`",
)
_PACKED = (
    "other-packing",
    "a file packed by other means than gzip",
    "unpack it, or pack it by gzip: .csv.gz",
)
_POINTER = (
    "git-lfs-pointer",
    "a pointer of Git LFS in place of the file",
    "fetch the file itself: git lfs pull",
)
# What a name ends in: the code of the error, what that is, and what to do.
_ENDINGS = {
    ".edf": _EDF,
    ".xlsx": _EXCEL,
    ".xlsm": _EXCEL,
    ".xls": (
        "xls-file",
        "a workbook of Excel, or a report of EyeLink Data Viewer, which is text",
        "name a report .txt; save a workbook's sheet as 'CSV UTF-8'",
    ),
    ".ods": ("spreadsheet", "a spreadsheet", "save the sheet as CSV, in UTF-8"),
    ".idf": (
        "idf-recording",
        "an IDF recording of SMI, which is binary",
        _EXPORT + "BeGaze, Export Raw Data to File; or SMI's IDF Converter",
    ),
    ".gazedata": (
        "e-prime-recording",
        "a recording of Tobii E-Prime extensions",
        "name it .tsv: it is text, separated by tabs",
    ),
    ".pprj": ("tobii-project", "a project of Tobii Pro Lab", _EXPORT + "Data export, TSV"),
    ".pldata": (
        "pupil-core-recording",
        "a recording of Pupil Core, which is binary",
        _EXPORT + "Pupil Player, Raw Data Exporter, gaze_positions.csv",
    ),
    ".evs": (
        "data-viewer-session",
        "a session of DataViewer",
        _EXPORT + "Analysis, Report, Fixation or Sample Report",
    ),
    ".sav": ("spss-file", "a file of SPSS", "save it as CSV in UTF-8"),
    ".dta": ("stata-file", "a file of Stata", "save it as CSV in UTF-8: export delimited"),
    ".rds": ("r-file", "a file of R", "write it by arrow::write_parquet or write.csv"),
    ".rdata": ("r-file", "a file of R", "write it by arrow::write_parquet or write.csv"),
    ".feather": (
        "feather-file",
        "a feather file",
        "write it as Parquet: pl.read_ipc(NAME).write_parquet(NEW)",
    ),
    ".npy": (
        "unnamed-array",
        "one array without a name",
        "give it one: np.savez('NEW.npz', x=np.load('OLD.npy')); and say its `axes`",
    ),
    **dict.fromkeys((".zip", ".tar", ".tar.gz", ".tgz", ".7z", ".rar"), _ARCHIVE),
    **dict.fromkeys((".bz2", ".xz", ".zst"), _PACKED),
}
# What a file begins with, whatever its name.
_BEGINNINGS = {
    b"SR_RESEARCH": _EDF,
    b"## [BeGaze]": _BEGAZE,
    b"## [iView]": _IVIEW,
    b"[BeGaze]": _BEGAZE_EVENTS,
    b"Sep=": _SEPARATOR,
    b"sep=": _SEPARATOR,
    b"PK\x03\x04": _EXCEL,
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": _EXCEL,
    b"PAR1": ("parquet-of-other-name", "a Parquet file", "let its name end in .parquet"),
    b"\x89HDF": ("hdf5-of-other-name", "an HDF5 file", "let its name end in .h5"),
    b"\x1f\x8b": (
        "packed-by-gzip",
        "a file packed by gzip",
        "let its name end in .gz; what was packed twice, unpack once: gunzip",
    ),
    b"BZh": _PACKED,
    b"\xfd7zXZ": _PACKED,
    b"\x28\xb5\x2f\xfd": _PACKED,
    b"version https://git-lfs": _POINTER,
}


def refuse_unreadable(path: Path, beginning: bytes = b"") -> None:
    """Refuse a file whose name, or first bytes, say that it is one of these.

    Raises:
        DataError: it is; the remedy says how to export it.
    """
    kind = next((candidate for start, candidate in _BEGINNINGS.items() if beginning.startswith(start)), None)
    name = path.name.lower()
    kind = kind or next((candidate for ending, candidate in _ENDINGS.items() if name.endswith(ending)), None)
    if kind is not None:
        code, content, remedy = kind
        raise DataError(
            code, "files of this kind cannot be read", where=str(path), found=content, remedy=remedy
        )
