"""What pages say to do, over every remedy in the source of the package: no option without its command, and commands that there are."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterator
from functools import cache
from itertools import product
from pathlib import Path

import click
import pytest
from documented import ROOT

from synthrelease.cli import main
from synthrelease.studio.remedies import to_do

TREES = {path: ast.parse(path.read_text("utf-8")) for path in sorted((ROOT / "synthrelease").rglob("*.py"))}
# What stands nowhere but in a command: an option, an argument of Python that is not in a call, a command itself.
_TYPED = re.compile(
    rf"(?<![\w-])--[a-z]|(?<![(,] )\b(?<!\()[a-z_]+=(?:True|False)|synthrelease (?:{'|'.join(main.commands)})\b|in a terminal:"
)
_COMMANDS = re.compile("`([^`]+)` in a terminal")


def texts(node: ast.AST) -> list[str]:
    """Return every text that an expression may give, with X for what a program fills in, and options for arguments."""
    match node:
        case ast.Constant(value=str(text)):
            return [text]
        case ast.IfExp() | ast.BoolOp():
            return [text for part in ast.iter_child_nodes(node) for text in texts(part)]
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return ["".join(one) for one in product(texts(left), texts(right))]
        case ast.JoinedStr(values=parts) | ast.Call(func=ast.Name(id="Remedy"), args=parts):
            return ["".join(one) for one in product(*map(texts, parts))]
        case ast.Call(func=ast.Name(id="Argument"), args=[ast.Constant(value=str(name)), value]):
            option = f"--{name.replace('_', '-')}"
            is_flag = isinstance(value, ast.Constant) and value.value is True
            return [option if is_flag else f"{option} {shlex.quote(text)}" for text in texts(value)]
    return ["X"]


@cache
def remedies() -> dict[tuple[str, str], Path]:
    """Return the remedies of all errors by code and text; and, with no code, all other texts that name options."""
    found: dict[tuple[str, str], Path] = {}
    for path, tree in TREES.items():
        nodes = [*ast.walk(tree)]
        described = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
        described |= {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
        for node in nodes:
            for code, text in _of_error(node):
                found.setdefault((code, text), path)
            is_text = isinstance(node, ast.Constant | ast.JoinedStr) and id(node) not in described
            if {"cli", "remedies.py"} & {*path.parts} or not is_text:
                continue  # help of commands; what is tried here
            for text in texts(node):
                if re.search(r" --[a-z]+[^\[]*$", text):
                    found.setdefault(("", text), path)
    return found


def _of_error(node: ast.AST) -> Iterator[tuple[str, str]]:
    if isinstance(node, ast.Call):
        for keyword in node.keywords:
            if keyword.arg == "remedy":
                for code in texts(node.args[0]) if node.args else [""]:
                    yield from ((code, text) for text in texts(keyword.value))


def test_all_codes_are_looked_at() -> None:
    codes = {code for code, _ in remedies()}
    assert len(codes) > 300
    assert {"several-tables", "bundle-invalid", "too-many-signatures", "ledger-tampered"} <= codes


def test_nothing_is_named_that_is_typed_but_in_a_command() -> None:
    faults = []
    for (code, remedy), path in remedies().items():
        shown = to_do(code, remedy).striptags()
        rest = _COMMANDS.sub("", shown)
        if _TYPED.search(rest):
            faults.append(f"{path.relative_to(ROOT)}: {code}: {shown}")
    assert faults == [], "\n".join(faults)


def test_commands_are_those_that_there_are() -> None:
    """With the options that are named."""
    for code, remedy in remedies():
        for typed in _COMMANDS.findall(to_do(code, remedy).striptags()):
            program, *words = shlex.split(typed)
            if program == "synthrelease":
                here: click.Command = main
                while isinstance(here, click.Group):
                    here = here.commands[words.pop(0)]
                options = {option for one in here.params for option in one.opts}
                assert {word for word in words if word.startswith("-")} <= options, typed


@pytest.mark.parametrize(
    ("remedy", "shown"),
    {
        "name one: --pattern 'P {x}.csv', or another": "name one: `synthrelease init DATA --pattern 'P {x}.csv'` in a terminal, or another",
        "did you mean --person <who>?": "did you mean `synthrelease init DATA --person <who>` in a terminal?",
        "write for example --epsilon 3 --delta 1e-6": "write for example `synthrelease ledger grant LEDGER --epsilon 3 --delta 1e-6` in a terminal",
        "restore it; `synthrelease ledger check` shows more": "restore it; `synthrelease ledger check` in a terminal shows more",
        "copy it: h5repack --merge, or h5copy": "copy it: `h5repack --merge` in a terminal, or h5copy",
        "leave out --keep or --time-unit": "leave out `synthrelease prepare PLAN INPUT --keep` in a terminal or `synthrelease prepare PLAN INPUT --time-unit` in a terminal",
        "use the version of synthrelease that wrote it": "use the version of synthrelease that wrote it",
        "axes = [1] in the plan, or --axes a,b": "axes = [1] in the plan, or `synthrelease init DATA --axes a,b` in a terminal",
        "an --other": "an --other",
    }.items(),
)
def test_options_are_whole_commands(remedy: str, shown: str) -> None:
    assert to_do("other", remedy).unescape() == shown


def test_what_a_page_does_is_no_command() -> None:
    shown = to_do("bundle-invalid", "run: synthrelease verify")
    assert "/bundles" in shown
    assert "run" not in shown
