"""Commands that make releases: demo, preview, build, batch."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from synthrelease.cli.charging import (
    all_confirmed,
    confirmed,
    dry_form,
    print_dry_run,
    refuse_unasked,
    refuse_unconfirmed,
)
from synthrelease.cli.group import FAULT, PART_FAILED, main
from synthrelease.cli.options import (
    ALLOW_LOSSES,
    AS_JSON,
    FORCE_PAGE,
    JOBS,
    PATH,
    PLAN,
    PLAN_DIGEST,
    POLICY,
    TEST_SEED,
    YES,
)
from synthrelease.cli.printing import (
    built_form,
    outcome_form,
    plan_progress,
    print_batch,
    print_json,
    print_line,
    print_page,
    print_summary,
    print_verification,
    print_warning,
    progress,
)
from synthrelease.errors import PolicyError, as_options
from synthrelease.printable import printable_lines

if TYPE_CHECKING:
    from synthrelease.building.batch import PlanOutcome

_DEMO_TEXT = """ε = 2 for the heatmaps means: any set of results is at most e² ≈ 7.4 times as likely with one person's data as with another
person's data in their place, plus δ, an additive slack of about one in a million. That is moderate protection; ε = 1
would be strong, and would need more participants for heatmaps of this accuracy.
24 participants are few for the mean of `summary`: it is within ± 0.25 (95 %) on a scale from 0 to 1, too coarse to
use. `preview` estimates how many participants you need."""


@main.command()
@click.option(
    "-o",
    "--output",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    default="synthrelease-demo",
    show_default=True,
    help="The folder to write: data, plan, bundle, figure and report.",
)
@click.option("--force", is_flag=True, help="Replace the bundle and the report of an earlier demo.")
@AS_JSON
@click.pass_obj
def demo(obj: dict[str, bool], folder: Path, *, force: bool, as_json: bool) -> None:
    """Build, verify and report a release of real sample data (about 580 participants)."""
    from synthrelease.demo import demonstrate

    with progress(obj) as show:
        demonstration = demonstrate(folder, force=force, progress=show)
    if as_json:
        paths = {"picture": demonstration.picture, "report": demonstration.report}
        pages = {name: None if path is None else str(path) for name, path in paths.items()}
        checks = {"correlation": demonstration.correlation, "verified": demonstration.verification.ok}
        print_json({**built_form(demonstration.built), **pages, **checks})
        if not demonstration.verification.ok:
            raise SystemExit(FAULT)
        return
    print_summary(demonstration.built, obj)
    print_verification(demonstration.verification, demonstration.built.path)
    click.echo("")
    if demonstration.picture is None:
        print_line("Not drawn  the figure and the report need: pip install 'synthrelease[report]'")
    else:
        print_line(f"Figure     {demonstration.picture}")
    for image, value in demonstration.correlation.items():
        click.echo(
            f"           image {image}: correlation (CC) {value:.2f} between released and exact heatmap"
        )
    click.echo("")
    if demonstration.report is not None and demonstration.verification.ok:
        print_line(f"Report     {demonstration.report}  ({demonstration.report.stat().st_size / 1e6:.2f} MB)")
    click.echo("")
    click.echo(_DEMO_TEXT)
    click.echo("")
    if demonstration.report is not None:
        print_line(
            f"Next       open {demonstration.report} in a browser: the public report, made from the bundle only"
        )
    print_line(f"           synthrelease preview {folder / 'plan.toml'}")
    print_line(f"           synthrelease show {demonstration.built.path}")
    if not demonstration.verification.ok:
        raise SystemExit(FAULT)


@main.command()
@PLAN
@POLICY
@click.option(
    "--html",
    "page",
    type=PATH,
    help="Also write the preview as a page (HTML), with expected accuracy by the number of participants and ε.",
)
@FORCE_PAGE
@AS_JSON
def preview(plan: Path, *, policy: Path | None, page: Path | None, force: bool, as_json: bool) -> None:
    """Estimate privacy cost and accuracy of PLAN (reads no measurements).

    Of the data it reads labels only. It spends nothing.
    """
    from synthrelease.api import preview as run

    view = run(plan, policy=policy, html=page, force=force)
    if as_json:
        print_json(view if page is None else {**view, "page": str(page)})
    else:
        _print_preview(printable_lines(view))
        if page is not None:
            print_page(page)
    if view["policy"] is not None and view["policy"]["breaches"]:
        raise SystemExit(PolicyError.exit_code)


def _print_preview(text: str) -> None:
    """Print a preview, a weak guarantee in red."""
    from synthrelease.bundle.disclosure import WEAK

    warning, blank, rest = text.partition("\n\n") if text.startswith(WEAK) else ("", "", text)
    if warning:
        click.secho(f"{warning}{blank}", fg="red", bold=True, nl=False)
    click.echo(rest)


@main.command()
@PLAN
@click.option(
    "-o",
    "--output",
    type=PATH,
    help="The bundle to write; .h5 is added to a name without it. Default: <name>-<version>.h5 of the plan.",
)
@click.option(
    "--force",
    is_flag=True,
    help="Replace an existing bundle. Building again spends ε again; the old ε stays spent.",
)
@click.option("--dry-run", is_flag=True, help="Read and check everything; write nothing, charge nothing.")
@YES
@ALLOW_LOSSES
@PLAN_DIGEST
@POLICY
@TEST_SEED
@JOBS
@AS_JSON
@click.pass_obj
def build(
    obj: dict[str, bool],
    plan: Path,
    output: Path | None,
    *,
    force: bool,
    dry_run: bool,
    yes: bool,
    allow_losses: bool,
    plan_digest: str | None,
    policy: Path | None,
    test_seed: int | None,
    jobs: int,
    as_json: bool,
) -> None:
    """Build, verify and write the bundle of PLAN.

    Before it charges a ledger, it prints the cost and asks you to confirm.
    """
    from synthrelease.building.builder import build as run
    from synthrelease.building.builder import dry_run as run_dry
    from synthrelease.building.curator import not_mostly_lost
    from synthrelease.plan.plan import load_plan
    from synthrelease.plan.policy import load_policy

    if dry_run and test_seed is not None:
        raise click.UsageError("--dry-run draws no noise: leave --test-seed out")
    read = load_plan(plan)  # once: what is compared is what is built
    refuse_unconfirmed(read, plan_digest)
    if dry_run:
        with progress(obj) as show:
            dry = run_dry(read, output, force=force, policy=policy, jobs=jobs, progress=show)
        if as_json:
            print_json(dry_form(dry))
        else:
            print_dry_run(dry)
        return
    refuse_unasked(charges=test_seed is None and read.ledger is not None, yes=yes)
    with progress(obj) as show:
        built = run(
            read,
            output,
            force=force,
            policy=policy,
            test_seed=test_seed,
            confirm=confirmed if not yes else None if allow_losses else not_mostly_lost,
            jobs=jobs,
            progress=show,
        )
    if as_json:
        print_json(built_form(built))
        return
    print_summary(built, obj)
    if policy is not None and (attacks := load_policy(policy).required_attacks):
        print_line(f"Before you publish, the policy requires these attacks: {', '.join(attacks)}")
        named = (shlex.quote(str(path)) for path in (plan, built.path, policy))
        tried_by = "synthrelease evaluate {} {} -o private.html --policy {}".format(*named)
        print_line(f"Run them with: {tried_by}")


@main.command()
@click.argument("plans", metavar="PLAN...", nargs=-1, required=True, type=PATH)
@click.option(
    "-o",
    "--output",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    help="The folder to write: a bundle <name>-<version>.h5 for each plan, and the journal of the batch.",
)
@click.option("--jobs", type=click.IntRange(1), help="Number of processes. Default: one for each core.")
@click.option(
    "--backend",
    type=click.Choice(["loky", "dask"]),
    default="loky",
    show_default=True,
    help="loky: processes on this machine. dask: a Dask cluster, started on this machine unless --scheduler names another.",
)
@click.option("--scheduler", metavar="ADDRESS", help="A running Dask scheduler, such as tls://host:8786.")
@click.option(
    "--resume", is_flag=True, help="Continue an earlier batch in this folder: keep the bundles that it built."
)
@click.option(
    "--force",
    is_flag=True,
    help="Replace existing bundles. Building again spends ε again; the old ε stays spent.",
)
@YES
@ALLOW_LOSSES
@POLICY
@TEST_SEED
@AS_JSON
@click.pass_obj
def batch(
    obj: dict[str, bool],
    plans: tuple[Path, ...],
    folder: Path,
    *,
    jobs: int | None,
    backend: str,
    scheduler: str | None,
    resume: bool,
    force: bool,
    yes: bool,
    allow_losses: bool,
    policy: Path | None,
    test_seed: int | None,
    as_json: bool,
) -> None:
    """Build the bundles of many plans in parallel.

    Before it charges ledgers, it prints what all plans cost together and asks you to confirm, once. If one plan fails, the others are still
    built, and the exit code is 5. After a crash, --resume builds what is missing. It uses an earlier charge if no noise was drawn yet;
    otherwise the build is charged again.
    """
    from synthrelease.building.batch import FAILED, charges
    from synthrelease.building.batch import batch as run
    from synthrelease.parallel import available_cores
    from synthrelease.parallel.cluster import Cluster, is_overheard

    if scheduler is not None and backend != "dask":
        raise click.UsageError("--scheduler needs --backend dask")
    if scheduler is not None and is_overheard(scheduler) and not obj["quiet"]:
        print_warning(
            "the connection to this scheduler has no TLS: anyone on the network can read sums before noise is added, and run code as its user"
        )
    charging = test_seed is None and any(map(charges, plans))
    refuse_unasked(charges=charging, yes=yes)
    processes = jobs or available_cores()
    with plan_progress(obj, len(plans)) as ended:
        outcomes = run(
            plans,
            folder,
            jobs=processes,
            cluster=(lambda: Cluster(scheduler, processes)) if backend == "dask" else None,
            resume=resume,
            force=force,
            policy=policy,
            test_seed=test_seed,
            confirm=None if yes else all_confirmed,
            allow_losses=allow_losses,
            ended=ended,
        )
    outcomes = [_with_options(outcome) for outcome in outcomes]
    if as_json:
        print_json([outcome_form(outcome) for outcome in outcomes])
    else:
        print_batch(outcomes, folder)
    if any(outcome.state == FAILED for outcome in outcomes):
        raise SystemExit(PART_FAILED)


def _with_options(outcome: PlanOutcome) -> PlanOutcome:
    """The same, its reason with options of the command line."""
    if outcome.error is None:
        return outcome
    outcome.error.remedy = as_options(outcome.error.remedy)
    return replace(outcome, reason=str(outcome.error))
