"""The stress of scripts/stress batch in small: killed again and again, and resumed; and a cluster that was there before."""

from __future__ import annotations

import importlib
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from clusters import free_port
from goldens import figures
from paid_study import PLAN, changed, write_gaze
from refusals import refused

import synthrelease
from synthrelease.building.batch import BUILT, batch
from synthrelease.errors import MachineError
from synthrelease.parallel.cluster import Cluster

SCRIPTS = Path(__file__).parent.parent.parent / "scripts"


@pytest.fixture(scope="module")
def stresses() -> Any:
    """Return the script's module."""
    sys.path.insert(0, str(SCRIPTS))
    try:
        return importlib.import_module("stresses.batch")
    finally:
        sys.path.remove(str(SCRIPTS))


@pytest.mark.thorough
@pytest.mark.parametrize("worker", [0, 1], ids=["coordinator", "worker"])
def test_killed_and_resumed_nothing_is_lost_or_doubled(stresses: Any, tmp_path: Path, worker: int) -> None:
    stress = stresses.Stress(tmp_path, 2, "loky")
    stress.more_plans(8)
    stress.round(after_s=0.1, worker=bool(worker), from_first_debit=True)
    assert sum(stress.killed.values()) == 1
    assert stress.codes == ([0] if worker else [-signal.SIGKILL])
    if not worker:
        assert stress.built < 8
        assert stress.round(after_s=None, worker=False) == 0
    stress.check_all()
    assert stress.broken == []


@pytest.mark.thorough
def test_the_stress_notices_what_is_broken(stresses: Any, tmp_path: Path) -> None:
    """One bundle in the place of another, something half written, a bundle taken away."""
    stress = stresses.Stress(tmp_path, 1, "loky")
    stress.more_plans(2)
    stress.round(after_s=None, worker=False)
    first, second = sorted(stress.out.glob("*.h5"))
    first.write_bytes(second.read_bytes())
    (stress.out / ".x.partial").touch()
    stress.check_all()
    assert len(stress.broken) == 2
    second.unlink()
    stress.check_all()
    assert [1, 2] in map(figures, stress.broken)  # bundles, and plans


# --- a cluster that was there before


@pytest.mark.thorough
def test_a_cluster_that_was_there_before_loses_a_worker_and_no_bundle(
    scheduler: tuple[str, list[subprocess.Popen[bytes]]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same bundles as alone, byte for byte, under a test seed."""
    address, workers = scheduler
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    write_gaze(tmp_path)
    plans = [tmp_path / f"plan-{n}.toml" for n in range(12)]
    for n, plan in enumerate(plans):
        plan.write_text(
            changed(PLAN, version=f'"1.0.{n}"').replace('ledger = "ledger.sqlite"\ndataset = "study"', "")
        )
    alone = batch(plans, tmp_path / "alone", test_seed=5)
    ended = 0

    def kill_one_on_the_way(_: object) -> None:
        nonlocal ended
        ended += 1
        if ended == 3:
            workers[0].kill()

    def cluster() -> Cluster:
        made = Cluster(address, 1)
        deadline = time.monotonic() + 60
        while len(made._client.nthreads()) < 2 and time.monotonic() < deadline:
            time.sleep(0.1)
        return made

    done = batch(plans, tmp_path / "out", test_seed=5, cluster=cluster, ended=kill_one_on_the_way)
    assert [one.state for one in done] == [BUILT] * 12, [one.reason for one in done]
    for one, other in zip(done, alone, strict=True):
        assert one.bundle is not None
        assert other.bundle is not None
        assert one.bundle.read_bytes() == other.bundle.read_bytes()


@pytest.mark.thorough
def test_no_scheduler_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("synthrelease.parallel.cluster._CONNECT_S", 1)
    address = f"tcp://127.0.0.1:{free_port()}"
    with refused(MachineError, "no-scheduler", where=address) as refusal:
        Cluster(address, 1)
    assert refusal.value.exit_code == 6


@pytest.mark.thorough
def test_a_worker_of_another_version_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its sums could differ in a digit, or in a rule."""
    write_gaze(tmp_path)
    plan = tmp_path / "plan.toml"
    plan.write_text(PLAN.replace('ledger = "ledger.sqlite"\ndataset = "study"', ""))
    honest = synthrelease.parallel.cluster.versions()
    monkeypatch.setattr("synthrelease.parallel.cluster.versions", lambda: {**honest, "polars": "0.0"})
    (one,) = batch([plan], tmp_path / "out", test_seed=5, cluster=lambda: Cluster(None, 1))
    assert one.code == "worker-versions-differ"
    assert "polars 0.0" in one.reason
