"""What `check` finds: everything that was done to a ledger by other means than its own, but for a whole new one."""

import copy
import json

import pytest
from goldens import figures
from refusals import refused
from spending import (
    ADD,
    REPLACE,
    another_process,
    bodies,
    charge,
    forge,
    gaussian,
    granted,
    laplace,
    tamper,
    trial,
)

from synthrelease.dp.event import RoundedGaussian
from synthrelease.errors import PolicyError
from synthrelease.ledgers import Ledger
from synthrelease.ledgers.history import EntryKind


@pytest.fixture
def ledger(tmp_path, monkeypatch):
    """Return a ledger with a bit of everything: 1 created, 2 grant, 3 debit, 4 taken over, 5 drawing, 6 released, 7 debit."""
    made = granted(tmp_path, 2.0)
    with another_process(monkeypatch):
        made.debit(charge(laplace(0.5)))
    debit = made.debit(charge(laplace(0.5)))
    debit.begin_drawing()
    debit.release(b"{}")
    made.debit(charge(laplace(1.0), plan="b"))
    assert [body["kind"] for body in bodies(made.path)] == [
        "created",
        "grant",
        "debit",
        EntryKind.TAKEN_OVER,
        "drawing",
        "released",
        "debit",
    ]
    assert made.check().faults == []
    return made


def codes(ledger, **asked):
    """Code and place of all that `check` finds."""
    return [(fault.code, fault.where) for fault in ledger.check(**asked).faults]


def test_a_clean_ledger_tells_its_entries_and_its_end(ledger):
    checked = ledger.check()
    assert (checked.faults, checked.entries) == ([], 7)
    assert ledger.check(digests=[checked.head]).faults == []
    ledger.grant("study", 3, 0, REPLACE)
    assert ledger.check(digests=[checked.head]).faults == []
    (fault,) = ledger.check(digests=[checked.head, "0" * 64]).faults
    assert fault.code == "unknown-digest"
    assert "0" * 64 in str(fault)


def test_an_empty_ledger_is_clean(tmp_path):
    from synthrelease.ledgers import store

    store.create(tmp_path / "l.sqlite")
    checked = Ledger(tmp_path / "l.sqlite").check()
    assert (checked.faults, checked.entries, checked.head) == ([], 0, "0" * 64)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE entries SET body = replace(body, '0.5', '0.1') WHERE number = 3",
        "UPDATE entries SET digest = (SELECT digest FROM entries WHERE number = 2) WHERE number = 3",
        "UPDATE entries SET body = (SELECT body FROM entries WHERE number = 7) WHERE number = 3",
        "DELETE FROM entries WHERE number = 3",
        "DELETE FROM entries WHERE number = 7",
        "DELETE FROM entries WHERE number > 2",
        "DELETE FROM entries",
        "UPDATE entries SET number = 70 WHERE number = 7",
        "INSERT INTO entries VALUES (8, '{}', '')",
        "INSERT INTO entries VALUES (-1, '{}', '')",
        "UPDATE entries SET body = 'garbage' WHERE number = 1",
    ],
)
def test_changes_by_sql_are_found_and_stop_builds(ledger, statement):
    tamper(ledger.path, statement)
    assert ledger.check().faults
    with refused(PolicyError, "ledger-tampered", where=ledger.path):
        ledger.debit(charge(laplace(0.1), plan="c"))


def test_triggers_that_are_gone_are_found(ledger):
    import sqlite3

    with sqlite3.connect(ledger.path) as connection:
        connection.execute("DROP TRIGGER never_deleted")
    connection.close()
    assert codes(ledger) == [("other-tables", "")]


def test_an_end_cut_off_by_a_careful_forger_is_missed_by_a_noted_digest_alone(ledger):
    noted = ledger.check().head
    forge(ledger.path, lambda bodies: bodies[:-1])
    assert ledger.check().faults == []  # what no one can see in the file itself
    (fault,) = ledger.check(digests=[noted]).faults
    assert (fault.code, noted in str(fault)) == ("unknown-digest", True)


# With a right chain, right numbers, right triggers


def set_in(number, *path, to):
    def change(entries):
        form = entries[number - 1]
        for key in path[:-1]:
            form = form[key]
        form[path[-1]] = to

    return change


