"""No budget is spent by a slip: dry runs, asking, names and room that are taken before a ledger is charged."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import pty
import re
import resource
import signal
import subprocess
import sys
import termios
import threading
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from click.testing import CliRunner, Result
from goldens import check_text, figures
from invented_study import write_study
from paid_study import build_one_of_many, changed, grant, write_paid_study
from refusals import refused
from spending import kinds

import synthrelease
from synthrelease.building import rehearsal
from synthrelease.building.batch import BUILT, FAILED, batch
from synthrelease.building.curator import Payment
from synthrelease.bundle import writer
from synthrelease.bundle.items import OutputDataset
from synthrelease.cli import main
from synthrelease.errors import DataError, MachineError, NotConfirmedError
from synthrelease.files import locks
from synthrelease.files.partial_files import partials
from synthrelease.files.unwritable import PARTIAL
from synthrelease.kinds.dataset import INTEGERS

UNPAID = ["created", "grant"]


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    """Return a plan with a ledger that something is granted in."""
    grant(tmp_path)
    return write_paid_study(tmp_path)


def ledger_of(plan: Path) -> list[str]:
    found: list[str] = kinds(plan.parent / "ledger.sqlite")
    return found


def run(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


def at_terminal(answer: str, *words: object, folder: Path) -> tuple[int, str, str]:
    """Run a command at a terminal of its own and give an answer; return its code, and what it printed there and to a pipe."""
    controller, terminal = pty.openpty()

    def own_terminal() -> None:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # whoever started these tests may ignore it
        os.setsid()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    command = [sys.executable, "-m", "synthrelease", *map(str, words)]
    environment = {**os.environ, "TERM": "dumb", "COLUMNS": "200"}
    with subprocess.Popen(
        command,
        stdin=terminal,
        stdout=subprocess.PIPE,
        stderr=terminal,
        cwd=folder,
        env=environment,
        preexec_fn=own_terminal,  # noqa: PLW1509  a test's own process
    ) as process:
        os.close(terminal)
        shown, asked = bytearray(), threading.Event()

        def read() -> None:
            try:
                while piece := os.read(controller, 4096):
                    shown.extend(piece)
                    if b"[y/N]" in shown:
                        asked.set()
            except OSError:  # the terminal is closed
                pass

        reader = threading.Thread(target=read)
        reader.start()
        try:
            assert asked.wait(60), shown
            os.write(controller, answer.encode())
            printed, _ = process.communicate(timeout=60)
        finally:
            process.kill()
        reader.join()
    os.close(controller)
    return process.returncode, shown.decode().replace("\r\n", "\n"), printed.decode()


def off_screen(plan: Path, share: float) -> None:
    """Move so many of the points off the screen, as a mistaken unit does, and drop them."""
    rows = (plan.parent / "gaze.csv").read_text().splitlines()
    moved = round(share * (len(rows) - 1))
    rows[1 : 1 + moved] = [re.sub(r",([0-9.]+),", r",9\1e3,", row) for row in rows[1 : 1 + moved]]
    (plan.parent / "gaze.csv").write_text("\n".join(rows) + "\n")
    plan.write_text(plan.read_text().replace("[inputs.gaze]", '[inputs.gaze]\noff_screen = "drop"'))


# Dry runs


def test_a_dry_run_reads_all_and_leaves_nothing(plan: Path) -> None:
    off_screen(plan, 0.6)
    before = sorted(plan.parent.iterdir())
    done = run("build", plan, "--dry-run", "-o", plan.parent / "r.h5")
    assert done.exit_code == 0, done.output
    assert sorted(plan.parent.iterdir()) == before
    assert ledger_of(plan) == UNPAID
    check_text("charging/dry-run", done.stdout + done.stderr, folder=plan.parent)


def test_a_dry_run_tells_a_program_the_same(plan: Path) -> None:
    off_screen(plan, 0.25)
    told = json.loads(run("build", plan, "--dry-run", "--json", "-o", plan.parent / "r.h5").stdout)
    assert told["ledger"]["spent_before"] == 0
    assert told["ledger"]["left"] == pytest.approx(10 - told["ledger"]["spent_after"])
    (lost,) = (loss for loss in told["private"]["losses"] if loss["count"])
    assert lost.pop("what")
    assert lost == {"input": "gaze", "feature": None, "reason": "dropped", "count": 60, "total": 240}


def test_a_dry_run_needs_as_much_room_as_it_says(plan: Path) -> None:
    """The bundle and its sidecar are never larger."""
    found = synthrelease.dry_run(plan, plan.parent / "r.h5")
    built = synthrelease.build(plan, plan.parent / "r.h5")
    assert built.path.stat().st_size + built.sidecar.stat().st_size <= found.most_bytes
    assert found.manifest["outputs"][0]["paths"] == built.manifest["outputs"][0]["paths"]


@pytest.mark.parametrize("shape", [(3,), (1000,), (300, 500), (3, 1000, 1000)])
def test_room_is_taken_for_values_that_cannot_be_compressed(tmp_path: Path, shape: tuple[int, ...]) -> None:
    values = np.random.default_rng(1).integers(-(2**63), 2**63 - 1, shape)
    with h5py.File(tmp_path / "values.h5", "w", libver=("earliest", "v108")) as file:
        file.require_group("/outputs/maps")
        file.flush()
        empty = file.id.get_filesize()
        writer.store(file, "/outputs/maps/noisy", values)
    written = (tmp_path / "values.h5").stat().st_size - empty
    assert values.nbytes < written <= rehearsal._most_bytes(OutputDataset("", INTEGERS, shape))


def test_a_dry_run_draws_no_noise(plan: Path) -> None:
    assert run("build", plan, "--dry-run", "--test-seed", 1).exit_code == 2


def test_a_dry_run_says_that_a_build_would_not_replace_what_is_there(plan: Path) -> None:
    taken = plan.parent / "r.h5"
    assert not synthrelease.dry_run(plan, taken).taken
    taken.write_bytes(b"mine")
    assert synthrelease.dry_run(plan, taken).taken
    assert not synthrelease.dry_run(plan, taken, force=True).taken
    assert taken.read_bytes() == b"mine"
    with refused(MachineError, "file-exists"):
        synthrelease.build(plan, taken)


def test_a_dry_run_does_not_say_both_that_it_replaces_and_that_it_does_not(plan: Path) -> None:
    taken = plan.parent / "r.h5"
    taken.write_bytes(b"mine")
    shown = [run("build", plan, "-o", taken, "--dry-run", *more) for more in ((), ("--force",))]
    assert [done.exit_code for done in shown] == [0, 0]
    named = [(done.stdout.count(str(taken)), done.stderr.count(str(taken))) for done in shown]
    assert named == [(1, 1), (2, 0)]  # as the bundle and in the warning; as the bundle and as replaced


def test_a_dry_run_refuses_the_place_of_a_file_that_is_needed(plan: Path) -> None:
    with refused(MachineError, "output-replaces-input"):
        synthrelease.dry_run(plan, plan)


# Asking


@pytest.mark.parametrize("command", [("build",), ("batch", "-o", "out")])
def test_without_a_terminal_nothing_is_charged_unless_it_is_told_to(
    plan: Path, command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(plan.parent)
    done = run(command[0], plan, *command[1:])
    assert done.exit_code == 2
    assert "--yes" in done.stderr
    assert ledger_of(plan) == UNPAID
    assert run(command[0], plan, *command[1:], "--yes").exit_code == 0
    assert ledger_of(plan)[2:] == ["debit", "drawing", "released"]


@pytest.mark.thorough
def test_a_batch_charges_no_mistaken_unit_without_being_asked_either(plan: Path) -> None:
    off_screen(plan, 0.6)
    words = ("batch", plan, "--yes", "-o", plan.parent / "out", "--json")
    done = run(*words)
    assert done.exit_code == 5
    (outcome,) = json.loads(done.stdout)
    assert outcome["code"] == "most-dropped"
    assert ledger_of(plan) == UNPAID
    assert run(*words, "--allow-losses").exit_code == 0
    assert ledger_of(plan)[2:] == ["debit", "drawing", "released"]


def test_what_seems_a_mistaken_unit_is_not_charged_without_being_asked(plan: Path) -> None:
    off_screen(plan, 0.6)
    words = ("build", plan, "--yes", "-o", plan.parent / "r.h5", "--json")
    done = run(*words)
    assert done.exit_code == 3
    error = json.loads(done.stdout)["error"]
    assert error["code"] == "most-dropped"
    assert figures(error["problem"]) == []  # how many is private
    assert ledger_of(plan) == UNPAID
    assert run(*words, "--allow-losses").exit_code == 0
    assert ledger_of(plan)[2:] == ["debit", "drawing", "released"]


@pytest.mark.thorough
def test_at_a_terminal_it_says_what_it_costs_and_asks(plan: Path) -> None:
    code, shown, printed = at_terminal("n\n", "build", plan, "-o", "r.h5", folder=plan.parent)
    assert code == 130
    assert printed == ""
    assert ledger_of(plan) == UNPAID
    assert not (plan.parent / "r.h5").exists()
    check_text("charging/declined", shown, folder=plan.parent)
    code, shown, printed = at_terminal("y\n", "build", plan, "-o", "r.h5", folder=plan.parent)
    assert code == 0, shown
    assert "verified" in printed
    assert ledger_of(plan)[2:] == ["debit", "drawing", "released"]


@pytest.mark.thorough
def test_the_question_says_that_what_is_replaced_stays_paid_for_and_that_most_is_dropped(plan: Path) -> None:
    off_screen(plan, 0.6)
    assert at_terminal("y\n", "build", plan, "-o", "r.h5", folder=plan.parent)[0] == 0
    code, shown, _ = at_terminal("n\n", "build", plan, "-o", "r.h5", "--force", folder=plan.parent)
    assert code == 130
    check_text("charging/replaced-and-dropped", shown, folder=plan.parent)
    assert len(ledger_of(plan)) == 5


@pytest.mark.quick("build-Ctrl-C")
@pytest.mark.parametrize("answer", ["\x03", "\x04", "\n", "no\n"], ids=["Ctrl-C", "Ctrl-D", "nothing", "no"])
@pytest.mark.parametrize("command", [("build", "-o", "r.h5"), ("batch", "-o", "out")], ids=["build", "batch"])
def test_whatever_is_no_yes_charges_nothing(plan: Path, command: tuple[str, ...], answer: str) -> None:
    code, shown, _ = at_terminal(answer, command[0], plan, *command[1:], folder=plan.parent)
    assert code == 130, shown
    assert ledger_of(plan) == UNPAID
    assert not list(plan.parent.rglob("*.h5"))


def test_nothing_is_asked_where_nothing_is_charged(plan: Path) -> None:
    assert run("build", plan, "--test-seed", 1, "-o", plan.parent / "r.h5").exit_code == 0
    assert ledger_of(plan) == UNPAID


def test_a_function_is_asked_in_the_place_of_a_person(plan: Path) -> None:
    asked: list[Payment] = []

    def answer(payment: Payment) -> bool:
        asked.append(payment)
        return len(asked) > 1

    with refused(NotConfirmedError, "not-confirmed"):
        synthrelease.build(plan, plan.parent / "r.h5", confirm=answer)
    assert ledger_of(plan) == UNPAID
    assert not list(plan.parent.glob("*r.h5*"))
    built = synthrelease.build(plan, plan.parent / "r.h5", confirm=answer)
    ledger = built.manifest["ledger"]
    (standing,) = {payment.standing for payment in asked}
    assert (standing.before, standing.here, standing.after) == (
        ledger["spent_before"],
        ledger["spent_here"],
        ledger["spent_after"],
    )
    assert asked[0].left == asked[0].grant.epsilon - standing.after


def test_a_batch_asks_once_for_all_plans_together(plan: Path) -> None:
    plans = [plan, *(second_plan(plan, number) for number in (2, 3))]
    asked: list[Any] = []

    def answer(payments: Any) -> bool:
        asked.append(payments)
        return len(asked) > 1

    with pytest.raises(NotConfirmedError):
        batch(plans, plan.parent / "out", confirm=answer)
    assert ledger_of(plan) == UNPAID
    done = batch(plans, plan.parent / "out", confirm=answer)
    assert [one.state for one in done] == [BUILT] * 3
    assert len(asked) == 2
    ((payment,),) = asked[1:]
    assert len(payment.releases) == 3
    spent = synthrelease.Ledger(plan.parent / "ledger.sqlite").to_json()["study"]["spent"]
    assert payment.standing.after == pytest.approx(float(spent), rel=1e-3)


def test_a_batch_builds_the_plans_that_were_confirmed(plan: Path) -> None:
    """Not what stands in their files by then."""
    asked: list[Any] = []

    def answer(payments: Any) -> bool:
        asked.extend(payments)
        plan.write_text(plan.read_text().replace("epsilon = 1.0", "epsilon = 5.0"))
        return True

    (done,) = batch([plan], plan.parent / "out", confirm=answer)
    assert done.state == BUILT
    spent = synthrelease.Ledger(plan.parent / "ledger.sqlite").to_json()["study"]["spent"]
    assert float(spent) == pytest.approx(asked[0].standing.after, rel=1e-3)


def test_a_batch_leaves_out_the_plan_of_which_most_rows_would_be_dropped(plan: Path) -> None:
    folder = plan.parent / "other"
    folder.mkdir()
    write_paid_study(folder, version='"2"')
    other = folder / "plan.toml"
    other.write_text(other.read_text().replace('"ledger.sqlite"', '"../ledger.sqlite"'))
    off_screen(other, 0.6)
    asked: list[Payment] = []
    one, two = batch(
        [plan, other], plan.parent / "out", confirm=lambda payments: asked.extend(payments) or True
    )
    assert [len(payment.releases) for payment in asked] == [2]  # one ledger, under two paths
    assert (one.state, two.state, two.code) == (BUILT, FAILED, "most-dropped")
    assert ledger_of(plan)[2:] == ["debit", "drawing", "released"]
    (two,) = batch([other], plan.parent / "out2")  # who is not asked has agreed to all
    assert two.state == BUILT


@pytest.mark.thorough
def test_a_batch_at_a_terminal(plan: Path) -> None:
    plans = [plan, second_plan(plan, 2)]
    code, shown, _ = at_terminal("n\n", "batch", *plans, "-o", "out", folder=plan.parent)
    assert code == 130
    check_text("charging/batch", shown, folder=plan.parent)
    assert ledger_of(plan) == UNPAID
    assert at_terminal("y\n", "batch", *plans, "-o", "out", folder=plan.parent)[0] == 0
    assert len(ledger_of(plan)) == 8


def test_a_batch_that_costs_more_than_is_granted_says_so_first(plan: Path) -> None:
    grant(plan.parent, epsilon=1.0)
    asked: list[Payment] = []
    plans = [plan, second_plan(plan, 2)]
    done = batch(plans, plan.parent / "out", confirm=lambda payments: bool(asked.extend(payments)) or True)
    assert asked[0].exceeds_grant
    assert sorted(one.state for one in done) == [BUILT, FAILED]


def second_plan(plan: Path, number: int) -> Path:
    """Return another plan for the same data."""
    other = plan.with_name(f"plan-{number}.toml")
    other.write_text(changed(plan.read_text(), version=f'"{number}"'))
    return other


# Nothing left

PUPILS = """
[release]
name = "pupils"
version = "1"
title = "Pupils"

