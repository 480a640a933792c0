"""`scripts/reproduce bozkir2021 --quick` on invented data, and its parts against values worked out by hand."""

import gzip
import math
from dataclasses import replace

import numpy as np
import pytest
from goldens import check_text, figures
from refusals import refused
from reproducing import fresh_workers, reproduce, table, titles
from reproductions._bozkir2021_paper import PaperParameters, Perturbed

from synthrelease.dp.noise import SecureRandom
from synthrelease.errors import DataError
from synthrelease.evaluation.attacks import Windows

PEOPLE, CONDITIONS = 6, ("calm", "loud")
FEATURES = (
    "pupil_l_mean_mm,pupil_r_mean_mm,pupil_sd_mm,pupil_min_mm,pupil_max_mm,pupil_lr_diff_mm,openness_mean,"
    "openness_sd,blink_rate_hz,blink_dur_mean_s,valid_fraction"
)


def walk(rng, windows, features):
    """Slow series around a level of the person's own."""
    level = rng.normal(5, 1, features)
    return level + 0.05 * rng.normal(size=(windows, features)).cumsum(axis=0)


def invented_data(folder):
    """Six people under two conditions as in ier2023_vr_pupil, and four in two documents as in MPIIDPEye."""
    rng = np.random.default_rng(8)
    lines = [f"participant,condition,window,t_center_s,{FEATURES}"]
    for person in range(1, PEOPLE + 1):
        for condition in CONDITIONS:
            for w, row in enumerate(walk(rng, 60 + 5 * person, 11)):
                lines.append(f"{person},{condition},{w},{5 + w / 2}," + ",".join(f"{v:.5f}" for v in row))
    (folder / "ier2023_vr_pupil").mkdir()
    with gzip.open(folder / "ier2023_vr_pupil" / "features_10s_0p5s.csv.gz", "wt") as file:
        file.write("\n".join(lines) + "\n")
    for person in range(1, 5):
        for recording in (1, 2):
            values = walk(rng, 50 + person, 52)
            values[:, 40:44] = 0
            text = "\n".join(";".join(f"{v:.5f}" for v in row) for row in values)
            (folder / f"Data_P{person}_R{recording}_Pami_Features_52.csv").write_text(text + "\n")
    return folder


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    out = folder / "pictures"
    finished = reproduce("bozkir2021", invented_data(folder), "-o", out, "--quick")
    assert finished.returncode == 0, finished.stderr
    return finished.stdout, out


@pytest.fixture
def part(script):
    return lambda name: script(f"reproductions._bozkir2021_{name}")


@pytest.fixture
def study(part, tmp_path):
    return part("data").studies(invented_data(tmp_path))[0]


STUDIES = ("ier2023_vr_pupil", "MPIIDPEye")
SECTIONS = [
    "utility",
    "utility by chunk",
    "utility, median",
    "error",
    "coefficients",
    "types",
    "types by chunk",
    "order",
    "correlations",
    *(f"{question} {vote}" for question in ("TASK", "HALVES", "ADVERSARY") for vote in ("with", "without")),
]


def title(done, study, section):
    """The title of a section of a study."""
    found = titles(done[0])
    assert len(found) == len(STUDIES) * len(SECTIONS)
    return found[STUDIES.index(study) * len(SECTIONS) + SECTIONS.index(section)]


def rows_of(done, study, section):
    """The rows of a section of a study."""
    below = done[0].partition(f"{study}: ")[2]
    return table(below, title(done, study, section))


# --- the whole


@pytest.mark.thorough
def test_it_says_what_it_counts(done):
    of_ier, of_mpii = (done[0].partition(f"{name}: ")[2].split("\n\n")[0] for name in STUDIES)
    assert figures(of_ier)[:6] == [6, 2, 11, 930, 0.5, 130]
    assert [one for one in figures(of_mpii) if one not in (1, 2)][:4] == [4, 48, 420, 0.5]
    assert {1.1, 0.01, 32} <= set(figures(of_ier))
    assert {0.48, 0.01, 32} <= set(figures(of_mpii))


@pytest.fixture
def names_of_ways(part):
    return [way.name for way in part("ways").QUICK.ways]


@pytest.mark.thorough
@pytest.mark.parametrize("name", STUDIES)
def test_utility_has_every_way_and_grows_with_epsilon(done, name, names_of_ways):
    rows = rows_of(done, name, "utility")
    assert [row[0] for row in rows] == names_of_ways
    assert len(rows) == 5
    for way, low, high in rows[:-1]:  # as printed, more ε need not help
        assert 0 < float(low) < float(high), way


