"""A planted identifier and a planted number occur nowhere in what a build makes or says."""

import gzip
import json
import re
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest
from forging import forge
from goldens import figures
from paid_study import grant, write_paid_study

from synthrelease.bundle import reseal
from synthrelease.bundle.layout import user_block
from synthrelease.cli import main
from synthrelease.dp.guarantee import Neighbours
from synthrelease.ledgers import Ledger, store

NAME, NUMBER, CLIPPED = "Zebulon-Quatermain-1931", "5.8571342", "9.7713428"


def plant(folder):
    """Make the canary a regular participant, with a value of their own in every file."""
    for name, row in (
        ("gaze.csv", f"{NAME},garden,{NUMBER},{NUMBER}"),
        ("pupil.csv", f"{NAME},read,{NUMBER},{NUMBER},0.2\n{NAME},read,17.5,{CLIPPED},0.2"),
    ):
        with (folder / name).open("a") as file:
            file.write(row + "\n")


TOO_SLOW = (
    f"import sys; sys.path.append({str(Path(__file__).parents[1])!r})\n"
    "from synthrelease.bundle import verification; verification._CHECKER_MODULE = 'checker_without_time'\n"
    "from synthrelease.cli import main; main(sys.argv[1:])"
)


def run(*arguments, cwd, slow=False):
    """Exit code and all that is said; `slow`: of a checker that has no time."""
    done = subprocess.run(
        [sys.executable, *(("-c", TOO_SLOW) if slow else ("-m", "synthrelease")), *map(str, arguments)],
        capture_output=True,
        cwd=cwd,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def run_here(*arguments, capfd):
    """The same in this process: all that goes to its output, also from libraries that write there themselves."""
    capfd.readouterr()
    with pytest.raises(SystemExit) as ended:
        main([*map(str, arguments)], prog_name="synthrelease")
    return ended.value.code, "".join(capfd.readouterr()).encode()


def sightings(raw):
    """Where a canary is seen in bytes: as text, as any float or scaled integer, plain or inside gzip members."""
    found = []
    for text in (NAME, NAME.lower(), NAME[:7], NUMBER, CLIPPED):
        found += [text] if text.encode() in raw or text.encode("utf-16-le") in raw else []
    for number in (NUMBER, CLIPPED):
        for kind in ("<f4", ">f4", "<f8", ">f8"):
            found += [kind] if np.array(float(number), dtype=kind).tobytes() in raw else []
    return found


def everything(folder):
    """Every byte a build wrote, and every dataset unpacked."""
    for path in folder.iterdir():
        if path.name in ("gaze.csv", "pupil.csv"):
            continue
        yield path.name, path.name.encode() + path.read_bytes()
        if path.suffix == ".h5":
            with h5py.File(path) as file:
                items = []
                file.visititems(lambda _n, item, items=items: items.append(item))
                for item in items:
                    if isinstance(item, h5py.Dataset):
                        yield item.name, item.name.encode() + item[()].tobytes()


def test_the_detector_sees_planted_canaries():
    assert sightings(b"x" + NAME.encode())
    assert sightings(np.array([1.0, float(NUMBER)]).tobytes())
    assert not sightings(b"nothing here")


MORE = """
[[outputs]]
name = "conditions"
kind = "statistics"
input = "pupil"
statistics = ["sum", "variance", "median", "quantile:0.95"]
by = "recording"
epsilon = 0.5
"""


@pytest.mark.thorough
def test_nothing_of_the_canary_in_bundle_sidecar_and_logs(study):
    plant(study.folder)
    study.plan.write_text(study.plan.read_text().replace("epsilon = ", "epsilon = 1", 1) + MORE)
    code, said = run("--verbose", "build", study.plan, "-o", study.folder / "r.h5", cwd=study.folder)
    assert code == 0, said
    assert sightings(said) == []
    (line,) = (line for line in said.decode().splitlines() if "'size_mm'" in line)
    assert figures(line) == [1, 1295]  # --verbose tells the curator how many values were clipped, never which
    for command in ("show", "verify"):
        code, said = run(command, study.folder / "r.h5", cwd=study.folder)
        assert code == 0
        assert sightings(said) == []
    code, said = run("preview", study.plan, cwd=study.folder)
    assert code == 0
    assert sightings(said) == []
    for name, raw in everything(study.folder):
        assert sightings(raw) == [], name


@pytest.mark.quick("an x that is text")
@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("gaze.csv", f"{NAME},garden,{NAME},{NUMBER}"),
        ("gaze.csv", f"{NAME},garden,{NUMBER}e9,{NUMBER}"),
        ("gaze.csv", f"{NAME},,{NUMBER},{NUMBER}"),
        ("gaze.csv", f",garden,{NUMBER},{NUMBER}"),
        ("gaze.csv", f"{NAME},garden,{NUMBER},{NUMBER},{NAME},{NAME}"),
        ("gaze.csv", f'"{NAME},garden,{NUMBER},{NUMBER}'),
        ("gaze.csv", f"{NAME},garden,inf,{NUMBER}"),
        ("pupil.csv", f"{NAME},read,{NUMBER},{NAME},{NUMBER}"),
        ("pupil.csv", f"{NAME},read,,{NUMBER},{NUMBER}"),
        ("pupil.csv", f"{NAME},read,{NUMBER},{NUMBER},1\n{NAME},read,{NUMBER},{NUMBER},1"),
        ("pupil.csv", f"{NAME},read,{NUMBER},nan,{NUMBER}"),
    ],
    ids=[
        "an x that is text",
        "an x that is large",
        "no stimulus",
        "no person",
        "more fields",
        "a quote that stays open",
        "an x that is infinite",
        "a size that is text",
        "no size",
        "a time twice",
        "a size that is no number",
    ],
)
def test_nothing_of_the_canary_in_error_messages(study, name, row, capfd):
    with (study.folder / name).open("a") as file:
        file.write(row + "\n")
    code, said = run_here("build", study.plan, "-o", study.folder / "r.h5", capfd=capfd)
    assert code == 3, said
    assert sightings(said) == []
    assert b"Traceback" not in said
    assert not (study.folder / "r.h5").exists()


