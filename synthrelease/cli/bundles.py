"""Commands about bundles, from anyone: verify, show, diff, report, export."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from synthrelease.cli.group import AS_JSON, FAULT, PICTURES, POLICY, main
from synthrelease.cli.printing import print_verification, print_warning, progress
from synthrelease.exports.formats import FORMATS
from synthrelease.report.plain_text import plain

if TYPE_CHECKING:
    from synthrelease.policy import Policy


@main.command()
@click.argument("bundle", type=click.Path(path_type=Path))
@click.option(
    "--public-key",
    type=click.Path(path_type=Path),
    help="A key that must have signed BUNDLE, in it or in the file beside it.",
)
@click.option("--quick", is_flag=True, help="Seal, structure, manifest and signatures only.")
@POLICY
@click.option("--allow-test-seed", is_flag=True, help="Do not count repeatable noise as a fault.")
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
    """Check BUNDLE, from anyone: structure, digests, every derived value and every claimed guarantee."""
    from synthrelease.bundle import verify as run

    if quick and policy is not None:
        raise click.UsageError(
            "--policy asks about claims that --quick does not check; leave one of them out."
        )
    limits = None if policy is None else _limits(policy)
    with progress(obj) as tell:
        result = run(bundle, public_key, quick=quick, allow_test_seed=allow_test_seed, progress=tell)
    if limits is not None and result.ok and result.manifest is not None:
        from synthrelease.policy import policy_findings

        result.findings.extend(policy_findings(limits, result.manifest))
        result.checked.append(f"the policy '{limits.limits['name']}'")
    if as_json:
        findings = [{"code": f.code, "where": f.where, "message": f.message} for f in result.findings]
        click.echo(
            json.dumps(
                {
                    "ok": result.ok,
                    "checked": result.checked,
                    "signed_by": result.signed_by,
                    "findings": findings,
                },
                ensure_ascii=False,
                indent=2,
            )
        )
    else:
        print_verification(result, bundle)
        if result.ok and quick:
            click.echo("Quick      no value was compared with the manifest, and no claim recomputed")
    if not result.ok:
        raise SystemExit(FAULT)


def _limits(policy: Path) -> Policy:
    from synthrelease.policy import load_policy

    return load_policy(policy)


@main.command()
@click.argument("bundle", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print the manifest as it is.")
def show(bundle: Path, *, as_json: bool) -> None:
    """Print what BUNDLE contains and promises."""
    from synthrelease.bundle import open_bundle
    from synthrelease.report.summary import as_text

    manifest = open_bundle(bundle, allow_test_seed=True).manifest
    click.echo(json.dumps(manifest, indent=2) if as_json else plain(as_text(manifest)))


@main.command()
@click.argument("old", type=click.Path(path_type=Path))
@click.argument("new", type=click.Path(path_type=Path))
@click.option(
    "--quick", is_flag=True, help="Check seal, structure and manifests only; take claims as they stand."
)
@AS_JSON
def diff(old: Path, new: Path, *, quick: bool, as_json: bool) -> None:
    """Print what changed from the bundle OLD to the bundle NEW.

    First whether the promise got weaker and what both cost together, then outputs, values, what is not protected, and
    the rest. Both files are verified before. Also looks for noise that was used twice: who subtracts two such
    releases takes it away.

    Ends with 0 whether or not anything changed (--json tells: "same"), and with 1 if a file is at fault or noise was
    used twice.
    """
    from synthrelease.bundle import open_bundle
    from synthrelease.bundle import verify as check
    from synthrelease.report.difference import difference
    from synthrelease.report.difference_text import as_text

    results = [(path, check(path, quick=quick, allow_test_seed=True)) for path in (old, new)]
    faulty = [(path, result) for path, result in results if not result.ok]
    if faulty and as_json:
        findings = [
            {"file": str(path), "code": f.code, "where": f.where, "message": f.message}
            for path, result in faulty
            for f in result.findings
        ]
        click.echo(json.dumps({"ok": False, "findings": findings}, ensure_ascii=False, indent=2))
    elif faulty:
        for path, result in faulty:
            print_verification(result, path)
    if faulty:
        raise SystemExit(FAULT)
    called = (str(old), str(new))
    told = difference(*(open_bundle(path, allow_test_seed=True) for path in (old, new)), called=called)
    if as_json:
        form = {"ok": not told.hazards, "verified": not quick, **told.to_json()}
        click.echo(json.dumps(form, ensure_ascii=False, indent=2))
    else:
        seen = (
            "seal, structure and manifests; what both claim is taken as it stands. In full: synthrelease verify FILE"
            if quick
            else "both in full, as verify does"
        )
        click.echo(plain(as_text(told, called=called, checked=seen)))
    if told.hazards:
        raise SystemExit(FAULT)


@main.command()
@click.argument("bundle", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    "target",
    type=click.Path(path_type=Path),
    default="report.html",
    show_default=True,
    help="The page.",
)
@PICTURES
@click.option("--force", is_flag=True, help="Replace an existing page.")
@click.pass_obj
def report(obj: dict[str, bool], bundle: Path, *, target: Path, pictures: int, force: bool) -> None:
    """Write a page about BUNDLE for everybody: what it promises, what is in it, how to check that.

    One file of HTML with everything in it; it loads nothing and runs nothing. BUNDLE is verified in full first.
    """
    from synthrelease.bundle import verify as check
    from synthrelease.report.public_report import refuse_target, write_report

    refuse_target(bundle, target, force=force)
    with progress(obj) as tell:
        result = check(bundle, allow_test_seed=True, progress=tell)
        if result.ok and result.manifest is not None:
            size = write_report(
                bundle,
                target,
                manifest=result.manifest,
                checked=result.checked,
                signed_by=result.signed_by,
                force=force,
                pictures=pictures,
                progress=tell,
            )
    if not result.ok or result.manifest is None:  # a page would carry a lie further
        print_verification(result, bundle)
        raise SystemExit(FAULT)
    if result.manifest["randomness"]["test_seed"]:
        click.secho("TEST SEED - DO NOT PUBLISH: the page says so too", fg="red", err=True)
    click.echo(f"Report     {target}  ({size / 1e6:.1f} MB)")


@main.command()
@click.argument("bundle", type=click.Path(path_type=Path))
@click.option(
    "--to",
    "form",
    type=click.Choice(list(FORMATS)),
    required=True,
    help="; ".join(f"{name}: {form.told}" for name, form in FORMATS.items()) + ".",
)
@click.option(
    "-o",
    "--out-dir",
    "folder",
    type=click.Path(path_type=Path),
    required=True,
    help="Where to: a new or empty folder.",
)
@click.option(
    "--stimuli",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="Folder of <stimulus>.png or .jpg, to draw the maps over.",
)
@click.option("--force", is_flag=True, help="Replace what an export wrote there before.")
@click.pass_obj
def export(
    obj: dict[str, bool], bundle: Path, *, form: str, folder: Path, stimuli: Path | None, force: bool
) -> None:
    """Write BUNDLE in a form that other tools read.

    BUNDLE is verified in full first. The folder is written whole or not at all.
    """
    from synthrelease.bundle import Bundle
    from synthrelease.bundle import verify as check
    from synthrelease.exports.exporting import export as write
    from synthrelease.exports.folder import refuse_target

    if stimuli is not None and form != "png":
        raise click.UsageError("--stimuli is for pictures: leave it out, or export --to png.")
    refuse_target(folder, force=force)
    with progress(obj) as tell:
        result = check(bundle, allow_test_seed=True, progress=tell)
    if not result.ok or result.manifest is None:  # an export would carry a lie further
        print_verification(result, bundle)
        raise SystemExit(FAULT)
    with progress(obj) as tell:
        opened = Bundle(bundle, result.manifest)
        written = write(opened, form, folder, force=force, stimuli=stimuli, progress=tell)
    if result.manifest["randomness"]["test_seed"]:
        click.secho("TEST SEED - DO NOT PUBLISH: what was exported says so too", fg="red", err=True)
    if not obj["quiet"]:
        for warning in written.warnings:
            print_warning(warning)
    files = f"{written.files} file{'' if written.files == 1 else 's'}, {written.size / 1e6:.2f} MB"
    click.echo(f"Exported   {form}: {files} in {folder}")
