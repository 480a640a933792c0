"""A malformed input: files that a plan builds from, and one thing in them that is damaged.

Every file has the private cells `PERSON` and `VALUE` in it, beside whatever is damaged: no message may repeat them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PERSON, VALUE = "Zacharias", 271.8281
SECRETS = (PERSON, PERSON.lower(), "271.8", "271,8", "8281")  # as a message could repeat them
PEOPLE, PICTURES, STEPS = ("Ada", PERSON, "Bo"), ("sea", "sky"), 4
SCREEN = {"width_px": 400, "height_px": 300}
GAZE: dict[str, Any] = {
    "kind": "gaze",
    "columns": {"person": "who", "stimulus": "picture", "x": "x", "y": "y", "time": "t"},
    "screen": SCREEN,
    "stimuli": list(PICTURES),
}
Write = Callable[[Path], object]
_PLAN = """
[release]
name = "r"
version = "1"
title = "t"
[privacy]
epsilon = 1.0
delta = 1e-3
[inputs.data]
{input}
[[outputs]]
name = "out"
input = "data"
{output}
"""
_OUTPUTS = {
    "gaze": {
        "kind": "heatmap",
        "mechanism": "gaussian",
        "width_px": 4,
        "height_px": 3,
        "max_samples_per_stimulus": 4,
        "blur_px": 50,
    },
    "features": {"kind": "statistics", "statistics": ["mean"]},
}


@dataclass(frozen=True)
class Family:
    """Files of one format that a plan builds from.

    Attributes:
        name: of the family.
        reader: the name of the reader that reads them.
        write: writes them into a folder.
        input: the plan's input.
        file: how messages call what damages are done to, unless a case says otherwise.
    """

    name: str
    reader: str
    write: Write
    input: Mapping[str, Any]
    file: str


@dataclass(frozen=True)
class Case:
    """One damage.

    Attributes:
        name: what is wrong, in words.
        family: of the files that are good without it.
        damage: does it, in the folder of the family's files.
        code: of the error.
        place: where the error says that it is, and what it names; parts apart by "; ". "" where that is the file alone.
        file: the name that the message has of the file or folder; the family's, unless it is another one.
        input: what the plan's input says otherwise.
        in_parts: the code where it is read in parts, if that is another.
    """

    name: str
    family: Family
    damage: Write
    code: str
    place: str = ""
    file: str = ""
    input: Mapping[str, Any] = field(default_factory=dict)
    in_parts: str = ""

    @property
    def title(self) -> str:
        """Return what tells it from all others."""
        return f"{self.family.name}: {self.name}"

    def write(self, folder: Path) -> Path:
        """Write plan and damaged files into a new folder, and return the plan's path."""
        plan = written(self.family, folder, self.input)
        self.damage(folder)
        return plan


def written(family: Family, folder: Path, more: Mapping[str, Any] | None = None) -> Path:
    """Write plan and good files into a new folder, and return the plan's path."""
    folder.mkdir()
    family.write(folder)
    keys = {key: value for key, value in {**family.input, **(more or {})}.items() if value is not None}
    plan = _PLAN.format(input=_lines(keys), output=_lines(_OUTPUTS[keys["kind"]]))
    (folder / "plan.toml").write_text(plan, "utf-8")
    return folder / "plan.toml"


def _lines(keys: Mapping[str, Any]) -> str:
    return "\n".join(f"{key} = {_toml(value)}" for key, value in keys.items())


def _toml(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{json.dumps(key)} = {_toml(own)}" for key, own in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value)


def rows() -> list[tuple[str, str, float, float, int]]:
    """Return person, picture, x, y and time of a small study; no one's x is another one's."""
    return [
        (person, picture, VALUE if person == PERSON else 40.5 + number, 100.25 + step, step)
        for number, person in enumerate(PEOPLE)
        for picture in PICTURES
        for step in range(STEPS)
    ]


# Damages that any file may suffer


def put(file: str, content: bytes | str) -> Write:
    """Other content in a file."""

    def damage(folder: Path) -> None:
        (folder / file).write_bytes(content.encode() if isinstance(content, str) else content)

    return damage


def bytewise(file: str, change: Callable[[bytes], bytes]) -> Write:
    """A file whose bytes are changed; they must not be what they were."""

    def damage(folder: Path) -> None:
        before = (folder / file).read_bytes()
        after = change(before)
        assert after != before
        (folder / file).write_bytes(after)

    return damage


def swapped(file: str, old: str, new: str | bytes, *, times: int = 1) -> Write:
    """A text in a file in place of another, the first time or some times that it is there."""
    other = new.encode() if isinstance(new, str) else new
    return bytewise(file, lambda content: content.replace(old.encode(), other, times))


def cut(file: str, share: float = 0.5) -> Write:
    """A file that ends before its end."""
    return bytewise(file, lambda content: content[: int(len(content) * share)])
