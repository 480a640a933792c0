"""Remedies name arguments of functions; the command line, and only it, spells them as its options."""

import ast
import pickle
import re
import shlex
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import synthrelease
from synthrelease.cli import main
from synthrelease.errors import Argument, MachineError, Remedy, as_options

PACKAGE = Path(synthrelease.__file__).parent


def options(commands):
    """Names of all options, as arguments of functions are called."""
    for command in commands.commands.values():
        if isinstance(command, click.Group):
            yield from options(command)
        yield from (name[2:].replace("-", "_") for param in command.params for name in param.opts)


@pytest.mark.parametrize("value", ["who", "who it is", "P{person}.csv", "it's", 'a "b"', "force=True", "é"])
def test_a_value_is_a_program_s_text_or_the_shell_s(value):
    remedy = Remedy("say ", Argument("person", value))
    assert ast.literal_eval(remedy.partition("=")[2]) == value
    assert shlex.split(as_options(remedy)) == ["say", "--person", value]


def test_a_switch_has_no_value():
    remedy = Remedy(Argument("test_seed", True))
    assert (remedy, as_options(remedy)) == ("test_seed=True", "--test-seed")
    assert as_options("test_seed=True") == "test_seed=True"  # a text that names no argument


def test_arguments_stay_where_more_is_said_and_on_the_way_from_a_worker():
    error = MachineError("taken", "the name is taken", remedy=Remedy(Argument("force", True)))
    error.add_remedy("force=True.h5")
    sent = pickle.loads(pickle.dumps(error))  # noqa: S301  our own
    assert sent.remedy == error.remedy
    assert sent.remedy.split("; ") == ["force=True", "force=True.h5"]
    assert as_options(sent.remedy).split("; ") == ["--force", "force=True.h5"]


def test_every_argument_that_a_remedy_names_is_an_option():
    assert isinstance(main, click.Group)
    known = set(options(main))
    spelt = re.compile(rf"\b({'|'.join(sorted(known))})=(True|\")")
    named, written = set(), []
    for file in {*PACKAGE.rglob("*.py")} - {PACKAGE / "data" / "arguments.py"}:  # which no command calls
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            match node:
                case ast.Call(func=ast.Name("Argument"), args=[ast.Constant(name), _]):
                    named.add(name)
                case ast.keyword(arg="remedy", value=value):
                    texts = [text for text in ast.walk(value) if isinstance(text, ast.Constant)]
                    written += [(file.name, text.value) for text in texts if spelt.search(str(text.value))]
    assert {"force", "person", "pattern", "neighbours"} <= named <= known
    assert written == []


def test_each_side_reads_its_own_words(study, bundle, tmp_path):
    data = study.folder / "gaze.csv"
    with pytest.raises(synthrelease.DataError) as asked:
        synthrelease.init(data, plan=tmp_path / "p.toml")
    assert 'person="who"' in asked.value.remedy
    (tmp_path / "r.html").write_text("old")
    with pytest.raises(synthrelease.MachineError) as taken:
        synthrelease.report(bundle, tmp_path / "r.html")
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


def test_verify_says_its_option():
    seeded = Path(__file__).parent.parent / "golden" / "bundles" / "seeded.TEST-SEED.h5"
    assert "allow_test_seed=True" in synthrelease.verify(seeded).remedy
    assert "--allow-test-seed" in CliRunner().invoke(main, ["verify", str(seeded)]).output


def test_a_column_is_spelt_as_it_is_called(tmp_path):
    (tmp_path / "g.csv").write_text("force=True,v\n" + "a,1.5\nb,2.5\n" * 9)
    said = CliRunner().invoke(main, ["init", str(tmp_path / "g.csv")]).output
    assert "'force=True'" in said
    assert "--person force=True" in said  # not a sentence: an option
