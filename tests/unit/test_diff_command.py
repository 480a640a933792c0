"""`synthrelease diff`: what it prints, and with which code it ends."""

import json
import shutil

import h5py
import pytest
from click.testing import CliRunner
from forging import forge, output
from goldens import check_text, figures
from invented_study import write_study
from pages import golden

import synthrelease
from synthrelease.bundle.layout import TEST_SEED_WORDS, user_block
from synthrelease.cli import main


def run(*arguments):
    return CliRunner().invoke(main, [str(a) for a in arguments])


def json_of(*arguments):
    return json.loads(run("diff", *arguments, "--json").stdout)


@pytest.fixture
def other(bundle, tmp_path):
    """Return the path of the same release with another title."""
    path = tmp_path / "other.h5"
    shutil.copyfile(bundle, path)
    forge(path, lambda manifest: manifest["release"].update(title="Corrected", version="1.0.1"))
    return path


@pytest.fixture(scope="module")
def seeded(tmp_path_factory):
    """Return the paths of releases of 30 people, of the same, and of 31, under one seed, and of 30 under another."""
    made = []
    for number, (people, seed) in enumerate([(30, 7), (30, 7), (31, 7), (30, 8)]):
        folder = tmp_path_factory.mktemp(f"seeded{number}")
        made.append(
            synthrelease.build(write_study(folder, people=people), folder / "r.h5", test_seed=seed).path
        )
    return made


def test_nothing_changed_is_0_and_says_what_was_compared(bundle):
    done = run("diff", bundle, bundle)
    assert done.exit_code == 0
    assert done.stderr == ""
    *_, same = done.stdout.partition("Same ")
    assert figures(same) == [5, len(synthrelease.open_bundle(bundle).manifest["digests"])]
    told = json_of(bundle, bundle)
    assert told["ok"] is told["same"] is told["verified"] is True


def test_what_is_printed(tmp_path, monkeypatch):
    """Of a golden bundle, and of one with the same values that claims another budget."""
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.chdir(tmp_path)
    shutil.copyfile(golden("areas"), "old.h5")
    shutil.copyfile(golden("areas"), "new.h5")
    forge("new.h5", lambda manifest: manifest["privacy"]["guarantee"].update(epsilon=0.01))
    check_text("diff/command", run("diff", "old.h5", "old.h5").stdout)
    check_text("diff/command-quick", run("diff", "old.h5", "new.h5", "--quick").stdout)


@pytest.mark.thorough
def test_a_change_is_0_too_and_a_program_can_tell(bundle, other):
    done = run("diff", bundle, other)
    assert done.exit_code == 0
    assert "version: 1.0.0 → 1.0.1" in done.stdout
    assert done.stdout.startswith(f"Old        {bundle}: small-study 1.0.0")
    told = json_of(bundle, other, "--quick")
    assert (told["ok"], told["same"], told["verified"]) == (True, False, False)
    assert {tuple(change["where"]) for change in told["changes"]} == {
        ("release", "title"),
        ("release", "version"),
    }


@pytest.mark.thorough
def test_two_releases_with_noise_of_their_own_are_fine(seeded):
    done = run("diff", seeded[0], seeded[3])
    assert done.exit_code == 0, done.output
    assert done.stdout.count(TEST_SEED_WORDS) == 2
    told = json_of(seeded[0], seeded[3])
    assert told["hazards"] == []
    noises = {one["output"]: one["noise"] for one in told["values"]}
    assert (noises["maps"]["telling"], noises["maps"]["repeated"]) == (True, False)
    assert run("diff", seeded[0], seeded[1]).exit_code == 0


@pytest.mark.thorough
@pytest.mark.parametrize("options", [[], ["--quick"]])
def test_noise_that_was_used_twice_is_1(seeded, options):
    done = run("diff", seeded[0], seeded[2], *options)
    assert done.exit_code == 1
    assert "DANGER     maps: " in done.stdout
    done = run("diff", seeded[0], seeded[2], "--json", *options)
    assert done.exit_code == 1
    told = json.loads(done.stdout)
    assert told["ok"] is told["same"] is False
    assert told["hazards"]
    assert {one["output"]: one["noise"] for one in told["values"]}["maps"]["repeated"] is True


