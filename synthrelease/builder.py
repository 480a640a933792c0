"""The main job: from a plan to a verified bundle."""

from __future__ import annotations

import datetime as dt
import os
import platform
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import synthrelease
from synthrelease.bundle import hdf5, layout
from synthrelease.bundle.claims import narrower_guarantees
from synthrelease.bundle.disclosure import not_protected, private_names
from synthrelease.bundle.layout import TEST_SEED_WORDS, dataset_path
from synthrelease.bundle.manifest import MANIFEST_VERSION, to_bytes
from synthrelease.bundle.verify import verify
from synthrelease.data.facts import Facts
from synthrelease.data.features import Features, load_features
from synthrelease.data.gaze import Gaze
from synthrelease.data.screen import Screen
from synthrelease.data.streamed_gaze import StreamedGaze, open_gaze
from synthrelease.design import Design, PlannedOutput, make_design, warnings
from synthrelease.errors import BundleError, MachineError, PlanError, SynthReleaseError
from synthrelease.ledger import Debit, Ledger
from synthrelease.noise import SecureRandom
from synthrelease.outputs.resolved import Release, noise_of
from synthrelease.plan import InputSpec, Plan, load_plan
from synthrelease.policy import load_policy
from synthrelease.privacy.event import Event, PrivateChoice, flatten
from synthrelease.privacy.guarantee import Neighbours

_DEPENDENCIES = ("numpy", "scipy", "h5py", "dp-accounting", "cryptography")
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Built:
    """A finished build.

    Attributes:
        path: the bundle.
        sidecar: the manifest as a file of its own.
        manifest: its content.
        notes: what was dropped or clipped, by input, and how tests went, by output; for the curator alone, nowhere in
            the release.
    """

    path: Path
    sidecar: Path
    manifest: dict[str, Any]
    notes: dict[str, tuple[str, ...]]


def build(
    plan_path: str | Path,
    output: str | Path | None = None,
    *,
    force: bool = False,
    policy: str | Path | None = None,
    test_seed: int | None = None,
    progress: Progress | None = None,
) -> Built:
    """Build, verify and write the bundle of a plan.

    Args:
        plan_path: the plan, TOML.
        output: the bundle; default <name>-<version>.h5 in the working folder.
        force: replace an existing bundle.
        policy: a file of limits that the release must keep to.
        test_seed: makes the noise repeatable; file name, manifest and reports then say that it must not be published.
        progress: called with (what, done, total).

    Raises:
        InputError: plan or data cannot be used (exit code 3).
        PolicyError: the promise would be false or empty, or not what the policy asks for, or the ledger's grant would be
            exceeded (exit code 4).
        MachineError: the file cannot be written (exit code 6).
    """
    tell = progress or (lambda _what, _done, _total: None)
    plan = load_plan(plan_path)
    path = _target(plan, output, test_seed)
    if path.exists() and not force:
        raise MachineError(
            "the file exists already",
            where=str(path),
            remedy="choose another name, or pass --force to replace it",
        )
    steps = len(plan.used_inputs()) + len(plan.outputs) + 2
    tell("reading public facts", 0, steps)
    design = make_design(plan)
    ledger = Ledger(plan.ledger) if plan.ledger is not None and test_seed is None else None
    # Better refused now than after all has been read.
    standing = None if ledger is None else ledger.standing(design.charge())[1]
    if policy is not None:
        load_policy(policy).require(design.promised(None if standing is None else standing.after))
    data: dict[str, Gaze | StreamedGaze | Features] = {}
    for number, spec in enumerate(plan.used_inputs().values()):
        tell(f"reading {spec.name}", number, steps)
        data[spec.name] = _load(spec, design.facts[spec.name], tell)
        _check_unchanged(design, spec, data[spec.name])
    debit = None if ledger is None else ledger.debit(design.charge())  # from here on it costs
    random = (
        SecureRandom(before_words=debit.begin_drawing if debit else None)
        if test_seed is None
        else SecureRandom.for_tests(test_seed)
    )
    releases: list[Release] = []
    for number, planned in enumerate(design.outputs):
        tell(f"releasing {planned.name}", len(data) + number, steps)
        releases.append(_released(planned, data[planned.resolved.spec.input], random))
    notes = {name: d.notes for name, d in data.items() if d.notes}
    for planned, made in zip(design.outputs, releases, strict=True):
        if made.notes:  # an input may have the same name
            notes[planned.name] = (*notes.get(planned.name, ()), *made.notes)
    tell("writing and verifying", steps - 2, steps)
    arrays = {
        dataset_path(planned.name, *labels): array
        for planned, made in zip(design.outputs, releases, strict=True)
        for labels, array in made.arrays.items()
    }
    spending = None if debit is None else debit.spending
    manifest = compose_manifest(design, releases, arrays, seeded=random.seeded, spending=spending)
    try:
        _write(path, manifest, arrays, design, force=force)
    except SynthReleaseError as error:
        if debit is not None:
            drawn = "the ledger counts this release, since noise was drawn: building again pays again"
            error.remedy = f"{error.remedy}; {drawn}" if error.remedy else drawn
        raise
    if debit is not None:
        _note(debit, path, manifest)
    tell("done", steps, steps)
    return Built(path, _sidecar(path), manifest, notes)