@pytest.mark.thorough
@pytest.mark.parametrize("name", STUDIES)
def test_the_other_readings_have_every_way(done, name, names_of_ways):
    for section in ("utility by chunk", "utility, median", "error"):
        assert [row[0] for row in rows_of(done, name, section)] == names_of_ways
    k = rows_of(done, name, "coefficients")
    assert [row[0] for row in k] == names_of_ways[1:]
    assert (k[0][-1], len(k[0])) == ("1.00", 4)
    whole, by_chunk = (rows_of(done, name, section) for section in ("types", "types by chunk"))
    assert len(whole) == 2 * 5
    assert whole[:2] == by_chunk[:2]  # LPA and FPA are one chunk
    assert whole[2] != by_chunk[2]


@pytest.mark.thorough
@pytest.mark.parametrize("name", STUDIES)
def test_the_published_order_is_judged_in_every_reading(done, name, part):
    below = done[0].partition(f"{name}: ")[2].partition(f"\n{title(done, name, 'order')}\n")[2]
    lines = below.split("\n\n")[1].splitlines()
    readings = part("utility_tables").READINGS.values()
    assert [reading for reading in readings for _ in range(3)] == [line.split(":")[0] for line in lines]
    assert sum("CFPA ≥ 100 × FPA" in line for line in lines) == 3


@pytest.mark.thorough
def test_correlations_are_told_for_two_features_raw_and_differenced(done):
    rows = rows_of(done, "ier2023_vr_pupil", "correlations")
    assert [row[:3] for row in rows] == [
        [feature, kind, condition]
        for kind in ("raw", "differences")
        for feature in ("pupil_l_mean_mm", "blink_rate_hz")
        for condition in CONDITIONS
    ]
    assert all(float(row[3]) > 0.8 for row in rows[:4])


@pytest.mark.thorough
@pytest.mark.parametrize("name", STUDIES)
@pytest.mark.parametrize("question", ["TASK", "HALVES", "ADVERSARY"])
def test_classification_has_every_row_with_and_without_vote(done, name, question, part):
    for voting in ("with", "without"):
        rows = rows_of(done, name, f"{question} {voting}")
        assert len(rows) == 6
        assert [row[0] for row in rows[1:4]] == ["FPA", "CFPA-32", "DCFPA-32"]
        assert rows[4][0] == f"FPA{part('told_tables').NOISE_ALONE}"
        for row in rows[:-1]:
            shares = [float(share) for cell in row[1:] for share in cell.split(" | ")]
            assert len(shares) == 8
            assert all(0 <= share <= 1 for share in shares)


@pytest.mark.thorough
def test_noise_alone_is_recognised_in_the_papers_way_and_not_in_an_adversarys(done):
    halves = rows_of(done, "ier2023_vr_pupil", "HALVES with")
    assert min(float(share) for share in halves[-2][1].split(" | ")) > 0.9
    assert halves[-1][1:] == ["0.17", "0.17"]


@pytest.mark.thorough
@pytest.mark.parametrize("name", STUDIES)
@pytest.mark.parametrize("picture", ["utility", "correlation", "classification"])
def test_the_picture_is_there(done, name, picture):
    drawn = (done[1] / f"bozkir2021_{name}_{picture}.png").read_bytes()
    assert drawn.startswith(b"\x89PNG")
    assert len(drawn) > 10_000


@pytest.mark.thorough
def test_without_data_it_ends_with_3(tmp_path, part):
    nowhere = tmp_path / "nowhere"
    assert reproduce("bozkir2021", nowhere, "-o", tmp_path / "out").returncode == 3
    with refused(DataError, "no-data-set", where=nowhere):
        part("data").studies(nowhere)
    file = tmp_path / "Data_P1_R1_Pami_Features_52.csv"
    file.write_text("1,2\n")
    malformed = reproduce("bozkir2021", tmp_path, "-o", tmp_path / "out")
    assert (malformed.returncode, str(file) in malformed.stderr) == (3, True)
    with refused(DataError, "wrong-field-count", where=file):
        part("data").studies(tmp_path)
    assert not (tmp_path / "out").exists()
    assert "bozkir2021" in reproduce().stdout.split()


# --- its parts


