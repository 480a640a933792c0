"""Entries that hang together."""

import json

import pytest

from synthrelease.ledgers.chain import START, LedgerEntry, faults, following


def found(entries):
    """Code and place of what is found."""
    return [(fault.code, fault.where) for fault in faults(entries)]


def chained(count):
    entries = []
    for number in range(count):
        entries.append(following(entries, {"kind": "x", "n": number}))
    return entries


def test_entries_are_numbered_and_hang_together():
    entries = chained(5)
    assert [entry.number for entry in entries] == [1, 2, 3, 4, 5]
    assert [entry.body["n"] for entry in entries] == [0, 1, 2, 3, 4]
    assert list(faults(entries)) == []
    assert list(faults([])) == []
    assert len(START) == 32


def test_equal_bodies_have_unlike_digests():
    """What a manifest holds of an entry must not let anyone try bodies out."""
    one, other = following([], {"kind": "x"}), following([], {"kind": "x"})
    assert one.digest != other.digest
    assert len(json.loads(one.text)["nonce"]) == 32


@pytest.mark.parametrize("place", range(5))
def test_a_changed_body_is_found(place):
    entries = chained(5)
    old = entries[place]
    entries[place] = LedgerEntry(old.number, old.text.replace('"x"', '"y"'), old.digest)
    assert found(entries) == [("entry-changed", f"entry {place + 1}")]


@pytest.mark.parametrize("place", range(5))
def test_a_changed_digest_is_found(place):
    entries = chained(5)
    old = entries[place]
    entries[place] = LedgerEntry(old.number, old.text, "0" * 64)
    assert found(entries) == [("entry-changed", f"entry {place + 1}")]


@pytest.mark.parametrize("digest", ["", "zz", "0" * 63, "A" * 64])
def test_a_digest_that_is_none_is_found(digest):
    (entry,) = chained(1)
    assert found([LedgerEntry(1, entry.text, digest)]) == [("entry-changed", "entry 1")]


def test_a_changed_order_is_found():
    one, two, three = chained(3)
    assert found([one, three, two]) == [("entry-missing", "entry 2")]
    swapped = [one, LedgerEntry(2, three.text, three.digest), LedgerEntry(3, two.text, two.digest)]
    assert found(swapped) == [("entry-changed", "entry 2")]


def test_a_missing_entry_is_found_renumbered_or_not():
    one, two, three = chained(3)
    assert found([one, three]) == [("entry-missing", "entry 2")]
    assert found([two, three]) == [("entry-missing", "entry 1")]
    renumbered = [one, LedgerEntry(2, three.text, three.digest)]
    assert found(renumbered) == [("entry-changed", "entry 2")]
    assert list(faults([one, two])) == []  # the end: the file's own count, or a noted digest, tells


def test_a_body_may_hold_any_text():
    entry = following([], {"kind": "é\udc80", "at": "\u2028"})
    assert entry.text.isascii()
    assert entry.body["kind"] == "é\udc80"
    assert list(faults([entry])) == []


def test_numbers_that_json_has_not_are_refused():
    with pytest.raises(ValueError, match="JSON"):
        following([], {"n": float("nan")})