def _note(debit: Debit, path: Path, manifest: dict[str, Any]) -> None:
    try:
        debit.release(to_bytes(manifest))
    except MachineError as error:  # the bundle stands, and so does its debit
        error.problem = "the bundle is whole and paid for, but the ledger could not note it"
        error.remedy = f"nothing: {path} can be used as it is, and building again would cost again"
        raise


def _target(plan: Plan, output: str | Path | None, test_seed: int | None) -> Path:
    path = Path(output or f"{plan.release['name']}-{plan.release['version']}.h5")
    if test_seed is not None and "TEST-SEED" not in path.name:
        path = path.with_name(f"{path.stem}.TEST-SEED{path.suffix}")
    if path.is_dir():
        raise MachineError("the output is a folder", where=str(path), expected="the name of a file")
    if not os.access(path.parent, os.W_OK | os.X_OK):  # noticed before anything is paid for it
        raise MachineError(
            "the file cannot be written",
            where=str(path),
            found="a folder that does not exist or may not be written",
            remedy="choose a folder that exists and may be written",
        )
    return path


def _sidecar(path: Path) -> Path:
    return path.with_name(f"{path.stem}.manifest.json")


def _load(spec: InputSpec, facts: Facts, tell: Progress) -> Gaze | StreamedGaze | Features:
    o = spec.options
    common: dict[str, Any] = {
        "columns": o["columns"],
        "missing": o["missing"],
        "separator": o.get("separator"),
    }
    if spec.kind == "gaze":
        screen = Screen(**o["screen"])
        return open_gaze(
            spec.path,
            screen=screen,
            stimuli=facts.names,
            off_screen=o["off_screen"],
            progress=lambda part, parts: tell(f"{spec.name}: part {part + 1} of {parts}", part, parts),
            **common,
        )
    return load_features(
        spec.path,
        bounds=o["bounds"],
        categories=o["categories"],
        recordings=o.get("recordings"),
        **common,
    )


def _check_unchanged(design: Design, spec: InputSpec, data: Gaze | StreamedGaze | Features) -> None:
    """The noise was solved for the facts read first: they must be those of the data."""
    facts = design.facts[spec.name]
    names = data.recordings if isinstance(data, Features) else data.stimuli
    if (facts.people, facts.names) != (data.people, names):
        raise PlanError("the file changed while it was read", where=str(spec.path), remedy="build again")


def _released(planned: PlannedOutput, data: Gaze | StreamedGaze | Features, random: SecureRandom) -> Release:
    release = planned.resolved.release(data, planned.budget, random.spawn(planned.name))
    if release.event != planned.event and not _differs_by_choice(planned.event, release.event):
        raise RuntimeError(f"{planned.name}: the mechanism did not do what was planned")
    return release


def _differs_by_choice(planned: Event, done: Event) -> bool:
    """Whether a private choice decided sensitivity and scale, and all else is as planned."""
    before, after = flatten(planned), flatten(done)
    alike = [type(leaf) for leaf in before] == [type(leaf) for leaf in after]
    choices = [leaf for leaf in before if isinstance(leaf, PrivateChoice)]
    return alike and bool(choices) and choices == [leaf for leaf in after if isinstance(leaf, PrivateChoice)]


