"""What a user may be sent and name in a command: plans, policies, areas, keys, maps, data and ledgers that hang their reader, or fill memory.

Each is written into a folder with a sound study, `times` as large as it need be; `COMMANDS` are those that read it.
"""

from __future__ import annotations

import os
import resource
import sqlite3
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import h5py
import hostile_parquet
import numpy as np
import polars as pl
import public_maps
from hostile_pictures import tiff
from paid_study import write_paid_study
from spending import granted

from synthrelease.bundle.signing.key_pair import keygen
from synthrelease.ledgers import store

MOST_BYTES, MOST_SECONDS = 3 << 29, 60  # of address space, as a command may take; far more time than it needs
Write = Callable[[Path, int], object]
_MAPS, _AREAS, _PILE = (
    "maps/sea.npy",
    '[[outputs]]\nname = "areas"\nkind = "areas"\ninput = "gaze"\n',
    3 << 30,
)


@dataclass(frozen=True)
class Hostile:
    """A file.

    Attributes:
        name: what it is, in words.
        use: of `COMMANDS`.
        write: writes it into a sound study.
        code: of the error of each command.
    """

    name: str
    use: str
    write: Write
    code: str


# What reads a file, by what it is given as.
COMMANDS: Mapping[str, tuple[str, ...]] = {
    "plan": ("preview plan.toml", "build plan.toml -o r.h5 --dry-run"),
    "policy": (
        "preview plan.toml --policy other.toml",
        "build plan.toml -o r.h5 --dry-run --policy other.toml",
    ),
    "areas": ("preview plan.toml", "build plan.toml -o r.h5 --dry-run"),
    "public key": ("verify r.h5 --public-key KEY.pub",),
    "private key": ("sign r.h5 --key KEY",),
    "password": ("sign r.h5 --key KEY --password-file password", "keygen -o NEW --password-file password"),
    "bundle": ("verify r.h5", "show r.h5", "report r.h5 -o r.html", "export r.h5 --to csv -o out"),
    "maps": ("build plan.toml -o r.h5 --dry-run",),
    "data": ("init DATA --person who -o new.toml", "convert DATA -o new.csv"),
    "pattern": ("build plan.toml -o r.h5 --dry-run",),
    "ledger": (
        "ledger show ledger.sqlite",
        "ledger check ledger.sqlite",
        "ledger grant ledger.sqlite --dataset study --epsilon 3 --delta 1e-3",
        "preview plan.toml",
        "build plan.toml -o r.h5 --yes",
    ),
}


def study(folder: Path, use: str) -> None:
    """Write what the commands read beside a hostile file."""
    if use == "maps":
        public_maps.study(folder)
        return
    plan = write_paid_study(folder)
    granted(folder, delta=1e-3)
    if use == "areas":
        plan.write_text(plan.read_text() + _AREAS + 'areas = "other.toml"\n')
    if use == "password":
        keygen(folder / "KEY", password=None)
    if "key" in use or use == "password":
        (folder / "r.h5").touch()


def run(folder: Path, command: str, *, most_bytes: int = MOST_BYTES) -> subprocess.CompletedProcess[str]:
    """Run a command that may have so many bytes of address space; TimeoutExpired if it does not end."""
    (data,) = [path.name for path in folder.glob("data.*")] or [""]
    axes = ["--axes", "row"] if data.endswith((".h5", ".npz")) and "DATA" in command else []
    words = [data if word == "DATA" else word for word in command.split()] + axes
    return subprocess.run(
        [sys.executable, "-m", "synthrelease", *words, "--json"],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=MOST_SECONDS,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (most_bytes, most_bytes)),
        check=False,
    )


# Files that are none, and files without an end


def _in_place(name: str, make: Callable[[Path], object]) -> Write:
    def write(folder: Path, _times: int) -> None:
        (folder / name).unlink(missing_ok=True)
        make(folder / name)

    return write


def _endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


def _long(name: str) -> Write:
    """A file of nothing but a length."""

    def write(folder: Path, times: int) -> None:
        (folder / name).unlink(missing_ok=True)
        (folder / name).touch()
        os.truncate(folder / name, times * _PILE)

    return write


