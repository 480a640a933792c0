"""What to do about an error, on pages: its own words, in which options are whole commands, or a sentence where a page does it; and links to the pages."""

from __future__ import annotations

import re
from collections.abc import Mapping

from markupsafe import Markup, escape

from synthrelease.errors import as_options

_LINKS = {
    title: Markup('<a href="/{}">{}</a>').format(title.lower(), title)
    for title in ("Data", "Release", "Budget", "Check", "Build", "Ledger")
} | {"Bundles": Markup('<a href="/bundles">Open a bundle</a>')}
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
    "bad-grant": "write a number above 0 for ε, such as 3, and one below 1 for δ, such as 1e-6",
    "nothing-private": "choose the form datacite, which states what is not protected",
    "other-neighbours": "choose the same neighbours on the page {Data}, under the guarantee, as before",
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
    **dict.fromkeys(("fill-in", "several-tables", "too-many-tables", "tables-not-told-apart"), ("Data",)),
    **dict.fromkeys(("unknown-column", "no-duration-column"), ("Data",)),
}
_VERIFY = Markup("verify it on its page ({Bundles})").format(**_LINKS)
# Where words name options without their command.
_COMMANDS = {
    "init DATA": ("person", "pattern", "table", "axes", "x", "y"),
    "prepare PLAN INPUT": ("keep", "time-unit", "velocity-deg-per-s"),
    "build PLAN": ("force", "allow-losses", "dry-run"),
    "batch PLAN...": ("backend", "scheduler", "resume", "jobs"),
    "verify BUNDLE": ("allow-test-seed",),
    "sign BUNDLE --key KEY": ("detached", "password-file"),
    "export BUNDLE": ("to",),
    "report BUNDLE": ("stimuli",),
    "ledger grant LEDGER": ("epsilon", "delta", "neighbours"),
    "studio": ("port",),
}
_COMMAND_OF = {option: command for command, options in _COMMANDS.items() for option in options}
_PROGRAM = rf"(?:synthrelease (?:{'|'.join(command.split()[0] for command in _COMMANDS)})|h5repack)\b"
_VALUE = r"(?:(?! --| and | or | if ) (?:'[^']*'|[^\s;?]*[^\s;?,]))?"
_TYPED = re.compile(
    rf"(?:run: )?(?:`(?P<code>{_PROGRAM}[^`]*)`|(?P<bare>{_PROGRAM}[^`;,]*))"
    rf"|(?<![\w-])--(?P<option>{'|'.join(_COMMAND_OF)})(?![\w-]){_VALUE}(?: --[a-z-]+{_VALUE})*"
)


def to_do(code: str, remedy: str) -> Markup:
    """Return what to do about an error.

    Args:
        code: of the error.
        remedy: its own words.

    Example:
        >>> to_do("fill-in", "replace each")
        Markup('replace each (<a href="/data">Data</a>)')
        >>> to_do("", "try --backend loky")
        Markup('try `synthrelease batch PLAN... --backend loky` in a terminal')
    """
    if code in _SENTENCES:
        return Markup(_SENTENCES[code]).format(**_LINKS)  # noqa: S704  our own
    text, end, words = Markup(), 0, as_options(remedy)
    for typed in _TYPED.finditer(words):
        text += escape(words[end : typed.start()]) + _whole(typed)
        end = typed.end()
    text += escape(words[end:])
    links = Markup(", ").join(_LINKS[title] for title in _PAGES.get(code, ()))
    return Markup("{} ({})").format(text, links) if links else text


def _whole(typed: re.Match[str]) -> Markup:
    """A command as a person types it, or where there is a page for it."""
    command = typed["code"] or typed["bare"]
    if command == "synthrelease verify":
        return _VERIFY
    whole = command or f"synthrelease {_COMMAND_OF[typed['option']]} {typed[0]}"
    return Markup("`{}` in a terminal").format(whole)
