"""Tests compare what is meant (a class, a code, a field, a place, a figure) and no sentence."""

import ast
import re

import pytest
from documented import ROOT

TESTS = ROOT / "tests"
# Pages are text, and a test of them compares text; here text is the subject, too.
OF_TEXT = ("documentation", "golden")
_SENTENCE = re.compile(r"[a-z]{2,}[,;:]? [a-z]{2,}")
_COMPARING = {
    "startswith",
    "endswith",
    "count",
    "index",
    "find",
    "search",
    "match",
    "fullmatch",
    "findall",
    "partition",
    "split",
}


def sentences_compared(source):
    """Return the lines on which a text of two words or more is compared with something; `# not a sentence: why` excuses one."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.keyword(arg="match", value=value):
                compared = [value]
            case ast.Compare(left=left, comparators=right):
                compared = [left, *right]
            case ast.Call(func=ast.Attribute(attr=name), args=[first, *_]) if name in _COMPARING:
                compared = [first]
            case _:
                continue
        for part in compared:
            for text in ast.walk(part):
                if (
                    isinstance(text, ast.Constant)
                    and isinstance(text.value, str)
                    and _SENTENCE.search(text.value)
                ):
                    found.add(text.lineno)
    lines = source.splitlines()
    return sorted(line for line in found if "# not a sentence: " not in lines[line - 1])


@pytest.mark.parametrize(
    "name",
    [
        path.relative_to(TESTS).as_posix()
        for path in sorted(TESTS.rglob("*.py"))
        if path.relative_to(TESTS).parts[0] not in OF_TEXT
    ],
)
def test_no_sentence_is_compared(name):
    assert sentences_compared((TESTS / name).read_text("utf-8")) == []


def test_comparisons_of_sentences_are_seen():
    source = (
        'with raises(E, match="no such file"):\n    pass\nassert "2 rows were dropped" in told\nassert told.startswith("no row")\n'
        'assert told == {"a": "one two"}\nassert code == "no-such-file"\nassert "x y" == f("in words", 1)  # not a sentence: a label\n'
    )
    assert sentences_compared(source) == [1, 3, 4, 5]
