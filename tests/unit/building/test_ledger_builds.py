"""Builds against a ledger: paid before the first word is drawn, refused in time, never twice on one debit."""

import hashlib
import signal
import subprocess
import sys
from multiprocessing import get_context
from pathlib import Path
from types import SimpleNamespace

import pytest
from goldens import check_text, figures
from invented_study import write_heatmaps_study
from paid_study import grant, run_build_at_once, write_paid_study
from refusals import refused
from spending import another_process, charge, forge, gaussian, kinds, laplace

import synthrelease
from synthrelease.building import builder
from synthrelease.building.design import make_design
from synthrelease.building.preview import as_text, preview
from synthrelease.bundle.disclosure import warning_sentence
from synthrelease.dp import accounting
from synthrelease.dp import event as events
from synthrelease.errors import BundleError, MachineError, PlanError, PolicyError
from synthrelease.ledgers import Debit
from synthrelease.ledgers.history import EntryKind
from synthrelease.plan import partitions
from synthrelease.plan.plan import load_plan
from synthrelease.reports.summary import as_lines


@pytest.fixture
def plan(tmp_path):
    """Return the path of a plan that names a ledger, which there is not yet."""
    return write_paid_study(tmp_path)


def build(plan, number=1, **options):
    return synthrelease.build(plan, plan.parent / f"r{number}.h5", **options)


def test_a_release_states_what_it_cost_and_what_all_cost(plan):
    ledger = grant(plan.parent)
    first, second = build(plan, 1).manifest, build(plan, 2).manifest
    (event,) = (events.from_json(output["event"]) for output in first["outputs"])
    alone = accounting.compose([event], delta=1e-5).epsilon
    both = accounting.compose(
        [event] * 2, delta=0.9e-5
    ).epsilon  # a tenth of δ is for the day when other noise joins
    told, again = first["ledger"], second["ledger"]
    assert (told["spent_before"], told["spent_here"], told["spent_after"]) == (0, alone, alone)
    assert (again["spent_before"], again["spent_here"], again["spent_after"]) == (alone, alone, both)
    assert told["dataset_id"] == again["dataset_id"]
    assert told["delta"] == 1e-5
    assert kinds(ledger.path) == ["created", "grant", *["debit", "drawing", "released"] * 2]
    debits = ledger.to_json()["study"]["debits"]
    assert [debit["entry"] for debit in debits] == [told["entry"], again["entry"]]
    sidecar = (plan.parent / "r1.manifest.json").read_bytes()
    assert debits[0]["manifest"] == hashlib.sha256(sidecar).hexdigest()
    assert debits[0]["plan"] == hashlib.sha256(plan.read_bytes()).hexdigest()
    assert ledger.check(manifests={"1": first, "2": second}).faults == []
    assert synthrelease.verify(plan.parent / "r2.h5").ok
    (line,) = (line for line in as_lines(second) if line.startswith("Ledger"))
    assert figures(line) == [float(f"{both:.4g}"), 1e-5, float(f"{alone:.4g}"), float(f"{alone:.4g}")]
    check_text("ledger/of-a-build", line)


def test_preview_tells_what_all_releases_will_have_cost_and_pays_nothing(plan):
    ledger = grant(plan.parent, 5.0)
    ledger.debit(charge(gaussian(0.1)))
    before = ledger.path.read_bytes()
    design = make_design(load_plan(plan))
    view = preview(design)
    grant_, standing = ledger.standing(design.charge())
    assert view["ledger"] == {
        "granted": grant_.epsilon,
        "delta": 1e-5,
        "before": standing.before,
        "here": standing.here,
        "after": standing.after,
    }
    lines = as_text(view).splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith("Ledger"))
    after, before_it, alone = (
        float(f"{one:.4g}") for one in (standing.after, standing.before, standing.here)
    )
    assert figures(lines[first]) == [after, 5, 1e-5]
    assert figures(lines[first + 1]) == [before_it, alone]
    check_text("ledger/of-a-preview", "\n".join(lines[first : first + 2]))
    assert ledger.path.read_bytes() == before


