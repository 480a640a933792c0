"""A kind of output outside of the package, which an entry point registers: everything works on it, and what is said of it is true."""

import gzip
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from goldens import figures
from interpreter import Interpreter

import synthrelease

FOREIGN = Path(__file__).parent / "foreign_kind"
PLAN = """
release = { name = "shifts", version = "1.0.0", title = "Directions of gaze shifts" }
privacy = { epsilon = 2.0 }
[inputs.gaze]
kind = "gaze"
path = "gaze.csv.gz"
columns = { person = "person", stimulus = "image", x = "x_px", y = "y_px" }
screen = { width_px = 100, height_px = 80 }
stimuli = ["garden", "street"]
[[outputs]]
name = "shifts"
kind = "directions"
input = "gaze"
directions = 4
"""
FORMS = ("csv", "parquet", "frictionless", "bids", "croissant", "datacite", "dp-registry", "png")
LEMMA = "a person divides their gaze shifts among 4 directions, on at most 2 of 2 stimuli"
NO_FAULT, LAPLACE, NO_REUSE, EXACT = (
    "no fault",
    "Laplace noise",
    "no sign of reused noise",
    "without noise",
)
ON_ITS_CARD = (
    "In which of 4 directions gaze of 300 participants shifted on 2 stimuli.",
    "Directions of gaze shifts",
    "proportions: noisy grid units divided by their sum",
    "a participant without a gaze shift on a stimulus does not count there",
    LAPLACE,
)
QUANTITY = "proportion of gaze shifts"
CARD = '<article class="card"'
OF_OTHER_KINDS = (
    "heatmap",
    "cells",
    "areas of interest",
    "feature",
    "record",
    "quantile",
    "statistic",
    "blur",
    "recording",
)


@pytest.fixture(scope="module")
def python():
    """A Python in which the kind is installed."""
    interpreter = Interpreter(FOREIGN)
    yield interpreter
    interpreter.close()


@pytest.fixture(scope="module")
def run(python):
    def command(folder, *arguments, code=0):
        ended, printed = python.command(folder, *arguments)
        assert ended == code, printed
        return printed

    return command


@pytest.fixture(scope="module")
def study(run, tmp_path_factory):
    """A study in which gaze shifts to the right on the garden, and down on the street; and its bundle."""
    folder = tmp_path_factory.mktemp("shifts")
    random = np.random.default_rng(5)
    rows = ["person,image,x_px,y_px"]
    for person in range(300):
        for image, step in (("garden", (1, 0)), ("street", (0, 1))):
            start = random.uniform(0, 40, 2)
            for number in range(5):
                x, y = start + np.array(step) * 5 * number
                rows.append(f"P{person},{image},{x:.3f},{y:.3f}")
    (folder / "gaze.csv.gz").write_bytes(gzip.compress("\n".join(rows).encode()))
    (folder / "plan.toml").write_text(PLAN)
    run(folder, "build", "plan.toml", "-o", "r.h5")
    return folder


def test_it_is_built_and_verified_and_the_values_are_those_of_the_data(python, study):
    verdict = python.script(study, "import synthrelease; print(synthrelease.verify('r.h5'))")
    assert NO_FAULT in verdict
    text = python.script(
        study,
        "import json, synthrelease; b = synthrelease.open_bundle('r.h5'); "
        "print(json.dumps(b['shifts']['proportions'].tolist()))",
    )
    garden, street = np.array(json.loads(text))
    assert garden.argmax() == 0
    assert street.argmax() == 1
    assert min(garden.max(), street.max()) > 0.8
    assert garden.sum() == pytest.approx(1, abs=1e-3)


def test_the_preview_says_what_follows_from_its_own_lemma(run, study):
    text = run(study, "preview", "plan.toml")
    assert LEMMA in " ".join(text.split())
    assert 4 * 2**15 in figures(text)


def test_a_key_of_another_kind_is_refused_in_the_words_of_its_options(run, study, tmp_path):
    shutil.copy(study / "gaze.csv.gz", tmp_path)
    (tmp_path / "plan.toml").write_text(PLAN.replace("directions = 4", "blur_px = 4"))
    text = run(tmp_path, "preview", "plan.toml", code=3)
    assert "blur_px" in text
    (tmp_path / "plan.toml").write_text(PLAN.replace("directions = 4", "directions = 1"))
    text = run(tmp_path, "preview", "plan.toml", code=3)
    assert "directions" in text


