#!/usr/bin/env python3
"""Say which public names lack a docstring, shapes, units or a source: scripts/check_docstrings.py [FOLDER].

Which names: in the folders and files of `SCOPE`, which are what docs/reference/api.md shows and all of kinds, numerics and dp, every
module, function and class without an underscore, and their methods and properties without one (`__getitem__`, `__add__` and the like say
what Python says they do). Not looked at: command line, plan and outputs, readers, bundle internals, report, evaluate, evaluation;
for them the linter asks for docstrings, and for no more.

What is asked, mechanically:

1. *docstring*: it has one.
2. *shape*: if an annotation of a parameter or of what is returned says array (`NDArray`, `ArrayLike`, or a name that the module makes an
   alias of one), the docstring, or for fields a comment beside them, or for methods, fields and properties those of the class or of the method that it overrides, says a shape: "shape (N,)", "(C, m) array",
   "same shape", "shape of"; or "scalar or array", where any shape is taken and kept.
3. *unit*: likewise it says what the numbers are: a word of `UNITS`, which are physical units (px, mm, s, degrees, in the feature's unit), steps,
   and words for numbers without one (integers, counts, number of, probabilities, shares, weights, labels, whether, bits, dimensionless).
4. *source*: the docstring of a module of a mechanism and of dp says where its mathematics is from: a proof note (`x.proof.md`), a
   paper with its year, a DOI or an address; or "No mathematics" and why. What kinds share, public halves, and what prepares and previews
   a mechanism needs none.

A word in the docstring is no proof that it is the right one: the check finds what was forgotten, a reader finds what is wrong.
Ends with 1 if anything is found.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SCOPE = (
    "__init__.py",
    "api.py",
    "arrays",
    "errors.py",
    "building/builder.py",
    "building/preview.py",
    "ledgers/book.py",
    "reports/difference.py",
    "exports/readable.py",
    "bundle/lazy_dataset.py",
    "bundle/output_tree.py",
    "bundle/reading.py",
    "bundle/finding.py",
    "bundle/verification.py",
    "data/gaze.py",
    "data/features.py",
    "data/screen.py",
    "kinds",
    "numerics",
    "dp",
)
SOURCED = re.compile(
    r"dp/(?!noise/)\w+\.py|kinds/\w+/(?!__init__|kind\b|words|request|public|prepare|accuracy|unit_costs|plausibility)\w+\.py"
)
_ARRAY = re.compile(r"\b(NDArray|ArrayLike|np\.ndarray)\b")
_SHAPE = re.compile(
    r"\bshapes?\b|\(\w+(, ?\w+)* ?,?\)[ -](array|matrix)|scalars? or arrays?|one for each|one per\b",
    re.IGNORECASE,
)
UNITS = re.compile(
    r"\b(px|pixels?|mm|ms|seconds?|degrees?|units?|steps?|integers?|whole numbers?|counts?|numbers? of|how many|probabilit\w+"
    r"|log-probabilit\w+|shares?|fractions?|weights?|labels?|category numbers?|row numbers?|whether|booleans?|words?|bits?|dimensionless"
    r"|standard deviations?)\b",
    re.IGNORECASE,
)
_SOURCE = re.compile(r"\.proof\.md|https?://|\bdoi\b|\b(19|20)\d\d\b|\bNo mathematics\b")


@dataclass(frozen=True)
class Lack:
    """What a name lacks.

    Attributes:
        where: file, line and name.
        what: "docstring", "shape", "unit" or "source".
    """

    where: str
    what: str


def lacks(folder: Path, scope: tuple[str, ...] = SCOPE) -> Iterator[Lack]:
    """Yield what public names of a package lack.

    Args:
        folder: of the package.
        scope: files and folders below it.
    """
    for part in scope:
        path = folder / part
        for file in [path] if path.is_file() else sorted(path.rglob("*.py")):
            yield from _of_file(file, folder)


def _of_file(file: Path, folder: Path) -> Iterator[Lack]:
    text, name = file.read_text("utf-8"), str(file.relative_to(folder))
    tree, lines = ast.parse(text), text.splitlines()
    aliases = _aliases(tree)
    told = ast.get_docstring(tree) or ""
    if not told:
        yield Lack(name, "docstring")
    if SOURCED.fullmatch(name) and not _SOURCE.search(told):
        yield Lack(name, "source")
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            yield from _of_function(node, name, "", aliases)
        elif isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            comments = "\n".join(_comments_of_fields(node, lines))
            yield from _of_class(node, name, aliases, _overridden(node, classes), comments)


def _overridden(node: ast.ClassDef, classes: dict[str, ast.ClassDef]) -> dict[str, str]:
    """The docstrings of methods of the classes of the same module that a class is made of."""
    bases = [classes[base.id] for base in node.bases if isinstance(base, ast.Name) and base.id in classes]
    return {
        part.name: ast.get_docstring(part) or ""
        for base in bases
        for part in base.body
        if isinstance(part, ast.FunctionDef)
    }


def _comments_of_fields(node: ast.ClassDef, lines: list[str]) -> Iterator[str]:
    """The comments above and beside the fields of a class."""
    for field in (part for part in node.body if isinstance(part, ast.AnnAssign)):
        above = field.lineno - 2
        while lines[above].lstrip().startswith("#"):
            yield lines[above]
            above -= 1
        for line in lines[field.lineno - 1 : field.end_lineno]:
            yield line.partition("  # ")[2]


def _of_class(
    node: ast.ClassDef, file: str, aliases: set[str], overridden: dict[str, str], comments: str
) -> Iterator[Lack]:
    told, where = ast.get_docstring(node) or "", f"{file}:{node.lineno} {node.name}"
    if not told:
        yield Lack(where, "docstring")
        return
    told = f"{told}\n{comments}"
    fields = [part.annotation for part in node.body if isinstance(part, ast.AnnAssign)]
    yield from _of_arrays(fields, told, where, aliases)
    for part in node.body:
        if isinstance(part, ast.FunctionDef) and not part.name.startswith("_"):
            inherited = f"{told}\n{overridden.get(part.name, '')}"
            yield from _of_function(part, file, inherited, aliases, f"{node.name}.")


def _of_function(
    node: ast.FunctionDef, file: str, of_class: str, aliases: set[str], before: str = ""
) -> Iterator[Lack]:
    told, where = ast.get_docstring(node) or "", f"{file}:{node.lineno} {before}{node.name}"
    if any(ast.unparse(one) == "overload" for one in node.decorator_list):
        return  # types only: the docstring is that of the function itself
    if not told:
        yield Lack(where, "docstring")
        return
    a = node.args
    every = [*a.posonlyargs, *a.args, *a.kwonlyargs, *filter(None, (a.vararg, a.kwarg))]
    annotations = [one.annotation for one in every] + [node.returns]
    yield from _of_arrays(annotations, f"{told}\n{of_class}", where, aliases)


def _of_arrays(
    annotations: list[ast.expr | None], told: str, where: str, aliases: set[str]
) -> Iterator[Lack]:
    if any(_is_array(one, aliases) for one in annotations if one is not None):
        if not _SHAPE.search(told):
            yield Lack(where, "shape")
        if not UNITS.search(told):
            yield Lack(where, "unit")


def _is_array(annotation: ast.expr, aliases: set[str]) -> bool:
    text = ast.unparse(annotation)
    return bool(_ARRAY.search(text)) or any(re.search(rf"\b{alias}\b", text) for alias in aliases)


def _aliases(tree: ast.Module) -> set[str]:
    """Names such as `Integers = NDArray[np.int64]`."""
    found: set[str] = set()
    for node in tree.body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if _ARRAY.search(ast.unparse(value)):
                found.add(name)
    return found


def main() -> int:
    """Print what is lacking, and how much."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent.parent / "synthrelease"
    found = list(lacks(folder))
    for lack in found:
        print(f"{lack.where}: no {lack.what}")
    for what, number in Counter(lack.what for lack in found).items():
        print(f"{number} without {what}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
