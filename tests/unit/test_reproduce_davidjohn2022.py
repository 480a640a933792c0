"""`scripts/reproduce davidjohn2022 --quick` on invented data: its splits, what it keeps, and its tables."""

import gzip
import json
import re
import shutil

import numpy as np
import pytest
from goldens import figures
from refusals import refused
from reproducing import fresh_workers, reproduce

from synthrelease.dp.noise import SecureRandom
from synthrelease.errors import DataError
from synthrelease.evaluation.attacks import Windows

PEOPLE, WINDOWS = 14, 90  # so many that an own mean, taken off, is no edge of a bin
CONDITIONS = ("control", "npc", "noise", "arithmetic", "combined")
COLUMNS = (
    "pupil_l_mean_mm,pupil_r_mean_mm,pupil_sd_mm,pupil_min_mm,pupil_max_mm,pupil_lr_diff_mm,openness_mean,"
    "openness_sd,blink_rate_hz,blink_dur_mean_s,valid_fraction"
)
CLASSIFIERS = ("k-NN", "SVM", "DT", "RF")
RELEASES = range(7)  # the raw data, two of k-same-select, two of marginals, two that are seeded
SAME_4, BY_LOT, SEEDED_TREE = 1, (3, 4), 6
PERSON = [(question, "AS_THEY_ARE") for question in ("HALVES_ONE", "HALVES", "RECORDINGS_ONE", "RECORDINGS")]
TASK = [(question, features) for features in ("AS_THEY_ARE", "STRAYED") for question in ("TASK_ONE", "TASK")]


def invented_data(folder, people=PEOPLE):
    """People who differ in their pupils alone, under conditions that differ a little in the same; the columns of ier2023_vr_pupil."""
    rng = np.random.default_rng(8)
    lines = [f"participant,condition,window,t_center_s,{COLUMNS}"]
    for person in range(1, people + 1):
        for number, condition in enumerate(CONDITIONS):
            for w in range(WINDOWS):
                pupil = 2.5 + 0.2 * person + 0.03 * number + rng.normal(0, 0.03)
                pupils = [pupil, pupil, 0.2, pupil - 0.5, pupil + 0.5, 0.0]
                values = [*pupils, 0.8 + rng.normal(0, 0.005), 0.1, 0.4 + rng.normal(0, 0.005), 0.2, 1]
                lines.append(f"{person},{condition},{w},{5 + w / 2}," + ",".join(f"{v:.5f}" for v in values))
    (folder / "ier2023_vr_pupil").mkdir(parents=True)
    with gzip.open(folder / "ier2023_vr_pupil" / "features_10s_0p5s.csv.gz", "wt") as file:
        file.write("\n".join(lines) + "\n")
    return folder


def table(text, title):
    """The rows of the Markdown table under a title, by their first cell; and its head."""
    lines = text.split(f"### {title}\n", 1)[1].split("\n### ", 1)[0].splitlines()
    head, _, *rows = (
        [c.strip() for c in line.strip("|").split(" | ")] for line in lines if line.startswith("|")
    )
    return head, {row[0]: row[1:] for row in rows}


def kept_cells(text):
    """Of the lines that have two figures, these: how many of all cells were kept."""
    return [figures(line) for line in text.splitlines() if len(figures(line)) == 2]


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return invented_data(tmp_path_factory.mktemp("data"))


@pytest.fixture(scope="module")
def done(data, tmp_path_factory):
    out = tmp_path_factory.mktemp("out")
    finished = reproduce("davidjohn2022", data, "-o", out, "--quick")
    assert finished.returncode == 0, finished.stderr
    assert kept_cells(finished.stderr) == []
    return finished.stdout, out


@pytest.fixture
def part(script):
    return lambda name: script(f"reproductions.{name}")


@pytest.fixture
def rows(part, data):
    """A number of each row is its first feature, so that a row is known wherever it goes."""
    main = part("davidjohn2022")
    whole = main.windows(data).thinned(10)
    values = whole.values.copy()
    values[:, 0] = np.arange(len(values))
    return Windows(values, whole.people, whole.recordings)


