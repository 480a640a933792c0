"""The main job: from a plan to a verified bundle."""

from __future__ import annotations

import errno
import hashlib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from synthrelease.building.curator import Confirm, CuratorNotes, Payment
from synthrelease.building.ready import Ready, drawn_on, ready_job
from synthrelease.building.rehearsal import rehearse
from synthrelease.building.release_manifest import compose_manifest, release_date, with_contents
from synthrelease.building.targets import mode_of, reserved, sidecar, target
from synthrelease.bundle import writer
from synthrelease.bundle.content import released_content
from synthrelease.bundle.disclosure import stated_guarantee
from synthrelease.bundle.examination import examine
from synthrelease.bundle.layout import TEST_SEED_WORDS
from synthrelease.bundle.manifest import to_bytes
from synthrelease.bundle.strict_hdf5.bundle_file import BundleFile
from synthrelease.dp.noise import SecureRandom
from synthrelease.errors import BundleError, NotConfirmedError, SynthReleaseError
from synthrelease.files import atomic
from synthrelease.files.partial_files import Partial
from synthrelease.files.scratch import scratch
from synthrelease.files.unwritable import cannot_write
from synthrelease.kinds.dataset import Array
from synthrelease.ledgers import Debit
from synthrelease.parallel import Call, Job, Progress, Round, pool_of, run
from synthrelease.plan.plan import PlanLike, load_plan
from synthrelease.printable import short_repr


class _ForCurator:
    """What shows little by itself: notebooks are published with what they show, and what is for the curator alone would be, too."""

    _what: ClassVar[str]
    path: Path
    manifest: dict[str, Any]
    private: CuratorNotes

    @property
    def notes(self) -> dict[str, tuple[str, ...]]:
        """What is for the curator alone, in sentences, by input or output."""
        return self.private.sentences

    def __repr__(self) -> str:
        seed = f"{TEST_SEED_WORDS}; " if self.manifest["randomness"]["test_seed"] else ""
        return short_repr(self, f"{self.path}: {seed}{stated_guarantee(self.manifest['privacy'])}")

    def _repr_html_(self) -> str:
        from synthrelease.reports.notebook_cards import bundle_card  # noqa: PLC0415  only for a notebook

        return bundle_card(self.manifest, kind=f"{self._what} {self.path.name}", verified=True).html


@dataclass(frozen=True, repr=False)
class Built(_ForCurator):
    """A finished build.

    Attributes:
        path: the bundle.
        sidecar: the manifest as a file of its own.
        manifest: its content.
        private: what was dropped or clipped, and how tests went; for the curator alone, nowhere in the release.
    """

    _what: ClassVar = "Built and verified:"
    path: Path
    sidecar: Path
    manifest: dict[str, Any]
    private: CuratorNotes


@dataclass(frozen=True, repr=False)
class DryRun(_ForCurator):
    """A build that was read and checked, and neither charged nor written.

    Attributes:
        path: where the bundle would be.
        manifest: as it would be, with nothing in the place of digests and spending.
        payment: what would be charged; None if no ledger would.
        private: what would be dropped and clipped, and how tests went; for the curator alone.
        most_bytes: of the bundle and its sidecar.
        taken: whether there is a bundle already, which a build would not replace.
    """

    _what: ClassVar = "Dry run, nothing was written:"
    path: Path
    manifest: dict[str, Any]
    payment: Payment | None
    private: CuratorNotes
    most_bytes: int
    taken: bool = False


