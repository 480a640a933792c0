"""Photographs of stimuli to lay maps over: files of a folder that are called like a stimulus. They are no part of a bundle."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from synthrelease.data.picture import EXPECTED, PictureError, opened_picture
from synthrelease.errors import DataError
from synthrelease.files.labels import file_of_label

_ENDINGS = (".png", ".jpg", ".jpeg")
_MOST_PX = 2000  # each way: more than any figure shows
_LONGER_PX, _QUALITY = 800, 80  # in pages


@dataclass(frozen=True)
class Photographs:
    """The pictures of a folder; of no folder there are none."""

    folder: Path | None = None
    used: set[str] = field(default_factory=set)  # stimuli whose picture was asked for and is there

    def pixels(self, stimulus: str) -> NDArray[np.uint8] | None:
        """Return a stimulus as numbers from 0 to 255, shape (height, width, 3); None if the folder does not have it.

        Raises:
            DataError: the picture cannot be read.
        """
        path = self._path(stimulus)
        if path is None:
            return None
        pixels = read_picture(path)
        self.used.add(stimulus)
        return pixels

    def lacking(self, stimuli: Iterable[str]) -> list[str]:
        """Return the stimuli of which the folder has no picture; none of no folder."""
        if self.folder is None:
            return []
        return [stimulus for stimulus in dict.fromkeys(stimuli) if self._path(stimulus) is None]

    def _path(self, stimulus: str) -> Path | None:
        return None if self.folder is None else file_of_label(self.folder, stimulus, _ENDINGS)

    def refuse_unused(self) -> None:
        """Refuse a folder of which nothing was used.

        Raises:
            DataError: no picture is called like a stimulus that is shown.
        """
        if self.folder is not None and not self.used:
            raise DataError(
                "no-stimulus-picture",
                "no image in the folder has the name of a stimulus that is shown",
                where=str(self.folder),
                expected="files such as <stimulus>.png or <stimulus>.jpg, of stimuli of a heatmap or of areas",
                remedy="rename the images as the stimuli are called, or leave out --stimuli",
            )

    def grey_uri(self, stimulus: str) -> str:
        """Return a stimulus in shades of grey as an address that holds it, small enough for a page; "" if the folder does not have it.

        Raises:
            DataError: as above.
        """
        pixels = self.pixels(stimulus)
        if pixels is None:
            return ""
        from PIL import Image  # noqa: PLC0415  slow to import

        image = Image.fromarray(pixels).convert("L")
        image.thumbnail((_LONGER_PX, _LONGER_PX))
        file = io.BytesIO()
        image.save(file, "JPEG", quality=_QUALITY, optimize=True)
        return f"data:image/jpeg;base64,{base64.b64encode(file.getvalue()).decode('ascii')}"


def read_picture(path: Path) -> NDArray[np.uint8]:
    """Return a picture as numbers from 0 to 255, shape (height, width, 3), at most 2000 pixels each way.

    Raises:
        DataError: it cannot be read.
    """
    try:
        with opened_picture(path, most_px=_MOST_PX) as image:
            return np.asarray(image.convert("RGB"))
    except PictureError as error:
        raise DataError(
            "bad-stimulus-picture",
            "the image of a stimulus cannot be read",
            where=str(path),
            found=error.found,
            expected=EXPECTED,
            remedy=f"{error.remedy}, or leave it out",
        ) from None