def test_nothing_of_the_canary_when_the_header_is_missing(study):
    header, *rows = (study.folder / "gaze.csv").read_text().splitlines()
    assert header.startswith("who")
    (study.folder / "gaze.csv").write_text("\n".join([f"{NAME},garden,{NUMBER},{NUMBER}", *rows]))
    code, said = run("build", study.plan, "-o", study.folder / "r.h5", "--json", cwd=study.folder)
    assert sightings(said) == []
    error = json.JSONDecoder().raw_decode(said.decode())[0]["error"]
    assert (code, error["code"]) == (3, "no-header")
    assert str(study.folder / "gaze.csv") in error["where"]


@pytest.mark.thorough
def test_nothing_of_the_canary_in_ledger_batch_and_exports(tmp_path):
    """Of a release that is paid for: what the curator keeps tells of no one either."""
    plan = write_paid_study(tmp_path)
    with (tmp_path / "gaze.csv").open("a") as file:
        file.write(f"{NAME},garden,{NUMBER},{CLIPPED}\n")
    grant(tmp_path)
    for arguments, code in (
        (("--verbose", "batch", plan, "--yes", "--jobs", 1, "-o", "out"), 0),
        (("--verbose", "batch", plan, "--yes", "--jobs", 1, "-o", "out", "--resume", "--json"), 0),
        (("ledger", "show", "ledger.sqlite"), 0),
        (("ledger", "check", "ledger.sqlite", "out/small-study-1.0.0.h5"), 0),
        (("show", "--json", "out/small-study-1.0.0.h5"), 0),
        (("verify", "--json", "out/small-study-1.0.0.h5"), 0),
        (("export", "--to", "png", "out/small-study-1.0.0.h5", "-o", "pictures"), 0),
        (("export", "--to", "csv", "out/small-study-1.0.0.h5", "-o", "tables"), 0),
        (("export", "--to", "bids", "out/small-study-1.0.0.h5", "-o", "derivative"), 0),
    ):
        ended, said = run(*arguments, cwd=tmp_path)
        assert ended == code, said
        assert sightings(said) == [], arguments
    exported = ("pictures", "tables", "derivative", "derivative/group")
    for folder in (tmp_path, tmp_path / "out", *(tmp_path / name for name in exported)):
        files = [path for path in folder.iterdir() if path.is_file() and path.name != "gaze.csv"]
        assert files
        for path in files:
            assert sightings(path.name.encode() + path.read_bytes()) == [], path