@pytest.fixture
def title(part):
    """The title of a question, which is named as in the code."""
    cells, tables = part("_davidjohn2022_cells"), part("_davidjohn2022_tables")
    return lambda question, features: tables.TITLES[getattr(cells, question), getattr(cells, features)]


@pytest.fixture
def releases(part):
    found = part("_davidjohn2022_cells").RELEASES
    assert len(found) == len(RELEASES)
    return found


def told(cell):
    return float(cell.split(" ")[0])


def headings(text):
    return re.findall(r"^### (.+)$", text, re.MULTILINE)


# --- the whole


@pytest.mark.thorough
@pytest.mark.parametrize(("question", "features"), PERSON + TASK)
def test_every_question_is_put_to_every_release_beside_chance(done, question, features, title, releases):
    head, found = table(done[0], title(question, features))
    assert list(found) == [*releases, "chance"]
    assert head[1:9] == [f"{name}, {way}" for way in ("vote", "windows") for name in CLASSIFIERS]
    chance = ["0.07"] * 8 if (question, features) in PERSON else ["0.20"] * 8
    assert found["chance"][:8] == chance
    for name in releases:
        for cell in found[name][:8]:
            value, low, high = (
                float(part) for part in cell.replace("(", "").replace(")", "").replace("–", " ").split()
            )
            assert 0 <= low <= value <= high <= 1


@pytest.mark.thorough
def test_people_are_named_in_real_data_and_by_chance_where_names_are_drawn_by_lot(done, title, releases):
    for question in PERSON:
        _, found = table(done[0], title(*question))
        raw = found[releases[0]]
        assert told(raw[2]) > 0.5  # the tree; the 11 nearest are more than a person has
        assert figures(raw[-1]) == [1, 1]
        for number in BY_LOT:
            assert max(map(told, found[releases[number]][:8])) < 0.5
            assert figures(found[releases[number]][-1]) == [0, 1]


@pytest.mark.thorough
def test_copies_of_one_release_tell_the_task_as_no_real_row_does(done, title, releases):
    """Whoever is left out is among the copies: this is the trap of one release, and must be seen."""
    (_, one), (_, real) = (table(done[0], title(*question)) for question in TASK[:2])
    assert told(one[releases[SAME_4]][2]) > told(real[releases[SAME_4]][2])
    assert told(one[releases[SAME_4]][2]) > 0.9


@pytest.mark.thorough
def test_in_short_has_every_question_and_chance(done, title, releases):
    head, found = table(done[0], headings(done[0])[1])
    assert head == ["", *releases, "chance"]
    assert list(found) == headings(done[0])[2:] == [title(*question) for question in PERSON + TASK]
    for name, cells in found.items():
        _, whole = table(done[0], name)
        assert [float(cell) for cell in cells[:-1]] == [told(whole[release][3]) for release in releases]


@pytest.mark.thorough
def test_what_is_told_of_the_paper_stands_beside_ours(done):
    _, found = table(done[0], headings(done[0])[0])
    assert all(len(row) == 2 for row in found.values())


@pytest.mark.thorough
@pytest.mark.parametrize("picture", ["person", "task"])
def test_the_picture_is_there(done, picture):
    drawn = (done[1] / f"davidjohn2022_{picture}.png").read_bytes()
    assert drawn.startswith(b"\x89PNG")
    assert len(drawn) > 10_000


@pytest.mark.thorough
def test_without_data_or_with_too_few_people_it_ends_with_3(tmp_path, part):
    missing = reproduce("davidjohn2022", tmp_path / "nowhere", "-o", tmp_path / "out")
    assert missing.returncode == 3, missing.stderr
    few = reproduce("davidjohn2022", invented_data(tmp_path / "few", 8), "-o", tmp_path / "out")
    assert few.returncode == 3
    with refused(DataError, "too-few-people"):
        part("davidjohn2022").run(tmp_path / "few", tmp_path / "out", quick=True)
    assert not (tmp_path / "out").exists()


# --- what is kept


