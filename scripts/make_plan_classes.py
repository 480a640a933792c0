#!/usr/bin/env python3
"""Write classes of a plan's entries and options of `synthrelease.arrays` from the schema; with --check, exit 1 if that would change a file.

`tables.py`, `inputs.py` and `outputs.py` of `synthrelease/plan` are written as a whole. In `synthrelease/arrays/*.py` everything between `# options` and
`# end of options` of a function is, and the entries of its docstring about these arguments. Its decorator says which kind's they are, and which
are left out; the first marker which are needed here although a plan could do without (`# options, needed: length`).
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from synthrelease.kinds.registry import SHIPPED  # noqa: E402
from synthrelease.schemas import referred, with_kinds  # noqa: E402

Schema = dict[str, Any]
WIDTH = 150  # of a line of a docstring
FILE = "#/$defs/file"
SCREEN = "ScreenLike | Mapping[str, float]"
COMMON = ("share", "epsilon", "delta")  # of every output
HEAD = '''"""{title}: generated from the schema of plans by `scripts/make_plan_classes.py`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, ClassVar, Literal, Required, TypedDict

from synthrelease.plan.entries import InputEntry, OutputEntry, PlanEntry, ScreenLike, leading
{tables}

'''
IMPORTED = "from synthrelease.plan.tables import FeatureColumns, GazeColumns, MeasureBounds, TrialTokens"
# Tables in an entry that have a type of their own.
TABLES = {
    ("gaze", "columns"): "GazeColumns",
    ("features", "columns"): "FeatureColumns",
    ("records", "tokens"): "TrialTokens",
    ("statistics", "bounds"): "MeasureBounds",
    ("gaze", "screen"): SCREEN,
}
TYPES = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}


def main() -> int:
    """Write or check the files."""
    whole = with_kinds(json.loads((ROOT / "schemas" / "plan-v1.schema.json").read_text("utf-8")), SHIPPED)
    folder = ROOT / "synthrelease"
    texts = {folder / "plan" / f"{module.__name__}.py": module(whole) for module in (tables, inputs, outputs)}
    for path in sorted((folder / "arrays").glob("*.py")):
        texts[path] = with_options(path.read_text("utf-8"), whole)
    changed = [
        path
        for path, text in texts.items()
        if not path.exists() or formatted(text, path) != path.read_text("utf-8")
    ]
    for path in changed:
        if "--check" not in sys.argv:
            path.write_text(formatted(texts[path], path), "utf-8")
    if changed and "--check" in sys.argv:
        names = ", ".join(str(path.relative_to(ROOT)) for path in changed)
        print(f"run scripts/make_plan_classes.py: {names} would change", file=sys.stderr)
        return 1
    return 0


def formatted(text: str, path: Path) -> str:
    """Return a module as the formatter writes it, with the imports that it needs."""
    for command in (["check", "--fix-only", "--select", "F401,I"], ["format"]):
        words = [sys.executable, "-m", "ruff", *command, "--quiet", "--stdin-filename", str(path), "-"]
        done = subprocess.run(words, input=text, capture_output=True, text=True, check=True, cwd=ROOT)
        text = done.stdout
    return text


def inputs(whole: Schema) -> str:
    """Return the module of what a plan says besides its outputs."""
    parts = [
        HEAD.format(title="What a plan says of release, privacy and inputs, as classes", tables=IMPORTED)
    ]
    for name, title in {"release": "ReleaseInfo", "privacy": "Privacy"}.items():
        parts.append(entry_class(title, "PlanEntry", whole["properties"][name], whole))
    for kind in ("gaze", "features"):
        node = whole["$defs"][kind]
        node = {**node, "description": node["properties"]["kind"]["description"]}
        parts.append(entry_class(kind.capitalize(), "InputEntry", node, whole, kind=kind))
    return "\n".join([*parts, 'INPUTS: dict[str, type[InputEntry]] = {"gaze": Gaze, "features": Features}\n'])


def outputs(whole: Schema) -> str:
    """Return the module of a plan's outputs."""
    parts = [HEAD.format(title="What a plan says of outputs, as classes", tables=IMPORTED)]
    for kind in SHIPPED:
        node = whole["$defs"][kind.name]
        node = {**node, "description": node["properties"]["kind"]["description"]}
        node["required"] = [key for key in node["required"] if key not in ("name", "input")]
        parts.append(entry_class(kind.name.capitalize(), "OutputEntry", node, whole, kind=kind.name))
    listed = ", ".join(f'"{kind.name}": {kind.name.capitalize()}' for kind in SHIPPED)
    return "\n".join([*parts, f"OUTPUTS: dict[str, type[OutputEntry]] = {{{listed}}}\n"])


def entry_class(title: str, base: str, node: Schema, whole: Schema, *, kind: str = "") -> str:
    """Return the class of a table."""
    keys = [key for key in node["properties"] if key not in ("kind", "path")]
    described = ["data: " + IN_DATA.format(key=kind)] if base == "InputEntry" else []
    described += [f"{key}: {words(key, node['properties'][key], whole)}" for key in keys]
    lines = [f"class {title}({base}):", f'    """{node["description"]}', "", "    Args:"]
    lines += [line for text in described for line in wrapped(text, "        ")]
    lines += ['    """', ""]
    lines += [f'    kind: ClassVar[str] = "{kind}"'] if kind else []
    lines += ["    data: Any = leading(kw_only=False)"] if base == "InputEntry" else []
    lines += [f"    {declared(key, kind, node, whole)}" for key in keys]
    return "\n".join(lines) + "\n\n"


IN_DATA = (
    "the file or folder, relative to the plan or, of a plan made in Python, to the working folder; or rows in memory: a DataFrame of polars "
    "or pandas, or a Gaze or Dataset of pymovements."
)


def declared(key: str, kind: str, node: Schema, whole: Schema) -> str:
    """Return a field or argument with type and default."""
    annotation = TABLES.get((kind, key)) or type_of(node["properties"][key], whole)
    if key in node["required"]:
        return f"{key}: {annotation}"
    default = referred(node["properties"][key], whole).get("default")
    if default == []:
        return f"{key}: {annotation} = ()"
    if default is None or isinstance(default, dict | list):
        return f"{key}: {annotation} | None = None"
    return f"{key}: {annotation} = {default!r}".replace("'", '"')


def type_of(node: Schema, whole: Schema) -> str:
    """Return the annotation of the values that a schema allows."""
    is_file = node.get("$ref") == FILE
    node = referred(node, whole)
    if "oneOf" in node:
        return " | ".join(dict.fromkeys(type_of(option, whole) for option in node["oneOf"]))
    choices = node["enum"] if "enum" in node else [node["const"]] if "const" in node else []
    if choices:
        listed = ", ".join(json.dumps(choice) for choice in choices)
        return "float" if any(isinstance(choice, float) for choice in choices) else f"Literal[{listed}]"
    if "not" in node:
        return "float" if "string" in node["not"]["type"] else "float | str"
    match node["type"]:
        case "array":
            return f"Sequence[{type_of(node['items'], whole)}]"
        case "object":
            inner = node.get("additionalProperties", True)
            return f"Mapping[str, {type_of(inner, whole) if isinstance(inner, dict) else 'Any'}]"
        case plain:
            return f"{TYPES[plain]} | PathLike[str]" if is_file else TYPES[plain]


def tables(whole: Schema) -> str:
    """Return the module of the tables in entries."""
    parts = [HEAD.format(title="What a plan says in tables of its entries, as types", tables="")]
    for (kind, key), title in TABLES.items():
        if title == SCREEN:
            continue
        node = referred(whole["$defs"][kind]["properties"][key], whole)
        lines = [
            f"class {title}(TypedDict, total=False):",
            f'    """The table `{key}` of {kind}.',
            "",
            "    Keys:",
        ]
        for name, leaf in node["properties"].items():
            lines += wrapped(f"{name}: {words(name, leaf, whole)}", "        ")
        lines += ['    """', ""]
        for name, leaf in node["properties"].items():
            annotation = type_of(leaf, whole)
            lines.append(
                f"    {name}: {f'Required[{annotation}]' if name in node['required'] else annotation}"
            )
        parts.append("\n".join(lines) + "\n\n")
    return "\n".join(parts)


def words(key: str, node: Schema, whole: Schema) -> str:
    """Return what a key means, with its default."""
    node = referred(node, whole)
    meaning = str(node.get("description", "")).replace("\\", "\\\\")
    if key == "name" and "of the output" in meaning:
        meaning += " Default: its kind, if no other output is of that kind."
    if key == "input":
        meaning += " Default: the only input that it can be made of."
    default = node.get("default")
    said = default is None or default in ([], {}) or isinstance(default, bool)
    return meaning if said else f"{meaning} Default {json.dumps(default, ensure_ascii=False)}."


def wrapped(text: str, indent: str) -> list[str]:
    """Return an entry of a docstring in lines."""
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=indent,
        subsequent_indent=indent + "    ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def with_options(module: str, whole: Schema) -> str:
    """Return a module whose functions have all options of the kinds that their decorators name."""
    tree = ast.parse(module)
    lines = module.splitlines()
    for function in reversed([node for node in tree.body if isinstance(node, ast.FunctionDef)]):
        for decorator in function.decorator_list:
            if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "takes_options":
                kind, left_out = ast.literal_eval(decorator.args[0]), constants(tree, decorator)
                start, end = function.lineno - 1, function.end_lineno
                lines[start:end] = with_options_of(lines[start:end], kind, left_out, whole)
    return "\n".join(lines) + "\n"


def constants(tree: ast.Module, decorator: ast.Call) -> tuple[str, ...]:
    """Return the names of options that a decorator leaves out: `but`, a constant of the module."""
    named = {word.arg: word.value for word in decorator.keywords}
    if "but" not in named:
        return ()
    values = [
        node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == ast.unparse(named["but"])
    ]
    return tuple(ast.literal_eval(values[0]))


def with_options_of(lines: list[str], kind: str, left_out: tuple[str, ...], whole: Schema) -> list[str]:
    """Return the lines of one function with the options of a kind in its signature and its docstring."""
    node = whole["$defs"][kind]
    keys = [key for key in node["properties"] if key not in ("name", "kind", "input", *COMMON, *left_out)]
    first, last = (
        next(n for n, line in enumerate(lines) if line.strip().startswith(mark))
        for mark in ("# options", "# end of options")
    )
    needed = lines[first].partition("needed: ")[2].split(", ")
    node = {**node, "required": [*node["required"], *needed]}
    signature = [f"    {declared(key, kind, node, whole)}," for key in keys]
    lines = [*lines[: first + 1], *signature, *lines[last:]]
    starts = [n for n, line in enumerate(lines) if line in ("    Args:", "    Returns:")]
    entries = re.split(r"\n(?= {8}\w+: )", "\n".join(lines[starts[0] + 1 : starts[1]]).rstrip())
    own = [entry for entry in entries if entry.split(":")[0].strip() not in keys]
    before = next(n for n, entry in enumerate(own) if entry.startswith("        test_seed:"))
    described = [
        "\n".join(wrapped(f"{key}: {words(key, node['properties'][key], whole)}", "        ")) for key in keys
    ]
    text = "\n".join([*own[:before], *described, *own[before:]])
    return [*lines[: starts[0] + 1], *text.split("\n"), "", *lines[starts[1] :]]


if __name__ == "__main__":
    sys.exit(main())
