"""Parquet files are walked before the library reads them: what would make it panic, or end the process, is refused in words."""

from __future__ import annotations

import io
import random
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import polars as pl
import pytest
from refusals import check_refusal

from synthrelease.data.readers import parquet
from synthrelease.data.readers.parquet_tags import _Compact, check_tags
from synthrelease.data.source import Source
from synthrelease.data.tables import labels, numbers, read_table
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
def test_whole_files_pass(options: dict[str, Any]) -> None:
    check_tags(io.BytesIO(content(**options)))


@pytest.mark.parametrize("frame", [FRAME.clear(), pl.DataFrame(), FRAME.head(1)])
def test_small_files_pass(frame: pl.DataFrame) -> None:
    check_tags(io.BytesIO(content(frame)))


def test_what_another_writer_writes_passes(tmp_path: Path) -> None:
    import pyarrow.parquet as arrow

    for options in (
        {},
        {"data_page_version": "2.0"},
        {"use_dictionary": False},
        {"write_page_index": True, "write_page_checksum": True},
        {"row_group_size": 5, "data_page_size": 1},
    ):
        for frame in (FRAME, FRAME.clear()):
            arrow.write_table(frame.to_arrow(), tmp_path / "x.parquet", **options)
            with (tmp_path / "x.parquet").open("rb") as file:
                check_tags(file)


def refused(folder: Path, body: bytes) -> None:
    path = folder / "x.parquet"
    path.write_bytes(body)
    with path.open("rb") as file, pytest.raises(ValueError, match=r"\w"):
        check_tags(file)
    with pytest.raises(DataError) as caught:
        read_table(Source(path), ["who", "x"])
    check_refusal(caught.value, path, "bad-parquet", secrets=("canary", "7331"))


def beyond(pages: bytes, own: bytes) -> bytes:
    """The first column's pages begin at byte 4; now they begin behind the file."""
    assert b"\x26" + varint(4) in own
    return with_foot(pages, own.replace(b"\x26" + varint(4), b"\x26" + varint(1 << 20)))


def sized(own: bytes, more: int) -> bytes:
    """The first column is said to be longer in the file; of it stand there: values, size unpacked, size packed."""
    start = own.index(b"\x16" + varint(24) + b"\x16") + 3
    compact = _Compact(own[start:])
    compact._whole()
    at = start + compact.at + 1
    compact = _Compact(own[at:])
    return own[:at] + varint(compact._whole() + more) + own[at + compact.at :]


def longer(*_: bytes) -> bytes:
    """Longer than the file, all of whose heads are where they should be."""
    texts = pl.Series("t", [f"{number}" * 10_000 for number in range(24)])
    pages, own = foot(content(FRAME.select("x", texts), compression="uncompressed"))
    return with_foot(pages, sized(own, 1 << 24))


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


def elsewhere(*_: bytes) -> bytes:
    """The first field of the column is the name of another file."""
    pages, own = foot(ONE)
    return with_foot(pages, replaced(own, b"\x19\x1c\x26", b"\x19\x1c\x18\x01a\x16"))


def more_rows(pages: bytes, own: bytes) -> bytes:
    """The whole file's number of rows stands first, behind the list of columns."""
    at = own.index(b"\x16" + varint(24))
    return with_foot(pages, own[:at] + b"\x16" + varint(25) + own[at + 2 :])


def deep(pages: bytes, own: bytes) -> bytes:
    return with_foot(pages, b"\x1c" * 100_000 + own)


def endless(pages: bytes, own: bytes) -> bytes:
    """A list of more elements than there are bytes."""
    return with_foot(pages, b"\x19\xfc\xff\xff\xff\xff\x0f" + own)


def no_head(pages: bytes, own: bytes) -> bytes:
    return with_foot(pages[:4] + b"\0" + pages[5:], own)


def huge_page(*_: bytes) -> bytes:
    """The only page's head: kind, then its unpacked size; everything else fits."""
    pages, own = foot(ONE)
    size = varint(24 * 8 + 6)  # values, and which are there
    assert pages[4:].startswith(b"\x15\x00\x15" + size)
    more = varint(1 << 40)
    return with_foot(pages[:7] + more + pages[7 + len(size) :], sized(own, len(more) - len(size)))


@pytest.mark.parametrize(
    "change",
    [
        beyond,
        longer,
        fewer_in_pages,
        fewer_than_rows,
        no_codec,
        elsewhere,
        more_rows,
        deep,
        endless,
        no_head,
        huge_page,
    ],
)
def test_what_would_harm_the_library_is_refused(
    tmp_path: Path, change: Callable[[bytes, bytes], bytes]
) -> None:
    refused(tmp_path, change(*foot(content())))


@pytest.mark.parametrize("size", [0, 3, 8, 12, 100, -1, -8, -9])
def test_what_is_cut_off_is_refused(tmp_path: Path, size: int) -> None:
    refused(tmp_path, content()[:size])


def test_what_the_library_panics_at_is_one_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "x.parquet").write_bytes(content())

    def panic(*_: object, **__: object) -> NoReturn:
        raise pl.exceptions.PanicException("canary")

    for name in ("scan_parquet", "read_parquet_schema"):
        with monkeypatch.context() as patch:
            if name == "scan_parquet":
                patch.setattr(pl.LazyFrame, "collect", panic)
            else:
                patch.setattr(parquet.pl, name, panic)
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


def test_a_file_is_walked_once_until_it_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    walks = []
    monkeypatch.setattr(parquet, "check_tags", lambda file: walks.append(file) or 0)
    path = tmp_path / "x.parquet"
    path.write_bytes(content())
    read_table(Source(path), ["who"])
    read_table(Source(path), ["x"])
    assert len(walks) == 1
    path.write_bytes(content(FRAME.head(3)))
    read_table(Source(path), ["x"])
    assert len(walks) == 2