_NAMES = {
    "plan": "plan.toml",
    "policy": "other.toml",
    "areas": "other.toml",
    "public key": "KEY.pub",
    "private key": "KEY",
    "password": "password",
    "bundle": "r.h5",
    "maps": _MAPS,
    "ledger": "ledger.sqlite",
}
_TOO_LARGE = {"maps": "bad-public-map", "ledger": "not-a-ledger"}


def _nothing() -> Iterator[Hostile]:
    for use, name in _NAMES.items():
        code = "no-public-map" if use == "maps" else "not-a-regular-file"
        yield Hostile("a pipe", use, _in_place(name, os.mkfifo), code)
        yield Hostile("a device without an end", use, _in_place(name, _endless), code)
        if use != "bundle":  # of any size
            yield Hostile("gigabytes of zeros", use, _long(name), _TOO_LARGE.get(use, "file-too-large"))
    for name in ("data.csv", "data.h5", "data.npz", "data.parquet", "data.mat", "data.asc"):
        yield Hostile(f"a pipe called {name}", "data", _in_place(name, os.mkfifo), "not-a-regular-file")


# TOML


def _toml() -> Iterator[Hostile]:
    texts: dict[str, Callable[[int], str]] = {
        "a key of 100 000 parts": lambda times: "a" + ".a" * (100_000 * times) + " = 1\n",
        "a key of 50 000 quoted parts": lambda times: "a" + " . 'a'" * (50_000 * times) + " = 1\n",
        "a table of 100 000 parts": lambda times: "[a" + ".a" * (100_000 * times) + "]\n",
        "a number of 6000 digits": lambda times: "a = " + "1" * (6000 * times) + "\n",
        "100 000 lists in each other": lambda times: "a = " + "[" * (100_000 * times),
    }
    for use in ("plan", "policy", "areas"):
        for name, text in texts.items():
            nested = "lists" in name and use != "areas"
            yield Hostile(
                name, use, _text(_NAMES[use], text), "nested-too-deeply" if nested else "bad-syntax"
            )


def _text(name: str, text: Callable[[int], str]) -> Write:
    return lambda folder, times: (folder / name).write_text(text(times))


# Data


def _parquet(frame: Callable[[int], pl.DataFrame]) -> Write:
    return lambda folder, times: frame(times).write_parquet(folder / "data.parquet", statistics=False)


def _made(write: Callable[[Path, int], object]) -> Write:
    return lambda folder, times: write(folder / "data.parquet", times)


def _row(**columns: object) -> pl.DataFrame:
    return pl.DataFrame({"who": ["p"], "image": ["a"], "x": [1.0], "y": [1.0], **columns})


def _shared_text(folder: Path, times: int) -> None:
    frame = pl.LazyFrame({"n": pl.int_range(0, 1_000_000 * times, eager=True)})
    columns = {"who": pl.lit("p"), "image": pl.lit("a" * 10_000), "x": pl.lit(1.0), "y": pl.lit(1.0)}
    frame.with_columns(**columns).drop("n").sink_parquet(folder / "data.parquet")


def _deep_groups(folder: Path, times: int) -> None:
    with h5py.File(folder / "data.h5", "w") as file:
        group: h5py.Group = file
        for _ in range(1500 * times):
            group = group.create_group("x")


def _many_datasets(folder: Path, times: int) -> None:
    with h5py.File(folder / "data.h5", "w") as file:
        for number in range(40_000 * times):
            file.create_dataset(str(number), (), "i1")


def _long_texts(folder: Path, times: int) -> None:
    """Arrays whose cells are few, and long."""
    rows = 20 * times
    np.savez_compressed(folder / "data.npz", x=np.zeros(rows, "S20000000"), who=np.zeros(rows, "S1"))


def _array(shape: tuple[int, ...], *, size: int = 100) -> bytes:
    """The head of an array, and some bytes of it."""
    text = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode() + bytes(size)


def _map(content: Callable[[int], bytes]) -> Write:
    return lambda folder, times: (folder / _MAPS).write_bytes(content(times))


def _tiled(size: tuple[int, int], tile: tuple[int, int], *, hidden: bool = False) -> Write:
    def write(folder: Path, _times: int) -> None:
        (folder / _MAPS).unlink()
        tiff((folder / _MAPS).with_suffix(".tif"), size, tile, hidden=hidden)

    return write