@pytest.mark.quick("0")
@pytest.mark.parametrize("place", [0, 1])
def test_a_file_that_is_not_there_is_3_and_is_named(other, tmp_path, place):
    files = [other, other]
    files[place] = tmp_path / "none.h5"
    done = run("diff", *files)
    assert (done.exit_code, done.stdout) == (3, "")
    assert str(files[place]) in done.stderr
    assert str(other) not in done.stderr
    error = json_of(*files)["error"]
    assert (error["code"], error["where"]) == ("no-such-file", str(files[place]))


@pytest.mark.quick("0")
@pytest.mark.parametrize("place", [0, 1])
def test_a_file_at_fault_is_1_and_is_named(bundle, other, tmp_path, place):
    bad = tmp_path / "bad.h5"
    raw = bytearray(bundle.read_bytes())
    raw[-100] ^= 1
    bad.write_bytes(raw)
    files = [other, other]
    files[place] = bad
    done = run("diff", *files)
    assert done.exit_code == 1
    assert done.stdout.splitlines()[0].endswith(f" {bad}")
    assert str(other) not in done.stdout
    done = run("diff", *files, "--json")
    assert done.exit_code == 1
    told = json.loads(done.stdout)
    assert told["ok"] is False
    assert {finding["file"] for finding in told["findings"]} == {str(bad)}


@pytest.mark.thorough
def test_a_guarantee_that_was_only_written_down_is_refused_but_by_quick_which_says_so(bundle, other):
    forge(other, lambda manifest: manifest["privacy"]["guarantee"].update(epsilon=0.01))
    done = run("diff", bundle, other)
    assert done.exit_code == 1
    assert "[guarantee]" in done.stdout
    assert "STRONGER" not in done.stdout
    done = run("diff", bundle, other, "--quick")
    assert done.exit_code == 0
    assert "STRONGER" in done.stdout
    told = json_of(bundle, other, "--quick")
    assert (told["verified"], told["guarantee"]["verdict"]) == (False, "stronger")


def test_quick_reads_no_values_that_are_not_those_of_their_digest(bundle, other):
    """Values and digests that disagree under a seal that holds."""
    for step, renew in ((1, True), (2, False)):
        with h5py.File(other, "r+") as file:
            file["/outputs/maps/noisy"][...] += step
        if renew:
            forge(other, lambda _manifest: None)
    raw = other.read_bytes()
    other.write_bytes(user_block(raw[512:], test_seed=False) + raw[512:])
    done = run("diff", bundle, other, "--quick", "--json")
    assert done.exit_code == 1
    assert "Traceback" not in done.output
    error = json.loads(done.stdout)["error"]
    assert error["code"] == "values-changed"
    assert error["where"] == f"{other}: /outputs/maps/noisy"


@pytest.mark.parametrize("scale", ["1e999", "1e-999", "1e-308", "1e308"])
def test_quick_bears_numbers_that_no_one_uses(bundle, other, scale):
    def change(manifest):
        entry = output(manifest, "maps")
        entry["event"]["scale"] = entry["noise"]["scale"] = scale

    with h5py.File(other, "r+") as file:
        file["/outputs/maps/noisy"][...] += 1
    forge(other, change)
    done = run("diff", bundle, other, "--quick")
    assert done.exit_code in (0, 1)
    assert done.exception is None or isinstance(done.exception, SystemExit)


def test_texts_of_a_manifest_do_not_steer_the_terminal(bundle, other):
    forge(
        other,
        lambda manifest: manifest["privacy"]["composition"].update(method="\x1b[2J\nGuarantee  STRONGER"),
    )
    done = run("diff", bundle, other, "--quick")
    assert done.exit_code == 0
    assert "\x1b" not in done.stdout
    assert sum(line.startswith("Guarantee") for line in done.stdout.splitlines()) == 1


def test_wrong_usage_is_2(bundle):
    assert run("diff", bundle).exit_code == 2
