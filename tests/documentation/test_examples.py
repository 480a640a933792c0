"""Whoever follows a page from its first line to its last finds that everything works, and prints what the page says.

A page's code is run in the page's order, in a new folder in which the demonstration has been run.
"""

import contextlib
import glob
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner
from documented import COMMANDS, PAGES, ROOT, Block, blocks
from programs import program, programs_in

from synthrelease.cli import main

RUN = {"python", "sh", "console", COMMANDS}
PARSED = {"toml": tomllib.loads, "json": json.loads}
SHOWN = {"text", "diff", "r", "matlab", "julia"}
_ANSWERS = "a password\n" * 2  # whatever is asked
_SHELL = re.compile(r"[|&;<>$`\\(){}]")


@pytest.fixture(scope="session")
def demonstration(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demonstration")
    result = CliRunner().invoke(main, ["demo", "-o", str(folder / "synthrelease-demo")])
    assert result.exit_code == 0, result.output
    return folder


@pytest.fixture
def folder(demonstration, tmp_path, monkeypatch):
    """Return the folder that a reader works in, with the demonstration in it."""
    shutil.copytree(demonstration, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "tests"), prepend=os.pathsep)
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
    monkeypatch.setenv("SYNTHRELEASE_CHECKOUT", str(ROOT))  # for pages that change a copy of it
    return tmp_path


def runnable(page):
    return [block for block in blocks(page) if block.language in RUN and not block.not_run]


@pytest.mark.quick("README")
@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("page", [page for page in PAGES if runnable(page)], ids=lambda page: page.stem)
def test_a_page_can_be_followed(page):
    for name in programs_in("\n".join(block.text for block in runnable(page) if block.language != "python")):
        program(name)
    names = {"__name__": "__main__"}
    for block in runnable(page):
        if block.before:
            in_a_shell(block.before, block)
        if block.language == "python":
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile(block.text, block.place, "exec"), names)  # noqa: S102  the page's own code
        elif block.language == "console":
            for command, expected in commands_with_output(block):
                code, printed = done(command, block)
                if not re.fullmatch(as_pattern(expected), printed.rstrip()):
                    pytest.fail(
                        f"{block.place}: {command}\n{printed}\nThe page says:\n{expected}", pytrace=False
                    )
                assert (code != 0) == expected.startswith("error: "), f"{block.place}: exit code {code}"
        else:
            for command in _lines(block.text):
                code, printed = done(command, block)
                assert code == 0, f"{block.place}: {command}\n{printed}"


def _lines(text):
    """Return commands, one a line, unless they go on in the next."""
    if "<<" in text:
        return [text]  # a file that is written
    joined = text.replace("\\\n", " ")
    if any(line.startswith((" ", "}")) for line in joined.splitlines()) or "() {" in joined:
        return [joined]  # a function, a loop
    return [line.split("  #")[0] for line in joined.splitlines() if line and not line.startswith("#")]


def commands_with_output(block: Block):
    """Split a transcript: what was typed after `$ `, and what was printed until the next of it."""
    for piece in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        command, _, output = piece.partition("\n")
        yield command, output.rstrip()


def as_pattern(expected):
    """`...` stands for whatever was printed there."""
    return re.compile(re.escape(expected).replace(r"\.\.\.", ".*?"), re.DOTALL)


def done(command, block):
    """Run a command, without a shell and in this process if it is one of our own; return exit code and what it printed."""
    if command.startswith("synthrelease ") and not _SHELL.search(command):
        result = CliRunner().invoke(main, as_a_shell_would(command)[1:], input=_ANSWERS)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result.exit_code, result.output
    return in_a_shell(command, block, check=False)


def in_a_shell(text, block, *, check=True):
    run = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", text], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0 or not check, f"{block.place}: {text}\n{run.stdout}{run.stderr}"
    return run.returncode, run.stdout + run.stderr


def as_a_shell_would(line):
    """Split into words, patterns of files expanded."""
    words = ([word, *sorted(glob.glob(word))] for word in shlex.split(line))  # noqa: PTH207  as written
    return [word for one in words for word in one[1:] or one]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_what_is_not_run_says_so(page):
    for block in blocks(page):
        assert block.language in {*RUN, *PARSED, *SHOWN}, f"{block.place}: a block of '{block.language}'"
        if parse := PARSED.get(block.language):
            parse(block.text)


def test_little_is_not_run():
    """Each with its reason: add to the list only what no test can run."""
    assert [block.place.split(":")[0] for page in PAGES for block in blocks(page) if block.not_run] == [
        "README.md",  # installs from the folder of the source, as .ci/run does
        "README.md",  # runs all tests
        "docs/howto/batch.md",  # takes another host
        "docs/howto/studio.md",  # goes on until it is interrupted
        "docs/howto/studio.md",  # takes another host
        "docs/index.md",  # installs from the folder of the source
        "docs/start/install.md",  # likewise
    ]


def test_the_checks_see_what_is_wrong(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "# A page\n\n<!-- before: true -->\n\n    synthrelease --help\n\n"
        "```console\n$ synthrelease\nUsage ...\n$ false\n```\n\n```python\nx = 1\n```\n\n"
        "<!-- not run: never -->\n```sh\nfalse\n```\n"
    )
    found = blocks(page)
    assert [(b.language, b.line) for b in found] == [
        (COMMANDS, 5),
        ("console", 8),
        ("python", 14),
        ("sh", 19),
    ]
    assert [b.before for b in found] == ["true", "", "", ""]
    assert [b.not_run for b in found] == ["", "", "", "never"]
    assert list(commands_with_output(found[1])) == [("synthrelease", "Usage ..."), ("false", "")]
    assert re.fullmatch(as_pattern("a ... c\n...\nd"), "a b c\n1\n2\nd")
    assert not re.fullmatch(as_pattern("a ... c"), "a b cd")
