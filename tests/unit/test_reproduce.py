"""`scripts/reproduce liu2019 --quick` on an invented data folder: every table has its rows, every picture is there."""

import gzip
import math

import numpy as np
import pytest
from goldens import check_text, figures
from reproducing import reproduce, table, without_results

from synthrelease.dp.calibration import gaussian_sigma
from synthrelease.dp.noise import SecureRandom

PEOPLE, SAMPLES = 8, 60
PICTURES = ["figure_2", "figure_3", "caps", "grid", "maps"]


def invented_data(folder):
    """Paths of random steps on two images, in the layout of osie_mouse."""
    rng = np.random.default_rng(5)
    lines = ["image,worker,sample_index,x_px,y_px"]
    for image in (1005, 1006):
        for worker in range(PEOPLE):
            steps = rng.normal(0, 12, (SAMPLES, 2)).cumsum(axis=0) + np.array([400, 300])
            path = np.clip(steps, 0, (799, 599)).astype(int)
            lines += [f"{image},{worker + 100},{k + 1},{x},{y}" for k, (x, y) in enumerate(path)]
    (folder / "osie_mouse").mkdir()
    with gzip.open(folder / "osie_mouse" / "samples.csv.gz", "wt") as file:
        file.write("\n".join(lines) + "\n")
    return folder


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    out = folder / "pictures"
    finished = reproduce("liu2019", invented_data(folder), "-o", out, "--quick")
    assert finished.returncode == 0, finished.stderr
    return finished.stdout, out


@pytest.mark.thorough
def test_what_does_not_protect_is_attacked(done):
    rows = table(done[0], "3.3, 3.4")
    free, without, replacing = dict.fromkeys(row[0] for row in rows)
    assert [row[0] for row in rows] == [free] + [without] * 5 + [replacing] * 5
    assert rows[0][2:] == ["1", "1.000", "1.000", "0.000"]
    assert rows[4][1:3] == ["4/8", "0.500"]
    assert rows[9][1:3] == ["4/8", f"{1 - (7 / 8) ** 4:.3f}"]
    assert all(row[-1] == "0.000" for row in rows)


@pytest.mark.thorough
def test_what_is_printed_reads_so(done):
    check_text("reproduce/liu2019", without_results(done[0]))


@pytest.mark.thorough
def test_sigmas_are_those_of_the_paper_and_refused_where_insufficient(done):
    rows = {(row[0], row[1], row[2]): row for row in table(done[0], "3.4, 3.5")}
    assert len(rows) == 10
    assert rows["300×300", "900", "1"][4] == "1.567"
    assert rows["300×300", "900", "1"][6] == "accepts"
    assert rows["1×1", "900", "1"][5:7] == ["7.07e-05", "REFUSES"]
    assert rows["600×800", str(PEOPLE), "1"][6] == "accepts"


@pytest.mark.thorough
def test_figure_2_answers_how_many_people(done):
    rows = table(done[0], "Figure 2")
    assert rows[0][1:] == ["942", "310"]
    assert len(rows) == 3


@pytest.mark.thorough
def test_caps_of_both_crowds(done):
    rows = table(done[0], "4.2")
    assert [row[1] for row in rows] == ["50,000", "50,000", str(PEOPLE), str(PEOPLE)]
    for _, _, largest, best, error, at_1, at_largest in rows:
        assert 1 <= int(best) <= int(largest)
        assert float(error) <= min(float(at_1), float(at_largest))


@pytest.mark.thorough
def test_figure_3_has_every_mechanism_and_privacy_costs_utility(done):
    rows = table(done[0], "Figure 3")
    assert [row[1] for row in rows] == ["1", "3"] * 4
    assert [figures(row[0]) for row in rows[::2]] == [[3.4], [3.5], [1500], []]
    assert all(float(row[4].split("± ")[1]) > 0 for row in rows)  # there is noise
    errors = [float(row[4].split(" ±")[0]) for row in rows]
    assert errors[0] > errors[1]
    assert errors[2] > errors[0] > errors[4]
    assert all(float(row[3].split(" ±")[0]) > 0.9 for row in rows[-2:])


@pytest.mark.thorough
def test_grids_have_both_levels(done):
    rows = table(done[0], "Footnote 7")
    assert [row[1] for row in rows] == ["4×3", "8×6", "20×15", "40×30", "100×75"] * 2
    assert all(len(row) == 5 for row in rows)


@pytest.mark.thorough
@pytest.mark.parametrize("name", PICTURES)
def test_the_picture_is_there(done, name):
    picture = (done[1] / f"liu2019_{name}.png").read_bytes()
    assert picture.startswith(b"\x89PNG")
    assert len(picture) > 10_000


