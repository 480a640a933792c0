"""The first command with your own data: init."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from synthrelease.cli.group import main
from synthrelease.cli.options import AS_JSON, PATH
from synthrelease.cli.printing import print_json, print_line, print_warning
from synthrelease.errors import DataError
from synthrelease.number_words import several

if TYPE_CHECKING:
    from synthrelease.proposals.propose import Input


@main.command()
@click.argument("data", type=PATH, nargs=-1, required=True)
@click.option(
    "--person",
    "people",
    metavar="COLUMN",
    multiple=True,
    help="Column with the participant ID. It is never guessed. Repeat the option if tables name it differently.",
)
@click.option("--stimulus", metavar="COLUMN", help="Column with the stimulus, if its name does not say so.")
@click.option(
    "--recording", metavar="COLUMN", help="Column with the condition or session, if its name does not say so."
)
@click.option(
    "--groups", metavar="COLUMN", help="Column with groups of participants, for statistics in groups."
)
@click.option(
    "--x", metavar="COLUMN", help="Column with the horizontal position, if its name does not say so."
)
@click.option("--y", metavar="COLUMN", help="Column with the vertical position, if its name does not say so.")
@click.option(
    "--pattern", help="For a folder: pattern of its file names, such as 'P{person}_R{recording}.csv'."
)
@click.option("--table", help="For a file with several tables: which one, such as a variable of a .mat file.")
@click.option("--axes", metavar="NAME,NAME…", help="For arrays: names of their axes, the outermost first.")
@click.option(
    "-o",
    "--output",
    "target",
    type=PATH,
    default="plan.toml",
    show_default=True,
    help="The plan to write.",
)
@click.option("--force", is_flag=True, help="Replace an existing plan.")
@AS_JSON
@click.pass_context
def init(
    ctx: click.Context,
    data: tuple[Path, ...],
    *,
    people: tuple[str, ...],
    stimulus: str | None,
    recording: str | None,
    groups: str | None,
    x: str | None,
    y: str | None,
    pattern: str | None,
    table: str | None,
    axes: str | None,
    target: Path,
    force: bool,
    as_json: bool,
) -> None:
    """Propose a plan for DATA: files, or folders with a file for each recording.

    Reads the names of columns and the first rows: roles of columns, missing codes, columns that could identify participants directly. You
    fill in ranges, sizes and titles; the plan shows usual values next to them. They must not be taken from the data.
    """
    from synthrelease import api
    from synthrelease.files.atomic import refuse_unwritable, write_atomically
    from synthrelease.proposals.nesting import nesting_lines
    from synthrelease.proposals.sources import data_files

    used = {f"the data ({file.name})": file for path in data for file in data_files(path)}
    roles = {"stimulus": stimulus, "recording": recording, "groups": groups, "x": x, "y": y}
    named = tuple(axis.strip() for axis in axes.split(",")) if axes else ()
    try:
        proposal = api.init(
            data,
            person=people,
            columns={role: column for role, column in roles.items() if column},
            plan=target,
            pattern=pattern,
            table=table,
            axes=named,
        )
    except DataError as error:
        if error.code == "person-column-needed" and not as_json:
            lines = _candidate_lines(data, {"pattern": pattern, "table": table, "axes": named})

            @ctx.find_root().call_on_close
            def list_candidates() -> None:  # after the error
                for line in lines:
                    print_line(line, err=True)

        raise
    remedy = "choose another name with -o other.toml, or replace it with --force"
    refuse_unwritable(target, used, force=force, what="plan", remedy=remedy)
    write_atomically(target, proposal.text.encode("utf-8"), force=force)
    if as_json:
        inputs = [_form(source) for source in proposal.inputs]
        print_json({"plan": str(target), "inputs": inputs, "warnings": list(proposal.warnings)})
        return
    for source in proposal.inputs:
        print_line(f"Data       {source.path}: {_summary(source)}")
        if source.unused:
            print_line(f"Not used   {', '.join(source.unused)}")
        for line in nesting_lines(source.nesting, source.person):
            print_line(line)
    print_line(f"Plan       {target}")
    for warning in proposal.warnings:
        print_warning(warning)
    print_line(f"Next       replace every FILL IN in it, then: synthrelease preview {target}")


def _candidate_lines(data: Sequence[Path], source_fields: Mapping[str, Any]) -> list[str]:
    """Which column could be meant, for each table, where it is to be named."""
    from synthrelease.proposals.nesting import nesting_lines, nestings

    known = {key: value for key, value in source_fields.items() if value}
    return [line for found in nestings(data, known) for line in nesting_lines(found)]


def _form(data: Input) -> dict[str, object]:
    groups = [{"column": column, "fewest": low, "most": high} for low, high, column in data.groups]
    return {
        "path": str(data.path),
        "kind": data.kind,
        "people": data.people,
        "groups": groups,
        "unused": list(data.unused),
        "candidates": data.nesting.to_json(),
    }


def _summary(data: Input) -> str:
    people = f"{data.kind} of {several(data.people, 'participant')}"
    each = [
        f"{low if low == high else f'{low} to {high}'} of '{column}'" for low, high, column in data.groups
    ]
    return f"{people}, each with {' and '.join(each)}" if each else people
