"""Commands about ledgers: grant, show, check."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from synthrelease.cli.group import FAULT, Commands, main
from synthrelease.cli.options import AS_JSON, FORCE_PAGE, PATH
from synthrelease.cli.printing import print_json, print_line, print_page, print_warning
from synthrelease.printable import printable, printable_lines

if TYPE_CHECKING:
    from synthrelease.ledgers import Ledger

_LARGE_DELTA = 1e-3


@main.group(cls=Commands)
def ledger() -> None:
    """Track and cap the cumulative privacy budget of a dataset: grant, show, check.

    A plan names LEDGER and the dataset under [privacy]. Every build is then charged before it draws noise, and refused if the budget
    does not cover it (exit code 4). The file is private: keep it with the data, and back it up.
    """


@ledger.command()
@click.argument("path", metavar="LEDGER", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--dataset", required=True, help="Dataset name used in [privacy].")
@click.option("--epsilon", type=float, required=True, help="Total ε of all releases, per person.")
@click.option(
    "--delta",
    type=float,
    default=0.0,
    show_default=True,
    help="Total δ of all releases, far below 1/participants.",
)
@click.option(
    "--neighbours",
    type=click.Choice(["replace-one", "add-remove-one"]),
    default="replace-one",
    show_default=True,
    help="Neighbouring relation of all releases: bounded (replace-one) or unbounded (add-remove-one) DP.",
)
@AS_JSON
@click.pass_obj
def grant(
    obj: dict[str, bool],
    path: Path,
    *,
    dataset: str,
    epsilon: float,
    delta: float,
    neighbours: str,
    as_json: bool,
) -> None:
    """Set the total privacy budget of a dataset.

    Replaces an earlier grant; creates LEDGER if there is none. You may plan each release after seeing the earlier ones, but decide on
    budgets without looking at releases.
    """
    from synthrelease.ledgers import Ledger

    book = Ledger(path)
    book.grant(dataset, epsilon, delta, neighbours)
    if delta > _LARGE_DELTA and not obj["quiet"]:
        warning = f"at δ = {delta:g}, publishing one participant in {1 / delta:.0f} in full would be allowed: choose δ far below 1/participants"
        print_warning(warning)
    if delta == 0 and not obj["quiet"]:
        print_warning(
            "a budget without δ does not cover Gaussian noise, the default of heatmaps: add --delta 1e-6"
        )
    _print_account(book, dataset, as_json=as_json)


@ledger.command(name="show")
@click.argument("path", metavar="LEDGER", type=PATH)
@click.option("--dataset", help="Show only this dataset.")
@click.option(
    "--html",
    "page",
    type=PATH,
    help="Also write a page (HTML) with budget and releases over time; private, like the ledger.",
)
@FORCE_PAGE
@AS_JSON
def show_ledger(path: Path, *, dataset: str | None, page: Path | None, force: bool, as_json: bool) -> None:
    """Show the budgets of LEDGER and every release that was charged."""
    from synthrelease.ledgers import Ledger

    book = Ledger(path)
    if page is not None:
        book.write_page(page, dataset, force=force)
    _print_account(book, dataset, as_json=as_json)
    if page is not None and not as_json:
        print_page(page)


def _print_account(book: Ledger, dataset: str | None, *, as_json: bool) -> None:
    if as_json:
        print_json(book.to_json(dataset))
    else:
        click.echo(printable_lines("\n".join(book.summary(dataset))))


@ledger.command(name="check")
@click.argument("path", metavar="LEDGER", type=PATH)
@click.argument("bundles", metavar="[BUNDLE]...", nargs=-1, type=PATH)
@click.option("--digest", "digests", multiple=True, help="A digest that an earlier check printed.")
@AS_JSON
def check_ledger(path: Path, bundles: tuple[Path, ...], digests: tuple[str, ...], *, as_json: bool) -> None:
    """Check that no entry of LEDGER was changed, removed or inserted.

    Also recomputes its totals. Anyone who can write the file can also write a consistent new one: to detect that, give published
    bundles, or a digest that you noted.
    """
    from synthrelease.bundle import open_bundle
    from synthrelease.ledgers import Ledger

    manifests = {
        str(bundle): open_bundle(bundle, allow_test_seed=True).manifest for bundle in dict.fromkeys(bundles)
    }
    checked = Ledger(path).check(digests=digests, manifests=manifests)
    if as_json:
        faults = [str(fault) for fault in checked.faults]
        print_json({"ok": not faults, "faults": faults, "entries": checked.entries, "digest": checked.head})
        if checked.faults:
            raise SystemExit(FAULT)
        return
    for fault in checked.faults:
        click.secho(printable(f"  {fault}"), fg="red")
    if checked.faults:
        raise SystemExit(FAULT)
    print_line(f"Checked    {path}: {checked.entries} entries are consistent, and their totals are correct")
    click.echo(f"Digest     {checked.head}  (note it: a later check can compare it)")
