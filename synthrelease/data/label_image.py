"""Label images: PNG files that hold a whole number for each pixel."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from synthrelease.data.picture import PictureError, opened_picture
from synthrelease.errors import PlanError

_EXPECTED = "a PNG with one whole number per pixel: grey levels of 8 or 16 bits, or a palette"
_ONE_NUMBER = ("1", "L", "P", "I", "I;16", "I;16B", "I;16L")  # Pillow's modes of one integer per pixel


def read_label_image(path: Path) -> NDArray[np.integer]:
    """Return the values of an image's pixels, shape (rows, columns).

    Raises:
        PlanError: it cannot be read, or is no label image.
        MachineError: it may not be read, or Pillow is not installed.
    """
    try:
        with opened_picture(path, kinds=("PNG",)) as image:
            mode, pixels = image.mode, np.array(image)
    except PictureError as error:
        raise PlanError(
            "bad-label-image",
            "the label image cannot be read",
            where=str(path),
            found=error.found,
            expected=_EXPECTED,
            remedy=error.remedy,
        ) from None
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
