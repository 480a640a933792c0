"""TOML from anyone: what no one writes is refused before it is parsed, and what only looks so is read."""

from __future__ import annotations

import tomllib

import pytest
from goldens import figures

from synthrelease.files.toml_reading import MOST_TOML_BYTES, toml_tables

DOTS = ".".join("abcdefghijklmnopqrstu")
QUOTED = " . ".join(f"'{part}'" for part in "abcdefghijklmnopqrstu")


@pytest.mark.parametrize(
    "text",
    [
        f'a = "b, {DOTS}"',
        f"a = 'b, {DOTS}'",
        f'a = ["[{DOTS}]", "{{{DOTS}"]',
        f'a = "\\"{DOTS}"',
        f'a = """\n{DOTS}\n"""',
        f"a = '''\n[{DOTS}]\n'a\n'''",
        f'a = """b"""""  # {DOTS}',
        f'a = """\n"" "\n\\"""\n{DOTS} = 1"""',
        f"# [{DOTS}]\na = 1",
        f'a = "{QUOTED}"',
        ".".join("abcdefghijklmnop") + " = 1",
        f"a = [{', '.join(['1.5'] * 50)}]",
    ],
)
def test_dots_that_are_no_key_or_few_are_read(text: str) -> None:
    assert toml_tables(text) == tomllib.loads(text)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (f"{DOTS} = 1", 1),
        (f"{QUOTED} = 1", 1),
        (f"[{DOTS}]", 1),
        (f"[[ {DOTS} ]]", 1),
        (f"a = {{ {DOTS} = 1 }}", 1),
        (f"a = [{{ b = 1 }},\n {{ {DOTS} = 1 }}]", 2),
        (f'a = """b"""""\n{DOTS} = 1', 2),
        (f"a = '''\n\\'''\n{DOTS} = 1", 3),
        (f"a = 'b\\'\n{DOTS} = 1", 2),
        (f'a = "b#"\n"c".{DOTS} = 1', 2),
    ],
)
def test_a_key_of_many_parts_is_refused_wherever_it_stands(text: str, line: int) -> None:
    with pytest.raises(tomllib.TOMLDecodeError) as refusal:
        toml_tables(text)
    assert figures(str(refusal.value))[:2] == [16, line]


def test_a_plan_of_many_stimuli_is_read_and_no_longer_text() -> None:
    names = [f"picture_of_something_with_a_long_name_{number}.png" for number in range(5000)]
    assert toml_tables(f"stimuli = {names}")["stimuli"] == names
    with pytest.raises(tomllib.TOMLDecodeError):
        toml_tables("#" * (MOST_TOML_BYTES + 1))
    assert MOST_TOML_BYTES < 1 << 20
