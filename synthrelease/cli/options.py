"""Arguments and options that several commands take."""

from __future__ import annotations

from pathlib import Path

import click

from synthrelease.reports.exhibits import PICTURES as PICTURES_SHOWN

PATH = click.Path(path_type=Path)
PLAN = click.argument("plan", type=PATH)
BUNDLE = click.argument("bundle", type=PATH)
JOBS = click.option(
    "--jobs", type=click.IntRange(1), default=1, show_default=True, help="Number of processes."
)
PICTURES = click.option(
    "--pictures",
    type=click.IntRange(1),
    default=PICTURES_SHOWN,
    show_default=True,
    help="Maximum number of figures per output.",
)
STIMULI = click.option(
    "--stimuli",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="A folder of <stimulus>.png or .jpg to lay heatmaps and areas over.",
)
POLICY = click.option("--policy", type=PATH, help="A policy: limits for the release (TOML).")
FORCE_PAGE = click.option("--force", is_flag=True, help="Replace an existing page.")
TEST_SEED = click.option(
    "--test-seed",
    type=int,
    help="Draw reproducible noise, for tests. The bundle is marked and must not be published.",
)
YES = click.option(
    "--yes",
    is_flag=True,
    help="Charge the ledger without asking; needed without a terminal.",
)
ALLOW_LOSSES = click.option(
    "--allow-losses",
    is_flag=True,
    help="Charge unasked even if more than half of the rows or values are dropped or clipped.",
)
PLAN_DIGEST = click.option(
    "--plan-digest",
    metavar="SHA256",
    help="Refuse PLAN unless this is its SHA-256, so that what was confirmed is what is read.",
)

_AS_JSON = "synthrelease.json"  # in the context of all commands: whether this one is to print JSON


def wants_json(ctx: click.Context) -> bool:
    """Whether the command prints JSON."""
    return bool(ctx.meta.get(_AS_JSON, False))


def _remember_json(ctx: click.Context, _parameter: click.Parameter, value: bool) -> bool:  # noqa: FBT001  as click calls it
    ctx.meta[_AS_JSON] = value
    return value


AS_JSON = click.option(
    "--json", "as_json", is_flag=True, callback=_remember_json, help="Print JSON for a program."
)
