"""Noise on a debit: noted before it is drawn, once, by the process that paid."""

import hashlib
import os
import sys
import threading
from pathlib import Path

import pytest
from refusals import refused
from spending import another_process, bodies, charge, granted, kinds, laplace, without_syncing

from synthrelease.dp.noise import SecureRandom
from synthrelease.errors import PolicyError
from synthrelease.ledgers import store

WANTED = charge(laplace(1.0))


def test_drawing_is_noted_once(tmp_path):
    ledger = granted(tmp_path)
    debit = ledger.debit(WANTED)
    for _ in range(3):
        debit.begin_drawing()
    assert kinds(ledger.path)[2:] == ["debit", "drawing"]
    assert bodies(ledger.path)[-1]["debit"] == 3


def test_of_many_threads_one_notes_it(tmp_path):
    ledger = granted(tmp_path)
    debit = ledger.debit(WANTED)
    threads = [threading.Thread(target=debit.begin_drawing) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert kinds(ledger.path)[2:] == ["debit", "drawing"]


def test_what_came_of_it_is_noted(tmp_path):
    ledger = granted(tmp_path)
    debit = ledger.debit(WANTED)
    debit.begin_drawing()
    debit.release(b"manifest")
    assert bodies(ledger.path)[-1]["manifest"] == hashlib.sha256(b"manifest").hexdigest()
    (told,) = ledger.to_json()["study"]["debits"]
    assert (told["state"], told["drawn"], told["plan"]) == ("released", True, WANTED.plan)
    with refused(PolicyError, "debit-taken-over", where=ledger.path):
        debit.release(b"another")
    assert ledger.check().faults == []


def test_no_word_is_drawn_before_it_is_noted(tmp_path):
    ledger = granted(tmp_path)
    random = SecureRandom(before_words=ledger.debit(WANTED).begin_drawing)
    child = random.spawn("task")
    assert kinds(ledger.path)[2:] == ["debit"]
    child.words(0)
    assert kinds(ledger.path)[2:] == ["debit", "drawing"]


def test_no_word_is_drawn_if_it_cannot_be_noted(tmp_path):
    ledger = granted(tmp_path)
    random = SecureRandom(before_words=ledger.debit(WANTED).begin_drawing)
    ledger.path.unlink()
    for _ in range(2):
        with refused(PolicyError, "lost-ledger", where=ledger.path) as refusal:
            random.words(1)
        assert " grant " not in refusal.value.remedy  # a new one would have forgotten everything


def test_what_came_of_it_cannot_be_noted_in_a_ledger_that_is_gone(tmp_path):
    ledger = granted(tmp_path)
    debit = ledger.debit(WANTED)
    debit.begin_drawing()
    ledger.path.unlink()
    with refused(PolicyError, "lost-ledger", where=ledger.path):
        debit.release(b"manifest")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("begun", [False, True])
def test_a_ledger_set_back_to_an_older_copy_does_not_know_the_debit(tmp_path, begun):
    ledger = granted(tmp_path)
    older = ledger.path.read_bytes()
    debit = ledger.debit(WANTED)
    if begun:
        debit.begin_drawing()
    ledger.path.write_bytes(older)
    with refused(PolicyError, "lost-debit", where=ledger.path) as refusal:
        debit.release(b"manifest") if begun else debit.begin_drawing()
    assert refusal.value.exit_code == 4
    assert kinds(ledger.path) == ["created", "grant"]


def test_another_debit_in_its_place_is_not_drawn_on(tmp_path):
    """After it was set back, this very process pays for another release, which gets the same number."""
    ledger = granted(tmp_path)
    older = ledger.path.read_bytes()
    debit = ledger.debit(WANTED)
    ledger.path.write_bytes(older)
    ledger.debit(charge(laplace(0.5), plan="b"))
    with refused(PolicyError, "debit-taken-over", where=ledger.path):
        debit.begin_drawing()
    assert kinds(ledger.path)[2:] == ["debit"]


def test_a_debit_that_was_taken_over_is_lost_to_the_first(tmp_path, monkeypatch):
    """Wherever `has_ended` errs: two processes never draw on one debit."""
    ledger = granted(tmp_path, 1.0)
    with another_process(monkeypatch):
        first = ledger.debit(WANTED)
    second = ledger.debit(WANTED)
    with another_process(monkeypatch), refused(PolicyError, "debit-taken-over") as refusal:
        first.begin_drawing()
    assert refusal.value.exit_code == 4
    second.begin_drawing()
    assert ledger.check().faults == []


def test_even_processes_that_cannot_be_told_apart_draw_once(tmp_path, monkeypatch):
    ledger = granted(tmp_path, 1.0)
    with another_process(monkeypatch):
        first = ledger.debit(WANTED)
    ledger.debit(WANTED)
    with another_process(monkeypatch):  # the same number at the same moment, in another container
        monkeypatch.setattr("synthrelease.ledgers.owner.Owner.has_ended", lambda _self: True)
        third = ledger.debit(WANTED)
        third.begin_drawing()
        with pytest.raises(PolicyError):
            first.begin_drawing()
    assert kinds(ledger.path).count("drawing") == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.parametrize("begun", [False, True])
def test_a_forked_child_draws_only_on_what_has_begun(tmp_path, begun):
    ledger = granted(tmp_path)
    debit = ledger.debit(WANTED)
    if begun:
        debit.begin_drawing()
    child = os.fork()
    if child == 0:
        try:
            debit.begin_drawing()
            os._exit(0)
        except PolicyError:
            os._exit(4)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == (0 if begun else 4)
    debit.begin_drawing()
    assert kinds(ledger.path)[2:] == ["debit", "drawing"]


class Interrupter:
    """Interrupts at the n-th line that is run in the ledger."""

    def __init__(self, line):
        self.left = line
        self.folder = str(Path(store.__file__).parent)

    def __call__(self, frame, event, _argument):
        if not frame.f_code.co_filename.startswith(self.folder):
            return None
        if event == "line":
            self.left -= 1
            if self.left == 0:
                raise KeyboardInterrupt
        return self

    def __enter__(self):
        self.before = sys.gettrace()
        sys.settrace(self)

    def __exit__(self, *_error):
        sys.settrace(self.before)


@pytest.mark.thorough
def test_interrupted_in_any_line_a_debit_is_whole_or_not_and_no_noise_is_drawn_unnoted(tmp_path, monkeypatch):
    ledger, line, ended = granted(tmp_path), 0, False
    empty = ledger.path.read_bytes()
    while not ended:
        line += 1
        # Before a block of `with` ends Python delivers no signal, and a trace does: its guard would stay with this thread for ever.
        monkeypatch.setattr(store, "_HANDLES", store._Handles())
        ledger.path.write_bytes(empty)
        words = []
        try:
            with without_syncing(), Interrupter(line):
                debit = ledger.debit(WANTED)
                words.append(SecureRandom(before_words=debit.begin_drawing).words(1))
                debit.release(b"manifest")
            ended = True
        except KeyboardInterrupt:
            pass
        told = kinds(ledger.path)
        assert told == ["created", "grant", "debit", "drawing", "released"][: len(told)]
        assert "drawing" in told or not words
        assert [path.name for path in tmp_path.iterdir()] == ["ledger.sqlite"]
        if line % 20 == 0:
            assert ledger.check().faults == []
    assert line > 200
    assert len(told) == 5
