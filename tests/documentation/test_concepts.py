"""Tables and figures of docs/explanation are those of `scripts/study concepts` and of the package, and what their pages say of them holds."""

import importlib
import itertools
import sys

import numpy as np
import polars as pl
import pytest
from documented import ROOT
from PIL import Image

from synthrelease.dp.accounting import compose
from synthrelease.dp.best_guess import best_guess, best_guess_of
from synthrelease.dp.calibration import gaussian_epsilon, gaussian_sigma, liu2019_sigma
from synthrelease.dp.event import DiscreteLaplace, RandomizedTest, RoundedGaussian
from synthrelease.dp.guarantee import PureDP
from synthrelease.kinds.records.deniability import deniability_test
from synthrelease.kinds.records.model import SeededModel

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
        [shown] = [row[2:] for row in rows if len(row) == 4]
        assert shown == [f"{100 * pure:.1f} %", f"{100 * gaussian:.1f} % |"], epsilon


def explanation(name):
    return (ROOT / "docs" / "explanation" / name).read_text("utf-8")


def numbers_after(page, head):
    """Cells of the table that follows a line, those of its first row after head and rule."""
    lines = page.split(head)[1].splitlines()[2:]
    rows = itertools.takewhile(lambda line: line.startswith("|"), lines)
    return [[cell.strip("* ") for cell in line.split("|")[1:-1]] for line in rows]


def test_odds_change_as_the_table_of_epsilon_says():
    rows = [
        row
        for row in numbers_after(explanation("epsilon.md"), "| ε | odds change by at most")
        if len(row) == 4
    ]
    assert len(rows) == 7
    for epsilon, odds, *_ in rows:
        assert float(odds.split()[0]) == pytest.approx(np.exp(float(epsilon)), rel=0.05), epsilon


def test_releases_add_up_as_the_table_of_epsilon_says():
    sigma = gaussian_sigma(1.0, 1e-6, sensitivity=1000.0)
    rows = numbers_after(explanation("epsilon.md"), "| releases of ε = 1 |")
    assert [row[0] for row in rows] == ["1", "4", "10", "100"]
    for times, pure, pure_right, gaussian, gaussian_right in rows:
        laplace = compose([DiscreteLaplace(1000, 1000.0, 1)] * int(times), delta=0).epsilon
        events = [RoundedGaussian(1000.0, sigma, 1)] * int(times)
        assert laplace == float(pure)
        assert f"{100 * best_guess(PureDP(epsilon=laplace)):.0f} %" == pure_right
        assert f"{compose(events, delta=1e-6).epsilon:.1f}" == gaussian
        assert f"{100 * best_guess_of(events):.0f} %" == gaussian_right


def test_a_person_is_allowed_what_the_table_of_units_says():
    rows = numbers_after(explanation("person.md"), "| ε = 1 for each |")
    assert [row[0] for row in rows] == ["window", "recording", "person"]
    for _, _, _, _, epsilon, allowed in rows:
        right = 100 * best_guess(PureDP(epsilon=float(epsilon)))
        assert right == pytest.approx(float(allowed.removesuffix(" %")), abs=0.05)


@pytest.fixture(scope="module")
def windows():
    """The demonstration's first 62 windows of each recording: participant, recording, window."""
    table = pl.read_csv(DEMONSTRATION / "pupil.csv.gz").sort("person", "condition", "time_s")
    return table.group_by("person", "condition", maintain_order=True).head(62)


def test_windows_of_the_demonstration_overlap_as_the_page_on_the_unit_says(windows):
    """Each lasts 10 s and begins half a second after the one before: a moment is in 20 of them."""
    assert "windows last 10 s and begin every half second, so one moment is in 20 of them" in explanation(
        "person.md"
    )
    assert np.diff(windows["time_s"][:62]).max() == 0.5


