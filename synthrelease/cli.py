"""The command line: parse, call, print, exit code; nothing else."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from synthrelease.errors import PolicyError, SynthReleaseError

if TYPE_CHECKING:
    from synthrelease.builder import Built
    from synthrelease.parallel import Progress

_FAULT, _INTERRUPTED = 1, 130
_LARGE_DELTA = 1e-3
_DEMO_TEXT = """ε = 2 for the heatmaps means: whatever someone believed about one person's data before, seeing the heatmaps
changes the odds by a factor of at most e² ≈ 7.4 (but for δ, room for exceptions of about one in a million). That is
moderate protection; ε = 1 would be good, and would take more people for maps as clear as these.
24 people are too few for the signal and the mean: they are here to show what too few looks like, and
`preview` tells how many it would take."""


_POLICY = click.option(
    "--policy", type=click.Path(path_type=Path), help="Limits that the release must keep to (TOML)."
)


class _Group(click.Group):
    """Turns our errors into messages and exit codes, for every command."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except SynthReleaseError as error:
            click.echo(f"error: {error}", err=True)
            raise SystemExit(error.exit_code) from None
        except KeyboardInterrupt:
            click.echo("interrupted: nothing was left behind, but a ledger keeps what was paid", err=True)
            raise SystemExit(_INTERRUPTED) from None


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="synthrelease")
@click.option("--quiet", "-q", is_flag=True, help="Print results and errors only.")
@click.option(
    "--verbose", "-v", is_flag=True, help="Also print what is for you alone: rows dropped, values clipped."
)
@click.pass_context
def main(ctx: click.Context, *, quiet: bool, verbose: bool) -> None:
    """Turn private eye-tracking data into a release that can be published.

    Begin with `synthrelease demo`. Then write a plan, ask `preview` what it will cost and be worth, `build` the
    bundle, and let anyone `verify` and `show` it.

    Exit codes: 0 fine, 1 a bundle is at fault, 2 wrong usage, 3 plan or data invalid, 4 refused by privacy policy,
    6 the machine (disk, permission), 130 interrupted.
    """
    ctx.obj = {"quiet": quiet, "verbose": verbose}
    signal.signal(signal.SIGTERM, _terminated)


def _terminated(_number: int, _frame: object) -> NoReturn:
    raise KeyboardInterrupt


@main.command()
@click.option(
    "-o",
    "--out-dir",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    default="synthrelease-demo",
    show_default=True,
    help="Where to put data, plan, bundle and picture.",
)
@click.option("--force", is_flag=True, help="Replace the bundle of an earlier demonstration.")
@click.pass_obj
def demo(obj: dict[str, bool], folder: Path, *, force: bool) -> None:
    """Build, verify and show a release of real sample data (about 230 people)."""
    from synthrelease.demo import demonstrate

    with _progress(obj) as progress:
        made = demonstrate(folder, force=force, progress=progress)
    _print_summary(made.built, obj)
    _print_verification(made.verification, made.built.path)
    click.echo("")
    click.echo(f"Picture    {made.picture}")
    for image, value in made.correlation.items():
        click.echo(
            f"           image {image}: correlation {value:.2f} of the released heatmap with the exact one"
        )
    click.echo("")
    click.echo(_DEMO_TEXT)
    click.echo("")
    click.echo(f"Next       synthrelease preview {folder / 'plan.toml'}")
    click.echo(f"           synthrelease show {made.built.path}")
    if not made.verification.ok:
        raise SystemExit(_FAULT)


@main.command()
@click.argument("plan", type=click.Path(path_type=Path))
@_POLICY
@click.option("--json", "as_json", is_flag=True, help="Print JSON for a program.")
def preview(plan: Path, *, policy: Path | None, as_json: bool) -> None:
    """Tell what PLAN will cost and how good it will be, without reading a private value."""
    from synthrelease.design import make_design
    from synthrelease.plan import load_plan
    from synthrelease.policy import load_policy
    from synthrelease.preview import as_text
    from synthrelease.preview import preview as make_preview

    limits = None if policy is None else load_policy(policy)
    view = make_preview(make_design(load_plan(plan)), limits)
    click.echo(json.dumps(view, ensure_ascii=False, indent=2) if as_json else as_text(view))
    if view["policy"] is not None and view["policy"]["breaches"]:
        raise SystemExit(PolicyError.exit_code)


@main.command()
@click.argument("plan", type=click.Path(path_type=Path))
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="The bundle; default <name>-<version>.h5."
)
@click.option("--force", is_flag=True, help="Replace an existing bundle.")
@_POLICY
@click.option(
    "--test-seed",
    type=int,
    help="Repeatable noise for tests. The bundle is marked and must not be published.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON for a program.")
