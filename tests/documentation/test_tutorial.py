"""What the tutorial and the how-tos say beside their transcripts: which files go up, what forms take, tables of what to expect."""

import hashlib
import io
import json
import re
import sys
import tomllib
from contextlib import redirect_stdout
from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner
from documented import ROOT, blocks

from synthrelease import build
from synthrelease.cli import main

PAGE = ROOT / "docs" / "start" / "tutorial.md"
DATA = ROOT / "docs" / "data" / "osie"
DEMO = ROOT / "synthrelease" / "demo"
DIGEST = "964e7bcd21f9662d1b8b4f713ecdd36a49a7b7a2eccd059003caee82387aeca2"


def rows_after(page, head):
    """Return the cells of a table of a page, below the line that begins with its head."""
    lines = page.read_text("utf-8").split("\n")
    start = next(n for n, line in enumerate(lines) if line.startswith(head)) + 2
    end = next(n for n in range(start, len(lines)) if not lines[n].startswith("|"))
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[start:end]]


def plan_of(page):
    """Return the plan that a page writes."""
    written = (re.search(r"<<'END'\n(.*)END\n", block.text, re.DOTALL) for block in blocks(page))
    return next(found[1] for found in written if found)


def previewed(text, folder):
    (folder / "p.toml").write_text(text, "utf-8")
    result = CliRunner().invoke(main, ["preview", str(folder / "p.toml")], env={"COLUMNS": "100"})
    assert result.exit_code == 0, result.output
    return " ".join(result.output.split())


def test_the_data_are_what_the_page_says_and_come_with_their_licence():
    file = DATA / "fixations_tidy.csv.gz"
    assert hashlib.sha256(file.read_bytes()).hexdigest() == DIGEST
    assert round(file.stat().st_size / 1000) == 912
    table = pl.read_csv(file)
    assert (table["observer"].n_unique(), table["image"].n_unique()) == (15, 700)
    assert "MIT License" in (DATA / "LICENSE").read_text()
    about = (DATA / "README.txt").read_text().splitlines()
    assert len(about) == 3
    assert [word in line for word, line in zip(("http", "Paper", "Licence"), about, strict=True)] == [
        True
    ] * 3


def test_what_is_uploaded_is_what_lies_in_the_folder_and_nothing_private():
    told = {name.strip("`") for name, _ in rows_after(PAGE, "| file |")}
    shown = [
        block.text for block in blocks(PAGE) if block.language == "console" and "$ ls upload" in block.text
    ]
    listed = shown[0].split("$ ls upload\n")[1].split("$ ")[0].split()
    copied = [
        word
        for block in blocks(PAGE)
        if "mkdir upload" in block.text
        for line in block.text.splitlines()
        if line.startswith("cp ")
        for word in line.split()[1:-1]
    ]
    assert sorted(told) == sorted(listed) == sorted(Path(word).name for word in copied)
    text = PAGE.read_text("utf-8")
    home = set(re.findall(r"`([^`]+)`", text.split("**At home stay**")[1].split("may stay")[0]))
    assert home == {"fixations_tidy.csv.gz", "ledger.sqlite", "private.html", "eyelab", "plan.toml"}
    assert not home & told


def test_the_fields_of_the_form_are_in_datacite_json(tmp_path):
    plan = plan_of(PAGE).replace("fixations_tidy.csv.gz", str(DATA / "fixations_tidy.csv.gz"))
    (tmp_path / "plan.toml").write_text(re.sub(r"(?m)^(ledger|dataset) = .*$", "", plan), "utf-8")
    bundle = build(tmp_path / "plan.toml", tmp_path / "fixation-duration-1.0.0.h5").path
    for form in ("datacite", "csv"):
        command = ["export", str(bundle), "--to", form, "-o", str(tmp_path / form)]
        result = CliRunner().invoke(main, command)
        assert result.exit_code == 0, result.output
    assert {"README.txt", "duration-values.csv"} < {one.name for one in (tmp_path / "csv").iterdir()}
    known = json.loads((tmp_path / "datacite" / "datacite.json").read_text())
    rows = rows_after(PAGE, "| in the form |")
    fields = {field for row in rows for field in re.findall(r"`(\w+)`", row[1])}
    assert fields <= set(known)
    assert len(fields) >= 8
    kinds = {one["descriptionType"] for one in known["descriptions"]}
    assert kinds == {"Abstract", "Methods", "TechnicalInfo", "Other"}
    assert all(kind in PAGE.read_text("utf-8") for kind in kinds)