def test_a_plan_without_a_ledger_is_as_before(tmp_path):
    plan = write_paid_study(tmp_path)
    grant(tmp_path)
    tracked = build(plan, 1).manifest
    plan.write_text(plan.read_text().replace('ledger = "ledger.sqlite"\ndataset = "study"\n', ""))
    manifest = build(plan, 2).manifest
    assert manifest["ledger"] is None
    (more,) = [one for one in manifest["warnings"] if one not in tracked["warnings"]]
    assert [one for one in manifest["warnings"] if one != more] == tracked["warnings"]
    check_text("ledger/no-ledger", warning_sentence(more))
    assert preview(make_design(load_plan(plan)))["ledger"] is None


def test_a_test_seed_pays_nothing_and_needs_no_ledger(plan):
    assert build(plan, test_seed=1).manifest["ledger"] is None
    ledger = grant(plan.parent)
    build(plan, 2, test_seed=1)
    assert kinds(ledger.path) == ["created", "grant"]


# Refused


def in_parts(monkeypatch):
    """Let the data be too large to be kept from when its facts were read."""
    monkeypatch.setattr(partitions, "PART_CELLS", 100)


def test_refused_before_any_contribution_is_read(plan, monkeypatch):
    ledger = grant(plan.parent, 0.5)

    def never(*_arguments):
        raise AssertionError("data were read")

    in_parts(monkeypatch)
    monkeypatch.setattr(partitions.Partition, "read", never)
    with refused(PolicyError, "exceeds-grant", where="study") as refusal:
        build(plan)
    assert refusal.value.exit_code == 4
    assert figures(refusal.value.expected) == [0.5]  # granted
    assert kinds(ledger.path) == ["created", "grant"]
    assert not (plan.parent / "r1.h5").exists()


def test_refused_again_when_it_is_to_pay(plan, monkeypatch):
    """Another release was paid for while this one read its data."""
    ledger, real = grant(plan.parent, 1.0), partitions.Partition.read

    def meanwhile(*arguments):
        if "debit" not in kinds(ledger.path):
            ledger.debit(charge(gaussian(0.15)))
        return real(*arguments)

    in_parts(monkeypatch)
    monkeypatch.setattr(partitions.Partition, "read", meanwhile)
    with refused(PolicyError, "exceeds-grant", where="study"):
        build(plan)
    assert kinds(ledger.path) == ["created", "grant", "debit"]
    assert not (plan.parent / "r1.h5").exists()


def limited(folder, most):
    policy = folder / "policy.toml"
    policy.write_text(f'[policy]\nname = "Board"\nmax_epsilon_of_dataset = {most}\nmax_delta = 0.1\n')
    return policy


def test_refused_again_by_the_policy_when_it_is_to_pay(plan, monkeypatch):
    """Another release was paid for meanwhile: within the grant, and beyond the policy."""
    ledger, policy, real = grant(plan.parent, 9.0), limited(plan.parent, 1.0), partitions.Partition.read

    def meanwhile(*arguments):
        if "debit" not in kinds(ledger.path):
            ledger.debit(charge(gaussian(0.15)))
        return real(*arguments)

    in_parts(monkeypatch)
    monkeypatch.setattr(partitions.Partition, "read", meanwhile)
    with refused(PolicyError, "exceeds-policy", where="study"):
        build(plan, policy=policy)
    assert kinds(ledger.path) == ["created", "grant", "debit"]
    assert not (plan.parent / "r1.h5").exists()


@pytest.mark.thorough
def test_builds_at_once_do_not_walk_past_the_policy(plan):
    """Each saw an empty ledger when it was checked; the policy has room for one."""
    ledger, policy, context = grant(plan.parent, 9.0), limited(plan.parent, 1.0), get_context("forkserver")
    ready = context.Barrier(3)
    running = [
        context.Process(target=run_build_at_once, args=(plan, plan.parent / f"r{number}.h5", policy, ready))
        for number in range(3)
    ]
    for one in running:
        one.start()
    for one in running:
        one.join()
    assert sorted(one.exitcode for one in running) == [0, 4, 4]
    assert kinds(ledger.path) == ["created", "grant", "debit", "drawing", "released"]
    assert len(list(plan.parent.glob("r*.h5"))) == 1


