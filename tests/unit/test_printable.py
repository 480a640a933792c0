"""What comes from outside cannot steer a terminal, begin a line of its own, or hide in a name."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st
from paid_study import grant, write_paid_study

import synthrelease
from synthrelease.cli import main
from synthrelease.errors import PlanError
from synthrelease.number_words import several
from synthrelease.printable import printable, printable_lines

STEERING = [
    "\n",
    "\r",
    "\x1b[2J",
    "\x07",
    "\x85",
    "\u2028",
    "\u2029",
    "\u202e",
    "\u2066",
    "\x00",
    "\x7f",
    "\ud800",
]
UNSEEN = [
    "\u3164",
    "\u2800",
    "\u034f",
    "\ufe0f",
    "\u115f",
    "\uffa0",
    "\u200b",
    "\u00ad",
    "\u180e",
    "\U000e0041",
    "\u00a0",
]


@pytest.mark.parametrize("character", STEERING + UNSEEN, ids=ascii)
def test_what_steers_or_is_not_seen_stands_as_its_number(character: str) -> None:
    shown = printable(f"a{character}b")
    assert shown.isprintable()
    assert character not in shown
    assert f"\\u{ord(character[0]):04x}" in shown


@pytest.mark.parametrize("text", ["pupil_mm", "Ω ≤ 5 %", "Zürich", "視線", "نظر", "👁", "a b", "e\u0301"])
def test_what_people_write_stays(text: str) -> None:
    assert printable(text) == printable_lines(text) == text


@given(st.text())
def test_any_text_is_one_line_of_what_can_be_seen(text: str) -> None:
    shown = printable(text)
    assert shown.isprintable()
    assert len(shown.splitlines()) <= 1
    assert printable(shown) == shown
    assert not {unicodedata.category(one) for one in shown} & {"Cc", "Cf", "Cs", "Zl", "Zp"}
    assert printable_lines(text).count("\n") == text.count("\n")


def test_no_part_of_an_error_begins_a_line_of_its_own() -> None:
    forged = "x\nSigned     by someone"
    error = PlanError("code", forged, where=forged, found=forged, expected=forged, remedy=forged)
    assert [line[:2] for line in str(error).splitlines()] == ["x\\", "  ", "  "]
    assert error.to_json()["where"] == forged  # programs have it as it is


FORGED = "Signed     by everyone"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with plan, data and bundle in which every name would begin a line."""
    folder = tmp_path_factory.mktemp("odd") / f"x\n{FORGED}"
    folder.mkdir()
    plan = write_paid_study(folder)
    grant(folder)
    synthrelease.build(plan, folder / "r.h5")
    (folder / f"data\n{FORGED}.csv").write_bytes((folder / "gaze.csv").read_bytes())
    (folder / f"data\n{FORGED}.h5").write_bytes((folder / "r.h5").read_bytes())
    return folder


COMMANDS = {
    "verify": ["verify", "BUNDLE"],
    "show": ["show", "BUNDLE"],
    "report": ["report", "BUNDLE", "-o", "FOLDER/r.html"],
    "diff": ["diff", "BUNDLE", "FOLDER/r.h5"],
    "export": ["export", "BUNDLE", "--to", "csv", "-o", "FOLDER/csv"],
    "init": ["init", "DATA", "--person", "who", "-o", "FOLDER/new.toml"],
    "init of nothing": ["init", "FOLDER/none.csv"],
    "preview": ["preview", "FOLDER/plan.toml"],
    "dry run": ["build", "FOLDER/plan.toml", "--dry-run", "-o", "FOLDER/s.h5"],
    "build": ["build", "FOLDER/plan.toml", "--yes", "-o", "FOLDER/t.h5"],
    "build over another": ["build", "FOLDER/plan.toml", "--yes", "-o", "FOLDER/r.h5"],
    "batch": ["batch", "FOLDER/plan.toml", "--yes", "-o", "FOLDER/many", "--jobs", "1"],
    "batch again": ["batch", "FOLDER/plan.toml", "--yes", "-o", "FOLDER/many", "--jobs", "1"],
    "ledger show": ["ledger", "show", "FOLDER/ledger.sqlite"],
    "ledger check": ["ledger", "check", "FOLDER/ledger.sqlite", "BUNDLE"],
    "verify of a table": ["verify", "DATA"],
    "keygen": ["keygen", "-o", "FOLDER/key", "--no-password"],
    "sign": ["sign", "FOLDER/r.h5", "--key", "FOLDER/key"],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_no_name_of_a_file_writes_a_line_of_its_own(place: Path, command: str) -> None:
    names = {
        "BUNDLE": str(place / f"data\n{FORGED}.h5"),
        "DATA": str(place / f"data\n{FORGED}.csv"),
    }
    words = [names.get(word, word.replace("FOLDER", str(place))) for word in COMMANDS[command]]
    done: Result = CliRunner().invoke(main, words)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    lines = (done.stdout + done.stderr).splitlines()
    assert not [line for line in lines if line.lstrip().startswith(FORGED)], lines


def test_a_title_has_a_label(place: Path) -> None:
    """Else it could be anything that a command says."""
    done = CliRunner().invoke(main, ["show", str(place / "r.h5")])
    title = synthrelease.open_bundle(place / "r.h5").manifest["release"]["title"]
    (line,) = (line for line in done.stdout.splitlines() if line.endswith(title))
    assert len(line) > len(title)


def test_numbers_keep_their_spaces() -> None:
    assert printable(several(1234567, "participant")).split()[:3] == ["1", "234", "567"]
    assert "\\u202f" in printable("a\u202fb")