# The change, the entry and the code of what is found, and the amounts that it states.
FORGED = {
    "after less": (set_in(7, "standing", "after", to="1.0"), 7, "wrong-after", 1.0, 1.5),
    "after more": (set_in(7, "standing", "after", to="1.6"), 7, "wrong-after", 1.6, 1.5),
    "before less": (set_in(7, "standing", "before", to="0.0"), 7, "wrong-before", 0.0, 0.5),
    "here less": (set_in(7, "standing", "here", to="0.9"), 7, "wrong-here", 0.9, 1.0),
    "taken over at less": (set_in(4, "standing", "after", to="0.1"), 4, "wrong-after", 0.1, 0.5),
    "after no number": (set_in(7, "standing", "after", to="nan"), 7, "not-an-entry"),
    "after infinite": (set_in(7, "standing", "after", to="inf"), 7, "not-an-entry"),
    "after below 0": (set_in(7, "standing", "after", to="-1.5"), 7, "not-an-entry"),
    "events cheaper": (set_in(7, "charge", "events", to=[laplace(0.1).to_json()]), 7, "wrong-here", 1.0, 0.1),
    "no events": (set_in(3, "charge", "events", to=[]), 3, "wrong-here", 0.5, 0.0),
    "grant less": (set_in(2, "epsilon", to="1.2"), 7, "exceeds-grant", 1.5, 1.2),
    "grant no number": (set_in(2, "epsilon", to="nan"), 2, "not-an-entry"),
    "grant infinite": (set_in(2, "epsilon", to="inf"), 2, "not-an-entry"),
    "grant text": (set_in(2, "epsilon", to="much"), 2, "not-an-entry"),
    "grant a list": (set_in(2, "epsilon", to=[]), 2, "not-an-entry"),
    "delta 1": (set_in(2, "delta", to="1.0"), 2, "not-an-entry"),
    "other relation granted": (set_in(2, "neighbours", to="add-remove-one"), 3, "nothing-granted"),
    "other relation paid": (set_in(7, "charge", "neighbours", to="add-remove-one"), 7, "nothing-granted"),
    "no such relation": (set_in(7, "charge", "neighbours", to="none"), 7, "not-an-entry"),
    "other dataset": (set_in(7, "charge", "dataset", to="other"), 7, "nothing-granted"),
    "dataset of no plan": (set_in(2, "dataset", to="a b"), 2, "bad-dataset-name"),
    "grant of another entry": (set_in(7, "grant", to=1), 7, "nothing-granted"),
    "unknown event": (set_in(7, "charge", "events", to=[{"type": "x"}]), 7, "not-an-entry"),
    "event below 0": (set_in(7, "charge", "events", 0, "scale", to="-1.0"), 7, "not-an-entry"),
    "event of no delta's noise": (
        set_in(7, "charge", "events", to=[gaussian(0.1).to_json()]),
        7,
        "wrong-after",
        1.5,  # and infinity, which is no figure
    ),
    "event with trials": (set_in(7, "charge", "events", to=[trial().to_json()]), 7, "wrong-after", 1.5),
    "event with next to no noise": (set_in(7, "charge", "events", 0, "scale", to="1e-320"), 7, "no-cost"),
    "events beyond numbers": (
        set_in(7, "charge", "events", to=[RoundedGaussian(1e200, 1e-200, 1).to_json()]),
        7,
        "no-cost",
    ),
    "delta of a plan above 1": (set_in(7, "charge", "delta", to="1.5"), 7, "not-an-entry"),
    "delta of a plan no number": (set_in(7, "charge", "delta", to="nan"), 7, "not-an-entry"),
    "unknown kind": (set_in(7, "kind", to="gift"), 7, "unknown-kind"),
    "kind a list": (set_in(7, "kind", to=[]), 7, "unknown-kind"),
    "no time": (set_in(7, "at", to=None), 7, "no-time"),
    "owner a number": (set_in(7, "owner", to=5), 7, "not-an-entry"),
    "owner without number": (set_in(7, "owner", "pid", to=0), 7, "not-an-entry"),
    "drawing on nothing": (set_in(5, "debit", to=99), 5, "not-an-entry"),
    "drawing on a grant": (set_in(5, "debit", to=2), 5, "not-an-entry"),
    "drawing on a list": (set_in(5, "debit", to=[3]), 5, "not-an-entry"),
    "manifest no digest": (set_in(6, "manifest", to="zz"), 6, "not-an-entry"),
    "key no key": (set_in(1, "key", to="zz"), 1, "not-an-entry"),
    "key empty": (set_in(1, "key", to=""), 2, "second-beginning"),
    "created missing": (lambda entries: entries[1:], 1, "second-beginning"),
    "created twice": (lambda entries: entries[:1] + entries, 2, "second-beginning"),
    "drawn twice": (lambda entries: [*entries, entries[4]], 8, "used-twice"),
    "released twice": (lambda entries: [*entries, entries[5]], 8, "used-twice"),
    "taken over after drawing": (lambda entries: [*entries, entries[3]], 8, "taken-over-late"),
    "debit before grant": (lambda entries: [entries[0], entries[2], entries[1]], 2, "nothing-granted"),
    "debit inserted": (lambda entries: [*entries, {**entries[6], "nonce": ""}], 8, "wrong-after", 1.5, 2.5),
    "debit left out": (lambda entries: [*entries[:2], entries[6]], 3, "wrong-before", 0.5, 0.0),
    "not JSON": (lambda entries: [*entries, "{"], 8, "not-an-entry"),
    "not an object": (lambda entries: [*entries, "[]"], 8, "not-an-entry"),
    "a number": (lambda entries: [*entries, "7"], 8, "not-an-entry"),
    "deep": (lambda entries: [*entries, "[" * 100_000], 8, "not-an-entry"),
    "empty": (lambda entries: [*entries, "{}"], 8, "not-an-entry"),
    "huge number": (lambda entries: [*entries, '{"kind": ' + "9" * 5000 + "}"], 8, "not-an-entry"),
}


