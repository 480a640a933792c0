"""Result: a bundle, and what is made from it."""

from __future__ import annotations

from functools import cache
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response

from synthrelease.exports.formats import FORMATS
from synthrelease.studio.commands import (
    BUNDLE_ENDING,
    KEY_ENDINGS,
    KEYGEN,
    OF_BUNDLES,
    REPORT,
    bundle_of,
    export_of,
    report_of,
)
from synthrelease.studio.context import Changing, Shown, Studio
from synthrelease.studio.rendering import whole_page
from synthrelease.studio.results import result_of, written_page
from synthrelease.studio.upload import upload_of

_PASSWORD_ENDINGS = (".password", ".txt")


def _bundles(studio: Studio, _request: Request) -> Response:
    names = [studio.project.name(path) for path in studio.project.files(BUNDLE_ENDING)]
    return studio.page("bundles.html", "/bundles", bundles=names)


def _bundle(studio: Studio, request: Request) -> Response:
    bundle = _named(studio, request)
    jobs = {
        name: job
        for name in (*OF_BUNDLES, KEYGEN)
        if (job := studio.jobs.job(name)) and (name == KEYGEN or bundle in job.command)
    }
    digest_of = cache(studio.jobs.digest_of)  # all are about the same file
    results = {name: result for name, job in jobs.items() if (result := result_of(job, digest_of))}
    report, is_written = report_of(bundle), _written_report(studio, bundle) is not None
    return studio.page(
        "bundle.html",
        f"/bundle?path={quote(bundle)}",
        bundle=bundle,
        is_of_plan=bundle == studio.planned_bundle(),
        others=[
            name
            for path in studio.project.files(BUNDLE_ENDING)
            if (name := studio.project.name(path)) != bundle
        ],
        keys=[studio.project.name(path) for path in studio.project.files(*KEY_ENDINGS)],
        public_keys=[studio.project.name(path) for path in studio.project.files(".pub")],
        passwords=[studio.project.name(file) for file in studio.project.files(*_PASSWORD_ENDINGS)],
        forms=FORMATS,
        upload=upload_of(studio.project, bundle, has_report=is_written),
        jobs=jobs,
        results=results,
        report=report,
        is_there=(studio.project.folder / report).is_file(),
        is_written=is_written,
        has_export=any((studio.project.folder / export_of(bundle, form)).is_dir() for form in FORMATS),
    )


def _named(studio: Studio, request: Request) -> str:
    return bundle_of(studio.project, {"bundle": [request.query_params.get("path", "")]})


def _public_report(studio: Studio, request: Request) -> Response:
    bundle = _named(studio, request)
    path = studio.project.inside(report_of(bundle))
    return whole_page(path, _written_report(studio, bundle), request)


def _written_report(studio: Studio, bundle: str) -> str | None:
    """The digest of a bundle's report if the studio wrote it."""
    return written_page(result_of(studio.jobs.job(REPORT), studio.jobs.digest_of), report_of(bundle))


SHOWN: Shown = {
    "/bundles": _bundles,
    "/bundle": _bundle,
    "/pages/report": _public_report,
}
CHANGING: Changing = {}