@pytest.mark.parametrize("made", [True, False])
def test_without_a_grant_nothing_is_built(plan, made):
    if made:
        grant(plan.parent)
        plan.write_text(plan.read_text().replace('dataset = "study"', 'dataset = "other"'))
    kind, code = (PolicyError, "nothing-granted") if made else (PlanError, "no-such-ledger")
    with refused(kind, code, where="ledger.sqlite"):
        build(plan)


def test_a_ledger_that_was_changed_stops_builds(plan):
    ledger = grant(plan.parent)
    forge(ledger.path, lambda bodies: bodies.append({}))
    with refused(PolicyError, "ledger-tampered", where=ledger.path):
        build(plan)


@pytest.mark.parametrize("target", ["no/r.h5", "r1.h5", "."])
def test_what_can_be_seen_beforehand_is_not_paid_for(plan, target):
    ledger = grant(plan.parent)
    (plan.parent / "r1.h5").touch()
    with pytest.raises(MachineError):
        synthrelease.build(plan, plan.parent / target)
    assert kinds(ledger.path) == ["created", "grant"]


# What failed


def failing(name, monkeypatch):
    def fail(*_arguments, **_options):
        raise MemoryError

    monkeypatch.setattr(builder, name, fail)


def test_what_failed_before_noise_is_used_once_without_paying(plan, monkeypatch):
    ledger = grant(plan.parent)
    with another_process(monkeypatch), monkeypatch.context() as patch:
        failing("_publish_job", patch)
        with pytest.raises(MemoryError):
            build(plan)
    assert kinds(ledger.path)[2:] == ["debit"]
    first = build(plan, 1).manifest
    assert kinds(ledger.path)[3:] == [EntryKind.TAKEN_OVER, "drawing", "released"]
    second = build(plan, 2).manifest
    assert kinds(ledger.path)[6:] == ["debit", "drawing", "released"]
    assert first["ledger"]["spent_before"] == 0
    assert second["ledger"]["spent_before"] == first["ledger"]["spent_after"]
    assert ledger.check(manifests={"1": first, "2": second}).faults == []


def test_what_failed_after_noise_is_paid_again(plan, monkeypatch):
    ledger = grant(plan.parent)
    broken = SimpleNamespace(ok=False, findings=["broken"])
    with another_process(monkeypatch), monkeypatch.context() as patch:
        patch.setattr(builder, "examine", lambda *_a, **_o: broken)
        with pytest.raises(BundleError) as refusal:
            build(plan)
    check_text("ledger/failed-after-noise", str(refusal.value), folder=plan.parent)
    assert kinds(ledger.path)[2:] == ["debit", "drawing"]
    assert build(plan).manifest["ledger"]["spent_before"] > 0
    assert kinds(ledger.path)[4:] == ["debit", "drawing", "released"]


def test_a_disk_that_is_full_after_noise_was_drawn_says_what_it_costs(plan, monkeypatch):
    grant(plan.parent)

    def full(*_arguments, **_options):
        raise MachineError("cannot-write", "the file cannot be written", remedy="make room")

    monkeypatch.setattr(builder.writer, "write_bundle", full)
    with refused(MachineError, "cannot-write") as refusal:
        build(plan)
    check_text("ledger/disk-full-after-noise", str(refusal.value), folder=plan.parent)
    with refused(MachineError, "cannot-write") as refusal:
        build(plan, test_seed=1)
    assert "ledger" not in refusal.value.remedy


def test_a_bundle_that_the_ledger_cannot_note_is_whole_and_the_message_says_so(plan, monkeypatch):
    ledger = grant(plan.parent)

    def full(_self, _manifest):
        raise MachineError(
            "cannot-use-ledger",
            "the ledger cannot be read or written",
            where=str(ledger.path),
            found="disk full",
        )

    monkeypatch.setattr(Debit, "release", full)
    with refused(MachineError, "cannot-use-ledger", where=ledger.path) as refusal:
        build(plan)
    check_text("ledger/not-noted", str(refusal.value), folder=plan.parent)
    assert synthrelease.verify(plan.parent / "r1.h5").ok
    assert kinds(ledger.path)[2:] == ["debit", "drawing"]
    manifest = synthrelease.open_bundle(plan.parent / "r1.h5").manifest
    assert ledger.check(manifests={"r1": manifest}).faults == []


