"""Pages from templates, with the command that does the same below each."""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from synthrelease import __version__
from synthrelease.errors import ArgumentError, SynthReleaseError
from synthrelease.number_words import percent, several, short
from synthrelease.printable import harmless, printable
from synthrelease.reports.page import FILTERS, script
from synthrelease.studio.commands import AS_JSON, CONFIRMED
from synthrelease.studio.remedies import to_do

if TYPE_CHECKING:
    from jinja2 import Environment

_MOST_FORM_BYTES = 1 << 20
_MOST_DIGITS = 6  # of a place in a list
_FRAMED = "framed"  # in the query of a page that a command wrote: the page itself
_TIMES_AS_EXACT = 3  # significant digits of figures
Form = Mapping[str, list[str]]


def page(template: str, *, status_code: int = 200, **values: Any) -> HTMLResponse:
    """Return a page, or a part of one."""
    text = _environment().get_template(template).render(**values, version=__version__)
    return HTMLResponse(text, status_code)


def problem(error: SynthReleaseError, *, status_code: int = 422) -> HTMLResponse:
    """Return a message of ours as part of a page."""
    return page("problem.html", status_code=status_code, error=error)


def whole_page(path: Path, written: str | None, request: Request) -> Response:
    """Return a page that a command wrote: it can reach nothing of the studio and nothing elsewhere, and runs our own script alone, as it is of what others may have sent.

    It stands in a frame of a page of ours, as only that can keep it from sending the browser elsewhere (`<meta http-equiv="refresh">`).

    Args:
        path: of it.
        written: digest of what the command wrote; None if it did not, or another one is there.
        request: for it.
    """
    content = b"" if written is None else path.read_bytes()
    if hashlib.sha256(content).hexdigest() != written:
        return Response(status_code=404)
    common = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
    if _FRAMED in request.query_params:
        policy = f"{common}; sandbox allow-scripts; script-src '{script().hash}'; img-src data:; frame-ancestors 'self'"
        headers = {"content-security-policy": policy, "x-frame-options": "SAMEORIGIN"}
        return Response(content, media_type="text/html", headers=headers)
    framing = page("framed.html", name=path.name, query=request.url.query, framed=_FRAMED)
    framing.headers["content-security-policy"] = f"{common}; frame-src 'self'; frame-ancestors 'none'"
    return framing


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


def place_in(length: int, text: str) -> int:
    """Return a place in a list of a length, from 0; ArgumentError if the text is none."""
    if text.isascii() and text.isdecimal() and len(text) <= _MOST_DIGITS and int(text) < length:
        return int(text)
    raise ArgumentError("no-such-place", "there is no such entry", remedy="load the page again")


def shown_command(*arguments: object) -> str:
    """Return a command as it is typed in a terminal, on one line: for a person, without what only a program needs."""
    words = (str(word) for word in arguments if word != AS_JSON and not str(word).startswith(CONFIRMED))
    return printable(shlex.join(["synthrelease", *words]))


@cache
def _environment() -> Environment:
    from jinja2 import ChoiceLoader, Environment, PackageLoader, PrefixLoader, StrictUndefined  # noqa: PLC0415  where a page is made

    reports = PrefixLoader({"report": PackageLoader("synthrelease.reports")})
    environment = Environment(
        loader=ChoiceLoader([PackageLoader("synthrelease.studio"), reports]),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=harmless,  # but what a form sends back, which stays as it is: `| e`
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        **FILTERS,
        "short": lambda number: short(number, _TIMES_AS_EXACT),
        "percent": percent,
    }
    environment.globals |= {"several": several, "shown_command": shown_command, "to_do": to_do}
    return environment
