"""The routes, and what each page is made of."""

from __future__ import annotations

import tomllib
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from synthrelease.errors import SynthReleaseError
from synthrelease.exports.formats import FORMATS
from synthrelease.files.atomic import write_atomically
from synthrelease.init.person import candidates_in
from synthrelease.kinds.registry import kinds
from synthrelease.plan.plan import load_plan
from synthrelease.report.page import stylesheet
from synthrelease.studio.budget import POSITIONS, STEPS, Budgets, nearest_position, scaled_epsilons
from synthrelease.studio.commands import (
    BUILD,
    BUNDLE_ENDING,
    CHECK,
    COMMANDS,
    EVALUATE,
    OF_BUNDLES,
    PRIVATE_PAGE,
    bundle_of,
    command,
    report_of,
)
from synthrelease.studio.fields import Field, Form, field_at, output_keys, parsed
from synthrelease.studio.guard import PAGE_TOKEN_HEADER, Secrets
from synthrelease.studio.jobs import Jobs
from synthrelease.studio.pages import Form as Sent
from synthrelease.studio.pages import form_of, go_to, one, page, problem
from synthrelease.studio.plan_edits import add_output, edit, remove_output
from synthrelease.studio.project import Project, digest
from synthrelease.studio.questions import questions
from synthrelease.studio.steps import steps

_STATIC = Path(__file__).parent / "static"
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
_KEY_ENDINGS = (".pem", ".key")


def application(project: Project, secrets: Secrets) -> Starlette:
    """Return the application of a project; who may ask is not its business."""
    return Starlette(routes=_Studio(project, secrets).routes())


