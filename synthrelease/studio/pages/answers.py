"""Data, once there is a plan: what only the curator knows, and all that it says of the release and of its data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from synthrelease.errors import ArgumentError, SynthReleaseError
from synthrelease.studio.context import Changing, Shown, Studio
from synthrelease.studio.fields import Field, Place, changed, name_of, parsed, settings_of
from synthrelease.studio.plan_edits import edit, put_aside
from synthrelease.studio.questions import Question, questions
from synthrelease.studio.rendering import Form, go_to, one
from synthrelease.studio.seals import read_sealed

_ELSEWHERE = ("kind", "path", "unit", "epsilon")  # what has a page of its own, or only one value
_LEFT_OUT = "left out"
DOUBTS = "doubts"  # file of what to mind in the data that were proposed last; private


def answers(studio: Studio, text: str) -> Response:
    """Return the page of a plan's questions and settings."""
    problem = None
    try:
        studio.project.load_plan()
    except SynthReleaseError as error:
        problem = error
    document = studio.document()
    asked = questions(text)
    parts = [
        {"title": title, "place": name_of(place), "fields": _settings(place, document, asked)}
        for place, title in _parts(document).items()
    ]
    return studio.page(
        "questions.html",
        "/data",
        questions=asked,
        parts=parts,
        problem=None if asked else problem,
        doubts=_doubts(studio),
        plan_text=text,
    )


def _doubts(studio: Studio) -> list[str]:
    return (read_sealed(studio.jobs.file(DOUBTS)) or "").splitlines()


def _parts(document: Mapping[str, Any]) -> dict[Place, str]:
    inputs = document.get("inputs")
    names = inputs if isinstance(inputs, Mapping) else ()
    return {
        ("release",): "The release: name, version, licence",
        ("privacy",): "The guarantee: neighbours, δ, ledger",
        **{("inputs", name): f"The data {name}: columns, units, what is public" for name in names},
    }


def _settings(place: Place, document: Mapping[str, Any], asked: list[Question]) -> list[Field]:
    """The fields of a part of the plan, without those that are asked anyway."""
    open_places = [question.field.place for question in asked]
    return [
        field
        for field in settings_of(place, document, without=_ELSEWHERE)
        if not any(other[: len(field.place)] == field.place for other in open_places)
    ]


def _answer(studio: Studio, _request: Request, form: Form) -> Response:
    changes: dict[Place, Any] = {}
    for question in questions(studio.project.toml_text()):
        field, sent = question.field, form.get(question.field.name)
        if sent is None:
            continue
        if not question.offered:
            value = parsed(field, sent)
        elif sent == [_LEFT_OUT]:
            changes[field.place] = None
            continue
        else:
            value = list(question.offered) if sent == ["confirmed"] else None
        if value is not None:
            changes[field.place] = value
    edit(studio.project, one(form, "digest"), changes)
    return go_to("/data")


def _set(studio: Studio, _request: Request, form: Form) -> Response:
    document = studio.document()
    place = next((place for place in _parts(document) if name_of(place) == one(form, "place")), None)
    if place is None:
        raise ArgumentError(
            "not-in-the-plan",
            "the plan has no such part",
            remedy="load this page again, and repeat your change",
        )
    edit(studio.project, one(form, "digest"), changed(settings_of(place, document, without=_ELSEWHERE), form))
    return go_to("/data")


def _put_aside(studio: Studio, _request: Request, form: Form) -> Response:
    put_aside(studio.project, one(form, "digest"))
    return go_to("/data")


SHOWN: Shown = {}  # under the path of `data`
CHANGING: Changing = {"/data/answers": _answer, "/data/settings": _set, "/data/put-aside": _put_aside}
