"""What `pip install synthrelease` gives opens, verifies, shows and exports; what needs more says which command installs it."""

import json
import tomllib
from pathlib import Path

import pytest
import without_extras

from synthrelease.extras import LIBRARIES

ROOT = Path(__file__).parent.parent.parent
BUNDLE = ROOT / "tests" / "golden" / "bundles" / "heatmaps.h5"
PLAN = ROOT / "tests" / "golden" / "plans" / "heatmaps.toml"


def command(folder, *words):
    return without_extras.run(folder, "-m", "synthrelease", *words)


def test_extras_install_these_libraries():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    for library in LIBRARIES.values():
        assert library.name.lower() in [one.partition(">=")[0] for one in extras[library.extra]]
    assert extras["full"] == [f"synthrelease[{','.join(sorted({one.extra for one in LIBRARIES.values()}))}]"]


@pytest.mark.quick("verify", "show")
@pytest.mark.parametrize(
    "words",
    [
        ("verify", BUNDLE),
        ("verify", "--quick", BUNDLE),
        ("show", BUNDLE),
        ("diff", BUNDLE, BUNDLE),
        ("export", BUNDLE, "--to", "csv", "-o", "csv"),
        ("export", BUNDLE, "--to", "bids", "-o", "bids"),
    ],
    ids=["verify", "quick", "show", "diff", "csv", "bids"],
)
def test_readers_need_no_extra(tmp_path, words):
    done = command(tmp_path, *words)
    assert done.returncode == 0, done.stderr


@pytest.mark.quick("report", "evaluate")
@pytest.mark.parametrize(
    ("words", "extra"),
    [
        (("report", BUNDLE), "report"),
        (("export", BUNDLE, "--to", "png", "-o", "png"), "report"),
        (("preview", PLAN, "--html", "preview.html"), "report"),
        (("evaluate", PLAN, BUNDLE, "-o", "private.html"), "evaluate"),
        (("build", PLAN, "--jobs", 2), "parallel"),
    ],
    ids=["report", "png", "preview", "evaluate", "jobs"],
)
def test_what_needs_an_extra_says_how_to_install_it(tmp_path, words, extra):
    done = command(tmp_path, *words, "--json")
    assert done.returncode == 6, done.stdout + done.stderr
    error = json.loads(done.stdout)["error"]
    assert error["code"] == "extra-missing"
    assert f"synthrelease[{extra}]" in error["remedy"]
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


@pytest.mark.thorough
def test_the_demonstration_builds_and_verifies_but_draws_nothing(tmp_path):
    done = command(tmp_path, "demo", "-o", "demo", "--json")
    assert done.returncode == 0, done.stderr
    form = json.loads(done.stdout)
    assert form["verified"]
    assert (form["picture"], form["report"]) == (None, None)
    assert "synthrelease[report]" in command(tmp_path, "demo", "-o", "demo", "--force").stdout
