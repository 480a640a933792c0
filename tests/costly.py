"""Small files that unpack to gigabytes, or are wide without end: what reading them may cost is limited, and said.

Packed text is made of one packed piece, over and over: gzip's members may follow each other.
"""

from __future__ import annotations

import gzip
import io
import struct
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np
import polars as pl

MOST_MEMORY_BYTES, MOST_SECONDS = 3 << 29, 15.0  # a gibibyte and a half
_PIECE = 1 << 24
_HEADER = b"who,image,x,y\n"


def _packed(path: Path, first: bytes, piece: bytes, *, total: int, last: bytes = b"") -> None:
    """Write text that begins and ends like this, and is one piece again and again in between."""
    pieces = [gzip.compress(one, 9) for one in (first, piece * (_PIECE // len(piece)), last)]
    path.write_bytes(pieces[0] + pieces[1] * (total // _PIECE) + pieces[2])


def _text(
    first: bytes, piece: bytes, last: bytes = b"", *, total: int = 3 << 30
) -> tuple[str, Callable[[Path], None]]:
    return "gaze.csv.gz", lambda path: _packed(path, first, piece, total=total, last=last)


def _wide(columns: int, name: Callable[[int], str]) -> tuple[str, Callable[[Path], None]]:
    def write(path: Path) -> None:
        path.write_text("\n".join([",".join(map(name, range(columns))), ",".join("1" * columns)]) + "\n")

    return "gaze.csv", write


def _zeros_npz(path: Path) -> None:
    count = 1 << 30
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
        archive.open("x.npy", "w", force_zip64=True) as file,
    ):
        head = {"descr": "|i1", "fortran_order": False, "shape": (count,)}
        np.lib.format.write_array_header_1_0(file, head)
        for _ in range(count // _PIECE):
            file.write(bytes(_PIECE))


def _zeros_mat(path: Path) -> None:
    """One variable of half a gigabyte, packed."""
    count, pack, out = (1 << 29) - 4096, zlib.compressobj(1), io.BytesIO()

    def element(kind: int, data: bytes) -> bytes:
        return struct.pack("<II", kind, len(data)) + data + bytes(-len(data) % 8)

    about = element(6, struct.pack("<II", 9, 0)) + element(5, struct.pack("<ii", count, 1)) + element(1, b"x")
    out.write(
        pack.compress(struct.pack("<II", 14, len(about) + 8 + count) + about + struct.pack("<II", 2, count))
    )
    for start in range(0, count, _PIECE):
        out.write(pack.compress(bytes(min(_PIECE, count - start))))
    out.write(pack.flush())
    head = b"MATLAB 5.0 MAT-file".ljust(116) + bytes(8) + struct.pack("<HH", 0x0100, 0x4D49)
    path.write_bytes(head + struct.pack("<II", 15, len(out.getvalue())) + out.getvalue())


def _hole_h5(path: Path) -> None:
    with h5py.File(path, "w") as file:
        file.create_dataset("x", shape=(1 << 34,), dtype="f8", chunks=(1 << 20,), compression="gzip")


def _zeros_h5(path: Path) -> None:
    with h5py.File(path, "w") as file:
        made = file.create_dataset(
            "x", shape=(40, 1 << 20), dtype="f8", chunks=(1, 1 << 20), compression="gzip"
        )
        for row in range(40):
            made[row] = 0.0


def _constant_parquet(path: Path) -> None:
    rows = pl.LazyFrame({"n": pl.int_range(0, 20_000_000, eager=True)})
    rows.select(who=pl.lit("p"), image=pl.lit("a"), x=pl.lit(1.0), y=pl.col("n") * 0.0).sink_parquet(path)


_ROW = b"p1,a,1,2\n"
# Name of the file, and what writes it.
COSTLY: dict[str, tuple[str, Callable[[Path], None]]] = {
    "blank lines": _text(_HEADER + _ROW, b"\n"),
    "blank lines and no header": _text(b"\n", b"\n"),
    "blank lines above a header": _text(b"\n", b"\n", _HEADER + _ROW, total=1 << 30),
    "carriage returns": _text(_HEADER, b"\r"),
    "a long cell": _text(_HEADER + b"p1,a,", b"x", b",2\n"),
    "a quote that stays open": _text(_HEADER + b'p1,a,"', b"x"),
    "quotes": _text(_HEADER + b"p1,a,", b'"'),
    "separators": _text(_HEADER + b"p1", b","),
    "a long header": _text(b"who", b"x"),
    "rows": _text(_HEADER, _ROW),
    "30 000 columns of one name": _wide(30_000, lambda _: "a"),
    "30 000 columns": _wide(30_000, lambda n: f"c{n}"),
    "3 000 000 columns": _wide(3_000_000, lambda _: ""),
    "zeros in .npz": ("gaze.npz", _zeros_npz),
    "zeros in .mat": ("gaze.mat", _zeros_mat),
    "a hole in .h5": ("gaze.h5", _hole_h5),
    "zeros in .h5": ("gaze.h5", _zeros_h5),
    "a constant in .parquet": ("gaze.parquet", _constant_parquet),
}
AXES = {"zeros in .npz": "row", "a hole in .h5": "row", "zeros in .h5": "row,step"}  # of arrays
