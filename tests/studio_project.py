"""A small project, and requests to its studio: as ASGI calls, without a network."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np
import polars as pl
from click.testing import CliRunner

from synthrelease import __version__
from synthrelease.building.targets import default_name
from synthrelease.cli import main
from synthrelease.errors import SynthReleaseError
from synthrelease.plan.plan import load_plan
from synthrelease.studio.application import application
from synthrelease.studio.guard import COOKIE, PAGE_TOKEN_HEADER, Guard, Secrets
from synthrelease.studio.jobs import Jobs
from synthrelease.studio.project import Project
from synthrelease.studio.run_job import note_end

HOST = "127.0.0.1:8765"
PLAN = """# the plan of a test
[release]
name = "small"
version = "1.0.0"
title = "Small"

[privacy]
epsilon = 2.0  # chosen by hand
delta = 1e-6

[inputs.gaze]
kind = "gaze"
path = "gaze.csv"
columns = { person = "who", stimulus = "image", x = "x", y = "y" }
screen = { width_px = 800, height_px = 600 }
stimuli = ["sky", "sea"]

[[outputs]]
name = "maps"
kind = "heatmap"
input = "gaze"
"""

PAID_PLAN = PLAN.replace("delta = 1e-6", 'delta = 1e-6\nledger = "ledger.sqlite"\ndataset = "study"')


def write_gaze(folder: Path, *, people: int = 30) -> Path:
    """Write a table of gaze: 30 people, each with two sessions, on two stimuli."""
    random = np.random.default_rng(1)
    rows = 8 * people
    person = np.repeat(np.arange(people), 8)
    frame = pl.DataFrame(
        {
            "who": [f"P{n:02}" for n in person],
            "session": [f"P{n:02}-s{k}" for n, k in zip(person, np.arange(rows) % 8 // 4, strict=True)],
            "image": np.where(np.arange(rows) % 2 == 0, "sky", "sea"),
            "x": np.round(random.uniform(0, 799, rows), 1),
            "y": np.round(random.uniform(0, 599, rows), 1),
        }
    )
    frame.write_csv(folder / "gaze.csv")
    return folder / "gaze.csv"


def project(folder: Path, plan: str | None = PLAN) -> Project:
    """Return a project with data and, unless there is none, a plan."""
    write_gaze(folder)
    if plan is not None:
        (folder / "plan.toml").write_text(plan)
    return Project(folder.resolve())


def finished(project: Project, name: str, *command: str) -> dict[str, Any]:
    """Run a command as the studio does, in this process, leave what the studio finds of it, and return its JSON."""
    with contextlib.chdir(project.folder):
        done = CliRunner().invoke(main, [*command, "--json"])
    noted(project, name, *command, printed=done.stdout, errors=done.stderr, code=done.exit_code)
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def noted(
    project: Project,
    name: str,
    *command: str,
    printed: str,
    errors: str = "",
    code: int | None = 0,
    version: str = __version__,
) -> None:
    """Leave what the studio finds of a command that has ended; without a code, one that was killed."""
    jobs = Jobs(project.folder, project.state)
    jobs.make_folder()
    about = [word for word in command if word.endswith((".h5", ".html"))]
    told = {"id": "0", "about": [default_name(load_plan(project.plan))] if name == "build" else about}
    job: dict[str, Any] = {
        "plan": "",
        **told,
        "name": name,
        "command": [*command, "--json"],
        "process": 2,
        "version": version,
    }
    with contextlib.suppress(SynthReleaseError):
        job["plan"] = project.fingerprint(project.load_plan())
    jobs._write(f"{name}.json", {**job, "before": {file: jobs.digest_of(file) for file in told["about"]}})
    for ending, text in {"out": printed, "err": errors}.items():
        (project.state / f"{name}.{ending}").write_text(text)
    if code is not None:
        note_end(project.state, name, told, code)


@dataclass
class Answer:
    """What came back."""

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    text: str = ""


@dataclass
class Browser:
    """Asks as a browser would that is let in."""

    project: Project
    secrets: Secrets = field(default_factory=Secrets)

    def __post_init__(self) -> None:
        self._app = Guard(application(self.project, self.secrets), frozenset({HOST}), self.secrets)

    def ask(
        self,
        path: str,
        *,
        method: str = "GET",
        form: Mapping[str, Any] | None = None,
        body: bytes | None = None,
        host: str | None = HOST,
        cookie: str | None = "",
        token: str | None = "",
        more: Sequence[tuple[str, str]] = (),
    ) -> Answer:
        """Ask; what is "" is right, what is None is not sent."""
        headers = [*more]
        if host is not None:
            headers.append(("host", host))
        if cookie is not None:
            headers.append(("cookie", f"{COOKIE}={cookie or self.secrets.session}"))
        if token is not None:
            headers.append((PAGE_TOKEN_HEADER, token or self.secrets.page))
        path, _, query = path.partition("?")
        scope = {
            "type": "http",
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "root_path": "",
            "query_string": query.encode(),
            "headers": [(name.encode(), value.encode()) for name, value in headers],
            "server": ("127.0.0.1", 8765),
            "client": ("127.0.0.1", 1),
        }
        sent = urlencode(form, doseq=True).encode() if form is not None else body or b""
        return asyncio.run(_asked(self._app, scope, sent))

    def change(self, path: str, /, **form: Any) -> Answer:
        """Send a form of a page that shows the plan as it is."""
        return self.ask(path, method="POST", form={"digest": self.project.digest(), **form})


async def _asked(app: Any, scope: dict[str, Any], body: bytes) -> Answer:
    answer, parts = Answer(), []

    requests = iter([{"type": "http.request", "body": body, "more_body": False}])

    async def receive() -> dict[str, Any]:
        request = next(requests, None)
        if request is None:
            await asyncio.Event().wait()  # the browser stays
        assert request is not None
        return request

    async def send(message: Mapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            answer.status = message["status"]
            answer.headers = {name.decode(): value.decode() for name, value in message["headers"]}
        else:
            parts.append(message.get("body", b""))

    try:
        await app(scope, receive, send)
    except Exception:
        if answer.status != 500:  # what the page says of it; the server writes the rest into its terminal
            raise
    answer.text = b"".join(parts).decode("utf-8", "replace")
    return answer


def name_of(*place: str | int) -> str:
    """Return the name of a field in a form."""
    return json.dumps(place)
