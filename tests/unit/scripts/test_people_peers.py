"""`scripts/bench people-peers`: people as rows and back, what is said of the results, and peers that have none."""

import math
import os
import re
import signal
import sys

import numpy as np
import pytest
from goldens import check_text, figures
from refusals import bad_argument

from synthrelease.errors import MachineError

PEOPLE = 40


@pytest.fixture
def modes(script):
    return script("benchmarks._people_modes")


@pytest.fixture
def page(script):
    return script("benchmarks._people_page")


@pytest.fixture
def peers(script):
    return script("benchmarks._people_peers")


@pytest.fixture
def people_peers(script):
    return script("benchmarks.people_peers")


@pytest.fixture
def population(script):
    return script("studies._populations").Mixed()


@pytest.fixture
def people(population):
    return population.draw(PEOPLE, 1)


@pytest.fixture
def features(population):
    return len(population.names)


def in_cells(values, rows, population):
    """Whether each value is in the cell that its row says, or on its edge."""
    width = (population.high - population.low) / 20
    low = population.low + rows * width
    return (low - 1e-9 <= values) & (values <= low + width + 1e-9)


def test_one_is_a_window_of_each_person_in_its_condition(modes, people, population, features):
    table = modes.table_of(people, population, "one", np.random.default_rng(2))
    assert table.rows.shape == (PEOPLE, features + 1)
    assert table.sizes.tolist() == [20] * features + [3]
    for row, values, there in zip(table.rows, people.values, people.there, strict=True):
        condition = row[-1]
        windows = values[condition][there[condition]]
        assert in_cells(windows, row[:-1], population).all(axis=1).any()
    assert set(table.rows[:, -1]) == {0, 1, 2}


def test_all_are_all_windows(modes, people, population):
    table = modes.table_of(people, population, "all", np.random.default_rng(2))
    assert len(table.rows) == people.there.sum()
    for c in range(3):
        windows = people.values[:, c][people.there[:, c]]
        assert in_cells(windows, table.rows[table.rows[:, -1] == c, :-1], population).all()


def test_avg_is_the_mean_of_each_person_in_a_condition(modes, people, population):
    table = modes.table_of(people, population, "avg", np.random.default_rng(2))
    means = np.stack([np.nanmean(people.values[i, row[-1]], axis=0) for i, row in enumerate(table.rows)])
    assert in_cells(means, table.rows[:, :-1], population).all()
    assert set(table.rows[:, -1]) == {0, 1, 2}


def test_flat_is_a_row_of_means_in_every_condition(modes, people, population, features):
    table = modes.table_of(people, population, "flat", np.random.default_rng(2))
    assert table.rows.shape == (PEOPLE, 3 * features)
    assert table.sizes.tolist() == [20] * (3 * features)
    for c in range(3):
        rows = table.rows[:, c * features : (c + 1) * features]
        assert in_cells(np.nanmean(people.values[:, c], axis=1), rows, population).all()


def test_an_unknown_mode_is_refused(modes, people, population):
    with bad_argument(ValueError, "none"):
        modes.table_of(people, population, "none", np.random.default_rng(2))


@pytest.mark.parametrize("epsilon", [1.0, 3.0])
def test_all_windows_have_the_budget_of_a_group(modes, population, epsilon):
    """k rows of (ε', δ') are (k·ε', δ'·Σ e^(j·ε') for j < k): a person's, by induction over rows."""
    rows = 3 * population.most_windows
    each, delta = modes.budget_of(population, "all", epsilon, 1e-5)
    assert rows * each == pytest.approx(epsilon)
    assert delta * sum(math.exp(j * each) for j in range(rows)) <= 1e-5
    for mode in ("one", "avg", "flat"):
        assert modes.budget_of(population, mode, epsilon, 1e-5) == (epsilon, 1e-5)


@pytest.mark.parametrize("mode", ["one", "avg", "all"])
def test_rows_are_dealt_within_their_condition(modes, population, features, mode):
    """Rows of a condition are all in one cell, another for each condition: so are people's windows, on the lattice where there is one."""
    rows = np.column_stack([np.repeat([[4], [9], [13]], features, axis=1), [0, 1, 2]])
    made = modes.people_of(rows, population, mode, 7, np.random.default_rng(3))
    assert made.values.shape == (7, 3, population.windows, features)
    assert made.there.all()
    for c, cell in enumerate((4, 9, 13)):
        within = [f for f, step in enumerate(population.steps) if step is None]
        assert in_cells(made.values[:, c], cell, population)[..., within].all()
    for f, step in enumerate(population.steps):
        if step is not None:
            multiples = made.values[..., f] / step
            assert np.allclose(multiples, np.round(multiples))


def test_a_condition_without_rows_gets_those_of_all(modes, population, features):
    rows = np.column_stack([np.repeat([[4], [9]], features, axis=1), [0, 0]])
    made = modes.people_of(rows, population, "one", 50, np.random.default_rng(3))
    low, high = (in_cells(made.values[:, 2], cell, population)[..., 0] for cell in (4, 9))
    assert low.any()
    assert high.any()
    assert (low | high).all()


