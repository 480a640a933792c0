"""Many plans: each on its own feet, the same bundles by whatever pool, and nothing built or paid for twice."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import pytest
from click.testing import CliRunner, Result
from forging import forge
from goldens import check_text, figures
from invented_study import (
    write_areas_study,
    write_heatmaps_study,
    write_records_study,
    write_signals_study,
    write_statistics_study,
)
from paid_study import PLAN, changed, grant, write_gaze
from processes import KillsOne
from refusals import refused
from signed import CURATOR
from spending import kinds

import synthrelease
from synthrelease.building import batch as module
from synthrelease.building.batch import BUILT, FAILED, KEPT, PlanOutcome, batch
from synthrelease.building.journal import NAME, Journal
from synthrelease.bundle.layout import USER_BLOCK, user_block
from synthrelease.bundle.signing.sign import sign
from synthrelease.bundle.strict_hdf5.bundle_file import BundleFile
from synthrelease.cli import main
from synthrelease.errors import MachineError
from synthrelease.files.partial_files import Partial
from synthrelease.parallel import cluster as cluster_module
from synthrelease.parallel.cluster import Cluster


def write_plans(folder: Path, number: int, *, epsilon: float = 10.0) -> list[Path]:
    """Plans of one small study, with a ledger that grants so much."""
    write_gaze(folder)
    grant(folder, epsilon)
    paths = [folder / f"plan-{n}.toml" for n in range(number)]
    for n, path in enumerate(paths):
        path.write_text(changed(PLAN, version=f'"1.0.{n}"', epsilon="0.1"))
    return paths


@pytest.fixture
def plans(tmp_path: Path) -> list[Path]:
    return write_plans(tmp_path, 4)


def states(done: list[PlanOutcome]) -> list[str]:
    return [one.state for one in done]


def codes(done: list[PlanOutcome]) -> list[str]:
    return [one.code for one in done]


def bundles(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.glob("*.h5"))}


def test_every_plan_has_its_bundle_and_is_paid_for_once(plans: list[Path], tmp_path: Path) -> None:
    told: list[PlanOutcome] = []
    done = batch(plans, tmp_path / "out", ended=told.append)
    assert states(done) == [BUILT] * 4
    assert [one.plan for one in done] == plans
    assert sorted(told, key=lambda one: one.plan) == done
    for one in done:
        assert one.bundle is not None
        assert synthrelease.verify(one.bundle).ok
    ledger = tmp_path / "ledger.sqlite"
    assert sorted(kinds(ledger)) == sorted(["created", "grant", *["debit", "drawing", "released"] * 4])
    left = {path.name for path in (tmp_path / "out").iterdir()}
    names = {f"small-study-1.0.{n}" for n in range(4)}
    assert left == {NAME, *(f"{n}.h5" for n in names), *(f"{n}.manifest.json" for n in names)}


@pytest.mark.thorough
def test_one_failure_spoils_no_other(plans: list[Path], tmp_path: Path) -> None:
    plans[1].write_text(plans[1].read_text().replace('path = "gaze.csv"', 'path = "canary.csv"'))
    plans[2].write_text("[release")
    done = batch([*plans, tmp_path / "none.toml"], tmp_path / "out", jobs=2)
    assert states(done) == [BUILT, FAILED, FAILED, BUILT, FAILED]
    assert codes(done) == ["", "no-such-file", "bad-syntax", "", "no-such-file"]
    for number, name in ((1, "canary.csv"), (2, "plan-2.toml"), (4, "none.toml")):
        assert name in done[number].reason
    assert all(one.bundle is None for one in done if one.state == FAILED)
    assert len(bundles(tmp_path / "out")) == 2


def test_two_inputs_of_one_plan_that_cannot_be_read_are_one_failure(
    plans: list[Path], tmp_path: Path
) -> None:
    """They are read side by side, and both fail."""
    inputs, _, outputs = plans[0].read_text().partition("[inputs.gaze]")[2].partition("[[outputs]]")
    second = f"\n[inputs.again]{inputs}[[outputs]]{outputs}"
    second = second.replace('"gaze"\nmech', '"again"\nmech').replace('"maps"', '"more"')
    bad = plans[0].read_text() + second
    plans[0].write_text(bad.replace("gaze.csv", "bad.csv"))
    (tmp_path / "bad.csv").write_text((tmp_path / "gaze.csv").read_text().replace(",garden,", ",garden,a", 1))
    done = batch(plans[:2], tmp_path / "out")
    assert states(done) == [FAILED, BUILT]
    assert done[0].code == "bad-number"


def test_beyond_the_grant_plans_are_refused_and_the_others_stand(tmp_path: Path) -> None:
    plans = write_plans(tmp_path, 6, epsilon=0.15)
    done = batch(plans, tmp_path / "out")
    built = states(done).count(BUILT)
    assert 1 <= built < 6
    assert states(done) == [BUILT] * built + [FAILED] * (6 - built)
    assert codes(done)[built:] == ["exceeds-grant"] * (6 - built)


def test_an_error_of_ours_is_told_without_its_words(
    plans: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They may quote a cell of someone's data."""

    def break_down(*_: object) -> None:
        raise ZeroDivisionError("canary")

    monkeypatch.setattr("synthrelease.building.ready._read_once", break_down)
    (one,) = batch(plans[:1], tmp_path / "out")
    assert one.code == "internal-error"
    for name in ("ZeroDivisionError", "test_batch.py"):
        assert name in one.reason
    assert "canary" not in one.reason