@click.pass_obj
def build(
    obj: dict[str, bool],
    plan: Path,
    output: Path | None,
    *,
    force: bool,
    policy: Path | None,
    test_seed: int | None,
    as_json: bool,
) -> None:
    """Build, verify and write the bundle of PLAN."""
    from synthrelease.builder import build as run
    from synthrelease.policy import load_policy

    with _progress(obj) as progress:
        built = run(plan, output, force=force, policy=policy, test_seed=test_seed, progress=progress)
    if as_json:
        click.echo(
            json.dumps(
                {
                    "bundle": str(built.path),
                    "manifest": str(built.sidecar),
                    "privacy": built.manifest["privacy"],
                },
                ensure_ascii=False,
                indent=2,
            )
        )
        return
    _print_summary(built, obj)
    if policy is not None and (attacks := load_policy(policy).required_attacks):
        click.echo(f"Before publishing, the policy asks for attacks: {', '.join(attacks)}")


@main.command()
@click.argument("bundle", type=click.Path(path_type=Path))
@click.option("--quick", is_flag=True, help="Seal, structure and manifest only.")
@_POLICY
@click.option("--allow-test-seed", is_flag=True, help="Do not count repeatable noise as a fault.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON for a program.")
def verify(bundle: Path, *, quick: bool, policy: Path | None, allow_test_seed: bool, as_json: bool) -> None:
    """Check BUNDLE, from anyone: structure, digests, every derived value and every claimed guarantee."""
    from synthrelease.bundle import verify as run
    from synthrelease.policy import load_policy, policy_findings

    limits = None if policy is None else load_policy(policy)
    result = run(bundle, quick=quick, allow_test_seed=allow_test_seed)
    if limits is not None and result.ok and result.manifest is not None:
        result.findings.extend(policy_findings(limits, result.manifest))
        result.checked.append(f"the policy '{limits.limits['name']}'")
    if as_json:
        findings = [{"code": f.code, "where": f.where, "message": f.message} for f in result.findings]
        click.echo(
            json.dumps(
                {"ok": result.ok, "checked": result.checked, "findings": findings},
                ensure_ascii=False,
                indent=2,
            )
        )
    else:
        _print_verification(result, bundle)
    if not result.ok:
        raise SystemExit(_FAULT)


