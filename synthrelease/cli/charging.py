"""Asking before a ledger is charged, and saying what a dry run found."""

from __future__ import annotations

import select
import sys
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from synthrelease.cli.printing import print_warning
from synthrelease.printable import printable

if TYPE_CHECKING:
    from synthrelease.building.builder import DryRun
    from synthrelease.building.payment import Payment

YES = click.option(
    "--yes",
    is_flag=True,
    help="Charge the ledger without asking; needed where there is no terminal to ask at.",
)
_WIDTH = 100
_LOOK_EVERY_S = 0.2  # whether Ctrl-C was pressed
_CHOICE_LEAKS = (
    "These counts are private. A plan that you change because of them depends on the data, which ε does not cover: correct what is wrong "
    "whatever the data are (a unit, a screen, a code of missing values), and nothing else."
)


def refuse_unasked(*, charges: bool, yes: bool) -> None:
    """Refuse to charge a ledger where no terminal is there to ask at.

    Raises:
        click.UsageError: so it is.
    """
    if charges and not yes and not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise click.UsageError(
            "this charges a ledger, and there is no terminal to ask at. Look with --dry-run, then add --yes."
        )


def confirmed(payment: Payment) -> bool:
    """Say what a release costs, and ask whether to charge it."""
    from tqdm import tqdm

    with tqdm.external_write_mode(file=sys.stderr):
        _print_payment(payment)
        return _agreed("Charge the ledger?")


def all_confirmed(payments: Sequence[Payment]) -> bool:
    """Say what the releases of a batch cost together, and ask once whether to charge them."""
    for payment in payments:
        _print_payment(payment)
    ledgers = len({payment.ledger for payment in payments})
    return _agreed(f"Charge the ledger{'s' if ledgers > 1 else ''}?")


def _agreed(question: str) -> bool:
    """Ask; Ctrl-C and the end of what is typed mean no, as any answer but yes does, bytes that are no text among them."""
    click.echo(f"{question} [y/N]: ", nl=False, err=True)
    try:
        # Reading at once would not end by a Ctrl-C that comes just before it, or once polars has taken the handler over.
        while not select.select([sys.stdin], [], [], _LOOK_EVERY_S)[0]:
            pass
        answer = sys.stdin.readline()
    except (KeyboardInterrupt, UnicodeDecodeError):
        answer = ""
    if not answer.endswith("\n"):
        click.echo("", err=True)
    return answer.strip().lower() in {"y", "yes"}


def _print_payment(payment: Payment) -> None:
    for line in payment_lines(payment):
        click.echo(printable(line), err=True)
    for path in payment.replaced:
        print_warning(
            f"{path} will be replaced: what it cost stays spent, and this release is charged on top"
        )
    for lost in payment.private.most_lost:
        print_warning(f"{lost}: are screen, bounds and codes in the data's unit?")


def payment_lines(payment: Payment) -> list[str]:
    """Return what is charged, in a few lines."""
    standing, grant = payment.standing, payment.grant
    number = len(payment.releases)
    what = f"this release ({payment.releases[0]})" if number == 1 else f"these {number} releases together"
    return [
        f"Ledger     {payment.ledger}: {payment.dataset}, at the grant's δ = {grant.delta:.2g}",
        f"           {what}: ε = {standing.here:.4g} per person",
        f"           all releases: ε = {standing.before:.4g} before, {standing.after:.4g} after; {payment.left:.4g} of {grant.epsilon:g} left",
        *(
            ["           more than is granted: plans are refused once it is used up"]
            if payment.exceeds_grant
            else []
        ),
    ]


def print_dry_run(found: DryRun) -> None:
    """Print what a build would be, cost, drop and clip."""
    from synthrelease.bundle.disclosure import warning_sentence
    from synthrelease.report.summary import as_lines

    click.echo("Dry run    nothing was written or charged")
    click.echo(
        printable(
            f"Bundle     {found.path}  (at most {found.most_bytes / 1e6:.2f} MB, for which there is room)"
        )
    )
    for line in as_lines(found.manifest):
        click.echo(printable(line))
    if found.payment is not None:
        for line in payment_lines(found.payment):
            click.echo(printable(line))
        for path in found.payment.replaced:
            click.echo(printable(f"           replaces {path}, which stays paid for"))
    for warning in found.manifest["warnings"]:
        print_warning(warning_sentence(warning))
    told = [f"{name}: {note}" for name, own in found.notes.items() for note in own]
    click.echo("For you alone, not in the release:", err=True)
    for note in told or ["no row was dropped and no value clipped"]:
        click.echo(printable(f"  {note}"), err=True)
    if told:
        click.echo(textwrap.fill(_CHOICE_LEAKS, _WIDTH), err=True)
    for lost in found.private.most_lost:
        print_warning(f"{lost}: are screen, bounds and codes in the data's unit?")


def dry_form(found: DryRun) -> dict[str, object]:
    """Return what a dry run tells a program: for the curator alone."""
    from synthrelease.bundle.disclosure import warning_forms

    payment = found.payment
    return {
        "bundle": str(found.path),
        "most_bytes": found.most_bytes,
        "privacy": found.manifest["privacy"],
        "warnings": warning_forms(found.manifest),
        "ledger": None
        if payment is None
        else {
            "path": str(payment.ledger),
            "dataset": payment.dataset,
            "spent_before": payment.standing.before,
            "spent_here": payment.standing.here,
            "spent_after": payment.standing.after,
            "granted": payment.grant.epsilon,
            "left": payment.left,
        },
        "private": {
            "notes": {name: list(own) for name, own in found.notes.items()},
            "losses": [
                {
                    "input": name,
                    "what": one.what,
                    "feature": one.feature,
                    "count": one.count,
                    "total": one.total,
                }
                for name, losses in found.private.losses.items()
                for one in losses
            ],
        },
    }
