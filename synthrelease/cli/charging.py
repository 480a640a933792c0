"""Asking before a ledger is charged, and printing what a dry run found."""

from __future__ import annotations

import select
import sys
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from synthrelease.cli.printing import (
    print_line,
    print_most_lost,
    print_no_better,
    print_warning,
    print_weak_guarantee,
)
from synthrelease.errors import PlanError

if TYPE_CHECKING:
    from synthrelease.building.builder import DryRun
    from synthrelease.building.curator import Payment
    from synthrelease.plan.plan import CheckedPlan

_WIDTH = 100
_LOOK_EVERY_S = 0.2  # whether Ctrl-C was pressed


def refuse_unasked(*, charges: bool, yes: bool) -> None:
    """Refuse to charge a ledger where no terminal is there to confirm it.

    Raises:
        click.UsageError: so it is.
    """
    if charges and not yes and not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise click.UsageError(
            "this charges a ledger, and there is no terminal to confirm it: look with --dry-run, then add --yes"
        )


def refuse_unconfirmed(plan: CheckedPlan, digest: str | None) -> None:
    """Refuse a plan that is not the one that was confirmed, if one was.

    Raises:
        PlanError: its text has another digest.
    """
    if digest not in (None, plan.digest):
        raise PlanError(
            "plan-changed",
            "this is not the plan that was confirmed: nothing was charged, and nothing written",
            where=str(plan.path),
            found=f"a file whose SHA-256 is {plan.digest}",
            expected=digest or "",
            remedy="look again at what the plan costs, and confirm it as it is now",
        )


def confirmed(payment: Payment) -> bool:
    """Print what a release costs, and ask whether to charge it."""
    from tqdm import tqdm

    with tqdm.external_write_mode(file=sys.stderr):
        _print_payment(payment)
        return _agreed("Charge the ledger?")


def all_confirmed(payments: Sequence[Payment]) -> bool:
    """Print what the releases of a batch cost together, and ask once whether to charge them."""
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
    print_weak_guarantee(payment.weak_guarantee)
    print_no_better(payment.no_better)
    for line in payment_lines(payment):
        print_line(line, err=True)
    for path in payment.replaced:
        print_warning(f"{path} will be replaced: its ε stays spent, and this release is charged in addition")
    print_most_lost(payment.private)


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
            ["           this exceeds the grant: plans are refused once it is spent"]
            if payment.exceeds_grant
            else []
        ),
    ]


def print_dry_run(dry_run: DryRun) -> None:
    """Print the bundle that a build would write, its cost, and what would be dropped and clipped."""
    from synthrelease.building.curator import CHOICE_LEAKS
    from synthrelease.bundle.disclosure import WEAK_CODES, releases_no_better, warning_sentence
    from synthrelease.bundle.finding import claims_of_public_data
    from synthrelease.reports.summary import as_lines

    warnings = dry_run.manifest["warnings"]
    print_weak_guarantee(warning_sentence(one) for one in warnings if one["code"] in WEAK_CODES)
    print_no_better(releases_no_better(dry_run.manifest))
    click.echo("Dry run    nothing was written or charged")
    print_line(f"Bundle     {dry_run.path}  (at most {dry_run.most_bytes / 1e6:.2f} MB; the disk has room)")
    if dry_run.taken:
        print_warning(
            f"{dry_run.path} exists, and a build would not replace it: give the release a new version, or name another file with -o"
        )
    for line in as_lines(dry_run.manifest):
        print_line(line)
    if dry_run.payment is not None:
        for line in payment_lines(dry_run.payment):
            print_line(line)
        for path in () if dry_run.taken else dry_run.payment.replaced:
            print_line(f"           replaces {path}, whose ε stays spent")
    others = [warning_sentence(warning) for warning in warnings if warning["code"] not in WEAK_CODES]
    believed = map("taken on trust: {}".format, claims_of_public_data(dry_run.manifest["outputs"]))
    for warning in (*others, *believed):
        print_warning(warning)
    sentences = [f"{name}: {note}" for name, notes in dry_run.notes.items() for note in notes]
    click.echo("Private, not in the release:", err=True)
    for sentence in sentences or ["no rows were dropped and no values clipped"]:
        print_line(f"  {sentence}", err=True)
    if sentences:
        click.echo(textwrap.fill(CHOICE_LEAKS, _WIDTH), err=True)
    print_most_lost(dry_run.private)


def dry_form(dry_run: DryRun) -> dict[str, object]:
    """Return the result of a dry run for a program: private."""
    from synthrelease.bundle.disclosure import warning_forms

    payment = dry_run.payment
    return {
        "bundle": str(dry_run.path),
        "most_bytes": dry_run.most_bytes,
        "exists": dry_run.taken,
        "privacy": dry_run.manifest["privacy"],
        "warnings": warning_forms(dry_run.manifest),
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
            "notes": {name: list(notes) for name, notes in dry_run.notes.items()},
            "losses": [
                {
                    "input": name,
                    "what": loss.what,
                    "reason": loss.reason.value,
                    "feature": loss.feature,
                    "count": loss.count,
                    "total": loss.total,
                }
                for name, losses in dry_run.private.losses.items()
                for loss in losses
            ],
        },
    }