@pytest.mark.parametrize("name", FORGED)
def test_entries_forged_with_a_right_chain_are_found(ledger, name):
    change, place, code, *amounts = FORGED[name]
    forge(ledger.path, change)
    faults = ledger.check().faults
    known = {(fault.code, fault.where): str(fault) for fault in faults}
    assert (code, f"entry {place}") in known, known
    if amounts:
        assert figures(known[code, f"entry {place}"])[1:] == amounts


@pytest.mark.parametrize("number", range(1, 8))
def test_any_key_left_out_is_a_finding_and_never_a_traceback(ledger, number):
    def paths(form, before=()):
        for key, value in form.items():
            yield (*before, key)
            if isinstance(value, dict):
                yield from paths(value, (*before, key))

    whole = ledger.path.read_bytes()
    for path in paths(bodies(ledger.path)[number - 1]):
        if path[-1] == "nonce" or (number == 4 and path == ("grant",)):
            continue

        def drop(entries, path=path):
            form = entries[number - 1]
            for key in path[:-1]:
                form = form[key]
            del form[path[-1]]

        forge(ledger.path, drop)
        assert ledger.check().faults, path
        ledger.path.write_bytes(whole)


def test_another_relation_granted_later_is_found(ledger):
    forge(ledger.path, lambda all_: all_.append({**all_[1], "neighbours": str(ADD)}))
    assert codes(ledger) == [("other-neighbours", "entry 8")]


def test_sums_are_checked_at_the_delta_of_their_grant(tmp_path):
    ledger = granted(tmp_path, 3.0, 1e-6)
    ledger.debit(charge(gaussian(0.2)))
    ledger.grant("study", 3.0, 1e-4, REPLACE)
    ledger.debit(charge(gaussian(0.2), plan="b"))
    assert ledger.check().faults == []
    forge(ledger.path, set_in(4, "delta", to="1e-06"))
    assert codes(ledger)[0] == ("wrong-before", "entry 5")


# Bundles


def manifest_of(debit, *events, **changes):
    """As much of a manifest as the ledger looks at."""
    return {
        "release": {"name": "release", "version": "1.0.0"},
        "privacy": {"neighbours": "replace-one"},
        "outputs": [{"event": event.to_json()} for event in events],
        "ledger": dict(debit.spending),
        **changes,
    }


