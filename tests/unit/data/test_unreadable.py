"""Recordings and workbooks that are not read are refused with the way to export them, whatever their names."""

from __future__ import annotations

import codecs
from pathlib import Path

import pytest

from synthrelease.data.readers import unreadable
from synthrelease.data.source import Source
from synthrelease.data.tables import read_table
from synthrelease.errors import DataError

ZIP, OLE, EDF = (
    b"PK\x03\x04canary",
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1canary",
    b"SR_RESEARCH_COMBINED_FILE\n\0canary",
)


def refused(path: Path, *words: str) -> None:
    with pytest.raises(DataError) as caught:
        read_table(Source(path), ["x"])
    told = str(caught.value)
    assert caught.value.exit_code == 3
    assert str(path) in told
    assert "canary" not in told
    for word in words:
        assert word in told


@pytest.mark.parametrize("ending", sorted(unreadable._ENDINGS))
def test_every_ending_has_a_remedy(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"P1{ending.upper()}"
    path.write_bytes(b"canary")
    what, remedy = unreadable._ENDINGS[ending]
    refused(path, "files of this kind cannot be read", what, remedy)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.csv", ZIP, ["a workbook of Excel", "CSV UTF-8"]),
        ("a.tsv", OLE, ["a workbook of Excel", "CSV UTF-8"]),
        ("a.txt", EDF, ["EDF recording", "edf2asc"]),
        ("a.txt", b"## [BeGaze]\r\n## Date:\tcanary\r\n", ["BeGaze", "from_begaze"]),
        ("a.txt", b"## [iView]\r\n## Date:\tcanary\r\n", ["IDF Converter", "##"]),
        ("a.txt", b"[BeGaze]\r\nDate:\tcanary\r\n", ["several tables", "event statistics"]),
        ("a.csv", b"Sep=;\r\nTYPE;canary\r\n", ["first line that tells Excel", "EyeLogic"]),
        ("a.asc", EDF, ["EDF recording", "edf2asc"]),
        ("a.edf", EDF, ["EDF recording", "edf2asc"]),
        ("a.tsv", codecs.BOM_UTF16_LE + "x\ty\ncanary\t1\n".encode("utf-16-le"), ["UTF-16", "UTF-8"]),
        ("a.tsv", "x\ty\ncanary\t1\n".encode("utf-16-le"), ["UTF-16", "UTF-8"]),
    ],
)
def test_what_is_in_a_file_counts_whatever_its_name(
    tmp_path: Path, name: str, content: bytes, words: list[str]
) -> None:
    (tmp_path / name).write_bytes(content)
    refused(tmp_path / name, *words)


def test_what_is_not_there_is_not_there_whatever_its_name(tmp_path: Path) -> None:
    refused(tmp_path / "none.xlsx", "there is no such file")
