"""Result: a bundle, and what is made from it."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import FileResponse, Response

from synthrelease.exports.formats import FORMATS
from synthrelease.studio.commands import (
    BUNDLE_ENDING,
    EVALUATE,
    OF_BUNDLES,
    PRIVATE_PAGE,
    bundle_of,
    report_of,
)
from synthrelease.studio.context import Changing, Shown, Studio

_KEY_ENDINGS = (".pem", ".key")


def _bundles(studio: Studio, _request: Request) -> Response:
    names = [studio.project.name(path) for path in studio.project.files(BUNDLE_ENDING)]
    return studio.page("bundles.html", "/bundles", bundles=names)


def _bundle(studio: Studio, request: Request) -> Response:
    bundle = _named(studio, request)
    of_plan = studio.planned_bundle()
    jobs = {
        name: job
        for name in (*OF_BUNDLES, EVALUATE)
        if (job := studio.jobs.job(name)) and bundle in job.command
    }
    return studio.page(
        "bundle.html",
        f"/bundle?path={quote(bundle)}",
        bundle=bundle,
        is_of_plan=bundle == of_plan,
        others=[
            name
            for path in studio.project.files(BUNDLE_ENDING)
            if (name := studio.project.name(path)) != bundle
        ],
        keys=[studio.project.name(path) for path in studio.project.files(*_KEY_ENDINGS)],
        forms={name: form.description for name, form in FORMATS.items()},
        jobs=jobs,
        has_evaluation=(studio.project.folder / PRIVATE_PAGE).is_file(),
        has_report=(studio.project.folder / report_of(bundle)).is_file(),
    )


def _named(studio: Studio, request: Request) -> str:
    return bundle_of(studio.project, {"bundle": [request.query_params.get("path", "")]})


def _public_report(studio: Studio, request: Request) -> Response:
    return _whole_page(studio.project.folder / report_of(_named(studio, request)))


def _private_evaluation(studio: Studio, _request: Request) -> Response:
    return _whole_page(studio.project.folder / PRIVATE_PAGE)


def _whole_page(path: Path) -> Response:
    """A page of its own policy, which can reach nothing of this one."""
    if not path.is_file():
        return Response(status_code=404)
    headers = {"content-security-policy": "sandbox allow-scripts; frame-ancestors 'none'"}
    return FileResponse(path, media_type="text/html", headers=headers)


SHOWN: Shown = {
    "/bundles": _bundles,
    "/bundle": _bundle,
    "/pages/report": _public_report,
    "/pages/evaluation": _private_evaluation,
}
CHANGING: Changing = {}