def _pattern(pattern: Callable[[int], str], name: str, *, files: int = 4) -> Write:
    def write(folder: Path, times: int) -> None:
        (folder / "data").mkdir()
        for number in range(files * times):
            (folder / "data" / f"{name}{number}.csv").write_text("who,picture,x,y\n")
        plan = folder / "plan.toml"
        path = f'path = "data"\npattern = "{pattern(times)}"'
        plan.write_text(plan.read_text().replace('path = "gaze.csv"', path))

    return write


_DATA = (
    Hostile("half a gigabyte of one text", "data", _parquet(lambda times: _row(image=["x" * (500_000_000 * times)])), "unpacks-to-too-much"),
    Hostile("a list of 200 000 000", "data", _parquet(lambda times: _row(more=[np.zeros(200_000_000 * times, np.int8)])), "unpacks-to-too-much"),
    Hostile("a text that a million cells share", "data", _shared_text, "unpacks-to-too-much"),
    Hostile("a foot of 40 MB of nothing", "data", _made(lambda path, times: hostile_parquet.write(path, hostile_parquet.page(), groups=1, more=hostile_parquet.empty_structures(40_000_000 * times))), "too-many-objects"),
    Hostile("a foot of 8 MB of nothing", "data", _made(lambda path, _: hostile_parquet.write(path, hostile_parquet.page(), groups=1, more=hostile_parquet.empty_structures(8_000_000))), "bad-parquet"),
    Hostile("6000 groups of rows that share a head of 15 MB", "data", _made(lambda path, times: hostile_parquet.write(path, hostile_parquet.page(15_000_000), groups=6000 * times)), "bad-parquet"),
    Hostile("700 000 pages of nothing", "data", _made(lambda path, times: hostile_parquet.write(path, hostile_parquet.page() * (700_000 * times), groups=1)), "bad-parquet"),
    Hostile("lists in lists", "data", _made(lambda path, _: hostile_parquet.lists_in_lists(path, 10_000_000)), "unpacks-to-too-much"),
    Hostile("1500 groups in each other", "data", _deep_groups, "too-many-objects"),
    Hostile("40 000 datasets", "data", _many_datasets, "too-many-objects"),
    Hostile("texts of 20 MB in .npz", "data", _long_texts, "unpacks-to-too-much"),
    Hostile("a map of a terabyte", "maps", _map(lambda times: _array((times << 20, 1 << 17))), "bad-public-map"),
    Hostile("a map that is cut off", "maps", _map(lambda _: _array((60, 80))), "bad-public-map"),
    Hostile("a map whose head is cut off", "maps", _map(lambda _: _array((60, 80))[:50]), "bad-public-map"),
    Hostile("a map of negative lengths", "maps", _map(lambda _: _array((-60, -80), size=60 * 80 * 8)), "bad-public-map"),
    Hostile("a TIFF of 8 by 8 in a tile of 46 000", "maps", _tiled((8, 8), (46_000, 46_000)), "bad-public-map"),
    Hostile("a TIFF of a tile over and over", "maps", _tiled((8000, 6000), (8_000_000, 16)), "bad-public-map"),
    Hostile("a TIFF whose tile is hidden", "maps", _tiled((8, 8), (46_000, 46_000), hidden=True), "bad-public-map"),
    Hostile("a pattern of many stars", "pattern", _pattern(lambda _: "*a" * 15 + "b", "a" * 60), "no-file-fits"),
    Hostile("a pattern of many stars for many long names", "pattern", _pattern(lambda _: "*a" * 15 + "b", "a" * 240, files=600), "no-file-fits"),
    Hostile("a pattern of many columns", "pattern", _pattern(lambda _: "_".join(f"{{c{n}}}" for n in range(15)) + "b", "_" * 60 + "a"), "no-file-fits"),
    Hostile("a pattern of many folders", "pattern", _pattern(lambda _: "**/" * 15 + "a/b", "a"), "no-file-fits"),
    Hostile("a pattern of 100 parts", "pattern", _pattern(lambda times: "*a" * (50 * times), "a" * 60), "bad-pattern"),
)  # fmt: skip

# Ledgers