def test_flat_rows_are_people_with_one_window_in_each_condition(modes, people, population, features):
    table = modes.table_of(people, population, "flat", np.random.default_rng(2))
    made = modes.people_of(table.rows, population, "flat", 60, np.random.default_rng(3))
    assert made.values.shape == (60, 3, 1, features)
    known = table.rows.reshape(PEOPLE, 3, features)
    for person in made.values[:, :, 0]:
        assert in_cells(person, known, population).all(axis=(1, 2)).any()


def test_means_have_one_window(modes, people):
    means = modes.means_of(people)
    assert means.there.shape == (PEOPLE, 3, 1)
    assert np.allclose(means.values[3, 1, 0], people.values[3, 1][people.there[3, 1]].mean(axis=0))


@pytest.fixture
def result(page):
    def make(setting, method, mode, *, tv1=math.nan, lag=math.nan, repeat=0, without=""):
        errors = {} if without else dict.fromkeys(page.MEASURES, tv1) | {"lag": lag}
        of_means = dict.fromkeys(page.OF_MEANS, tv1 / 2) if mode in ("people", "flat") and errors else {}
        cell = page.Cell(page.Setting.of(setting), method, mode, repeat)
        return page.Result(cell, errors, of_means, seconds=1.0, peak_bytes=2e6, without=without)

    return make


def test_the_tables_say_where_ours_is_ahead_and_where_behind(page, result):
    text = page.tables(
        [
            result("A:500:1", "dpmm, MST", "one", tv1=0.2, lag=0.1),
            result("A:500:1", "dpmm, MST", "flat", tv1=0.3),
            result("A:500:1", "SmartNoise, AIM", "one", tv1=0.25, lag=0.1),
            result("A:500:1", "SmartNoise, AIM", "flat", without="no result within 9 s"),
            result("A:500:1", "synthrelease", "people", tv1=0.1, lag=0.15, repeat=1),
            result("A:500:1", "synthrelease", "people", tv1=0.12, lag=0.15),
            result("A:24:1", "dpmm, MST", "one", without="missing: no wheel"),
            result("A:24:1", "synthrelease", "people", without="refused: more people"),
        ],
        ["dpmm, MST", "SmartNoise, AIM"],
    )
    rows = [line for line in text.splitlines() if line.startswith("| A")]
    assert [figures(row.split("|")[4]) for row in rows] == [
        [],
        [],
        [0.11],
        [0.2],
        [0.3],
        [0.25],
        [9],
        [0.055],
        [0.15],
    ]
    check_text("bench/people-peers", text)


def test_as_good_as_ours_is_not_behind_ours(page, result):
    rows = [
        page.Row.of([result("A:500:1", method, mode, tv1=0.1, lag=0.1)])
        for method, mode in (("synthrelease", "people"), ("dpmm, MST", "one"))
    ]
    check_text("bench/people-peers-equal", page.standing(rows, "errors", ("tv1",)))


def test_a_measure_that_no_peer_has_is_on_neither_side(page, result):
    rows = [
        page.Row.of([result("A:500:1", "synthrelease", "people", tv1=0.1, lag=0.1)]),
        page.Row.of([result("A:500:1", "dpmm, MST", "flat", tv1=0.2)]),
    ]
    assert "lag" not in page.standing(rows, "errors", page.MEASURES)


def test_one_repeat_without_a_result_is_none_of_all(page, result):
    row = page.Row.of(
        [
            result("A:500:1", "dpmm, MST", "one", tv1=0.2, lag=0.1),
            result("A:500:1", "dpmm, MST", "one", without="late", repeat=1),
        ]
    )
    assert (row.errors, row.without) == ({}, "late")


def test_settings_sort_by_numbers(page):
    settings = [page.Setting.of(text) for text in ("A:2000:1", "A:24:1", "A:500:3", "A:500:1")]
    assert [str(one) for one in sorted(settings)] == ["A: 24, 1", "A: 500, 1", "A: 500, 3", "A: 2000, 1"]


@pytest.fixture
def no_network(peers, monkeypatch):
    """Refuse to install anything, and count how often that is tried."""
    tried = []

    def refuse(*_requirements, python):
        tried.append(python)
        raise MachineError(
            "no-environment", "cannot be made", found="no wheel for this Python", remedy="none"
        )

    monkeypatch.setattr(peers, "fresh_environment", refuse)
    return tried


def test_a_peer_that_cannot_be_installed_is_missing_and_tried_once(peers, modes, no_network, tmp_path):
    environments = peers.Environments(tmp_path, "python3")
    table = modes.Table(np.zeros((4, 2), dtype=int), np.array([20, 3]))
    for _ in range(2):
        with pytest.raises(peers.NoResultError, match="wheel"):
            environments.run(peers.PEERS[0], table, (1.0, 1e-5), rows=9, seed=0, limit_s=9)
    assert no_network == ["python3"]


