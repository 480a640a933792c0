"""Pictures that a user names: known by their content, counted before they are decoded, shrunk before they are converted."""

from __future__ import annotations

import os
import resource
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from forked import ended
from hostile_pictures import PICTURES, POSTSCRIPT, png, tiff
from PIL import Image
from refusals import refused

from synthrelease.data import picture
from synthrelease.data.label_image import read_label_image
from synthrelease.data.picture import opened_picture
from synthrelease.data.screen import Screen
from synthrelease.errors import DataError, InputError, MachineError, PlanError
from synthrelease.kinds.heatmap.map_reading import _image
from synthrelease.reports.photographs import read_picture

READERS: dict[str, Callable[[Path], object]] = {
    "stimulus": read_picture,
    "map": lambda path: _image(path, Screen(400, 300)),
    "labels": read_label_image,
}
REFUSALS: dict[str, tuple[type[InputError], str]] = {
    "stimulus": (DataError, "bad-stimulus-picture"),
    "map": (DataError, "bad-public-map"),
    "labels": (PlanError, "bad-label-image"),
}
MOST_BYTES = 800_000_000  # beyond what the process has; with libraries less than 1 GB


@pytest.mark.parametrize("name", ["sky.png", "sky.jpg", "sky.tif"])
@pytest.mark.parametrize("reader", READERS)
def test_postscript_is_run_by_no_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reader: str, name: str
) -> None:
    (tmp_path / "bin").mkdir()
    for program in ("gs", "gswin64c", "djpeg"):
        (tmp_path / "bin" / program).write_text(f"#!/bin/sh\ntouch '{tmp_path}/mark'\n")
        (tmp_path / "bin" / program).chmod(0o700)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=os.pathsep)
    (tmp_path / name).write_bytes(POSTSCRIPT)
    with refused(*REFUSALS[reader], where=tmp_path / name):
        READERS[reader](tmp_path / name)
    assert not (tmp_path / "mark").exists()


@pytest.mark.parametrize("kind", ["BMP", "GIF", "PPM", "WEBP", "ICO", "TGA"])
@pytest.mark.parametrize("reader", READERS)
def test_a_picture_of_another_kind_is_refused_whatever_its_name(
    tmp_path: Path, reader: str, kind: str
) -> None:
    Image.new("L", (400, 300), 3).save(tmp_path / "sky.png", kind)
    with refused(*REFUSALS[reader]):
        READERS[reader](tmp_path / "sky.png")


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "TIFF"])
@pytest.mark.parametrize("reader", ["stimulus", "map"])
def test_the_name_does_not_matter(tmp_path: Path, reader: str, kind: str) -> None:
    Image.new("L", (400, 300), 3).save(tmp_path / "sky.jpg", kind)
    READERS[reader](tmp_path / "sky.jpg")


@pytest.mark.parametrize("size", [(8001, 8000), (64_000_001, 1), (100_000, 100_000), (2**31 - 1, 2**31 - 1)])
def test_pixels_are_counted_before_any_is_read(tmp_path: Path, size: tuple[int, int]) -> None:
    path = png(tmp_path / "sky.png", *size, rows=0)
    for reader, read in READERS.items():
        with refused(*REFUSALS[reader], names=["64"]):
            read(path)


@pytest.mark.parametrize("size", [(8000, 8000), (64_000_000, 1)])
def test_not_too_large(tmp_path: Path, size: tuple[int, int]) -> None:
    with opened_picture(png(tmp_path / "sky.png", *size, rows=0)) as image:
        assert image.size == size


@pytest.mark.parametrize(
    ("size", "tile", "hidden"),
    [
        ((8, 8), (9200, 9200), False),
        ((8000, 8000), (8_000_000, 16), False),
        ((8, 8), (9200, 9200), True),
    ],
)
def test_the_tiles_of_a_tiff_are_counted_before_any_is_read(
    tmp_path: Path, size: tuple[int, int], tile: tuple[int, int], *, hidden: bool
) -> None:
    """A tile is decoded whole, and as often as it is named, however small the picture is."""
    path = tiff(tmp_path / "sky.tif", size, tile, hidden=hidden)
    for reader in ("stimulus", "map"):
        with refused(*REFUSALS[reader], names=[] if hidden else ["64"]):
            READERS[reader](path)


@pytest.mark.parametrize(
    ("size", "tile"), [((8, 8), (16, 16)), ((400, 300), (128, 64)), ((400, 300), (512, 512))]
)
def test_tiles_may_go_beyond_the_picture(
    tmp_path: Path, size: tuple[int, int], tile: tuple[int, int]
) -> None:
    assert read_picture(tiff(tmp_path / "sky.tif", size, tile)).shape == (*size[::-1], 3)


def test_what_may_not_be_read_is_the_machines_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(picture, "open_regular", forbidden)
    for read in READERS.values():
        with refused(MachineError, "cannot-read", where=tmp_path / "sky.png"):
            read(tmp_path / "sky.png")


@pytest.mark.parametrize("mode", ["1", "L", "P", "LA", "RGB", "RGBA", "CMYK", "I;16", "I", "F"])
def test_a_large_picture_is_shrunk_to_the_means_of_its_places(tmp_path: Path, mode: str) -> None:
    ramp = Image.fromarray(np.repeat(np.arange(250), 20)[None].repeat(40, axis=0).astype(np.uint8))
    if mode == "I;16":
        ramp = Image.fromarray(np.asarray(ramp).astype(np.uint16))
    kind = "TIFF" if mode in {"CMYK", "I", "F"} else "PNG"
    ramp.convert(mode).save(tmp_path / "sky.png", kind)
    with opened_picture(tmp_path / "sky.png", most_px=500) as image:
        assert image.size == (500, 4)
        if mode not in {"1", "P", "CMYK"}:
            shades = np.asarray(image.convert("F") if mode != "RGBA" else image.convert("L"))
            np.testing.assert_allclose(shades, np.repeat(np.arange(250), 2)[None].repeat(4, axis=0), atol=1)
    with opened_picture(tmp_path / "sky.png") as image:
        assert image.size == (5000, 40)


def test_a_stimulus_is_shrunk_and_labels_never(tmp_path: Path) -> None:
    png(tmp_path / "sky.png", 6000, 4500, rows=4500)
    assert read_picture(tmp_path / "sky.png").shape == (1500, 2000, 3)
    assert read_label_image(tmp_path / "sky.png").shape == (4500, 6000)


@pytest.mark.thorough
@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("kind", ["63 million of 16 bits", "a photograph", "transparent"])
def test_memory_is_bounded(tmp_path: Path, reader: str, kind: str) -> None:
    path = tmp_path / "sky.png"
    PICTURES[kind](path)

    def limited() -> None:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        most = pages * resource.getpagesize() + MOST_BYTES
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        try:
            READERS[reader](path)
        except InputError as error:
            print(error.code)

    code, printed = ended(limited)
    assert code == 0, printed
    assert printed.strip() in ("", REFUSALS[reader][1], "label-image-in-colour")