@main.command()
@click.argument("bundle", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print the manifest as it is.")
def show(bundle: Path, *, as_json: bool) -> None:
    """Print what BUNDLE contains and promises."""
    from synthrelease.bundle import open_bundle
    from synthrelease.report.summary import as_text

    manifest = open_bundle(bundle, allow_test_seed=True).manifest
    click.echo(json.dumps(manifest, indent=2) if as_json else _plain(as_text(manifest)))


@main.command()
@click.argument("bundle", type=click.Path(path_type=Path))
@click.option(
    "--to", "form", type=click.Choice(["png"]), required=True, help="png: a picture of every heatmap."
)
@click.option(
    "-o",
    "--out-dir",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    help="Where to.",
)
@click.option(
    "--stimuli",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="Folder of <stimulus>.png or .jpg, to draw the maps over.",
)
@click.pass_obj
def export(obj: dict[str, bool], bundle: Path, *, form: str, folder: Path, stimuli: Path | None) -> None:
    """Write BUNDLE in a form that other tools read."""
    from synthrelease.bundle import open_bundle
    from synthrelease.bundle import verify as check
    from synthrelease.report.pictures import draw, picture_count

    assert form == "png"
    result = check(bundle, allow_test_seed=True)
    if not result.ok:  # a picture would carry a lie further
        _print_verification(result, bundle)
        raise SystemExit(_FAULT)
    opened = open_bundle(bundle, allow_test_seed=True)
    if opened.manifest["randomness"]["test_seed"]:
        click.secho("TEST SEED - DO NOT PUBLISH: the pictures say so too", fg="red", err=True)
    number = picture_count(opened.manifest)
    with _progress(obj) as progress:
        for done, path in enumerate(draw(opened, folder, stimuli=stimuli), start=1):
            if progress is not None:
                progress(f"drawing {path.name}", done, number)
    click.echo(f"Pictures   {number} in {folder}")


@main.group()
def ledger() -> None:
    """What all releases of a dataset cost its people together: grant, show, check.

    A plan names LEDGER and the dataset under [privacy]; every build then pays before it draws any noise, and is refused
    beyond what is granted (exit code 4). The file is private: keep it with the data, and back it up.
    """


@ledger.command()
@click.argument("path", metavar="LEDGER", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--dataset", required=True, help="Your name for the private dataset; plans repeat it.")
@click.option("--epsilon", type=float, required=True, help="ε of all its releases together, per person.")
@click.option(
    "--delta",
    type=float,
    default=0.0,
    show_default=True,
    help="The chance that the promise fails, for all its releases together.",
)
@click.option(
    "--neighbours",
    type=click.Choice(["replace-one", "add-remove-one"]),
    default="replace-one",
    show_default=True,
    help="The relation of its releases.",
)
@click.pass_obj
def grant(
    obj: dict[str, bool], path: Path, *, dataset: str, epsilon: float, delta: float, neighbours: str
) -> None:
    """Grant a budget to all releases of a dataset, in place of an earlier grant; makes LEDGER if there is none.

    It holds however each release was chosen, by somebody who had seen those before it, as long as grants are not chosen so.
    """
    from synthrelease.ledger import Ledger
    from synthrelease.privacy.guarantee import Neighbours

    book = Ledger(path)
    book.grant(dataset, epsilon, delta, Neighbours(neighbours))
    if delta > _LARGE_DELTA and not obj["quiet"]:
        told = f"at δ = {delta:g}, one person in {1 / delta:.0f} may be published whole: choose δ far below 1/people"
        click.secho(f"warning: {told}", fg="yellow", err=True)
    click.echo(_plain("\n".join(book.summary(dataset))))


@ledger.command(name="show")
@click.argument("path", metavar="LEDGER", type=click.Path(path_type=Path))
@click.option("--dataset", help="Only this one.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON for a program.")
def show_ledger(path: Path, *, dataset: str | None, as_json: bool) -> None:
    """Print what LEDGER grants, and every release that was paid for."""
    from synthrelease.ledger import Ledger

    book = Ledger(path)
    click.echo(
        json.dumps(book.to_json(dataset), ensure_ascii=False, indent=2)
        if as_json
        else _plain("\n".join(book.summary(dataset)))
    )


@ledger.command(name="check")
@click.argument("path", metavar="LEDGER", type=click.Path(path_type=Path))
@click.argument("bundles", metavar="[BUNDLE]...", nargs=-1, type=click.Path(path_type=Path))
@click.option("--digest", "digests", multiple=True, help="A digest of the ledger that you noted before.")
def check_ledger(path: Path, bundles: tuple[Path, ...], digests: tuple[str, ...]) -> None:
    """Check that nothing in LEDGER was changed, left out or slipped in, and that what it adds up is right.

    Whoever can write the file can also write it anew: so give bundles that were published from it, or a digest that
    you noted, and their entries are looked for.
    """
    from synthrelease.bundle import open_bundle
    from synthrelease.ledger import Ledger

    manifests = {
        str(bundle): open_bundle(bundle, allow_test_seed=True).manifest for bundle in dict.fromkeys(bundles)
    }
    checked = Ledger(path).check(digests=digests, manifests=manifests)
    for fault in checked.faults:
        click.secho(_plain(f"  {fault}"), fg="red")
    if checked.faults:
        raise SystemExit(_FAULT)
    click.echo(f"Checked    {path}: {checked.entries} entries hang together, and amount to what they state")
    click.echo(f"Digest     {checked.head}  (note it: a later check can ask for it)")


def _print_summary(built: Built, obj: dict[str, bool]) -> None:
    from synthrelease.report.summary import as_lines

    if built.manifest["randomness"]["test_seed"]:
        click.secho(
            "TEST SEED - DO NOT PUBLISH: the noise of this bundle can be taken away", fg="red", err=True
        )
    click.echo(f"Bundle     {built.path}  ({built.path.stat().st_size / 1e6:.2f} MB, verified)")
    click.echo(f"Manifest   {built.sidecar}")
    for line in as_lines(built.manifest):
        click.echo(line)
    if obj["quiet"]:
        return
    for warning in built.manifest["warnings"]:
        click.secho(f"warning: {warning}", fg="yellow", err=True)
    if built.notes and obj["verbose"]:
        click.echo("For you alone, not in the release:", err=True)
        for name, notes in built.notes.items():
            for note in notes:
                click.echo(f"  {name}: {note}", err=True)


def _plain(text: str) -> str:
    """Return text of an untrusted file without characters that could steer a terminal."""
    return "".join(c if c.isprintable() or c == "\n" else f"\\u{ord(c):04x}" for c in text)


def _print_verification(result: Any, path: Path) -> None:
    if result.ok:
        click.echo(f"Verified   {path}: {', '.join(result.checked)}")
        return
    click.secho(f"NOT TO BE RELIED ON: {path}", fg="red")
    for finding in result.findings:
        click.echo(_plain(f"  {finding}"))


@contextmanager
def _progress(obj: dict[str, bool]) -> Iterator[Progress | None]:
    if obj["quiet"] or not sys.stderr.isatty():
        yield None
        return
    from tqdm import tqdm

    with tqdm(total=1, bar_format="{desc:<28} {bar} {elapsed}", leave=False) as bar:

        def tell(what: str, done: int, total: int) -> None:
            bar.total, bar.n = total, done
            bar.set_description_str(what)

        yield tell
