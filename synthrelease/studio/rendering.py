"""Pages from templates, with the command that does the same below each."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, Response

from synthrelease import __version__
from synthrelease.errors import ArgumentError, SynthReleaseError
from synthrelease.number_words import percent, several, short
from synthrelease.report.page import FILTERS
from synthrelease.studio.commands import AS_JSON
from synthrelease.studio.remedies import in_the_studio

if TYPE_CHECKING:
    from jinja2 import Environment

_MOST_FORM_BYTES = 1 << 20
_TIMES_AS_EXACT = 3  # significant digits of figures
Form = Mapping[str, list[str]]


def page(template: str, *, status_code: int = 200, **values: Any) -> HTMLResponse:
    """Return a page, or a part of one."""
    text = _environment().get_template(template).render(**values, version=__version__)
    return HTMLResponse(text, status_code)


def problem(error: SynthReleaseError) -> HTMLResponse:
    """Return a message of ours as part of a page."""
    return page("problem.html", status_code=422, error=error)


def whole_page(path: Path) -> Response:
    """Return a page that a command wrote, under a policy of its own, with which it can reach nothing of the studio."""
    if not path.is_file():
        return Response(status_code=404)
    headers = {"content-security-policy": "sandbox allow-scripts; frame-ancestors 'none'"}
    return FileResponse(path, media_type="text/html", headers=headers)


def go_to(path: str) -> Response:
    """Send the browser to another page, after a form."""
    return Response(status_code=204, headers={"HX-Redirect": path})


async def form_of(request: Request) -> Form:
    """Return what a form sends.

    Raises:
        ArgumentError: it is too long, or not text.
    """
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > _MOST_FORM_BYTES:
            raise ArgumentError(
                "form-too-long",
                "this is too much text for a form",
                expected=f"at most {_MOST_FORM_BYTES:,} bytes",
                remedy="write it into the plan with an editor",
            )
    try:
        return parse_qs(body.decode("utf-8"), keep_blank_values=True, strict_parsing=bool(body))
    except ValueError:
        raise ArgumentError("not-a-form", "this is no form", remedy="load the page again") from None


def one(form: Form, name: str) -> str:
    """Return the only value of a name; "" without one."""
    return form.get(name, [""])[0]


def shown_command(*arguments: object) -> str:
    """Return a command as it is typed in a terminal: for a person, without `--json`."""
    return shlex.join(["synthrelease", *(str(word) for word in arguments if word != AS_JSON)])


@cache
def _environment() -> Environment:
    from jinja2 import ChoiceLoader, Environment, PackageLoader, PrefixLoader, StrictUndefined  # noqa: PLC0415  where a page is made

    reports = PrefixLoader({"report": PackageLoader("synthrelease.report")})
    environment = Environment(
        loader=ChoiceLoader([PackageLoader("synthrelease.studio"), reports]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        **FILTERS,
        "short": lambda number: short(number, _TIMES_AS_EXACT),
        "percent": percent,
        "in_the_studio": in_the_studio,
    }
    environment.globals |= {"several": several, "shown_command": shown_command}
    return environment
