"""The command to begin with on data of one's own: init."""

from __future__ import annotations

from pathlib import Path

import click

from synthrelease.cli.group import main
from synthrelease.cli.printing import print_warning
from synthrelease.report.number_words import several
from synthrelease.report.plain_text import plain


@main.command()
@click.argument("data", type=click.Path(path_type=Path))
@click.option("--person", metavar="COLUMN", help="The column that says whose rows are. It is never guessed.")
@click.option(
    "-o",
    "--output",
    "target",
    type=click.Path(path_type=Path),
    default="plan.toml",
    show_default=True,
    help="The plan.",
)
@click.option("--force", is_flag=True, help="Replace an existing plan.")
def init(data: Path, *, person: str | None, target: Path, force: bool) -> None:
    """Propose a plan for DATA, a file or a folder with a file for each recording.

    Looks at the names of columns and at the first rows: what is what, missing codes, what says too much of somebody. Ranges, sizes and
    titles are left for you to fill in, with what is usual in the field beside them: nothing that people did may decide them.
    """
    from synthrelease.durable import refuse_unwritable, write_atomically
    from synthrelease.proposal.found_source import data_files
    from synthrelease.proposal.propose import propose

    refuse_unwritable(target, {f"the data ({file.name})": file for file in data_files(data)}, force=force)
    found = propose(data, target, person=person)
    write_atomically(target, found.text.encode("utf-8"), force=force)
    kind = "gaze" if found.gaze else "features"
    click.echo(plain(f"Data       {data}: {kind} of {several(found.people, 'person', 'people')}"))
    click.echo(plain(f"Plan       {target}"))
    for warning in found.warnings:
        print_warning(plain(warning))
    click.echo(plain(f"Next       fill in what says FILL IN, then: synthrelease preview {target}"))
