"""What commands print: summaries, findings, progress."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from synthrelease.errors import FaultyBundleError, as_options
from synthrelease.printable import printable
from synthrelease.studio.progress import VARIABLE, ProgressFile

if TYPE_CHECKING:
    from synthrelease.building.batch import PlanOutcome
    from synthrelease.building.builder import Built
    from synthrelease.building.curator import CuratorNotes
    from synthrelease.evaluation.required_attacks import Required
    from synthrelease.evaluation.result import Evaluation
    from synthrelease.parallel import Progress


_MUCH = 0.05  # of rows or values: from this proportion on a loss is printed without --verbose


def print_summary(built: Built, obj: dict[str, bool]) -> None:
    """Print where a bundle is, its contents and guarantees, and what its curator should look at."""
    from synthrelease.bundle.disclosure import WEAK_CODES, releases_no_better, warning_sentence
    from synthrelease.reports.summary import as_lines

    warnings = built.manifest["warnings"]
    print_weak_guarantee(warning_sentence(one) for one in warnings if one["code"] in WEAK_CODES)
    if not obj["quiet"]:
        print_no_better(releases_no_better(built.manifest))
    if built.manifest["randomness"]["test_seed"]:
        click.secho("TEST SEED - DO NOT PUBLISH: the noise of this bundle can be removed", fg="red", err=True)
    print_line(f"Bundle     {built.path}  ({built.path.stat().st_size / 1e6:.2f} MB, verified)")
    print_line(f"Manifest   {built.sidecar}")
    for line in as_lines(built.manifest):
        print_line(line)
    if obj["quiet"]:
        return
    for warning in warnings:
        if warning["code"] not in WEAK_CODES:
            print_warning(warning_sentence(warning))
    notes = _notes(built.private, verbose=obj["verbose"])
    if notes:
        click.echo("Private, not in the release:", err=True)
        for note in notes:
            print_line(f"  {note}", err=True)
    print_most_lost(built.private)


def _notes(private: CuratorNotes, *, verbose: bool) -> list[str]:
    """Sentences for the curator: all, or those about a likely mistake in the plan."""
    if verbose:
        return [f"{name}: {note}" for name, notes in private.sentences.items() for note in notes]
    lost = [
        f"{name}: {loss}" for name, losses in private.losses.items() for loss in losses if loss.share >= _MUCH
    ]
    return lost + [f"{name}: {remark}" for name, remarks in private.remarks.items() for remark in remarks]


def built_form(built: Built) -> dict[str, Any]:
    """Return the result of `build` for a program, without anything private."""
    from synthrelease.bundle.disclosure import warning_forms

    return {
        "bundle": str(built.path),
        "manifest": str(built.sidecar),
        "privacy": built.manifest["privacy"],
        "warnings": warning_forms(built.manifest),
        "ledger": built.manifest["ledger"],
        "test_seed": bool(built.manifest["randomness"]["test_seed"]),
    }


def print_most_lost(private: CuratorNotes) -> None:
    """Print what more than half of the rows or values were lost to."""
    from synthrelease.building.curator import CHECK_UNITS

    for lost in private.most_lost:
        print_warning(f"{lost}: {CHECK_UNITS}")


def print_line(text: object, *, err: bool = False) -> None:
    """Print a line without terminal control characters."""
    click.echo(printable(text), err=err)


def print_page(page: Path) -> None:
    """Print where a page is that was written."""
    print_line(f"Page       {page}  ({page.stat().st_size / 1e6:.2f} MB)")


def print_json(form: Any, *, escaped: bool = False) -> None:
    """Print the one document that a program reads; `escaped` for text of unknown origin that is also shown on a terminal."""
    click.echo(json.dumps(form, ensure_ascii=escaped, indent=2, allow_nan=False))


def print_warning(warning: str) -> None:
    """Print a warning for the curator."""
    click.secho(f"warning: {printable(warning)}", fg="yellow", err=True)


def print_error(message: str, *, color: bool | None = None) -> None:
    """Print an error: what is wrong, and in lines below it what to do."""
    click.echo(click.style("error:", fg="red", bold=True) + f" {message}", err=True, color=color)


def print_no_better(sentences: Iterable[str]) -> None:
    """Print what a release is expected to show no better than anyone could guess."""
    for sentence in sentences:
        click.secho(f"WEAK ACCURACY: {printable(sentence)}", fg="red", bold=True, err=True)


def print_weak_guarantee(sentences: Iterable[str]) -> None:
    """Print, before all else and with --quiet too, that a guarantee hardly protects."""
    from synthrelease.bundle.disclosure import WEAK

    for sentence in sentences:
        click.secho(f"{WEAK}: {printable(sentence)}", fg="red", bold=True, err=True)


def print_evaluation(evaluation: Evaluation) -> None:
    """Print the errors found, and a few lines for every output."""
    from synthrelease.evaluation.private_words import at_a_glance, not_useful

    for fault in evaluation.faults:
        click.secho(printable(f"ERROR      {fault}"), fg="red")
    if words := not_useful(evaluation):
        click.secho(printable(f"WEAK       {words}"), fg="red")
    for output in evaluation.outputs:
        for number, line in enumerate(at_a_glance(output)):
            beside = f" ({', '.join(line.beside)})" if line.beside else ""
            name = "" if number else output.name
            print_line(f"{name:<10} {line.term} {line.value}{beside}")


def print_required(attacks: Sequence[Required]) -> None:
    """Print whether the attacks that a policy asks for were tried."""
    for number, attack in enumerate(attacks):
        line = f"{'Policy' if number == 0 else '':<10} {attack.attack}: {attack.explanation}"
        click.secho(printable(line), fg=None if attack.met else "red")


def print_batch(outcomes: Sequence[PlanOutcome], folder: Path) -> None:
    """Print how many bundles were built, and why the others were not."""
    from synthrelease.building.batch import FAILED, KEPT

    failed = [outcome for outcome in outcomes if outcome.state == FAILED]
    kept = sum(outcome.state == KEPT for outcome in outcomes)
    before = f", {kept} of them from an earlier run" if kept else ""
    print_line(f"Bundles    {len(outcomes) - len(failed)} of {len(outcomes)} in {folder}{before}")
    for outcome in failed:
        click.secho(f"failed     {printable(str(outcome.plan))}", fg="red")
        for line in outcome.reason.splitlines():
            print_line(f"           {line}")


def outcome_form(outcome: PlanOutcome) -> dict[str, str | None]:
    """Return the outcome of one plan of `batch` for a program."""
    return {
        "plan": str(outcome.plan),
        "state": outcome.state,
        "bundle": None if outcome.bundle is None else str(outcome.bundle),
        "reason": outcome.reason or None,
        "code": outcome.code or None,
    }


def print_verification(result: Any, path: Path) -> None:
    """Print what was verified, or why verification failed."""
    if result.ok:
        print_line(f"Verified   {path}: {', '.join(result.checked)}")
        if result.signed_by and not any("signature" in check for check in result.checked):
            keys = ", ".join(key[:12] or "no name" for key in result.signed_by)
            print_line(f"Signed     by {keys} (not checked; check with --public-key KEY.pub)")
        if result.on_trust:
            print_line("Not verifiable (taken on trust):")
        for believed in result.on_trust:
            print_line(f"           {believed}")
        for missing in result.not_done:
            print_line(f"Not done   {missing}")
        return
    _print_faults(str(path), result.findings)
    if result.remedy:
        print_line(f"  to do:    {as_options(result.remedy)}")


def print_findings(error: FaultyBundleError) -> None:
    """Print why verification of one or several bundles failed."""
    from synthrelease.bundle.finding import Finding

    by_file: dict[str, list[Finding]] = {}
    for finding in error.findings:
        by_file.setdefault(finding["file"], []).append(
            Finding(finding["code"], finding["where"], finding["message"])
        )
    for file, findings in by_file.items():
        _print_faults(file, findings)
    if error.remedy:
        print_line(f"  to do:    {as_options(error.remedy)}")


def _print_faults(path: str, findings: Sequence[object]) -> None:
    click.secho(printable(f"VERIFICATION FAILED: {path}"), fg="red")
    for finding in findings:
        print_line(f"  {finding}")


@contextmanager
def plan_progress(obj: dict[str, bool], plans: int) -> Iterator[Callable[[PlanOutcome], None]]:
    """A bar with percentage, rate and time left on a terminal; else a line for every plan."""
    if obj["quiet"]:
        yield lambda _: None
        return
    if not sys.stderr.isatty():
        ended = 0

        def line(outcome: PlanOutcome) -> None:
            nonlocal ended
            ended += 1
            print_line(f"{ended} of {plans}: {outcome.plan.name} {outcome.state}", err=True)

        yield line
        return
    from tqdm import tqdm

    with tqdm(total=plans, unit=" plans", leave=False) as bar:
        failed = 0

        def show(outcome: PlanOutcome) -> None:
            nonlocal failed
            failed += outcome.state == "failed"
            bar.set_postfix_str(f"{failed} failed" if failed else "")
            bar.update()

        yield show


@contextmanager
def progress(obj: dict[str, bool]) -> Iterator[Progress | None]:
    """A bar on a terminal, a file for a program that asks for one, and nothing elsewhere."""
    if VARIABLE in os.environ:
        yield ProgressFile(Path(os.environ[VARIABLE]))
        return
    if obj["quiet"] or not sys.stderr.isatty():
        yield None
        return
    from tqdm import tqdm

    form = "{desc:<28} {percentage:3.0f} % {bar} {elapsed}, {remaining} left"
    with tqdm(total=1, bar_format=form, leave=False) as bar:

        def show(what: str, done: int, total: int) -> None:
            if total != bar.total or done < bar.n:  # a new stage, and the time left is that of a stage
                bar.start_t, bar.initial = time.time(), done
            bar.total, bar.n = total, done
            bar.set_description_str(what)

        yield show
