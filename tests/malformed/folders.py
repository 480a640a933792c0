"""Folders of files that are not as a plan, or a data set's own description, has them."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import polars as pl

from malformed.case import PERSON, SCREEN, VALUE, Case, Family, Write, bytewise, cut, put, swapped

# A folder with a pattern

FOLDER = "recordings"
FILES = tuple(f"{FOLDER}/P{person}_R{recording}.csv" for person in (1, 2, 10) for recording in (1, 2))
SECOND = FILES[3]  # P2_R2
TEXT = "t,x,by\n" + "".join(f"{t},{VALUE},{PERSON}\n" for t in range(5))
LINE = f"2,{VALUE},{PERSON}\n"  # line 4
_INPUT = {
    "kind": "features",
    "path": FOLDER,
    "pattern": "P{person}_R{recording}.csv",
    "columns": {"person": "person", "recording": "recording", "time": "t"},
    "recordings": ["1", "2"],
    "bounds": {"x": [0.0, 1000.0]},
}


def _write(files: tuple[str, ...], text: str) -> Write:
    def write(folder: Path) -> None:
        for file in files:
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            put(file, text)(folder)

    return write


def _all(change: Callable[[Path], object], ending: str = ".csv") -> Write:
    def damage(folder: Path) -> None:
        files = sorted(folder.rglob(f"*{ending}"))
        assert files
        for path in files:
            change(path)

    return damage


def _parquet(folder: Path, name: str, **columns: object) -> None:
    pl.DataFrame({"t": [0, 1], "x": [VALUE, 1.0], **columns}).write_parquet(folder / FOLDER / name)


def _of_two_types(folder: Path) -> None:
    _parquet(folder, "P11_R1.parquet")
    _parquet(folder, "P11_R2.parquet", x=[PERSON, "1.0"])


def _lists(folder: Path) -> None:
    _parquet(folder, "P11_R1.parquet")
    _parquet(folder, "P11_R2.parquet", x=[[VALUE], [1.0]])


def _gone(folder: Path) -> None:
    (folder / FOLDER / "P3_R1.csv").symlink_to("nowhere.csv")


PATTERN = Family("folder", "folder", _write(FILES, TEXT), _INPUT, FOLDER)
_ANY = {"pattern": "P{person}_R{recording}.*"}
_PARQUET = {"pattern": "P{person}_R{recording}.parquet"}


def _beside_text(folder: Path) -> None:
    _parquet(folder, "P3_R1.parquet", x=[[VALUE], [1.0]])


_CELLS = [
    ("text where a number belongs", swapped(SECOND, LINE, LINE.replace("271", "O271")), "bad-number", "P2_R2.csv, line 4, column 'x'"),
    ("NaN", swapped(SECOND, LINE, f"2,NaN,{PERSON}\n"), "nan", "P2_R2.csv, line 4, column 'x'"),
    ("a row cut short", swapped(SECOND, LINE, f"2,{VALUE}\n"), "too-few-fields", "P2_R2.csv, line 4"),
    ("a time twice", swapped(SECOND, LINE, LINE.replace("2,", "1,", 1)), "duplicate-time", "P2_R2.csv, line 4, column 't'"),
    ("a quote that is not closed", swapped(SECOND, LINE, f'2,{VALUE},"{PERSON}\n'), "open-quote", "P2_R2.csv, line 4"),
    ("latin-1", swapped(SECOND, LINE, LINE.encode().replace(b"Z", b"\xdc")), "not-utf8", "P2_R2.csv, line 4"),
    ("an empty file", put(SECOND, b""), "empty-file", "P2_R2.csv"),
    ("files of headers only", _all(lambda path: path.write_text("t,x,by\n")), "no-rows", ""),
    ("a file with other columns", swapped(SECOND, "t,x,by", "t,y,by"), "columns-differ", "P2_R2.csv; 'x'"),
    ("a file with a name twice", swapped(SECOND, "t,x,by", "t,x,x"), "duplicate-column", "P2_R2.csv, column 'x'"),
    ("a link to a file that was not fetched", _gone, "broken-link", "P3_R1.csv"),
    ("a first file without the column", swapped(FILES[0], "t,x,by", "t,y,by"), "unknown-column", "'x'"),
    ("a folder that is not there", lambda folder: (folder / FOLDER).rename(folder / "other"), "no-such-folder", ""),
    ("an empty folder", _all(lambda path: path.unlink()), "no-file-fits", ""),
]  # fmt: skip
_PATTERNS = [
    ("a pattern of no file", "S{person}_R{recording}.csv", "no-file-fits", ""),
    ("a pattern that is not closed", "P{person_R{recording}.csv", "bad-pattern", ""),
    ("a pattern with a name twice", "P{person}_R{person}.csv", "pattern-names-twice", "'person'"),
    ("a pattern with a name of the files", "P{person}_R{x}.csv", "column-named-twice", "'x'"),
    ("a pattern without the person", "P*_R{recording}.csv", "unknown-column", "'person'"),
    ("no pattern", None, "path-is-folder", ""),
]
_KINDS = [
    ("a workbook among the files", put(f"{FOLDER}/P3_R1.xlsx", b"PK\3\4"), "excel-workbook", "P3_R1.xlsx", _ANY),
    ("a file of no kind", put(f"{FOLDER}/P3_R1.dat", TEXT), "no-reader", "P3_R1.dat", _ANY),
    ("a packed file that is cut off", put(f"{FOLDER}/P3_R1.csv.gz", gzip.compress(TEXT.encode())[:-9]), "cannot-unpack", "P3_R1.csv.gz", _ANY),
    ("Parquet files of numbers and text", _of_two_types, "mixed-types", "P11_R2.parquet, row 0, column 'x'", _PARQUET),
    ("Parquet files of numbers and lists", _lists, "mixed-types", "P11_R2.parquet, row 0, column 'x'", _PARQUET),
    ("a Parquet file that is cut off", lambda folder: [_parquet(folder, "P11_R1.parquet"), cut(f"{FOLDER}/P11_R1.parquet")(folder)], "bad-parquet", "P11_R1.parquet", _PARQUET),
]  # fmt: skip

# GazeBase

ROUNDS = ("1001_S1_FXS", "1001_S2_TEX", "9001_S1_FXS", "1322_S1_FXS")
RECORDINGS = tuple(f"GazeBase/Round_{name[0]}/Subject_{name[:4]}/S_{name}.csv" for name in ROUNDS)
THIRD = RECORDINGS[3]
DEGREES = "n,x,y,val,dP,lab,xT,yT\n" + "".join(f"{n},0.5,-0.25,0,{VALUE},{PERSON},0,0\n" for n in range(5))
SAMPLE = f"3,0.5,-0.25,0,{VALUE},{PERSON},0,0\n"  # line 5
GAZEBASE = Family(
    "GazeBase",
    "gazebase",
    _write(RECORDINGS, DEGREES),
    {
        "kind": "gaze",
        "path": "GazeBase",
        "format": "gazebase",
        "columns": {"person": "person", "stimulus": "task", "x": "x", "y": "y"},
        "screen": {**SCREEN, "width_mm": 474, "distance_mm": 550},
        "coordinates": "degrees",
        "origin": "centre-y-up",
        "missing": ["NaN"],
        "stimuli": ["FXS", "TEX"],
    },
    "GazeBase",
)
_IN_THIRD = "S_1322_S1_FXS.csv"
_GAZEBASE = [
    ("another header", _all(lambda path: path.write_text(DEGREES.replace("x,y", "gx,gy", 1))), "unknown-column", "'x'"),
    ("another header in one file", swapped(THIRD, "x,y", "gx,gy"), "columns-differ", f"{_IN_THIRD}; 'x'"),
    ("no header", _all(lambda path: path.write_text(DEGREES.partition("\n")[2])), "no-header", ""),
    ("names without S", _all(lambda path: path.rename(path.with_name(path.name[2:]))), "no-file-fits", ""),
    ("not unpacked", _all(lambda path: path.rename(path.with_suffix(".zip"))), "no-file-fits", ""),
    ("a row cut short", swapped(THIRD, SAMPLE, "3,0.5\n"), "too-few-fields", f"{_IN_THIRD}, line 5"),
    ("text where a number belongs", swapped(THIRD, SAMPLE, SAMPLE.replace("0.5", PERSON)), "bad-number", f"{_IN_THIRD}, line 5, column 'x'"),
    ("a point off the screen", swapped(THIRD, SAMPLE, SAMPLE.replace("0.5", "71.5")), "point-off-screen", f"{_IN_THIRD}, line 5, column 'x' or 'y'"),
    ("an angle behind the head", swapped(THIRD, SAMPLE, SAMPLE.replace("0.5", "271.8281")), "point-off-screen", f"{_IN_THIRD}, line 5, column 'x'"),
    ("an empty file", put(THIRD, b""), "empty-file", _IN_THIRD),
    ("UTF-16", bytewise(THIRD, lambda text: text.decode().encode("utf-16")), "utf16-or-binary", _IN_THIRD),
    ("semicolons", _all(lambda path: path.write_text(DEGREES.replace(",", ";"))), "one-column", "S_"),
]  # fmt: skip

# MPIIDPEye and MPIIPrivacEye

_FEATURES = {
    "kind": "features",
    "path": "features",
    "columns": {"person": "person", "recording": "recording"},
    "recordings": ["1", "2"],
    "bounds": {"fixation_rate": [0.0, 1000.0], "wordbook4_var": [0.0, 1000.0]},
}
ROWS = 4


def _features(columns: int, separator: str = ",") -> str:
    return (separator.join([str(VALUE), *["0.5"] * (columns - 1)]) + "\n") * ROWS


def _mpii(name: str, *, columns: int) -> tuple[Family, list[Case]]:
    dp = name == "mpiidpeye"
    called = "Data_P{}_R{}_Pami_Features_52.csv" if dp else "P{}_R{}_data.csv"
    names = [called.format(person, recording) for person in (1, 2, 10) for recording in (1, 2)]
    files, last = tuple(f"features/{one}" for one in names), f"features/{names[3]}"
    text = _features(columns)
    family = Family(name, name, _write(files, text), {**_FEATURES, "format": name}, "features")
    header = ",".join(f"feature {number}" for number in range(columns)) + "\n"
    cases = [
        ("51 columns", _all(lambda path: path.write_text(_features(51))), "wrong-column-count", "line 1"),
        ("51 columns in one file", put(last, _features(51)), "too-few-fields", f"{names[3]}, line 1 "),
        ("a column more in one file", put(last, _features(columns + 1)), "too-many-fields", f"{names[3]}, line 1 "),
        ("a line of names", _all(lambda path: path.write_text(header + text)), "bad-number", f"{names[0]}, line 1, column 'fixation_rate'"),
        ("text where a number belongs", swapped(last, str(VALUE), PERSON), "bad-number", f"{names[3]}, line 1, column 'fixation_rate'"),
        ("NaN", swapped(last, str(VALUE), "nan"), "nan", f"{names[3]}, line 1, column 'fixation_rate'"),
        ("a row cut short", bytewise(last, lambda content: content[:-9]), "too-few-fields", f"{names[3]}, line {ROWS}"),
        ("decimal commas", _all(lambda path: path.write_text(_features(columns, ";").replace(".", ","))), "decimal-comma", f"{names[0]}, line 1, column 'fixation_rate'"),
        ("tabs", _all(lambda path: path.write_text(_features(columns, "\t"))), "wrong-column-count", "line 1"),
        ("an empty file", put(last, b""), "empty-file", names[3]),
        ("an empty first file", put(files[0], b""), "empty-file", names[0]),
        ("UTF-16", bytewise(files[0], lambda content: content.decode().encode("utf-16")), "utf16-or-binary", names[0]),
        ("files of other names", _all(lambda path: path.rename(path.with_name("x" + path.name))), "no-file-fits", ""),
    ]  # fmt: skip
    if dp:
        cases.append(("53 columns", _all(lambda path: path.write_text(_features(53))), "wrong-column-count", "line 1"))  # fmt: skip
    return family, [Case(case, family, damage, code, place) for case, damage, code, place in cases]


MPIIDPEYE, _DP_CASES = _mpii("mpiidpeye", columns=52)
MPIIPRIVACEYE, _PRIVAC_CASES = _mpii("mpiiprivaceye", columns=60)

CASES = [
    *(Case(name, PATTERN, damage, code, place) for name, damage, code, place in _CELLS),
    *(Case(name, PATTERN, lambda _: None, code, place, input={"pattern": one}) for name, one, code, place in _PATTERNS),
    *(Case(name, PATTERN, damage, code, place, input=more) for name, damage, code, place, more in _KINDS),
    Case("Parquet files beside text", PATTERN, _beside_text, "mixed-types", "P3_R1.parquet, row 0, column 't'", input=_ANY, in_parts="bad-column"),
    *(Case(name, GAZEBASE, damage, code, place) for name, damage, code, place in _GAZEBASE),
    *_DP_CASES,
    *_PRIVAC_CASES,
]  # fmt: skip
