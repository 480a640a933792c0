"""Check and build: commands that take long."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from synthrelease.studio.commands import AS_JSON, BUILD, CHECK, COMMANDS, OF_PLAN, command
from synthrelease.studio.context import Changing, Shown, Studio
from synthrelease.studio.interrupted import leftovers
from synthrelease.studio.plan_edits import plan_changed
from synthrelease.studio.rendering import Form, one, page
from synthrelease.studio.results import result_of


def _check(studio: Studio, _request: Request) -> Response:
    job = studio.jobs.job(CHECK)
    return studio.page(
        "check.html", "/check", job=job, result=result_of(job), command=command(CHECK, studio.project, {})
    )


def _build(studio: Studio, _request: Request) -> Response:
    plan, job = studio.project.load_plan(), studio.jobs.job(BUILD)
    bundle = studio.project.folder / studio.planned_bundle()
    return studio.page(
        "build.html",
        "/build",
        job=job,
        result=result_of(job),
        command=command(BUILD, studio.project, {}),
        view=studio.view(),
        charges=plan.ledger is not None,
        exists=bundle.is_file(),
        bundle=bundle.name,
        left=leftovers(plan, job, bundle),
    )


def _start(studio: Studio, _request: Request, form: Form) -> Response:
    name = one(form, "name")
    here = command(name, studio.project, form)
    digest = studio.plan_digest()
    if name in OF_PLAN:
        studio.project.load_plan()  # or why it is not run here
        if one(form, "digest") != digest:  # what the page said of it, such as its cost, is of another plan
            raise plan_changed(studio.project)
    studio.jobs.start(name, [*here, AS_JSON], plan=digest)
    return _again()  # where its form stands, there is its result


def _cancel(studio: Studio, _request: Request, _form: Form) -> Response:
    studio.jobs.cancel()
    return Response(status_code=204)


def _job(studio: Studio, request: Request) -> Response:
    name = request.path_params["name"]
    job = studio.jobs.job(name) if name in COMMANDS else None
    if job is None or not job.is_running:
        return _again()
    return page("job.html", job=job)


def _again() -> Response:
    """Load the page again, at the place that was looked at."""
    return Response(status_code=204, headers={"HX-Refresh": "true"})


SHOWN: Shown = {"/check": _check, "/build": _build, "/jobs/{name}": _job}
CHANGING: Changing = {"/jobs/start": _start, "/jobs/cancel": _cancel}
