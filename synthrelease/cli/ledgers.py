"""Commands about ledgers: grant, show, check."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from synthrelease.cli.group import FAULT, Commands, main
from synthrelease.cli.options import AS_JSON, PATH
from synthrelease.cli.printing import print_json, print_line, print_warning
from synthrelease.printable import printable, printable_lines

if TYPE_CHECKING:
    from synthrelease.ledger import Ledger

_LARGE_DELTA = 1e-3


@main.group(cls=Commands)
def ledger() -> None:
    """Limit and add up what all releases of a dataset cost its people together: grant, show, check.

    A plan names LEDGER and the dataset under [privacy]. Every build then pays before it draws any noise, and is refused
    if the grant does not cover it (exit code 4). The file is private: keep it with the data, and back it up.
    """


@ledger.command()
@click.argument("path", metavar="LEDGER", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--dataset", required=True, help="The dataset, as plans name it under [privacy].")
@click.option("--epsilon", type=float, required=True, help="Total ε of all its releases, per person.")
@click.option(
    "--delta",
    type=float,
    default=0.0,
    show_default=True,
    help="Total δ of all its releases: the additive slack of (ε, δ), far below one in the number of people.",
)
@click.option(
    "--neighbours",
    type=click.Choice(["replace-one", "add-remove-one"]),
    default="replace-one",
    show_default=True,
    help="The neighbouring relation of all its releases.",
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
    """Grant a budget to all releases of a dataset.

    Replaces an earlier grant; makes LEDGER if there is none. Each release may be planned after seeing the earlier ones,
    but decide on grants without looking at releases.
    """
    from synthrelease.ledger import Ledger

    book = Ledger(path)
    book.grant(dataset, epsilon, delta, neighbours)
    if delta > _LARGE_DELTA and not obj["quiet"]:
        warning = f"at δ = {delta:g}, one person in {1 / delta:.0f} may be published whole: choose δ far below 1/people"
        print_warning(warning)
    if delta == 0 and not obj["quiet"]:
        print_warning(
            "a grant without δ cannot pay for Gaussian noise, which heatmaps have by default: --delta 1e-6 would grant one"
        )
    _print_account(book, dataset, as_json=as_json)


@ledger.command(name="show")
@click.argument("path", metavar="LEDGER", type=PATH)
@click.option("--dataset", help="Show only this dataset.")
@AS_JSON
def show_ledger(path: Path, *, dataset: str | None, as_json: bool) -> None:
    """Print what LEDGER grants, and every release that was paid for."""
    from synthrelease.ledger import Ledger

    _print_account(Ledger(path), dataset, as_json=as_json)


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
    """Check that nothing in LEDGER was changed, left out or slipped in.

    Also checks its sums. Whoever can write the file can also write a consistent new one; to notice that, give bundles
    that were published from it, or a digest that you noted.
    """
    from synthrelease.bundle import open_bundle
    from synthrelease.ledger import Ledger

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
    print_line(f"Checked    {path}: {checked.entries} entries hang together, and amount to what they state")
    click.echo(f"Digest     {checked.head}  (note it: a later check can ask for it)")
