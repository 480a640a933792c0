"""Documentation is true: generated pages are current, links lead somewhere, commands and code blocks work."""

import glob
import importlib.util
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from synthrelease.cli import main

ROOT = Path(__file__).parent.parent.parent
# By what a block of Python has in it, where a library is needed that not everybody has.
EXTRAS = {"pymovements": "synthrelease.preparation", "pandas": "to_pandas", "xarray": "to_xarray"}
PAGES = sorted(
    [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *ROOT.glob("docs/**/*.md")]
)


def test_plan_reference_is_current():
    command = [sys.executable, str(ROOT / "scripts" / "make_reference.py"), "--check"]
    assert subprocess.run(command, check=False).returncode == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_links_and_named_files_exist(page):
    text = page.read_text("utf-8")
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", text):
        if "://" not in target:
            assert (page.parent / target).exists(), target
    for named in re.findall(r"`((?:synthrelease|docs|scripts|schemas|tests)/[\w./-]+\.\w+)`", text):
        assert (ROOT / named).exists(), named


def commands():
    """Every command, with those about a ledger that its page has before it: they make the ledger."""
    for page in PAGES:
        made = []
        for line in re.findall(r"^(?:    |\$ )(synthrelease [^\n#]+)", page.read_text("utf-8"), re.MULTILINE):
            yield pytest.param(tuple(made), line.strip(), id=f"{page.name}: {line.strip()}")
            made += [line.strip()] if line.startswith("synthrelease ledger") else []


def as_a_shell_would(line):
    """Split into words, patterns of files expanded."""
    words = ([word, *sorted(glob.glob(word))] for word in shlex.split(line))  # noqa: PTH207  as written
    return [word for one in words for word in one[1:] or one]


@pytest.mark.parametrize(("before", "line"), list(commands()))
def test_commands_in_the_documentation_run(before, line, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    runner = CliRunner()
    if not line.startswith("synthrelease demo"):
        assert runner.invoke(main, ["demo"]).exit_code == 0
    for one in (*before, line):
        result = runner.invoke(main, as_a_shell_would(one)[1:])
        assert result.exit_code == 0, result.output


def blocks():
    for page in PAGES:
        found = re.findall(r"^```python\n(.*?)^```", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)
        for number, block in enumerate(found):
            yield pytest.param(block, id=f"{page.name}-{number}")


@pytest.mark.parametrize("block", list(blocks()))
def test_python_blocks_in_the_documentation_run(block, tmp_path, monkeypatch):
    for extra, word in EXTRAS.items():
        if word in block and importlib.util.find_spec(extra) is None:
            if os.environ.get("SYNTHRELEASE_TEST_EXTRAS") == "required":
                pytest.fail(f"{extra} is missing, and this machine must have it")
            pytest.skip(f"{extra} is missing")
    monkeypatch.chdir(tmp_path)
    assert CliRunner().invoke(main, ["demo"]).exit_code == 0
    done = subprocess.run([sys.executable, "-c", block], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_readme_has_its_two_commands():
    text = (ROOT / "README.md").read_text("utf-8")
    assert "synthrelease demo" in text
    assert "scripts/test" in text
    for script in (".ci/run", "scripts/test"):
        assert (ROOT / script).stat().st_mode & 0o111, script
    assert "scripts/test" in (ROOT / ".ci" / "run").read_text()
