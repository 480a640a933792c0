"""What commands print: summaries, findings, progress."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from synthrelease.cli.spelling import as_options
from synthrelease.errors import FaultyBundleError
from synthrelease.printable import printable

if TYPE_CHECKING:
    from synthrelease.building.batch import Ended
    from synthrelease.building.builder import Built
    from synthrelease.building.curator_notes import CuratorNotes
    from synthrelease.evaluation.required_attacks import Required
    from synthrelease.evaluation.result import Evaluation
    from synthrelease.parallel import Progress


_MUCH = 0.05  # of rows or values: from this share on a loss is printed unasked


def print_summary(built: Built, obj: dict[str, bool]) -> None:
    """Print where a bundle is, what it holds and promises, and what should worry its curator."""
    from synthrelease.bundle.disclosure import warning_sentence
    from synthrelease.report.summary import as_lines

    if built.manifest["randomness"]["test_seed"]:
        click.secho(
            "TEST SEED - DO NOT PUBLISH: the noise of this bundle can be taken away", fg="red", err=True
        )
    click.echo(printable(f"Bundle     {built.path}  ({built.path.stat().st_size / 1e6:.2f} MB, verified)"))
    click.echo(printable(f"Manifest   {built.sidecar}"))
    for line in as_lines(built.manifest):
        click.echo(printable(line))
    if obj["quiet"]:
        return
    for warning in built.manifest["warnings"]:
        print_warning(warning_sentence(warning))
    told = _notes(built.private, verbose=obj["verbose"])
    if told:
        click.echo("For you alone, not in the release:", err=True)
        for note in told:
            click.echo(printable(f"  {note}"), err=True)
    for lost in built.private.most_lost:
        print_warning(f"{lost}: are screen, bounds and codes in the data's unit?")


def _notes(private: CuratorNotes, *, verbose: bool) -> list[str]:
    """Sentences for the curator: all, or those about a likely mistake in the plan."""
    if verbose:
        return [f"{name}: {note}" for name, own in private.sentences.items() for note in own]
    lost = [f"{name}: {loss}" for name, own in private.losses.items() for loss in own if loss.share >= _MUCH]
    return lost + [f"{name}: {remark}" for name, own in private.remarks.items() for remark in own]


def built_form(built: Built) -> dict[str, Any]:
    """Return what `build` tells a program: nothing that is for the curator alone."""
    from synthrelease.bundle.disclosure import warning_forms

    return {
        "bundle": str(built.path),
        "manifest": str(built.sidecar),
        "privacy": built.manifest["privacy"],
        "warnings": warning_forms(built.manifest),
        "test_seed": bool(built.manifest["randomness"]["test_seed"]),
    }


def print_warning(warning: str) -> None:
    """Print what should worry whoever makes a release."""
    click.secho(f"warning: {printable(warning)}", fg="yellow", err=True)


def print_evaluation(evaluation: Evaluation) -> None:
    """Print what is at fault, and a few lines for every output."""
    from synthrelease.evaluation.private_words import at_a_glance

    for fault in evaluation.faults:
        click.secho(printable(f"FAULT      {fault}"), fg="red")
    for output in evaluation.outputs:
        for number, line in enumerate(at_a_glance(output)):
            beside = f" ({', '.join(line.beside)})" if line.beside else ""
            name = "" if number else output.name
            click.echo(printable(f"{name:<10} {line.term} {line.value}{beside}"))


def print_required(attacks: Sequence[Required]) -> None:
    """Print whether the attacks that a policy asks for were tried."""
    for number, one in enumerate(attacks):
        line = f"{'Policy' if number == 0 else '':<10} {one.attack}: {one.explanation}"
        click.secho(printable(line), fg=None if one.met else "red")


def print_batch(done: Sequence[Ended], folder: Path) -> None:
    """Print how many bundles there are, and why the others are not."""
    from synthrelease.building.batch import FAILED, KEPT

    failed = [one for one in done if one.state == FAILED]
    kept = sum(one.state == KEPT for one in done)
    before = f", {kept} of them from before" if kept else ""
    click.echo(printable(f"Bundles    {len(done) - len(failed)} of {len(done)} in {folder}{before}"))
    for one in failed:
        click.secho(f"failed     {printable(str(one.plan))}", fg="red")
        for line in one.reason.splitlines():
            click.echo(printable(f"           {line}"))


def print_verification(result: Any, path: Path) -> None:
    """Print what was checked, or what was found."""
    if result.ok:
        click.echo(printable(f"Verified   {path}: {', '.join(result.checked)}"))
        if result.signed_by and not any("signature" in one for one in result.checked):
            keys = ", ".join(one[:12] or "no name" for one in result.signed_by)
            click.echo(printable(f"Signed     by {keys}, as it says: --public-key KEY.pub checks it"))
        for number, believed in enumerate(result.on_trust):
            click.echo(printable(f"{'' if number else 'On trust':<11}{believed}"))
        return
    _print_faults(str(path), result.findings)
    if result.remedy:
        click.echo(printable(f"  to do: {as_options(result.remedy)}"))


def print_findings(error: FaultyBundleError) -> None:
    """Print what is wrong with one bundle or several."""
    from synthrelease.bundle.finding import Finding

    for file in dict.fromkeys(one["file"] for one in error.findings):
        own = [one for one in error.findings if one["file"] == file]
        _print_faults(file, [Finding(one["code"], one["where"], one["message"]) for one in own])


def _print_faults(path: str, findings: Sequence[object]) -> None:
    click.secho(printable(f"NOT TO BE RELIED ON: {path}"), fg="red")
    for finding in findings:
        click.echo(printable(f"  {finding}"))


@contextmanager
def plan_progress(obj: dict[str, bool], plans: int) -> Iterator[Callable[[Ended], None]]:
    """A bar with rate and remaining time on a terminal; else a line for every plan."""
    if obj["quiet"]:
        yield lambda _: None
        return
    if not sys.stderr.isatty():
        ended = 0

        def line(one: Ended) -> None:
            nonlocal ended
            ended += 1
            click.echo(printable(f"{ended} of {plans}: {one.plan.name} {one.state}"), err=True)

        yield line
        return
    from tqdm import tqdm

    with tqdm(total=plans, unit=" plans", leave=False) as bar:
        failed = 0

        def tell(one: Ended) -> None:
            nonlocal failed
            failed += one.state == "failed"
            bar.set_postfix_str(f"{failed} failed" if failed else "")
            bar.update()

        yield tell


@contextmanager
def progress(obj: dict[str, bool]) -> Iterator[Progress | None]:
    """A bar on a terminal, and nothing elsewhere."""
    if obj["quiet"] or not sys.stderr.isatty():
        yield None
        return
    from tqdm import tqdm

    with tqdm(total=1, bar_format="{desc:<28} {bar} {elapsed}", leave=False) as bar:

        def tell(what: str, done: int, total: int) -> None:
            bar.total, bar.n = total, done
            bar.set_description_str(what)

        yield tell
