"""Messages name arguments of functions; the command line, and only it, spells them as its options."""

import click
import pytest
from click.testing import CliRunner

import synthrelease
from synthrelease.cli import main
from synthrelease.cli.spelling import as_options


@pytest.mark.parametrize(
    ("told", "spelt"),
    [
        ("replace it: force=True", "replace it: --force"),
        ('say person="who"; two', "say --person who; two"),
        ('say person="who it is"; two', "say --person 'who it is'; two"),
        ('pattern="P{person}.csv"', "--pattern 'P{person}.csv'"),
        ('neighbours="replace-one", as before', "--neighbours replace-one, as before"),
        ("pl.read_csv(…, decimal_comma=True)", "pl.read_csv(…, decimal_comma=True)"),
        ('force = true, table = "x"', 'force = true, table = "x"'),
    ],
)
def test_arguments_become_options_where_there_are_such(told, spelt):
    assert isinstance(main, click.Group)
    assert as_options(told, main) == spelt


def test_each_side_reads_its_own_words(study, bundle, tmp_path):
    data = study.folder / "gaze.csv"
    with pytest.raises(synthrelease.DataError) as asked:
        synthrelease.propose(data, plan=tmp_path / "p.toml")
    assert 'person="who"' in asked.value.remedy
    (tmp_path / "r.html").write_text("old")
    with pytest.raises(synthrelease.MachineError) as taken:
        synthrelease.write_report(bundle, tmp_path / "r.html")
    assert "force=True" in taken.value.remedy
    for words, option in (
        (("init", data, "-o", tmp_path / "p.toml"), "--person who"),
        (("report", bundle, "-o", tmp_path / "r.html"), "--force"),
    ):
        told = CliRunner().invoke(main, [str(word) for word in words]).output
        assert option in told
        assert "=True" not in told
        assert "person=" not in told


def test_a_batch_says_options_too(study, tmp_path):
    words = ("batch", study.plan, "-o", tmp_path, "--jobs", "1")
    run = CliRunner().invoke
    assert run(main, [str(word) for word in words]).exit_code == 0
    told = run(main, [str(word) for word in words]).output
    assert "--force" in told
    assert "force=True" not in told