def _database(*statements: str) -> Write:
    """Another database that says it is a ledger."""

    def write(folder: Path, times: int) -> None:
        path = folder / "ledger.sqlite"
        path.unlink()
        with closing(sqlite3.connect(path)) as connection, connection:
            for statement in (*store._MARKS, *statements):
                connection.execute(statement.replace("COUNTING", _COUNTING).replace("TIMES", str(times)))

    return write


def _schema(*statements: str) -> Write:
    """A ledger whose list of tables was written by hand."""

    def write(folder: Path, times: int) -> None:
        with closing(sqlite3.connect(folder / "ledger.sqlite")) as connection, connection:
            connection.execute("PRAGMA writable_schema = ON")
            for statement in statements:
                connection.execute(statement.replace("COUNTING", _COUNTING).replace("TIMES", str(times)))

    return write


def _tree(folder: Path, times: int) -> None:
    """A ledger whose table is a tree in which each page has the next one hundreds of times: more rows than can be read."""
    path = folder / "ledger.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        (root,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'entries'").fetchone()
    raw = bytearray(path.read_bytes())
    size = int.from_bytes(raw[16:18], "big")
    leaf, levels, children = len(raw) // size + 1, 6 * times, 400
    raw += raw[(root - 1) * size : root * size]
    below = leaf
    for level in range(levels):
        page = bytearray(size)
        cells = b"".join(struct.pack(">IB", below, 1) for _ in range(children))
        start = size - len(cells)
        page[:12] = struct.pack(">BHHHBI", 5, 0, children, start, 0, below)
        page[12 : 12 + 2 * children] = b"".join(struct.pack(">H", start + 5 * n) for n in range(children))
        page[start:] = cells
        if level < levels - 1:
            below = len(raw) // size + 1
            raw += page
        else:
            raw[(root - 1) * size : root * size] = page
    raw[28:32] = (len(raw) // size).to_bytes(4, "big")
    raw[92:96] = raw[24:28]
    path.write_bytes(raw)


def _beside(ending: str, make: Callable[[Path], object]) -> Write:
    return lambda folder, _times: make(folder / f"ledger.sqlite{ending}")


_COUNTING = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
_AUTO = "CREATE TABLE others (number INTEGER PRIMARY KEY AUTOINCREMENT)"
_GENERATED = "TEXT GENERATED ALWAYS AS (hex(zeroblob(150000000 * TIMES)))"
_LEDGERS = (
    Hostile("a view that never ends", "ledger", _database(_AUTO, "CREATE VIEW entries (number, body, digest) AS COUNTING SELECT i, '', '' FROM n WHERE i < 0"), "ledger-tampered"),
    Hostile("a view without an end", "ledger", _database(_AUTO, "CREATE VIEW entries (number, body, digest) AS COUNTING SELECT i, hex(zeroblob(1000)), '' FROM n"), "ledger-tampered"),
    Hostile("generated columns of 300 MB", "ledger", _database(f"CREATE TABLE entries (number INTEGER PRIMARY KEY AUTOINCREMENT, body {_GENERATED}, digest {_GENERATED})", *["INSERT INTO entries DEFAULT VALUES"] * 4), "ledger-tampered"),
    Hostile("numbers that are a view", "ledger", _schema("DELETE FROM sqlite_master WHERE name = 'sqlite_sequence'", "INSERT INTO sqlite_master VALUES ('view', 'sqlite_sequence', 'sqlite_sequence', 0, 'CREATE VIEW sqlite_sequence (name, seq) AS COUNTING SELECT ''entries'', i FROM n')"), "ledger-tampered"),
    Hostile("a tree of one page over and over", "ledger", _tree, "ledger-tampered"),
    Hostile("100 000 views", "ledger", _schema("COUNTING INSERT INTO sqlite_master SELECT 'view', 'v' || i, 'v' || i, 0, 'CREATE VIEW v' || i || ' AS SELECT 1' FROM n LIMIT 100000 * TIMES"), "ledger-stored-otherwise"),
    Hostile("a log beside it", "ledger", _beside("-wal", lambda path: path.write_bytes(bytes(4096))), "not-a-ledger"),
    Hostile("a pipe as its journal", "ledger", _beside("-journal", os.mkfifo), "not-a-ledger"),
)  # fmt: skip

HOSTILE: dict[str, Hostile] = {
    f"{one.use}: {one.name}": one for one in (*_nothing(), *_toml(), *_DATA, *_LEDGERS)
}
