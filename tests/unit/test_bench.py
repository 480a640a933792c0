"""What `scripts/bench` says of what it measured: exponents, targets, exit codes, and a page that names the same works."""

import datetime as dt
import importlib.machinery
import importlib.util
import inspect
import re

import numpy as np
import pytest
from goldens import check_text, figures
from refusals import bad_argument
from reproducing import SCRIPTS

TABLE = {  # of the speeds to reach: benchmark, sizes and names in its row
    "noise": ["1 764 000", "10⁵"],
    "deniability": ["10⁷", "10⁷", "52", "11"],
    "deniability-on-disk": ["5·10⁷", "5·10⁷", "52"],
    "heatmap": ["100", "10⁴"],
    "samples": ["10⁸", "Parquet", "100"],
    "caps": ["50", "1050×1680"],
    "signals": ["CFPA-64", "8", "60", "48", "1300", "100"],
    "verify": ["`verify`", "500 MB"],
    "first-contact": ["`--help`", "`demo`", "2·10⁶", "`preview`", "`verify`", "`evaluate`", "4.2·10⁷"],
}


@pytest.fixture
def report(script):
    return script("benchmarks._report")


@pytest.fixture
def measure(script):
    return script("benchmarks._measure")


@pytest.fixture
def book(script):
    return script("benchmarks._book")


@pytest.fixture
def limits(script):
    module = script("benchmarks._limits")
    return module.Limits(*[float(2**n) for n in range(len(module.NAMES))])


