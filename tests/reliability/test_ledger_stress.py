"""The stress of scripts/stress ledger in small: builds at once against one ledger, killed at random moments or not.

Builds are processes of their own, forked from a server that has imported everything: a build by itself is quick.
"""

from __future__ import annotations

import importlib
import multiprocessing
import subprocess
import sys
import threading
from multiprocessing.connection import wait
from pathlib import Path

import pytest
from paid_study import run_build
from spending import forge

SCRIPTS = Path(__file__).parent.parent.parent / "scripts"
BUILDS, GRANT_FOR, AT_ONCE = 12, 4, 6


@pytest.fixture(scope="module")
def stresses():
    """Return the script's module."""
    sys.path.insert(0, str(SCRIPTS))
    try:
        return importlib.import_module("stresses.ledger")
    finally:
        sys.path.remove(str(SCRIPTS))


class Build:
    """As much of `subprocess.Popen` as the stress uses."""

    server = multiprocessing.get_context("forkserver")
    server.set_forkserver_preload(
        ["synthrelease.building.builder", "synthrelease.cli", "synthrelease.bundle"]
    )
    lock = threading.Lock()  # starting a process asks for the state of all others, which only one thread may

    def __init__(self, plan: Path, bundle: Path) -> None:
        with self.lock:
            self.process = self.server.Process(target=run_build, args=(str(plan), str(bundle)))
            self.process.start()

    def wait(self, limit: float | None = None) -> int | None:
        wait([self.process.sentinel], limit)
        with self.lock:
            code = self.process.exitcode
        if code is None:
            raise subprocess.TimeoutExpired("build", limit)
        return code

    def kill(self) -> None:
        with self.lock:
            self.process.kill()


@pytest.mark.thorough
def test_exactly_the_granted_builds_succeed(stresses, tmp_path):
    stress = stresses.Stress(tmp_path, GRANT_FOR, Build)
    stresses.storm(stress, builds=BUILDS, at_once=AT_ONCE)
    assert stress.broken == []
    assert sorted(stress.codes) == [0] * GRANT_FOR + [4] * (BUILDS - GRANT_FOR)


@pytest.mark.thorough
def test_the_same_killed_at_random_moments(stresses, tmp_path):
    told = []
    stress = stresses.Stress(tmp_path, GRANT_FOR, Build)
    assert stress.build(BUILDS + GRANT_FOR, kill=(False, 0.0)) == stresses.KILLED  # whatever the others' luck
    stresses.storm_with_kills(stress, builds=BUILDS, at_once=AT_ONCE, tell=told.append)
    assert stress.broken == []
    assert len(told) == 2


@pytest.mark.thorough
def test_the_stress_notices_what_it_looks_for(stresses, tmp_path):
    """A control: the same checks on ledgers that under-count."""
    stress = stresses.Stress(tmp_path, 2, Build)
    assert (stress.build(0), stress.build(1)) == (0, 0)
    stress.check()
    assert stress.broken == []
    whole = stress.ledger.path.read_bytes()
    for forged in (
        lambda bodies: bodies[:5],
        lambda bodies: [one for one in bodies if one["kind"] not in ("drawing", "released")],
        lambda bodies: bodies[5]["charge"].update(events=[]),
    ):
        forge(stress.ledger.path, forged)
        stress.broken.clear()
        stress.check()
        assert stress.broken
        stress.ledger.path.write_bytes(whole)
    stress.grant_for = 1
    stress.broken.clear()
    stress.check()
    assert len(stress.broken) == 1
    assert "≤" in stress.broken[0]


def test_the_script_says_what_it_can_do():
    done = subprocess.run([sys.executable, SCRIPTS / "stress"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    modules = sorted(path.stem for path in (SCRIPTS / "stresses").glob("[!_]*.py"))
    assert len(modules) > 5
    assert f"{{{','.join(modules)}}}" in done.stderr
    done = subprocess.run(
        [sys.executable, SCRIPTS / "stress", "ledger", "--help"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0
    assert "--kill" in done.stdout
