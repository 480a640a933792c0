"""Label images: PNG files that hold a whole number for each pixel."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from synthrelease.errors import MachineError, PlanError

_EXPECTED = "a PNG with one whole number per pixel: grey levels of 8 or 16 bits, or a palette"
_ONE_NUMBER = ("1", "L", "P", "I", "I;16", "I;16B", "I;16L")  # Pillow's modes of one integer per pixel


def read_label_image(path: Path) -> NDArray[np.integer]:
    """Return the values of an image's pixels, shape (rows, columns).

    Raises:
        PlanError: there is no such file, or it is no label image.
        MachineError: it may not be read.
    """
    from PIL import Image, UnidentifiedImageError  # noqa: PLC0415  slow to import

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)  # labels of a large screen
            with path.open("rb") as file, Image.open(file, formats=["PNG"]) as image:
                mode = image.mode
                pixels = np.array(image)
    except PermissionError:
        raise MachineError(
            "cannot-read", "the label image may not be read", where=str(path), remedy="check permissions"
        ) from None
    except FileNotFoundError:
        raise PlanError(
            "no-such-file",
            "there is no such label image",
            where=str(path),
            expected=_EXPECTED,
            remedy="correct label_image: its path is relative to the plan",
        ) from None
    except UnidentifiedImageError:
        raise PlanError(
            "label-image-not-png",
            "the label image is no PNG",
            where=str(path),
            expected=_EXPECTED,
            remedy="save it as PNG, which keeps labels exactly",
        ) from None
    except Image.DecompressionBombError:
        raise PlanError(
            "label-image-too-large",
            "the label image is too large",
            where=str(path),
            expected=_EXPECTED,
            remedy="make it smaller: it is stretched over the screen",
        ) from None
    except (OSError, ValueError, SyntaxError, EOFError):  # what Pillow raises for damaged files
        raise PlanError(
            "bad-label-image",
            "the label image cannot be read",
            where=repr(str(path))[1:-1],
            expected=_EXPECTED,
            remedy="save it anew",
        ) from None
    if mode not in _ONE_NUMBER or pixels.ndim != 2:
        raise PlanError(
            "label-image-in-colour",
            "the label image has colours, and no labels",
            where=str(path),
            found=f"mode {mode}",
            expected=_EXPECTED,
            remedy="save it as a greyscale or palette image whose values are the labels",
        )
    labels: NDArray[np.integer] = pixels.astype(np.uint8) if pixels.dtype == np.bool_ else pixels
    return labels
