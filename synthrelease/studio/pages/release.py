"""Release: the plan's outputs as cards."""

from __future__ import annotations

import tomllib
from functools import lru_cache
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from synthrelease.building.design import Design, make_design
from synthrelease.building.power import power_curves
from synthrelease.building.power_charts import HOW_TO_READ, power_chart
from synthrelease.errors import ArgumentError
from synthrelease.kinds.registry import kinds
from synthrelease.report.page import drawn
from synthrelease.studio.context import Changing, Shown, Studio
from synthrelease.studio.fields import Field, field_at, output_keys, parsed
from synthrelease.studio.plan_edits import add_output, edit, remove_output
from synthrelease.studio.project import Project
from synthrelease.studio.rendering import Form, go_to, one, page, place_in


def _release(studio: Studio, _request: Request) -> Response:
    view = studio.budgets.at()
    document = tomllib.loads(studio.project.toml_text())
    cards = [
        {
            "number": number,
            "output": output,
            "kind": kinds()[output["kind"]],
            "row": None if view.preview is None else view.preview["outputs"][number],
            "bars": view.bars.get(output["name"], ()),
            "fields": _fields(document, number),
        }
        for number, output in enumerate(document["outputs"])
    ]
    offered = [
        {"kind": kind, "inputs": inputs}
        for kind in kinds().values()
        if (inputs := [name for name, body in document["inputs"].items() if body["kind"] in kind.input_kinds])
    ]
    return studio.page("release.html", "/release", cards=cards, offered=offered, view=view)


def _power(studio: Studio, request: Request) -> Response:
    """The accuracy of one output against participants."""
    design = _design(studio.project, studio.plan_digest())
    outputs = {output.name: output for output in design.outputs}
    name = request.query_params.get("output", "")
    if name not in outputs:
        raise ArgumentError("unknown-output", "the plan has no such output", remedy="load the page again")
    curves = power_curves(design, outputs[name])
    charts = [drawn("charts.html", "chart", power_chart(curve)) for curve in curves]
    return page("power.html", charts=charts, how_to_read=HOW_TO_READ)


@lru_cache(maxsize=1)
def _design(project: Project, _digest: str) -> Design:
    """The plan's; labels of the data are read once for each text of the plan."""
    return make_design(project.load_plan())


def _fields(document: dict[str, Any], number: int) -> list[Field]:
    output = document["outputs"][number]
    return [
        field_at(("outputs", number, key), document, output.get(key)) for key in output_keys(output["kind"])
    ]


def _add_output(studio: Studio, _request: Request, form: Form) -> Response:
    kind, source, name = (one(form, key).strip() for key in ("kind", "input", "name"))
    if kind not in kinds():
        raise ArgumentError("unknown-kind", "there is no such kind of output", remedy="load the page again")
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
    add_output(studio.project, one(form, "digest"), output)
    return go_to("/release")


def _remove_output(studio: Studio, _request: Request, form: Form) -> Response:
    remove_output(studio.project, one(form, "digest"), _number(studio, form))
    return go_to("/release")


def _change_output(studio: Studio, _request: Request, form: Form) -> Response:
    document = tomllib.loads(studio.project.toml_text())
    fields = _fields(document, _number(studio, form))
    changes = {field.place: parsed(field, form[field.name]) for field in fields if field.name in form}
    edit(studio.project, one(form, "digest"), changes)
    return go_to("/release")


def _number(studio: Studio, form: Form) -> int:
    """Which output of the plan, which need not be valid yet."""
    return place_in(len(tomllib.loads(studio.project.toml_text()).get("outputs", ())), one(form, "number"))


SHOWN: Shown = {"/release": _release, "/release/power": _power}
CHANGING: Changing = {
    "/release/add": _add_output,
    "/release/remove": _remove_output,
    "/release/change": _change_output,
}