@pytest.mark.thorough
def test_a_run_goes_on_and_computes_again_what_is_damaged_or_of_something_else(done, data, tmp_path):
    out = tmp_path / "out"
    shutil.copytree(done[1], out)
    files = sorted((out / "davidjohn2022_cells").iterdir())
    files[0].unlink()
    files[1].write_bytes(files[1].read_bytes()[:-30])
    changed = json.loads(files[2].read_text("utf-8"))
    changed["result"]["RF"]["vote"] += 0.25  # well-formed, and not what was kept
    files[2].write_text(json.dumps(changed), "utf-8")
    files[3].write_bytes(files[4].read_bytes())  # whole, and of another cell
    before = {path: path.stat().st_mtime_ns for path in files[4:]}
    again = reproduce("davidjohn2022", data, "-o", out, "--quick")
    assert (again.returncode, again.stdout) == (0, done[0])
    assert kept_cells(again.stderr) == [[len(files) - 4, len(files)]]
    assert before == {path: path.stat().st_mtime_ns for path in files[4:]}
    for path in files:
        assert path.read_bytes() == (done[1] / "davidjohn2022_cells" / path.name).read_bytes()


def test_nothing_is_kept_from_other_data_settings_code_or_versions(part, tmp_path, monkeypatch):
    kept, data = part("_kept"), tmp_path / "data.csv"
    data.write_text("1")
    code = ("scripts/studies/records.py",)

    def name(settings=(("k", 8),), code=code):
        return kept.Kept(tmp_path, kept.computed_from(data, dict(settings), code)).path({"cell": 1})

    first = name()
    assert name() == first
    names = {first, name((("k", 4),)), name(code=("scripts/studies/attacks.py",))}
    data.write_text("2")
    names.add(name())
    data.write_text("1")
    monkeypatch.setattr(kept, "__version__", "0.0.0")
    names.add(name())
    monkeypatch.undo()
    assert len(names) == 5


def test_a_killed_run_keeps_what_was_finished(part, rows, tmp_path, monkeypatch):
    cells, kept = part("_davidjohn2022_cells"), part("_kept")
    asked = [cells.Cell(cells.HALVES, cells.RAW, number=number) for number in range(4)]
    store, worked = kept.Kept(tmp_path / "kept", {"of": "this"}), []

    def dies(_, cell):
        worked.append(cell.number)
        if len(worked) == 3:
            raise KeyboardInterrupt
        return {"RF": {"vote": cell.number / 4}}

    monkeypatch.setattr(cells, "answer", dies)
    with pytest.raises(KeyboardInterrupt):
        cells.answers(cells.Data(rows, 1, ()), asked, store, jobs=1)
    found, before = cells.answers(cells.Data(rows, 1, ()), asked, store, jobs=1)
    assert (before, worked) == (2, [0, 1, 2, 2, 3])
    assert [told["RF"]["vote"] for told in (found[cell] for cell in asked)] == [0, 0.25, 0.5, 0.75]


# --- its parts


@pytest.mark.parametrize("question", ["HALVES_ONE", "HALVES"])
def test_no_row_is_on_both_sides_of_halves_and_none_overlap(part, rows, question):
    cells = part("_davidjohn2022_cells")
    gap = 3  # windows of 10 s, every 3 s
    known, given = cells.sides(
        cells.Data(rows, gap, ()), cells.Cell(getattr(cells, question), cells.RAW), SecureRandom.for_tests(1)
    )
    assert not set(known.values[:, 0]) & set(given.values[:, 0])
    for person, recording in {*zip(known.people, known.recordings, strict=True)}:
        last = known.values[(known.people == person) & (known.recordings == recording), 0].max()
        first = given.values[(given.people == person) & (given.recordings == recording + 5), 0].min()
        assert first - last == (1 if question == "HALVES_ONE" else 1 + gap)


@pytest.mark.parametrize("question", ["RECORDINGS_ONE", "RECORDINGS"])
def test_no_recording_is_on_both_sides(part, rows, question):
    cells = part("_davidjohn2022_cells")
    known, given = cells.sides(
        cells.Data(rows, 1, ()), cells.Cell(getattr(cells, question), cells.RAW), SecureRandom.for_tests(1)
    )
    assert {*known.recordings} == {0, 2, 3}
    assert {*(given.recordings - 5)} == {1, 4}
    assert not set(known.values[:, 0]) & set(given.values[:, 0])
    assert {*known.people} == {*given.people} == {*rows.people}


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("features", ["AS_THEY_ARE", "STRAYED"])
def test_nothing_of_the_person_left_out_is_released(part, rows, release, features, releases):
    """Whatever the person's rows are, the release that is trained on is the same, bit for bit."""
    cells = part("_davidjohn2022_cells")
    moved = Windows(rows.values + 0.5 * (rows.people == 3)[:, None], rows.people, rows.recordings)
    cell = cells.Cell(cells.TASK, releases[release], getattr(cells, features), 3)
    made = []
    for one in (rows, moved):
        ((known, asked),) = cells.task_folds(cells.Data(one, 1, ()), cell, SecureRandom.for_tests(1))
        assert set(asked.people) == {3}
        assert 3 not in known.people
        made.append(known)
    np.testing.assert_array_equal(made[0].values, made[1].values)