def _write(
    path: Path,
    manifest: dict[str, Any],
    arrays: dict[str, NDArray[np.generic]],
    design: Design,
    *,
    force: bool,
) -> None:
    kinds = {dataset_path(output.name): output.resolved.spec.kind for output in design.outputs}
    content = hdf5.compose(manifest, arrays, kinds)

    def check(candidate: Path) -> None:
        result = verify(candidate, allow_test_seed=True)
        if not result.ok:  # a defect of ours: better no bundle than one that auditors refuse
            raise BundleError("the new bundle does not verify", found="; ".join(map(str, result.findings)))

    hdf5.write_atomically(path, content, force=force, check=check)
    hdf5.write_atomically(_sidecar(path), to_bytes(manifest), force=True)


def compose_manifest(
    design: Design,
    releases: list[Release],
    arrays: dict[str, NDArray[np.generic]],
    *,
    seeded: bool,
    spending: dict[str, Any] | None,
) -> dict[str, Any]:
    """Return the manifest of a release; nothing in it is private."""
    plan = design.plan
    known = plan.neighbours is Neighbours.REPLACE_ONE
    told = warnings(design)
    entries = [
        _output_entry(output, made, arrays, plan.neighbours)
        for output, made in zip(design.outputs, releases, strict=True)
    ]
    if seeded:
        told.insert(0, f"{TEST_SEED_WORDS}: whoever knows the seed can take the noise away")
    return {
        "manifest_version": MANIFEST_VERSION,
        "release": {**plan.release, "date": _date()},
        "tool": {
            "name": "synthrelease",
            "version": synthrelease.__version__,
            "dependencies": {
                "python": platform.python_version(),
                **{name: version(name) for name in _DEPENDENCIES},
            },
        },
        "privacy": {
            "unit": "person",
            "neighbours": str(plan.neighbours),
            "people": design.people if known else None,
            "budget": {"epsilon": plan.epsilon, "delta": plan.delta},
            "guarantee": design.guarantee.to_json(),
            "composition": {
                "method": design.method,
                "outputs": private_names(entries),
            },
            "not_protected": not_protected(entries, plan.neighbours),
        },
        "outputs": entries,
        "randomness": {
            "source": "test seed" if seeded else "operating system, AES-256-CTR",
            "test_seed": seeded,
        },
        "ledger": spending,
        "digests": {path: layout.digest(array) for path, array in sorted(arrays.items())},
        "warnings": told,
    }


def _date() -> str:
    """Return today, or the day of SOURCE_DATE_EPOCH; no finer, since the hour of a build is private."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    now = dt.datetime.fromtimestamp(int(epoch), dt.UTC) if epoch else dt.datetime.now(dt.UTC)
    return now.date().isoformat()


def _output_entry(
    planned: PlannedOutput, release: Release, arrays: dict[str, NDArray[np.generic]], neighbours: Neighbours
) -> dict[str, Any]:
    noise = noise_of(release.event)
    resolved = planned.resolved
    mechanism = resolved.mechanism()
    mechanism["parameters"] |= release.chosen
    return {
        "name": planned.name,
        "kind": resolved.spec.kind,
        "paths": sorted(path for path in arrays if path.startswith(dataset_path(planned.name) + "/")),
        "mechanism": mechanism,
        "sensitivity": None
        if noise is None
        else {"norm": noise.norm, "value": repr(noise.sensitivity), "derivation": resolved.derivation()},
        "noise": None
        if noise is None
        else {
            "distribution": noise.type,
            "scale": repr(noise.scale),
            "standard_deviation": repr(noise.standard_deviation),
            "grid": "1",
            "exact": True,
        },
        "event": release.event.to_json(),
        "guarantee": planned.guarantee.to_json(),
        "narrower_units": [
            narrower.to_json()
            for narrower in narrower_guarantees(
                resolved.spec.kind, mechanism, release.event, delta=planned.delta, neighbours=neighbours
            )
        ],
        "post_processing": resolved.post_processing(),
        "warnings": resolved.warnings(),
    }