@pytest.fixture
def published(tmp_path):
    """Return a ledger with one release, its manifest and its debit."""
    ledger = granted(tmp_path, 3.0)
    debit = ledger.debit(charge(laplace(0.5)))
    debit.begin_drawing()
    return ledger, manifest_of(debit, laplace(0.5)), debit


def test_a_bundle_that_was_paid_for_is_found_noted_or_not(published):
    from synthrelease.bundle.manifest import to_bytes

    ledger, manifest, debit = published
    assert ledger.check(manifests={"r.h5": manifest}).faults == []
    debit.release(to_bytes(manifest))
    assert ledger.check(manifests={"r.h5": manifest}).faults == []


def test_two_bundles_of_one_debit_are_found(published):
    ledger, manifest, _ = published
    other = {**manifest, "digests": {"/outputs/maps/noisy": "other noise"}}
    (fault,) = ledger.check(manifests={"r.h5": manifest, "s.h5": other}).faults
    assert (fault.code, fault.where) == ("shared-debit", "s.h5")
    assert "r.h5" in str(fault)
    assert "entry 3" in str(fault)


def test_a_copy_of_a_bundle_is_no_second_one(published):
    ledger, manifest, _ = published
    assert ledger.check(manifests={"r.h5": manifest, "s.h5": copy.deepcopy(manifest)}).faults == []


def test_a_bundle_that_was_not_paid_for_is_found(published):
    ledger, manifest, _ = published
    assert codes(ledger, manifests={"r.h5": {**manifest, "ledger": None}}) == [("not-paid", "r.h5")]


@pytest.mark.parametrize("entry", ["grant", "drawing", "none"])
def test_a_bundle_of_no_debit_is_found(published, entry):
    ledger, manifest, _ = published
    from synthrelease.ledgers import store

    entries = store.read(ledger.path).entries
    manifest["ledger"]["entry"] = {
        "grant": entries[1].digest,
        "drawing": entries[3].digest,
        "none": "0" * 64,
    }[entry]
    assert codes(ledger, manifests={"r.h5": manifest}) == [("unknown-debit", "r.h5")]


@pytest.mark.parametrize(
    "change",
    [
        lambda m: m["ledger"].update(dataset_id="0" * 32),
        lambda m: m["ledger"].update(spent_before=0.1),
        lambda m: m["ledger"].update(spent_here=0.4),
        lambda m: m["ledger"].update(spent_after=0.4),
        lambda m: m["ledger"].update(delta=1e-6),
        lambda m: m["release"].update(version="2.0.0"),
        lambda m: m["release"].update(name="another"),
        lambda m: m["privacy"].update(neighbours="add-remove-one"),
        lambda m: m["outputs"].append({"event": laplace(0.1).to_json()}),
    ],
)
def test_a_bundle_of_another_release_is_found(published, change):
    ledger, manifest, _ = published
    change(manifest)
    assert codes(ledger, manifests={"r.h5": manifest}) == [("other-release", "r.h5")]


def test_a_bundle_that_was_changed_after_it_was_noted_is_found(published):
    ledger, manifest, debit = published
    debit.release(json.dumps(manifest).encode())
    assert codes(ledger, manifests={"r.h5": manifest}) == [("other-release", "r.h5")]


def test_a_bundle_of_a_debit_that_nothing_was_drawn_on_is_found(tmp_path):
    ledger = granted(tmp_path, 3.0)
    manifest = manifest_of(ledger.debit(charge(laplace(0.5))), laplace(0.5))
    assert codes(ledger, manifests={"r.h5": manifest}) == [("other-release", "r.h5")]


def test_a_bundle_under_a_debit_that_was_taken_over_is_found(tmp_path, monkeypatch):
    ledger = granted(tmp_path, 3.0)
    with another_process(monkeypatch):
        old = manifest_of(ledger.debit(charge(laplace(0.5))), laplace(0.5))
    debit = ledger.debit(charge(laplace(0.5)))
    debit.begin_drawing()
    new = manifest_of(debit, laplace(0.5))
    assert ledger.check(manifests={"new": new}).faults == []
    assert codes(ledger, manifests={"old": old, "new": new}) == [
        ("other-release", "old"),
        ("shared-debit", "new"),
    ]
