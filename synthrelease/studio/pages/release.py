"""Release: the plan's outputs as cards."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from synthrelease.building.design import Design, make_design
from synthrelease.building.power import power_curves
from synthrelease.building.power_charts import HOW_TO_READ, power_chart
from synthrelease.errors import ArgumentError
from synthrelease.kinds.registry import kinds
from synthrelease.reports.page import drawn
from synthrelease.studio.budget import View
from synthrelease.studio.context import Changing, Shown, Studio
from synthrelease.studio.fields import Field, changed, settings_of
from synthrelease.studio.plan_edits import add_output, edit, remove_output
from synthrelease.studio.project import Project
from synthrelease.studio.rendering import Form, go_to, one, page, place_in

_GIVEN = ("kind", "input", "name")  # of every output
_OF_OUTPUTS = 3  # keys of their own: the group, the number, the key


def _release(studio: Studio, request: Request) -> Response:
    """The page; what is expected of outputs comes later if it is not known yet, which the page then asks for."""
    is_asked, is_usable = "hx-request" in request.headers, studio.planned_bundle() != ""
    is_later = is_usable and not is_asked and not studio.budgets.is_known()
    document = studio.document()
    view = View(0.0) if is_later else studio.view()  # what is wrong may be mended here
    try:
        cards, offered = _cards(document, view), _offered(document)
    except (KeyError, TypeError, AttributeError):  # by hand, it may be anything
        if view.problem is None:
            raise
        raise view.problem from None
    return studio.page("release.html", "/release", cards=cards, offered=offered, view=view, is_later=is_later)


def _cards(document: dict[str, Any], view: View) -> list[dict[str, Any]]:
    return [
        {
            "number": number,
            "output": output,
            "kind": kinds()[output["kind"]],
            "row": None if view.preview is None else view.preview["outputs"][number],
            "bars": view.bars.get(output["name"], ()),
            "fields": _fields(document, number),
        }
        for number, output in enumerate(document.get("outputs", ()))
    ]


def _offered(document: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"kind": kind, "inputs": inputs, "fields": _required(kind.name)}
        for kind in kinds().values()
        if (inputs := [name for name, body in document["inputs"].items() if body["kind"] in kind.input_kinds])
    ]


def _power(studio: Studio, request: Request) -> Response:
    """The accuracy of one output against participants."""
    project = studio.project
    design = _design(project, project.fingerprint(project.load_plan()))
    outputs = {output.name: output for output in design.outputs}
    name = request.query_params.get("output", "")
    if name not in outputs:
        raise ArgumentError("unknown-output", "the plan has no such output", remedy="load the page again")
    curves = power_curves(design, outputs[name])
    charts = [drawn("charts.html", "chart", power_chart(curve)) for curve in curves]
    return page("power.html", charts=charts, how_to_read=HOW_TO_READ)


@lru_cache(maxsize=1)
def _design(project: Project, _fingerprint: str) -> Design:
    """The plan's; labels of the data are read once for each fingerprint."""
    return make_design(project.load_plan())


def _fields(document: dict[str, Any], number: int) -> list[Field]:
    return settings_of(("outputs", number), document, without=("kind", "input"))


def _required(kind: str) -> list[Field]:
    """What an output of a kind cannot do without."""
    fields = settings_of(("outputs", 0), {"outputs": [{"kind": kind}]}, without=_GIVEN)
    return [field for field in fields if field.is_required and len(field.place) == _OF_OUTPUTS]


def _add_output(studio: Studio, _request: Request, form: Form) -> Response:
    kind, source, name = (one(form, key).strip() for key in _GIVEN)
    if kind not in kinds():
        raise ArgumentError("unknown-kind", "there is no such kind of output", remedy="load the page again")
    required = changed(_required(kind), form)
    output = {"name": name, "kind": kind, "input": source}
    output |= {str(place[-1]): value for place, value in required.items()}
    add_output(studio.project, one(form, "digest"), output)
    return go_to("/release")


def _remove_output(studio: Studio, _request: Request, form: Form) -> Response:
    remove_output(studio.project, one(form, "digest"), _number(studio, form))
    return go_to("/release")


def _change_output(studio: Studio, _request: Request, form: Form) -> Response:
    document = studio.document()
    fields = _fields(document, _number(studio, form))
    edit(studio.project, one(form, "digest"), changed(fields, form))
    return go_to("/release")


def _number(studio: Studio, form: Form) -> int:
    """Which output of the plan, which need not be valid yet."""
    return place_in(len(studio.document().get("outputs", ())), one(form, "number"))


SHOWN: Shown = {"/release": _release, "/release/power": _power}
CHANGING: Changing = {
    "/release/add": _add_output,
    "/release/remove": _remove_output,
    "/release/change": _change_output,
}
