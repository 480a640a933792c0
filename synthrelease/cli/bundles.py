"""Commands about bundles, from anyone: verify, show, diff, report, export."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from synthrelease.cli.group import FAULT, main
from synthrelease.cli.options import AS_JSON, BUNDLE, PATH, PICTURES, POLICY, STIMULI
from synthrelease.cli.printing import print_json, print_line, print_verification, print_warning, progress
from synthrelease.errors import FaultyBundleError
from synthrelease.exports.formats import FORMATS, forms_with
from synthrelease.exports.options import NUMBERS, ExportOptions
from synthrelease.printable import printable_lines


@main.command()
@BUNDLE
@click.option(
    "--public-key",
    type=PATH,
    help="The signer's public key: fail unless it signed BUNDLE, in the bundle or in the signature file next to it.",
)
@click.option("--quick", is_flag=True, help="Verify only checksum, structure, manifest and signatures.")
@POLICY
@click.option(
    "--allow-test-seed", is_flag=True, help="Accept a bundle with reproducible noise, made for tests."
)
@AS_JSON
@click.pass_obj
def verify(
    obj: dict[str, bool],
    bundle: Path,
    *,
    public_key: Path | None,
    quick: bool,
    policy: Path | None,
    allow_test_seed: bool,
    as_json: bool,
) -> None:
    """Verify BUNDLE without the private data.

    BUNDLE may come from an untrusted source. Checks structure and digests, and recomputes every guarantee and every derived value. The
    output lists what cannot be verified without the data.
    """
    from synthrelease.api import verify as run

    if quick and policy is not None:
        raise click.UsageError("--policy needs claims that --quick does not check: leave one of them out")
    with progress(obj) as show_stage:
        result = run(
            bundle,
            public_key,
            quick=quick,
            policy=policy,
            allow_test_seed=allow_test_seed,
            progress=show_stage,
        )
    if as_json:
        print_json(result.to_json())
    else:
        print_verification(result, bundle)
        if result.ok and quick:
            click.echo("Quick      no value was compared with the manifest, and no guarantee was recomputed")
        else:
            for name, guarantee in result.unprotected.items():
                print_line(f"Caveat     {name}: {guarantee}")
    if not result.ok:
        raise SystemExit(FAULT)


@main.command()
@BUNDLE
@AS_JSON
def show(bundle: Path, *, as_json: bool) -> None:
    """Show the contents and guarantees of BUNDLE.

    With --json, print its manifest unchanged.
    """
    from synthrelease.bundle import open_bundle
    from synthrelease.reports.summary import as_text

    manifest = open_bundle(bundle, allow_test_seed=True).manifest
    if as_json:
        print_json(manifest, escaped=True)
    else:
        click.echo(printable_lines(as_text(manifest)))
        click.echo("\nAs stated in the manifest. To recompute it, run `synthrelease verify`.")


@main.command()
@click.argument("old", type=PATH)
@click.argument("new", type=PATH)
@click.option(
    "--quick", is_flag=True, help="Verify only checksum, structure and manifest; do not recompute claims."
)
@AS_JSON
def diff(old: Path, new: Path, *, quick: bool, as_json: bool) -> None:
    """Compare the bundles OLD and NEW.

    Verifies both first. Prints whether the guarantee got weaker and what both cost together, then what changed in outputs, values and
    what is not protected. Detects noise that was used twice: subtracting two such releases removes it.

    Exit code 0 whether or not anything changed (see "same" in --json), 1 if verification failed or noise was used twice.
    """
    from synthrelease.api import diff as run

    try:
        difference = run(old, new, quick=quick)
    except FaultyBundleError as error:
        if not as_json:
            raise
        print_json({"ok": False, "findings": error.findings})
        raise SystemExit(FAULT) from None
    if as_json:
        print_json(difference.to_json())
    else:
        click.echo(printable_lines(difference))
    if difference.hazards:
        raise SystemExit(FAULT)


@main.command()
@BUNDLE
@click.option(
    "-o",
    "--output",
    "target",
    type=PATH,
    default="report.html",
    show_default=True,
    help="The HTML file to write.",
)
@PICTURES
@STIMULI
@click.option("--force", is_flag=True, help="Replace an existing report.")
@AS_JSON
@click.pass_obj
def report(
    obj: dict[str, bool],
    bundle: Path,
    *,
    target: Path,
    pictures: int,
    stimuli: Path | None,
    force: bool,
    as_json: bool,
) -> None:
    """Write a public HTML report for BUNDLE.

    The report states the guarantee, the contents and how to verify them. It is one HTML file that is complete without scripts and
    without network access. Its only script shows values under the pointer. BUNDLE is verified in full first.
    """
    from synthrelease import api

    with progress(obj) as show_stage:
        page = api.report(
            bundle, target, stimuli=stimuli, force=force, pictures=pictures, progress=show_stage
        )
    if page.test_seed:
        click.secho("TEST SEED - DO NOT PUBLISH: the report says so, too", fg="red", err=True)
    if as_json:
        print_json(
            {
                "report": str(page.path),
                "bytes": page.size,
                "warnings": list(page.warnings),
                "test_seed": page.test_seed,
            }
        )
    else:
        for warning in page.warnings:
            print_warning(warning)
        print_line(f"Report     {target}  ({page.size / 1e6:.2f} MB)")


def _number(name: str) -> Callable[[Callable[..., Any]], Any]:
    """Return the option of a number that forms of export take."""
    number = NUMBERS[name]
    words = (
        number.words
        if number.default is None
        else f"{number.words.removesuffix('.')}; default {number.default:g}."
    )
    return click.option(
        f"--{name.replace('_', '-')}",
        type=click.FloatRange(number.lowest, number.highest),
        help=f"For {', '.join(forms_with(name))}: {words[:1].lower()}{words[1:]}",
    )


@main.command()
@BUNDLE
@click.option(
    "--to",
    "form",
    type=click.Choice(list(FORMATS)),
    required=True,
    help="; ".join(f"{name}: {form.description}" for name, form in FORMATS.items()) + ".",
)
@click.option(
    "-o",
    "--output",
    "folder",
    type=PATH,
    required=True,
    help="The folder to write, new or empty.",
)
@STIMULI
@click.option(
    "--one-file-per",
    metavar="RECORD",
    help="For csv: a file for each synthetic record that has several rows, such as person.",
)
@_number("hz")
@_number("px_per_degree")
@_number("blinks_per_minute")
@click.option("--force", is_flag=True, help="Replace an earlier export.")
@AS_JSON
@click.pass_obj
def export(
    obj: dict[str, bool],
    bundle: Path,
    *,
    form: str,
    folder: Path,
    stimuli: Path | None,
    one_file_per: str | None,
    hz: float | None,
    px_per_degree: float | None,
    blinks_per_minute: float | None,
    force: bool,
    as_json: bool,
) -> None:
    """Export BUNDLE to CSV, Parquet, BIDS, … for other tools.

    BUNDLE is verified in full first. The folder is written completely or not at all.
    """
    from synthrelease.api import export as run

    options = ExportOptions(stimuli, one_file_per, hz, px_per_degree, blinks_per_minute)
    for option in options.given:
        if option not in FORMATS[form].options:
            flag, others = f"--{option.replace('_', '-')}", " or ".join(forms_with(option))
            raise click.UsageError(f"{form} does not take {flag}: leave it out, or export --to {others}")
    with progress(obj) as show_stage:
        written = run(
            bundle,
            form,
            folder,
            force=force,
            stimuli=stimuli,
            one_file_per=one_file_per,
            hz=hz,
            px_per_degree=px_per_degree,
            blinks_per_minute=blinks_per_minute,
            progress=show_stage,
        )
    if written.test_seed:
        click.secho("TEST SEED - DO NOT PUBLISH: the exported files say so, too", fg="red", err=True)
    if as_json:
        print_json(
            {
                "to": form,
                "folder": str(folder),
                "files": written.files,
                "bytes": written.size,
                "warnings": list(written.warnings),
                "test_seed": written.test_seed,
            }
        )
        return
    if not obj["quiet"]:
        for warning in written.warnings:
            print_warning(warning)
    files = f"{written.files} file{'' if written.files == 1 else 's'}, {written.size / 1e6:.2f} MB"
    print_line(f"Exported   {form}: {files} in {folder}")
