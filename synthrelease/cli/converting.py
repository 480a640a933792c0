"""The command for one plain table of any input: convert."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from synthrelease.cli.group import main
from synthrelease.cli.options import AS_JSON, PATH
from synthrelease.cli.preparing import input_named, inputs_of_plan, print_private
from synthrelease.cli.printing import print_json, print_line

if TYPE_CHECKING:
    from synthrelease.data.input_spec import InputSpec
    from synthrelease.data.source import Source


@main.command()
@click.argument("data", type=PATH, required=False)
@click.option(
    "-o",
    "--output",
    "target",
    type=PATH,
    required=True,
    help="The table to write (.parquet or .csv); private.",
)
@click.option("--plan", type=PATH, help="A plan: read one of its inputs, in place of DATA.")
@click.option(
    "--input",
    "name",
    metavar="INPUT",
    shell_complete=inputs_of_plan,
    help="Which input of the plan, if it has several.",
)
@click.option(
    "--pattern", help="For a folder: pattern of its file names, such as 'P{person}_R{recording}.csv'."
)
@click.option("--table", help="For a file with several tables: which one, such as a variable of a .mat file.")
@click.option("--axes", metavar="NAME,NAME…", help="For arrays: names of their axes, the outermost first.")
@click.option("--person", metavar="COLUMN", help="Whose rows are; to be said of files that number something.")
@click.option("--force", is_flag=True, help="Replace an existing table.")
@AS_JSON
def convert(
    data: Path | None,
    *,
    target: Path,
    plan: Path | None,
    name: str | None,
    pattern: str | None,
    table: str | None,
    axes: str | None,
    person: str | None,
    force: bool,
    as_json: bool,
) -> None:
    """Write DATA, any file or folder that a plan can read, as one plain table.

    PRIVATE, do not publish: the table is as sensitive as the data. How DATA is read is found as by `init`, or taken from an input of a plan
    (--plan, --input). A plan reads the same rows from the table: put its name into `path`, and remove the keys that say how the data are read.
    """
    from synthrelease.data.converted import ENDINGS
    from synthrelease.data.converted import convert as run
    from synthrelease.files.atomic import refuse_unwritable

    if target.suffix not in ENDINGS:
        raise click.UsageError(f"the name of the table must end in {' or '.join(ENDINGS)}")
    fields: dict[str, Any] = {"pattern": pattern, "table": table}
    fields["axes"] = tuple(axis.strip() for axis in axes.split(",")) if axes else ()
    fields = {key: value for key, value in fields.items() if value}
    if plan:
        spec, used = _of_plan(data, plan, name, fields | ({"person": person} if person else {}))
        source, person = spec.source, spec.options["columns"]["person"]
    else:
        source, used = _of_data(data, name, fields)
    refuse_unwritable(target, used, force=force, what="table")
    written = run(source, target, person=person, force=force)
    if as_json:
        print_json({"table": str(target), "rows": written.rows, "columns": list(written.columns)})
    else:
        print_line(f"Table      {target}: {written.rows:,} rows, {len(written.columns):,} columns")
    print_private("the data")
    if not as_json and plan is None:
        print_line(f"Next       synthrelease init {target}")


def _of_plan(
    data: Path | None, plan: Path, name: str | None, fields: dict[str, Any]
) -> tuple[InputSpec, dict[str, Path]]:
    """The input of a plan, and the files that must stay."""
    from synthrelease.plan.plan import load_plan

    if data is not None or fields:
        raise click.UsageError(
            "a plan says which data are read, and how: leave DATA and the options for it out"
        )
    loaded = load_plan(plan)
    if name is None and len(loaded.inputs) > 1:
        raise click.UsageError(f"name one of the plan's inputs: --input {' or --input '.join(loaded.inputs)}")
    return input_named(name or next(iter(loaded.inputs)), loaded), loaded.files()


def _of_data(data: Path | None, name: str | None, fields: dict[str, Any]) -> tuple[Source, dict[str, Path]]:
    """The data as `init` would read them, and the files that must stay."""
    from synthrelease.proposals.first_look import only_source
    from synthrelease.proposals.sources import data_files

    if data is None or name is not None:
        raise click.UsageError(
            "name an input with its plan: --plan PLAN" if name else "name the data, or --plan PLAN"
        )
    return only_source(data, fields), {f"the data ({file.name})": file for file in data_files(data)}
