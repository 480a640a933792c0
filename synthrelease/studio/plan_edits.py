"""Changes of a plan that leave all else in it as it stands, comments too."""

from __future__ import annotations

import itertools
import re
import tomllib
from collections.abc import Mapping
from threading import Lock
from typing import TYPE_CHECKING, Any

from synthrelease.errors import ArgumentError
from synthrelease.files.atomic import write_atomically
from synthrelease.files.toml_reading import toml_tables
from synthrelease.schemas import schema
from synthrelease.studio.fields import Place
from synthrelease.studio.project import Project

if TYPE_CHECKING:
    from tomlkit import TOMLDocument

_ONE_AT_A_TIME = Lock()  # between reading the plan and writing it, no other page writes


def edit(project: Project, seen: str, changes: Mapping[Place, Any]) -> None:
    """Write changes into the plan.

    Args:
        project: whose.
        seen: the digest of the plan that the page showed.
        changes: new values by place; None removes a key.

    Raises:
        ArgumentError: the plan is no longer the one that the page showed.
    """
    with _ONE_AT_A_TIME:
        document = _document(project, seen)
        for place, value in changes.items():
            _set(document, place, value)
        _write(project, document)


def add_output(project: Project, seen: str, output: Mapping[str, Any]) -> None:
    """Write a further output; errors as for `edit`."""
    import tomlkit  # noqa: PLC0415  with the extra `studio`

    table = tomlkit.table()
    for key, value in output.items():
        table.add(key, value)
    with _ONE_AT_A_TIME:
        document = _document(project, seen)
        if not document.get("outputs"):
            document["outputs"] = tomlkit.aot()
        document["outputs"].append(table)
        _write(project, document)


def add_inputs(project: Project, seen: str, proposed: str, *, called: str) -> None:
    """Write the inputs and outputs of a proposed plan below those that are there.

    Args:
        project: whose.
        seen: the digest of the plan that the page showed.
        proposed: what `synthrelease init` writes of other data, under their names.
        called: follows the names of outputs.

    Raises:
        ArgumentError: the plan is no longer the one that the page showed, or has inputs or outputs of the same names.
    """
    added = re.sub(r'(?m)^(name = "\w+)"', rf'\g<1>_{called}"', proposed[proposed.index("[inputs.") :])
    with _ONE_AT_A_TIME:
        _document(project, seen)
        text = f"{(project.plan_text() or '').rstrip()}\n\n{added}"
        _refuse_taken(project, text)
        write_atomically(project.plan, text.encode("utf-8"), force=True)


def _refuse_taken(project: Project, text: str) -> None:
    try:
        names = [output["name"] for output in toml_tables(text)["outputs"]]
    except tomllib.TOMLDecodeError:
        names = [text, text]
    if len(set(names)) < len(names):
        raise ArgumentError(
            "name-taken",
            "the plan has an input or an output of this name",
            where=str(project.plan),
            remedy="choose another name for the data",
        )


def renamed(proposed: str, called: str) -> str:
    """Return a proposed plan whose input is called otherwise; of several, the names begin so.

    Raises:
        ArgumentError: this is no name.
    """
    about = schema("texts-v1")["$defs"]["inputName"]
    if not re.search(about["pattern"], called):
        raise ArgumentError(
            "not-a-name",
            "data cannot be called like this",
            expected=about["description"],
            remedy="correct it",
        )
    inputs = toml_tables(proposed)["inputs"]
    for old in inputs:
        new = f"{called}_{old}" if len(inputs) > 1 else called
        proposed = re.sub(rf'(?m)^(\[inputs\.|input = "){old}(?=[\]."])', rf"\g<1>{new}", proposed)
    return proposed


def remove_output(project: Project, seen: str, number: int) -> None:
    """Take an output out; errors as for `edit`."""
    with _ONE_AT_A_TIME:
        document = _document(project, seen)
        outputs = document.get("outputs", [])
        if not 0 <= number < len(outputs):
            raise plan_changed(project)
        del outputs[number]
        _write(project, document)


def put_aside(project: Project, seen: str) -> None:
    """Give the plan another name, so that a new one can be made; errors as for `edit`."""
    names = (project.plan.with_name(f"plan-put-aside-{number}.toml") for number in itertools.count(1))
    with _ONE_AT_A_TIME:
        _document(project, seen)
        project.plan.rename(next(name for name in names if not name.exists()))


def _document(project: Project, seen: str) -> TOMLDocument:
    import tomlkit  # noqa: PLC0415  with the extra `studio`

    if project.digest() != seen:
        raise plan_changed(project)
    return tomlkit.parse(project.toml_text())


def plan_changed(project: Project) -> ArgumentError:
    """Return the refusal of a change of a plan that is no longer the one that the page showed."""
    return ArgumentError(
        "plan-changed",
        "the plan was changed in another window or program",
        where=str(project.plan),
        remedy="load this page again, and repeat your change",
    )


def _set(document: Any, place: Place, value: Any) -> None:
    """Write a value, or without one remove it; tables come and go with what is in them."""
    first, *rest = place
    if not rest:
        if value is None:
            document.pop(first, None)
        elif isinstance(value, Mapping) and first in document:
            for key in {**document[first], **value}:  # each on its own, so that comments stay
                _set(document[first], (key,), value.get(key))
        elif document.get(first) != value:
            document[first] = value
    elif isinstance(first, int):
        _set(document[first], tuple(rest), value)
    elif first in document or value is not None:
        if first not in document:
            document[first] = {}
        _set(document[first], tuple(rest), value)
        if not document[first]:
            del document[first]


def _write(project: Project, document: TOMLDocument) -> None:
    import tomlkit  # noqa: PLC0415  with the extra `studio`

    write_atomically(project.plan, tomlkit.dumps(document).encode("utf-8"), force=True)
