"""Every reader answers bad input with exit code 3 and one message: the file, the place, what to do, and no private cell."""

from __future__ import annotations

import ast
import json
import re
import shutil
import warnings
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from malformed import CASES, FAMILIES, parquet
from malformed.case import SECRETS, Case, Family, written
from malformed.frames import CASES as FRAME_CASES
from malformed.frames import NAME, FrameCase
from tiers import covering

import synthrelease
from synthrelease.cli import main
from synthrelease.data.readers import FOLDERS, READERS, reader_for
from synthrelease.data.readers.folder import Folder
from synthrelease.errors import DataError
from synthrelease.plan.plan import load_plan

_LINES = r"[^\n]+(\n  found:    [^\n]+)?(\n  expected: [^\n]+)?\n  to do:    [^\n]+"  # of one message
_LIBRARIES = ("numpy", "h5py", "scipy", "polars")
_FAULTS = ("Traceback", "Warning", "panicked")


def built(plan: Path, *options: str) -> int:
    """The exit code of `synthrelease build`; whatever else leaves the command line fails the test, as do warnings."""
    arguments = ["build", str(plan), "-o", str(plan.with_name("release.h5")), *options]
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        with pytest.raises(SystemExit) as ended:
            main(arguments)
    assert [str(one.message) for one in warned] == []
    assert isinstance(ended.value.code, int)
    return ended.value.code


def refused(case: Case, folder: Path, capfd: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """The error as a program has it, once its message at the terminal has proved to be one that may be shown."""
    plan = case.write(folder / "study")
    before = {path: path.lstat().st_size for path in folder.rglob("*")}
    capfd.readouterr()
    ended = built(plan, "--json")
    out, err = capfd.readouterr()
    assert ended == DataError.exit_code, err
    error: dict[str, Any] = json.loads(out)["error"]
    assert (error["kind"], error["exit_code"]) == ("DataError", ended)
    assert re.fullmatch(f"error: {_LINES}\n", err), err
    for part in ("problem", "where", "found", "expected", "remedy"):
        assert error[part] in err
    for text in (err, out):
        shown = text.replace(str(folder), "")
        assert not [word for word in (*SECRETS, *_LIBRARIES, *_FAULTS) if word in shown], shown
    assert {path: path.lstat().st_size for path in folder.rglob("*")} == before
    return error


def check_place(place: str, error: Mapping[str, str]) -> None:
    """Assert that an error says all parts of a place."""
    said = f"{error['where']}: {error['problem']}"
    for part in place.split("; "):
        assert part in said


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_what_is_not_damaged_is_built(
    family: Family, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    plan = written(family, tmp_path / "study")
    assert built(plan) == 0, capfd.readouterr().err
    assert reader_for(load_plan(plan).inputs["data"].source).name == family.reader


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.title)
def test_a_malformed_input_is_refused(case: Case, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    error = refused(case, tmp_path, capfd)
    assert error["code"] == case.code
    assert (case.file or case.family.file) in error["where"]
    check_place(case.place, error)


# Each reader, each refusal, and whatever is another one in parts, once; the others are thorough.
IN_PARTS = covering({case.title: (case.family.name, case.code, case.in_parts) for case in CASES}, together=1)


@pytest.mark.quick(*IN_PARTS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.title)
def test_so_it_is_where_it_is_read_in_parts(
    case: Case, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("synthrelease.plan.partitions.PART_CELLS", 16)
    error = refused(case, tmp_path, capfd)
    assert error["code"] == (case.in_parts or case.code)
    assert (case.file or case.family.file).partition("/")[0] in error["where"]


@pytest.mark.parametrize("case", FRAME_CASES, ids=lambda case: case.name)
def test_a_malformed_frame_is_refused(case: FrameCase, tmp_path: Path) -> None:
    plan = written(parquet.FAMILY, tmp_path / "study")
    before = set(tmp_path.rglob("*"))
    frame = case.make()
    with pytest.raises(DataError) as caught:
        synthrelease.build(plan, tmp_path / "release.h5", frames={"data": frame})
    told = str(caught.value)
    assert caught.value.code == case.code
    assert re.fullmatch(_LINES, told), told
    assert NAME in caught.value.where
    check_place(case.place, vars(caught.value))
    assert not [word for word in (*SECRETS, *_FAULTS) if word in told], told
    assert set(tmp_path.rglob("*")) == before


def test_a_frame_that_is_not_damaged_is_built(tmp_path: Path) -> None:
    plan = written(parquet.FAMILY, tmp_path / "study")
    assert synthrelease.build(plan, tmp_path / "r.h5", frames={"data": parquet.FRAME}).path.exists()


@pytest.mark.parametrize(
    "family", [one for one in FAMILIES if not Path(one.file).suffix], ids=lambda family: family.name
)
def test_what_operating_systems_put_into_folders_is_left_alone(family: Family, tmp_path: Path) -> None:
    plan = written(family, tmp_path / "study")
    assert built(plan, "--test-seed", "1") == 0
    bundle = tmp_path / "study" / "release.TEST-SEED.h5"
    before = bundle.read_bytes()
    folder = tmp_path / "study" / family.file
    for path in sorted(folder.rglob("*")):
        beside = path if path.is_dir() else path.parent
        for name in (f"._{path.name}", ".DS_Store", "Thumbs.db", "desktop.ini"):
            (beside / name).write_bytes(b"\0\5\x16\7")
    shutil.copytree(folder, folder / ".Trashes")
    assert built(plan, "--test-seed", "1", "--force") == 0
    assert bundle.read_bytes() == before


def test_every_reader_is_given_malformed_inputs() -> None:
    given = Counter(case.family.reader for case in CASES)
    assert len(CASES) >= 90
    assert len({case.title for case in CASES}) == len(CASES)
    for reader in (*READERS, *FOLDERS, Folder(reader_for)):
        assert given[reader.name] >= 5, reader.name


def test_every_error_of_data_says_where_it_is_and_what_to_do() -> None:
    """Those that no case here provokes, too."""
    found = 0
    for path in sorted((Path(synthrelease.__file__).parent / "data").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
                continue
            wanted = {"DataError": {"where", "remedy"}, "NestedError": {"remedy"}}.get(node.func.id, set())
            given = {keyword.arg for keyword in node.keywords}
            assert None in given or wanted <= given, f"{path.name}, line {node.lineno}"
            found += bool(wanted)
    assert found >= 90
