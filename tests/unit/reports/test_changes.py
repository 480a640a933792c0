"""Leaf by leaf: nothing is lost, nothing is guessed."""

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synthrelease.reports.changes import ABSENT, Change, changes


def of(old, new):
    return list(changes(old, new))


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ({"a": 1}, {"a": 1.0}, []),
        ({"a": 1}, {"a": True}, [Change(("a",), 1, True)]),
        ({"a": [1]}, {"a": [True]}, [Change(("a",), [1], [True])]),
        ({"a": [{"b": 0}]}, {"a": [{"b": False}]}, [Change(("a", "1", "b"), 0, False)]),
        ({"a": {"b": 1, "c": 2}}, {"a": {"c": 3, "d": 4}}, None),
        ({"a": None}, {"a": {"b": 1}}, [Change(("a", "b"), ABSENT, 1)]),
        ({"a": {"b": 1}}, {"a": None}, [Change(("a", "b"), 1, ABSENT)]),
        ({"a": None}, {"a": {}}, [Change(("a",), None, {})]),
        ({"a": None}, {}, [Change(("a",), None, ABSENT)]),
        ({}, {"a": None}, [Change(("a",), ABSENT, None)]),
        ({"a": [1, 2]}, {"a": [2, 1]}, [Change(("a",), [1, 2], [2, 1])]),
        (["x"], ["y"], [Change((), ["x"], ["y"])]),
        (
            [{"name": "x", "k": 1}, {"name": "y"}],
            [{"name": "y"}, {"name": "x", "k": 2}, {"name": "z"}],
            [
                Change(("x", "k"), 1, 2),
                Change(("z",), ABSENT, {"name": "z"}),
                Change((), ["x", "y"], ["y", "x", "z"]),
            ],
        ),
        # Two of one name: compared one by one.
        (
            [{"name": "x", "k": 1}, {"name": "x"}],
            [{"name": "x"}, {"name": "x"}],
            [Change(("1", "k"), 1, ABSENT)],
        ),
        (
            [{"name": "x"}, {"name": "x"}],
            [{"name": "x"}],
            [Change(("2",), {"name": "x"}, ABSENT)],
        ),
    ],
)
def test_every_kind_of_change(old, new, found):
    if found is None:
        found = [Change(("a", "b"), 1, ABSENT), Change(("a", "c"), 2, 3), Change(("a", "d"), ABSENT, 4)]
    assert of(old, new) == found


def test_lists_of_words():
    change = Change(("w",), ["a", "b", "b", "c"], ["c", "b", "d"])
    assert (change.added, change.removed, change.reordered) == (["d"], ["a", "b"], True)
    assert change.to_json() == {"where": ["w"], "added": ["d"], "removed": ["a", "b"], "reordered": True}
    assert not Change((), ["a", "b", "c"], ["a", "x", "c"]).reordered
    assert not Change((), ["a", 1], ["a"]).is_of_words
    assert Change((), ABSENT, 3).to_json() == {"where": [], "new": 3}
    assert Change((), None, ABSENT).to_json() == {"where": [], "old": None}


leaves = st.one_of(st.none(), st.booleans(), st.integers(-3, 3), st.text("ab", max_size=2))
named = st.builds(lambda name, k: {"name": name, "k": k}, st.sampled_from("xyz"), leaves)
documents = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.lists(named, max_size=3),
        st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    ),
    max_leaves=12,
)


@given(documents, documents)
def test_there_are_changes_exactly_where_there_is_a_difference(old, new):
    assert of(old, copy.deepcopy(old)) == []
    assert (of(old, new) == []) == (of(new, old) == [])
    assert (of(old, new) == []) == (frozen(old) == frozen(new))


def frozen(value):
    if isinstance(value, dict):
        return ("object", frozenset((key, frozen(item)) for key, item in value.items()))
    if isinstance(value, list):
        return ("list", tuple(map(frozen, value)))
    return (type(value).__name__, value)
