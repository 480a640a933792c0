"""Data: which files, who is one person, and what only the curator knows."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from synthrelease.files.atomic import write_atomically
from synthrelease.init.nesting import nestings
from synthrelease.studio.context import Changing, Shown, Studio
from synthrelease.studio.fields import parsed
from synthrelease.studio.plan_edits import edit
from synthrelease.studio.questions import questions
from synthrelease.studio.rendering import Form, go_to, one

_DATA_ENDINGS = (
    ".csv",
    ".tsv",
    ".tsv.gz",
    ".txt",
    ".parquet",
    ".mat",
    ".asc",
    ".npy",
    ".npz",
    ".h5",
    ".hdf5",
    ".feather",
    ".xlsx",
)


def _data(studio: Studio, request: Request) -> Response:
    if studio.project.plan_text() is None:
        chosen = request.query_params.get("path", "")
        tables = nestings([studio.project.inside(chosen)]) if chosen else [None]
        files = [studio.project.name(path) for path in studio.project.files(*_DATA_ENDINGS)]
        folders = sorted(
            {"/".join(name.split("/")[:n]) for name in files for n in range(1, len(name.split("/")))}
        )
        return studio.page(
            "choose.html", "/data", files=files, folders=folders, chosen=chosen, nesting=tables[0]
        )
    text = studio.project.toml_text()
    return studio.page("questions.html", "/data", questions=questions(text), plan_text=text)


def _propose(studio: Studio, _request: Request, form: Form) -> Response:
    from synthrelease.api import propose  # noqa: PLC0415  slow to import

    data = studio.project.inside(one(form, "path"))
    person = one(form, "person")
    proposal = propose(data, person=[person] if person else [], plan=studio.project.plan)
    write_atomically(studio.project.plan, proposal.text.encode("utf-8"), force=False)
    return go_to("/data")


def _answer(studio: Studio, _request: Request, form: Form) -> Response:
    changes: dict[tuple[str | int, ...], Any] = {}
    for question in questions(studio.project.toml_text()):
        field, sent = question.field, form.get(question.field.name)
        if sent is None:
            continue
        if question.offered:
            value = list(question.offered) if sent == ["confirmed"] else None
        else:
            value = parsed(field, sent)
        if value is not None:
            changes[field.place] = value
    edit(studio.project, one(form, "digest"), changes)
    return go_to("/data")


SHOWN: Shown = {"/data": _data}
CHANGING: Changing = {"/data/propose": _propose, "/data/answers": _answer}
