"""Parquet files of all writers are read; what is damaged, and what the library panics at, is refused in words."""

from __future__ import annotations

import io
import random
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import hostile_parquet
import numpy as np
import polars as pl
import pytest
import refusals
from refusals import check_refusal

from synthrelease.data.cells import labels, numbers
from synthrelease.data.readers import parquet, parquet_pages
from synthrelease.data.readers.reader import ALL_ROWS
from synthrelease.data.source import Source
from synthrelease.data.tables import read_table
from synthrelease.errors import DataError

FRAME = pl.DataFrame(
    {"who": ["canary", "b", None] * 8, "x": np.linspace(0, 7331, 24), "l": [[1, 2]] * 24, "n": [None] * 24}
)
WRITERS: dict[str, dict[str, Any]] = {
    "zstd": {},
    "plain": {"compression": "uncompressed"},
    "groups": {"row_group_size": 5},
    "small pages": {"data_page_size": 1},
    "no statistics": {"statistics": False},
}


def content(frame: pl.DataFrame = FRAME, **options: Any) -> bytes:
    body = io.BytesIO()
    frame.write_parquet(body, **options)
    return body.getvalue()


def foot(body: bytes) -> tuple[bytes, bytes]:
    """The pages, and the foot without its length and mark."""
    at = len(body) - 8 - struct.unpack("<I", body[-8:-4])[0]
    return body[:at], body[at:-8]


def with_foot(pages: bytes, own: bytes) -> bytes:
    return pages + own + struct.pack("<I", len(own)) + b"PAR1"


def varint(number: int) -> bytes:
    """A number as Thrift has it: the sign is the last bit."""
    number, out = number << 1, b""
    while number > 127:
        out, number = out + bytes([number & 127 | 128]), number >> 7
    return out + bytes([number])


ONE = content(FRAME.select("x"), compression="uncompressed")


@pytest.mark.parametrize("options", WRITERS.values(), ids=WRITERS)
@pytest.mark.parametrize("rows", [0, 1, FRAME.height])
def test_whole_files_are_read(tmp_path: Path, options: dict[str, Any], rows: int) -> None:
    (tmp_path / "x.parquet").write_bytes(content(FRAME.head(rows), **options))
    check_read(tmp_path / "x.parquet", FRAME.head(rows))


def test_what_another_writer_writes_is_read(tmp_path: Path) -> None:
    import pyarrow.parquet as arrow

    for number, options in enumerate(
        (
            {},
            {"data_page_version": "2.0"},
            {"use_dictionary": False},
            {"write_page_index": True, "write_page_checksum": True},
            {"row_group_size": 5, "data_page_size": 1},
        )
    ):
        for frame in (FRAME, FRAME.clear()):
            path = tmp_path / f"{number} {frame.height}.parquet"
            arrow.write_table(frame.to_arrow(), path, **options)
            check_read(path, frame)


def check_read(path: Path, frame: pl.DataFrame) -> None:
    reader, source = parquet.Parquet(), Source(path)
    assert reader.column_names(source) == frame.columns
    pieces = list(reader.slices(source, ["who", "x"], ALL_ROWS))
    assert sum(piece.height for piece, _ in pieces) == frame.height
    assert all(piece.equals(frame.select("who", "x")) for piece, _ in pieces)


def refused(folder: Path, body: bytes) -> None:
    path = folder / "x.parquet"
    path.write_bytes(body)
    with pytest.raises(DataError) as caught:
        read_table(Source(path), [name for name in ("who", "x") if name.encode() in body] or ["x"])
    check_refusal(caught.value, path, "bad-parquet", secrets=("canary", "7331"))


def beyond(pages: bytes, own: bytes) -> bytes:
    """The first column's pages begin at byte 4; now they begin behind the file."""
    assert b"\x26" + varint(4) in own
    return with_foot(pages, own.replace(b"\x26" + varint(4), b"\x26" + varint(1 << 20)))


def replaced(data: bytes, old: bytes, new: bytes) -> bytes:
    assert old in data
    return data.replace(old, new, 1)


def fewer_in_pages(*_: bytes) -> bytes:
    pages, own = foot(ONE)
    return with_foot(replaced(pages, b"\x2c\x15" + varint(24), b"\x2c\x15" + varint(23)), own)


def fewer_than_rows(*_: bytes) -> bytes:
    pages, own = foot(fewer_in_pages())
    return with_foot(pages, replaced(own, b"\x16" + varint(24) + b"\x16", b"\x16" + varint(23) + b"\x16"))


def no_codec(*_: bytes) -> bytes:
    pages, own = foot(ONE)
    return with_foot(pages, replaced(own, b"\x18\x01x\x15\x00", b"\x18\x01x\x15\x7e"))


def deep(pages: bytes, own: bytes) -> bytes:
    return with_foot(pages, b"\x1c" * 100_000 + own)


def endless(pages: bytes, own: bytes) -> bytes:
    """A list of more elements than there are bytes."""
    return with_foot(pages, b"\x19\xfc\xff\xff\xff\xff\x0f" + own)


def no_head(pages: bytes, own: bytes) -> bytes:
    return with_foot(pages[:4] + b"\0" + pages[5:], own)


