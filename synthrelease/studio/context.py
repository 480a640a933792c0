"""What every page needs: the project, its commands, its figures, and the frame around a page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from synthrelease.building.targets import default_name
from synthrelease.errors import SynthReleaseError
from synthrelease.files.toml_reading import toml_tables
from synthrelease.plan.plan import CheckedPlan
from synthrelease.studio.budget import Budgets, View
from synthrelease.studio.guard import PAGE_TOKEN_HEADER, Secrets
from synthrelease.studio.jobs import Jobs
from synthrelease.studio.project import Project
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
        plan = self.plan()
        return page(
            template,
            status_code=status_code,
            at=at,
            project=self.project,
            steps=steps(self.project, self.jobs, plan),
            has_ledger=plan is not None and plan.ledger is not None,
            running=self.jobs.running(),
            token_header={PAGE_TOKEN_HEADER: self.secrets.page},
            **{"digest": self.project.digest(), **values},
        )

    def document(self) -> dict[str, Any]:
        """Return the plan as it stands there, without defaults; PlanError if it is not TOML."""
        return toml_tables(self.project.toml_text())

    def view(self) -> View:
        """Return the plan's figures; or why there are none, where a page has other things to show, too."""
        try:
            return self.budgets.at()
        except SynthReleaseError as error:
            return View(0.0, problem=error)

    def planned_bundle(self) -> str:
        """Return the name of the bundle that the plan makes; "" without a plan."""
        plan = self.plan()
        return "" if plan is None else default_name(plan)

    def plan(self) -> CheckedPlan | None:
        """Return the plan; None if it cannot be used."""
        self.project.plan_text()  # which follows no link out of the folder
        try:
            return self.project.load_plan()
        except SynthReleaseError:
            return None


Shown = Mapping[str, Callable[[Studio, Request], Response]]  # pages by their paths
Changing = Mapping[str, Callable[[Studio, Request, Form], Response]]  # what forms change, by their paths