@pytest.mark.thorough
@pytest.mark.parametrize("change", ["checksum", "structure", "values", "manifest", "limits"])
def test_nothing_of_the_canary_in_findings(bundle, change):
    """Of a bundle that someone changed, or that takes too much to check: places are named, and no values."""
    path = bundle
    if change == "checksum":
        path.write_bytes(path.read_bytes() + NAME.encode())
    elif change == "structure":
        with h5py.File(path, "r+") as file:
            file["/outputs"].attrs[NAME[:7].lower()] = np.bytes_(f"{NAME} {NUMBER}".encode())
        body = path.read_bytes()[512:]
        path.write_bytes(user_block(body, test_seed=False) + body)
    elif change == "values":
        with h5py.File(path, "r+") as file:
            file["/outputs/maps/heatmap"][...] = float(NUMBER)
        reseal(path)
    elif change == "manifest":
        forge(path, lambda manifest: manifest["privacy"].update({"unit": NAME, "people": float(NUMBER)}))
    code, said = run("verify", path, cwd=path.parent, slow=change == "limits")
    assert code == 1, said
    assert {"structure": b"structure", "manifest": b"manifest", "values": b"derived"}.get(
        change, change.encode()
    ) in said
    assert sightings(said) == []
    assert b"Traceback" not in said


@pytest.mark.thorough
def test_nothing_of_the_ledger_leaves_but_what_it_adds_up_to(tmp_path):
    """The dataset's name, where plan and ledger are, which machine and process it was: for the curator alone."""
    dataset = "ward-7-schizophrenia"
    folder = tmp_path / dataset
    folder.mkdir()
    plan = write_paid_study(folder)
    plan.write_text(
        plan.read_text()
        .replace('dataset = "study"', f'dataset = "{dataset}"')
        .replace('ledger = "ledger.sqlite"', f'ledger = "{dataset}.sqlite"')
    )
    ledger = Ledger(folder / f"{dataset}.sqlite")
    ledger.grant(dataset, 5, 1e-6, Neighbours.REPLACE_ONE)
    code = (
        "import platform, os; platform.node = lambda: 'ward-7-workstation'; os.getpid = lambda: 1931193119\n"
        "from synthrelease.cli import main\n"
        f"main(['build', {str(plan)!r}, '--yes', '-o', 'r.h5'])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stderr
    kept = (folder / f"{dataset}.sqlite").read_bytes()
    assert b"ward-7-workstation" in kept  # so would be seen, were it here
    assert b"1931193119" in kept
    (debit,) = ledger.to_json(dataset)[dataset]["debits"]
    raw = (
        (tmp_path / "r.h5").read_bytes()
        + (tmp_path / "r.manifest.json").read_bytes()
        + done.stdout
        + done.stderr
    )
    with h5py.File(tmp_path / "r.h5") as file:
        raw += file["/manifest"][()].tobytes()
    assert debit["entry"].encode() in raw
    for private in (
        b"ward-7",
        b"schizo",
        b"1931193119",
        str(tmp_path).encode(),
        b"sqlite",
    ):
        assert private not in raw, private
    manifest = json.loads((tmp_path / "r.manifest.json").read_bytes())
    assert debit["plan"] == manifest["plan"]["sha256"]  # public: a curator can show which plan it was
    assert store.read(ledger.path).entries[0].body["key"].encode() not in raw


@pytest.mark.thorough
def test_the_names_of_private_files_do_not_leave(study):
    secret = study.folder / "ward-7-schizophrenia.csv.gz"
    with gzip.open(secret, "wb") as file:
        file.write((study.folder / "gaze.csv").read_bytes())
    plan = study.plan.read_text().replace('path = "gaze.csv"', f'path = "{secret.name}"')
    study.plan.write_text(plan)
    code, said = run("build", study.plan, "-o", study.folder / "r.h5", cwd=study.folder)
    assert code == 0, said
    raw = (study.folder / "r.h5").read_bytes() + (study.folder / "r.manifest.json").read_bytes()
    assert not re.search(rb"ward-7|schizo", raw)
    assert str(study.folder).encode() not in raw
