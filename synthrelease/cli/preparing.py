"""The command for raw samples: prepare."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

import click

from synthrelease.cli.group import main
from synthrelease.cli.options import AS_JSON, PATH, PLAN
from synthrelease.cli.printing import print_json, print_line, print_warning, progress
from synthrelease.number_words import several

if TYPE_CHECKING:
    from synthrelease.data.input_spec import InputSpec
    from synthrelease.plan.plan import CheckedPlan
    from synthrelease.prepare.prepared import PreparedInput

_LEAST_S = 0.001


def inputs_of_plan(ctx: click.Context, _parameter: click.Parameter, begun: str) -> list[str]:
    """Return the names of inputs of the plan that is on the line already, for a shell to complete."""
    from synthrelease.errors import PlanError, SynthReleaseError
    from synthrelease.files.reading import content_of
    from synthrelease.files.toml_reading import MOST_TOML_BYTES, toml_tables

    try:
        content = content_of(Path(ctx.params["plan"]), PlanError, most_bytes=MOST_TOML_BYTES)
        inputs = toml_tables(content.decode())["inputs"]
        return [name for name in inputs if name.startswith(begun)]
    except (KeyError, TypeError, ValueError, RecursionError, SynthReleaseError):  # no such plan, or none yet
        return []


def _positive(default: float, words: str) -> dict[str, object]:
    """What options of thresholds and lengths have in common."""

    def checked(_ctx: click.Context, _parameter: click.Parameter, value: float) -> float:
        if not (math.isfinite(value) and value >= _LEAST_S):
            raise click.BadParameter(f"Expected a finite number, {_LEAST_S:g} at least.")
        return value

    return {"type": float, "default": default, "show_default": True, "callback": checked, "help": words}


@main.command()
@PLAN
@click.argument("name", metavar="INPUT", shell_complete=inputs_of_plan)
@click.option(
    "--to",
    type=click.Choice(["fixations", "saccades", "windows"]),
    required=True,
    help="What to compute from the samples.",
)
@click.option(
    "-o",
    "--output",
    "target",
    type=PATH,
    required=True,
    help="The table to write (.parquet); private.",
)
@click.option(
    "--time-unit",
    type=click.Choice(["s", "ms", "us", "ns"]),
    default="ms",
    show_default=True,
    help="Unit of the time stamps.",
)
@click.option(
    "--pupil",
    metavar="COLUMN",
    help="Column of pupil sizes: adds a mean to fixations, four features to windows.",
)
@click.option(
    "--keep",
    metavar="COLUMN",
    multiple=True,
    help="Column of labels that distinguish recordings, such as a session; it is kept in the table.",
)
@click.option("--velocity-deg-per-s", **_positive(30.0, "Threshold: fixations are slower, saccades faster."))  # type: ignore[arg-type]
@click.option("--minimum-fixation-ms", **_positive(100.0, "Shorter fixations are dropped."))  # type: ignore[arg-type]
@click.option("--minimum-saccade-ms", **_positive(6.0, "Shorter saccades are dropped."))  # type: ignore[arg-type]
@click.option("--small-saccade-deg", **_positive(2.0, "Saccades of a smaller amplitude count as small."))  # type: ignore[arg-type]
@click.option("--window-s", **_positive(30.0, "Length of a window."))  # type: ignore[arg-type]
@click.option("--step-s", **_positive(0.5, "Time from one window to the next."))  # type: ignore[arg-type]
@click.option("--force", is_flag=True, help="Replace an existing table.")
@AS_JSON
@click.pass_obj
def prepare(
    obj: dict[str, bool],
    /,
    plan: Path,
    name: str,
    *,
    to: str,
    target: Path,
    time_unit: str,
    pupil: str | None,
    keep: tuple[str, ...],
    force: bool,
    as_json: bool,
    **settings: float,
) -> None:
    """Compute fixations, saccades or windows of features from raw samples.

    PRIVATE, do not publish: the table is as sensitive as the samples. INPUT is the name of an input of PLAN, which states how to read the
    samples: columns (with the time), screen (with width and distance in mm), coordinates, missing codes. The privacy and outputs of PLAN
    are not used. Next, run `init` on the table.

    Needs pymovements (pip install pymovements). Each recording is processed separately: no row depends on another participant.
    """
    from synthrelease.errors import PlanError
    from synthrelease.files.atomic import refuse_unwritable
    from synthrelease.plan.plan import load_plan
    from synthrelease.prepare import Settings
    from synthrelease.prepare import prepare as run
    from synthrelease.prepare.prepared import refuse_input

    if target.suffix != ".parquet":
        raise click.UsageError("the table is a Parquet file: its name must end in .parquet")
    loaded = load_plan(plan)
    samples = input_named(name, loaded)
    try:
        refuse_input(samples, keep)
    except PlanError as error:
        error.where = error.where.replace("the plan's ", f"{plan}: ", 1)
        raise
    refuse_unwritable(target, loaded.files(), force=force, what="table")
    with progress(obj) as show:
        prepared = run(
            samples,
            to,
            settings=Settings(**settings),
            time_unit=time_unit,
            pupil=pupil,
            keep=keep,
            progress=show,
        )
    prepared.write(target, force=force)
    if as_json:
        print_json({"table": str(target), "to": to, **_form(prepared)})
    else:
        people = several(prepared.people, "participant")
        recordings = several(prepared.recordings, "recording")
        print_line(f"Table      {target}: {prepared.rows_with_values} {to} in {recordings} of {people}")
    _print_for_curator(prepared, obj, as_json=as_json)
    if not as_json:
        print_line(f"Next       synthrelease init {target} --person person")


def print_private(what: str) -> None:
    """Say that a table must not be published."""
    click.secho(f"PRIVATE: this table is as sensitive as {what}; do not publish it", fg="red", err=True)


def _print_for_curator(prepared: PreparedInput, obj: dict[str, bool], *, as_json: bool) -> None:
    print_private("the raw samples")
    if not obj["quiet"] and not as_json:
        for warning in prepared.warnings:
            print_warning(warning)
    if obj["verbose"]:
        for note in prepared.notes:
            print_line(f"  {note}", err=True)


def input_named(name: str, plan: CheckedPlan) -> InputSpec:
    """Return an input of a plan; PlanError if it has none of that name."""
    from synthrelease.errors import PlanError
    from synthrelease.plan.complaints import nearest

    if name not in plan.inputs:
        raise PlanError(
            "unknown-input",
            f"there is no input '{name}'",
            where=str(plan.path),
            expected="one of " + ", ".join(plan.inputs),
            remedy=nearest(name, list(plan.inputs)),
        )
    return plan.inputs[name]


def _form(prepared: PreparedInput) -> dict[str, object]:
    return {
        "made": prepared.rows_with_values,
        "recordings": prepared.recordings,
        "people": prepared.people,
        "warnings": list(prepared.warnings),
    }
