"""Check and build: commands that take long."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from synthrelease.building.targets import default_name
from synthrelease.studio.commands import (
    AS_JSON,
    BUILD,
    BUNDLE_ENDING,
    CHECK,
    COMMANDS,
    CONFIRMED,
    OF_DATA,
    OF_PLAN,
    PAGE_ENDING,
    command,
    confirmed_plan,
)
from synthrelease.studio.context import Changing, Shown, Studio
from synthrelease.studio.interrupted import leftovers
from synthrelease.studio.plan_edits import plan_changed
from synthrelease.studio.rendering import Form, one, page
from synthrelease.studio.results import result_of


def _check(studio: Studio, _request: Request) -> Response:
    job, here = studio.jobs.job(CHECK), studio.project.fingerprint(studio.plan())
    return studio.page(
        "check.html",
        "/check",
        job=job,
        result=result_of(job, studio.jobs.digest_of, here),
        command=command(CHECK, studio.project, {}),
    )


def _build(studio: Studio, _request: Request) -> Response:
    plan, view, job = studio.project.load_plan(), studio.view(), studio.jobs.job(BUILD)
    if view.plan not in ("", plan.digest):
        raise plan_changed(studio.project)
    bundle = studio.project.folder / default_name(plan)
    return studio.page(
        "build.html",
        "/build",
        job=job,
        result=result_of(job, studio.jobs.digest_of, studio.project.fingerprint(plan)),
        command=command(BUILD, studio.project, {}),
        view=view,
        digest=plan.digest,  # of what is confirmed, whatever the file is by now
        charges=plan.ledger is not None,
        exists=bundle.is_file(),
        bundle=bundle.name,
        left=leftovers(plan, job, studio.jobs.digest_of),
    )


def _start(studio: Studio, _request: Request, form: Form) -> Response:
    name = one(form, "name")
    here = [*command(name, studio.project, form), AS_JSON]
    about = [word for word in here if word.endswith((BUNDLE_ENDING, PAGE_ENDING))]
    plan = confirmed_plan(studio.project, form) if name in OF_PLAN else None
    if plan is not None and name in OF_DATA:
        here.append(f"{CONFIRMED}{plan.digest}")  # the file may be another one before the command reads it
        about = [default_name(plan)] if name == BUILD else about
    studio.jobs.start(name, here, plan=studio.project.fingerprint(plan), about=about)
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
