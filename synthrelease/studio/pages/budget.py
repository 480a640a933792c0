"""Budget: a slider, how ε is divided, and what to expect of each output."""

from __future__ import annotations

from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from synthrelease.studio import fields
from synthrelease.studio.budget import POSITIONS, STEPS, Shares, changes, nearest_position
from synthrelease.studio.context import Changing, Shown, Studio
from synthrelease.studio.fields import Field, parsed
from synthrelease.studio.plan_edits import edit
from synthrelease.studio.rendering import Form, go_to, one, page, place_in

_WHOLE, _DIGITS = 100.0, 6  # percent; of a share
_SHARE = "share "  # before the name of an output, in a form


class _Part(NamedTuple):
    """How an output takes part in ε."""

    output: str
    share_percent: float | None  # as the plan says
    epsilon: float | None  # of its own, as the plan says


def _budget(studio: Studio, _request: Request) -> Response:
    view = studio.budgets.at()
    return studio.page(
        "budget.html",
        "/budget",
        view=view,
        position=nearest_position(view.epsilon),
        last=STEPS - 1,
        parts=_parts(studio),
        share=_SHARE,
    )


def _parts(studio: Studio) -> list[_Part]:
    """Outputs that add noise."""
    plan = studio.project.load_plan()
    view = studio.budgets.at()
    rows = view.preview["outputs"] if view.preview else ()
    free = {row["name"] for row in rows if row["epsilon"] is None}
    return [
        _Part(
            spec.name,
            None if (share := spec.options.get("share")) is None else _WHOLE * share,
            spec.options.get("epsilon"),
        )
        for spec in plan.outputs
        if spec.name not in free
    ]


def _budget_view(studio: Studio, request: Request) -> Response:
    sent = {name: request.query_params.getlist(name) for name in request.query_params}
    return page("budget_view.html", view=studio.budgets.at(_epsilon(sent), _shares(sent)))


def _epsilon(sent: Form) -> float:
    """What is typed, or else where the slider is."""
    if one(sent, "epsilon").strip():
        return _number(sent, "epsilon")
    return POSITIONS[place_in(STEPS, one(sent, "position"))]


def _shares(sent: Form) -> Shares:
    shares = {name for name in sent if name.startswith(_SHARE)}
    return {
        name.removeprefix(_SHARE): round(_number(sent, name) / _WHOLE, _DIGITS)
        if one(sent, name).strip()
        else None
        for name in shares
    }


def _number(sent: Form, name: str) -> float:
    return float(parsed(Field((name,), "", fields.Form.NUMBER), [one(sent, name)]) or 0.0)


def _set_budget(studio: Studio, _request: Request, form: Form) -> Response:
    here = changes(studio.project.load_plan(), _epsilon(form), _shares(form))
    edit(studio.project, one(form, "digest"), here)
    return go_to("/budget")


def _at(position: str) -> float:
    return POSITIONS[place_in(STEPS, position)]


SHOWN: Shown = {"/budget": _budget, "/budget/view": _budget_view}
CHANGING: Changing = {"/budget": _set_budget}
