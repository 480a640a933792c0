"""Label images: PNG files that hold a whole number for each pixel."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synthrelease.errors import MachineError, PlanError
from synthrelease.extras import require

_EXPECTED = "a PNG with one whole number per pixel: grey levels of 8 or 16 bits, or a palette"
_ONE_NUMBER = ("1", "L", "P", "I", "I;16", "I;16B", "I;16L")  # Pillow's modes of one integer per pixel


def read_label_image(path: Path) -> NDArray[np.integer]:
    """Return the values of an image's pixels, shape (rows, columns).

    Raises:
        PlanError: there is no such file, or it is no label image.
        MachineError: it may not be read.
    """
    mode, pixels = _read(path)
    if mode not in _ONE_NUMBER or pixels.ndim != 2:
        raise PlanError(
            "label-image-in-colour",
            "the label image has colours, not labels",
            where=str(path),
            found=f"mode {mode}",
            expected=_EXPECTED,
            remedy="save it as a greyscale or palette image whose values are the labels",
        )
    labels: NDArray[np.integer] = pixels.astype(np.uint8) if pixels.dtype == np.bool_ else pixels
    return labels


def _read(path: Path) -> tuple[str, NDArray[Any]]:
    """Pillow's mode of an image, and its pixels."""
    require("PIL")
    from PIL import Image, UnidentifiedImageError  # noqa: PLC0415  slow to import, and an extra

    where = str(path)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)  # labels of a large screen
            with path.open("rb") as file, Image.open(file, formats=["PNG"]) as image:
                return image.mode, np.array(image)
    except PermissionError:
        raise MachineError(
            "cannot-read", "the label image may not be read", where=where, remedy="check permissions"
        ) from None
    except FileNotFoundError:
        code, problem = "no-such-file", "there is no such label image"
        remedy = "correct label_image: its path is relative to the plan"
    except UnidentifiedImageError:
        code, problem = "label-image-not-png", "the label image is not a PNG file"
        remedy = "save it as PNG, which keeps labels exactly"
    except Image.DecompressionBombError:
        code, problem = "label-image-too-large", "the label image is too large"
        remedy = "make it smaller: it is stretched over the screen"
    except (OSError, ValueError, SyntaxError, EOFError):  # for damaged files, and paths that no file can have
        where = repr(where)[1:-1]
        code, problem, remedy = "bad-label-image", "the label image cannot be read", "save it again"
    raise PlanError(code, problem, where=where, expected=_EXPECTED, remedy=remedy)
