"""All that the package says to people stands in `sentences/`, one file for each room, to be reviewed as text."""

import ast

import pytest


@pytest.mark.slow("reads the whole package")
def test_the_sentences_are_those_of_the_package(script):
    module = script("make_sentences")
    kept = {file.stem: file.read_text("utf-8") for file in module.TARGET.glob("*.txt")}
    assert module.rooms() == kept, "run scripts/make_sentences.py, and read what changed"


def test_a_changed_sentence_is_a_changed_line(script):
    module = script("make_sentences")
    source = (
        'def f():\n    """Help of nothing."""\n    raise E("code", f"the file {a.b} is {x + 1}", where="w")\n'
    )
    before = list(module.sentences(ast.parse(source)))
    after = list(module.sentences(ast.parse(source.replace("the file", "this file"))))
    assert before == ["the file {a.b} is {…}"]
    assert after == ["this file {a.b} is {…}"]
