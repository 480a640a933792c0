"""The main job: from a plan to a verified bundle."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synthrelease import durable
from synthrelease.bundle import hdf5
from synthrelease.bundle.bundle_file import BundleFile
from synthrelease.bundle.examination import examine
from synthrelease.bundle.layout import ENDING, dataset_path
from synthrelease.bundle.manifest import to_bytes
from synthrelease.data.facts import NOBODY
from synthrelease.design import Design, PlannedOutput, make_design
from synthrelease.errors import BundleError, MachineError, SynthReleaseError
from synthrelease.ledger import Ledger
from synthrelease.mechanisms.collected import Collected
from synthrelease.noise import SecureRandom
from synthrelease.outputs.resolved import Collector, Derivation, Release
from synthrelease.parallel import Call, Job, Progress, Round, pool_of, run
from synthrelease.parts import Part, collected_from, divided, stamp_of
from synthrelease.plan import Plan, load_plan
from synthrelease.policy import Policy, load_policy
from synthrelease.privacy.event import differs_by_choice
from synthrelease.rehearsal import rehearse
from synthrelease.release_manifest import compose_manifest, release_date, with_contents

Array = NDArray[np.generic]
Notes = dict[str, tuple[str, ...]]

_MOST_NAMED = 10  # labels of a list in a note


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
    notes: Notes


def build(
    plan_path: str | Path,
    output: str | Path | None = None,
    *,
    frames: Mapping[str, object] | None = None,
    force: bool = False,
    policy: str | Path | None = None,
    test_seed: int | None = None,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Built:
    """Build, verify and write the bundle of a plan.

    Args:
        plan_path: the plan, TOML.
        output: the bundle; `.h5` is added to a name without it. Default <name>-<version>.h5 in the working folder.
        frames: rows in memory that take the place of inputs' files, by the inputs' names: DataFrames of polars or pandas, Gaze or
            Datasets of pymovements. They are written nowhere, but sent to worker processes if there are any.
        force: replace an existing bundle.
        policy: a file of limits that the release must keep to.
        test_seed: makes the noise repeatable; file name, manifest and reports then say that it must not be published.
        jobs: processes to work in; the release does not depend on it.
        progress: called with (what, done, total).

    Raises:
        InputError: plan or data cannot be used (exit code 3).
        PolicyError: the promise would be false or empty, or not what the policy asks for, or the ledger's grant would be
            exceeded (exit code 4).
        MachineError: the file cannot be written (exit code 6).

    Returns:
        A `Built`: `path`, `sidecar`, `manifest`, and `notes` for the curator alone.

    Example:
        >>> import tempfile
        >>> import polars as pl
        >>> plan = Path(tempfile.mkdtemp()) / "plan.toml"
        >>> _ = plan.write_text('''
        ... release = { name = "pupils", version = "1.0.0", title = "Pupils" }
        ... privacy = { epsilon = 1.0 }
        ... [inputs.pupil]
        ... kind = "features"
        ... path = "in memory"
        ... columns = { person = "who" }
        ... bounds = { pupil_mm = [1.5, 8.0] }
        ... [[outputs]]
        ... name = "summary"
        ... kind = "statistics"
        ... input = "pupil"
        ... statistics = ["mean"]
        ... ''')
        >>> rows = pl.DataFrame({"who": ["a", "a", "b", "c"], "pupil_mm": [3.1, 3.3, 4.0, 2.8]})
        >>> built = build(plan, plan.with_name("release.h5"), frames={"pupil": rows})
        >>> built.manifest["privacy"]["guarantee"]["epsilon"]
        1.0
    """
    job = build_job(plan_path, output, frames=frames, force=force, policy=policy, test_seed=test_seed)
    return run(job, pool_of(jobs), progress=progress)


def build_job(
    plan_path: str | Path,
    output: str | Path | None = None,
    *,
    frames: Mapping[str, object] | None = None,
    force: bool = False,
    policy: str | Path | None = None,
    test_seed: int | None = None,
    before_move: Callable[[str, str], None] = lambda _seal, _manifest: None,
) -> Job[Built]:
    """Do what `build` does, as a job: workers read, add up, derive and verify; in between, noise is paid for and drawn here.

    What follows from the noised numbers is derived one after the other as it is written: side by side, all of it would be
    held at once. `before_move` is called with the digest in the bundle's seal and that of its manifest once it is whole, just before it gets its name.

    Bundle and sidecar are both on the disk, verified, before either gets its name: the bundle first, an old sidecar being
    taken away before that (`durable.move_together`). So a build that is killed leaves the old pair, the old bundle alone, the
    new bundle alone, or the new pair, and files that the next build of the same bundle removes. Then that build does what
    any does where there is a bundle, or none; and a batch that is resumed knows the new one by its seal, and writes the
    sidecar from it.
    """
    seeded = None if test_seed is None else SecureRandom.for_tests(test_seed)
    plan = load_plan(plan_path, frames)
    path, date = target(plan, output, test_seed), release_date()
    _check_target(path, output, plan, policy, force=force)
    limits = None if policy is None else load_policy(policy)
    ((design, parts),) = yield Round("reading public facts", [Call(_design_and_parts, (plan,))])
    ledger = Ledger(plan.ledger) if plan.ledger is not None and test_seed is None else None
    _refuse_early(design, ledger, limits)

    asked = [(part, _collectors(design, part.spec.name)) for part in parts]
    collected, unordered = yield Round("reading", [Call(_collected, one) for one in asked], join=_joined)
    # Parts are joined as they are done: what is said of them is in the plan's order all the same.
    notes: Notes = {name: tuple(sorted(unordered[name])) for name in design.facts if name in unordered}
    most = None if limits is None else limits.most_epsilon_of_dataset
    for name, facts in design.facts.items():
        if facts.without_rows:
            nobody = ", ".join(f"'{one}'" for one in facts.without_rows[:_MOST_NAMED])
            notes[name] = (*notes.get(name, ()), f"{NOBODY} {nobody}, which the plan lists")
    debit = None if ledger is None else ledger.debit(design.charge(), most)  # from here on it costs
    random = seeded or SecureRandom(before_words=debit.begin_drawing if debit else None)
    stands = False
    try:
        releases = _all_released(design, collected, random)
        for planned, made in zip(design.outputs, releases, strict=True):
            if made.notes:  # an input may have the same name
                notes[planned.name] = (*notes.get(planned.name, ()), *made.notes)
        derivations = [
            (o.name, derive)
            for o, made in zip(design.outputs, releases, strict=True)
            for derive in made.derivations
        ]
        spending = None if debit is None else debit.spending
        manifest = compose_manifest(design, releases, seeded=random.seeded, date=date, spending=spending)
        kinds = {dataset_path(output.name): output.resolved.spec.kind for output in design.outputs}
        with durable.partials(path, sidecar(path)) as files:  # verified there, and only then moved
            bundle, text = files
            writing = Call(_write_and_verify, (bundle.path, manifest, derivations, kinds))
            ((manifest, seal),) = yield Round("writing and verifying", [writing], here=True)
            durable.write_durably(text, to_bytes(manifest))
            before_move(seal, hashlib.sha256(to_bytes(manifest)).hexdigest())
            try:
                durable.move_together(files, force=force, mode=mode_of(random.seeded))
            finally:
                stands = bundle.has_its_name
                if stands and debit is not None:
                    debit.release(to_bytes(manifest))
    except SynthReleaseError as error:
        if stands:
            error.add_remedy(f"{path} is whole, verified and paid for: building again would cost again")
        elif debit is not None:
            error.add_remedy(debit.told())
        raise
    return Built(path, sidecar(path), manifest, notes)


def _refuse_early(design: Design, ledger: Ledger | None, limits: Policy | None) -> None:
    """Better now than after all has been read; what others pay meanwhile is held against the limits when it is paid."""
    told: tuple[float, float] | tuple[()] = ()
    if ledger is not None:
        grant, standing = ledger.standing(design.charge())
        told = standing.after, grant.delta
    if limits is not None:
        limits.require(design.promised(*told))


def _design_and_parts(plan: Plan) -> tuple[Design, tuple[Part, ...]]:
    inputs = plan.used_inputs()
    stamps = {name: stamp_of(spec.source) for name, spec in inputs.items()}
    design = make_design(plan)
    rehearse(design)
    in_parts = (divided(spec, design.facts[name], stamps[name]) for name, spec in inputs.items())
    return design, tuple(part for several in in_parts for part in several)


def _collectors(design: Design, name: str) -> dict[str, Collector]:
    """Those of the outputs that an input is for."""
    wanted = (output for output in design.outputs if output.resolved.spec.input == name)
    return {output.name: output.resolved.collector() for output in wanted}


def _collected(part: Part, collectors: dict[str, Collector]) -> tuple[dict[str, Collected], Notes]:
    found, told = collected_from(part, collectors)
    return found, {part.spec.name: told} if told else {}


def _joined(
    one: tuple[dict[str, Collected], Notes], other: tuple[dict[str, Collected], Notes]
) -> tuple[dict[str, Collected], Notes]:
    """What the people of two parts contribute, of one input or of two."""
    for name, found in other[0].items():
        one[0][name] = one[0][name].joined(found) if name in one[0] else found
    for name, told in other[1].items():
        one[1][name] = (*one[1].get(name, ()), *told)
    return one


def _all_released(design: Design, collected: dict[str, Collected], random: SecureRandom) -> list[Release]:
    """Draw on every output. First on those that no ε covers, which cost nothing: too few records may pass a test."""
    unpaid = random if random.seeded else SecureRandom()
    made = {}
    for planned in sorted(design.outputs, key=lambda output: output.paid):
        own = random if planned.paid else unpaid
        made[planned.name] = released_output(planned, collected.pop(planned.name), own)
    return [made[planned.name] for planned in design.outputs]


def released_output(planned: PlannedOutput, collected: Collected, random: SecureRandom) -> Release:
    """Draw on one output; RuntimeError if what was done is not what the design has planned."""
    release = planned.resolved.release(collected, planned.budget, random.spawn(planned.name))
    if release.event != planned.event and not differs_by_choice(planned.event, release.event):
        raise RuntimeError(f"{planned.name}: the mechanism did not do what was planned")
    return release


def _write_and_verify(
    path: Path, manifest: dict[str, Any], derivations: Sequence[tuple[str, Derivation]], kinds: dict[str, str]
) -> tuple[dict[str, Any], str]:
    """Return the manifest of the new bundle, and the digest in its seal. No more is in memory than one derivation makes."""
    whole = hdf5.write_bundle(
        path,
        (
            (dataset_path(name, *labels), array)
            for name, derive in derivations
            for labels, array in derive().items()
        ),
        kinds,
        completed=partial(with_contents, manifest),
        test_seed=bool(manifest["randomness"]["test_seed"]),
    )
    result = examine(path, allow_test_seed=True)  # here: it is our own file
    try:
        with BundleFile(path) as file:
            seal = file.body_digest()
    except OSError as error:  # somebody took it away
        raise durable.cannot_write(path, error) from None
    if not result.ok:  # a defect of ours: better no bundle than one that auditors refuse
        raise BundleError(
            "built-bundle-invalid",
            "the new bundle does not verify",
            found="; ".join(map(str, result.findings)),
        )
    return whole, seal


def mode_of(seeded: object) -> int:
    """Return who may read and write a bundle and its sidecar: who guesses a test seed reads the data."""
    return durable.OWNER_ALONE if seeded else durable.FOR_ALL


def target(plan: Plan, output: str | Path | None, test_seed: int | None) -> Path:
    """Return the bundle's place: as asked, or named after the release. It ends in .h5; a test seed stands in the name.

    So no two bundles of a folder have one sidecar.
    """
    path = Path(output or default_name(plan))
    if os.path.exists(path) and not os.path.isfile(path):  # noqa: PTH110, PTH113  those of a path raise
        return path  # a folder or a device, which will be refused
    if path.suffix != ENDING:
        path = path.with_name(path.name + ENDING)
    if test_seed is not None and "TEST-SEED" not in path.name:
        path = path.with_name(f"{path.stem}.TEST-SEED{path.suffix}")
    return path


def default_name(plan: Plan) -> str:
    """Return what a bundle is called that nobody gave a name."""
    return f"{plan.release['name']}-{plan.release['version']}{ENDING}"


def _check_target(
    path: Path, asked: str | Path | None, plan: Plan, policy: str | Path | None, *, force: bool
) -> None:
    """Refuse a place that the bundle cannot have, before anything is paid for it; remove what killed builds left there.

    Whoever asked for the name of a file that is needed is told, though the bundle's own ends otherwise.
    """
    try:
        _check_folder(path)
        _check_name(path)
        sweep(path)
        needed = [
            plan.path,
            plan.ledger,
            policy,
            *(file for spec in plan.inputs.values() for file in spec.files()),
        ]
        for written in (Path(asked or path), path, sidecar(path)):
            if any(other is not None and _same(written, Path(other)) for other in needed):
                raise MachineError(
                    "output-replaces-input",
                    "the bundle would replace a file that it is made from",
                    where=str(written),
                    remedy="choose another name",
                )
        for written in (path, sidecar(path)):
            _check_name(written)
            if not force:
                durable.refuse_taken(written)
    except OSError as error:
        raise durable.cannot_write(path, error) from None


def _check_folder(path: Path) -> None:
    """Refuse a folder that cannot be written, or whose names cannot be asked to the disk."""
    if not os.access(path.parent, os.R_OK | os.W_OK | os.X_OK):
        raise MachineError(
            "cannot-write",
            "the file cannot be written",
            where=str(path),
            found="a folder that does not exist, or may not be read and written",
            remedy="choose a folder that exists and may be read and written",
        )
    most = os.pathconf(path.parent, "PC_NAME_MAX") - durable.ADDED_BYTES
    longest = max(len(os.fsencode(written.name)) for written in (path, sidecar(path)))
    if longest > most:
        raise MachineError(
            "name-too-long",
            "the name is too long",
            where=str(path),
            found=f"{longest} bytes with the ending of its manifest",
            expected=f"at most {most}",
            remedy="choose a shorter name",
        )


def _check_name(written: Path) -> None:
    """Refuse what is there and no file: --force replaces neither folders nor devices."""
    if written.is_dir():
        raise MachineError(
            "output-is-folder",
            "the output is a folder",
            where=str(written),
            expected="the name of a file",
            remedy="choose the name of a file",
        )
    if written.exists() and not written.is_file():
        raise MachineError(
            "output-is-no-file",
            "the output is a device or the like",
            where=str(written),
            expected="the name of a file",
            remedy="choose the name of a file",
        )


def _same(one: Path, other: Path) -> bool:
    if os.path.realpath(one) == os.path.realpath(other):
        return True
    try:
        return one.samefile(other)
    except OSError:  # one of them is not there, or out of reach
        return False


def sweep(path: Path) -> None:
    """Remove what killed builds of a bundle left half written, and nothing that is written now."""
    for written in (path, sidecar(path)):
        durable.sweep(written)


def sidecar(path: Path) -> Path:
    """Return the place of a bundle's manifest as a file of its own; of a folder without a name, too, which others refuse."""
    return path.parent / f"{path.stem}.manifest.json"
