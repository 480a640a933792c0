"""The classes of a plan's entries and the options of `arrays` have every key of the schema, with its default and its choices."""

import inspect
import re
import subprocess
import sys
import typing
from collections import Counter
from pathlib import Path

import pytest

import synthrelease
from synthrelease import arrays
from synthrelease.kinds.registry import SHIPPED
from synthrelease.plan import inputs, outputs, tables
from synthrelease.plan.inputs import INPUTS, Privacy, ReleaseInfo
from synthrelease.plan.outputs import OUTPUTS
from synthrelease.schemas import referred, schema

ROOT = Path(__file__).parents[3]
WHOLE = schema("plan-v1")
TABLES = {
    **{kind: (made, WHOLE["$defs"][kind]) for kind, made in (INPUTS | OUTPUTS).items()},
    "release": (ReleaseInfo, WHOLE["properties"]["release"]),
    "privacy": (Privacy, WHOLE["properties"]["privacy"]),
}
OF_OUTPUTS = {"name", "input", "share", "epsilon", "delta", "kind"}
FUNCTIONS = {
    "heatmaps": ("heatmap", set()),
    "areas": ("areas", set()),
    "fixation_statistics": ("statistics", set()),
    "statistics": ("statistics", {"areas", "label_image", "bounds"}),
    "mean_signals": ("signals", set()),
    "synthetic_records": ("records", {"tokens"}),
}


def test_they_are_generated_from_the_schema():
    command = [sys.executable, str(ROOT / "scripts" / "make_plan_classes.py"), "--check"]
    assert subprocess.run(command, check=False).returncode == 0


def test_every_kind_has_a_class_that_the_package_offers():
    assert list(OUTPUTS) == [kind.name for kind in SHIPPED]
    assert set(INPUTS) == set(
        WHOLE["properties"]["inputs"]["additionalProperties"]["properties"]["kind"]["enum"]
    )
    for kind, (made, _) in TABLES.items():
        assert getattr(synthrelease, made.__name__) is made
        assert getattr(made, "kind", kind) == kind


def assert_is_of(parameter, node, *, needed):
    """Assert that a parameter has the default and the choices of a key."""
    node = referred(node, WHOLE)
    if needed:
        assert parameter.default is parameter.empty
    else:
        default = node.get("default")
        assert parameter.default == {"[]": (), "{}": None}.get(str(default), default), parameter
    choices = node.get("enum", [node["const"]] if "const" in node else None)
    if choices is not None and float not in set(map(type, choices)):
        names = vars(typing) | vars(inputs) | vars(outputs) | vars(tables)
        hint = eval(parameter.annotation, names)  # noqa: S307  of this package
        literals = [one for one in (hint, *typing.get_args(hint)) if typing.get_origin(one) is typing.Literal]
        assert list(typing.get_args(literals[0])) == choices


def entries(made, title="Args"):
    """Return what a docstring says of each argument."""
    section = made.__doc__.split(f"    {title}:\n")[1].split("\n\n")[0]
    lines = [line.strip() for line in section.splitlines()]
    starts = [n for n, line in enumerate(lines) if line.partition(":")[0].isidentifier()]
    ends = [*starts[1:], len(lines)]
    words = (" ".join(lines[start:end]) for start, end in zip(starts, ends, strict=True))
    return dict(entry.split(": ", 1) for entry in words)


@pytest.mark.parametrize("kind", TABLES)
def test_a_class_has_every_key(kind):
    made, node = TABLES[kind]
    parameters, said = inspect.signature(made).parameters, entries(made)
    keys = {key: body for key, body in node["properties"].items() if key not in ("kind", "path")}
    if kind in INPUTS:
        assert set(parameters) - set(keys) == {"data"}
        assert parameters["data"].kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
    else:
        assert set(parameters) == set(keys)
    left_out = {"name", "input"} if kind in OUTPUTS else set()
    for key, body in keys.items():
        assert_is_of(parameters[key], body, needed=key in set(node["required"]) - left_out)
        assert said[key].startswith(" ".join(referred(body, WHOLE)["description"].split()))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_for_arrays_has_every_key(name):
    kind, left_out = FUNCTIONS[name]
    function, node = getattr(arrays, name), WHOLE["$defs"][kind]
    parameters, said = inspect.signature(function).parameters, entries(function)
    assert {one.kind for one in parameters.values()} == {inspect.Parameter.KEYWORD_ONLY}
    needed = {*node["required"], *({"length"} if kind == "signals" else {"bounds"})}
    for key in set(node["properties"]) - OF_OUTPUTS - left_out:
        assert_is_of(parameters[key], node["properties"][key], needed=key in needed)
        assert said[key].startswith(" ".join(referred(node["properties"][key], WHOLE)["description"].split()))
    assert set(said) == set(parameters)


def test_no_other_class_has_the_name_of_a_public_one():
    names = Counter(
        name
        for path in (ROOT / "synthrelease").rglob("*.py")
        for name in re.findall(r"^class (\w+)", path.read_text("utf-8"), re.MULTILINE)
    )
    public = {name for name in synthrelease.__all__ if name[0].isupper()}
    assert {name: names[name] for name in public} == dict.fromkeys(public, 1)