@pytest.mark.parametrize("becomes", ["gone", "older"])
def test_a_ledger_that_is_gone_after_the_bundle_was_written_is_asked_for_and_not_made_anew(
    plan, monkeypatch, becomes
):
    ledger = grant(plan.parent)
    older, real = ledger.path.read_bytes(), Debit.release

    def lost(debit, manifest):
        ledger.path.unlink() if becomes == "gone" else ledger.path.write_bytes(older)
        real(debit, manifest)

    monkeypatch.setattr(Debit, "release", lost)
    code = "lost-ledger" if becomes == "gone" else "lost-debit"
    with refused(PolicyError, code, where=ledger.path) as refusal:
        build(plan)
    check_text("ledger/lost-meanwhile", refusal.value.remedy, folder=plan.parent)
    assert " grant " not in str(refusal.value)


def test_a_manifest_that_cannot_stand_beside_its_bundle_does_not_cost_the_bundle(plan, monkeypatch):
    ledger, real = grant(plan.parent), builder.atomic.move_into_place

    def refuse(beside, *, force, mode):
        if beside.target.suffix == ".json":
            raise MachineError("cannot-write", "the file cannot be written", where=str(beside.target))
        real(beside, force=force, mode=mode)

    monkeypatch.setattr(builder.atomic, "move_into_place", refuse)
    with refused(MachineError, "cannot-write", where="r1.manifest.json") as refusal:
        build(plan)
    assert str(plan.parent / "r1.h5") in refusal.value.remedy
    assert kinds(ledger.path)[2:] == ["debit", "drawing", "released"]
    assert synthrelease.verify(plan.parent / "r1.h5").ok


TOO_FEW = """
[inputs.pupils]
kind = "features"
path = "pupils.csv"
columns = { person = "who" }
bounds = { size = [2.0, 8.0], open = [0.0, 1.0] }

[[outputs]]
name = "rows"
kind = "records"
input = "pupils"
model = "seeded"
rows = 50
trials = 60
k = 20
resampled = 1
"""


@pytest.mark.parametrize("fit", ["exact", "dp"])
def test_too_few_records_are_told_before_anything_is_paid(plan, fit):
    """What no ε covers is drawn first, and what may fail after noise is tried once with noise that is thrown away."""
    ledger = grant(plan.parent)
    rows = [f"p{n},{2 + (n * 7 % 60) / 10},{(n * 13 % 50) / 50}" for n in range(40)]
    (plan.parent / "pupils.csv").write_text("\n".join(["who,size,open", *rows]) + "\n")
    plan.write_text(plan.read_text() + TOO_FEW + f'fit = "{fit}"\n')
    with refused(PlanError, "too-few-records"):
        build(plan)
    assert kinds(ledger.path) == ["created", "grant"]


@pytest.mark.parametrize("epoch", ["253402300800", "yesterday", "-1e9"])
def test_a_time_that_is_none_is_noticed_before_anything_is_paid(plan, monkeypatch, epoch):
    ledger = grant(plan.parent)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", epoch)
    with refused(MachineError, "bad-source-date-epoch") as refusal:
        build(plan)
    assert "SOURCE_DATE_EPOCH" in str(refusal.value)
    assert kinds(ledger.path) == ["created", "grant"]


@pytest.mark.parametrize("name", ["ledger.sqlite", "gaze.csv", "plan.toml", "policy.toml", "link.csv"])
@pytest.mark.parametrize("force", [True, False])
def test_a_bundle_never_takes_the_place_of_what_it_is_made_from(plan, name, force):
    ledger = grant(plan.parent)
    (plan.parent / "policy.toml").write_text('[policy]\nname = "board"\n')
    (plan.parent / "link.csv").symlink_to("gaze.csv")
    before = {path: path.read_bytes() for path in plan.parent.iterdir()}
    with refused(MachineError, "output-replaces-input", where=name):
        synthrelease.build(plan, plan.parent / name, force=force, policy=plan.parent / "policy.toml")
    assert {path: path.read_bytes() for path in plan.parent.iterdir()} == before
    assert kinds(ledger.path) == ["created", "grant"]