def test_smaller_units_are_attacked_as_the_table_of_units_says(windows):
    pupil_mm = windows["pupil_l_mean_mm"].to_numpy().reshape(24, 5, 62)
    sums = pupil_mm.sum(axis=(1, 2))  # of each participant
    apart = np.abs(sums[:, None] - sums)[np.triu_indices(24, 1)]
    rows = numbers_after(explanation("person.md"), "| ε = 1 for each |")
    for (_, error, middle, most, *_), windows_of_a_unit in zip(rows, (1, 62, 310), strict=True):
        scale = (8.0 - 1.5) * windows_of_a_unit
        right = 1 - np.exp(-apart / (2 * scale)) / 2  # the nearer of two sums
        deviation = np.sqrt(2) * scale / pupil_mm.size
        assert float(error.removesuffix(" mm")) == float(f"{deviation:.2g}")
        assert [f"{100 * one:.1f} %" for one in (np.median(right), right.max())] == [middle, most]


def test_published_epsilons_are_per_person_what_the_literature_page_says():
    people, pixels, delta = 900, 300 * 300, 900**-1.5
    rows = numbers_after(explanation("literature.md"), "| n = 900, 300 × 300 px")
    for (_, *shown), stated in zip(rows, (1.0, 3.0), strict=True):
        sigma = liu2019_sigma(stated, delta, cap=1, pixels=pixels)  # of the sum over people
        for cell, stimuli in zip(shown, (1, 5, 20, 100), strict=True):
            exact = gaussian_epsilon(delta, sigma=sigma, sensitivity=np.sqrt(pixels * stimuli))
            assert float(cell) == pytest.approx(exact, rel=0.03), (people, stimuli)


def test_the_example_of_deniability_counts_as_its_page_says():
    """Of the candidates (high, small) and (low, small), counted by participant and by row."""
    model = SeededModel([[0.75, 0.25], [0.5, 0.3, 0.2]], order=(0, 1), resampled=(1, 2))
    records = np.array([(0, 0), (0, 1), (0, 0), (0, 2), (0, 0), (0, 1), (1, 0), (1, 0), (1, 1), (1, 2)])
    people = np.array([1, 2, 3, 4, 5, 6, 7, 7, 7, 8])
    candidates, seeds = np.array([(1, 0), (0, 0)]), np.array([6, 0])
    page = explanation("deniability.md")
    for gamma, counted, expected in ((5.0, people, [2, 6]), (20.0, people, [8, 8]), (5.0, None, [4, 6])):
        result = deniability_test(model, candidates, seeds, records, people=counted, k=3, gamma=gamma)
        assert result.plausible.tolist() == expected
    for said in (
        "So k′ = 2",
        "k′ = 8, and it passes",
        "for γ = 5, k′ = 6",
        "If you count rows, k′ is 4",
    ):
        assert said in " ".join(page.split()), said


@pytest.mark.parametrize("gamma", [1.1, 4.0, 1000.0])
def test_gamma_is_without_effect_where_the_number_of_kept_attributes_is_fixed(gamma):
    """The example of docs/explanation/deniability.md, with one attribute kept always."""
    model = SeededModel([[0.75, 0.25], [0.5, 0.3, 0.2]], order=(0, 1), resampled=(1,))
    records = np.array([(0, 0), (0, 1), (0, 0), (0, 2), (0, 0), (0, 1), (1, 0), (1, 0), (1, 1), (1, 2)])
    people = np.array([1, 2, 3, 4, 5, 6, 7, 7, 7, 8])
    candidates, seeds = np.array([(1, 0), (0, 0)]), np.array([6, 0])
    result = deniability_test(model, candidates, seeds, records, people=people, k=3, gamma=gamma)
    assert result.plausible.tolist() == [2, 6]


def test_randomised_tests_cost_what_the_table_of_deniability_says():
    page = explanation("deniability.md")
    rows = numbers_after(page, "| trials |")
    assert [row[0] for row in rows] == ["1", "10", "100", "500"]
    for trials, epsilon in rows:
        test = RandomizedTest(k=100, gamma=4.0, epsilon0=0.5, trials=int(trials), seeds=1000)
        assert compose([test], delta=1e-6).epsilon == pytest.approx(float(epsilon), rel=0.01)
    q = np.exp(-0.5)  # discrete Laplace noise of ε₀ = 0.5; one source passes if it is −19 or less
    assert round(1e6 * q**19 / (1 + q)) == 47
    assert "probability 4.7·10⁻⁵, so of a million such candidates some 47 are published" in " ".join(
        page.split()
    )


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
