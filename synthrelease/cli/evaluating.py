"""The command for curators alone: evaluate."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from synthrelease.cli.group import AS_JSON, FAULT, PICTURES, POLICY, main, print_json
from synthrelease.cli.printing import print_evaluation, print_required, progress

if TYPE_CHECKING:
    from synthrelease.plan.plan import Plan


@main.command()
@click.argument("plan", type=click.Path(path_type=Path))
@click.argument("bundle", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    "target",
    type=click.Path(path_type=Path),
    help="The page to write, for you alone. Not needed with --json.",
)
@click.option("--force", is_flag=True, help="Replace an existing page.")
@click.option(
    "--jobs", type=click.IntRange(1), default=1, show_default=True, help="How many processes to use."
)
@click.option(
    "--seed",
    type=int,
    default=1,
    show_default=True,
    help="Seed of shuffles and of releases to compare with: the same seed, the same page.",
)
@PICTURES
@POLICY
@AS_JSON
@click.pass_obj
def evaluate(
    obj: dict[str, bool],
    plan: Path,
    bundle: Path,
    *,
    target: Path | None,
    force: bool,
    jobs: int,
    seed: int,
    pictures: int,
    policy: Path | None,
    as_json: bool,
) -> None:
    """Compare BUNDLE, made by PLAN, with the data, and attack it. PRIVATE: do not publish.

    Reads the private data again. Says how close the release is to them, how close it would be at other ε, whether its
    noise is what the manifest states, and what attackers find out. That takes minutes.

    The page is computed from the data without noise and protects nobody. Choosing parameters by it and building again
    leaks from it, too: tune with `preview`.

    Exit code 1 if bundle and data do not belong together, a promise is broken, or an attack that the policy asks for
    was not tried.
    """
    from synthrelease.plan.plan import load_plan
    from synthrelease.plan.policy import load_policy

    if target is None and not as_json:
        raise click.UsageError("Say where to write the page (-o private.html), or ask for --json.")
    if target is not None:
        _refuse(load_plan(plan), bundle, target, policy=policy, force=force)
    asked = [] if policy is None else load_policy(policy).required_attacks
    from synthrelease.evaluation import evaluate as evaluation
    from synthrelease.evaluation.private_page import write_private_page
    from synthrelease.evaluation.required_attacks import required_attacks

    with progress(obj) as tell:
        found = evaluation.evaluate(plan, bundle, seed=seed, jobs=jobs, pictures=pictures, progress=tell)
    size = None if target is None else write_private_page(found, target, force=force)
    required = required_attacks(found, asked)
    if as_json:
        form = {**found.to_json(), "required_attacks": [one.to_json() for one in required]}
        print_json(form)
    else:
        print_evaluation(found)
        print_required(required)
    where = "" if target is None or size is None else f"Page       {target}  ({size / 1e6:.2f} MB), "
    click.secho(f"{where}private: do not publish", fg="red", err=as_json)
    if found.faults or not all(one.met for one in required):
        raise SystemExit(FAULT)


def _refuse(plan: Plan, bundle: Path, target: Path, *, policy: Path | None, force: bool) -> None:
    """Refuse, before minutes of work, a page that must not stand where it is to be, or cannot."""
    from synthrelease.building.targets import sidecar
    from synthrelease.files.atomic import refuse_unwritable

    used = {**plan.files(), "the bundle": bundle, "the bundle's manifest": sidecar(bundle)}
    if policy is not None:
        used["the policy"] = policy
    refuse_unwritable(target, used, force=force)
