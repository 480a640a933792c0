"""What every page needs: the project, its commands, its figures, and the frame around a page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from synthrelease.errors import SynthReleaseError
from synthrelease.plan.plan import load_plan
from synthrelease.studio.budget import Budgets
from synthrelease.studio.commands import BUNDLE_ENDING
from synthrelease.studio.guard import PAGE_TOKEN_HEADER, Secrets
from synthrelease.studio.jobs import Jobs
from synthrelease.studio.project import Project, digest
from synthrelease.studio.rendering import Form, page
from synthrelease.studio.steps import steps


@dataclass(frozen=True)
class Studio:
    """A project that is open in a browser."""

    project: Project
    secrets: Secrets
    jobs: Jobs = field(init=False)
    budgets: Budgets = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "jobs", Jobs(self.project.folder, self.project.state))
        object.__setattr__(self, "budgets", Budgets(self.project))

    def page(self, template: str, at: str, *, status_code: int = 200, **values: Any) -> HTMLResponse:
        """Return a whole page.

        Args:
            template: of its content.
            at: its path.
            status_code: of the answer.
            values: of the template.
        """
        return page(
            template,
            status_code=status_code,
            at=at,
            project=self.project,
            steps=steps(self.project, self.jobs, self.planned_bundle()),
            running=self.jobs.running(),
            digest=self.plan_digest(),
            token_header={PAGE_TOKEN_HEADER: self.secrets.page},
            **values,
        )

    def plan_digest(self) -> str:
        """Return the digest of the plan as it is now; that of an empty text without one."""
        return digest(self.project.plan_text() or "")

    def planned_bundle(self) -> str:
        """Return the name of the bundle that the plan makes; "" without a plan."""
        try:
            release = load_plan(self.project.plan).release
        except SynthReleaseError:
            return ""
        return f"{release['name']}-{release['version']}{BUNDLE_ENDING}"


Shown = Mapping[str, Callable[[Studio, Request], Response]]  # pages by their paths
Changing = Mapping[str, Callable[[Studio, Request, Form], Response]]  # what forms change, by their paths