def test_of_one_release_no_one_by_name_is_in_both(part, rows, releases):
    cells = part("_davidjohn2022_cells")
    data = cells.Data(rows, 1, (0, 4))
    folds = cells.task_folds(data, cells.Cell(cells.TASK_ONE, releases[SAME_4]), SecureRandom.for_tests(1))
    assert [set(asked.people) for _, asked in folds] == [{0}, {4}]
    for known, asked in folds:
        assert not set(known.people) & set(asked.people)
        assert {*map(tuple, asked.values)} & {*map(tuple, known.values)}  # the copies of the group


@pytest.mark.parametrize("release", RELEASES[3:])
def test_as_many_records_as_rows_and_names_of_people(part, rows, release, releases):
    cells = part("_davidjohn2022_cells")
    made = cells.releases(cells.BOUNDS)[releases[release]](rows, SecureRandom.for_tests(2))
    assert len(made.people) == len(rows.people)
    assert set(made.people) <= set(rows.people)


def test_names_by_lot_are_those_of_the_condition(part):
    cells = part("_davidjohn2022_cells")
    whose = Windows(np.zeros((4, 1)), np.array([1, 1, 2, 3]), np.array([0, 0, 0, 4]))
    made = Windows(np.zeros((3000, 1)), np.full(3000, -1), np.repeat([0, 4, 2], 1000))
    named = cells.named_by_lot(made, whose, SecureRandom.for_tests(1)).people
    assert abs((named[:1000] == 1).mean() - 2 / 3) < 0.1
    assert set(named[:1000]) == {1, 2}
    assert set(named[1000:2000]) == {3}
    assert set(named[2000:]) == {1, 2, 3}  # no one had it


@pytest.mark.thorough
def test_the_number_of_workers_and_the_order_change_nothing(part, rows, tmp_path, releases):
    cells, kept = part("_davidjohn2022_cells"), part("_kept")
    asked = [
        cells.Cell(q, releases[SEEDED_TREE]) for q in (cells.HALVES_ONE, cells.RECORDINGS, cells.TASK_ONE)
    ]
    data = cells.Data(rows, 1, (2, 5))
    fresh_workers()
    found = [
        cells.answers(data, some, kept.Kept(tmp_path / str(jobs), {}), jobs=jobs)[0]
        for jobs, some in ((1, asked), (2, asked[::-1]))
    ]
    assert found[0] == found[1]


def test_rates_are_means_over_draws_with_intervals_of_people(part, releases):
    cells, tables = part("_davidjohn2022_cells"), part("_davidjohn2022_tables")
    found = {
        cell: {
            name: {"vote": 0.5 + 0.25 * (cell.number % 2), "windows": 0.0, "found": 0.0}
            for name in CLASSIFIERS
        }
        for cell in cells.cells((0, 1), 2)
    }
    rates = tables.rates(found, people=16, left_out=2)
    one = rates[cells.RECORDINGS, cells.AS_THEY_ARE][releases[SEEDED_TREE]]["RF", "vote"]
    assert one.value == pytest.approx(0.625)
    assert (one.low, one.high) == (
        pytest.approx(0.386, abs=1e-3),
        pytest.approx(0.815, abs=1e-3),
    )  # Wilson, 10 of 16
    of_two = rates[cells.TASK, cells.AS_THEY_ARE][releases[SEEDED_TREE]]["RF", "windows"]
    assert (of_two.low, of_two.high) == (0.0, pytest.approx(0.658, abs=1e-3))  # Wilson, 0 of 2
