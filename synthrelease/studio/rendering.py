"""Pages from templates, with the command that does the same below each."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from synthrelease import __version__
from synthrelease.errors import ArgumentError, SynthReleaseError
from synthrelease.number_words import percent, several, short

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
    """Return a command as it is typed in a terminal."""
    return shlex.join(["synthrelease", *map(str, arguments)])


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined  # noqa: PLC0415  where a page is made

    environment = Environment(
        loader=PackageLoader("synthrelease.studio", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"short": lambda number: short(number, _TIMES_AS_EXACT), "percent": percent}
    environment.globals |= {"several": several, "shown_command": shown_command}
    return environment
