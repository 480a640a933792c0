"""Recordings and workbooks that are not read are refused with the way to export them, whatever their names."""

from __future__ import annotations

import codecs
from pathlib import Path

import pytest
from refusals import check_refusal

from synthrelease.data.readers import unreadable
from synthrelease.data.source import Source
from synthrelease.data.tables import read_table
from synthrelease.errors import DataError

ZIP, OLE, EDF = (
    b"PK\x03\x04canary",
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1canary",
    b"SR_RESEARCH_COMBINED_FILE\n\0canary",
)


def refused(path: Path, code: str) -> DataError:
    with pytest.raises(DataError) as caught:
        read_table(Source(path), ["x"])
    check_refusal(caught.value, path, code, secrets=("canary",))
    return caught.value


@pytest.mark.parametrize("ending", sorted(unreadable._ENDINGS))
def test_every_ending_has_a_remedy(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"P1{ending.upper()}"
    path.write_bytes(b"canary")
    code, what, remedy = unreadable._ENDINGS[ending]
    error = refused(path, code)
    assert (error.found, error.remedy) == (what, remedy)


def test_every_kind_of_file_has_a_code_of_its_own() -> None:
    kinds = {*unreadable._ENDINGS.values(), *unreadable._BEGINNINGS.values()}
    assert len({code for code, _, _ in kinds}) == len(kinds)


@pytest.mark.parametrize(
    ("name", "content", "code", "named"),
    [
        ("a.csv", ZIP, "excel-workbook", "CSV UTF-8"),
        ("a.tsv", OLE, "excel-workbook", "CSV UTF-8"),
        ("a.txt", EDF, "edf-recording", "edf2asc"),
        ("a.txt", b"## [BeGaze]\r\n## Date:\tcanary\r\n", "begaze-export", "from_begaze"),
        ("a.txt", b"## [iView]\r\n## Date:\tcanary\r\n", "idf-converter-export", "##"),
        ("a.txt", b"[BeGaze]\r\nDate:\tcanary\r\n", "begaze-events", ""),
        ("a.csv", b"Sep=;\r\nTYPE;canary\r\n", "separator-line", "EyeLogic"),
        ("a.asc", EDF, "edf-recording", "edf2asc"),
        ("a.edf", EDF, "edf-recording", "edf2asc"),
        (
            "a.tsv",
            codecs.BOM_UTF16_LE + "x\ty\ncanary\t1\n".encode("utf-16-le"),
            "utf16-or-binary",
            "UTF-8",
        ),
        ("a.tsv", "x\ty\ncanary\t1\n".encode("utf-16-le"), "utf16-or-binary", "UTF-8"),
    ],
)
def test_what_is_in_a_file_counts_whatever_its_name(
    tmp_path: Path, name: str, content: bytes, code: str, named: str
) -> None:
    (tmp_path / name).write_bytes(content)
    assert named in refused(tmp_path / name, code).remedy


def test_what_is_not_there_is_not_there_whatever_its_name(tmp_path: Path) -> None:
    refused(tmp_path / "none.xlsx", "no-such-file")