def build(
    plan: PlanLike,
    output: str | Path | None = None,
    *,
    frames: Mapping[str, object] | None = None,
    force: bool = False,
    policy: str | Path | None = None,
    test_seed: int | None = None,
    confirm: Confirm | None = None,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Built:
    """Build, verify and write the bundle of a plan.

    Args:
        plan: the path of a TOML file, a `Plan`, or a dict of what TOML would be read as.
        output: the bundle; `.h5` is added to a name without it. Default <name>-<version>.h5 in the working folder.
        frames: rows in memory that take the place of inputs' files, by the inputs' names: DataFrames of polars or pandas, Gaze or
            Datasets of pymovements. They are written nowhere, but sent to worker processes if there are any.
        force: replace an existing bundle.
        policy: a file of limits that the release must keep to.
        test_seed: makes the noise repeatable; file name, manifest and reports then say that it must not be published.
        confirm: called with the `Payment` before a ledger is charged; unless it returns true, nothing is charged or written. None charges unasked.
        jobs: processes to work in; the release does not depend on it.
        progress: called with (what, done, total).

    Raises:
        InputError: plan or data cannot be used (exit code 3).
        PolicyError: the guarantee would be false or empty, or not what the policy asks for, or the ledger's grant would be
            exceeded (exit code 4).
        MachineError: the file cannot be written, or another build is writing it (exit code 6).
        NotConfirmedError: `confirm` did not agree (exit code 130).

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
    job = build_job(
        plan, output, frames=frames, force=force, policy=policy, test_seed=test_seed, confirm=confirm
    )
    with scratch():
        return run(job, pool_of(jobs), progress=progress)


def dry_run(
    plan: PlanLike,
    output: str | Path | None = None,
    *,
    frames: Mapping[str, object] | None = None,
    force: bool = False,
    policy: str | Path | None = None,
    jobs: int = 1,
    progress: Progress | None = None,
) -> DryRun:
    """Do all of `build` that costs nothing: read, check, and say what would be dropped, clipped and charged. Writes nothing.

    What it says of the data is private. If you change the plan because of it, that choice depends on the data and no ε covers it: correct what is
    wrong whatever the data are (a unit, a screen, a code of missing values), and nothing else.

    Args:
        plan: the path of a TOML file, a `Plan`, or a dict of what TOML would be read as.
        output: the bundle, as for `build`.
        frames: rows in memory, as for `build`.
        force: whether an existing bundle would be replaced; without it, the result says that it is in the way.
        policy: a file of limits that the release must keep to.
        jobs: processes to work in.
        progress: called with (what, done, total).

    Raises:
        InputError, PolicyError, MachineError: as `build` would.

    Example:
        >>> import tempfile
        >>> from synthrelease.demo import copy_sample
        >>> dry_run(copy_sample(tempfile.mkdtemp()) / "plan.toml", "demo.h5")
        <DryRun demo.h5: ε = 2.486, δ = 1e-06 per person (replace-one); not covered: records>
    """
    job = _dry_run_job(plan, output, frames=frames, force=force, policy=policy)
    with scratch():
        return run(job, pool_of(jobs), progress=progress)


def _dry_run_job(
    source: PlanLike,
    output: str | Path | None,
    *,
    frames: Mapping[str, object] | None,
    force: bool,
    policy: str | Path | None,
) -> Job[DryRun]:
    plan = load_plan(source, frames)
    path = target(plan, output, None)
    with reserved(path, output, plan, policy, force=True) as files:  # nothing is replaced
        ready = yield from ready_job(plan, policy, None, files[0])
        taken = not force and any(map(os.path.lexists, (path, sidecar(path))))
    return DryRun(
        path, rehearse(ready.design).manifest, ready.payment, ready.private, ready.most_bytes, taken
    )


def build_job(
    source: PlanLike,
    output: str | Path | None = None,
    *,
    frames: Mapping[str, object] | None = None,
    force: bool = False,
    policy: str | Path | None = None,
    test_seed: int | None = None,
    confirm: Confirm | None = None,
    before_move: Callable[[str, str], None] = lambda _checksum, _manifest: None,
) -> Job[Built]:
    """Do what `build` does, as a job: workers read, add up, derive and verify; in between, noise is paid for and drawn here.

    What follows from the noisy numbers is derived one after the other as it is written: side by side, all of it would be
    held at once. `before_move` is called with the digest in the bundle's checksum and that of its manifest once it is whole, just before it gets its name.

    Bundle and sidecar are both on the disk, verified, before either gets its name: the bundle first, an old sidecar being
    taken away before that (`atomic.move_together`). So a build that is killed leaves the old pair, the old bundle alone, the
    new bundle alone, or the new pair, and files that the next build of the same bundle removes. Then that build does what
    any does where there is a bundle, or none; and a batch that is resumed knows the new one by its checksum, and writes the
    sidecar from it.
    """
    seeded = None if test_seed is None else SecureRandom.for_tests(test_seed)
    plan = load_plan(source, frames)
    path, date = target(plan, output, test_seed), release_date()
    with reserved(path, output, plan, policy, force=force) as files:  # verified there, and only then moved
        ready = yield from ready_job(plan, policy, seeded, files[0])
        payment = ready.payment
        if payment is not None and confirm is not None and not confirm(payment):
            raise NotConfirmedError(
                "not-confirmed",
                "nothing was charged and nothing was written",
                where=str(plan.path),
                remedy="run build again to confirm the charge",
            )
        for file in files:
            if not file.is_there:  # where another host does not see its lock, say
                raise cannot_write(file.target, FileNotFoundError(errno.ENOENT, file.path.name))
        ledger = ready.ledger
        debit = None if ledger is None else ledger.debit(ready.design.charge(), ready.most_epsilon)
        # From here on it costs.
        random = seeded or SecureRandom(before_words=debit.begin_drawing if debit else None)
        return (yield from _publish_job(ready, debit, files, random, date, before_move, force=force))


def _publish_job(  # noqa: PLR0917  everything that is decided by now
    ready: Ready,
    debit: Debit | None,
    files: list[Partial],
    random: SecureRandom,
    date: str,
    before_move: Callable[[str, str], None],
    *,
    force: bool,
) -> Job[Built]:
    """Draw what is paid for, and write and verify the bundle, as a job."""
    design, (bundle, text) = ready.design, files
    path = bundle.target
    stands = False
    try:
        releases = ready.released | drawn_on(design, ready.collected, random, paid=True)
        in_order = [releases[output.name] for output in design.outputs]
        arrays = {name: drawn.arrays for name, drawn in releases.items()}
        spending = None if debit is None else debit.spending
        manifest = compose_manifest(design, in_order, seeded=random.seeded, date=date, spending=spending)
        writing = Call(_write_and_verify, (bundle.path, manifest, arrays))
        ((manifest, checksum),) = yield Round("writing and verifying", [writing], local=True)
        atomic.write_durably(text, to_bytes(manifest))
        before_move(checksum, hashlib.sha256(to_bytes(manifest)).hexdigest())
        try:
            atomic.move_together(files, force=force, mode=mode_of(random.seeded))
        finally:
            stands = bundle.has_its_name
            if stands and debit is not None:
                debit.release(to_bytes(manifest))
    except SynthReleaseError as error:
        if stands:
            error.add_remedy(
                f"{path} is complete, verified and charged: building again would be charged again"
            )
        elif debit is not None:
            error.add_remedy(debit.failure_remedy())
        raise
    tests = {output.name: releases[output.name].notes for output in design.outputs}
    return Built(path, sidecar(path), manifest, ready.private.with_tests(tests))


def _write_and_verify(
    path: Path, manifest: dict[str, Any], drawn: Mapping[str, Mapping[str, Array]]
) -> tuple[dict[str, Any], str]:
    """Return the manifest of the new bundle, and the digest in its checksum. What follows from the drawn arrays is derived as it is written."""
    whole = writer.write_bundle(
        path,
        released_content(manifest["outputs"], drawn),
        completed=partial(with_contents, manifest),
        test_seed=bool(manifest["randomness"]["test_seed"]),
    )
    result = examine(path, allow_test_seed=True)  # here: it is our own file
    try:
        with BundleFile(path) as file:
            checksum = file.body_digest()
    except OSError as error:  # it was taken away meanwhile
        raise cannot_write(path, error) from None
    if not result.ok:  # a defect of ours: better no bundle than one that auditors refuse
        raise BundleError(
            "built-bundle-invalid",
            "the new bundle does not verify",
            found="; ".join(map(str, result.findings)),
        )
    return whole, checksum
