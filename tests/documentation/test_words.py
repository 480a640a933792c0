"""The project speaks its field's language: words that its readers would not search for, or that no peer uses, are not in its texts."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from documented import PAGES, ROOT

PACKAGE = ROOT / "synthrelease"
INSTEAD = {
    r"(?:any|every|some|no)body": "anyone, each participant, someone, no one, or the role: the curator, an attacker",
    r"whoever": "anyone who, the curator, an attacker who",
    r"promis\w*": "guarantee",
    r"noised|noising": "noisy, adds noise",
    r"t(?:ell|ells|old|elling)": "describe, report, state, distinguish",
    r"held against": "compared with",
    r"beside": "next to, besides",
    r"of use|worth": "utility, accuracy, useful",
    r"placebo": "negative control",
    r"yardsticks?|appraisals?|appraised?": "metric, baseline, evaluation",
    r"room for exceptions": "additive slack δ",
    r"even attention": "relative fixation density (1 = uniform)",
}
"""Expressions for what is not written, and what is written instead."""
ALLOWED = {}
"""Files in which such words are right, and why."""
_WORDS = {re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE): instead for pattern, instead in INSTEAD.items()}
_TEMPLATES = {".html", ".txt", ".toml", ".j2", ".md"}


def prose(page: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines of a page that are no code, with their numbers."""
    text = page.read_text("utf-8")
    hidden = re.compile(r"^(`{3,}).*?^\1|<!--.*?-->|`[^`\n]*`", re.DOTALL | re.MULTILINE)
    text = hidden.sub(lambda found: "\n" * found[0].count("\n"), text)
    for number, line in enumerate(text.split("\n"), 1):
        if not line.startswith("    "):
            yield number, line


def texts(path: Path) -> Iterator[tuple[int, str]]:
    """Yield sentences, docstrings and comments of a module, or the lines of a template."""
    source = path.read_text("utf-8")
    if path.suffix != ".py":
        yield from enumerate(source.split("\n"), 1)
        return
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            text = re.sub(r"`[^`\n]*`", "", node.value)
            for number, line in enumerate(text.split("\n"), node.lineno):
                yield number, line
    for number, line in enumerate(source.split("\n"), 1):
        if "# " in line:
            yield number, re.sub(r"`[^`\n]*`", "", line.split("# ", 1)[1])


def unused(lines: Iterator[tuple[int, str]]) -> list[str]:
    """Return the words that are not written, with their lines and what to write."""
    return [
        f"line {number}: {found[0]!r}: write {instead}"
        for number, line in lines
        for pattern, instead in _WORDS.items()
        for found in pattern.finditer(line)
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_pages_are_in_plain_words(page):
    assert unused(prose(page)) == []


MODULES = sorted(path for path in PACKAGE.rglob("*") if path.suffix in {".py", *_TEMPLATES})


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_sentences_and_docstrings_are_in_plain_words(path):
    if path.relative_to(ROOT).as_posix() in ALLOWED:
        assert unused(texts(path)) != [], "nothing in it is to be excused"
    else:
        assert unused(texts(path)) == []


def test_a_word_that_is_not_written_is_noticed(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "Nobody sees it.\n```\nnobody\n```\n`told` is code.\n<!-- whoever\n-->\nIt is a promise.\n"
    )
    assert [line.split(":")[0] for line in unused(prose(page))] == ["line 1", "line 8"]
    module = tmp_path / "module.py"
    module.write_text('"""Tell them."""\n\nX = "told"  # Nobody.\nY = "a noised value"\n')
    assert [line.split(":")[0] for line in unused(texts(module))] == ["line 1", "line 4", "line 3"]
