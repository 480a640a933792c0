"""The forest plot: every attack is in it, next to what it is compared with, and each thing is where its number is."""

from __future__ import annotations

import re

from goldens import figures
from invented_evaluation import NAN, attack, evaluation, known_rest, manifest
from pages import parsed

from synthrelease.evaluation.attacks import Rate
from synthrelease.evaluation.forest import forest
from synthrelease.evaluation.private_page import on_line, private_page
from synthrelease.evaluation.result import EvaluatedOutput, Evaluation

_MARKS = r'class="(chance|interval|bound|control|main)" (?:d="M|cx=")([\d.]+)'


def test_every_attack_is_a_row_of_the_output_that_it_was_run_on() -> None:
    outputs = evaluation("plain").outputs
    groups = {group.name: group for group in forest(outputs)}
    for number, output in enumerate(outputs, start=1):
        if not output.attacks and output.known_rest is None:
            assert output.name not in groups
            continue
        group = groups.pop(output.name)
        assert group.number == number
        rows = list(group.rows)
        if output.known_rest is not None:
            worst = rows.pop(0)
            assert (worst.success, worst.bound, worst.chance) == (
                Rate(
                    output.known_rest.worst, output.known_rest.measured.low, output.known_rest.measured.high
                ),
                output.known_rest.allowed,
                0.5,
            )
            assert (worst.verdict, worst.control) == (None, None)
            if (check := output.known_rest.guarantee_check) is not None:
                assert (rows[0].success, rows.pop(0).bound) == (check.tpr, check.bound)
        attacks = {one.attack: one for one in output.attacks}
        for row in (row for row in rows if row.verdict is not None):
            one = attacks.pop(row.attack)
            assert (row.success, row.chance, row.control) == (one.main, one.chance, one.control.value)
            assert (row.verdict, row.bound) == (one.verdict, None)
            if (check := one.guarantee_check) is not None:
                below = rows[rows.index(row) + 1]
                assert (below.attack, below.success, below.bound) == (row.attack, check.tpr, check.bound)
        assert attacks == {}
    assert groups == {}


def test_the_most_successful_come_first_and_what_is_no_number_last() -> None:
    rates = {"a": 0.2, "b": NAN, "c": 0.9, "d": 0.5}
    tried = tuple(attack(name, main=Rate(value, value, value)) for name, value in rates.items())
    (group,) = forest([EvaluatedOutput("table", "records", attacks=tried)])
    assert [row.attack for row in group.rows] == ["c", "d", "a", "b"]


def test_marks_are_where_the_numbers_are() -> None:
    worst = known_rest(worst=0.559, measured=Rate(0.56, 0.55, 0.568), allowed=0.6128, guarantee_check=None)
    one = attack("membership", main=Rate(0.83, 0.6, 0.93), control=Rate(0.45, 0.4, 0.6), chance=0.5)
    outputs = (EvaluatedOutput("table", "records", known_rest=worst, attacks=(one,)),)
    source = private_page(Evaluation(manifest(), (), outputs, {}))
    plot = source[source.index('"forest"') : source.index('"outputs"')]
    drawn = [dict(re.findall(_MARKS, row)) for row in plot.split("<li")[1:]]
    assert drawn[0] == {
        key: f"{on_line(at)}"
        for key, at in (("chance", 0.5), ("interval", 0.55), ("bound", 0.6128), ("main", 0.559))
    }
    assert drawn[1] == {
        key: f"{on_line(at)}"
        for key, at in (("chance", 0.5), ("interval", 0.6), ("control", 0.45), ("main", 0.83))
    }
    sizes = parsed(source).texts("span", "size")
    assert figures(sizes[0]) == [0.56, 0.55, 0.57, 0.5, 0.61]
    assert figures(sizes[1]) == [0.83, 0.6, 0.93, 0.45, 0.5]


def test_raw_data_have_a_plot_of_their_own_and_the_tables_stay() -> None:
    plain = evaluation("plain")
    page = parsed(private_page(plain))
    plots = page.texts("div", "forest")
    assert len(plots) == 2
    raw = [one for data in plain.inputs for one in data.attacks]
    assert len(forest(plain.inputs)[0].rows) == len(raw) == 3
    tables = [one for one in page.all("table") if one.get("class") == "attacks"]
    assert len(tables) == sum(bool(one.attacks) for one in (*plain.outputs, *plain.inputs))


def test_without_an_attack_there_is_no_plot() -> None:
    assert forest(evaluation("bare").outputs) == []
    assert parsed(private_page(evaluation("bare"))).texts("div", "forest") == []
