"""The YAML that is written is read back as what it was, by readers of YAML 1.1 too."""

import pytest
from catalogued import folder_of
from hypothesis import given
from hypothesis import strategies as st

from synthrelease.exports.yaml_text import as_yaml

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.text(
    "- :#|>&*!%@`\"'{}[],?\n\t ab", max_size=12
)
SCALAR = TEXT | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.booleans() | st.none()
KEY = st.text("abz_9", min_size=1).filter(lambda key: not key[0].isdigit())
ITEMS = st.lists(TEXT, min_size=1, max_size=3) | st.lists(
    st.dictionaries(KEY, SCALAR, min_size=1, max_size=3), min_size=1, max_size=2
)
INNER = st.dictionaries(KEY, SCALAR | ITEMS, min_size=1, max_size=3)
VALUE = SCALAR | ITEMS | INNER | st.dictionaries(KEY, INNER, min_size=1, max_size=2)


@given(st.dictionaries(KEY, VALUE, min_size=1, max_size=4))
def test_what_is_written_is_read_back(document):
    folder_of("yaml")
    import yaml

    assert yaml.safe_load(as_yaml(document, blanks={})) == document


@pytest.mark.parametrize("number", [1e-06, 1e22, 5e-324, 0.1, -3.0])
def test_numbers_are_numbers_to_every_reader(number):
    folder_of("yaml")
    import yaml

    assert yaml.safe_load(as_yaml({"a": number}, blanks={})) == {"a": number}


@pytest.mark.parametrize("mark", ["\u202e", "\u200b", "\u2066"])
@pytest.mark.parametrize("text", ["a{}b", "a\nb{}"])
def test_what_turns_a_line_round_or_is_not_seen_stands_as_its_number(mark, text):
    folder_of("yaml")
    import yaml

    told = as_yaml({"a": text.format(mark)}, blanks={})
    assert mark not in told
    assert yaml.safe_load(told) == {"a": text.format(mark)}


def test_texts_of_lines_stand_as_they_are_and_blanks_as_comments():
    told = as_yaml({"a": {"b": "- one\n- two", "c": [{"d": 1}]}}, blanks={"a/e": "why", "a/c/f": "who"})
    assert told == "a:\n  b: |-\n    - one\n    - two\n  c:\n    - d: 1\n      # f: who\n  # e: why\n"