@pytest.mark.usefixtures("no_network")
def test_an_environment_of_the_same_versions_is_used_again(peers, tmp_path):
    pinned = peers.PEERS[0].pinned
    text = (peers._PINNED / f"{pinned}.txt").read_text("utf-8")
    (tmp_path / pinned).mkdir()
    (tmp_path / pinned / "installed.txt").write_text(text, "utf-8")
    assert not peers.Environments(tmp_path, "first run").missing(pinned)
    (tmp_path / pinned / "installed.txt").write_text(text.replace("==", "==9"), "utf-8")
    assert peers.Environments(tmp_path, "next run").missing(pinned)


@pytest.mark.parametrize(
    ("name", "program"),
    [
        ("late", f"import os; os.kill(os.getpid(), {int(signal.SIGXCPU)})"),
        ("failed", "import sys; sys.exit('first\\nlast line')"),
    ],
)
def test_why_there_is_no_result_is_said(peers, name, program):
    check_text(f"bench/people-peers-{name}", peers._ended([sys.executable, "-c", program], 7))


@pytest.mark.thorough
def test_all_that_a_late_peer_started_is_ended(peers, tmp_path):
    """Its child would write into a pipe later; the pipe ends without a word once nothing that could write is left."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    program = (
        f"import os, time; pipe = open({str(pipe)!r}, 'w'); os.fork(); time.sleep(60); pipe.write('alive')"
    )
    assert figures(peers._ended([sys.executable, "-c", program], 1)) == [1]
    os.set_blocking(reader, True)
    assert os.read(reader, 100) == b""
    os.close(reader)


def test_every_version_is_pinned(peers, script):
    for peer in (*peers.PEERS, script("benchmarks.user").COPULA):
        lines = (peers._PINNED / f"{peer.pinned}.txt").read_text("utf-8").splitlines()
        pinned = [line for line in lines if not line.startswith("#")]
        assert all(re.fullmatch(r"[\w.-]+==[\w.]+", line) for line in pinned), pinned
        assert re.search(r" \d", peer.version)


@pytest.fixture
def measured(people_peers, page, population, monkeypatch):
    """Measure nothing, and list what would have been."""
    monkeypatch.setattr(people_peers, "POPULATIONS", {"B": lambda _data: population})
    monkeypatch.setattr(people_peers, "TRUTH", 30)
    measured = []

    def measure(sample, method, mode):
        measured.append((method, mode))
        errors = dict.fromkeys(page.MEASURES, 0.5)
        return page.Result(sample.cell(method, mode), errors, {})

    monkeypatch.setattr(
        people_peers, "measure_ours", lambda sample: measure(sample, "synthrelease", "people")
    )
    monkeypatch.setattr(
        people_peers,
        "measure_peer",
        lambda _environments, peer, mode, sample, *, limit_s: measure(sample, peer.name, mode),  # noqa: ARG005
    )
    return measured


def test_what_is_kept_is_not_measured_again(people_peers, measured, tmp_path, capsys):
    results = tmp_path / "results.jsonl"
    options = [os.fspath(tmp_path), "--results", str(results), "--settings", "B:30:1", "--modes", "one"]
    assert people_peers.main([*options, "--peers", "dpmm-mst"]) == 0
    assert measured == [("synthrelease", "people"), ("dpmm, MST", "one")]
    assert people_peers.main([*options, "--peers", "dpmm-mst", "dpmm-aim"]) == 0
    assert measured[2:] == [("dpmm, AIM", "one")]
    last = capsys.readouterr().out.rpartition("Windows:")[2].partition("Means")[0]
    assert [line.split("|")[2].strip() for line in last.splitlines() if line.startswith("| B")] == [
        "**synthrelease**",
        "dpmm, MST",
        "dpmm, AIM",
    ]
    assert people_peers.main([os.fspath(tmp_path), "--results", str(results), "--print"]) == 0
    assert len(measured) == 3
    assert capsys.readouterr().out.rpartition("Windows:")[2].partition("Means")[0] == last


def test_a_flat_release_has_no_autocorrelation_and_only_flat_has_means(
    people_peers, modes, population, people
):
    summary = people_peers.summary
    truth = people_peers.Truth(
        population, summary(people, population), summary(modes.means_of(people), population)
    )
    errors, of_means = truth.errors(people, "people")
    assert max(*errors.values(), *of_means.values()) == 0
    errors, of_means = truth.errors(modes.means_of(people), "flat")
    assert math.isnan(errors["lag"])
    assert errors["tv1"] > 0.05
    assert max(of_means.values()) == 0
    assert truth.errors(people, "one")[1] == {}


def test_ours_is_refused_where_the_package_refuses(people_peers, page, monkeypatch):
    from synthrelease.errors import PolicyError

    def refuse(*_arguments):
        raise PolicyError(
            "people-not-learnable", "a guess", found="90 %", expected="60 %", remedy="more people"
        )

    monkeypatch.setattr(people_peers, "alone", refuse)
    sample = people_peers.Sample(None, None, page.Setting("B", 24, 1.0), 0)
    assert people_peers.measure_ours(sample).without.endswith("people")
