"""Budget: a slider, and what to expect at each of its positions."""

from __future__ import annotations

import tomllib

from starlette.requests import Request
from starlette.responses import Response

from synthrelease.studio import fields
from synthrelease.studio.budget import POSITIONS, STEPS, nearest_position, scaled_epsilons
from synthrelease.studio.context import Changing, Shown, Studio
from synthrelease.studio.fields import Field, parsed
from synthrelease.studio.plan_edits import edit
from synthrelease.studio.rendering import Form, go_to, one, page


def _budget(studio: Studio, _request: Request) -> Response:
    view = studio.budgets.at()
    return studio.page(
        "budget.html", "/budget", view=view, position=nearest_position(view.epsilon), last=STEPS - 1
    )


def _budget_view(studio: Studio, request: Request) -> Response:
    view = studio.budgets.at(POSITIONS[int(request.query_params["position"])])
    return page("budget_view.html", view=view)


def _set_budget(studio: Studio, _request: Request, form: Form) -> Response:
    typed = one(form, "epsilon")
    field = Field(("privacy", "epsilon"), "", fields.Form.NUMBER)
    epsilon = parsed(field, [typed]) if typed else POSITIONS[int(one(form, "position"))]
    document = tomllib.loads(studio.project.plan_text() or "")
    edit(studio.project, one(form, "digest"), scaled_epsilons(document, epsilon))
    return go_to("/budget")


SHOWN: Shown = {"/budget": _budget, "/budget/view": _budget_view}
CHANGING: Changing = {"/budget": _set_budget}
