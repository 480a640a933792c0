"""Private evaluation, behind a door: what it is stands in front of it, and it opens only after that was confirmed."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from synthrelease.studio.commands import EVALUATE, PRIVATE_PAGE
from synthrelease.studio.context import Changing, Shown, Studio
from synthrelease.studio.rendering import whole_page
from synthrelease.studio.results import Result, result_of, written_page

DOOR = "/evaluation"


def _is_confirmed(request: Request) -> bool:
    return request.query_params.get("confirmed") == "yes"


def _door(studio: Studio, request: Request) -> Response:
    bundle, result = studio.planned_bundle(), _result(studio)
    path, page = (studio.project.folder / name for name in (bundle, PRIVATE_PAGE))
    return studio.page(
        "evaluation.html",
        DOOR,
        is_open=_is_confirmed(request),
        bundle=bundle if path.is_file() else "",
        page=PRIVATE_PAGE,
        job=studio.jobs.job(EVALUATE),
        result=result,
        is_there=page.is_file(),
        is_written=written_page(result, PRIVATE_PAGE) is not None,
    )


def _result(studio: Studio) -> Result | None:
    here = studio.project.fingerprint(studio.plan())
    return result_of(studio.jobs.job(EVALUATE), studio.jobs.digest_of, here)


def _behind(studio: Studio, request: Request) -> Response:
    if not _is_confirmed(request):
        return RedirectResponse(DOOR, status_code=303)
    written = written_page(_result(studio), PRIVATE_PAGE)
    return whole_page(studio.project.inside(PRIVATE_PAGE), written, request)


SHOWN: Shown = {DOOR: _door, "/pages/evaluation": _behind}
CHANGING: Changing = {}
