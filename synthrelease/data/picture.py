"""Pictures that a user names: PNG, JPEG and TIFF by what is in them, not by their name.

Pillow knows many more kinds, and has Ghostscript run what is PostScript. And a file of a few kilobytes may say that it has a
billion pixels: they are counted before any is read.
"""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Literal

from synthrelease.errors import MachineError
from synthrelease.extras import require
from synthrelease.files.reading import NotRegularError, open_regular

if TYPE_CHECKING:
    from PIL.Image import Image

_KINDS = ("PNG", "JPEG", "TIFF")
_MILLIONS = 64  # of pixels: a screen or a usual camera has fewer; decoded, they are 256 MB
_PADDED = 1_250_000  # of the tiles of a TIFF, that go beyond its right and lower edges, for every million
_TILE_WIDTH, _TILE_HEIGHT = 322, 323  # tags of a TIFF
EXPECTED = f"a PNG, JPEG or TIFF file of at most {_MILLIONS} million pixels"


class PictureError(Exception):
    """A picture cannot be used: what was found, and what to do."""

    def __init__(self, found: str, remedy: str) -> None:
        super().__init__(found)
        self.found, self.remedy = found, remedy


@contextmanager
def opened_picture(
    path: Path, kinds: tuple[str, ...] = _KINDS, most_px: int | None = None
) -> Iterator[Image]:
    """Open a picture.

    Args:
        path: the file.
        kinds: those that are read, of PNG, JPEG and TIFF.
        most_px: a larger picture is shrunk to so many pixels each way, each of them the mean of those in its place; None keeps all.

    Raises:
        PictureError: it is none of these, too large, or damaged, which may be seen only when its pixels are read.
        MachineError: it may not be read, or Pillow is not installed.
    """
    require("PIL")
    from PIL import Image, UnidentifiedImageError  # noqa: PLC0415  slow to import, and an extra

    too_large = PictureError(f"more than {_MILLIONS} million pixels", "make it smaller")
    try:
        with os.fdopen(open_regular(path), "rb") as file, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of more than we read, and of tags that no one needs
            image: Image.Image = Image.open(file, formats=kinds)
            if (
                image.width * image.height > _MILLIONS * 1_000_000
                or _tiles_px(image, file) > _MILLIONS * _PADDED
            ):
                raise too_large
            if most_px is not None and max(image.size) > most_px:
                if image.mode.startswith("I;16"):
                    image = image.convert("I")
                image.thumbnail((most_px, most_px), Image.Resampling.BOX)
            yield image
    except PermissionError:
        raise MachineError(
            "cannot-read", "the picture may not be read", where=str(path), remedy="check its permissions"
        ) from None
    except FileNotFoundError:
        raise PictureError("no file", "correct the path") from None
    except (NotRegularError, IsADirectoryError):
        raise PictureError("a folder, a pipe or a device", "name a picture") from None
    except UnidentifiedImageError:
        raise PictureError("a file of another kind, whatever its name", f"save it as {kinds[0]}") from None
    except Image.DecompressionBombError:
        raise too_large from None
    except (OSError, ValueError, SyntaxError, EOFError):
        raise PictureError("a damaged file", "save it again") from None


def _tiles_px(image: Image, file: BinaryIO) -> int:
    """The pixels of a TIFF's tiles, which are decoded whole and may be far larger than it is; 0 if it has none.

    The directory is read here, too: Pillow leaves out tags of types that it does not know, and the library that decodes takes them.
    """
    tags = getattr(image, "tag_v2", None)
    if tags is None:
        return 0
    file.seek(0)
    head = file.read(4)
    order: Literal["little", "big"] = "little" if head.startswith(b"II") else "big"
    count_bytes, entry_bytes = (8, 20) if 43 in head else (2, 12)  # 43: of files beyond 4 GB
    file.seek(tags.offset)
    count = int.from_bytes(file.read(count_bytes), order)
    directory = file.read(entry_bytes * min(count, 1 << 16))
    names = {int.from_bytes(directory[at : at + 2], order) for at in range(0, len(directory), entry_bytes)}
    if names.isdisjoint((_TILE_WIDTH, _TILE_HEIGHT)):
        return 0
    sides = [tags.get(name) for name in (_TILE_WIDTH, _TILE_HEIGHT)]
    if not all(isinstance(side, int) and side > 0 for side in sides):
        raise ValueError
    return math.prod(-(-length // side) * side for length, side in zip(image.size, sides, strict=True))
