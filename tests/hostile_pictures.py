"""Pictures made to do harm, and some that are only large: each is written under the name it is given."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
from PIL import Image

POSTSCRIPT = b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 400 300\n%%EndComments\nshowpage\n"
_HIGH = 4242  # of 24 million pixels, 4 by 3


def png(path: Path, width: int, height: int, *, rows: int, depth: int = 8) -> Path:
    """Write a PNG of the number 1 or 257 everywhere, of which only so many rows are there; packed they are a thousandth."""
    row = b"\0" + b"\1" * (width * depth // 8)
    packer = zlib.compressobj(9)
    body = b"".join([*(packer.compress(row) for _ in range(rows)), packer.flush()])
    head = struct.pack(">IIBBBBB", width, height, depth, 0, 0, 0, 0)
    with path.open("wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n")
        for chunk in (b"IHDR" + head, b"IDAT" + body, b"IEND"):
            file.write(struct.pack(">I", len(chunk) - 4) + chunk + struct.pack(">I", zlib.crc32(chunk)))
    return path


def tiff(path: Path, picture: tuple[int, int], tile: tuple[int, int], *, hidden: bool = False) -> Path:
    """Write a TIFF of the number 0 everywhere, in tiles that are all at one place; hidden if Pillow does not know the type of their sides."""
    packer = zlib.compressobj(9)
    rows = [packer.compress(bytes(tile[0])) for _ in range(tile[1])]
    body = b"".join([*rows, packer.flush()])
    count = -(-picture[0] // tile[0]) * -(-picture[1] // tile[1])
    side = "q" if hidden else "I"
    tags: dict[int, tuple[str, list[int]]] = {
        **{256 + number: ("I", [length]) for number, length in enumerate(picture)},
        **{name: ("I", [value]) for name, value in {258: 8, 259: 8, 262: 1, 277: 1}.items()},
        **{322 + number: (side, [length]) for number, length in enumerate(tile)},
        273 if hidden else 324: ("I", [-1] * count),
        279 if hidden else 325: ("I", [len(body)] * count),
    }
    first = 8 + 2 + 12 * len(tags) + 4
    place = first + sum(struct.calcsize(f"{len(values)}{kind}") for kind, values in tags.values())
    entries, more = b"", b""
    for name, (kind, values) in sorted(tags.items()):
        packed = struct.pack(f"<{len(values)}{kind}", *(place if value < 0 else value for value in values))
        inline = packed if len(packed) == 4 else struct.pack("<I", first + len(more))
        more += packed if len(packed) > 4 else b""
        entries += struct.pack("<HHI", name, {"I": 4, "q": 17}[kind], len(values)) + inline
    head = b"II*\0" + struct.pack("<IH", 8, len(tags)) + entries + bytes(4) + more
    path.write_bytes(head.ljust(place, b"\0") + body)
    return path


def photograph(mode: str = "RGB") -> Image.Image:
    """Return 24 million pixels in soft colours, in which there is something everywhere."""
    noise = np.random.default_rng(0).integers(0, 255, (90, 120, 3)).astype(np.uint8)
    return Image.fromarray(noise).resize((_HIGH * 4 // 3, _HIGH), Image.Resampling.BICUBIC).convert(mode)


PICTURES: dict[str, Callable[[Path], object]] = {
    "PostScript": lambda path: path.write_bytes(POSTSCRIPT),
    "PDF": lambda path: path.write_bytes(b"%PDF-1.4\n" + POSTSCRIPT),
    "177 million pixels": lambda path: png(path, 15360, 11520, rows=11520),
    "63 million pixels": lambda path: png(path, 9200, 6900, rows=6900),
    "63 million of 16 bits": lambda path: png(path, 9200, 6900, rows=6900, depth=16),
    "a header alone": lambda path: png(path, 2**31 - 1, 2**31 - 1, rows=0),
    "a photograph": lambda path: photograph().save(path, "JPEG"),
    "progressive": lambda path: photograph().save(path, "JPEG", progressive=True),
    "grey": lambda path: photograph("L").save(path, "PNG", compress_level=1),
    "transparent": lambda path: photograph("RGBA").save(path, "PNG", compress_level=1),
    "a TIFF": lambda path: photograph().save(path, "TIFF"),
}
