"""The commands that pages run: each as it would be typed in a terminal, in the project's folder."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from synthrelease.errors import ArgumentError
from synthrelease.exports.formats import FORMATS
from synthrelease.plan.plan import CheckedPlan
from synthrelease.studio.fields import Field, Form, parsed
from synthrelease.studio.plan_edits import plan_changed
from synthrelease.studio.project import PLAN, Project

CHECK, BUILD, EVALUATE = "check", "build", "evaluate"  # of the plan
VERIFY, SHOW, DIFF, REPORT, EXPORT, SIGN = "verify", "show", "diff", "report", "export", "sign"  # of a bundle
KEYGEN, GRANT = "keygen", "grant"
OF_PLAN = (CHECK, BUILD, EVALUATE, GRANT)
OF_BUNDLES = (VERIFY, SHOW, DIFF, REPORT, EXPORT, SIGN)
PRIVATE = (CHECK, EVALUATE)  # whose results are
OF_DATA = (*PRIVATE, BUILD)  # which read the data: their errors can count rows
# with which they are run, and which a person leaves out
AS_JSON, CONFIRMED = "--json", "--plan-digest="
BUNDLE_ENDING, PAGE_ENDING = ".h5", ".html"
PRIVATE_PAGE = f"private-evaluation{PAGE_ENDING}"
KEY = "signing.key"  # that is made in a folder without one
KEY_ENDINGS = (".pem", ".key")  # of private keys
_CONFIRMATIONS = ("yes", "force", "allow-losses")

Sent = Mapping[str, Sequence[str]]


def command(name: str, project: Project, sent: Sent) -> tuple[str, ...]:
    """Return what follows `synthrelease`.

    Args:
        name: of the command.
        project: in whose folder it runs.
        sent: by a form: files of the project by what they are, a form of export, and what was confirmed.

    Raises:
        ArgumentError: there is no such command, or a file is not of the project.
    """
    if name not in _MADE:
        raise ArgumentError("unknown-command", "there is no such command", remedy="load the page again")
    return _MADE[name](project, sent)


def confirmed_plan(project: Project, sent: Sent) -> CheckedPlan:
    """Return the plan that a page showed.

    Raises:
        SynthReleaseError: it cannot be used here, or is another one by now: what the page said of it, such as its cost, is not true of this one.
    """
    plan = project.load_plan()
    if plan.digest != _one(sent, "digest"):
        raise plan_changed(project)
    return plan


def report_of(bundle: str) -> str:
    """Return the name of a bundle's public report."""
    return Path(bundle).with_suffix(PAGE_ENDING).as_posix()


def export_of(bundle: str, form: str) -> str:
    """Return the name of the folder that a bundle is exported to."""
    return f"{Path(bundle).with_suffix('').as_posix()}-{form}"


def _file(project: Project, sent: Sent, what: str, ending: str = "") -> str:
    path = project.inside(_one(sent, what))
    if not path.is_file() or path.suffix != (ending or path.suffix):
        raise ArgumentError(
            "not-such-a-file",
            f"this is no {what}",
            where=project.name(path),
            remedy="choose one of those that are listed",
        )
    name = project.name(path)
    return f"./{name}" if name.startswith("-") else name  # which would be an option


def _target(project: Project, name: str) -> str:
    """The name of what a command writes; ArgumentError if it is a link out of the folder, which an export would follow."""
    if os.path.lexists(project.folder / name):
        project.inside(name)
    return name


def _force(sent: Sent) -> tuple[str, ...]:
    return ("--force",) if _one(sent, "force") == "yes" else ()


def _one(sent: Sent, what: str) -> str:
    return next(iter(sent.get(what, ())), "")


def bundle_of(project: Project, sent: Sent, what: str = "bundle") -> str:
    """Return the name of a bundle of the project; ArgumentError if it is none."""
    return _file(project, sent, what, BUNDLE_ENDING)


def _build(_project: Project, sent: Sent) -> tuple[str, ...]:
    return ("build", PLAN, *(f"--{name}" for name in _CONFIRMATIONS if _one(sent, name) == "yes"))


def _report(project: Project, sent: Sent) -> tuple[str, ...]:
    bundle = bundle_of(project, sent)
    return ("report", bundle, "-o", _target(project, report_of(bundle)), *_force(sent))


def _export(project: Project, sent: Sent) -> tuple[str, ...]:
    bundle, form = bundle_of(project, sent), _one(sent, "to")
    if form not in FORMATS:
        raise ArgumentError("unknown-form", "there is no such form of export", remedy="load the page again")
    target = _target(project, export_of(bundle, form))
    return ("export", bundle, "--to", form, "-o", target, *_force(sent))


def _sign(project: Project, sent: Sent) -> tuple[str, ...]:
    password = (
        ("--password-file", _file(project, sent, "password file")) if _one(sent, "password file") else ()
    )
    return ("sign", bundle_of(project, sent), "--key", _file(project, sent, "key"), *password)


def _evaluate(project: Project, sent: Sent) -> tuple[str, ...]:
    return ("evaluate", PLAN, bundle_of(project, sent), "-o", _target(project, PRIVATE_PAGE), *_force(sent))


def _grant(project: Project, sent: Sent) -> tuple[str, ...]:
    plan = confirmed_plan(project, sent)
    if plan.ledger is None:
        raise ArgumentError("no-ledger", "the plan names no ledger", remedy="name one on the page Data")
    numbers = (
        (f"--{name}", str(parsed(Field((name,), "", Form.NUMBER), [_one(sent, name)]) or 0))
        for name in ("epsilon", "delta")
    )
    return (
        *("ledger", "grant", ledger_of(project, plan), "--dataset", plan.dataset),
        *(word for pair in numbers for word in pair),
        *("--neighbours", plan.neighbours.value),
    )


def ledger_of(project: Project, plan: CheckedPlan) -> str:
    """Return how a plan's ledger is called from the folder; it may be above it."""
    assert plan.ledger is not None
    return os.path.relpath(plan.ledger, project.folder)


_MADE: Mapping[str, Callable[[Project, Sent], tuple[str, ...]]] = {
    CHECK: lambda _project, _sent: ("build", PLAN, "--dry-run"),
    BUILD: _build,
    EVALUATE: _evaluate,
    VERIFY: lambda project, sent: ("verify", bundle_of(project, sent)),
    SHOW: lambda project, sent: ("show", bundle_of(project, sent)),
    DIFF: lambda project, sent: ("diff", bundle_of(project, sent, "older bundle"), bundle_of(project, sent)),
    REPORT: _report,
    EXPORT: _export,
    SIGN: _sign,
    # Commands have no terminal to ask for a password.
    KEYGEN: lambda _project, _sent: ("keygen", "-o", KEY, "--no-password"),
    GRANT: _grant,
}
COMMANDS = tuple(_MADE)