[privacy]
epsilon = 1.0
delta = 1e-6
ledger = "ledger.sqlite"
dataset = "study"

[inputs.pupil]
kind = "features"
path = "pupil.csv"
columns = { person = "who", recording = "task" }
recordings = ["read"]
missing = [-1]
bounds = { pupil_mm = [1.5, 8.0], open = [0.0, 1.0] }
categories = { mood = ["calm", "tense"] }

[[outputs]]
name = "one"
input = "pupil"
"""
OF_PUPILS = {
    "statistics": 'kind = "statistics"\nstatistics = ["mean"]\nfeatures = ["pupil_mm"]',
    "in groups": 'kind = "statistics"\nstatistics = ["count"]\nby = "mood"',
    "signals": 'kind = "signals"\nlength = 4\nfeatures = ["pupil_mm"]',
    "records": 'kind = "records"\nmodel = "marginals"\nfit = "dp"\nrows = 10\nbins = 2',
}


def write_pupils(folder: Path, output: str, row: str) -> Path:
    """Write a study of one kind of rows."""
    (folder / "pupil.csv").write_text(
        "who,task,pupil_mm,open,mood\n" + "".join(f"p{n},{row}\n" for n in range(30))
    )
    plan = folder / "plan.toml"
    plan.write_text(PUPILS + output + "\n")
    return plan


@pytest.mark.parametrize("output", OF_PUPILS)
@pytest.mark.parametrize(
    ("row", "lost"),
    [
        ("read,4.1,0.5,calm", set()),
        ("read,4100,0.5,calm", {"statistics", "signals"}),  # in micrometres
        ("read,-1,-1,calm", {"statistics", "signals", "in groups", "records"}),
        ("read,4.1,0.5,", {"in groups", "records"}),
    ],
    ids=["sound", "unit", "missing", "no group"],
)
def test_an_output_of_which_nothing_is_left_is_not_paid_for(
    tmp_path: Path, output: str, row: str, lost: set[str]
) -> None:
    grant(tmp_path)
    plan = write_pupils(tmp_path, OF_PUPILS[output], row)
    if output in lost:
        with refused(DataError, "nothing-left") as refusal:
            synthrelease.build(plan, tmp_path / "r.h5")
        assert ledger_of(plan) == UNPAID
        assert not re.search(r"\d", refusal.value.found)  # no numbers of rows
    else:
        assert synthrelease.build(plan, tmp_path / "r.h5").manifest["ledger"]


def test_a_mistaken_unit_that_drops_every_row_is_not_paid_for(plan: Path) -> None:
    off_screen(plan, 1.0)
    with refused(DataError, "nothing-left") as refusal:
        synthrelease.build(plan, plan.parent / "r.h5")
    check_text("charging/nothing-left", str(refusal.value), folder=plan.parent)
    assert ledger_of(plan) == UNPAID


@pytest.mark.parametrize(
    ("column", "keys"),
    [
        ("duration", 'weight = "duration"\nblur_px = 10'),
        ("time", "window = [1000.0, 2000.0]\nblur_px = 10\nframes = 3"),
        ("time", "window = [-2000.0, -1000.0]\nblur_px = 10\nframes = 3"),
    ],
)
def test_rows_without_weight_or_outside_the_window_do_not_count(
    tmp_path: Path, column: str, keys: str
) -> None:
    plan = write_paid_study(tmp_path)
    grant(tmp_path)
    rows = (tmp_path / "gaze.csv").read_text().splitlines()
    value = ("0" if column == "duration" else str(number) for number in range(len(rows)))
    (tmp_path / "gaze.csv").write_text(
        "\n".join(
            [f"{rows[0]},{column}", *(f"{row},{one}" for row, one in zip(rows[1:], value, strict=False))]
        )
    )
    text = plan.read_text().replace('y = "y" }', f'y = "y", {column} = "{column}" }}')
    plan.write_text(text[: text.index("mechanism")] + keys + "\n")
    with refused(DataError, "nothing-left"):
        synthrelease.build(plan, tmp_path / "r.h5")
    assert ledger_of(plan) == UNPAID


# Names and room


@pytest.mark.parametrize("many", [3, pytest.param(6, marks=pytest.mark.thorough)])
def test_of_many_builds_to_one_path_one_is_paid_for(plan: Path, many: int) -> None:
    context = get_context("spawn")
    ready = context.Barrier(many)
    builds = [
        context.Process(target=build_one_of_many, args=(plan, plan.parent / "r.h5", ready))
        for _ in range(many)
    ]
    for one in builds:
        one.start()
    for one in builds:
        one.join(120)
    assert sorted(one.exitcode for one in builds) == [0, *[6] * (many - 1)]
    assert ledger_of(plan)[2:] == ["debit", "drawing", "released"]
    assert synthrelease.verify(plan.parent / "r.h5").ok
    assert not [path for path in plan.parent.iterdir() if path.name.endswith(PARTIAL)]


def test_a_name_that_another_build_writes_is_refused(plan: Path) -> None:
    with partials(plan.parent / "r.h5"), refused(MachineError, "being-written"):
        synthrelease.build(plan, plan.parent / "r.h5")
    assert ledger_of(plan) == UNPAID
    assert synthrelease.build(plan, plan.parent / "r.h5").path.exists()


def test_nothing_is_paid_for_in_a_folder_that_is_kept_locked(
    plan: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As anyone may who can read it: two builds that do not wait for each other could both be paid for."""
    monkeypatch.setattr(locks, "_LONGEST_WAIT_S", 0.05)
    handle = os.open(plan.parent, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        with refused(MachineError, "being-written", where="r.h5"):
            synthrelease.build(plan, plan.parent / "r.h5")
    finally:
        os.close(handle)
    assert ledger_of(plan) == UNPAID
    assert synthrelease.build(plan, plan.parent / "r.h5").path.exists()


@pytest.mark.parametrize("name", ["r.h5", "r.manifest.json"])
def test_nothing_is_paid_for_if_a_file_that_is_to_be_written_is_gone(plan: Path, name: str) -> None:
    def confirm(_payment: Payment) -> bool:
        (file,) = plan.parent.glob(f".{name}.*{PARTIAL}")
        file.unlink()
        return True

    with refused(MachineError, "cannot-write", where=name):
        synthrelease.build(plan, plan.parent / "r.h5", confirm=confirm)
    assert ledger_of(plan) == UNPAID


def test_a_name_that_a_killed_build_wrote_is_free(plan: Path) -> None:
    (plan.parent / f".r.h5.abcdefgh{PARTIAL}").write_bytes(b"x")
    assert synthrelease.build(plan, plan.parent / "r.h5").path.exists()
    assert not [path for path in plan.parent.iterdir() if path.name.endswith(PARTIAL)]


def build_in_little_room(plan: Path, most_bytes: int) -> subprocess.CompletedProcess[str]:
    """Build where no file may be larger."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes))

    return subprocess.run(
        [sys.executable, "-B", "-m", "synthrelease", "build", plan, "--yes", "--json", "-o", "r.h5"],
        preexec_fn=limit,
        capture_output=True,
        text=True,
        cwd=plan.parent,
        check=False,
    )


def test_without_room_for_the_bundle_nothing_is_charged(plan: Path) -> None:
    done = build_in_little_room(plan, 20_000)
    assert done.returncode == 6, done.stderr
    error = json.loads(done.stdout)["error"]
    assert error["code"] == "cannot-write"
    assert figures(error["expected"])[0] > 0.02
    assert ledger_of(plan) == UNPAID
    assert not list(plan.parent.glob("*r.h5*"))


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EIO])
def test_a_full_disk_is_noticed_before_it_is_paid_for(
    plan: Path, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(number, "")

    monkeypatch.setattr(os, "posix_fallocate", full)
    with refused(MachineError, "cannot-write"):
        synthrelease.build(plan, plan.parent / "r.h5")
    assert ledger_of(plan) == UNPAID


def test_a_file_system_that_cannot_take_room_is_written_all_the_same(
    plan: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cannot(*_: object) -> None:
        raise OSError(errno.ENOTSUP, "")

    monkeypatch.setattr(os, "posix_fallocate", cannot)
    assert synthrelease.build(plan, plan.parent / "r.h5").path.exists()


# What is shown of what is returned


def test_what_a_notebook_shows_holds_nothing_private(tmp_path: Path) -> None:
    """`built` at the end of a cell, saved and published."""
    study = write_study(tmp_path)
    built = synthrelease.build(study, tmp_path / "r.h5")
    dry = synthrelease.dry_run(study, tmp_path / "s.h5")
    assert built.notes
    assert dry.notes
    for shown in (repr(built), repr(dry), repr(synthrelease.verify(built.path))):
        assert len(shown) < 200
        assert "notes" not in shown
        for note in (note for notes in (built.notes, dry.notes) for own in notes.values() for note in own):
            assert note not in shown