def test_a_manifest_of_that_name_is_not_replaced_unasked(plan):
    ledger, other = grant(plan.parent), plan.parent / "r1.manifest.json"
    other.write_text("mine")
    with refused(MachineError, "file-exists", where="r1.manifest.json"):
        build(plan)
    assert (other.read_text(), kinds(ledger.path)) == ("mine", ["created", "grant"])


def test_of_two_builds_of_one_name_the_second_replaces_nothing(plan, monkeypatch):
    """The other one's bundle appears while this one is verified."""
    grant(plan.parent)
    real = builder.atomic.move_into_place

    def late(beside, *, force, mode):
        if beside.target.suffix == ".h5":
            beside.target.write_text("the other's")
        real(beside, force=force, mode=mode)

    monkeypatch.setattr(builder.atomic, "move_into_place", late)
    with refused(MachineError, "file-exists", where="r1.h5") as refusal:
        build(plan)
    check_text("ledger/other-bundle-meanwhile", str(refusal.value), folder=plan.parent)
    assert (plan.parent / "r1.h5").read_text() == "the other's"  # not a sentence: written by the test
    assert sorted(p.name for p in plan.parent.iterdir()) == [
        "gaze.csv",
        "ledger.sqlite",
        "plan.toml",
        "r1.h5",
    ]


# Stated ε, and noise beside a test

LAPLACE_PLAN = {"mechanism": '"laplace"', "epsilon": "1.0"}


@pytest.mark.parametrize("stated", [[5.0], [0.6, 0.7], [5.0, 7.0]])
def test_stated_epsilons_of_laplace_noise_beyond_the_plan_are_refused_before_anything_is_paid(plan, stated):
    """They cost what they add up to."""
    ledger, text = grant(plan.parent, 100.0), write_paid_study(plan.parent, mechanism='"laplace"').read_text()
    head, output = text.split("[[outputs]]")
    outputs = [
        "[[outputs]]" + output.replace('"maps"', f'"maps{n}"') + f"epsilon = {epsilon}\n"
        for n, epsilon in enumerate(stated)
    ]
    plan.write_text(head + "".join(outputs))
    with refused(PolicyError, "outputs-exceed-budget", where="plan.toml") as refusal:
        build(plan)
    assert figures(refusal.value.found) == [pytest.approx(sum(stated))]
    with refused(PolicyError, "outputs-exceed-budget", where="plan.toml"):
        preview(make_design(load_plan(plan)))
    assert kinds(ledger.path) == ["created", "grant"]


BESIDE_A_TEST = TOO_FEW.replace(
    "rows = 50\ntrials = 60\nk = 20", 'rows = 5\nk = 2\nfit = "dp"\nepsilon = EPSILON'
)


def test_noise_beside_a_deniability_test_is_bounded_and_paid_for(plan):
    """The records are under a criterion; the noised counts of their model are published, and have an ε."""
    ledger = grant(plan.parent, 100.0)
    rows = [f"p{n},{2 + (n * 7 % 60) / 10},{(n * 13 % 50) / 50}" for n in range(40)]
    (plan.parent / "pupils.csv").write_text("\n".join(["who,size,open", *rows]) + "\n")
    maps = plan.read_text().replace('kind = "heatmap"', 'kind = "heatmap"\nepsilon = 0.5')
    plan.write_text(maps + BESIDE_A_TEST.replace("EPSILON", "500"))
    with refused(PolicyError, "outputs-exceed-budget", where="plan.toml"):
        build(plan)
    assert kinds(ledger.path) == ["created", "grant"]
    plan.write_text(maps + BESIDE_A_TEST.replace("EPSILON", "0.4"))
    told = build(plan).manifest
    assert told["privacy"]["guarantee"]["epsilon"] < 0.51  # of the maps alone
    assert told["ledger"]["spent_here"] > 0.6
    (debit,) = ledger.to_json()["study"]["debits"]
    assert debit["uncounted"] == ["rows"]
    assert synthrelease.verify(plan.parent / "r1.h5").ok


# Killed