@pytest.mark.parametrize(
    "change",
    [
        beyond,
        fewer_in_pages,
        fewer_than_rows,
        no_codec,
        deep,
        endless,
        no_head,
    ],
)
def test_what_is_wrong_within_is_refused(tmp_path: Path, change: Callable[[bytes, bytes], bytes]) -> None:
    refused(tmp_path, change(*foot(content())))


@pytest.mark.parametrize("size", [0, 3, 8, 12, 100, -1, -8, -9])
def test_what_is_cut_off_is_refused(tmp_path: Path, size: int) -> None:
    refused(tmp_path, content()[:size])


def test_what_the_library_panics_at_is_one_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "x.parquet").write_bytes(content())

    def panic(*_: object, **__: object) -> NoReturn:
        raise pl.exceptions.PanicException("canary")

    for name in ("collect", "collect_schema"):
        with monkeypatch.context() as patch:
            patch.setattr(pl.LazyFrame, name, panic)
            with pytest.raises(DataError) as caught:
                read_table(Source(tmp_path / "x.parquet"), ["who"])
        check_refusal(caught.value, tmp_path / "x.parquet", "bad-parquet", secrets=("canary",))


@pytest.mark.parametrize("seed", range(4))
def test_a_damaged_file_is_a_table_or_one_message(tmp_path: Path, seed: int) -> None:
    """Bytes of the foot, and of the pages' heads; whatever the library does then, the process lives and says so."""
    chance, good, path, refusals = random.Random(seed), content(), tmp_path / "x.parquet", []
    pages, _ = foot(good)
    for _ in range(60):
        body = bytearray(good)
        for _ in range(chance.choice((1, 1, 4))):
            body[
                chance.randrange(len(pages), len(good)) if chance.random() < 0.8 else chance.randrange(4, 40)
            ] = chance.randrange(256)
        path.write_bytes(body)
        try:
            table = read_table(Source(path), ["who", "x"])
            numbers(table, "x")
            labels(table, "who")
        except DataError as error:
            check_refusal(error, path, error.code, secrets=("canary", "7331"))
            refusals.append(error)
    assert refusals
    assert all(error.remedy for error in refusals)


def test_a_foot_is_read_once_until_the_file_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    feet, path = [], tmp_path / "x.parquet"
    read = parquet.read_foot
    monkeypatch.setattr(parquet, "read_foot", lambda file: feet.append(path) or read(file))
    path.write_bytes(content())
    read_table(Source(path), ["who"])
    read_table(Source(path), ["x"])
    assert len(feet) == 1
    path.write_bytes(content(FRAME.head(3)))
    assert len(read_table(Source(path), ["x"]).frame) == 3
    assert len(feet) == 2


def test_columns_of_few_texts_are_no_bomb(tmp_path: Path) -> None:
    """They pack to a hundredth, as questionnaires and conditions do."""
    answer = pl.Series(np.random.default_rng(1).integers(0, 2, 1_000_000)).replace_strict({0: "no", 1: "yes"})
    path = tmp_path / "a.parquet"
    pl.DataFrame({f"q{number}": answer for number in range(20)}).write_parquet(path, compression="zstd")
    assert read_table(path, [f"q{number}" for number in range(20)]).frame.height == 1_000_000


def test_what_of_a_foot_is_unknown_is_passed_over(tmp_path: Path) -> None:
    pages, own = foot(content())
    (tmp_path / "x.parquet").write_bytes(
        with_foot(pages, own[:-1] + hostile_parquet.empty_structures(1000) + b"\0")
    )
    check_read(tmp_path / "x.parquet", FRAME)


@pytest.mark.parametrize(
    ("groups", "more"),
    [(30_000, b""), (1, hostile_parquet.empty_structures(9 << 20))],
    ids=["many groups", "large foot"],
)
def test_a_foot_that_no_table_needs_is_refused(tmp_path: Path, groups: int, more: bytes) -> None:
    path = hostile_parquet.write(tmp_path / "x.parquet", hostile_parquet.page(), groups=groups, more=more)
    with refusals.refused(DataError, "too-many-objects", where=path):
        parquet.Parquet().column_names(Source(path))


@pytest.mark.parametrize(
    ("pages", "groups"),
    [
        (hostile_parquet.page(2000), 20),
        (hostile_parquet.page((1 << 20) + 1), 1),
        (hostile_parquet.page() * 70_000, 1),
    ],
    ids=["shared by groups", "long", "many"],
)
def test_heads_of_pages_are_read_once_each_and_are_short_and_few(
    tmp_path: Path, pages: bytes, groups: int
) -> None:
    """All columns share them, which is once too often."""
    path = hostile_parquet.write(tmp_path / "x.parquet", pages, groups=groups)
    with path.open("rb") as file:
        chunks = [chunk for column in parquet_pages.read_foot(file).values() for chunk in column]
        with pytest.raises((ValueError, IndexError)):
            parquet_pages.unpacked_bytes(file, chunks, 1 << 60)


def test_lists_in_lists_count_for_each_and_only_where_they_are_wanted(tmp_path: Path) -> None:
    path = hostile_parquet.lists_in_lists(tmp_path / "x.parquet", 1_200_000)
    with refusals.refused(DataError, "unpacks-to-too-much", where=path):
        read_table(path, ["who", "more"])
    assert read_table(path, ["who", "x"]).frame.height == 1