def test_series_are_cut_or_completed_and_recorded_windows_known(study):
    assert study.length == 130
    assert study.recordings[1].recorded.sum(axis=1).tolist() == [65, 70, 75, 80, 85, 90]
    first = study.recordings[0].series[0]
    assert (first[:, 65:] == first[:, [64]]).all()
    assert (first[:, 64] != first[:, 63]).all()


def test_worth_by_hand(part, monkeypatch):
    """Two people, two features, three draws; the paper's order of averaging."""
    worth, data = part("worth"), part("data")
    truth = np.array([[[1.0, 3], [2, 2.5]], [[4, 2], [0, 0]]])  # the last has no mean
    noisy = truth + np.array([1.0, -0.5, 3])[:, None, None, None] * np.array([1, -1])
    k = np.ones((2, 1), dtype=np.int64)
    monkeypatch.setattr(worth, "oracle_coefficients", lambda *_, **__: k)
    monkeypatch.setattr(worth, "perturbed", lambda *_, **__: Perturbed(noisy, k, k))
    recording = data.Recording("R1", np.arange(2), truth, np.ones((2, 2), dtype=bool))
    found = worth.worth(recording, PaperParameters("fpa", 1.0), draws=3, seed=1)
    # noise ±a leaves the mean as it is: NMSE = a²/mean², a = 1, ½, 3; means 2, 2¼ and 3
    first = [a * a / 2**2 for a in (1, 0.5, 3)], [a * a / 3**2 for a in (1, 0.5, 3)]
    second = [a * a / 2.25**2 for a in (1, 0.5, 3)]
    assert found.utility == pytest.approx((1 / np.mean(first) + 1 / np.mean(second)) / 2)
    assert found.by_chunk == pytest.approx(found.utility)
    assert found.typical == pytest.approx((1 / np.mean([1 / 4, 1 / 9]) + 2.25**2) / 2)
    # variances 1, 1/16, 1; mean of a² is 10.25/3: the median of three
    assert found.relative_mse == pytest.approx(10.25 / 3)
    assert found.without == 1
    # (1, 3) + a·(1, −1) turns round at a = 3; (2, 2.5) at ½ too; (4, 2) never
    assert found.correlation == pytest.approx(((0 + 1 - 1) + (-1 + 1 - 1) + (1 + 1 + 1)) / 9)


def test_worth_chunk_by_chunk_by_hand(part):
    by_chunk = part("worth")._by_chunk
    truth = np.array([[[1.0, 3, 0, 0, 5]]])
    released = np.array([[[[3.0, 1, 1, 1, 7]]], [[[1.0, 3, 0, 0, -5]]]])
    found = by_chunk(released, truth, 2)
    np.testing.assert_allclose(found[:, 0, 0], [[4 / 4, math.nan, 4 / 35], [0, math.nan, 100 / 25]])
    assert by_chunk(released, truth, None).shape == (2, 1, 1, 1)


def test_worth_of_blocks_of_draws_is_that_of_all(part, study, monkeypatch):
    worth, parameters = part("worth"), part("ways").CFPA[0].parameters(1.0, 5)
    monkeypatch.setattr(worth, "_NUMBERS", 1)
    drawn = []
    original = worth.perturbed

    def counted(*arguments, draws, **named):
        drawn.append(draws)
        return original(*arguments, draws=draws, **named)

    monkeypatch.setattr(worth, "perturbed", counted)
    found = worth.worth(study.recordings[0], parameters, draws=4, seed=3)
    assert drawn == [1] * 4
    assert found.utility > 0


@pytest.mark.thorough
def test_the_number_of_workers_changes_nothing(part, study):
    worth, told, ways = part("worth"), part("told"), part("ways")
    chosen = (ways.DCFPA[0],)
    fresh_workers()

    def all_of_it(jobs):
        random = SecureRandom.for_tests(4)
        worths = worth.worths(study, chosen, (0.1, 1.0), evaluations=3, draws=2, random=random, jobs=jobs)
        rows = [told.Released("released", chosen[0]), told.Released("noise", chosen[0], noise_alone=True)]
        answers = told.told(study, rows, (0.1,), worths, draws=2, random=random, jobs=jobs)
        return worths, answers

    (one, answered), (two, again) = all_of_it(1), all_of_it(2)
    for key, value in one.items():
        for a, b in zip(value, two[key], strict=True):
            np.testing.assert_array_equal(a, b)
    for key, answers in answered.items():
        for question, accuracies in answers.items():
            assert accuracies.shape == (4, 2)
            np.testing.assert_array_equal(accuracies, again[key][question])


