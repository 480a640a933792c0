"""The file of a folder that is called as a label."""

from __future__ import annotations

import pytest

from synthrelease.files.labels import file_of_label

ENDINGS = (".npy", ".png", ".jpg")


@pytest.mark.parametrize(
    ("label", "file"),
    {
        "ending": ("1001", "1001.png"),
        "itself": ("1001.jpg", "1001.jpg"),
        "itself, in capitals": ("1001.JPG", "1001.JPG"),
        "other ending": ("1001.jpg", "1001.npy"),
        "ending of something else": ("clip.mp4", "clip.png"),
        "ending after an ending": ("1001.jpg", "1001.jpg.png"),
        "quoted": ("a/b", "a%2Fb.png"),
        "dots": ("..", "%2E%2E.png"),
    }.values(),
)
def test_a_file_is_called_as_a_label(tmp_path, label, file):
    assert file_of_label(tmp_path, label, ENDINGS) is None
    (tmp_path / file).touch()
    assert file_of_label(tmp_path, label, ENDINGS) == tmp_path / file


def test_the_preferred_ending_is_taken(tmp_path):
    for name in ("1001.jpg", "1001.png"):
        (tmp_path / name).touch()
    assert file_of_label(tmp_path, "1001", ENDINGS) == tmp_path / "1001.png"
    assert file_of_label(tmp_path, "1001.jpg", ENDINGS) == tmp_path / "1001.jpg"


@pytest.mark.parametrize("label", ["x" * 300, "👁" * 100, "../outside", "v1.0", "a\0b", ".", "/"])
def test_a_label_that_is_no_name_has_no_file(tmp_path, label):
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "folder.png").mkdir()
    for name in ("outside.png", "inside/v1.png"):
        (tmp_path / name).touch()
    assert file_of_label(inside, label, ENDINGS) is None
    assert file_of_label(inside, "folder", ENDINGS) is None
