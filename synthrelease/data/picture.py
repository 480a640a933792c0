"""Pictures that a user names: PNG, JPEG and TIFF by what is in them, not by their name.

Pillow knows many more kinds, and has Ghostscript run what is PostScript. And a file of a few kilobytes may say that it has a
billion pixels: they are counted before any is read.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from synthrelease.errors import MachineError
from synthrelease.extras import require
from synthrelease.files.reading import NotRegularError, open_regular

if TYPE_CHECKING:
    from PIL.Image import Image

_KINDS = ("PNG", "JPEG", "TIFF")
_MILLIONS = 64  # of pixels: a screen or a usual camera has fewer; decoded, they are 256 MB
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
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)  # of more than we read
            image: Image.Image = Image.open(file, formats=kinds)
            if image.width * image.height > _MILLIONS * 1_000_000:
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
