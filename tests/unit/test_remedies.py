"""Every error that a person can meet says what to do."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from pathlib import Path

import pytest

import synthrelease
from synthrelease import errors

# What is wrong with a bundle is told by whoever asks for it, who also says what to do.
OF_BUNDLES = {"BundleError", "FaultyBundleError"}
PACKAGE = Path(synthrelease.__file__).parent


def _kinds(trees: Sequence[ast.Module]) -> set[str]:
    """Names of all errors of the package, wherever they are defined."""
    bases = {
        node.name: {one.id for one in node.bases if isinstance(one, ast.Name)}
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    }
    kinds = {errors.SynthReleaseError.__name__}
    for _ in range(5):
        kinds |= {name for name, own in bases.items() if own & kinds}
    return kinds


def without_remedy(tree: ast.Module, kinds: set[str]) -> list[int]:
    """Lines where one of these errors is made without a word of what to do."""
    return [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in kinds
        and not {one.arg for one in node.keywords} & {"remedy", None}
    ]


@pytest.mark.thorough
def test_every_error_says_what_to_do() -> None:
    trees = {str(file): ast.parse(file.read_text("utf-8")) for file in PACKAGE.rglob("*.py")}
    kinds = _kinds(list(trees.values())) - OF_BUNDLES | {"NestedError"}  # which becomes a DataError
    assert kinds >= {"PlanError", "KeyFileError"}
    found = {file: without_remedy(tree, kinds) for file, tree in trees.items()}
    assert {file: lines for file, lines in found.items() if lines} == {}


def test_one_without_is_found() -> None:
    source = "raise PlanError('code', 'wrong', where='here')\nraise PlanError('code', 'wrong', remedy='do')\nraise Other('x')"
    assert without_remedy(ast.parse(source), {"PlanError"}) == [1]
