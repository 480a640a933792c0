"""Pages: one file without anything outside it, from templates whose every word of a bundle is untrusted.

`templates/base.html` are the bones of every page, `components.html` what cards are made of, `public.html` the public report,
`private.html` what only its curator may see.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple

from synthrelease.bundle.manifest import to_bytes
from synthrelease.printable import harmless
from synthrelease.reports.glossary import glossary

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

_BACKTICKS = re.compile("`([^`]+)`")
# What a program reads the same in JSON, and a browser no longer takes for the end of a script or the start of a comment.
_ESCAPED = {ord(c): f"\\u{ord(c):04x}" for c in "<>&\N{LINE SEPARATOR}\N{PARAGRAPH SEPARATOR}"}


def render(template: str, **values: Any) -> str:
    """Return a page.

    Args:
        template: its name, such as "public.html".
        values: what it is made of; all texts in them are escaped.
    """
    page = _environment().get_template(template)
    # Once without the glossary, to see which words there are to explain.
    values["script"] = script()
    words = visible_text(page.render(**values, glossary=()))
    return page.render(**values, glossary=glossary(words, attacks=template == "private.html")) + "\n"


def stylesheet() -> str:
    """Return the style of every page and of charts, for pages that stand in no file of their own."""
    templates = files("synthrelease.reports").joinpath("templates")
    return "".join(templates.joinpath(name).read_text("utf-8") for name in ("style.css", "charts.css"))


def drawn(template: str, macro: str, value: Any) -> Markup:
    """Return what a macro of a template draws of a value, for pages whose policy allows no `style`: there a script sets what `data-style` says."""
    from markupsafe import Markup  # noqa: PLC0415  with Jinja2, where a page is made

    drawing = getattr(_environment().get_template(template).module, macro)(value)
    # A quote in a text is escaped: what has one is an attribute of the template.
    return Markup(str(drawing).replace(' style="', ' data-style="'))  # noqa: S704  escaped before


def embedded(manifest: dict[str, Any]) -> Markup:
    """Return a manifest as JSON that can stand inside a script element, and that nothing in it can end."""
    from markupsafe import Markup  # noqa: PLC0415  with Jinja2, where a page is made

    return Markup(to_bytes(manifest).decode("utf-8").translate(_ESCAPED))  # noqa: S704  what could be markup is not left in it


def visible_text(page: str) -> str:
    """Return what a reader sees of a page, roughly: without scripts, what they add, styles and tags."""
    return re.sub(r"<[^>]*>", " ", re.sub(r"(?s)<(script|style|template)\b.*?</\1>", " ", page))


class Script(NamedTuple):
    """The one script of pages."""

    source: Markup  # as it stands in its element
    hash: Markup  # by which the policy of a page allows it, and nothing else


@cache
def script() -> Script:
    """Return the script of pages: without indentation and lines of comments, which only its readers in the repository need."""
    from jinja2.loaders import PackageLoader  # noqa: PLC0415  where a page is made
    from markupsafe import Markup  # noqa: PLC0415  with Jinja2, where a page is made

    text = PackageLoader("synthrelease.reports", "templates").get_source(_environment(), "answers.js")[0]
    lines = (line.strip() for line in text.splitlines())
    source = "\n".join(line for line in lines if line and not line.startswith("//"))
    digest = base64.b64encode(hashlib.sha256(source.encode("utf-8")).digest()).decode("ascii")
    return Script(Markup(source), Markup(f"sha256-{digest}"))  # noqa: S704  ours, and digits


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined  # noqa: PLC0415  where a page is made

    environment = Environment(
        loader=PackageLoader("synthrelease.reports", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=harmless,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= FILTERS
    return environment


def _code(sentence: str) -> Markup:
    """A sentence of ours, with what stands between backticks as code; all else in it is escaped."""
    from markupsafe import Markup, escape  # noqa: PLC0415  with Jinja2, where a page is made

    return Markup(_BACKTICKS.sub(r"<code>\1</code>", str(escape(harmless(sentence)))))  # noqa: S704  escaped before


def _data(values: Any) -> str:
    """A dataclass as JSON of ASCII characters, its texts as the page shows them."""

    def shown(value: Any) -> Any:
        match value:
            case dict():
                return {key: shown(one) for key, one in value.items()}
            case list() | tuple():
                return [shown(one) for one in value]
            case _:
                return harmless(value)

    return json.dumps(shown(asdict(values)), separators=(",", ":"))


def _css_text(text: str) -> Markup:
    """A text as CSS has it in quotes: all but letters and digits by their numbers, so that nothing in it ends it."""
    from markupsafe import Markup  # noqa: PLC0415  with Jinja2, where a page is made

    shown = (c if c.isascii() and c.isalnum() else f"\\{ord(c):x} " for c in harmless(text))
    return Markup("'" + "".join(shown) + "'")  # noqa: S704  nothing but letters, digits, blanks and backslashes


FILTERS: Mapping[str, Callable[[Any], object]] = {"css_text": _css_text, "code": _code, "data": _data}
"""What templates of this folder call, for other pages that draw with them."""
