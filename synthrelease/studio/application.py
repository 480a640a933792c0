"""The routes: pages under GET, changes under POST, and messages of ours where there is no page."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from synthrelease.errors import MachineError, SynthReleaseError
from synthrelease.reports.page import stylesheet
from synthrelease.studio.context import Changing, Shown, Studio
from synthrelease.studio.guard import Secrets
from synthrelease.studio.pages import answers, budget, bundle, commands, data, evaluation, ledger, release
from synthrelease.studio.project import Project
from synthrelease.studio.rendering import Form, form_of, page, problem
from synthrelease.studio.steps import steps

_STATIC = Path(__file__).parent / "static"
_PAGES = (data, answers, release, budget, commands, bundle, evaluation, ledger)

_Answered = Callable[[Request], Awaitable[Response]]


def application(project: Project, secrets: Secrets) -> Starlette:
    """Return the application of a project; who may ask is not its business."""
    studio = Studio(project, secrets)
    shown: Shown = {"/": _home, "/state": _state}
    changing: Changing = {}
    for room in _PAGES:
        shown, changing = {**shown, **room.SHOWN}, {**changing, **room.CHANGING}
    return Starlette(
        routes=[
            *(Route(path, _shown(studio, run), methods=["GET"]) for path, run in shown.items()),
            *(Route(path, _changed(studio, run), methods=["POST"]) for path, run in changing.items()),
            Route("/static/report.css", lambda _request: Response(stylesheet(), media_type="text/css")),
            Mount("/static", StaticFiles(directory=_STATIC)),
        ],
        exception_handlers={Exception: _unexpected, ClientDisconnect: _gone},
    )


def _home(studio: Studio, _request: Request) -> Response:
    ways = steps(studio.project, studio.jobs, studio.plan())
    next_step = next((step for step in ways if step.is_open and not step.is_done), ways[0])
    return RedirectResponse(next_step.path, status_code=303)


def _state(studio: Studio, request: Request) -> Response:
    is_same = studio.project.digest() == request.query_params.get("digest", "")
    return Response(status_code=204) if is_same else page("changed.html")


def _shown(studio: Studio, run: Callable[[Studio, Request], Response]) -> _Answered:
    """A page; or, instead of it, why there is none."""

    async def respond(request: Request) -> Response:
        try:
            return await run_in_threadpool(run, studio, request)
        except SynthReleaseError as error:
            return await run_in_threadpool(_no_page, studio, request, error)

    return respond


def _no_page(studio: Studio, request: Request, error: SynthReleaseError) -> Response:
    if "hx-request" not in request.headers:
        with suppress(
            SynthReleaseError
        ):  # what is wrong with the project is wrong with the frame of its pages, too
            plan = studio.project.plan
            said = {"of_plan": error.where.startswith(str(plan)), "has_plan": plan.exists(), "error": error}
            return studio.page("no_page.html", request.url.path, status_code=422, **said)
    return problem(error)


def _gone(_request: Request, _error: Exception) -> Response:
    """A browser that went away while it sent a form: no fault of anyone."""
    return Response(status_code=400)


def _unexpected(_request: Request, _error: Exception) -> Response:
    """What a page says of a fault in the studio: nothing of what it was doing, which may be private."""
    fault = MachineError(
        "studio-fault",
        "the studio could not do this: that is a fault in it",
        remedy="see what it wrote in its terminal, and use the commands meanwhile",
    )
    return problem(fault, status_code=500)


def _changed(studio: Studio, run: Callable[[Studio, Request, Form], Response]) -> _Answered:
    async def respond(request: Request) -> Response:
        try:
            return await run_in_threadpool(run, studio, request, await form_of(request))
        except SynthReleaseError as error:
            return problem(error)

    return respond
