"""A plan that declares something public by its path, next to a private input; and ways in which such a path leads to private data."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import public_maps

PRIVATE_PEOPLE = 25
PRIVATE = """
[inputs.private]
kind = "features"
path = "private.csv"
columns = { person = "who" }
bounds = { x = [0, 80] }
"""
SECOND = """
[[outputs]]
name = "summary"
kind = "statistics"
input = "private"
statistics = ["mean"]
"""
DECLARING = {  # by option: an output that has it
    "maps": 'kind = "heatmap"\nblur_px = 6\nprior = "maps"\nmaps = "{}"\n',
    "maps-of-scanpaths": 'kind = "scanpaths"\nviewing_time_s = 2\nprior = "maps"\nmaps = "{}"\n',
    "areas": 'kind = "areas"\nareas = "{}"\n',
    "label_image": 'kind = "areas"\nareas = {{ a = {{ label = 1 }} }}\nlabel_image = "{}"\n',
    "areas-of-fixations": 'kind = "statistics"\nstatistics = ["mean"]\nbounds = {{ fixation_count = [0, 9] }}\nareas = "{}"\n',
}


def write_study(folder: Path) -> None:
    """Write gaze of the first input, and that of other people, which is private, too."""
    (folder / "gaze.csv").write_text(public_maps.gaze())
    (folder / "private.csv").write_text(public_maps.gaze(PRIVATE_PEOPLE, prefix="q", seed=1))


def gaze_plan(output: str, *, second: str = SECOND, private: str = PRIVATE) -> str:
    """Return a plan of one output of gaze, called first, and of other people's data in a second input."""
    text = public_maps.plan("").partition("[[outputs]]")[0].replace('y = "y"', 'y = "y", duration = "y"')
    return f'{text}{private}\n[[outputs]]\nname = "first"\ninput = "gaze"\n{output}{second}'


def _itself(_folder: Path) -> str:
    return "private.csv"


def _spelt_otherwise(folder: Path) -> str:
    (folder / "more").mkdir()
    return "more/../private.csv"


def _absolute(folder: Path) -> str:
    return str(folder / "private.csv")


def _link(folder: Path) -> str:
    (folder / "public").symlink_to("private.csv")
    return "public"


def _link_to_a_link(folder: Path) -> str:
    (folder / "more").mkdir()
    (folder / "more" / "link").symlink_to(folder / "private.csv")
    (folder / "public").symlink_to("more/link")
    return "public"


def _linked_folder(folder: Path) -> str:
    (folder / "more").symlink_to(folder)
    return "more/private.csv"


def _hard_link(folder: Path) -> str:
    os.link(folder / "private.csv", folder / "public")
    return "public"


def _copy(folder: Path) -> str:
    shutil.copy(folder / "private.csv", folder / "public")
    return "public"


WAYS: dict[str, Callable[[Path], str]] = {
    "itself": _itself,
    "spelt otherwise": _spelt_otherwise,
    "absolute": _absolute,
    "link": _link,
    "link to a link": _link_to_a_link,
    "linked folder": _linked_folder,
    "hard link": _hard_link,
    "copy": _copy,
}