@pytest.fixture
def bench():
    loader = importlib.machinery.SourceFileLoader("bench", str(SCRIPTS / "bench"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("bench", loader))
    loader.exec_module(module)
    return module


@pytest.fixture
def found(report, measure):
    """A report of one target, 10, of which `value` was measured."""

    def make(value, *, agreed=True, seconds=3.0):
        return report.Report(
            "work | row",
            ("numpy",),
            (report.Section("before", ("name", "seconds"), [["one", "3.0"]], "after"),),
            (report.Figure(value, "s", measure.Target(10.0, at_most=True)), report.Figure(7.0, "GiB")),
            seconds,
            report.Limit("memory", 1.0),
            "sorting",
            (report.Peer("NumPy", 0.25), report.Peer("a loop", 1234.0)),
            report.Growth("rows", (10, 1000), (1.0, 10.0), (5, 500)),
            agreed,
        )

    return make


@pytest.mark.parametrize("power", [0.5, 1.0, 1.5, 2.0])
def test_the_exponent_is_that_of_a_power(report, power):
    sizes = (100, 1000, 20_000)
    assert report.exponent(sizes, [3e-6 * s**power for s in sizes]) == pytest.approx(power, rel=1e-9)


def test_the_exponent_is_of_least_squares_where_there_is_no_power(report):
    """In decades: 0, 1, 2 against 0, 0, 3: the slope is Σ(x − 1)(y − 1)/Σ(x − 1)² = 3/2."""
    assert report.exponent((1, 10, 100), (1, 1, 1000)) == pytest.approx(1.5, rel=1e-9)


@pytest.mark.parametrize(
    ("sizes", "values"), [((1,), (1,)), ((2, 2), (1, 3)), ((1, 2), (0, 1)), ((0, 2), (1, 1))]
)
def test_there_is_no_exponent_of_one_size_or_of_nothing(report, sizes, values):
    with bad_argument(ValueError, sizes, values):
        report.exponent(sizes, values)


def test_growth_tells_time_from_memory(report):
    growth = report.Growth("rows", (10, 1000), (1.0, 10.0), (5, 500))
    assert (growth.time, growth.memory) == pytest.approx((0.5, 1.0))
    assert figures(str(growth)) == [0.5, 1, 10, 1000]


def test_figures_say_whether_they_meet_their_targets(report, measure):
    most, least = measure.Target(5.0, at_most=True), measure.Target(200.0, at_most=False)
    told = [(4.126, "s", most), (5.5, "s", most), (199.0, "×", least), (200.0, "×", least), (0.1, "s", None)]
    shown = [report.Figure(*one) for one in told]
    assert [one.met for one in shown] == [True, False, False, True, True]
    assert [figures(str(one)) for one in shown] == [[4.13, 5], [5.5, 5], [199, 200], [200, 200], [0.1]]
    check_text("bench/figures", "\n".join(map(str, shown)))


def test_peers_are_told_in_the_direction_that_is_at_least_1(report):
    slower, faster = str(report.Peer("NumPy", 0.25)), str(report.Peer("loop", 1234.0))
    assert (figures(slower), figures(faster)) == ([4], [1234])
    assert ("NumPy" in slower, "loop" in faster) == (True, True)
    check_text("bench/peers", f"{slower}\n{faster}")


def test_the_limit_is_the_resource_that_takes_longest(limits, script):
    binding = limits.least(memory=8.0, words=4.0)  # at 1 and 2 a second
    assert (binding.what, binding.seconds) == (script("benchmarks._limits").NAMES["memory"], 8.0)
    assert limits.least(memory=8.0, words=40.0).seconds == 20.0


def test_every_limit_is_in_the_table(limits, script):
    names = script("benchmarks._limits").NAMES
    assert [row[0] for row in limits.table()] == list(names.values())


@pytest.mark.parametrize(
    ("last", "full", "quick"), [((9.0, True), 0, 0), ((11.0, True), 1, 0), ((9.0, False), 1, 1)]
)
def test_a_missed_target_or_a_wrong_answer_ends_with_1(book, found, last, full, quick):
    value, agreed = last
    reports = [found(9.0), found(value, agreed=agreed)]
    assert (book.exit_code(reports, quick=False), book.exit_code(reports, quick=True)) == (full, quick)


@pytest.fixture
def page_elsewhere(bench, tmp_path, monkeypatch):
    monkeypatch.setattr(bench, "PAGE", tmp_path / "performance.md")
    return bench.PAGE


@pytest.fixture
def as_if_measured(book, found, limits, monkeypatch):
    def set_to(value, arguments):
        def measured(names, *, quick):
            assert tuple(names) == (book.ORDER if arguments[0] == "all" else arguments[:1])
            assert quick == ("--quick" in arguments)
            return limits, {"noise": found(value)}

        monkeypatch.setattr(book, "measured", measured)

    return set_to


@pytest.fixture
def started(bench, page_elsewhere, as_if_measured):
    """Run `scripts/bench` as if a value had been measured; and say whether there is a page."""

    def start(value, *arguments):
        as_if_measured(value, arguments)
        return bench.main(list(arguments)), page_elsewhere.exists()

    return start


def test_all_writes_the_page_whether_or_not_targets_are_met(started, page_elsewhere, book):
    assert started(11.0, "all") == (1, True)
    assert figures(summary(page_elsewhere.read_text("utf-8"))[0][1]) == [11, 10, 7]
    assert started(9.0, "all") == (0, True)
    assert figures(summary(page_elsewhere.read_text("utf-8"))[0][1]) == [9, 10, 7]
    assert book.QUICK not in page_elsewhere.read_text("utf-8")


def test_one_benchmark_and_a_quick_run_write_none(started, capsys, book):
    assert started(9.0, "noise") == (0, False)
    assert started(11.0, "noise") == (1, False)
    assert started(11.0, "all", "--quick") == (0, False)
    shown = capsys.readouterr().out
    assert shown.startswith("# Performance")
    assert book.QUICK in shown


def test_an_unknown_benchmark_is_refused(bench, capsys):
    assert bench.main(["nothing"]) == 2
    assert "nothing" in capsys.readouterr().err


def test_a_comparison_has_options_of_its_own(bench, book, script, monkeypatch):
    for name in book.COMPARISONS:
        passed = []
        comparison = script(f"benchmarks.{bench.module(name)}")
        monkeypatch.setattr(comparison, "main", lambda arguments: passed.extend(arguments) or 3)  # noqa: B023
        assert bench.main([name, "data", "--limit", "9"]) == 3
        assert passed == ["data", "--limit", "9"]
        assert name in bench.listing()


def summary(text):
    """Cells of the summary's rows."""
    table = text.partition("## Summary")[2].partition("\n## ")[0]
    rows = [line for line in table.splitlines() if line.startswith("| ")][2:]
    return [re.split(r"(?<!\\) \| ", row.removeprefix("| ").removesuffix(" |")) for row in rows]


def test_the_page_has_a_row_for_every_report(book, found, limits, monkeypatch):
    monkeypatch.setattr(book, "_machine", ", ".join)
    reports = {"noise": found(9.0), "caps": found(11.0, seconds=1.5), "demo": found(9.0, agreed=False)}
    text = book.page(limits, reports, dt.date(2024, 2, 29))
    rows = summary(text)
    assert rows[0][0] == "work \\| row"
    assert [figures(cell) for cell in rows[0][1:]] == [[9, 10, 7], [4, 1234], [0.5, 1, 10, 1000], [1], [3]]
    assert figures(rows[1][1]) == [11, 10, 7]
    assert all(len(row) == len(book.HEAD) for row in rows)
    assert "2024-02-29" in text
    assert text.count("sorting") == 2  # of those that are slower than half their limit
    assert "| one | 3.0 |" in text
    check_text("bench/page", text)


def test_a_wrong_answer_shows_in_the_summary(book, found, limits):
    right, wrong = (
        summary(book.page(limits, {"noise": found(9.0, agreed=agreed)}, dt.date(2024, 2, 29)))[0]
        for agreed in (True, False)
    )
    assert [right[n] == wrong[n] for n in range(len(right))] == [True, False, True, True, True, True]


def test_every_row_of_the_table_of_speeds_has_a_benchmark(book, bench, script):
    works = {name: script(f"benchmarks.{name.replace('-', '_')}").WORK for name in book.ORDER}
    assert list(works)[: len(TABLE)] == list(TABLE)
    for name, sizes in TABLE.items():
        assert re.findall("|".join(map(re.escape, sizes)), works[name]) == sizes, works[name]
    assert sorted([*book.ORDER, *book.COMPARISONS]) == bench.names()


def test_every_benchmark_is_run_in_the_same_way(book, script):
    for name in book.ORDER:
        run = inspect.signature(script(f"benchmarks.{name.replace('-', '_')}").run)
        assert [p.removeprefix("_") for p in run.parameters] == ["limits", "quick"], name


def test_the_page_in_the_docs_has_the_rows_of_the_code(book, bench, script):
    rows = summary((SCRIPTS.parent / "docs" / "evidence" / "performance.md").read_text("utf-8"))
    assert [row[0] for row in rows] == [script(f"benchmarks.{bench.module(n)}").WORK for n in book.ORDER]


@pytest.mark.thorough
def test_a_benchmark_reports_its_own_row(limits, capsys, report, script):
    heatmap = script("benchmarks.heatmap")
    told = heatmap.run(limits, quick=True)
    assert told.work == heatmap.WORK
    assert [figure.target for figure in told.figures] == [heatmap.MILLISECONDS, heatmap.SAME]
    assert told.agreed
    report.print_report(told)
    shown = capsys.readouterr().out
    assert heatmap.WORK in shown
    assert "800×600" in shown


@pytest.mark.thorough
def test_a_child_does_not_count_the_memory_of_its_parent(measure):
    held = np.ones(400 << 20, dtype=np.uint8)
    assert measure.resident_bytes() > held.nbytes
    assert measure.alone(measure.resident_bytes) < held.nbytes // 2