AT_THE_FIRST_WORD = """
class Deadly:
    def __init__(self, *_): pass
    def encryptor(self): return self
    def update(self, _): die()
entropy.Cipher = Deadly
"""
JUST_BEFORE = """
ledgers.Debit.begin_drawing = die
"""
BEFORE_ITS_NOTE_IS_WRITTEN = """
from synthrelease.ledgers import store
real = store.LedgerWriter.add
def add(self, body):
    made = real(self, body)
    if body["kind"] == "drawing": die()
    return made
store.LedgerWriter.add = add
"""


def killed(plan: Path, moment: str) -> None:
    code = (
        "import os, signal, synthrelease\n"
        "from synthrelease import ledgers\n"
        "from synthrelease.dp.noise import entropy\n"
        "def die(*_): os.kill(os.getpid(), signal.SIGKILL)\n"
        f"{moment}\n"
        f"synthrelease.build({str(plan)!r}, {str(plan.parent / 'killed.h5')!r})\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert not (plan.parent / "killed.h5").exists()


def test_killed_at_the_first_word_everything_is_on_the_disk_already(plan):
    ledger = grant(plan.parent)
    killed(plan, AT_THE_FIRST_WORD)
    assert kinds(ledger.path) == ["created", "grant", "debit", "drawing"]
    assert build(plan).manifest["ledger"]["spent_before"] > 0


@pytest.mark.thorough
@pytest.mark.parametrize("moment", [JUST_BEFORE, BEFORE_ITS_NOTE_IS_WRITTEN], ids=["before", "noting"])
def test_killed_just_before_the_first_word_the_debit_is_used_once(plan, moment):
    ledger = grant(plan.parent)
    killed(plan, moment)
    assert kinds(ledger.path) == ["created", "grant", "debit"]
    assert build(plan, 1).manifest["ledger"]["spent_before"] == 0
    assert build(plan, 2).manifest["ledger"]["spent_before"] > 0
    assert kinds(ledger.path)[3:] == [
        EntryKind.TAKEN_OVER,
        "drawing",
        "released",
        "debit",
        "drawing",
        "released",
    ]
    assert ledger.check().faults == []


# What is paid for


def test_outputs_that_no_epsilon_covers_are_named(study):
    plan = study.plan.read_text().replace("delta = 1e-4", 'delta = 1e-4\nledger = "l"\ndataset = "study"')
    study.plan.write_text(plan)
    design = make_design(load_plan(study.plan))
    paid = design.charge()
    assert paid.uncounted == ("seeded",)
    assert len(paid.events) == 4
    assert paid.release == {"name": "small-study", "version": "1.0.0"}
    assert paid.delta == 1e-4  # the plan's own
    assert (paid.dataset, paid.plan) == ("study", hashlib.sha256(plan.encode()).hexdigest())


@pytest.mark.parametrize("mechanism", ["laplace", "gaussian"])
def test_a_private_choice_costs_no_more_than_was_paid_beside_other_noise(tmp_path, mechanism):
    plan = write_heatmaps_study(tmp_path, capped=True)
    text = plan.read_text().replace('mechanism = "gaussian"', f'mechanism = "{mechanism}"')
    plan.write_text(text.replace("delta = 1e-4", 'delta = 1e-4\nledger = "ledger.sqlite"\ndataset = "study"'))
    ledger = grant(tmp_path, 20.0, 1e-2)
    ledger.debit(charge(gaussian(1.0)))
    manifest = build(plan).manifest
    recorded = [events.from_json(output["event"]) for output in manifest["outputs"]]
    told = manifest["ledger"]
    assert told["spent_here"] >= accounting.compose(recorded, delta=1e-2).epsilon * (1 - 1e-4)
    assert told["spent_after"] >= accounting.compose([gaussian(1.0), *recorded], delta=1e-2).epsilon * (
        1 - 1e-4
    )
    assert ledger.check(manifests={"r": manifest}).faults == []


def test_an_honest_change_of_sums_passes_verify(tmp_path):
    """From Σ ε without δ to Rényi divergences, where Gaussian noise joins."""
    plan = write_paid_study(tmp_path)
    ledger = grant(tmp_path, 60.0)
    ledger.debit(charge(*[laplace(0.5)] * 40))
    told = build(plan).manifest["ledger"]
    assert told["spent_before"] == 20.0 < told["spent_after"]
    assert synthrelease.verify(tmp_path / "r1.h5").ok
    assert ledger.check().faults == []
