"""Budget: a slider, how ε is divided, and what to expect of each output."""

from __future__ import annotations

from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from synthrelease.errors import ArgumentError
from synthrelease.plan.plan import CheckedPlan
from synthrelease.studio import fields
from synthrelease.studio.budget import POSITIONS, STEPS, Shares, changes, nearest_position
from synthrelease.studio.context import Changing, Shown, Studio
from synthrelease.studio.fields import Field, parsed, schema_at
from synthrelease.studio.plan_edits import edit
from synthrelease.studio.rendering import Form, go_to, one, page, place_in

_WHOLE = 100.0  # percent
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
        is_written=True,
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
    plan = studio.project.load_plan()
    tried = _epsilon(sent, plan), _shares(sent)
    is_written = changes(plan, *tried) == changes(plan, plan.epsilon)
    return page("budget_view.html", view=studio.budgets.at(*tried), is_written=is_written)


def _epsilon(sent: Form, plan: CheckedPlan) -> float:
    """What is typed, or else where the slider is; where the plan's own ε put it, that."""
    if one(sent, "epsilon").strip():
        return _positive(sent, "epsilon", schema_at(("privacy", "epsilon"), {})["maximum"])
    position = place_in(STEPS, one(sent, "position"))
    return plan.epsilon if position == nearest_position(plan.epsilon) else POSITIONS[position]


def _shares(sent: Form) -> Shares:
    return {
        name.removeprefix(_SHARE): _positive(sent, name, _WHOLE) / _WHOLE if one(sent, name).strip() else None
        for name in sent
        if name.startswith(_SHARE)
    }


def _positive(sent: Form, name: str, most: float) -> float:
    number = float(parsed(Field((name,), "", fields.Form.NUMBER), [one(sent, name)]))
    if not 0 < number <= most:
        expected = f"a number above 0, and at most {most:g}"
        raise ArgumentError(
            "out-of-range", "this cannot be", where=name, expected=expected, remedy="correct it"
        )
    return number


def _set_budget(studio: Studio, _request: Request, form: Form) -> Response:
    plan = studio.project.load_plan()
    edit(studio.project, one(form, "digest"), changes(plan, _epsilon(form, plan), _shares(form)))
    return go_to("/budget")


SHOWN: Shown = {"/budget": _budget, "/budget/view": _budget_view}
CHANGING: Changing = {"/budget": _set_budget}