def test_two_plans_of_one_bundle_are_one_too_many(plans: list[Path], tmp_path: Path) -> None:
    plans[1].write_text(plans[0].read_text())
    done = batch(plans[:2], tmp_path / "out")
    assert states(done) == [BUILT, FAILED]
    assert done[1].code == "duplicate-release"
    assert str(plans[0]) in done[1].reason


# --- the same bundles


def write_studies(folder: Path) -> list[Path]:
    """Plans of every kind of output, each with data of its own."""
    kinds_of_plans: dict[str, Callable[[Path], Path]] = {
        "areas": write_areas_study,
        "heatmaps": write_heatmaps_study,
        "capped": lambda own: write_heatmaps_study(own, capped=True),
        "records": write_records_study,
        "signals": write_signals_study,
        "statistics": write_statistics_study,
    }
    paths = []
    for name, write in kinds_of_plans.items():
        (folder / name).mkdir()
        path = write(folder / name)
        text = path.read_text()
        head, version, rest = text.partition("version = ")
        path.write_text(f'{head}{version}"{len(paths)}.0.0"{rest[rest.index(chr(10)) :]}')
        paths.append(path)
    return paths


@pytest.fixture(scope="module")
def studies(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Path], dict[str, bytes]]:
    """Plans of every kind, and their bundles as one process builds them."""
    folder = tmp_path_factory.mktemp("studies")
    paths = write_studies(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOURCE_DATE_EPOCH", "1700000000")
        done = batch(paths, folder / "out", test_seed=3)
    assert states(done) == [BUILT] * len(paths), [one.reason for one in done]
    return paths, bundles(folder / "out")


@pytest.mark.thorough
@pytest.mark.parametrize("pool", ["loky", "dask"])
@pytest.mark.parametrize("kill", [0, 1], ids=["", "a worker killed"])
def test_bundles_do_not_depend_on_who_worked(
    studies: tuple[list[Path], dict[str, bytes]],
    pool: str,
    kill: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Byte for byte, under a test seed; however many parts there are, and whoever died on the way."""
    paths, expected = studies
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    cluster = (lambda: Cluster(None, 2)) if pool == "dask" else None
    killer, variables = KillsOne(), dict(os.environ)
    ended = killer if kill else lambda _: None
    done = batch(paths, tmp_path, jobs=2, cluster=cluster, test_seed=3, ended=ended)
    assert {name for name in variables if os.environ.get(name) != variables[name]} == set()
    assert (
        "PYTHONSAFEPATH" not in os.environ
    )  # else what the caller starts next would not find its own modules
    assert len(killer.killed) == kill
    assert states(done) == [BUILT] * len(paths), [one.reason for one in done]
    assert bundles(tmp_path) == expected


@pytest.mark.thorough
def test_a_single_build_is_the_batch_s(
    studies: tuple[list[Path], dict[str, bytes]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths, expected = studies
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    monkeypatch.chdir(tmp_path)
    for path in paths[:2]:
        built = synthrelease.build(path, test_seed=3, jobs=2).path
        assert built.read_bytes() == expected[built.name]


# --- resumed


def test_resumed_nothing_is_built_again(plans: list[Path], tmp_path: Path) -> None:
    batch(plans[:2], tmp_path / "out")
    before, paid = bundles(tmp_path / "out"), kinds(tmp_path / "ledger.sqlite")
    done = batch(plans, tmp_path / "out", resume=True)
    assert states(done) == [KEPT, KEPT, BUILT, BUILT]
    assert before.items() <= bundles(tmp_path / "out").items()
    assert sorted(kinds(tmp_path / "ledger.sqlite")) == sorted([*paid, *["debit", "drawing", "released"] * 2])


def test_resumed_a_signed_bundle_is_the_one_that_was_built(plans: list[Path], tmp_path: Path) -> None:
    out = tmp_path / "out"
    (built, second) = batch(plans[:2], out)
    assert built.bundle is not None
    assert second.bundle is not None
    sign(built.bundle, CURATOR)
    before = built.bundle.read_bytes()
    assert states(batch(plans[:2], out, resume=True)) == [KEPT, KEPT]
    assert built.bundle.read_bytes() == before
    forge(built.bundle, lambda manifest: manifest["release"].update(title="Another"))
    with h5py.File(second.bundle, "r+") as file:  # other values, under the manifest that was built
        file["/outputs/maps/noisy"][...] += 1
    body = second.bundle.read_bytes()[USER_BLOCK:]
    second.bundle.write_bytes(user_block(body, test_seed=False) + body)
    done = batch(plans[:2], out, resume=True)
    assert states(done) == [FAILED, FAILED]
    assert codes(done) == ["bundle-changed"] * 2


def test_not_resumed_what_is_there_is_in_the_way(plans: list[Path], tmp_path: Path) -> None:
    batch(plans[:1], tmp_path / "out")
    done = batch(plans[:2], tmp_path / "out")
    assert states(done) == [FAILED, BUILT]
    assert done[0].code == "file-exists"
    for name in ("resume=True", "version", "force=True"):
        assert name in done[0].reason
    assert states(batch(plans[:1], tmp_path / "out", force=True)) == [BUILT]


def test_a_plan_that_was_changed_is_another(plans: list[Path], tmp_path: Path) -> None:
    batch(plans[:1], tmp_path / "out")
    plans[0].write_text(plans[0].read_text() + "\n")
    (one,) = batch(plans[:1], tmp_path / "out", resume=True)
    assert one.code == "file-exists"
    assert "force=True" in one.reason
    assert "resume" not in one.reason
    assert states(batch(plans[:1], tmp_path / "out", resume=True, force=True)) == [BUILT]


def test_another_test_seed_is_another_bundle(plans: list[Path], tmp_path: Path) -> None:
    assert states(batch(plans[:1], tmp_path / "out", test_seed=1)) == [BUILT]
    assert states(batch(plans[:1], tmp_path / "out", test_seed=1, resume=True)) == [KEPT]
    (one,) = batch(plans[:1], tmp_path / "out", test_seed=2, resume=True)
    assert one.code == "file-exists"
    assert states(batch(plans[:1], tmp_path / "out", resume=True)) == [BUILT]


@pytest.mark.parametrize("harm", ["gone", "changed", "changed in its text block"])
def test_a_bundle_that_is_not_as_it_was_built_is_not_taken_for_it(
    plans: list[Path], tmp_path: Path, harm: str
) -> None:
    (one,) = batch(plans[:1], tmp_path / "out")
    assert one.bundle is not None
    if harm == "gone":
        one.bundle.unlink()
    elif harm == "changed":
        whole = one.bundle.read_bytes()
        one.bundle.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    else:
        with BundleFile(one.bundle) as file:
            block, digest = file.text_block, file.body_digest()
        wrong = block.replace(digest.encode(), digest[::-1].encode())
        one.bundle.write_bytes(wrong + one.bundle.read_bytes()[len(block) :])
    (again,) = batch(plans[:1], tmp_path / "out", resume=True)
    assert again.state == FAILED
    assert again.code == ("bundle-gone" if harm == "gone" else "bundle-changed")
    assert "force=True" in again.reason
    assert kinds(tmp_path / "ledger.sqlite").count("debit") == 1
    assert states(batch(plans[:1], tmp_path / "out", resume=True, force=True)) == [BUILT]
    assert kinds(tmp_path / "ledger.sqlite").count("debit") == 2


class Died(BaseException):
    """As if the coordinator had been killed just here."""


@pytest.mark.parametrize("moment", ["before", "after"])
def test_killed_around_the_moment_of_the_name_it_goes_on_with_what_stands(
    plans: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    """Before, nothing stands, and building pays again; after, the bundle stands, and is kept."""
    real = module.atomic.move_into_place

    def die(beside: Partial, *, force: bool, mode: int) -> None:
        if moment == "after":
            real(beside, force=force, mode=mode)
        raise Died

    with monkeypatch.context() as patch:
        patch.setattr("synthrelease.files.atomic.move_into_place", die)
        with pytest.raises(Died):
            batch(plans[:1], tmp_path / "out")
    stands = moment == "after"
    assert len(bundles(tmp_path / "out")) == stands
    (one,) = batch(plans[:1], tmp_path / "out", resume=True)
    assert one.state == (KEPT if stands else BUILT)
    assert kinds(tmp_path / "ledger.sqlite").count("debit") == 1 + (not stands)
    assert one.bundle is not None
    assert synthrelease.verify(one.bundle).ok
    assert one.bundle.with_name("small-study-1.0.0.manifest.json").exists()
    assert states(batch(plans[:1], tmp_path / "out", resume=True)) == [KEPT]


def test_what_a_killed_batch_left_half_written_is_swept_away(plans: list[Path], tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / ".small-study-1.0.0.h5.x1y2z3_4.partial").touch()
    (out / ".other.h5.x1y2z3_4.partial").touch()
    batch(plans[:1], out, resume=True)
    assert [path.name for path in out.iterdir() if path.name.endswith(".partial")] == [
        ".other.h5.x1y2z3_4.partial"
    ]


def test_what_was_left_beside_a_bundle_that_is_kept_is_swept_away_too(
    plans: list[Path], tmp_path: Path
) -> None:
    """It was killed after the bundle had its name: the manifest is written from it."""
    (one,) = batch(plans[:1], tmp_path / "out")
    assert one.bundle is not None
    text = one.bundle.with_name("small-study-1.0.0.manifest.json")
    before = text.read_bytes()
    text.rename(text.with_name(f".{text.name}.x1y2z3_4.partial"))
    (tmp_path / "out" / ".small-study-1.0.0.h5.x1y2z3_4.partial").hardlink_to(one.bundle)
    journal = tmp_path / "out" / NAME
    journal.write_text(journal.read_text().splitlines()[0] + "\n")
    assert states(batch(plans[:1], tmp_path / "out", resume=True)) == [KEPT]
    assert text.read_bytes() == before
    assert {path.name for path in (tmp_path / "out").iterdir()} == {NAME, one.bundle.name, text.name}


def test_a_folder_in_which_a_batch_works_is_refused(plans: list[Path], tmp_path: Path) -> None:
    with Journal(tmp_path / "out"), refused(MachineError, "folder-locked", where=tmp_path / "out"):
        batch(plans, tmp_path / "out")


def test_a_lost_cluster_ends_what_is_left_and_keeps_what_is_done(plans: list[Path], tmp_path: Path) -> None:
    def lost() -> Any:
        raise MachineError("no-scheduler", "no Dask scheduler answers", where="tls://nowhere:1")

    batch(plans[:1], tmp_path / "out")
    done = batch(plans, tmp_path / "out", resume=True, cluster=lost)
    assert states(done) == [KEPT, FAILED, FAILED, FAILED]
    assert codes(done) == ["", *["no-scheduler"] * 3]
    assert "tls://nowhere:1" in done[1].reason
    assert kinds(tmp_path / "ledger.sqlite").count("debit") == 1


# --- the command


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(a) for a in arguments])


def test_the_command_ends_with_5_and_the_reasons_if_a_part_failed(plans: list[Path], tmp_path: Path) -> None:
    plans[1].write_text(plans[1].read_text().replace('path = "gaze.csv"', 'path = "none.csv"'))
    ended = run("batch", "--yes", *plans, "--output", tmp_path / "out", "--jobs", 1)
    assert ended.exit_code == 5
    check_text("batch/part-failed", ended.stdout, folder=tmp_path)
    assert [figures(line)[:2] for line in ended.stderr.splitlines()] == [[n, 4] for n in (1, 2, 3, 4)]
    again = run("batch", "--yes", *plans, "--output", tmp_path / "out", "--jobs", 1, "--resume", "--json")
    assert again.exit_code == 5
    told = json.loads(again.stdout)
    assert [one["state"] for one in told] == ["kept", "failed", "kept", "kept"]
    assert told[0]["bundle"].endswith("small-study-1.0.0.h5")
    assert told[1]["bundle"] is None
    assert [one["code"] for one in told] == [None, "no-such-file", None, None]


@pytest.mark.thorough
def test_the_command_ends_with_0_if_all_is_well(plans: list[Path], tmp_path: Path) -> None:
    ended = run("--quiet", "batch", "--yes", *plans, "-o", tmp_path / "out")
    assert ended.exit_code == 0
    assert ended.stderr == ""
    check_text("batch/built", ended.stdout, folder=tmp_path)
    again = run("--quiet", "batch", "--yes", *plans, "-o", tmp_path / "out", "--resume")
    check_text("batch/kept", again.stdout, folder=tmp_path)


def test_a_scheduler_goes_with_dask(plans: list[Path], tmp_path: Path) -> None:
    done = run("batch", "--yes", *plans, "-o", tmp_path / "out", "--scheduler", "tcp://127.0.0.1:1")
    assert done.exit_code == 2
    assert "--backend dask" in done.stderr  # not a sentence: an option
    assert run("batch", "--yes", "-o", tmp_path / "out").exit_code == 2


def test_a_scheduler_that_others_can_hear_is_warned_of(
    plans: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster_module, "_CONNECT_S", 0.1)
    asked = ["batch", "--yes", plans[0], "-o", tmp_path / "out", "--backend", "dask", "--json", "--scheduler"]
    for address, is_warned_of in (("tcp://127.0.0.1:1", False), ("tcp://head.invalid:1", True)):
        done = run(*asked, address)
        assert done.exit_code == 5
        assert [one["code"] for one in json.loads(done.stdout)] == ["no-scheduler"]
        assert ("warning" in done.stderr, "TLS" in done.stderr) == (is_warned_of, is_warned_of)


@pytest.mark.parametrize(
    ("scheduler", "overheard"),
    [
        ("tls://head:8786", False),
        ("wss://head:8786", False),
        ("tcp://127.0.0.1:8786", False),
        ("tcp://[::1]:8786", False),
        ("localhost:8786", False),
        ("tcp://10.0.0.1:8786", True),
        ("ws://head:8786", True),
        ("head:8786", True),
        ("127.example.org:8786", True),
    ],
)
def test_who_hears_a_scheduler(scheduler: str, *, overheard: bool) -> None:
    assert cluster_module.is_overheard(scheduler) is overheard


def test_a_bad_policy_ends_a_batch_at_once(plans: list[Path], tmp_path: Path) -> None:
    (tmp_path / "policy.toml").write_text("[policy]\n")
    done = run("batch", "--yes", *plans, "-o", tmp_path / "out", "--policy", tmp_path / "policy.toml")
    assert done.exit_code == 3
    assert done.stderr.count("policy.toml") == 1
    assert not (tmp_path / "out").exists()


# A full disk


@pytest.mark.parametrize("calls", [0, 1, 2, 3])
def test_a_journal_that_cannot_be_written_costs_no_bundle(
    plans: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, calls: int
) -> None:
    """The disk is full from some line on: every bundle stands, and who cannot be noted is told so."""
    real, made = os.pwrite, []

    def full(*arguments: Any) -> int:
        made.append(arguments)
        if len(made) > calls:
            raise OSError(errno.ENOSPC, "")
        return real(*arguments)

    monkeypatch.setattr(os, "pwrite", full)
    done = batch(plans[:2], tmp_path / "out")
    monkeypatch.undo()
    assert [one.state for one in done].count(BUILT) == calls // 2
    for one in done:
        assert one.bundle is not None
        assert synthrelease.verify(one.bundle).ok
        assert one.code in ("", "cannot-write")
        assert (str(one.bundle) in one.reason) == (one.state == FAILED)
    again = batch(plans[:2], tmp_path / "out", resume=True)
    assert BUILT not in {one.state for one in again}  # nothing is built, and paid for, twice


def test_without_room_for_the_journal_nothing_is_built(
    plans: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "")

    monkeypatch.setattr(os, "posix_fallocate", full)
    with refused(MachineError, "cannot-write", where=tmp_path / "out" / NAME):
        batch(plans[:2], tmp_path / "out")
    assert not list((tmp_path / "out").glob("*.h5"))


def test_room_that_a_killed_batch_took_for_its_journal_is_no_entry(plans: list[Path], tmp_path: Path) -> None:
    batch(plans[:1], tmp_path / "out")
    journal = tmp_path / "out" / NAME
    whole = journal.read_bytes()
    assert whole.endswith(b"}\n")  # room that was not used is given back
    journal.write_bytes(whole + bytes(4096))
    (one,) = batch(plans[:1], tmp_path / "out", resume=True)
    assert one.state == KEPT
    assert journal.read_bytes() == whole
