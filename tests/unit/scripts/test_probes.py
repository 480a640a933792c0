"""That `scripts/mutate` knows which tests run the statement that a fault changes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).resolve().parents[3] / "scripts"
SOURCE = '''"""Halves."""
START = 1


def half(
    number=START,
):
    """Half of it."""
    if number < 0:
        raise ValueError
    elif number == 0:
        return 0
    for part in range(number):
        try:
            number -= 1 + len(str(
                part))
        except ValueError:
            number = 0
    return number / 2
'''
TESTS = """
import subprocess, sys
import pytest
from halves import half

@pytest.mark.parametrize("number", [0, 2])
def test_half(number):
    half(number)

def test_in_a_child():
    subprocess.run([sys.executable, "-c", "import halves; halves.half(0)"], check=True)

def test_nothing():
    pass
"""


@pytest.fixture
def probes(monkeypatch):
    monkeypatch.syspath_prepend(str(SCRIPTS))
    from testing import probes

    return probes


@pytest.mark.parametrize(
    ("line", "statement"),
    [
        (5, "if number < 0:"),  # a function's head
        (6, "if number < 0:"),
        (9, "if number < 0:"),
        (10, "raise ValueError"),
        (11, "if number == 0:"),
        (12, "return 0"),
        (13, "for part in range(number):"),
        (16, "number -= 1 + len(str(part))"),
        (17, "try:"),
        (18, "number = 0"),
        (19, "return number / 2"),
    ],
)
def test_a_probe_stands_before_the_innermost_statement(probes, line, statement):
    planted = probes.with_probes(SOURCE, {"here": line})
    after = planted.partition("except ImportError:")[2].splitlines()[2:]
    assert after[0].strip() == statement


def test_several_probes_in_one_file(probes):
    planted = probes.with_probes(SOURCE, {"one": 19, "other": 12, "third": 19})
    assert [planted.count(f"note('{name}')") for name in ("one", "other", "third")] == [1, 1, 1]


@pytest.mark.thorough
def test_the_tests_that_come_by_are_noted_and_run_in_order(probes, tmp_path):
    (tmp_path / "halves.py").write_text(probes.with_probes(SOURCE, {"zero": 12, "two": 19, "import": 2}))
    (tmp_path / "test_halves.py").write_text(TESTS)
    notes = tmp_path / "notes"
    notes.mkdir()

    def run(**added):
        paths = os.pathsep.join([str(tmp_path), str(SCRIPTS)])
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-n",
            "2",
            "-p",
            "testing.probes",
            "-p",
            "no:cacheprovider",
            "-v",
        ]
        return subprocess.run(
            [*command, "--rootdir", str(tmp_path), "test_halves.py"],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": paths} | added,
            capture_output=True,
            text=True,
            check=True,
        ).stdout

    run(**{probes.NOTES: str(notes)})
    found = probes.tests_by_probe(notes)
    assert {name: sorted(tests) for name, tests in found.items()} == {
        "zero": ["test_halves.py::test_half[0]", "test_halves.py::test_in_a_child"],
        "two": ["test_halves.py::test_half[2]"],
        "import": ["test_halves.py::test_in_a_child"],  # of the tests' own processes it ran before any test
    }
    assert found["zero"][-1].endswith("test_in_a_child")  # the slowest
    (tmp_path / "order.json").write_text(json.dumps(found["zero"]))
    assert "2 passed" in run(**{probes.ORDER: str(tmp_path / "order.json")})
