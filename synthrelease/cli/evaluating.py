"""The private command: evaluate."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from synthrelease.cli.group import FAULT, main
from synthrelease.cli.options import AS_JSON, BUNDLE, JOBS, PATH, PICTURES, PLAN, PLAN_DIGEST, POLICY, STIMULI
from synthrelease.cli.printing import print_evaluation, print_json, print_required, progress

if TYPE_CHECKING:
    from synthrelease.plan.plan import CheckedPlan


@main.command()
@PLAN
@BUNDLE
@click.option(
    "-o",
    "--output",
    "target",
    type=PATH,
    help="The private report to write (HTML). Not needed with --json.",
)
@click.option("--force", is_flag=True, help="Replace an existing report.")
@JOBS
@click.option(
    "--seed",
    type=int,
    default=1,
    show_default=True,
    help="Random seed of shuffles and of simulated releases: the same seed gives the same report.",
)
@PICTURES
@STIMULI
@POLICY
@PLAN_DIGEST
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
    stimuli: Path | None,
    policy: Path | None,
    plan_digest: str | None,
    as_json: bool,
) -> None:
    """Measure utility and privacy risk of BUNDLE against the private data (private report).

    Reads the data of PLAN again. Measures the error of the release, the error it would have at other ε, whether its noise is the noise
    that the manifest states, and what attackers learn. This takes minutes.

    An output, or a part of it, that is no better than a guess without any data is called NOT USEFUL, with what is expected to help.

    PRIVATE, do not publish: the report is computed from the data without noise, so it has no privacy guarantee. Changing the plan after
    reading it leaks private information: tune with `preview`.

    Exit code 1 if bundle and data do not belong together, a guarantee is violated, or an attack that the policy requires was not run.
    """
    from synthrelease.cli.charging import refuse_unconfirmed
    from synthrelease.extras import FIGURES, require
    from synthrelease.plan.plan import load_plan
    from synthrelease.plan.policy import load_policy

    if target is None and not as_json:
        raise click.UsageError("no report is named Did you mean -o private.html, or --json?")
    if target is None and stimuli is not None:
        raise click.UsageError("--stimuli is for the report: name it with -o, or leave --stimuli out")
    require("sklearn", *(FIGURES if target is not None else ()))
    read = load_plan(plan)  # once: what is compared is what is evaluated
    refuse_unconfirmed(read, plan_digest)
    if target is not None:
        _refuse_target(read, bundle, target, policy=policy, force=force)
    attacks = [] if policy is None else load_policy(policy).required_attacks
    from synthrelease.evaluation import evaluate as evaluation
    from synthrelease.evaluation.private_page import write_private_page
    from synthrelease.evaluation.required_attacks import required_attacks

    with progress(obj) as show:
        result = evaluation.evaluate(read, bundle, seed=seed, jobs=jobs, pictures=pictures, progress=show)
    size = None if target is None else write_private_page(result, target, stimuli=stimuli, force=force)
    required = required_attacks(result, attacks)
    if as_json:
        form = {**result.to_json(), "required_attacks": [attack.to_json() for attack in required]}
        print_json(form)
    else:
        print_evaluation(result)
        print_required(required)
    where = "" if target is None or size is None else f"Report     {target}  ({size / 1e6:.2f} MB), "
    click.secho(f"{where}private: do not publish", fg="red", err=as_json)
    if result.faults or not all(attack.met for attack in required):
        raise SystemExit(FAULT)


def _refuse_target(
    plan: CheckedPlan, bundle: Path, target: Path, *, policy: Path | None, force: bool
) -> None:
    """Refuse, before minutes of work, a report that must not, or cannot, be written there."""
    from synthrelease.building.targets import sidecar
    from synthrelease.files.atomic import refuse_unwritable

    used = {**plan.files(), "the bundle": bundle, "the bundle's manifest": sidecar(bundle)}
    if policy is not None:
        used["the policy"] = policy
    refuse_unwritable(target, used, force=force)
