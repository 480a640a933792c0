"""Private evaluation, behind a door: what it is stands in front of it, and it opens only after that was confirmed."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from synthrelease.studio.commands import EVALUATE, PRIVATE_PAGE
from synthrelease.studio.context import Changing, Shown, Studio
from synthrelease.studio.rendering import whole_page
from synthrelease.studio.results import result_of

DOOR = "/evaluation"


def _is_confirmed(request: Request) -> bool:
    return request.query_params.get("confirmed") == "yes"


def _door(studio: Studio, request: Request) -> Response:
    bundle = studio.planned_bundle()
    job, path = studio.jobs.job(EVALUATE), studio.project.folder / bundle
    return studio.page(
        "evaluation.html",
        DOOR,
        is_open=_is_confirmed(request),
        bundle=bundle if path.is_file() else "",
        page=PRIVATE_PAGE,
        job=job,
        result=result_of(job, studio.jobs.digest_of),
        has_page=(studio.project.folder / PRIVATE_PAGE).is_file(),
    )


def _behind(studio: Studio, request: Request) -> Response:
    if not _is_confirmed(request):
        return RedirectResponse(DOOR, status_code=303)
    return whole_page(studio.project.inside(PRIVATE_PAGE), request)


SHOWN: Shown = {DOOR: _door, "/pages/evaluation": _behind}
CHANGING: Changing = {}
