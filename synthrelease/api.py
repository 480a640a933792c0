"""What commands do, as functions: the command line parses, calls these, and prints.

`synthrelease` itself offers them, and others that need nothing more than they are: `build`, `open_bundle`, `evaluate`, `keygen`. Errors are those of `synthrelease.errors`, with the exit code of the command.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from synthrelease.bundle.verification import refuse_no_bundle
from synthrelease.bundle.verification import verify as _verify
from synthrelease.errors import ArgumentError, FaultyBundleError, Remedy
from synthrelease.reports.exhibits import PICTURES

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    from synthrelease.building.preview import Preview
    from synthrelease.bundle import Verification
    from synthrelease.exports.exporting import Exported
    from synthrelease.parallel import Progress
    from synthrelease.plan.plan import PlanLike
    from synthrelease.proposals.propose import Proposal
    from synthrelease.reports.difference import Difference

__all__ = ["Page", "diff", "export", "init", "preview", "report", "sign", "verify"]

_MOST_FINDINGS = 3  # in a message; all are in the error


def init(
    data: str | Path | Sequence[str | Path],
    *,
    person: str | Sequence[str] = (),
    columns: Mapping[str, str] | None = None,
    plan: str | Path = "plan.toml",
    pattern: str | None = None,
    table: str | None = None,
    axes: Sequence[str] = (),
) -> Proposal:
    """Return a plan for files, or folders with a file for each recording: what `synthrelease init` writes. Writes nothing.

    Who is a person is never guessed, and no range is taken from the data: such places say FILL IN.

    Args:
        data: a file or a folder, or several.
        person: the column that says whose rows are; several for tables that call it otherwise.
        columns: other columns, where their names do not say what they are: by `stimulus`, `recording`, `groups` (of statistics), `x` or `y`.
        plan: where the plan is to stand; paths in it are relative to that.
        pattern: how the files of a folder are called, such as "P{person}_R{recording}.csv".
        table: which table of a file that holds several.
        axes: what the axes of arrays are, the outermost first.

    Returns:
        A `Proposal`: its `text` is the plan, `warnings` are sentences only for the curator.

    Raises:
        ArgumentError: something else in the place of a path or a name.
        DataError: the data cannot be read, or no column says whose rows are.
        MachineError: they may not be read.

    Example:
        >>> import polars as pl, tempfile
        >>> file = f"{tempfile.mkdtemp()}/gaze.csv"
        >>> rows = {"who": ["a", "b"] * 3, "image": ["1"] * 6, "x": [1.5, 90.0] * 3, "y": [2.0, 50.0] * 3}
        >>> pl.DataFrame(rows).write_csv(file)
        >>> found = init(file, person="who", plan="plan.toml")
        >>> 'person = "who"' in found.text
        True
    """
    from synthrelease.data.arguments import named  # noqa: PLC0415
    from synthrelease.proposals.propose import propose as run  # noqa: PLC0415  only what is asked for is loaded

    paths = named(data, "init().data", "a path, or a list of paths", 'write init("gaze.csv", …)')
    people = named(person, "init().person", "the name of a column, or a list of names", 'write person="who"')
    source_fields = {"pattern": pattern, "table": table, "axes": tuple(axes)}
    return run(
        [Path(path) for path in paths],
        Path(plan),
        people=list(map(str, people)),
        choices=columns,
        source_fields={key: value for key, value in source_fields.items() if value},
    )


def preview(
    plan: PlanLike,
    *,
    frames: Mapping[str, object] | None = None,
    policy: str | Path | None = None,
    html: str | Path | None = None,
    force: bool = False,
) -> Preview:
    """Return privacy cost and expected accuracy of a plan; reads no private value.

    Args:
        plan: the path of a TOML file, a `Plan`, or a dict of what TOML would be read as.
        frames: rows in memory that take the place of inputs' files, as for `build`.
        policy: a file of limits to compare it with; breaches are under `["policy"]`.
        html: also write it as a page, with power curves: one file with everything in it.
        force: replace an existing page.

    Returns:
        A `Preview`: a dict with the keys of `synthrelease preview --json`, whose `str()` is what the command prints.

    Raises:
        InputError: plan or data cannot be used.
        PolicyError: the guarantee would be false or empty.
        MachineError: the page cannot stand there, or the extra `report` is not installed.

    Example:
        >>> import tempfile
        >>> from synthrelease.demo import copy_sample
        >>> found = preview(copy_sample(tempfile.mkdtemp()) / "plan.toml")
        >>> [(output["name"], output["epsilon"]) for output in found["outputs"]]
        [('heatmaps', 2.0), ('signals', 0.5), ('summary', 0.5), ('records', None)]
        >>> str(found).splitlines()[0]
        'synthrelease-demo: guarantee and expected accuracy'
    """
    from synthrelease.building.preview import preview_of_plan  # noqa: PLC0415

    page = None if html is None else Path(html)
    return preview_of_plan(plan, frames=frames, policy=policy, page=page, force=force)


def verify(
    path: str | Path,
    public_key: str | Path | None = None,
    *,
    quick: bool = False,
    policy: str | Path | None = None,
    allow_test_seed: bool = False,
    progress: Progress | None = None,
) -> Verification:
    """Check a bundle from anyone: checksum, structure, manifest, digests, contents and every claimed guarantee.

    Args:
        path: the file.
        public_key: a file with the key that must have signed the bundle, in it or in the file `<stem>.signature.json` next to it.
        quick: stop after checksum, structure and manifest; of values only the shapes are looked at.
        policy: a file of limits that the release must keep to; breaches are findings.
        allow_test_seed: do not count it as a fault that the noise came from a test seed.
        progress: called with (what, done, total) if it takes long.

    Returns:
        A `Verification`, true if no fault was found; its `findings` say what is wrong. Never an exception for a bad bundle.

    Raises:
        InputError: there is no such file, or it never was a bundle; the file of the public key cannot be read or is none, or the policy cannot be used.
        MachineError: the file may not be read.
        ArgumentError: a policy with `quick`, which does not check the claims that a policy is about.

    Example:
        >>> import tempfile
        >>> from synthrelease import build
        >>> from synthrelease.demo import copy_sample
        >>> folder = copy_sample(tempfile.mkdtemp())
        >>> verify(build(folder / "plan.toml", folder / "demo.h5").path)
        <Verification: no fault found>
    """
    if policy is None:
        result = _verify(path, public_key, quick=quick, allow_test_seed=allow_test_seed, progress=progress)
        return refuse_no_bundle(path, result)
    if quick:
        raise ArgumentError(
            "policy-needs-full-verification",
            "a policy asks about claims that `quick` does not check",
            where="verify()",
            remedy="leave one of them out",
        )
    from synthrelease.plan.policy import load_policy, policy_findings  # noqa: PLC0415

    limits = load_policy(policy)
    result = refuse_no_bundle(
        path, _verify(path, public_key, allow_test_seed=allow_test_seed, progress=progress)
    )
    if result.ok and result.manifest is not None:
        result.findings.extend(policy_findings(limits, result.manifest))
        result.checked.append(f"the policy '{limits.limits['name']}'")
    return result


def export(
    bundle: str | Path,
    form: str,
    folder: str | Path,
    *,
    stimuli: str | Path | None = None,
    one_file_per: str | None = None,
    hz: float | None = None,
    px_per_degree: float | None = None,
    blinks_per_minute: float | None = None,
    force: bool = False,
    progress: Progress | None = None,
) -> Exported:
    """Verify a bundle in full, and write it into a folder in a form that other tools read: all of it, or nothing.

    Args:
        bundle: the file.
        form: "csv", "parquet", "frictionless", "bids", "croissant", "datacite", "dp-registry" or "png"; of synthetic scanpaths also "samples" or "pymovements".
        folder: new or empty.
        stimuli: a folder with pictures called <stimulus>.png or .jpg, to draw maps over; for "png".
        one_file_per: of which synthetic records each has a file of its own: "person"; for "csv".
        hz: samples per second that are rendered of synthetic scanpaths, 500 if it is None; this and the next two for "samples" and "bids".
        px_per_degree: pixels per degree of visual angle; that of the declared screen if it is None.
        blinks_per_minute: gaps in the samples, on average; none if it is None.
        force: replace an older export there.
        progress: called with (what, done, total).

    Raises:
        FaultyBundleError: the bundle has faults.
        DataError: the form cannot hold something that is in it, or a picture cannot be read.
        MachineError: the folder holds something else, or the disk or a permission is in the way.
        ArgumentError: there is no such form, it does not take an option, a number is out of range, or there are no such records or trials.

    Example:
        >>> import tempfile
        >>> from synthrelease.demo import small_release
        >>> bundle = small_release(tempfile.mkdtemp())
        >>> written = export(bundle, "csv", bundle.parent / "tables")
        >>> sorted(path.name for path in (bundle.parent / "tables").glob("*.csv"))
        ['summary-values.csv']
    """
    from synthrelease.exports.exporting import export as write  # noqa: PLC0415
    from synthrelease.exports.folder import refuse_target  # noqa: PLC0415
    from synthrelease.exports.formats import FORMATS, refuse_options  # noqa: PLC0415
    from synthrelease.exports.options import ExportOptions, refuse_numbers  # noqa: PLC0415
    from synthrelease.exports.readable import ReadableBundle  # noqa: PLC0415
    from synthrelease.extras import require  # noqa: PLC0415
    from synthrelease.plan.complaints import nearest  # noqa: PLC0415

    if form not in FORMATS:
        raise ArgumentError(
            "unknown-export-form",
            "there is no such form",
            where="export().form",
            found=repr(form) if isinstance(form, str) else type(form).__name__,
            expected="one of " + ", ".join(FORMATS),
            remedy=nearest(str(form), list(FORMATS)) or "write one of these",
        )
    options = ExportOptions(
        None if stimuli is None else Path(stimuli), one_file_per, hz, px_per_degree, blinks_per_minute
    )
    refuse_options(form, options)
    refuse_numbers(options)
    require(*FORMATS[form].libraries)
    refuse_target(folder := Path(folder), force=force)
    manifest = _verified(bundle, progress).manifest
    assert manifest is not None
    opened = ReadableBundle(Path(bundle), manifest)
    return write(opened, form, folder, force=force, options=options, progress=progress)


@dataclass(frozen=True)
class Page:
    """A page that was written."""

    path: Path  # where
    size: int  # in bytes
    test_seed: bool  # whether it says that the bundle must not be published, since its noise can be repeated
    warnings: tuple[str, ...] = ()  # for who writes it, such as stimuli without a picture


def report(
    bundle: str | Path,
    output: str | Path = "report.html",
    *,
    pictures: int = PICTURES,
    stimuli: str | Path | None = None,
    force: bool = False,
    progress: Progress | None = None,
) -> Page:
    """Verify a bundle in full, and write a public report about it.

    Args:
        bundle: the file.
        output: the page, HTML; one file with everything in it.
        pictures: how many of each output are shown at most.
        stimuli: a folder with pictures called <stimulus>.png or .jpg, to lay maps and areas over.
        force: replace an existing page.
        progress: called with (what, done, total).

    Raises:
        FaultyBundleError: the bundle has faults: a page would carry a lie further.
        DataError: a picture cannot be read, or none is called like a stimulus.
        MachineError: the page cannot stand there.

    Example:
        >>> import tempfile
        >>> from synthrelease.demo import small_release
        >>> bundle = small_release(tempfile.mkdtemp())
        >>> page = report(bundle, bundle.parent / "report.html")
        >>> page.path.name, page.test_seed
        ('report.html', False)
    """
    from synthrelease.extras import FIGURES, require  # noqa: PLC0415
    from synthrelease.reports import public_report  # noqa: PLC0415

    require(*FIGURES)
    bundle, target = Path(bundle), Path(output)
    public_report.refuse_target(bundle, target, force=force)
    result = _verified(bundle, progress)
    assert result.manifest is not None
    size, warnings = public_report.write_report(
        bundle,
        target,
        manifest=result.manifest,
        checked=result.checked,
        signed_by=result.signed_by,
        force=force,
        pictures=pictures,
        stimuli=None if stimuli is None else Path(stimuli),
        progress=progress,
    )
    return Page(target, size, bool(result.manifest["randomness"]["test_seed"]), warnings)


def diff(old: str | Path, new: str | Path, *, quick: bool = False) -> Difference:
    """Return what changed from one bundle to another, and whether noise was used twice. Both are verified first.

    Args:
        old: the file of one.
        new: the file of the other.
        quick: check checksum, structure and manifests only; what both claim is taken as it stands.

    Raises:
        FaultyBundleError: one of them, or both, have faults.
        InputError: there is no such file.

    Example:
        >>> import tempfile
        >>> from synthrelease.demo import small_release
        >>> bundle = small_release(tempfile.mkdtemp())
        >>> found = diff(bundle, bundle)
        >>> found.same, found.hazards
        (True, ())
    """
    from synthrelease.bundle import open_bundle  # noqa: PLC0415
    from synthrelease.reports.difference import difference  # noqa: PLC0415

    results = {
        str(path): refuse_no_bundle(path, _verify(path, quick=quick, allow_test_seed=True))
        for path in (old, new)
    }
    _refuse_faulty(results)
    files = str(old), str(new)
    return difference(*(open_bundle(path, allow_test_seed=True) for path in files), files=files, quick=quick)


def sign(
    bundle: str | Path,
    key: str | Path | Ed25519PrivateKey,
    password: bytes | None = None,
    *,
    detached: bool = False,
    progress: Progress | None = None,
) -> Path:
    """Verify a bundle in full, sign it, and return the file that the signature is in.

    Signatures that are there stay: an archive may sign what a curator signed.

    Args:
        bundle: the file.
        key: the file of a private key, or the key itself.
        password: of the key's file.
        detached: write the signature next to the bundle, and leave the bundle as it is.
        progress: called with (what, done, total) if it takes long.

    Raises:
        BundleError: the bundle has faults, or the signature next to it is no signature of it.
        InputError: the file is no key, or the password is another one.
        PolicyError: the bundle's noise can be repeated.
        MachineError: the disk, the folder or a permission is in the way.

    Example:
        >>> import tempfile
        >>> from synthrelease.demo import small_release
        >>> bundle = small_release(tempfile.mkdtemp())
        >>> from synthrelease import keygen
        >>> key = keygen(bundle.parent / "lab.key")
        >>> sign(bundle, key.private) == bundle
        True
        >>> verify(bundle, key.public).ok
        True
    """
    from synthrelease.bundle.signing.keys import read_private_key  # noqa: PLC0415
    from synthrelease.bundle.signing.sign import sign as run  # noqa: PLC0415

    private_key = read_private_key(Path(key), password) if isinstance(key, str | Path) else key
    return run(bundle, private_key, detached=detached, progress=progress)


def _verified(path: str | Path, progress: Progress | None) -> Verification:
    """A bundle without faults, but for a test seed: whatever is made of it says so, too."""
    result = refuse_no_bundle(path, _verify(path, allow_test_seed=True, progress=progress))
    _refuse_faulty({str(path): result})
    return result


def _refuse_faulty(results: Mapping[str, Verification]) -> None:
    faulty = {path: result for path, result in results.items() if not result.ok}
    if faulty:
        findings = [(path, finding) for path, result in faulty.items() for finding in result.findings]
        more = f"; and {len(findings) - _MOST_FINDINGS} more" if len(findings) > _MOST_FINDINGS else ""
        raise FaultyBundleError(
            "bundle-invalid",
            "the bundle has faults",
            where=", ".join(faulty),
            found="; ".join(str(finding) for _, finding in findings[:_MOST_FINDINGS]) + more,
            remedy=Remedy.joined(dict.fromkeys(result.remedy for result in faulty.values())),
            findings=[
                {"file": path, "code": finding.code, "where": finding.where, "message": finding.message}
                for path, finding in findings
            ],
        )
