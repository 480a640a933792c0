"""What was spent over time is what the ledger says was spent, in its numbers, in its picture and on its page."""

from __future__ import annotations

import itertools
import json
import math
import re
import stat
from pathlib import Path

import pytest
from click.testing import CliRunner
from goldens import figures
from pages import check_form, parsed
from refusals import refused
from spending import charge, dated, granted, laplace

from synthrelease.cli import main
from synthrelease.errors import MachineError
from synthrelease.ledgers import store
from synthrelease.ledgers.ledger_page import spending_chart
from synthrelease.ledgers.timeline import Moment, timelines
from synthrelease.reports.line_charts import LineChart


def moments_of(path: Path) -> dict[str, tuple[Moment, ...]]:
    return timelines(store.read(path).entries)


def test_totals_are_those_of_the_ledger_after_every_entry(tmp_path: Path) -> None:
    ledger = dated(tmp_path)
    moments, view = moments_of(ledger.path), ledger.to_json()
    assert [*moments] == [*view]
    for name, of_dataset in moments.items():
        told, last = view[name], of_dataset[-1]
        assert last.spent == (told["spent"] if told["spent"] is not None else math.inf)
        assert (last.grant.epsilon, last.grant.delta) == (told["epsilon"], told["delta"])
        grants = [one for one in of_dataset if one.debit is None]
        assert [(one.at, one.grant.epsilon) for one in grants] == [
            (one["at"], one["epsilon"]) for one in told["grants"]
        ]
        debits = [(one, one.debit) for one in of_dataset if one.debit is not None]
        assert [(one.at, one.spent, debit.standing.here, debit.state) for one, debit in debits] == [
            (one["at"], pytest.approx(one["epsilon_after"]), one["epsilon_alone"], one["state"])
            for one in told["debits"]
        ]
    assert [one.spent for one in moments["unused"]] == [0.0]
    assert moments["pilot"][-1].spent == math.inf  # its δ was taken back


def corners(path: str) -> list[tuple[float, float]]:
    """Points of a path, as shares of the drawing, from the left and from below."""
    found = re.findall(r"([\d.]+) ([\d.-]+)", path)
    return [(float(x) / LineChart.width, 1 - float(y) / LineChart.height) for x, y in found]


def test_the_curve_goes_in_steps_at_the_times_of_the_entries(tmp_path: Path) -> None:
    moments = moments_of(dated(tmp_path).path)["study"]
    chart = spending_chart("study", moments)
    top = 1.04 * 4.0  # a little above the largest grant
    left, limit, spent = chart.lines
    heights = [one.spent / top for one in moments]
    points = corners(spent.path)
    assert [y for _, y in points] == pytest.approx([h for h in heights for _ in range(2)], abs=1e-3)
    assert points[-1][0] == 1.0
    assert all(after[0] >= before[0] for before, after in itertools.pairwise(points))
    days = [0, 41, 234, 299, 415, 679]  # since the first grant
    assert [x for x, _ in points[::2]] == pytest.approx([0.94 * day / days[-1] for day in days], abs=1e-3)
    assert {round(y * top, 2) for _, y in corners(limit.path)} == {3.0, 4.0}
    released = [points[2 * n] for n, one in enumerate(moments) if one.debit is not None]
    for mark, point in zip(chart.marks, released, strict=True):
        assert (mark.x, 1 - mark.y) == pytest.approx(point, abs=1e-3)
    assert left.path.endswith("Z")


def test_entries_of_one_second_stand_one_after_the_other(tmp_path: Path) -> None:
    ledger = granted(tmp_path)
    for plan in "abc":
        ledger.debit(charge(laplace(0.5), plan=plan))
    moments = [one._replace(at="2026-11-20T09:00:00+00:00") for one in moments_of(ledger.path)["study"]]
    places = [mark.x for mark in spending_chart("study", moments).marks]
    assert len(set(places)) == 3
    assert places == sorted(places)


def test_the_page_has_every_release_and_is_private(tmp_path: Path) -> None:
    ledger, target = dated(tmp_path), tmp_path / "ledger.html"
    arguments = ["ledger", "show", str(ledger.path)]
    done = CliRunner().invoke(main, [*arguments, "--html", str(target)])
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith("\n".join(ledger.summary()))
    page = parsed(target.read_text("utf-8"))
    check_form(page, "ledger")
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert json.loads(page.data) == ledger.to_json()
    assert len(page.texts("figure", "line-chart")) == 3
    states = [debit["state"] for told in ledger.to_json().values() for debit in told["debits"]]
    assert [state for state in page.texts("td") if state in states] == states
    for dataset, line in ((name, ledger.summary(name)[0]) for name in ledger.to_json()):
        assert line.removeprefix(f"{dataset}: ") in page.texts("p", "lead")
    assert figures(page.texts("td")[3]) == [3]  # all of the first grant is left
    again = CliRunner().invoke(main, [*arguments, "--html", str(target)])
    assert again.exit_code == 6
    only = CliRunner().invoke(main, [*arguments, "--html", str(target), "--force", "--dataset", "pilot"])
    assert only.exit_code == 0
    assert len(parsed(target.read_text("utf-8")).texts("figure", "line-chart")) == 1
    with refused(MachineError, "output-replaces-input"):
        ledger.write_page(ledger.path, force=True)
