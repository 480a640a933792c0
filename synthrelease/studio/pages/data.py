"""Data: which files, and who is one person; what else the curator knows is for `answers`."""

from __future__ import annotations

import re

from starlette.requests import Request
from starlette.responses import Response

from synthrelease.files.atomic import write_atomically
from synthrelease.proposals.nesting import nestings
from synthrelease.proposals.sources import is_data
from synthrelease.studio.context import Changing, Shown, Studio
from synthrelease.studio.pages.answers import DOUBTS, answers
from synthrelease.studio.plan_edits import add_inputs, renamed
from synthrelease.studio.rendering import Form, go_to, one
from synthrelease.studio.seals import sealing


def _data(studio: Studio, request: Request) -> Response:
    text = studio.project.plan_text()
    if text is not None and "more" not in request.query_params:
        return answers(studio, text)
    chosen = request.query_params.get("path", "")
    tables = nestings([studio.project.inside(chosen)]) if chosen else [None]
    found = studio.project.files(fits=lambda path: is_data(path, studio.project.folder))
    files = [studio.project.name(path) for path in found]
    folders = sorted(
        {"/".join(name.split("/")[:n]) for name in files for n in range(1, len(name.split("/")))}
    )
    return studio.page(
        "choose.html",
        "/data",
        files=files,
        folders=folders,
        chosen=chosen,
        nesting=tables[0],
        called=re.sub(r"\W+", "_", chosen.rpartition("/")[2].partition(".")[0], flags=re.ASCII),
        is_more=text is not None,
    )


def _propose(studio: Studio, _request: Request, form: Form) -> Response:
    from synthrelease.api import init  # noqa: PLC0415  slow to import

    data = studio.project.inside(one(form, "path"))
    person, called = one(form, "person"), one(form, "called").strip()
    proposal = init(data, person=[person] if person else [], plan=studio.project.plan)
    proposed = renamed(proposal.text, called) if called else proposal.text
    studio.jobs.make_folder()
    with sealing(studio.jobs.file(DOUBTS), "\n".join(proposal.warnings)):
        if one(form, "more"):
            add_inputs(studio.project, one(form, "digest"), proposed, called=called)
        else:
            write_atomically(studio.project.plan, proposed.encode("utf-8"), force=False)
    return go_to("/data")


SHOWN: Shown = {"/data": _data}
CHANGING: Changing = {"/data/propose": _propose}