def test_noise_alone_holds_nobodys_data(part, study, monkeypatch):
    """The same noise around other data of the same distances: classified alike."""
    told, ways = part("told"), part("ways")
    seen = []
    monkeypatch.setattr(told, "_told", lambda _, released, __: seen.append(released))
    moved = replace(study, recordings=tuple(replace(r, series=r.series + 1e3) for r in study.recordings))
    k = [np.ones((11, 1), dtype=np.int64)] * 2
    for of in (study, moved):
        told._one_draw(of, ways.FPA.parameters(0.1, 1), k, 5, noise_alone=True)
    np.testing.assert_allclose(seen[0], seen[1], rtol=1e-6)


def test_an_adversary_knows_other_recordings_only(part):
    """Each person's level moves from recording to recording: who trained on the attacked one would be right."""
    told = part("told")
    person, recording = np.repeat(np.arange(4), 24), np.tile(np.repeat([0, 1], 12), 4)
    level = np.where(recording == 0, person, (person + 1) % 4).astype(float)
    values = level[:, None] + np.random.default_rng(1).normal(0, 0.01, (96, 1))
    windows = Windows(values, person, recording)
    assert told._adversary(windows, windows, "DT", 0) == (0.0, 0.0)
    calm = windows.where(recording == 0)
    assert told._halves(calm, "DT", 0) == (1.0, 1.0)


def test_verdicts_by_hand(part):
    tables, ways = part("utility_tables"), part("ways")
    names = [way.name for way in ways.QUICK.ways]
    low, high = (dict(zip(names, worth, strict=True)) for worth in ([1, 2, 300, 400, 3], [1, 3, 300, 1, 9]))
    mean = {(way, 0.01): value for way, value in low.items()} | {(way, 1.0): v for way, v in high.items()}
    lines = tables.verdicts(dict.fromkeys(tables.READINGS, mean), ways.QUICK)
    mean["CFPA-32", 1.0] = 299
    missed = tables.verdicts(dict.fromkeys(tables.READINGS, mean), ways.QUICK)
    check_text("reproduce/verdicts", "\n".join([*lines[:3], missed[0]]))


def test_distances_by_hand(part, study):
    """People who differ by a level and by nothing else: Δ₂ grows as √n, and chunks gain nothing."""
    tables, ways = part("utility_tables"), part("ways")
    level = np.arange(6.0)[:, None, None] * np.ones((6, 2, 130))
    flat = replace(study, recordings=(replace(study.recordings[0], series=level),))
    found = tables.distances(flat, ways.FULL)
    assert "LPA" not in found
    for way in (ways.FPA, *ways.CFPA):
        assert found[way.name] == pytest.approx(1.0)
    # differences are the level and zeros: Δ₂ = 5 in every chunk, of 32, 32, 32, 32 and 2 steps
    expected = np.mean([1 / math.sqrt(32)] * 4 + [1 / math.sqrt(2)])
    running, printed = ways.DCFPA[0].name, ways.AS_PRINTED[0].name
    assert found[running] == found[printed] == pytest.approx(expected)


def test_correlation_across_people_as_far_as_all_were_recorded(script, study):
    main = script("reproductions.bozkir2021")
    recording = study.recordings[0]
    found = dict(main.correlations(recording, 3, differenced=False))
    assert list(found) == list(range(1, 65 - 4))
    for lag in (1, 17, 60):
        by_numpy = np.corrcoef(recording.series[:, 3, 4], recording.series[:, 3, 4 + lag])[0, 1]
        assert found[lag] == pytest.approx(by_numpy, abs=1e-9)
    moved = dict(main.correlations(recording, 3, differenced=True))
    steps = np.diff(recording.series[:, 3], axis=1)  # step t of the differences is step t − 1 here
    assert moved[2] == pytest.approx(np.corrcoef(steps[:, 3], steps[:, 5])[0, 1], abs=1e-9)


def test_a_larger_data_set_is_classified_fewer_times(part, study):
    ways = part("ways")
    assert ways.FULL.classified_of(study) == ways.FULL.classified == 7
    one = study.recordings[0]
    for windows, draws in ((14_037, 7), (30_000, 3), (78_000, 1), (1_000_000, 1)):
        recorded = np.ones((windows, 1), dtype=bool)
        assert ways.FULL.classified_of(replace(study, recordings=(replace(one, recorded=recorded),))) == draws