@pytest.mark.thorough
def test_the_list_and_the_exit_codes(tmp_path):
    listed = reproduce()
    assert (listed.returncode, "liu2019" in listed.stdout.split()) == (0, True)
    unknown = reproduce("liu1919", tmp_path, "-o", tmp_path)
    assert (unknown.returncode, "liu1919" in unknown.stderr) == (2, True)
    assert reproduce("liu2019", tmp_path).returncode == 2
    missing = reproduce("liu2019", tmp_path, "-o", tmp_path / "out")
    assert (missing.returncode, "samples.csv.gz" in missing.stderr) == (3, True)
    assert not (tmp_path / "out").exists()


@pytest.fixture
def part(script):
    return lambda name: script(f"reproductions._liu2019_{name}")


@pytest.fixture
def attacks(part):
    return part("attacks")


def test_unmixing_tells_a_map_from_the_known_ones(attacks):
    others = np.array([[2, 0, 1, 0, 1, 0], [0, 3, 1, 0, 0, 2]])
    own = np.array([1, 0, 0, 2, 0, 1])
    for times in ((1, 0), (2, 1), (0, 0)):
        known = np.array(times) @ others
        selected = sum(times) + 2
        np.testing.assert_array_equal(attacks.unmixed((known + 2 * own) / selected, selected, others), own)
        assert attacks.unmixed(known / selected, selected, others) is None


def test_an_attack_that_cannot_know_does_not_claim(attacks):
    """Everyone looked at the same pixels: a mean of some says how many, not who."""
    maps = np.ones((6, 3), dtype=np.int64)
    found = attacks.attack_selection(maps, 3, 200, SecureRandom.for_tests(1), replaced=False)
    assert (found.recovered, found.present, found.false) == (0, 0, 0)
    assert attacks.attack_noise_free(maps, 20, SecureRandom.for_tests(1)).recovered == 1.0


@pytest.mark.parametrize("number", range(3))
def test_every_strategy_draws_the_noise_that_it_states(part, number):
    """The blur keeps the sum of a map: its deviation is σ·√r. 2000 draws tell it to 6.1/√4000 = 9.7 % at 1e-9."""
    curves = part("curves")
    draws, epsilon = 2000, 2.0
    crowd = curves.Crowd(np.array([3, 7]), np.array([5, 1]), 2, 50, 12, 16, 2, max_samples=10)
    strategy = curves.strategies(crowd)[number]
    random = SecureRandom.for_tests(number)
    sums = [strategy.draw(epsilon, random).sum() * crowd.people * crowd.cell**2 for _ in range(draws)]
    cap = crowd.best_cap(lambda m: strategy.sigma(epsilon, m))
    stated = strategy.sigma(epsilon, cap) * math.sqrt(crowd.pixels)
    assert np.std(sums) == pytest.approx(stated, rel=0.097)
    assert np.mean(sums) == pytest.approx(50 * (min(5, cap) + 1), abs=6.2 * stated / math.sqrt(draws))


def test_the_strategies_have_the_sigmas_of_the_theorems_and_of_bounded_contributions(part):
    curves = part("curves")
    crowd = curves.Crowd(np.array([3]), np.array([5]), 1, 900, 300, 300, 5, max_samples=600)
    gaussian, laplacian, bounded = (s.sigma(1.0, 1) for s in curves.strategies(crowd))
    assert gaussian / 900 == pytest.approx(1.567, abs=5e-4)
    assert laplacian / 900 == pytest.approx(math.sqrt(2) * 300**2 / 900, rel=1e-12)
    assert bounded == pytest.approx(gaussian_sigma(1.0, 900**-1.5, sensitivity=math.sqrt(1200)), rel=1e-9)


def test_a_crowd_of_copies_has_the_errors_of_all_its_people(part):
    curves = part("curves")
    pixel, count = np.array([3, 7, 3]), np.array([5, 1, 2])
    few = curves.Crowd(pixel, count, 2, 3, 10, 10, 5, max_samples=10)
    whole = curves.Crowd(np.tile(pixel, 3), np.tile(count, 3), 6, 1, 10, 10, 5, max_samples=10)
    np.testing.assert_allclose(few.errors(lambda m: 2.0 * m), whole.errors(lambda m: 2.0 * m), rtol=1e-14)
    np.testing.assert_array_equal(few.total(2), whole.total(2))
    np.testing.assert_allclose(few.heatmap(few.total(2)).sum() * 25, (2 + 1 + 2) * 3 / 6, rtol=1e-12)