@pytest.mark.thorough
def test_the_median_is_worth_what_the_table_says():
    sys.path.insert(0, str(ROOT / "scripts"))
    try:
        from studies import few_people as study
    finally:
        sys.path.remove(str(ROOT / "scripts"))
    from synthrelease.data.features import load_features

    data = load_features(
        DATA / "fixations_tidy.csv.gz", columns={"person": "observer"}, bounds={"duration_ms": (0.0, 1e4)}
    )
    told, names, judged, steps = study.DURATIONS[2]
    with redirect_stdout(io.StringIO()) as printed:
        study.print_duration(told, data, names, judged, steps)
    measured = [re.sub(r"; \d+ %$", "", cell.strip()) for cell in printed.getvalue().split("|")[2:-1]]
    page = {
        row[0]: [cell.strip("*") for cell in row[1:]] for row in rows_after(PAGE, "| error of the release")
    }
    assert page["median of participants' mean durations"] == measured
    plan = tomllib.loads(plan_of(PAGE))
    assert tuple(plan["inputs"]["fixations"]["bounds"]["duration_ms"]) == study.BOUNDS
    assert (plan["outputs"][0]["statistics"], plan["outputs"][0]["quantile_steps"]) == (["median"], steps)


def test_halves_of_a_photograph_are_as_uncertain_as_the_tutorial_says(tmp_path):
    plan = plan_of(ROOT / "docs" / "howto" / "studies" / "classroom.md")
    for old, new in (
        ("class.csv", str(DATA / "fixations_tidy.csv.gz")),
        ('person = "child", stimulus = "page"', 'person = "observer", stimulus = "image"'),
        ('"p12"', '"1001.jpg"'),
        ("epsilon = 1.0", "epsilon = 2.0"),
    ):
        assert old in plan
        plan = plan.replace(old, new)
    assert "proportions ± 20 percentage points" in previewed(plan, tmp_path)
    assert "± 20 percentage points for the two halves of a single photograph at ε = 2" in " ".join(
        PAGE.read_text("utf-8").split()
    )


@pytest.mark.parametrize("classes", [1, 4, 10])
def test_shares_of_a_class_are_as_uncertain_as_the_page_says(tmp_path, classes):
    page = ROOT / "docs" / "howto" / "studies" / "classroom.md"
    people = 30 * classes
    pl.DataFrame(
        {"child": range(people), "page": ["p12"] * people, "x_px": [1] * people, "y_px": [1] * people}
    ).write_csv(tmp_path / "class.csv")
    told = {int(row[0]): row[1:] for row in rows_after(page, "| classes of 30 |")}[classes]
    for cell, epsilon in zip(told, ("0.5", "1.0", "2.0", "3.0"), strict=True):
        seen = previewed(plan_of(page).replace("epsilon = 1.0", f"epsilon = {epsilon}"), tmp_path)
        exact = float(re.search(r"proportions ± ([0-9.]+) percentage points", seen)[1])
        assert float(cell.removeprefix("± ")) == pytest.approx(exact, rel=0.06), epsilon


def test_curves_of_a_headset_correlate_as_the_page_says(tmp_path):
    page = ROOT / "docs" / "howto" / "studies" / "headset.md"
    pl.read_csv(DEMO / "pupil.csv.gz").rename({"condition": "recording"}).write_csv(tmp_path / "people.csv")
    every = ["arithmetic", "noise", "combined", "control", "npc"]
    told = [row[1] for row in rows_after(page, "| for 24 participants")]
    for cell, number in zip(told, (1, 2, 5), strict=True):
        listed = json.dumps(every[:number])
        seen = previewed(plan_of(page).replace('["arithmetic_s2"]', listed), tmp_path)
        assert f"correlation {cell} over time" in seen


@pytest.mark.parametrize(("transitions", "epsilons"), [(False, (12, 4)), (True, (24, 8))])
def test_shares_of_areas_are_as_uncertain_as_the_page_says(tmp_path, transitions, epsilons):
    page = " ".join((ROOT / "docs" / "explanation" / "heatmaps.md").read_text("utf-8").split())
    assert (
        "99 participants on each, who may have seen both, a proportion is known to ± 12 percentage points (95 %) at "
        "ε = 1 and to ± 4 at ε = 3, with transitions to ± 24 and ± 8;"
    ) in page
    plan = plan_of(ROOT / "docs" / "howto" / "studies" / "crowd.md")
    head = plan.split("[[outputs]]")[0].replace(
        "synthrelease-demo/attention.csv.gz", str(DEMO / "attention.csv.gz")
    )
    areas = (
        '[[outputs]]\nname = "shares"\nkind = "areas"\ninput = "gaze"\n'
        f"transitions = {str(transitions).lower()}\n[outputs.areas]\nleft = {{ rectangle = [0, 0, 400, 600] }}\n"
    )
    for told, epsilon in zip(epsilons, ("1.0", "3.0"), strict=True):
        seen = previewed(f"{head}{areas}".replace("epsilon = 2.0", f"epsilon = {epsilon}"), tmp_path)
        assert round(float(re.search(r"± ([0-9.]+) \(of 99\)", seen)[1])) == told, epsilon
