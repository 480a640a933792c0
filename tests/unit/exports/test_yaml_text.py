"""The YAML that is written is read back as what it was, by readers of YAML 1.1 too."""

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from synthrelease.exports.dp_registry import bullets, scalar

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.text(
    "- :#|>&*!%@`\"'{}[],?\n\t ab", max_size=12
)
SCALAR = TEXT | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.booleans() | st.none()


def read_back(text):
    """What stands behind a key of the third level, with another key after it."""
    return yaml.safe_load(f"x:\n  y:\n    a: {text}\n    b: 1\n")["x"]["y"]


@given(SCALAR)
def test_what_is_written_is_read_back(value):
    assert read_back(scalar(value)) == {"a": value, "b": 1}


@given(st.lists(TEXT, max_size=4))
def test_sentences_are_read_back_as_one_text(sentences):
    assert read_back(bullets(sentences)) == {"a": "\n".join(f"- {one}" for one in sentences), "b": 1}


@pytest.mark.parametrize("number", [1e-06, 1e22, 5e-324, 0.1, -3.0])
def test_numbers_are_numbers_to_every_reader(number):
    assert read_back(scalar(number))["a"] == number


@pytest.mark.parametrize("mark", ["\u202e", "\u200b", "\u2066"])
def test_what_turns_a_line_round_or_is_not_seen_stands_as_its_number(mark):
    for written, meant in (
        (scalar(f"a{mark}b"), f"a{mark}b"),
        (bullets(["a", f"b{mark}"]), f"- a\n- b{mark}"),
    ):
        assert mark not in written
        assert read_back(written)["a"] == meant


def test_sentences_stand_as_they_are():
    assert bullets(["one", "two"]) == "|-\n      - one\n      - two"
