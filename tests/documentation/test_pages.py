"""Pages are current, and what they name and link to is there."""

import re
import subprocess
import sys

import pytest
from documented import PAGES, ROOT
from markdown_it import MarkdownIt


def test_the_reference_is_current():
    command = [sys.executable, str(ROOT / "scripts" / "make_reference.py"), "--check"]
    assert subprocess.run(command, check=False).returncode == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_and_named_files_exist(page):
    text = page.read_text("utf-8")
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", text):
        if "://" not in target:
            assert (page.parent / target).exists(), target
    for named in re.findall(r"`((?:synthrelease|docs|scripts|schemas|tests)/[\w./-]+\.\w+)`", text):
        assert (ROOT / named).exists(), named


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_nothing_is_taken_for_html(page):
    tokens = MarkdownIt("commonmark").enable("table").parse(page.read_text("utf-8"))
    every = [one for token in tokens for one in (token, *(token.children or []))]
    html = [one.content for one in every if one.type in ("html_inline", "html_block")]
    assert [content for content in html if not content.startswith("<!--")] == []


def test_the_readme_has_its_two_commands():
    text = (ROOT / "README.md").read_text("utf-8")
    assert "synthrelease demo" in text
    assert "scripts/test" in text
    for script in (".ci/run", "scripts/test"):
        assert (ROOT / script).stat().st_mode & 0o111, script
    assert "scripts/test" in (ROOT / ".ci" / "run").read_text()