def test_its_page_says_what_it_is_and_nothing_of_other_kinds(run, study):
    run(study, "report", "r.h5", "-o", "page.html", "--force")
    page = (study / "page.html").read_text("utf-8")
    card = page[page.index(CARD) : page.index("</article>")]
    shown = " ".join(re.sub(r"<[^>]*>", " ", card).split())
    assert [text for text in ON_ITS_CARD if text not in shown] == []
    assert not [word for word in OF_OTHER_KINDS if word in shown.lower()]


@pytest.mark.parametrize("form", FORMS)
def test_it_is_exported_in_every_form_and_nothing_is_said_of_other_kinds(run, study, form):
    run(study, "export", "r.h5", "--to", form, "-o", f"out-{form}", "--force")
    texts = [
        path.read_text("utf-8")
        for path in sorted((study / f"out-{form}").rglob("*"))
        if path.suffix in {".txt", ".json", ".md", ".yaml", ".csv", ".tsv"} and path.name != "manifest.json"
    ]
    whole = "\n".join(texts)
    if form in {"csv", "frictionless", "bids", "croissant"}:
        assert "direction_deg" in whole
        assert QUANTITY in whole.lower() or form == "csv"
    described = [
        word for word in ("heatmap", "areas of interest", "synthetic", "mean signal") if word in whole.lower()
    ]
    assert not described


def test_frames_and_datasets_have_its_axes(python, study):
    text = python.script(
        study,
        "import json, synthrelease\n"
        "b = synthrelease.open_bundle('r.h5')\n"
        "d, f = b.to_xarray('shifts'), b.to_pandas('shifts')\n"
        "print(json.dumps([list(d.dims), d.direction_deg.values.tolist(), d.direction_deg.attrs, list(f.columns), len(f)]))",
    )
    dims, degrees, attributes, columns, rows = json.loads(text)
    assert dims == ["stimulus", "direction_deg"]
    assert degrees == [0, 90, 180, 270]
    assert attributes["units"] == "deg"
    assert columns == ["stimulus", "direction_deg", "proportions"]
    assert rows == 8


def test_it_is_plotted_by_its_axes_and_shown_in_a_notebook(python, study):
    text = python.script(
        study,
        "import json, synthrelease\n"
        "from matplotlib.figure import Figure\n"
        "output = synthrelease.open_bundle('r.h5')['shifts']\n"
        "axes = output.plot(stimulus='garden', ax=Figure().subplots())\n"
        "line, = axes.lines\n"
        "print(json.dumps([line.get_xdata().tolist(), line.get_ydata().tolist(), output['proportions'][0].tolist(),\n"
        "    axes.get_xlabel(), axes.get_ylabel(), output._repr_html_()]))",
    )
    degrees, drawn, released, x, y, card = json.loads(text)
    assert degrees == [0, 90, 180, 270]
    assert drawn == released
    assert (x, y) == ("direction (deg)", QUANTITY)
    assert ON_ITS_CARD[0] in card
    assert not [word for word in OF_OTHER_KINDS if word in card.lower()]


def test_evaluate_compares_it_with_the_same_without_noise(run, study):
    run(study, "evaluate", "plan.toml", "r.h5", "-o", "private.html", "--json", "--force")
    page = (study / "private.html").read_text("utf-8")
    assert "RMSE" in page
    assert EXACT in page


def test_two_releases_are_compared(run, study):
    run(study, "build", "plan.toml", "-o", "other.h5", "--force")
    text = run(study, "diff", "r.h5", "other.h5")
    assert "shifts" in text
    assert NO_REUSE in text


def test_a_forged_claim_is_refused(run, python, study, tmp_path):
    """The sensitivity is computed again by the kind's own public half."""
    forged = tmp_path / "forged.h5"
    shutil.copy(study / "r.h5", forged)
    python.script(
        tmp_path,
        f"import sys; sys.path.insert(0, {str(Path(__file__).parents[1])!r})\n"
        "from pathlib import Path\n"
        "from forging import forge, parameters\n"
        "forge(Path('forged.h5'), lambda m: parameters(m, 'shifts').update(max_stimuli_per_person=1))",
    )
    assert "[sensitivity]" in run(tmp_path, "verify", forged, code=1)


def test_where_it_is_not_installed_a_bundle_of_it_is_not_verified(study):
    verdict = synthrelease.verify(study / "r.h5")
    assert {finding.code for finding in verdict.findings} == {"unknown-kind"}
    assert "directions" in str(verdict)


def test_a_registered_kind_that_cannot_be_loaded_is_named(tmp_path):
    info = tmp_path / "broken-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[synthrelease.kinds]\nbroken = no_such_module:KIND\n")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    done = subprocess.run(
        [sys.executable, "-m", "synthrelease", "preview", "plan.toml"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in {3, 6}
    assert "Traceback" not in done.stderr
