"""The steps from data to a release, and how far a project is: read from its plan and from what commands printed."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from urllib.parse import quote

from synthrelease.building.targets import default_name
from synthrelease.files.toml_reading import toml_tables
from synthrelease.plan.plan import CheckedPlan
from synthrelease.plan.settings_file import FILL_IN
from synthrelease.studio.commands import BUILD, CHECK
from synthrelease.studio.jobs import Jobs
from synthrelease.studio.project import Project


@dataclass(frozen=True)
class Step:
    """A page of the way."""

    path: str
    title: str
    is_done: bool = False
    is_open: bool = False  # whether it can be taken


def steps(project: Project, jobs: Jobs, plan: CheckedPlan | None) -> list[Step]:
    """Return the steps in their order.

    Args:
        project: whose.
        jobs: its commands.
        plan: its; None if it cannot be used.
    """
    text = project.plan_text()
    is_filled_in = text is not None and FILL_IN not in _values(text)
    ends = {name: jobs.job(name) for name in (CHECK, BUILD)}
    here, bundle = project.fingerprint(plan), "" if plan is None else default_name(plan)
    done = {name: job is not None and job.is_done_for(here) for name, job in ends.items()}
    return [
        Step("/data", "Data", is_filled_in, is_open=True),
        Step("/release", "Release", done[CHECK], is_filled_in),  # a choice is made once it was tried out
        Step("/budget", "Budget", done[CHECK], is_filled_in),
        Step("/check", "Check", done[CHECK], is_filled_in),
        Step("/build", "Build", done[BUILD], is_filled_in),
        Step(
            f"/bundle?path={quote(bundle)}",
            "Result",
            is_open=done[BUILD] and (project.folder / bundle).is_file(),
        ),
    ]


def _values(text: str) -> str:
    """All values of a plan as one text, without comments."""
    try:
        return str(toml_tables(text))
    except (tomllib.TOMLDecodeError, RecursionError):
        return ""
