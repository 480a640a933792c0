"""What to do about an error, on pages: its own words, or a whole sentence where they name options of commands; and links to the pages that do it."""

from __future__ import annotations

from collections.abc import Mapping

from markupsafe import Markup, escape

from synthrelease.errors import as_options

_LINKS = {
    title: Markup('<a href="/{}">{}</a>').format(title.lower(), title)
    for title in ("Data", "Release", "Budget", "Check", "Build", "Ledger")
}
_GRANT = "set the total budget of the data on the page {Ledger}"
# By the codes of errors. A page has a box or a field for what commands have an option for.
_SENTENCES: Mapping[str, str] = {
    "file-exists": "tick “Replace” above the button if it may be replaced; a release gets a new version on the page {Data}",
    "export-exists": "tick “Replace an earlier export”, and export again",
    "most-dropped": "look at the page {Check}; if that is correct, tick “Build even if most is left out or clipped” on the page {Build}",
    "nothing-granted": _GRANT,
    "no-such-ledger": f"{_GRANT}: that makes the ledger",
    "unknown-dataset": f"{_GRANT}, or correct the name of the dataset on the page {{Data}}, under the guarantee",
    "password-needed": "write the password into a file whose name ends with .password, and choose it above the button",
    "person-column-needed": "choose the column that says who is one person on the page {Data}",
    "plan-changed": "load this page again: it shows the plan as it is now. Then repeat what you did",
}
# Where the error's own words say it best.
_PAGES: Mapping[str, tuple[str, ...]] = {
    "exceeds-grant": ("Budget", "Ledger"),
    "exceeds-policy": ("Budget",),
    "budget-too-small": ("Budget",),
    "outputs-exceed-epsilon": ("Budget", "Release"),
    "outputs-exceed-budget": ("Budget", "Release"),
    "outputs-exceed-delta": ("Data", "Release"),
    "other-neighbours": ("Data",),
    "fill-in": ("Data",),
}
_OF_TERMINALS = ("--", "synthrelease ")  # in words that name commands and their options


def to_do(code: str, remedy: str) -> Markup:
    """Return what to do about an error.

    Args:
        code: of the error.
        remedy: its own words.

    Example:
        >>> to_do("fill-in", "replace each")
        Markup('replace each (<a href="/data">Data</a>)')
        >>> to_do("", "try --backend loky")
        Markup('in a terminal: try --backend loky')
    """
    if code in _SENTENCES:
        return Markup(_SENTENCES[code]).format(**_LINKS)  # noqa: S704  our own
    words = as_options(remedy)
    text = escape(f"in a terminal: {words}" if any(word in words for word in _OF_TERMINALS) else words)
    links = Markup(", ").join(_LINKS[title] for title in _PAGES.get(code, ()))
    return Markup("{} ({})").format(text, links) if links else text
