"""The steps from data to a release, and how far a project is: read from its plan and from what commands printed."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass

from synthrelease.plan.settings_file import FILL_IN
from synthrelease.studio.jobs import Jobs
from synthrelease.studio.project import Project, digest

CHECK, BUILD = "check", "build"


@dataclass(frozen=True)
class Step:
    """A page of the way."""

    path: str
    title: str
    is_done: bool = False
    is_open: bool = False  # whether it can be taken


def steps(project: Project, jobs: Jobs) -> list[Step]:
    """Return the steps in their order."""
    text = project.plan_text()
    is_filled_in = text is not None and FILL_IN not in _values(text)
    ends = {name: jobs.job(name) for name in (CHECK, BUILD)}
    here = digest(text or "")
    done = {name: job is not None and job.is_done_for(here) for name, job in ends.items()}
    return [
        Step("/data", "Data", is_filled_in, is_open=True),
        Step("/release", "Release", is_filled_in, is_filled_in),
        Step("/budget", "Budget", is_filled_in, is_filled_in),
        Step("/check", "Check", done[CHECK], is_filled_in),
        Step("/build", "Build", done[BUILD], is_filled_in),
        Step("/result", "Result", is_done=False, is_open=done[BUILD]),
    ]


def _values(text: str) -> str:
    """All values of a plan as one text, without comments."""
    try:
        return str(tomllib.loads(text))
    except tomllib.TOMLDecodeError:
        return ""
