"""Tables and pictures of docs/concepts are those of `scripts/study concepts`, and what their pages say of them holds."""

import importlib
import sys

import numpy as np
import pytest
from documented import ROOT
from PIL import Image

DEMONSTRATION = ROOT / "synthrelease" / "demo"
PICTURES = {
    "epsilon.md": ["concept_epsilon.png"],
    "reidentification.md": ["concept_reconstruction.png", "concept_protected.png"],
}


@pytest.fixture(scope="module")
def study():
    sys.path.insert(0, str(ROOT / "scripts"))
    try:
        return importlib.import_module("studies.concepts")
    finally:
        sys.path.remove(str(ROOT / "scripts"))


@pytest.fixture(scope="module")
def page():
    return (ROOT / "docs" / "explanation" / "reidentification.md").read_text("utf-8")


def missing(lines, page):
    return [line for line in lines if line not in page.splitlines()]


@pytest.mark.thorough
def test_what_exact_maps_give_away(study, page):
    assert missing(study.exact_table(DEMONSTRATION), page) == []


@pytest.mark.thorough
def test_what_the_blur_hides(study, page):
    assert missing(study.sharp_table(DEMONSTRATION), page) == []


@pytest.mark.thorough
def test_what_is_left_at_each_epsilon(study, page):
    lines = study.noised_table(DEMONSTRATION)
    assert len(lines) == 3 + len(study.EPSILONS)
    assert missing(lines, page) == []
    assert missing([lines[3].replace("54.7", "54.8")], page)  # the comparison can fail


def test_the_guesses_in_the_picture_are_those_of_the_table(study):
    page = (ROOT / "docs" / "explanation" / "epsilon.md").read_text("utf-8")
    for epsilon in (0.1, 0.5, 1.0, 2.0, 3.0, 5.0, 10.0):
        pure, gaussian = study.pure_guess(epsilon), study.gaussian_guess(epsilon)
        rows = [line.split(" | ") for line in page.splitlines() if line.startswith(f"| {epsilon:g} |")]
        [told] = [row[2:] for row in rows if len(row) == 4]
        assert told == [f"{100 * pure:.1f} %", f"{100 * gaussian:.1f} % |"], epsilon


def test_the_picture_of_guesses_begins_at_chance_and_never_falls(study):
    epsilons, pure, gaussian = study.guesses()
    assert len(epsilons) == len(pure) == len(gaussian)
    for curve in (pure, gaussian):
        assert curve[0] < 0.53
        assert (np.diff(curve) > 0).all()
    assert (np.array(gaussian) < np.array(pure)).all()


@pytest.mark.parametrize("page", PICTURES)
def test_pictures_are_small_and_described(page):
    text = (ROOT / "docs" / "explanation" / page).read_text("utf-8")
    for name in PICTURES[page]:
        path = ROOT / "docs" / "images" / name
        assert path.stat().st_size <= 120_000
        with Image.open(path) as image:
            assert image.width == 900
        before = text.split(f"](../images/{name})")[0]
        assert len(before.rsplit("![", 1)[1]) > 80, name  # what is to be seen, in words
