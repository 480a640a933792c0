"""Changes of a plan that leave all else in it as it stands, comments too."""

from __future__ import annotations

from collections.abc import Mapping
from threading import Lock
from typing import TYPE_CHECKING, Any

from synthrelease.errors import ArgumentError
from synthrelease.files.atomic import write_atomically
from synthrelease.studio.fields import Place
from synthrelease.studio.project import Project, digest

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
        if "outputs" not in document:
            document.add("outputs", tomlkit.aot())
        document["outputs"].append(table)
        _write(project, document)


def remove_output(project: Project, seen: str, number: int) -> None:
    """Take an output out; errors as for `edit`."""
    with _ONE_AT_A_TIME:
        document = _document(project, seen)
        outputs = document["outputs"]
        if not 0 <= number < len(outputs):
            raise plan_changed(project)
        del outputs[number]
        _write(project, document)


def _document(project: Project, seen: str) -> TOMLDocument:
    import tomlkit  # noqa: PLC0415  with the extra `studio`

    text = project.toml_text()
    if digest(text) != seen:
        raise plan_changed(project)
    return tomlkit.parse(text)


def plan_changed(project: Project) -> ArgumentError:
    """Return the refusal of a change of a plan that is no longer the one that the page showed."""
    return ArgumentError(
        "plan-changed",
        "the plan was changed in another window or program",
        where=str(project.plan),
        remedy="load this page again, and repeat your change",
    )


def _set(document: Any, place: Place, value: Any) -> None:
    here = document
    for key in place[:-1]:
        here = here[key]
    last = place[-1]
    if value is None:
        if last in here:
            del here[last]
    else:
        here[last] = value


def _write(project: Project, document: TOMLDocument) -> None:
    import tomlkit  # noqa: PLC0415  with the extra `studio`

    write_atomically(project.plan, tomlkit.dumps(document).encode("utf-8"), force=True)
