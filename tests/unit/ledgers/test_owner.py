"""Which process a debit belongs to, and whether it has ended."""

import json
import multiprocessing
import os
import platform
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from synthrelease.ledgers import owner
from synthrelease.ledgers.owner import Owner

HAS_PROC = Path("/proc/self/stat").exists()


def test_this_process_has_not_ended():
    this = Owner.this()
    assert this.pid == os.getpid()
    assert this.host == platform.node()
    assert not this.has_ended()
    assert Owner.this() == this
    assert Owner.from_json(this.to_json()) == this


def test_a_process_that_is_gone_has_ended():
    code = (
        "import json; from synthrelease.ledgers.owner import Owner; print(json.dumps(Owner.this().to_json()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert Owner.from_json(json.loads(done.stdout)).has_ended()


def test_a_living_process_has_not_ended_until_it_is_killed():
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    theirs = replace(Owner.this(), pid=child.pid, started=owner._started(child.pid))
    assert not theirs.has_ended()
    child.kill()
    child.communicate()
    assert theirs.has_ended()


def test_another_machine_is_never_said_to_have_ended():
    assert not replace(Owner.this(), host="elsewhere", boot="x", pid=2**31 - 1).has_ended()


def test_a_machine_that_was_started_again_ended_everything():
    assert replace(Owner.this(), boot="before").has_ended()


@pytest.mark.skipif(not HAS_PROC, reason="the system does not tell when a process began")
def test_a_number_that_is_used_again_is_another_process():
    this = Owner.this()
    assert int(this.started) > 0
    assert replace(this, started="1").has_ended()


def test_processes_of_other_users_live(monkeypatch):
    def refuse(_pid, _signal):
        raise PermissionError

    monkeypatch.setattr(os, "kill", refuse)
    assert not Owner.this().has_ended()


def test_where_the_system_tells_nothing_a_living_number_counts_as_living(monkeypatch):
    monkeypatch.setattr(owner, "_boot", lambda: "")
    monkeypatch.setattr(owner, "_started", lambda _pid: "")
    this = Owner.this()
    assert (this.boot, this.started) == ("", "")
    assert not this.has_ended()
    gone = multiprocessing.get_context("spawn").Process(target=int)
    gone.start()
    pid = gone.pid
    gone.join()
    assert replace(this, pid=pid).has_ended()


def test_a_name_with_spaces_and_brackets_does_not_confuse(monkeypatch):
    stat = "7 (a) b (c) " + " ".join(["S", *map(str, range(4, 30))])

    monkeypatch.setattr("pathlib.Path.read_text", lambda _self: stat)
    assert owner._started(7) == "22"


@pytest.mark.parametrize(
    "form",
    [
        {},
        {"host": "h", "boot": "b", "pid": "7", "started": ""},
        {"host": "h", "boot": "b", "pid": 0, "started": ""},
        {"host": "h", "boot": "b", "pid": -1, "started": ""},
        {"host": "h", "boot": "b", "pid": 2**63, "started": ""},
        {"host": "h", "boot": "b", "pid": 7},
        [],
    ],
)
def test_what_is_no_process_is_refused(form):
    with pytest.raises((KeyError, TypeError)):
        Owner.from_json(form)