class _Studio:
    def __init__(self, project: Project, secrets: Secrets) -> None:
        self._project = project
        self._jobs = Jobs(project.folder, project.state)
        self._budgets = Budgets(project)
        self._secrets = secrets

    def routes(self) -> list[Route | Mount]:
        """Return all there is: pages under GET, changes under POST."""
        shown: dict[str, Callable[[Request], Response]] = {
            "/": self._home,
            "/data": self._data,
            "/release": self._release,
            "/budget": self._budget,
            "/budget/view": self._budget_view,
            "/check": self._check,
            "/build": self._build,
            "/bundles": self._bundles,
            "/bundle": self._bundle,
            "/jobs/{name}": self._job,
            "/pages/report": self._public_report,
            "/pages/evaluation": self._private_evaluation,
            "/state": self._state,
        }
        changing: dict[str, Callable[[Request, Sent], Response]] = {
            "/data/propose": self._propose,
            "/data/answers": self._answer,
            "/release/add": self._add_output,
            "/release/remove": self._remove_output,
            "/release/change": self._change_output,
            "/budget": self._set_budget,
            "/jobs/start": self._start,
            "/jobs/cancel": self._cancel,
        }
        return [
            *(Route(path, self._shown(run), methods=["GET"]) for path, run in shown.items()),
            *(Route(path, _changing(run), methods=["POST"]) for path, run in changing.items()),
            Route("/static/report.css", lambda _request: Response(stylesheet(), media_type="text/css")),
            Mount("/static", StaticFiles(directory=_STATIC)),
        ]

    def _page(self, template: str, at: str, *, status_code: int = 200, **values: Any) -> HTMLResponse:
        text = self._project.plan_text()
        return page(
            template,
            status_code=status_code,
            at=at,
            project=self._project,
            steps=steps(self._project, self._jobs, self._planned_bundle()),
            running=self._jobs.running(),
            digest=digest(text or ""),
            token_header={PAGE_TOKEN_HEADER: self._secrets.page},
            **values,
        )

    def _shown(self, run: Callable[[Request], Response]) -> Callable[[Request], Awaitable[Response]]:
        """A page; or, instead of it, why there is none."""

        async def respond(request: Request) -> Response:
            try:
                return await run_in_threadpool(run, request)
            except SynthReleaseError as error:
                if "hx-request" in request.headers:
                    return problem(error)
                return self._page("no_page.html", request.url.path, status_code=422, error=error)

        return respond

    def _home(self, _request: Request) -> Response:
        ways = steps(self._project, self._jobs, self._planned_bundle())
        next_step = next((step for step in ways if step.is_open and not step.is_done), ways[0])
        return RedirectResponse(next_step.path, status_code=303)

    def _data(self, request: Request) -> Response:
        text = self._project.plan_text()
        if text is None:
            chosen = request.query_params.get("path", "")
            found = candidates_in(self._project.inside(chosen)) if chosen else None
            files = [self._project.name(path) for path in self._project.files(*_DATA_ENDINGS)]
            folders = sorted(
                {"/".join(name.split("/")[:n]) for name in files for n in range(1, len(name.split("/")))}
            )
            return self._page(
                "choose.html", "/data", files=files, folders=folders, chosen=chosen, candidates=found
            )
        return self._page("questions.html", "/data", questions=questions(text), plan_text=text)

    def _propose(self, _request: Request, form: Sent) -> Response:
        from synthrelease.api import propose  # noqa: PLC0415  slow to import

        data = self._project.inside(one(form, "path"))
        person = one(form, "person")
        proposal = propose(data, person=[person] if person else [], plan=self._project.plan)
        write_atomically(self._project.plan, proposal.text.encode("utf-8"), force=False)
        return go_to("/data")

    def _answer(self, _request: Request, form: Sent) -> Response:
        changes: dict[tuple[str | int, ...], Any] = {}
        for question in questions(self._project.plan_text() or ""):
            field, sent = question.field, form.get(question.field.name)
            if sent is None:
                continue
            if question.offered:
                value = list(question.offered) if sent == ["confirmed"] else None
            else:
                value = parsed(field, sent)
            if value is not None:
                changes[field.place] = value
        edit(self._project, one(form, "digest"), changes)
        return go_to("/data")

    def _release(self, _request: Request) -> Response:
        view = self._budgets.at()
        document = tomllib.loads(self._project.plan_text() or "")
        cards = [
            {
                "number": number,
                "output": output,
                "kind": kinds()[output["kind"]],
                "row": None if view.preview is None else view.preview["outputs"][number],
                "bars": view.bars.get(output["name"], ()),
                "fields": self._fields(document, number),
            }
            for number, output in enumerate(document["outputs"])
        ]
        offered = [
            {"kind": kind, "inputs": inputs}
            for kind in kinds().values()
            if (
                inputs := [
                    name for name, body in document["inputs"].items() if body["kind"] in kind.input_kinds
                ]
            )
        ]
        return self._page("release.html", "/release", cards=cards, offered=offered, view=view)

    @staticmethod
    def _fields(document: dict[str, Any], number: int) -> list[Field]:
        output = document["outputs"][number]
        return [
            field_at(("outputs", number, key), document, output.get(key))
            for key in output_keys(output["kind"])
        ]

    def _add_output(self, _request: Request, form: Sent) -> Response:
        kind, source, name = (one(form, key).strip() for key in ("kind", "input", "name"))
        required = {
            key: parsed(field, form.get(key, [""]))
            for key in output_keys(kind)
            if (field := field_at(("outputs", 0, key), {"outputs": [{"kind": kind}]})).is_required
        }
        output = {
            "name": name,
            "kind": kind,
            "input": source,
            **{k: v for k, v in required.items() if v is not None},
        }
        add_output(self._project, one(form, "digest"), output)
        return go_to("/release")

    def _remove_output(self, _request: Request, form: Sent) -> Response:
        remove_output(self._project, one(form, "digest"), int(one(form, "number")))
        return go_to("/release")

    def _change_output(self, _request: Request, form: Sent) -> Response:
        document = tomllib.loads(self._project.plan_text() or "")
        fields = self._fields(document, int(one(form, "number")))
        changes = {field.place: parsed(field, form[field.name]) for field in fields if field.name in form}
        edit(self._project, one(form, "digest"), changes)
        return go_to("/release")

    def _budget(self, _request: Request) -> Response:
        view = self._budgets.at()
        return self._page(
            "budget.html", "/budget", view=view, position=nearest_position(view.epsilon), last=STEPS - 1
        )

    def _budget_view(self, request: Request) -> Response:
        view = self._budgets.at(POSITIONS[int(request.query_params["position"])])
        return page("budget_view.html", view=view)

    def _set_budget(self, _request: Request, form: Sent) -> Response:
        typed = one(form, "epsilon")
        field = Field(("privacy", "epsilon"), "", Form.NUMBER)
        epsilon = parsed(field, [typed]) if typed else POSITIONS[int(one(form, "position"))]
        document = tomllib.loads(self._project.plan_text() or "")
        edit(self._project, one(form, "digest"), scaled_epsilons(document, epsilon))
        return go_to("/budget")

    def _check(self, _request: Request) -> Response:
        return self._page(
            "check.html", "/check", job=self._jobs.job(CHECK), command=command(CHECK, self._project, {})
        )

    def _build(self, _request: Request) -> Response:
        plan = load_plan(self._project.plan)
        return self._page(
            "build.html",
            "/build",
            job=self._jobs.job(BUILD),
            command=command(BUILD, self._project, {}),
            view=self._budgets.at(),
            charges=plan.ledger is not None,
            exists=(self._project.folder / self._planned_bundle()).is_file(),
            bundle=self._planned_bundle(),
        )

    def _bundles(self, _request: Request) -> Response:
        names = [self._project.name(path) for path in self._project.files(BUNDLE_ENDING)]
        return self._page("bundles.html", "/bundles", bundles=names)

    def _bundle(self, request: Request) -> Response:
        bundle = self._named(request)
        of_plan = self._planned_bundle()
        jobs = {
            name: job
            for name in (*OF_BUNDLES, EVALUATE)
            if (job := self._jobs.job(name)) and bundle in job.command
        }
        return self._page(
            "bundle.html",
            f"/bundle?path={quote(bundle)}",
            bundle=bundle,
            is_of_plan=bundle == of_plan,
            others=[
                name
                for path in self._project.files(BUNDLE_ENDING)
                if (name := self._project.name(path)) != bundle
            ],
            keys=[self._project.name(path) for path in self._project.files(*_KEY_ENDINGS)],
            forms={name: form.description for name, form in FORMATS.items()},
            jobs=jobs,
            has_evaluation=(self._project.folder / PRIVATE_PAGE).is_file(),
            has_report=(self._project.folder / report_of(bundle)).is_file(),
        )

    def _named(self, request: Request) -> str:
        return bundle_of(self._project, {"bundle": [request.query_params.get("path", "")]})

    def _planned_bundle(self) -> str:
        """The name of the bundle that the plan makes; "" without a plan."""
        try:
            release = load_plan(self._project.plan).release
        except SynthReleaseError:
            return ""
        return f"{release['name']}-{release['version']}{BUNDLE_ENDING}"

    def _start(self, _request: Request, form: Sent) -> Response:
        name = one(form, "name")
        here = command(name, self._project, form)
        self._jobs.start(name, here, plan=digest(self._project.plan_text() or ""))
        return go_to(
            {CHECK: "/check", BUILD: "/build"}.get(name, f"/bundle?path={quote(one(form, 'bundle'))}")
        )

    def _cancel(self, _request: Request, _form: Sent) -> Response:
        self._jobs.cancel()
        return Response(status_code=204)

    def _job(self, request: Request) -> Response:
        name = request.path_params["name"]
        job = self._jobs.job(name) if name in COMMANDS else None
        if job is None or not job.is_running:
            return Response(status_code=204, headers={"HX-Refresh": "true"})
        return page("job.html", job=job)

    def _public_report(self, request: Request) -> Response:
        return _whole_page(self._project.folder / report_of(self._named(request)))

    def _private_evaluation(self, _request: Request) -> Response:
        return _whole_page(self._project.folder / PRIVATE_PAGE)

    def _state(self, request: Request) -> Response:
        seen = request.query_params.get("digest", "")
        is_same = digest(self._project.plan_text() or "") == seen
        return Response(status_code=204) if is_same else page("changed.html")


def _whole_page(path: Path) -> Response:
    """A page of its own policy, which can reach nothing of this one."""
    if not path.is_file():
        return Response(status_code=404)
    headers = {"content-security-policy": "sandbox allow-scripts; frame-ancestors 'none'"}
    return FileResponse(path, media_type="text/html", headers=headers)


def _changing(run: Callable[[Request, Sent], Response]) -> Callable[[Request], Awaitable[Response]]:
    async def respond(request: Request) -> Response:
        try:
            return await run_in_threadpool(run, request, await form_of(request))
        except SynthReleaseError as error:
            return problem(error)

    return respond
